"""Few points: the same as by kernels, and nothing is compiled for them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from medoids import KMedoids, k_medoids
from medoids._threads import Workers
from medoids._tuning import tuned
from medoids.dissimilarities.metrics import METRICS, leaves
from medoids.engines.cpu import kernels
from medoids.engines.cpu.kernels import few
from medoids.engines.cpu.kernels.tuples import Clips
from medoids.engines.cpu.points.matrix import PrecomputedPoints
from medoids.engines.cpu.points.shaped import ShapedRows
from medoids.engines.cpu.small import SmallMatrix


def rows_for(name: str, n: int, d: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if name == "haversine":
        return rng.uniform(-1.5, 1.5, (n, 2))
    if name in ("hamming", "jaccard"):
        return rng.integers(0, 3, (n, d)).astype(float)
    X = rng.normal(size=(n, d))
    X[3] = 0.0  # no direction
    X[5] = X[4]
    return X


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("d", [1, 3, 17])
def test_distances_are_those_of_the_kernel(name: str, d: int) -> None:
    metric, X = METRICS[name], rows_for(name, 40, d, d)
    shaped = ShapedRows(X, metric, 4.0 if metric.degree else 1.0)
    rows, form = np.asarray(shaped.array[:], dtype=float), shaped.form
    ours, theirs = np.empty((40, 40)), np.empty((40, 40))
    fill = few.exact(metric)
    fill(rows, form, rows, form, 3.0, ours, 0)
    kernels.exact_kernel(*leaves(metric), metric.largest)(rows, form, rows, form, 3.0, theirs, 0)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15)
    assert (ours == ours.T).all()
    assert (np.diag(ours) == 0).all()
    # A pair has the same bits in whatever block.
    for some, others in (([7], [9]), ([1, 2, 3], range(11)), (range(40), [39]), (range(5), [5, 6])):
        part = np.full((len(some), len(others) + 3), np.nan)
        given = rows[list(some)], form[list(some)], rows[list(others)], form[list(others)]
        fill(*given, 3.0, part, 2)
        np.testing.assert_array_equal(part[:, 2:-1], ours[np.ix_(some, others)])
        assert np.isnan(part[:, [0, 1, -1]]).all()


@pytest.mark.parametrize("name", ["euclidean", "sqeuclidean", "cosine", "haversine"])
def test_distances_from_products_are_those_of_the_kernel(name: str) -> None:
    metric, rng = METRICS[name], np.random.default_rng(1)
    X = rng.normal(size=(50, 70)).astype(np.float32)
    X /= np.linalg.norm(X, axis=1)[:, None]
    X[7], X[9] = X[8], X[8] * np.float32(1.0001)  # products lose their digits
    squares, pad = np.einsum("ij,ij->i", X, X), (np.arange(50) == 3).astype(np.float32)
    ours, theirs = X @ X.T, X @ X.T
    few.epilogue(metric)(ours, X, X, squares, squares, pad, pad)
    kernel = kernels.epilogue_kernel(leaves(metric, rough=True)[1])
    kernel(theirs, X, X, squares, squares, pad, pad)
    np.testing.assert_allclose(ours, theirs, rtol=2e-6, atol=1e-7)
    assert (np.diag(ours) == 0).all()


def state_of(seed: int, n: int = 60, k: int = 4) -> tuple[np.ndarray, Clips, np.ndarray]:
    rng = np.random.default_rng(seed)
    D = rng.integers(0, 9, (n, n)).astype(float) if seed % 2 else rng.normal(5, 2, (n, n))
    far = D[rng.choice(n, k, replace=False)]
    owner = far.argmin(axis=0).astype(np.int32)
    near, second = np.sort(far, axis=0)[:2]
    return D, Clips(near, near, second, second, owner), far


@pytest.mark.parametrize("seed", range(4))
def test_sums_are_those_of_the_kernels(seed: int) -> None:
    D, clips, _ = state_of(seed)
    slots = np.arange(60)[::-3].copy()
    for name in ("total_rewards", "total_changes"):
        for swap in (False, True)[name == "total_changes" :]:
            found = [(np.zeros(len(slots)), np.zeros((len(slots), 4))) for _ in range(2)]
            getattr(few, name)(D, slots, clips, swap, *found[0])
            getattr(kernels, name)(D, slots, clips, swap, *found[1])
            for ours, theirs in zip(*found, strict=True):
                np.testing.assert_allclose(ours, theirs, atol=1e-12)
    closed, removal = np.arange(len(slots)) % 5 == 0, np.array([3.0, 1.0, 40.0, 9.0])
    for bar in (0.0, -30.0, -1e9):
        ours = few.first_better(D, slots, closed, clips, removal, bar)
        assert ours == tuple(kernels.first_better(D, slots, closed, clips, removal, bar))


@pytest.mark.parametrize("seed", range(4))
def test_the_two_nearest_are_those_of_the_kernel(seed: int) -> None:
    _, _, far = state_of(seed, n=200)
    new = np.random.default_rng(seed).permutation(far[1])

    def begun() -> Any:
        order = np.argsort(far, axis=0, kind="stable")[:2].astype(np.int32)
        return order[0].copy(), order[1].copy(), *np.sort(far, axis=0)[:2].copy()

    ours, theirs, rows = begun(), begun(), far.copy()
    rows[1] = new
    few.reassign(new, 4, 1, rows, ours)
    kernels.reassign(new, 4, 1, rows, False, theirs, (0, len(new)))
    for which in (0, 2, 3):  # of equal second ones either may be named
        np.testing.assert_array_equal(ours[which], theirs[which])
    np.testing.assert_array_equal(rows[ours[1], np.arange(200)], ours[3])


def plain_pam(D: np.ndarray, k: int) -> list[int]:
    """PAM by its definition: every sum anew, ties to the lowest row."""
    n, medoids = len(D), []
    while len(medoids) < k:
        losses = [np.inf if x in medoids else D[[*medoids, x]].min(axis=0).sum() for x in range(n)]
        medoids.append(int(np.argmin(losses)))
    loss = D[medoids].min(axis=0).sum()
    while True:
        swaps = {
            (x, i): D[[*medoids[:i], x, *medoids[i + 1 :]]].min(axis=0).sum()
            for x in range(n)
            if x not in medoids
            for i in range(k)
        }
        x, i = min(swaps, key=lambda swap: (swaps[swap], swap))
        if swaps[x, i] >= loss:
            return medoids
        medoids[i], loss = x, swaps[x, i]


@pytest.mark.parametrize("kind", ["grid", "integers", "copies", "asymmetric", "negative", "binary"])
@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_pam_by_its_definition(kind: str, k: int, weighted: bool) -> None:
    """Ties included: what is equal goes to the lowest row, as sums of whole numbers are exact."""
    rng = np.random.default_rng([k, len(kind), weighted])
    if kind in ("asymmetric", "negative"):
        D = rng.integers(0 if kind == "asymmetric" else -5, 12, (45, 45)).astype(float)
    else:
        X = rng.integers(0, {"grid": 6, "integers": 40, "copies": 3, "binary": 2}[kind], (45, 3))
        D = np.abs(X[:, None] - X).sum(axis=2).astype(float)
    weights = rng.integers(1, 4, 45) if weighted else np.ones(45)
    right = plain_pam(D * weights, k)
    for method in ("banditpam", "pam"):
        found = k_medoids(D, k, metric="precomputed", method=method, sample_weight=weights)
        assert found.medoid_indices.tolist() == right, method


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("d", [5, 100])
def test_the_same_medoids_as_by_a_search(weighted: bool, d: int) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1600, d)) + 3 * rng.integers(0, 4, (1600, 1))
    weights = rng.integers(1, 4, 1600) if weighted else None
    ours = KMedoids(9).fit(X, sample_weight=weights)
    with tuned(first_block=1600):
        theirs = KMedoids(9).fit(X, sample_weight=weights)
    assert ours.medoid_indices_.tolist() == theirs.medoid_indices_.tolist()
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-12)
    # In float64 a block is computed one way round.
    most = 1.1 if d == 100 else 1.0 if weighted else 0.55
    assert 1600**2 / 2 < ours.n_distances_ < most * 1600**2


def test_sums_that_are_carried_are_those_of_now() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 2))
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)) * rng.uniform(1, 2, 400)
    with Workers(1) as workers:
        matrix = SmallMatrix(D, 12, PrecomputedPoints(D, workers))
        for x in range(12):
            matrix.place(x, 30 * x)
            if x:
                check(matrix, False)
        for i, x in enumerate(rng.choice(np.setdiff1d(range(400), matrix.medoids), 25)):
            check(matrix, True)
            matrix.place(i % 12, int(x))
        assert matrix._carried is not None
        assert matrix._carried.age > 0


def check(matrix: SmallMatrix, swap: bool) -> None:
    open_ = np.setdiff1d(np.arange(matrix.n), matrix.medoids)
    fresh = matrix.step(swap).values(matrix.distances, open_, matrix.workers)
    np.testing.assert_allclose(matrix._values(swap)[open_], fresh, atol=1e-12)
    assert open_[fresh.min(axis=1).argmin()] in matrix.close(swap) or fresh.min() > 0


def test_labels_are_what_predict_says() -> None:
    """Of equal distances the first counts, for the fit and for predict, which add up alike."""
    X = np.random.default_rng(0).integers(0, 4, (900, 7)) * 0.1
    for metric in ("euclidean", "cityblock", "cosine"):
        km = KMedoids(6, metric=metric).fit(X)
        np.testing.assert_array_equal(km.predict(X), km.labels_)
        np.testing.assert_array_equal(km.predict(X[:20]), km.labels_[:20])


def test_nothing_is_compiled_and_numba_not_loaded() -> None:
    code = """
import sys, numpy as np, pandas as pd
from medoids import KMedoids, medoid, scan, silhouette
X = np.random.default_rng(0).normal(size=(300, 4))
km = KMedoids(3).fit(X)
km.predict(X), km.transform(X), km.score(X), silhouette(km, X), medoid(X)
km = KMedoids(3, fixed=[1], candidates=range(100), n_init=2, init="random")
km.fit(X, sample_weight=X[:, 0] ** 2)
for metric in ("l1", "cosine", "chebyshev", "correlation", "hamming", "canberra", "minkowski"):
    KMedoids(3, metric=metric).fit(pd.DataFrame(X))
KMedoids(3, method="fasterpam").fit(np.hstack([X] * 20))
KMedoids(3, metric="precomputed", method="pam").fit(abs(X[:, :1] - X[:, 0]))
scan(X[:200], range(2, 5))
print("numba" in sys.modules)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False", found.stderr
