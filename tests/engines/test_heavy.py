"""Points that pay far more than others, on a device: all of them are measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from helpers import Floats, heavy_tails, mixture, swaps_by_force
from medoids._tuning import Tuning
from medoids.engines.array.arms import ArrayArms
from medoids.engines.array.engine import ArrayEngine
from medoids.engines.array.rows import ArrayRows, GivenDistances

N, MEDOIDS = 1500, [3, 300, 700, 1101, 5]


def outliers() -> Floats:
    """A few rows are far from all others; some of them near each other."""
    X = mixture(N, 4, 6, 0)
    X[::50] = 60 * X[::50] + np.random.default_rng(1).normal(size=(30, 4))
    return X.astype(np.float32)


def engine_of(
    X: Floats,
    first: int,
    seed: int = 0,
    metric: str = "sqeuclidean",
    medoids: Sequence[int] = MEDOIDS,
) -> ArrayEngine:
    tuning, rng = Tuning(first_block=first), np.random.default_rng(seed)
    made = ArrayEngine(ArrayRows(X, metric), len(MEDOIDS), 1e9, rng, tuning)
    made.start(list(medoids))
    return made


def truth(engine: ArrayEngine, swap: bool) -> Floats:
    """The value of each arm."""
    matrix = np.asarray(engine.points.exact(np.arange(N), np.arange(N)))
    before = matrix[MEDOIDS].min(axis=0)
    if swap:
        losses = swaps_by_force(matrix, MEDOIDS).min(axis=1)
    else:
        losses = np.minimum(matrix, before).sum(axis=1)
    return np.asarray((losses - before.sum()) / N)


def bounds(arms: ArrayArms) -> tuple[Floats, Floats]:
    others = np.setdiff1d(np.arange(N), MEDOIDS)
    return others, np.asarray(arms._learnt.lower)[others]


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(
    ("made", "most"),
    # Squares of these tails have no variance at all.
    [(outliers, 1e-3), (lambda: heavy_tails(N, 0).astype(np.float32), 5e-3)],
    ids=["outliers", "heavy tails"],
)
def test_bounds_hold_where_few_points_pay_most(made: Any, most: float, swap: bool) -> None:
    X, wrong = made(), []
    for seed in range(6):
        engine = engine_of(X, 256, seed)
        true = truth(engine, swap)
        arms = engine.screen(swap, 4.5)
        assert arms._heavy is not None
        others, lower = bounds(arms)
        wrong.append((lower > true[others] + 1e-6 * np.abs(true).max()).mean())
        arms.value(np.argsort(true)[:40])
        arms.refine(400, arms.valued())
        others, lower = bounds(arms)
        known = np.isfinite(lower)
        wrong.append((lower > true[others] + 1e-6 * np.abs(true).max())[known].mean())
    assert np.mean(wrong) < most


@pytest.mark.parametrize("swap", [False, True])
def test_the_sample_is_told_of_light_points_alone(swap: bool) -> None:
    """With every point measured, bounds are values: nothing is left out or counted twice."""
    engine = engine_of(outliers(), N - 1)
    arms = engine.screen(swap, 0.0)
    true = truth(engine, swap)
    found = np.asarray(arms._learnt.estimate)
    others = np.setdiff1d(np.arange(N), [*MEDOIDS, int(engine.sample._order[-1])])
    # Of swaps, what heavy points change is a bound, whichever medoid goes.
    slack = 1e-4 * np.abs(true).max()
    if swap:
        assert (found[others] <= true[others] + slack).all()
    else:
        np.testing.assert_allclose(found[others], true[others], atol=slack)


def test_where_nobody_pays_far_more_all_is_as_before() -> None:
    engine = engine_of(mixture(N, 4, 6, 0).astype(np.float32), 256, metric="euclidean")
    assert engine.screen(True, 4.0)._heavy is None


def test_dissimilarities_below_zero_and_one_medoid_are_sampled_as_they_are() -> None:
    matrix = np.random.default_rng(0).standard_t(1, (300, 300))
    tuning, rng = Tuning(first_block=64), np.random.default_rng(0)
    engine = ArrayEngine(GivenDistances(matrix), 3, 1e9, rng, tuning)
    engine.start([1, 2, 3])
    assert engine.screen(True, 4.0)._heavy is None
    one = engine_of(outliers(), 256, medoids=[3])
    assert one.screen(True, 4.0)._heavy is None
    assert one.screen(False, 4.0)._heavy is not None
