"""PAM's medoids where distances tie: integers, grids, copies; and bounds that are carried there."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import (
    Floats,
    SmallFirst,
    best_swap,
    cache_of,
    carried,
    duplicates,
    lattice,
    precomputed,
    rewards_of,
)
from medoids import KMedoids, k_medoids
from medoids._threads import Workers
from medoids._tuning import Tuning
from medoids.engines.cpu.rewards.bounds import Bounds
from medoids.engines.cpu.rewards.falls import Before, Changes, falls, falls_by_reach
from medoids.engines.cpu.state import State
from medoids.engines.cpu.step import Step

GRID = np.indices((50, 50)).reshape(2, -1).T.astype(float)
# Bounds are carried by what is known alone.
FALLS = Tuning(falling=0)
CUBE = np.indices((14, 14, 14)).reshape(3, -1).T.astype(float)


def integers(seed: int) -> Floats:
    return np.random.default_rng(seed).integers(0, 100, size=(3000, 2)).astype(float)


TIED: list[tuple[str, Floats, str, str, int]] = [
    ("grid", GRID, "l1", "cityblock", 3),
    ("grid", GRID, "l2", "euclidean", 4),
    ("cube", CUBE, "chebyshev", "chebyshev", 4),
    ("integers", integers(0), "l1", "cityblock", 7),
    ("integers", integers(1), "l1", "cityblock", 5),
    ("copies", duplicates(2500, 0), "l2", "euclidean", 6),
    ("few places", lattice(3000, 0), "l1", "cityblock", 8),
    ("binary", (integers(2) % 2).repeat(4, axis=1), "hamming", "hamming", 3),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("first", [None, 256, 1024])
@pytest.mark.parametrize(
    ("X", "metric", "scipys", "k"), [row[1:] for row in TIED], ids=[f"{r[0]}-{r[2]}" for r in TIED]
)
def test_ties_lead_to_pams_medoids(
    X: Floats, metric: str, scipys: str, k: int, first: int | None, small_first: SmallFirst
) -> None:
    if first:
        small_first(first)
    exact = k_medoids(X, k, metric=metric, method="pam")
    for seed in range(2):
        found = k_medoids(X, k, metric=metric, random_state=seed)
        assert found.medoid_indices.tolist() == exact.medoid_indices.tolist()
        assert found.inertia == pytest.approx(exact.inertia, rel=1e-12)
    matrix = cdist(X, X, scipys)
    assert best_swap(matrix, found.medoid_indices) >= found.inertia * (1 - 1e-12)


def turned(matrix: Floats, kind: str) -> Floats:
    """Distances that tie, each way at its own pace, or below zero."""
    if kind == "asymmetric":
        return matrix + np.random.default_rng(0).integers(0, 3, size=matrix.shape)
    return matrix - 4.0 if kind == "negative" else matrix


@pytest.mark.parametrize("kind", ["plain", "asymmetric", "negative"])
@pytest.mark.parametrize("side", [6, 40])
def test_carried_bounds_hold_where_distances_tie(kind: str, side: int) -> None:
    """Half of all points are references, and z is so large that chance is no excuse."""
    n, k = 700, 12
    X = lattice(n, side, side)
    matrix = turned(cdist(X, X, "cityblock"), kind)
    rng = np.random.default_rng(1)
    state, bounds = State(n, k), Bounds()
    for medoid in rng.choice(n, k, replace=False):
        state.add(int(medoid), matrix[medoid])
    # With more, all would be, and no bound be carried.
    cache = cache_of(precomputed(matrix), rng.permutation(n), first=349)
    every, count, wrong = np.arange(n), 0, 0
    for _ in range(12):
        lower = carried(cache, state, True, 6.0, bounds)[:k].copy()
        true = Step(state, True).values(matrix, every, cache.points.workers).T
        open_ = np.isfinite(lower).all(axis=0)
        open_[state.medoids] = False
        count += int(open_.sum())
        wrong += int((lower[:, open_] > true[:, open_] + 1e-4).sum())
        others = np.setdiff1d(every, state.medoids)
        rewards_of(cache, state, True, 6.0, bounds).value(others)
        # A point as far from the others as the medoid is: what such a swap changes is a tie.
        position = int(rng.integers(k))
        near = np.setdiff1d(np.argsort(matrix[state.medoids[position]])[:8], state.medoids)
        arm = int(rng.choice(near))
        state.replace(position, arm, matrix[arm])
    assert count > n, "too little was carried to test anything"
    assert wrong <= count * k // 1000


@pytest.mark.parametrize("k", [2, 3, 9])
@pytest.mark.parametrize("kind", ["plain", "metric", "asymmetric", "negative"])
@pytest.mark.parametrize("room", [1e9, 3e4])
def test_no_value_falls_further_than_what_points_pay(kind: str, k: int, room: float) -> None:
    """With few clusters no reference is asked, so that not one bound may be too high.

    That a dissimilarity is a metric is made use of where it is known, and points are near others.
    """
    n = 400
    X = np.random.default_rng(k).normal(size=(n, 2))
    X[::3] = lattice(len(X[::3]), k, 3)
    matrix = turned(cdist(X, X, "cityblock"), kind)
    rng = np.random.default_rng(2)
    points = precomputed(matrix)
    points.triangle = kind == "metric"
    cache = cache_of(points, rng.permutation(n), first=150)
    cache.local = points.triangle
    state, bounds, every = State(n, k), Bounds(), np.arange(n)
    for medoid in rng.choice(n, k, replace=False):
        state.add(int(medoid), matrix[medoid])
    cache.memory_limit = room  # with little of it there is one line of bounds
    tight, position = 0, 0
    for step in range(12):
        lower = carried(cache, state, True, 9.0, bounds, FALLS).copy()
        assert len(lower) == (k + 1 if room > 1e6 else 1)
        values = Step(state, True).values(matrix, every, points.workers).T
        true = values if len(lower) > 1 else values.min(axis=0)[None]
        others = np.setdiff1d(every, state.medoids)
        assert (lower[: len(true), others] <= true[:, others] + 1e-9).all()
        added = Step(state, False).values(matrix, every, points.workers)[:, 0]
        if len(lower) > 1:
            assert (lower[k, others] <= added[others] + 1e-9).all()
            if step:  # swaps with a medoid that took another's place just now are known exactly
                tight += int((lower[position, others] > true[position, others] - 1e-4).sum())
        rewards_of(cache, state, True, 9.0, bounds, tuning=FALLS).value(others)
        # Far and near, and two at once.
        for position in rng.choice(k, 1 + step % 2 if k > 2 else 1, replace=False).tolist():
            arm = int(rng.choice(np.setdiff1d(every, state.medoids)))
            state.replace(position, arm, matrix[arm])
    assert len(lower) == 1 or tight > n


def test_values_of_arms_far_from_what_changes_hardly_fall() -> None:
    """Where points beyond an arm's reach pay more or less, its values change by what is known."""
    n, k = 3000, 6
    X = np.random.default_rng(0).normal(size=(n, 2)) + 6 * np.arange(k).repeat(n // k)[:, None]
    matrix = cdist(X, X)
    state = State(n, k)
    for medoid in range(k):
        state.add(n // k * medoid, matrix[n // k * medoid])
    step = Step(state, True)
    values = step.values(matrix, np.arange(n), Workers(1)).T
    none = np.zeros(k)
    before = Before(
        True, list(state.medoids), state.nearest.copy(), state.second.copy(), state.owner.copy(),
        np.zeros((n, 2), np.float32), none, none,
    )  # fmt: skip
    state.replace(2, 2 * n // k + 7, matrix[2 * n // k + 7])
    step = Step(state, True)
    fell = values - step.values(matrix, np.arange(n), Workers(1)).T
    changes = Changes(before, step)
    table, column = falls_by_reach(changes, before, step, Workers(1))
    known, anywhere = table[:k, column], falls(changes, before, step)
    assert (known >= fell).all()
    assert (anywhere[:k, None] >= known - 1e-7).all()
    far = (state.owner == 0) | (state.owner == 5)
    assert np.quantile(known[0, far] - fell[0, far], 0.9) < 1e-4
    assert anywhere[0] - fell[0, far].max() > 1e-2


def test_few_references_for_each_cluster_carry_nothing() -> None:
    """Their bounds may be wrong, and would stay so."""
    n, k = 600, 5
    matrix = cdist(*2 * [np.random.default_rng(0).normal(size=(n, 2))])
    state = State(n, k)
    for medoid in range(k):
        state.add(medoid, matrix[medoid])
    for first, kept in ((25 * k, True), (25 * k - 1, False)):
        cache = cache_of(precomputed(matrix), np.random.default_rng(1).permutation(n), first=first)
        bounds = Bounds()
        rewards_of(cache, state, True, 4.0, bounds, tuning=Tuning())
        state.replace(0, state.medoids[0], matrix[state.medoids[0]])
        lower = carried(cache, state, True, 4.0, bounds, Tuning())
        assert np.isfinite(lower[:k, k:]).all() == kept
        assert (lower == -np.inf).all() != kept


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_grid_of_the_report() -> None:
    km = KMedoids(3, metric="l1", random_state=0).fit(GRID.astype(int))
    assert km.inertia_ == 37136
