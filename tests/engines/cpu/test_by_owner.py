"""Estimates of arms by owner alone, as they serve where there are many clusters."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import (
    asymmetric,
    cache_of,
    dense,
    mixture,
    precomputed,
    rewards_of,
    state_of,
    swaps_by_force,
)
from medoids._tuning import Tuning
from medoids.engines.cpu.rewards.by_owner import ByOwner
from medoids.engines.cpu.rewards.rewards import Rewards

N, K = 1500, Tuning().many + 4


def made(
    kind: str, swap: bool, first: int, seed: int, z: float
) -> tuple[Rewards, np.ndarray, np.ndarray]:
    """A step, arms that are no medoids, and their true values."""
    points = dense(mixture(N, 4, 12, 0, spread=3.0))
    if kind == "asymmetric":
        points = precomputed(asymmetric(N, 0) + np.diag(np.linspace(0, 1, N)))
    matrix, rng = points.exact(np.arange(N)), np.random.default_rng(5)
    state = state_of(points, rng.choice(N, K, replace=False).tolist())
    arms = rng.permutation(np.setdiff1d(np.arange(N), state.medoids))[:400]
    if swap:
        true = swaps_by_force(matrix, state.medoids)[arms].min(axis=1)
    else:
        true = np.minimum(matrix[arms], state.nearest).sum(axis=1)
    order = np.random.default_rng(seed).permutation(N)
    rewards = rewards_of(cache_of(points, order, first=first), state, swap, z)
    return rewards, arms, (true - state.loss) / N


cases = pytest.mark.parametrize("kind", ["mixture", "asymmetric"])
both = pytest.mark.parametrize("swap", [False, True])


@cases
@both
def test_depth_n_is_exact(kind: str, swap: bool) -> None:
    rewards, arms, true = made(kind, swap, 128, 0, 3.0)
    mean, lower = ByOwner(rewards.screened, N).estimate(arms)
    size = rewards.step.state.loss / N
    np.testing.assert_allclose(mean, true, atol=1e-5 * size)
    np.testing.assert_allclose(lower[: K if swap else 1].min(axis=0), true, atol=1e-5 * size)


@cases
@both
@pytest.mark.parametrize("depth", [256, 1024])
def test_bounds_hold(kind: str, swap: bool, depth: int) -> None:
    wrong, error = [], []
    for seed in range(6):
        rewards, arms, true = made(kind, swap, 128, seed, 3.0)
        mean, lower = ByOwner(rewards.screened, depth).estimate(arms)
        wrong.append((lower[: K if swap else 1].min(axis=0) > true).mean())
        error.append(mean - true)
    assert np.mean(wrong) < 0.02
    if not swap:  # the lowest of k estimates is below the lowest value
        assert abs(np.mean(error)) < 0.1 * np.std(error)


@both
def test_more_references_tell_more(swap: bool) -> None:
    rewards, arms, true = made("mixture", swap, 128, 0, 3.0)
    errors = [
        np.std(ByOwner(rewards.screened, depth).estimate(arms)[0] - true)
        for depth in (256, 512, 1024)
    ]
    assert errors == sorted(errors, reverse=True)


def test_many_clusters_are_refined_by_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    rewards, arms, _ = made("mixture", True, 128, 0, 3.0)
    assert rewards.depth == 512, "the first references are known from the screen"
    monkeypatch.setattr("medoids.engines.cpu.rewards.rewards.Regression", None)
    mean, lower = rewards.refine(arms, 256, arms[:4])
    assert (lower <= mean).all()
