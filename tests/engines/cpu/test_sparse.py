"""Sparse rows give what the same rows give densely."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from helpers import Floats, SmallFirst, one_line
from medoids import KMedoids, k_medoids
from medoids._threads import Workers
from medoids.data.kinds import read
from medoids.dissimilarities.metrics import METRICS
from medoids.engines.cpu.points import distances_between, points_of
from medoids.engines.cpu.points import sparse as _sparse
from medoids.engines.cpu.points.sparse import SPARSE, SparsePoints

FORMATS = [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.csc_array,
           sparse.coo_matrix, sparse.coo_array]  # fmt: skip


def counts(n: int, d: int, seed: int, signed: bool = False) -> Floats:
    """Rows of mostly zeros in a few groups; some are equal, two are empty."""
    rng = np.random.default_rng(seed)
    usual = rng.gamma(0.3, 2.0, size=(6, d)) * (rng.random((6, d)) < 0.2)
    X = rng.poisson(usual[rng.integers(6, size=n)] + 0.02).astype(np.float64)
    if signed:
        X *= rng.choice([-1, 1], size=X.shape)
    X[5] = X[9]
    X[[3, 11]] = 0
    return np.log1p(np.abs(X)) * np.sign(X)


@pytest.mark.parametrize("metric", SPARSE)
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_are_the_dense_ones(metric: str, signed: bool, dtype: type) -> None:
    X = counts(150, 70, 0, signed).astype(dtype)
    with Workers(2) as workers:
        rows = read(sparse.csr_array(X), metric, None)
        dense = points_of(read(X, metric, None), workers, 1e9).exact(np.arange(150))
        points = points_of(rows, workers, 1e9)
        exact = points.exact(np.arange(150))
        block = points.block_array(np.arange(150), np.arange(0, 150, 2))
        turned = points.block_array(np.arange(40), np.arange(150))
        between = distances_between(rows, rows, workers)
    np.testing.assert_allclose(exact, dense, atol=1e-12 * dense.max())
    np.testing.assert_allclose(between, dense, atol=1e-12 * dense.max())
    np.testing.assert_allclose(block, dense[:, ::2], atol=1e-5 * dense.max())
    np.testing.assert_allclose(turned, dense[:40], atol=1e-5 * dense.max())
    assert (np.diag(exact) == 0).all()
    assert exact[5, 9] == 0
    assert points.n_distances == 150 * 150 + 150 * 75 + 40 * 150


@pytest.mark.parametrize("metric", SPARSE)
@pytest.mark.parametrize(("share", "common"), [(0.01, "none"), (0.1, "some"), (0.6, "all")])
def test_common_and_rare_features(
    metric: str, share: float, common: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Features in panels and in lists, held in more than one group, give the same sums."""
    monkeypatch.setattr(_sparse, "_GROUP", 100)
    rng = np.random.default_rng(3)
    X = rng.normal(size=(260, 90)) * (rng.random((260, 90)) < share)
    every = np.arange(260)
    with Workers(2) as workers:
        points = points_of(read(sparse.csr_array(X), metric, None), workers, 1e9)
        assert isinstance(points, SparsePoints)
        lines = points.rows.n_common
        assert common == ("none" if lines == 0 else "some" if lines < 90 else "all")
        found = points.exact(every)
        rough = points.block_array(every, every)
        expected = points_of(read(X, metric, None), workers, 1e9).exact(every)
    np.testing.assert_allclose(found, expected, atol=1e-12 * expected.max())
    np.testing.assert_allclose(rough, expected, atol=1e-5 * expected.max())


@pytest.mark.parametrize("metric", sorted(set(METRICS) - {"haversine"}))
def test_medoids_are_the_dense_ones(metric: str, small_first: SmallFirst) -> None:
    small_first(128)
    X = counts(700, 60, 1)
    params = {"p": 3} if metric == "minkowski" else None
    dense = k_medoids(X, 5, metric=metric, metric_params=params, random_state=0)
    rows = k_medoids(sparse.csr_array(X), 5, metric=metric, metric_params=params, random_state=0)
    assert rows.inertia == pytest.approx(dense.inertia, rel=1e-10)
    # Rows of one direction are copies to some metrics: which of them it is, rounding decides.
    with Workers(1) as workers:
        chosen, others = (read(X[each.medoid_indices], metric, params) for each in (dense, rows))
        apart = np.diagonal(distances_between(chosen, others, workers))
    np.testing.assert_allclose(apart, 0.0, atol=1e-12)
    # Rounding may break ties of labels, which cost nothing.
    with Workers(1) as workers:
        data = read(X, metric, params)
        paid = distances_between(data.pick(dense.medoid_indices), data, workers)
    every = np.arange(len(X))
    np.testing.assert_allclose(paid[rows.labels, every], paid.min(axis=0), atol=1e-12)


@pytest.mark.parametrize("made", FORMATS)
def test_any_format(made: Any) -> None:
    X = counts(200, 30, 2)
    expected = k_medoids(X, 4, metric="l1", random_state=0)
    found = k_medoids(made(X), 4, metric="l1", random_state=0)
    assert found.medoid_indices.tolist() == expected.medoid_indices.tolist()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int64, bool])
def test_counts_of_any_type(dtype: type) -> None:
    X = (counts(200, 30, 3) * 3).round().astype(dtype)
    expected = k_medoids(X.astype(np.float64), 3, metric="l1", random_state=0)
    found = k_medoids(sparse.csr_array(X), 3, metric="l1", random_state=0)
    assert found.medoid_indices.tolist() == expected.medoid_indices.tolist()
    assert found.inertia == expected.inertia


@pytest.mark.parametrize("metric", ["l1", "cosine", "chebyshev"])
def test_centres_stay_sparse_and_predict(metric: str) -> None:
    X = counts(300, 40, 4)
    km = KMedoids(4, metric=metric, random_state=0).fit(sparse.csr_matrix(X))
    assert isinstance(km.cluster_centers_, sparse.csr_matrix)
    np.testing.assert_array_equal(km.cluster_centers_.toarray(), X[km.medoid_indices_])
    np.testing.assert_array_equal(km.predict(sparse.csr_matrix(X)), km.labels_)
    np.testing.assert_array_equal(km.predict(X), km.labels_)
    dense = KMedoids(4, metric=metric, random_state=0).fit(X)
    np.testing.assert_allclose(dense.transform(sparse.csr_array(X)), km.transform(X), atol=1e-12)
    assert km.score(sparse.coo_array(X)) == pytest.approx(-km.inertia_)


def test_no_dense_copy_is_made() -> None:
    rng = np.random.default_rng(0)
    X = sparse.csr_array(sparse.random(2000, 20_000, 0.002, dtype=np.float32, random_state=rng))
    k_medoids(X[:300], 2, metric="l1", random_state=0)
    tracemalloc.start()
    try:
        k_medoids(X, 3, metric="l1", random_state=0, memory_limit="40MB")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2000 * 20_000 * 4 / 2


def test_duplicates_and_unsorted_columns_are_put_in_order() -> None:
    parts = np.array([1.0, 2.0, 4.0, 3.0]), np.array([2, 0, 2, 1]), np.array([0, 3, 4])
    X = sparse.csr_array(parts, shape=(2, 3))
    before = X.copy()
    found = k_medoids(X, 1, metric="l1")
    assert found.inertia == cdist([[2, 0, 5]], [[0, 3, 0]], "cityblock")[0, 0]
    np.testing.assert_array_equal(X.data, before.data)
    np.testing.assert_array_equal(X.indices, before.indices)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_named(bad: float) -> None:
    X = sparse.lil_array((5, 4))
    X[2, 3] = bad
    with pytest.raises(ValueError, match="row 2, column 3") as caught:
        k_medoids(X.tocsr(), 2, metric="l1")
    one_line(caught.value)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
@pytest.mark.parametrize("metric", ["l1", "l2"])
def test_any_scale(metric: str, scale: float) -> None:
    X = counts(300, 40, 5)
    expected = k_medoids(X, 4, metric=metric, random_state=0)
    found = k_medoids(sparse.csr_array(X * scale), 4, metric=metric, random_state=0)
    assert found.medoid_indices.tolist() == expected.medoid_indices.tolist()
    assert found.inertia == pytest.approx(expected.inertia * scale, rel=1e-9)


def test_a_sparse_matrix_of_distances_is_refused() -> None:
    with pytest.raises(TypeError) as caught:
        k_medoids(sparse.csr_array(np.eye(5)), 2, metric="precomputed")
    assert str(caught.value)
