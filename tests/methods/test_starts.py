"""LAB: a BUILD on small samples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import Floats, asymmetric, digits, loss_of, mixture
from medoids import KMedoidsResult, k_medoids


def start(X: Floats, k: int, init: str, seed: int = 0, **options: object) -> KMedoidsResult:
    return k_medoids(X, k, init=init, max_iter=0, random_state=seed, **options)


@pytest.mark.parametrize("k", [1, 5, 40])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["rows", "matrix"])
def test_medoids_are_distinct_and_follow_from_the_seed(k: int, seed: int, kind: str) -> None:
    X, metric = mixture(200, 3, 4, seed), "euclidean"
    matrix = cdist(X, X)
    if kind == "matrix":
        X = matrix = asymmetric(200, seed) - 1.0
        metric = "precomputed"
    one, two = (start(X, k, "lab", seed, metric=metric) for _ in range(2))
    assert one.medoid_indices.tolist() == two.medoid_indices.tolist()
    assert len(set(one.medoid_indices.tolist())) == k
    assert one.inertia == pytest.approx(loss_of(matrix, one.medoid_indices.tolist()), rel=1e-12)


def test_another_seed_leads_elsewhere() -> None:
    X = mixture(500, 3, 4, 0)
    starts = {tuple(start(X, 4, "lab", seed).medoid_indices.tolist()) for seed in range(10)}
    assert len(starts) > 5


@pytest.mark.parametrize(("n", "k", "sample"), [(400, 4, 30), (1000, 10, 42), (3000, 7, 65)])
def test_samples_of_ten_and_the_root_of_n(n: int, k: int, sample: int) -> None:
    found = start(mixture(n, 3, 5, 0), k, "lab")
    assert found.n_distances == k * sample**2 + k * n + digits(n)


def test_small_data_are_sampled_whole() -> None:
    """Then LAB is BUILD."""
    X = mixture(14, 2, 3, 0)
    build = start(X, 4, "build")
    assert start(X, 4, "lab").inertia >= build.inertia
    assert start(X, 1, "lab").medoid_indices.tolist() == build.medoid_indices.tolist()[:1]
    assert start(X, 14, "lab").inertia == 0


@pytest.mark.parametrize("spread", [1.0, 4.0])
def test_lab_is_better_than_chance(spread: float) -> None:
    X = mixture(800, 3, 8, 0, spread)
    build = start(X, 8, "build").inertia
    mean = {
        init: np.mean([start(X, 8, init, seed).inertia for seed in range(20)])
        for init in ("lab", "k-medoids++", "random")
    }
    assert build < mean["lab"] < mean["random"]
    assert mean["lab"] < mean["k-medoids++"]
    assert mean["lab"] < 1.25 * build
