"""Arms judged by the points around their clusters: never too well, and at last exactly."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.spatial.distance import cdist

from helpers import (
    Floats,
    asymmetric,
    best_swap,
    dense,
    duplicates,
    heavy_tails,
    lattice,
    loss_of,
    mixture,
    precomputed,
    swaps_by_force,
)
from medoids import KMedoidsResult, k_medoids
from medoids._threads import Workers
from medoids._tuning import Tuning, tuned
from medoids.engines.cpu.changed import remember
from medoids.engines.cpu.engine import CPUEngine
from medoids.engines.cpu.nearby import Nearby
from medoids.engines.cpu.points.base import Points
from medoids.engines.cpu.points.weighted import WeightedPoints

# Looks at the points around clusters, however few there are.
NEAR: dict[str, Any] = {"many": 4, "small_pairs": 0, "reaches": (2, 4)}
# A search would look at all points, so that the last level does too; or at some.
WHOLE, SOME = {"per_cluster": 10**6}, {"first_block": 128, "usual": 1e-3}


def engine_of(points: Points, k: int, **tuning: Any) -> CPUEngine:
    rng = np.random.default_rng(0)
    return CPUEngine(points, k, 1e9, rng, Tuning(**(NEAR | WHOLE | tuning)))


def case(kind: str) -> tuple[Points, Floats]:
    """Points, and their distances by another library."""
    n = 900
    X = mixture(n, 6, 9, 0, 2.0)
    match kind:
        case "euclidean" | "cityblock" | "cosine":
            return dense(X, kind), cdist(X, X, kind)
        case "float64":  # what float32 cannot tell apart
            X[:, 0] *= 1e-7
            X[:, 1:] = 1e3
            return dense(X), cdist(X, X)
        case "asymmetric":
            return precomputed(asymmetric(n, 0)), asymmetric(n, 0)
        case "negative":
            return precomputed(asymmetric(n, 1) - 1.0), asymmetric(n, 1) - 1.0
        case "weights":
            weights = np.random.default_rng(1).uniform(0, 3, size=n) * (np.arange(n) % 7 > 0)
            points = WeightedPoints(dense(X), weights)
            return points, cdist(X, X) * points.weights
    raise ValueError(kind)


KINDS = ["euclidean", "cityblock", "cosine", "float64", "asymmetric", "negative", "weights"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reach", [2, 5, 12])
def test_values(kind: str, reach: int) -> None:
    points, matrix = case(kind)
    engine = engine_of(points, 12)
    medoids = np.random.default_rng(3).choice(points.n, 12, replace=False)
    engine.start(medoids)
    points.block_array(medoids, medoids)  # shows whether float32 serves
    before = points.n_distances
    arms = np.setdiff1d(np.arange(points.n), medoids)
    judged = Nearby(points, engine.step(True), arms).judge(reach, engine.order)
    exact = swaps_by_force(matrix, medoids.tolist()).min(axis=1) - loss_of(matrix, medoids)
    slack = 1e-5 * abs(matrix).mean() * points.n
    assert np.isinf(judged.values[medoids]).all()
    if reach == 12:
        np.testing.assert_allclose(judged.values[arms], exact[arms], rtol=0, atol=slack)
        assert points.n_distances - before == len(arms) * points.n
        assert judged.seen == points.n
        return
    assert (judged.values[arms] >= exact[arms] - slack).all()
    assert judged.seen < 0.75 * points.n
    # The points of an arm's cluster are always among those that it is judged by.
    state, removal = engine.state, engine.step(True).removal * points.n
    for x in arms[::7]:
        mine = state.owner == state.owner[x]
        gain = np.minimum(matrix[x, mine] - state.second[mine], 0).sum()
        assert judged.values[x] <= removal[state.owner[x]] + gain + slack
    counted = points.n_distances - before
    told = 12 * min(points.n, 1024)
    assert counted == pytest.approx(judged.seen * len(arms) + 12 * points.n + told)


def test_more_points_tell_of_more() -> None:
    points, _ = case("euclidean")
    engine = engine_of(points, 30)
    engine.start(np.random.default_rng(3).choice(points.n, 30, replace=False))
    arms = np.setdiff1d(np.arange(points.n), engine.medoids)
    found = [
        Nearby(points, engine.step(True), arms).judge(reach, engine.order).values[arms]
        for reach in (1, 3, 10, 30)
    ]
    for nearer, farther in pairwise(found):
        assert (farther <= nearer + 1e-3).all()
        assert farther.sum() < nearer.sum()


@pytest.mark.parametrize("kind", KINDS)
def test_what_swaps_leave_as_it_was(kind: str) -> None:
    points, matrix = case(kind)
    engine = engine_of(points, 30)
    rng = np.random.default_rng(5)
    rows = rng.permutation(points.n)
    engine.start(rows[:30])
    memory, judged = None, 0
    for turn in range(8):
        medoids = engine.medoids
        step, arms = engine.step(True), np.setdiff1d(np.arange(points.n), medoids)
        nearby = Nearby(points, step, arms)
        found = nearby.by_all() if memory is None else nearby.go_on(memory)
        assert found.known is not None
        memory = remember(step, found.known)
        exact = swaps_by_force(matrix, medoids).min(axis=1) - loss_of(matrix, medoids)
        slack = 1e-5 * abs(matrix).mean() * points.n
        assert (found.values[arms] <= exact[arms] + slack).all(), "bounds hold"
        good = arms[exact[arms] < -slack]
        np.testing.assert_allclose(found.values[good], exact[good], rtol=0, atol=slack)
        alone = np.minimum(matrix[arms] - engine.state.nearest, 0).sum(axis=1)
        np.testing.assert_allclose(found.known.alone[arms], alone, rtol=0, atol=slack)
        judged += found.arms if turn else 0
        every = swaps_by_force(matrix, medoids) - loss_of(matrix, medoids) + slack
        for place in range(2):
            gone = found.known.replaced[arms, place]
            assert (found.known.values[arms, place] <= every[arms, gone]).all()
            every[arms, gone] = np.inf
        assert (found.known.values[arms, 2] <= every[arms].min(axis=1)).all(), "of all others"
        # The best swap, or one at random, or medoids that change places with their neighbours.
        arm = int(exact.argmin()) if turn % 3 == 0 else int(rows[40 + turn])
        if arm not in medoids:
            position = int(swaps_by_force(matrix, medoids)[arm].argmin())
            engine.place(position if turn % 3 == 0 else turn, arm)
    assert judged > 0
    assert judged < 7 * points.n or kind == "float64"


def fit(X: Any, k: int, last: dict[str, Any], **options: Any) -> KMedoidsResult:
    with tuned(**NEAR, **last):
        return k_medoids(X, k, swap="eager", random_state=0, **options)


DATA: dict[str, tuple[Floats, str]] = {
    "mixture": (mixture(700, 4, 12, 0, 2.0), "euclidean"),
    "l1": (mixture(700, 8, 12, 1, 2.0), "cityblock"),
    "heavy tails": (heavy_tails(700, 0), "euclidean"),
    "copies": (duplicates(700, 0), "euclidean"),
    "lattice": (lattice(700, 0), "cityblock"),
    "asymmetric": (asymmetric(500, 0), "precomputed"),
    "negative": (asymmetric(500, 3) - 1.0, "precomputed"),
}


def left(matrix: Floats, found: KMedoidsResult) -> float:
    """How far the best swap would lower the loss."""
    return found.inertia - best_swap(matrix, found.medoid_indices)


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("init", ["build", "random"])
@pytest.mark.parametrize("last", [WHOLE, SOME], ids=["whole", "searched"])
def test_no_swap_helps_at_the_end(kind: str, init: str, last: dict[str, Any]) -> None:
    X, metric = DATA[kind]
    matrix = X if metric == "precomputed" else cdist(X, X, metric)
    found = fit(X, 16, last, metric=metric, init=init)
    assert left(matrix, found) <= 1e-9 * abs(found.inertia)
    assert found.inertia == pytest.approx(loss_of(matrix, found.medoid_indices), rel=1e-9)
    assert sum(entry["distances"] for entry in found.history) == found.n_distances
    assert sum(entry["swaps"] for entry in found.history) == found.n_iter


def test_no_distances_are_kept() -> None:
    with tuned(**NEAR, **WHOLE):
        engine = engine_of(dense(mixture(2000, 4, 12, 0, 2.0)), 16)
        engine.place_all(list(range(16)))
        while (near := engine.swap_near(0)) is not None and near.swaps:
            pass
        near = engine.swap_near(2)
        assert near is not None
        assert near.whole
        assert engine.swap_near(3) is None
        assert engine._cache is None


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine"])
def test_the_same_for_any_number_of_threads(metric: str) -> None:
    X = np.abs(mixture(3000, 4, 30, 0, 2.0))
    one, two, three = (fit(X, 40, WHOLE, metric=metric, n_jobs=jobs) for jobs in (1, 2, 3))
    assert one.medoid_indices.tolist() == two.medoid_indices.tolist()
    assert one.medoid_indices.tolist() == three.medoid_indices.tolist()
    assert one.inertia == two.inertia == three.inertia
    assert one.n_distances == two.n_distances == three.n_distances
    # All are held once as many were computed; medoids are confirmed in float64 besides.
    assert one.n_distances < 2 * len(X) ** 2 + 10 * 40 * len(X)


def test_sparse_rows_and_functions() -> None:
    X = np.abs(mixture(400, 6, 12, 0, 2.0)).round()
    plain = fit(X, 12, WHOLE, metric="cityblock")
    sparse = fit(scipy.sparse.csr_matrix(X), 12, WHOLE, metric="cityblock")
    called = fit(X, 12, WHOLE, metric=lambda a, b: float(np.abs(a - b).sum()))
    matrix = cdist(X, X, "cityblock")
    for found in (plain, sparse, called):
        assert left(matrix, found) <= 1e-9 * found.inertia
        assert sum(entry["distances"] for entry in found.history) == found.n_distances
    assert called.n_distances <= 2 * len(X) ** 2, "no pair twice"


def test_weights_fixed_rows_and_candidates() -> None:
    X = mixture(600, 4, 12, 0, 2.0)
    weights = np.random.default_rng(0).uniform(0, 9, size=len(X)) * (np.arange(len(X)) % 5 > 0)
    fixed, candidates = [3, 400], np.arange(0, 600, 2) + 1
    allowed = np.union1d(fixed, candidates)
    found = fit(X, 12, WHOLE, sample_weight=weights, fixed=fixed, candidates=allowed)
    assert set(fixed) <= set(found.medoid_indices.tolist()) <= set(allowed.tolist())
    matrix = cdist(X, X) * weights
    losses = swaps_by_force(matrix, found.medoid_indices.tolist())
    losses = losses[np.setdiff1d(allowed, found.medoid_indices)]
    stays = np.isin(found.medoid_indices, fixed)
    assert found.inertia == pytest.approx(loss_of(matrix, found.medoid_indices), rel=1e-9)
    assert losses[:, ~stays].min() >= found.inertia * (1 - 1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_max_iter_ends_it() -> None:
    X = mixture(2000, 4, 12, 0, 2.0)
    found = fit(X, 40, WHOLE, max_iter=2, init="random")
    assert [entry["phase"] for entry in found.history] == ["init", "swap", "swap"]
    with Workers(1):
        assert found.inertia == pytest.approx(
            cdist(X[found.medoid_indices], X).min(axis=0).sum(), rel=1e-9
        )


def test_searches_where_clusters_are_so_far_apart_that_sums_cancel() -> None:
    rng = np.random.default_rng(0)
    X = np.repeat(1e7 * rng.normal(size=(16, 2)), 60, axis=0) + rng.normal(size=(960, 2))
    found = fit(X, 16, WHOLE, init="random")
    assert left(cdist(X, X), found) <= 1e-9 * found.inertia
