"""PAM's medoids where distances tie: integers, grids, copies; and bounds that are carried there."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import Floats, best_swap, duplicates, lattice, small_first
from medoids import KMedoids, k_medoids
from medoids._threads import Workers
from medoids.engines.cpu.cache import Cache
from medoids.engines.cpu.points.matrix import PrecomputedPoints
from medoids.engines.cpu.rewards.bounds import Bounds
from medoids.engines.cpu.rewards.rewards import Rewards
from medoids.engines.cpu.state import State

GRID = np.indices((50, 50)).reshape(2, -1).T.astype(float)
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
    X: Floats, metric: str, scipys: str, k: int, first: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if first:
        small_first(monkeypatch, first)
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
    points = PrecomputedPoints(matrix, Workers(1))
    rng = np.random.default_rng(1)
    state, bounds = State(n, k), Bounds()
    for medoid in rng.choice(n, k, replace=False):
        state.add(int(medoid), matrix[medoid])
    # With more, all would be, and no bound be carried.
    cache = Cache(points, rng.permutation(n), 1e9, 349)
    every, carried, wrong = np.arange(n), 0, 0
    for _ in range(12):
        step = Rewards(cache, state, True, 6.0, bounds)
        true = np.concatenate([step.totals(matrix, every, points.workers)[1].T])
        lower = bounds.lower[:k]
        open_ = np.isfinite(lower).all(axis=0)
        open_[state.medoids] = False
        carried += int(open_.sum())
        wrong += int((lower[:, open_] > true[:, open_] + 1e-4).sum())
        step.screen()
        step.exact(np.setdiff1d(every, state.medoids))
        # A point as far from the others as the medoid is: what such a swap changes is a tie.
        position = int(rng.integers(k))
        near = np.setdiff1d(np.argsort(matrix[state.medoids[position]])[:8], state.medoids)
        arm = int(rng.choice(near))
        state.replace(position, arm, matrix[arm])
    assert carried > n, "too little was carried to test anything"
    assert wrong <= carried * k // 1000


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_grid_of_the_report() -> None:
    km = KMedoids(3, metric="l1", random_state=0).fit(GRID.astype(int))
    assert km.inertia_ == 37136
