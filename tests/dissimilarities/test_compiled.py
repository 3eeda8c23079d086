"""A function of two rows of numbers, compiled where that can be."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from scipy.spatial.distance import cdist

from helpers import loss_of, matrix_of, mixture, pam_by_force
from medoids import KMedoids, k_medoids
from medoids.dissimilarities.called import Call
from medoids.dissimilarities.compiled import Compiled


def test_a_function_of_rows_is_compiled() -> None:
    X = mixture(400, 3, 4, 0)

    def taxi(a: np.ndarray, b: np.ndarray) -> float:
        total = 0.0
        for i in range(a.shape[0]):
            total += abs(a[i] - b[i])
        return total

    expected = k_medoids(X, 4, metric="l1", random_state=0)
    for metric in (taxi, njit(taxi)):
        km = KMedoids(4, metric=metric, random_state=0).fit(X)
        assert isinstance(km._medoids.measure, Compiled)
        assert km.medoid_indices_.tolist() == expected.medoid_indices.tolist()
        assert km.inertia_ == pytest.approx(expected.inertia, rel=1e-12)
        np.testing.assert_array_equal(km.predict(X), km.labels_)
        np.testing.assert_array_equal(km.cluster_centers_, X[km.medoid_indices_])


def ratio(a: np.ndarray, b: np.ndarray) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        total += 1.0 if a[i] != b[i] else 0.0
    return total / a.shape[0]


def test_float32_only_where_it_is_enough() -> None:
    rng = np.random.default_rng(0)
    few = rng.integers(4, size=(300, 7)).astype(np.float64)
    codes = few + 1e9  # float32 cannot tell them apart
    for X, single in ((few, True), (codes, False)):
        km = KMedoids(4, metric=ratio, random_state=0).fit(X)
        assert km._medoids.measure.single == single
        expected = k_medoids(X, 4, metric="hamming", random_state=0)
        assert km.inertia_ == pytest.approx(expected.inertia, rel=1e-12)
        distances = cdist(km.cluster_centers_, X, "hamming").T
        np.testing.assert_allclose(km.transform(X), distances, rtol=1e-12)


def test_a_compiled_function_is_compiled_once_and_a_plain_one_for_each_fit() -> None:
    X = mixture(200, 3, 3, 0)
    once = njit(ratio)
    kernels = [KMedoids(2, metric=once).fit(X)._medoids.measure._kernels for _ in range(2)]
    assert kernels[0] is kernels[1]
    globals()["SCALE"] = 1.0
    first = k_medoids(X, 2, metric=scaled).inertia
    globals()["SCALE"] = 3.0
    assert k_medoids(X, 2, metric=scaled).inertia == pytest.approx(3 * first)


SCALE = 1.0


def scaled(a: np.ndarray, b: np.ndarray) -> float:
    return SCALE * np.abs(a - b).sum()


def test_a_function_that_numba_cannot_compile_is_called() -> None:
    X = mixture(60, 2, 3, 0)
    known = {"p": 1}

    def odd(a: np.ndarray, b: np.ndarray) -> float:
        return float(f"{np.abs(a - b).sum() ** known['p']:.17g}")

    km = KMedoids(3, metric=odd).fit(X)
    assert isinstance(km._medoids.measure, Call)
    assert km.medoid_indices_.tolist() == k_medoids(X, 3, metric="l1").medoid_indices.tolist()


def test_rows_that_are_not_at_zero_from_themselves() -> None:
    X = np.random.default_rng(0).random((80, 2))

    def shifted(a: np.ndarray, b: np.ndarray) -> float:
        return np.abs(a - b).sum() + a[0] - 0.5

    matrix = matrix_of(X, shifted)
    found = k_medoids(X, 3, metric=shifted, random_state=0)
    assert found.medoid_indices.tolist() == pam_by_force(matrix, 3)
    assert found.inertia == pytest.approx(loss_of(matrix, found.medoid_indices))
