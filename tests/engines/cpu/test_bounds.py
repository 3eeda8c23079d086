"""Bounds that are carried from step to step, against values by brute force."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import (
    Floats,
    asymmetric,
    cache_of,
    carried,
    dense,
    mixture,
    precomputed,
    rewards_of,
    state_of,
    swaps_by_force,
)
from medoids.engines.cpu.cache.cache import Cache
from medoids.engines.cpu.points.dense import DensePoints
from medoids.engines.cpu.points.matrix import PrecomputedPoints
from medoids.engines.cpu.rewards.bounds import Bounds
from medoids.engines.cpu.state import State

N = 1500
Z = 3.5


def points_of(kind: str) -> DensePoints | PrecomputedPoints:
    if kind == "mixture":
        return dense(mixture(N, 4, 12, 0, spread=3.0))
    matrix = asymmetric(N, 0) + np.diag(np.linspace(0, 1, N))
    return precomputed(matrix - 1.5 if kind == "negative" else matrix)


def start(kind: str, k: int, first: int, limit: float = 1e9) -> tuple[Cache, State, Floats]:
    points, rng = points_of(kind), np.random.default_rng(1)
    matrix = points.exact(np.arange(N))
    state = state_of(points, rng.choice(N, k, replace=False).tolist())
    return cache_of(points, rng.permutation(N), limit, first), state, matrix


def swap_some(cache: Cache, state: State, count: int, seed: int) -> None:
    """Replace medoids by points near them, as good swaps do."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        position = int(rng.integers(state.k))
        row = cache.points.exact(np.array([state.medoids[position]]))[0]
        near = np.setdiff1d(np.argsort(row)[:40], state.medoids)
        arm = int(rng.choice(near))
        state.replace(position, arm, cache.points.exact(np.array([arm]))[0])


def values_of(matrix: Floats, state: State) -> Floats:
    """The value of each arm's swap with each medoid, and of its addition."""
    added = np.minimum(matrix, state.nearest).sum(axis=1, keepdims=True)
    return (np.hstack([swaps_by_force(matrix, state.medoids), added]) - state.loss).T / N


@pytest.mark.parametrize("kind", ["mixture", "asymmetric", "negative"])
@pytest.mark.parametrize(("k", "count"), [(6, 1), (40, 1), (40, 4)])
def test_bounds_hold_after_swaps(kind: str, k: int, count: int) -> None:
    cache, state, matrix = start(kind, k, 256)
    others = np.setdiff1d(np.arange(N), state.medoids)
    bounds = Bounds()
    rewards_of(cache, state, True, Z, bounds).value(others)
    wrong, count_carried = [], 0
    for seed in range(4):
        swap_some(cache, state, count, seed)
        lower = carried(cache, state, True, Z, bounds).copy()
        open_ = np.isfinite(lower).all(axis=0)
        open_[state.medoids] = False
        true = values_of(matrix, state)
        if open_.any():
            wrong.append((lower > true + 1e-5 * abs(state.loss) / N)[:, open_].mean())
        count_carried += int(open_.sum())
        others = np.setdiff1d(np.arange(N), state.medoids)
        rewards_of(cache, state, True, Z, bounds).value(others)
    assert count_carried > N, "too little was carried to test anything"
    assert np.mean(wrong) < 0.01


def test_carried_bounds_are_tighter_than_the_screen() -> None:
    cache, state, matrix = start("mixture", 40, 256)
    bounds = Bounds()
    rewards_of(cache, state, True, Z, bounds).value(np.setdiff1d(np.arange(N), state.medoids))
    swap_some(cache, state, 1, 0)
    lower = carried(cache, state, True, Z, bounds)[:-1].min(axis=0)
    fresh = rewards_of(cache, state, True, Z).lower
    true = values_of(matrix, state)[:-1].min(axis=0)
    others = np.setdiff1d(np.arange(N), state.medoids)
    gap = np.median((true - lower)[others])
    assert gap < 0.7 * np.median((true - fresh)[others])


@pytest.mark.parametrize("kind", ["mixture", "asymmetric"])
def test_an_arm_gains_less_in_later_build_steps(kind: str) -> None:
    cache, state, matrix = start(kind, 3, 256)
    longer = State(N, 6)
    for medoid in state.medoids:
        longer.add(medoid, matrix[medoid])
    bounds = Bounds()
    for medoid in (5, 50, 500):
        rewards_of(cache, longer, False, Z, bounds).value(np.arange(N))
        longer.add(medoid, matrix[medoid])
        carried(cache, longer, False, Z, bounds)
        assert np.isfinite(bounds.lower).all()
        true = (np.minimum(matrix, longer.nearest).sum(axis=1) - longer.loss) / N
        assert (bounds.lower[0] <= true + 1e-6).all()


def test_nothing_is_carried_from_build_to_swap() -> None:
    cache, state, _ = start("mixture", 5, 256)
    bounds = Bounds()
    rewards_of(cache, state, False, Z, bounds)
    carried(cache, state, True, Z, bounds)
    assert bounds.lower.shape == (6, N)
    assert (bounds.lower == -np.inf).all()


def test_little_memory_keeps_one_line() -> None:
    cache, state, matrix = start("mixture", 40, 64, limit=4.0 * N * 40)
    bounds = Bounds()
    lower = rewards_of(cache, state, True, Z, bounds).lower
    assert bounds.lower.shape == (1, N)
    others = np.setdiff1d(np.arange(N), state.medoids)
    true = values_of(matrix, state)[:-1].min(axis=0)
    assert (lower > true + 1e-9)[others].mean() < 0.02
    swap_some(cache, state, 1, 0)
    carried(cache, state, True, Z, bounds)
    others = np.setdiff1d(np.arange(N), state.medoids)
    true = values_of(matrix, state)[:-1].min(axis=0)
    assert np.isfinite(bounds.lower).all()
    assert (bounds.lower[0] > true + 1e-9)[others].mean() < 0.02
