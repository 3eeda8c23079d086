"""FastPAM1 is PAM; FastPAM and FasterPAM end where no swap helps."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import kmedoids
import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import (
    Floats,
    asymmetric,
    best_swap,
    digits,
    duplicates,
    heavy_tails,
    lattice,
    loss_of,
    mixture,
    one_line,
    precomputed,
)
from medoids import k_medoids
from medoids.engines.cpu.points.base import Points
from medoids.engines.cpu.points.matrix import HeldPoints

Instance = tuple[Floats, str]
SMALL: dict[str, Callable[[int, int], Instance]] = {
    "lattice": lambda n, seed: (lattice(n, seed, side=5), "cityblock"),
    "lattice-l2": lambda n, seed: (lattice(n, seed, side=4), "euclidean"),
    "heavy-tails": lambda n, seed: (heavy_tails(n, seed), "euclidean"),
    "duplicates": lambda n, seed: (duplicates(n, seed), "euclidean"),
    "mixture": lambda n, seed: (mixture(n, 3, 4, seed, 2.0), "sqeuclidean"),
    "asymmetric": lambda n, seed: (asymmetric(n, seed), "precomputed"),
    "negative": lambda n, seed: (asymmetric(n, seed) - 1.0, "precomputed"),
    "float32": lambda n, seed: (asymmetric(n, seed).astype(np.float32), "precomputed"),
    "integers": lambda n, seed: (whole_numbers(n, seed), "precomputed"),
}
LARGE: dict[str, Callable[[int, int], Instance]] = {
    "mixture": lambda n, seed: (mixture(n, 5, 6, seed), "euclidean"),
    "cosine": lambda n, seed: (mixture(n, 8, 5, seed), "cosine"),
    "heavy-tails": lambda n, seed: (heavy_tails(n, seed), "euclidean"),
    "duplicates": lambda n, seed: (duplicates(n, seed), "euclidean"),
    "lattice": lambda n, seed: (lattice(n, seed, side=9), "cityblock"),
    "lattice-l2": lambda n, seed: (lattice(n, seed, side=9), "euclidean"),
    "far-groups": lambda n, seed: (mixture(n, 3, 6, seed, spread=1e4), "euclidean"),
    "offset": lambda n, seed: (mixture(n, 3, 6, seed) + 1e6, "euclidean"),
}

eager_methods = pytest.mark.parametrize("method", ["fastpam", "fasterpam"])


def whole_numbers(n: int, seed: int) -> Floats:
    return np.random.default_rng(seed).integers(-3, 5, size=(n, n)).astype(float)


def small(kind: str, count: int) -> Iterator[tuple[Floats, Floats, str, int]]:
    """Data, their distances, the metric, and k."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 80))
        X, metric = SMALL[kind](n, seed)
        matrix = X if metric == "precomputed" else cdist(X, X, metric)
        yield X, matrix.astype(np.float64), metric, int(rng.integers(1, min(n, 9)))


@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fastpam1_gives_pams_medoids(kind: str) -> None:
    for X, _, metric, k in small(kind, 50):
        exact = k_medoids(X, k, metric=metric, method="pam")
        found = k_medoids(X, k, metric=metric, method="fastpam1")
        assert found.medoid_indices.tolist() == exact.medoid_indices.tolist()
        assert found.inertia == exact.inertia
        assert found.n_iter == exact.n_iter


@pytest.mark.parametrize("kind", LARGE)
def test_fastpam1_gives_pams_medoids_from_float32(kind: str) -> None:
    for seed, n in enumerate((1500, 1900)):
        X, metric = LARGE[kind](n, seed)
        exact = k_medoids(X, 4 + 3 * seed, metric=metric, method="pam")
        found = k_medoids(X, 4 + 3 * seed, metric=metric, method="fastpam1")
        assert found.medoid_indices.tolist() == exact.medoid_indices.tolist()
        assert found.inertia == exact.inertia


def test_fastpam1_gives_pams_medoids_from_any_start() -> None:
    X = mixture(2800, 4, 6, 0, spread=2.0)
    for init in ("random", "lab"):
        exact = k_medoids(X, 5, method="pam", init=init, random_state=0)
        found = k_medoids(X, 5, method="fastpam1", init=init, random_state=0)
        assert exact.n_iter > 2
        assert found.medoid_indices.tolist() == exact.medoid_indices.tolist()


@pytest.mark.parametrize("n", [200, 1200])
@pytest.mark.parametrize("seed", range(4))
def test_fastpam1_has_the_loss_of_the_kmedoids_package(n: int, seed: int) -> None:
    X = mixture(n, 2 + seed, 5, seed, spread=2.0)
    theirs = kmedoids.fastpam1(cdist(X, X), 3 + seed, init="build")
    ours = k_medoids(X, 3 + seed, method="fastpam1")
    assert ours.inertia == pytest.approx(theirs.loss, rel=1e-10)


@eager_methods
@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_no_swap_helps_at_the_end(method: str, kind: str) -> None:
    for X, matrix, metric, k in small(kind, 25):
        for init in ("build", "random"):
            found = k_medoids(X, k, metric=metric, method=method, init=init, random_state=0)
            scale = np.abs(matrix).sum()
            assert best_swap(matrix, found.medoid_indices) >= found.inertia - 1e-14 * scale


@eager_methods
def test_no_swap_helps_at_the_end_by_more_than_float32_can_tell(method: str) -> None:
    X = mixture(1400, 4, 6, 1, spread=2.0)
    found = k_medoids(X, 7, method=method, init="random", random_state=0)
    assert best_swap(cdist(X, X), found.medoid_indices) >= found.inertia * (1 - 1e-6)


def test_fasterpam_goes_the_way_of_the_kmedoids_package() -> None:
    """Theirs shuffles the points only if a seed is given; without, each swap is ours."""
    X = mixture(600, 4, 12, 0, spread=1.5)
    matrix = cdist(X, X)
    for seed in range(50):
        start = np.random.default_rng(seed).choice(600, 10, replace=False)
        theirs = kmedoids.fasterpam(matrix, start.astype(np.uint64), n_cpu=1)
        ours = k_medoids(matrix, 10, metric="precomputed", method="fasterpam", init=start.tolist())
        assert ours.inertia == pytest.approx(theirs.loss, rel=1e-10)
        assert ours.n_iter == theirs.n_swap


@eager_methods
@pytest.mark.parametrize("seed", range(3))
def test_many_swaps_a_pass_take_fewer_passes(method: str, seed: int) -> None:
    X = mixture(500, 4, 20, seed, spread=2.0)
    exact = k_medoids(X, 20, method="pam", init="random", random_state=seed)
    found = k_medoids(X, 20, method=method, init="random", random_state=seed)
    passes = sum(step["phase"] == "swap" for step in found.history)
    assert passes < exact.n_iter / 2
    assert found.inertia <= exact.inertia * 1.03


@eager_methods
@pytest.mark.parametrize("init", ["build", "random", "lab"])
@pytest.mark.parametrize("n", [300, 1200])
def test_each_distance_is_computed_once(method: str, init: str, n: int) -> None:
    X = mixture(n, 3, 5, 0)
    found = k_medoids(X, 5, method=method, init=init, random_state=0)
    # And the medoids' at the start and at the end in float64.
    assert found.n_distances == n**2 + 2 * 5 * n + digits(n)
    matrix = k_medoids(cdist(X, X), 5, metric="precomputed", method=method, init=init)
    assert matrix.n_distances == n**2 + 2 * 5 * n


@pytest.mark.parametrize("n", [300, 1200])
def test_fastpam1_computes_again_only_what_is_close(n: int) -> None:
    found = k_medoids(mixture(n, 3, 5, 0), 5, method="fastpam1")
    steps = 5 + found.n_iter + 1
    again = found.n_distances - n**2 - digits(n)
    assert 5 * n <= again <= 3 * steps * n


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_matrix_is_its_own_whole(dtype: type) -> None:
    matrix = asymmetric(60, 0).astype(dtype)
    points = precomputed(matrix)
    assert points.whole() is matrix
    assert HeldPoints(points).matrix is matrix


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["fastpam1", "fastpam", "fasterpam"])
def test_a_matrix_is_not_copied(method: str, dtype: type) -> None:
    matrix = asymmetric(1200, 0).astype(dtype)
    k_medoids(matrix[:50, :50], 4, metric="precomputed", method=method)
    before = matrix.copy()
    tracemalloc.start()
    try:
        k_medoids(matrix, 4, metric="precomputed", method=method, memory_limit="2MB")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < matrix.nbytes / 2
    np.testing.assert_array_equal(matrix, before)


@pytest.mark.parametrize(
    ("method", "size"),
    [("pam", "0.032"), ("fastpam1", "0.016"), ("fastpam", "0.016"), ("fasterpam", "0.016")],
)
def test_too_large_a_matrix_is_refused_at_once(
    method: str, size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def computed(*args: Any) -> None:
        raise AssertionError("a distance was computed")

    monkeypatch.setattr(Points, "block", computed)
    monkeypatch.setattr(Points, "exact", computed)
    says = f"method='{method}' needs {size} GB.*memory_limit allows 0.01 GB.*method='banditpam'"
    for init in ("build", "random"):
        with pytest.raises(ValueError, match=says) as caught:
            k_medoids(np.zeros((2000, 1)), 2, method=method, init=init, memory_limit="10MB")
        one_line(caught.value)


def test_the_start_stands_if_float32_finds_nothing_better() -> None:
    X = mixture(1300, 3, 5, 2)
    start = k_medoids(X, 5, method="pam")
    for method in ("fastpam", "fasterpam"):
        found = k_medoids(X, 5, method=method, init=start.medoid_indices.tolist())
        assert found.medoid_indices.tolist() == start.medoid_indices.tolist()
        assert found.inertia == pytest.approx(
            loss_of(cdist(X, X), start.medoid_indices.tolist()), rel=1e-12
        )
