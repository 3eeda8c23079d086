"""BanditPAM with eager swaps ends where no swap helps, after few passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import (
    Floats,
    SmallFirst,
    asymmetric,
    best_swap,
    duplicates,
    heavy_tails,
    lattice,
    loss_of,
    mixture,
    one_line,
)
from medoids import KMedoids, KMedoidsResult, k_medoids
from medoids._tuning import tuned

KINDS: dict[str, Callable[[int, int], tuple[Floats, str]]] = {
    "mixture": lambda n, seed: (mixture(n, 5, 6, seed), "euclidean"),
    "mixture-l1": lambda n, seed: (mixture(n, 8, 10, seed, 2.0), "cityblock"),
    "heavy-tails": lambda n, seed: (heavy_tails(n, seed), "euclidean"),
    "duplicates": lambda n, seed: (duplicates(n, seed), "euclidean"),
    "lattice": lambda n, seed: (lattice(n, seed), "cityblock"),
    "asymmetric": lambda n, seed: (asymmetric(n, seed), "precomputed"),
}


def eager(X: Floats, k: int, **options: Any) -> KMedoidsResult:
    return k_medoids(X, k, swap="eager", **options)


def distances(X: Floats, metric: str) -> Floats:
    return X if metric == "precomputed" else cdist(X, X, metric)


def gap(matrix: Floats, found: KMedoidsResult) -> float:
    """How far the best swap would lower the loss, as a share of it; 0 at a local optimum."""
    left = found.inertia - best_swap(matrix, found.medoid_indices)
    # Sums of the same numbers in another order.
    return left / found.inertia if left > 1e-12 * found.inertia else 0.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("init", ["build", "random", "lab"])
def test_no_swap_helps_at_the_end(kind: str, init: str) -> None:
    for seed in range(8):
        X, metric = KINDS[kind](50 + 30 * seed, seed)
        found = eager(X, 2 + seed, metric=metric, init=init, random_state=seed)
        assert gap(distances(X, metric), found) == 0


@pytest.mark.parametrize("seed", range(4))
def test_no_swap_of_a_matrix_with_negative_entries_helps_at_the_end(seed: int) -> None:
    matrix = asymmetric(150, seed) - 1.0
    found = eager(matrix, 4, metric="precomputed", init="random", random_state=seed)
    assert best_swap(matrix, found.medoid_indices) >= found.inertia - 1e-10


def sampled(
    small_first: SmallFirst, first: dict[int, int], seeds: range
) -> Iterator[tuple[str, float]]:
    """Instances that are larger than their first block, and how far the best swap would go."""
    for i, (kind, make) in enumerate(KINDS.items()):
        for seed, k in zip(seeds, first, strict=True):
            n = 600 + 800 * k // 30
            small_first(first[k])
            X, metric = make(n, seed)
            init = "random" if (seed + i) % 2 else "build"
            found = eager(X, k, metric=metric, init=init, random_state=seed)
            # The first references may have doubled.
            assert found.history[-1]["rounds"][0]["references"] <= 2 * first[k] < n, "it samples"
            yield f"{kind}-{n}-{k}-{init}", gap(distances(X, metric), found)


@pytest.mark.slow
def test_no_swap_helps_at_the_end_of_sampling(small_first: SmallFirst) -> None:
    """With some twenty references for each cluster; the default is a hundred."""
    first = {3: 64, 5: 128, 8: 192, 12: 256, 20: 512, 30: 640}
    gaps = dict(sampled(small_first, first, range(6)))
    assert len(gaps) == 36
    wrong = {name: f"{size:.4%}" for name, size in gaps.items() if size}
    assert len(wrong) <= 1, wrong
    assert max(gaps.values()) < 0.001, wrong


@pytest.mark.slow
def test_hardly_any_swap_helps_if_references_are_few(small_first: SmallFirst) -> None:
    gaps = dict(sampled(small_first, {8: 64, 12: 128, 30: 128}, range(6, 9)))
    assert max(gaps.values()) < 0.005, gaps


@pytest.mark.parametrize("seed", range(3))
def test_no_swap_helps_at_the_end_of_sampling_by_default(seed: int) -> None:
    X = mixture(5200, 4, 10, seed, 2.0)
    with tuned(searching_eager=0.0):  # else so few rows have all their distances computed
        found = eager(X, 10, random_state=seed)
    assert found.history[10]["rounds"][0]["references"] < 5200
    assert gap(cdist(X, X), found) == 0


def test_the_loss_is_as_good_as_pams(small_first: SmallFirst) -> None:
    ratios = []
    for seed in range(10):
        small_first(128)
        X = mixture(700 + 60 * seed, 4, 12, seed, 2.0)
        k = (3, 5, 8, 12, 20)[seed % 5]
        exact = k_medoids(X, k, method="pam")
        for init in ("build", "random"):
            found = eager(X, k, init=init, random_state=seed)
            ratios.append(found.inertia / exact.inertia)
    assert np.mean(ratios) <= 1.01
    assert max(ratios) <= 1.05


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("first", [128, None])
def test_fewer_passes_than_pam_has_swaps(
    seed: int, first: int | None, small_first: SmallFirst
) -> None:
    if first:
        small_first(first)
    X = mixture(1000, 4, 20, seed, 2.0)
    exact = k_medoids(X, 30, method="pam", init="random", random_state=seed)
    found = eager(X, 30, init="random", random_state=seed)
    passes = sum(step["phase"] == "swap" for step in found.history)
    assert passes < exact.n_iter
    assert found.inertia <= exact.inertia * 1.02


def test_the_loss_is_the_true_loss(small_first: SmallFirst) -> None:
    small_first(128)
    for seed in range(4):
        X = mixture(900, 4, 6, seed, 2.0)
        found = eager(X, 7, random_state=seed)
        matrix = cdist(X, X)
        medoids = found.medoid_indices.tolist()
        assert found.inertia == pytest.approx(loss_of(matrix, medoids), rel=1e-12)
        np.testing.assert_array_equal(found.labels, matrix[medoids].argmin(axis=0))


@pytest.mark.parametrize("kind", ["rows", "matrix"])
@pytest.mark.parametrize("init", ["build", "random"])
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_any_number_of_threads(kind: str, init: str, n_jobs: int, small_first: SmallFirst) -> None:
    small_first(128)
    X, metric = (
        (mixture(1200, 4, 8, 0, 2.0), "l2")
        if kind == "rows"
        else (asymmetric(700, 0), "precomputed")
    )
    one, many = (
        eager(X, 8, metric=metric, init=init, random_state=3, n_jobs=jobs) for jobs in (1, n_jobs)
    )
    assert one.medoid_indices.tolist() == many.medoid_indices.tolist()
    assert one.labels.tobytes() == many.labels.tobytes()
    assert (one.inertia, one.n_iter, one.n_distances) == (
        many.inertia, many.n_iter, many.n_distances,
    )  # fmt: skip


@pytest.mark.parametrize("first", [128, None])
@pytest.mark.parametrize("init", ["build", "random"])
def test_history_counts_the_swaps(first: int | None, init: str, small_first: SmallFirst) -> None:
    if first:
        small_first(first)
    X = mixture(900, 4, 12, 0, 2.0)
    found = eager(X, 12, init=init, random_state=0)
    swaps = [step["swaps"] for step in found.history]
    assert sum(swaps) == found.n_iter
    assert swaps[-1] == 0, "the last pass finds none"
    assert all(step["swaps"] == 0 for step in found.history if step["phase"] != "swap")
    passes = [step for step in found.history if step["phase"] == "swap"]
    assert [step["step"] for step in passes] == list(range(len(passes)))
    # One pass finds no swap and one, stricter, makes sure.
    assert all(step["swaps"] > 0 for step in passes[:-2])
    if init == "random":
        assert max(swaps) > 1


def test_distances_are_saved() -> None:
    X = mixture(6000, 4, 6, 0)
    found = eager(X, 6, init="random", random_state=0)
    assert found.n_distances < 0.6 * 6000**2


@pytest.mark.parametrize("k", [1, 29, 30])
def test_the_least_and_the_most_clusters(k: int) -> None:
    X = mixture(30, 2, 3, 0)
    for init in ("build", "random"):
        found = eager(X, k, init=init, random_state=0)
        assert found.inertia == pytest.approx(k_medoids(X, k, method="pam").inertia, rel=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("init", ["build", "random"])
def test_more_clusters_than_distinct_points(init: str, small_first: SmallFirst) -> None:
    small_first(64)
    X = lattice(600, 0, side=2)
    found = eager(X, 6, init=init, random_state=0)
    assert found.inertia == 0
    assert len(set(found.medoid_indices.tolist())) == 6


def test_the_function_and_the_estimator_are_the_same() -> None:
    X = mixture(500, 3, 8, 0, 2.0)
    options: dict[str, Any] = {"init": "random", "random_state": 0}
    found = eager(X, 12, **options)
    km = KMedoids(12, swap="eager", **options).fit(X)
    assert found.medoid_indices.tolist() == km.medoid_indices_.tolist()
    assert found.n_iter == km.n_iter_
    assert found.n_iter > k_medoids(X, 12, **options).n_iter, "eager swaps are smaller"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"swap": "nonsense"}, "swap='nonsense' is unknown: choose 'best' or 'eager'"),
        ({"swap": None}, "swap=None is unknown"),
        ({"swap": "eager", "method": "pam"}, "swap='eager' is for method='banditpam'"),
        ({"swap": "eager", "method": "fasterpam"}, "swap='eager'.*'fasterpam'"),
        ({"swap": "nonsense", "method": "pam"}, "swap='nonsense'"),
        ({"method_params": {"swap": "eager"}, "method": "clara"}, "'swap'.*'clara'.*n_sampling"),
        ({"method_params": {"swap": "eager"}}, "'swap'.*'banditpam' has no parameters of its own"),
    ],
)
@pytest.mark.parametrize("through", ["function", "estimator"])
def test_bad_arguments(options: dict[str, Any], says: str, through: str) -> None:
    km = KMedoids(3, **options)
    fit = km.fit if through == "estimator" else lambda X: k_medoids(X, **km.get_params())
    with pytest.raises(ValueError, match=says) as caught:
        fit(mixture(40, 2, 3, 0))
    one_line(caught.value)
