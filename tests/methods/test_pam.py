"""PAM against the `kmedoids` package and against brute force."""

from __future__ import annotations

import kmedoids
import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import (
    Floats,
    asymmetric,
    build_by_force,
    loss_of,
    mixture,
    pam_by_force,
    swaps_by_force,
)
from medoids import KMedoidsResult, k_medoids


def pam(matrix: Floats, k: int, **options: object) -> KMedoidsResult:
    return k_medoids(matrix, k, metric="precomputed", method="pam", random_state=0, **options)


@pytest.mark.parametrize("k", [2, 4, 9])
@pytest.mark.parametrize("seed", range(10))
def test_the_medoids_of_the_kmedoids_package(seed: int, k: int) -> None:
    n = 120 + 30 * seed
    X = mixture(n, 2 + seed % 4, 5, seed, spread=1 + seed % 3)
    matrix = cdist(X, X)
    theirs = kmedoids.fastpam1(matrix, k, init="build")
    ours = pam(matrix, k)
    assert set(ours.medoid_indices.tolist()) == set(np.asarray(theirs.medoids).tolist())
    assert ours.inertia == pytest.approx(theirs.loss, rel=1e-10)
    from_rows = k_medoids(X, k, method="pam")
    assert from_rows.medoid_indices.tolist() == ours.medoid_indices.tolist()
    assert from_rows.inertia == pytest.approx(ours.inertia, rel=1e-10)


@pytest.mark.parametrize("kind", ["symmetric", "asymmetric", "negative"])
@pytest.mark.parametrize("seed", range(3))
def test_build_is_greedy(kind: str, seed: int) -> None:
    matrix = matrix_of(kind, seed)
    result = pam(matrix, 5, max_iter=0)
    assert result.medoid_indices.tolist() == build_by_force(matrix, 5)
    assert result.n_iter == 0
    assert [step["phase"] for step in result.history] == ["build"] * 5


@pytest.mark.parametrize("kind", ["symmetric", "asymmetric", "negative"])
@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_brute_force_finds_the_same(kind: str, k: int, seed: int) -> None:
    matrix = matrix_of(kind, seed)
    expected = pam_by_force(matrix, k)
    result = pam(matrix, k)
    assert result.medoid_indices.tolist() == expected
    assert result.inertia == pytest.approx(loss_of(matrix, expected), rel=1e-12)
    np.testing.assert_array_equal(result.labels, matrix[expected].argmin(axis=0))


@pytest.mark.parametrize("kind", ["symmetric", "asymmetric", "negative"])
@pytest.mark.parametrize("init", ["build", "random", "k-medoids++"])
def test_no_swap_helps_at_the_end(kind: str, init: str) -> None:
    matrix = matrix_of(kind, 7, n=90)
    result = pam(matrix, 6, init=init)
    losses = swaps_by_force(matrix, result.medoid_indices.tolist())
    losses[result.medoid_indices] = np.inf
    assert losses.min() >= result.inertia - 1e-9


def test_orientation_matters() -> None:
    matrix = asymmetric(80, 3)
    assert pam(matrix, 3).inertia != pytest.approx(pam(matrix.T.copy(), 3).inertia, rel=1e-6)


def test_given_rows_are_the_start() -> None:
    matrix = matrix_of("symmetric", 1)
    start = pam(matrix, 3, init=[5, 9, 2], max_iter=0)
    assert start.medoid_indices.tolist() == [5, 9, 2]
    one = pam(matrix, 3, init=[5, 9, 2], max_iter=1)
    assert one.n_iter == 1
    losses = swaps_by_force(matrix, [5, 9, 2])
    losses[[5, 9, 2]] = np.inf
    assert one.inertia == pytest.approx(losses.min(), rel=1e-12)


def test_too_large_a_matrix_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match=r"memory_limit.*banditpam"):
        k_medoids(np.zeros((2000, 1)), 2, method="pam", memory_limit="5MB")


def test_all_distances_are_counted() -> None:
    assert pam(asymmetric(50, 0), 3).n_distances == 2500


def matrix_of(kind: str, seed: int, n: int = 60) -> Floats:
    matrix = asymmetric(n, seed)
    if kind == "symmetric":
        return matrix + matrix.T
    return matrix - 1.0 if kind == "negative" else matrix
