"""What must hold for any data, by Hypothesis."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from helpers import Floats, SmallFirst, loss_of, swaps_by_force
from medoids import KMedoidsResult, k_medoids

SHAPES = st.tuples(st.integers(2, 60), st.integers(1, 4))
# Few values, so that ties, copies and constant columns are common.
GRIDS = arrays.arrays(np.float64, SHAPES, elements=st.integers(-4, 4).map(float))
SEEDS = st.integers(0, 2**31 - 1)


def fit(X: Floats, k: int, **options: Any) -> KMedoidsResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return k_medoids(X, k, **options)


def cloud(seed: int, n: int, d: int) -> Floats:
    """Points in general position: no ties."""
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.fixture(params=[None, 32], ids=["default", "first 32"])
def first(request: pytest.FixtureRequest, small_first: SmallFirst) -> int | None:
    """The first block as it is, and so small that the bandit samples."""
    if request.param:
        small_first(request.param)
    return request.param


@given(seed=SEEDS, n=st.integers(40, 60), d=st.integers(2, 4), k=st.integers(1, 5))
def test_the_order_of_the_rows_does_not_matter(
    first: int | None, seed: int, n: int, d: int, k: int
) -> None:
    X, rng = cloud(seed, n, d), np.random.default_rng(seed + 1)
    order = rng.permutation(n)
    plain, permuted = fit(X, k, random_state=0), fit(X[order], k, random_state=0)
    assume(np.bincount(plain.labels, minlength=k).min() > 2)  # either of two is a medoid
    assert {*order[permuted.medoid_indices].tolist()} == {*plain.medoid_indices.tolist()}
    assert permuted.inertia == pytest.approx(plain.inertia, rel=1e-12)
    matrix = cdist(X, X) * rng.uniform(0.5, 1.5, size=(n, n))
    options = {"metric": "precomputed", "random_state": 0}
    plain, permuted = fit(matrix, k, **options), fit(matrix[np.ix_(order, order)], k, **options)
    assert order[permuted.medoid_indices].tolist() == plain.medoid_indices.tolist()


@given(seed=SEEDS, n=st.integers(2, 30), d=st.integers(1, 3), k=st.integers(1, 5))
def test_doubling_every_point_doubles_the_loss(seed: int, n: int, d: int, k: int) -> None:
    """Where no swap helps, none helps once every point is there twice."""
    X = cloud(seed, n, d)
    plain = fit(X, min(k, n))
    start = (2 * plain.medoid_indices).tolist()
    doubled = fit(np.repeat(X, 2, axis=0), min(k, n), init=start)
    assert doubled.inertia == pytest.approx(2 * plain.inertia, rel=1e-12)


@given(
    X=GRIDS,
    k=st.integers(1, 5),
    power=st.integers(-30, 30),
    metric=st.sampled_from(["l2", "l1"]),
)
def test_scaling_by_a_power_of_two_scales_the_loss(
    first: int | None, X: Floats, k: int, power: int, metric: str
) -> None:
    k = min(k, len(X))
    plain = fit(X, k, metric=metric, random_state=0)
    scaled = fit(X * 2.0**power, k, metric=metric, random_state=0)
    assert scaled.medoid_indices.tolist() == plain.medoid_indices.tolist()
    assert scaled.inertia == plain.inertia * 2.0**power
    assert scaled.labels.tolist() == plain.labels.tolist()


@given(X=GRIDS, k=st.integers(1, 6), metric=st.sampled_from(["l1", "sqeuclidean"]))
def test_moving_all_points_moves_nothing(first: int | None, X: Floats, k: int, metric: str) -> None:
    k = min(k, len(X))
    plain = fit(X, k, metric=metric, random_state=0)
    moved = fit(X + 1024.0, k, metric=metric, random_state=0)
    assert moved.medoid_indices.tolist() == plain.medoid_indices.tolist()
    assert moved.inertia == plain.inertia


@given(X=GRIDS, k=st.integers(1, 6), n_jobs=st.integers(1, 4), seed=SEEDS)
def test_any_number_of_threads(
    first: int | None, X: Floats, k: int, n_jobs: int, seed: int
) -> None:
    k = min(k, len(X))
    one = fit(X, k, n_jobs=1, random_state=seed)
    many = fit(X, k, n_jobs=n_jobs, random_state=seed)
    assert one.medoid_indices.tolist() == many.medoid_indices.tolist()
    assert one.labels.tobytes() == many.labels.tobytes()
    assert (one.inertia, one.n_distances) == (many.inertia, many.n_distances)


@given(
    X=GRIDS,
    k=st.integers(1, 6),
    metric=st.sampled_from(["euclidean", "cityblock", "chebyshev", "sqeuclidean"]),
    method=st.sampled_from(["banditpam", "banditpam_original", "pam"]),
    init=st.sampled_from(["build", "random", "k-medoids++"]),
)
def test_the_result_is_consistent(
    first: int | None, X: Floats, k: int, metric: str, method: str, init: str
) -> None:
    k = min(k, len(X))
    found = fit(X, k, metric=metric, method=method, init=init, random_state=0)
    matrix = cdist(X, X, metric)
    medoids = found.medoid_indices.tolist()
    assert len(set(medoids)) == k
    assert found.inertia == pytest.approx(loss_of(matrix, medoids), rel=1e-12, abs=1e-12)
    assert found.labels.min() >= 0
    assert found.labels.max() < k
    paid = matrix[np.array(medoids)[found.labels], np.arange(len(X))]
    np.testing.assert_allclose(paid, matrix[medoids].min(axis=0), rtol=1e-12, atol=1e-12)
    losses = [step["loss"] for step in found.history]
    assert all(after <= before for before, after in pairwise(losses))


@given(X=GRIDS, k=st.integers(1, 6), metric=st.sampled_from(["l1", "sqeuclidean"]), seed=SEEDS)
def test_ties_are_pams(first: int | None, X: Floats, k: int, metric: str, seed: int) -> None:
    # Sums of whole numbers are exact, so that a tie is a tie.
    k = min(k, len(X))
    found = fit(X, k, metric=metric, random_state=seed)
    exact = fit(X, k, metric=metric, method="pam")
    assert found.medoid_indices.tolist() == exact.medoid_indices.tolist()


@given(
    matrix=st.integers(2, 40).flatmap(
        lambda n: arrays.arrays(np.float64, (n, n), elements=st.integers(-5, 9).map(float))
    ),
    k=st.integers(1, 5),
)
def test_no_swap_of_any_matrix_helps_at_the_end(matrix: Floats, k: int) -> None:
    assume(k < len(matrix))
    found = fit(matrix, k, metric="precomputed", random_state=0)
    losses = swaps_by_force(matrix, found.medoid_indices.tolist())
    losses[found.medoid_indices] = np.inf
    assert losses.min() >= found.inertia
