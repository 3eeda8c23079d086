"""What a search has shown of arms is carried to the next, and goes on to hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers import Floats, mixture, swaps_by_force
from medoids import KMedoids
from medoids._tuning import Tuning, tuned
from medoids.engines.array import bounds as carried
from medoids.engines.array.bounds import Bounds
from medoids.engines.array.engine import ArrayEngine
from medoids.engines.array.rows import ArrayRows, GivenDistances

N, K, Z = 1500, 33, 4.5


def grid() -> Floats:
    """Points of whole numbers: as far from one medoid as from another."""
    return np.random.default_rng(5).integers(0, 12, (N, 3)).astype(np.float32)


def clusters() -> Floats:
    return mixture(N, 6, 20, 1).astype(np.float32)


def one_sided() -> Floats:
    """Dissimilarities that differ from the other way round, and not 0 from a point to itself."""
    rng = np.random.default_rng(3)
    X = clusters()
    far = np.linalg.norm(X[:, None] - X[None], axis=2)
    return far * rng.uniform(0.7, 1.3, far.shape) + rng.uniform(-0.2, 0.2, far.shape)


def engine_of(data: Floats, metric: str | None, seed: int = 0, first: int = 128) -> ArrayEngine:
    points = GivenDistances(data) if metric is None else ArrayRows(data, metric)
    tuning, rng = Tuning(first_block=first), np.random.default_rng(seed)
    made = ArrayEngine(points, K, 1e9, rng, tuning)
    made.start(np.random.default_rng(seed).choice(N, K, replace=False).tolist())
    return made


def truth(engine: ArrayEngine) -> Floats:
    """The value of each arm with each medoid gone."""
    every = np.arange(N)
    matrix = np.asarray(engine.points.exact(every, every))
    losses = swaps_by_force(matrix, engine.medoids)
    return np.asarray((losses - matrix[engine.medoids].min(axis=0).sum()) / N)


def searched(engine: ArrayEngine, depth: int = 1000) -> Any:
    arms = engine.screen(True, Z)
    arms.value(arms.lowest(40))
    arms.drop(1e9)
    arms.refine(depth, arms.valued())
    return arms


def swapped(engine: ArrayEngine, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    others = np.setdiff1d(np.arange(N), engine.medoids)
    for arm in rng.choice(others, count, replace=False).tolist():
        engine.place(int(rng.integers(K)), arm)


KINDS = [(clusters, "euclidean"), (grid, "manhattan"), (one_sided, None)]


def known(engine: ArrayEngine) -> Bounds:
    """Bounds that are values."""
    bounds, every = Bounds(engine.step(True), engine.points.itself, Z), np.arange(N)
    matrix = np.asarray(engine.points.exact(every, every))
    paid = matrix[engine.medoids].min(axis=0)
    added = (np.minimum(matrix, paid).sum(axis=1) - paid.sum()) / N
    bounds.note(every, np.column_stack([truth(engine), added]).astype(np.float32))
    return bounds


@pytest.mark.parametrize(("made", "metric"), KINDS, ids=["clusters", "grid", "one-sided"])
@pytest.mark.parametrize("first", [64, 128])
def test_bounds_hold_after_swaps(
    made: Any, metric: str | None, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carried, "_WORTH", 0)
    data, wrong, wide = made(), [], []
    for seed in range(6):
        engine = engine_of(data, metric, seed, first)
        bounds = known(engine)
        for swaps in (1, 2):
            swapped(engine, swaps, seed)
            lower = bounds.lower(engine.step(True), engine.sample, 1.0, 1)
            true, table = truth(engine), np.asarray(bounds._table)
            np.testing.assert_array_equal(lower, table[:, :K].min(axis=1))
            arms = np.setdiff1d(np.arange(N), engine.medoids)
            slack = 1e-6 * np.abs(true).max()
            wrong.append((table[arms, :K] > true[arms] + slack).mean())
            wide.append((true[arms] - table[arms, :K]).mean() / true[arms].std())
    assert np.mean(wrong) < 1e-4
    assert np.mean(wide[::2]) < 1  # they tell something


@pytest.mark.parametrize(("made", "metric"), KINDS, ids=["clusters", "grid", "one-sided"])
def test_with_all_points_that_changed_bounds_change_as_values_do(
    made: Any, metric: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carried, "_WORTH", 0)
    monkeypatch.setattr(carried, "_TIMES", N)
    engine = engine_of(made(), metric)
    bounds = known(engine)
    swapped(engine, 2, 0)
    assert bounds.lower(engine.step(True), engine.sample, 1.0, 1) is not None
    rough = engine.step(True).rough
    np.testing.assert_allclose(bounds._table[:, :K], truth(engine), atol=2 * rough + 1e-6)


def test_too_many_changed_points_are_not_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engine_of(clusters(), "euclidean")
    searched(engine)
    assert engine.bounds is not None
    swapped(engine, 1, 0)
    step, sample = engine.step(True), engine.sample
    assert engine.bounds.lower(step, sample, 0.5, 1) is None  # distances would cost more
    assert engine.bounds.lower(step, sample, 1e-3, 10**9) is None
    assert engine.bounds.lower(step, sample, 1.0, 10**9) is not None


def test_few_clusters_weights_and_other_intervals_carry_nothing() -> None:
    engine = engine_of(clusters(), "euclidean")
    searched(engine)
    first = engine.bounds
    searched(engine)
    assert engine.bounds is first is not None
    arms = engine.screen(True, Z / 2)
    arms.refine(1000, arms.valued())
    assert engine.bounds is not first
    engine.forget()
    assert engine.bounds is None
    arms = engine.screen(True, Z).narrowed(2)
    arms.refine(1000, arms.valued())
    assert engine.bounds is None


@pytest.mark.parametrize("swap", ["eager", "best"])
def test_a_fit_that_carries_ends_where_no_swap_helps(
    swap: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carried, "_WORTH", 0)
    strict = pytest.importorskip("array_api_strict")
    X = clusters()
    matrix = np.linalg.norm(X[:, None].astype(float) - X[None], axis=2)
    with tuned(first_block=128):
        km = KMedoids(K, swap=swap, random_state=0).fit(strict.asarray(X))
    medoids = np.asarray(km.medoid_indices_).tolist()
    losses = swaps_by_force(matrix, medoids)
    assert losses.min() >= km.inertia_ * (1 - 1e-9)
