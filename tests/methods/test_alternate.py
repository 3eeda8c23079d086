"""Voronoi iteration ends where every medoid is the centre of its own cluster."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import Floats, asymmetric, digits, duplicates, heavy_tails, lattice, mixture
from medoids import KMedoidsResult, k_medoids


def alternate(X: Floats, k: int, **options: object) -> KMedoidsResult:
    return k_medoids(X, k, method="alternate", **options)


def assert_centres(found: KMedoidsResult, matrix: Floats) -> None:
    """No member of a cluster is nearer to all its members than the medoid is."""
    for position, medoid in enumerate(found.medoid_indices):
        members = np.flatnonzero(found.labels == position)
        sums = matrix[np.ix_(members, members)].sum(axis=1)
        assert matrix[medoid, members].sum() <= sums.min() * (1 + 1e-6)


@pytest.mark.parametrize("kind", ["mixture", "duplicates", "heavy-tails", "lattice"])
@pytest.mark.parametrize("init", ["build", "random", "k-medoids++"])
@pytest.mark.parametrize("seed", range(3))
def test_every_medoid_is_the_centre_of_its_cluster(kind: str, init: str, seed: int) -> None:
    n = 150 + 600 * seed
    X = {
        "mixture": lambda: mixture(n, 3, 6, seed, 2.0),
        "duplicates": lambda: duplicates(n, seed),
        "heavy-tails": lambda: heavy_tails(n, seed),
        "lattice": lambda: lattice(n, seed),
    }[kind]()
    found = alternate(X, 6, init=init, random_state=seed)
    assert_centres(found, cdist(X, X))


@pytest.mark.parametrize("seed", range(5))
def test_every_medoid_of_a_matrix_is_the_centre_of_its_cluster(seed: int) -> None:
    matrix = asymmetric(200, seed)
    found = alternate(matrix, 5, metric="precomputed", init="random", random_state=seed)
    assert_centres(found, matrix)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("n", [60, 1200])
def test_no_cluster_is_empty(seed: int, n: int) -> None:
    X = mixture(n, 2, 5, seed)
    X[:8] = X[8]
    found = alternate(X, 8, init=list(range(8)), random_state=0)
    assert np.bincount(found.labels, minlength=8).min() > 0
    assert_centres(found, cdist(X, X))


def test_no_cluster_is_empty_among_many_copies() -> None:
    """The point that pays most has copies, and each empty cluster may go to one of them."""
    X = np.repeat([[0.0], [1.0], [10.0], [30.0], [70.0]], 20, axis=0)
    found = alternate(X, 5, init=[0, 1, 2, 3, 4])
    assert np.bincount(found.labels).tolist() == [20] * 5
    assert found.inertia == 0


@pytest.mark.parametrize("init", ["random", "build", [4, 90, 800, 2, 3]])
@pytest.mark.parametrize("kind", ["rows", "l1", "matrix"])
def test_the_matrix_need_not_be_held(init: str | list[int], kind: str) -> None:
    X, metric = mixture(1400, 4, 5, 0, 2.0), "euclidean" if kind == "rows" else "cityblock"
    if kind == "matrix":
        X, metric = asymmetric(1400, 0), "precomputed"
    held = alternate(X, 5, metric=metric, init=init, random_state=0)
    found = alternate(X, 5, metric=metric, init=init, random_state=0, memory_limit="1.2MB")
    assert found.medoid_indices.tolist() == held.medoid_indices.tolist()
    assert found.inertia == held.inertia
    assert found.n_iter == held.n_iter


def test_each_distance_is_computed_once_if_the_matrix_is_held() -> None:
    found = alternate(mixture(1400, 4, 5, 0, 2.0), 5, init="random", random_state=0)
    assert found.n_iter > 1
    # And those of the medoids in float64, at the start and after every round; and those that
    # show, computed both ways, that float32 serves. Medoids that stay are not measured again.
    all_of_them = 1400**2 + digits(1400)
    assert all_of_them < found.n_distances <= all_of_them + (found.n_iter + 1) * 5 * 1400


def test_a_round_moves_every_medoid_to_its_centre() -> None:
    X = mixture(200, 2, 4, 1)
    matrix, start = cdist(X, X), [0, 1, 2, 3]
    with pytest.warns(match="stopped by max_iter=1"):
        found = alternate(X, 4, init=start, max_iter=1)
    labels = matrix[start].argmin(axis=0)
    for position, medoid in enumerate(found.medoid_indices):
        members = np.flatnonzero(labels == position)
        assert medoid == members[matrix[np.ix_(members, members)].sum(axis=1).argmin()]
    assert found.n_iter == 1


def test_swaps_find_more_than_centres_do() -> None:
    losses = {"pam": 0.0, "alternate": 0.0}
    for seed in range(10):
        X = mixture(300, 3, 8, seed, 2.0)
        for method in losses:
            losses[method] += k_medoids(
                X, 8, method=method, init="random", random_state=seed
            ).inertia
    assert losses["pam"] < losses["alternate"] < 1.5 * losses["pam"]


@pytest.mark.slow
def test_large_clusters_are_searched_and_end_where_all_distances_do() -> None:
    X = mixture(12_000, 2, 3, 0)
    held = k_medoids(X, 2, method="alternate", init=[5, 9], memory_limit=1e9)
    found = k_medoids(X, 2, method="alternate", init=[5, 9], memory_limit=1e8, random_state=0)
    assert found.medoid_indices.tolist() == held.medoid_indices.tolist()
    assert found.n_iter == held.n_iter
    sizes = np.bincount(found.labels)
    assert found.n_distances < 0.8 * (found.n_iter + 1) * np.square(sizes).sum()
