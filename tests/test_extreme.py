"""Numbers of any size give PAM's answer, or an error that says what to do."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from helpers import Floats, SmallFirst, mixture, one_line
from medoids import KMedoids, k_medoids
from medoids._tuning import tuned

ROWS = mixture(700, 3, 5, 0) + 9.0
ROWS[::7] = 0.0
METRICS = [
    "l1", "l2", "sqeuclidean", "chebyshev", "minkowski", "cosine", "correlation", "canberra",
    "braycurtis", "hamming", "jaccard",
]  # fmt: skip


def options(metric: str) -> dict[str, Any]:
    return {"metric": metric, "metric_params": {"p": 3} if metric == "minkowski" else None}


def power(exponent: int) -> float:
    """The power of two next to a power of ten: a factor that rounds nothing."""
    return float(2.0 ** round(exponent * np.log2(10)))


def check(X: Any, scaled: Any, metric: str, factor: float, degree: int) -> None:
    """The fits are the same but for the factor; or the second is refused in one line."""
    plain = KMedoids(4, random_state=0, **options(metric)).fit(X)
    km = KMedoids(4, random_state=0, **options(metric))
    # Beyond these sizes a sum of distances, or a square, is no number of float64.
    if abs(np.log10(factor)) > (304 if degree < 2 else 148):
        try:
            km.fit(scaled)
        except ValueError as error:
            refused = one_line(error)
        else:
            refused = "scale"
        assert "scale" in refused
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        km.fit(scaled)
    assert km.medoid_indices_.tolist() == plain.medoid_indices_.tolist()
    np.testing.assert_array_equal(km.labels_, plain.labels_)
    np.testing.assert_array_equal(km.predict(scaled), plain.labels_)
    assert km.inertia_ == pytest.approx(plain.inertia_ * factor**degree, rel=1e-9)


@pytest.mark.parametrize("completes", [True, False])
@pytest.mark.parametrize("size", [1e6, 1e8, 1e10, 1e12])
def test_squares_of_points_far_out_are_searched_without_a_warning(
    size: float, completes: bool, small_first: SmallFirst
) -> None:
    X = np.random.default_rng(0).normal(size=(1500, 5))
    X[::150] *= size
    small_first(128)
    with warnings.catch_warnings(), tuned(completes=completes):
        warnings.simplefilter("error")
        km = KMedoids(8, metric="sqeuclidean", random_state=0).fit(X)
    known = KMedoids(8, metric="sqeuclidean", method="pam", random_state=0).fit(X)
    assert km.inertia_ == pytest.approx(known.inertia_, rel=1e-9)


@pytest.mark.parametrize("exponent", [-310, -300, -155, -100, -20, 20, 100, 150, 300, 306])
@pytest.mark.parametrize("metric", METRICS)
def test_rows_of_any_size(metric: str, exponent: int) -> None:
    degree = {"sqeuclidean": 2}.get(metric, 1 if metric in METRICS[:5] else 0)
    check(ROWS, ROWS * power(exponent), metric, power(exponent), degree)


@pytest.mark.parametrize("exponent", [-300, -100, 100, 300])
@pytest.mark.parametrize("metric", ["l1", "l2", "sqeuclidean", "cosine"])
def test_sparse_rows_of_any_size(metric: str, exponent: int) -> None:
    degree = {"sqeuclidean": 2, "cosine": 0}.get(metric, 1)
    X = sparse.csr_array(ROWS)
    check(X, X * power(exponent), metric, power(exponent), degree)


def taxi_times(factor: float) -> Callable[[Any, Any], float]:
    def taxi(a: Any, b: Any) -> float:
        total = 0.0
        for i in range(a.shape[0]):
            total += abs(a[i] - b[i])
        return total * factor

    return taxi


@pytest.mark.parametrize("first", [None, 256])
@pytest.mark.parametrize("exponent", [-300, -25, 20, 300])
def test_a_function_of_any_size(exponent: int, first: int | None, small_first: SmallFirst) -> None:
    if first:
        small_first(first)
    X = mixture(1300, 3, 5, 1)
    exact = k_medoids(X, 5, metric="l1", method="pam")
    found = k_medoids(X, 5, metric=taxi_times(power(exponent)), random_state=0)
    assert found.medoid_indices.tolist() == exact.medoid_indices.tolist()
    assert found.inertia == pytest.approx(exact.inertia * power(exponent), rel=1e-9)


@pytest.mark.parametrize("exponent", [-300, -30, 30, 300])
def test_a_matrix_of_any_size(exponent: int, small_first: SmallFirst) -> None:
    small_first(256)
    X = mixture(1300, 3, 5, 2)
    matrix = np.abs(X[:, None] - X).sum(axis=2)
    exact = k_medoids(matrix, 5, metric="precomputed", method="pam")
    found = k_medoids(matrix * power(exponent), 5, metric="precomputed", random_state=0)
    assert found.medoid_indices.tolist() == exact.medoid_indices.tolist()
    assert found.inertia == pytest.approx(exact.inertia * power(exponent), rel=1e-12)


@pytest.mark.parametrize("first", [256, 512])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("metric", ["l2", "sqeuclidean"])
def test_heavy_tails(metric: str, seed: int, first: int, small_first: SmallFirst) -> None:
    small_first(first)
    X = np.random.default_rng(seed).pareto(1.3, size=(3000, 4))
    exact = k_medoids(X, 6, metric=metric, method="pam")
    found = k_medoids(X, 6, metric=metric, random_state=seed)
    assert found.medoid_indices.tolist() == exact.medoid_indices.tolist()
    assert all(np.isfinite(step["sigma"]).all() for step in found.history)


def test_large_numbers_are_no_assertion(small_first: SmallFirst) -> None:
    small_first(512)
    X = np.random.default_rng(0).uniform(-9e8, 9e8, size=(3000, 4))
    exact = k_medoids(X, 5, metric="sqeuclidean", method="pam")
    found = k_medoids(X, 5, metric="sqeuclidean", random_state=0)
    assert found.medoid_indices.tolist() == exact.medoid_indices.tolist()


@pytest.mark.parametrize("metric", ["l1", "l2", "chebyshev"])
@pytest.mark.parametrize("method", ["banditpam", "pam", "fasterpam"])
def test_one_row_beyond_all_others_is_named(metric: str, method: str) -> None:
    X = mixture(3000, 3, 4, 0)
    X[17] = 1e300
    with pytest.raises(ValueError, match=r"X\[17\] has a number of 1e\+300") as caught:
        KMedoids(3, metric=metric, method=method).fit(X)
    assert "remove" in one_line(caught.value)


@pytest.mark.parametrize("size", [1e6, 1e12, 1e20])
def test_one_row_far_out_is_a_cluster_of_its_own(size: float, small_first: SmallFirst) -> None:
    small_first(256)
    X = mixture(2000, 3, 4, 0)
    X[17] = size
    exact = k_medoids(X, 4, method="pam")
    found = k_medoids(X, 4, random_state=0)
    assert 17 in found.medoid_indices.tolist()
    assert found.inertia == pytest.approx(exact.inertia, rel=1e-12)


def test_far_groups_lose_nothing(small_first: SmallFirst) -> None:
    """What a swap costs is ten million times the loss, and all but cancels what it wins."""
    small_first(256)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 1)) + 1e4 * rng.integers(3, size=(2500, 1))
    for metric in ("l2", "sqeuclidean"):
        exact = k_medoids(X, 6, metric=metric, method="pam")
        found = k_medoids(X, 6, metric=metric, random_state=0)
        assert found.medoid_indices.tolist() == exact.medoid_indices.tolist()


def swapped(X: Floats, medoids: list[int], arm: int, position: int) -> float:
    others = [m for i, m in enumerate(medoids) if i != position]
    return float(np.square(X[[*others, arm]] - X.T).min(axis=0).sum())


def test_pam_itself_ends_where_no_swap_helps_far_apart() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 1)) + 1e6 * rng.integers(2, size=(120, 1))
    found = k_medoids(X, 5, metric="sqeuclidean", method="pam")
    medoids = found.medoid_indices.tolist()
    loss = float(np.square(X[medoids] - X.T).min(axis=0).sum())
    best = min(swapped(X, medoids, arm, p) for arm in range(120) for p in range(5))
    assert best >= loss * (1 - 1e-9)
