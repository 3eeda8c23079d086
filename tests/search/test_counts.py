"""Distances are counted, all of them; and where n² fit into memory, none is computed twice."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from helpers import Floats, cache_of, duplicates, heavy_tails, lattice, mixture, precomputed
from medoids import KMedoids, k_medoids
from medoids._tuning import tuned
from medoids.engines.cpu.cache.cache import Cache


def sphere(n: int, seed: int) -> Floats:
    """Towns on a globe: near ties everywhere."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform((-1, -3), (1, 3), size=(30, 2))
    return centres[rng.integers(30, size=n)] + rng.normal(scale=0.05, size=(n, 2))


def far_groups(n: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)) + 1e5 * rng.integers(2, size=(n, 1))


KINDS: list[tuple[str, Floats, str, int]] = [
    ("towns", sphere(2600, 0), "haversine", 25),
    ("towns", sphere(5200, 1), "haversine", 8),
    ("plane", mixture(5200, 2, 10, 0), "l2", 10),
    ("places", lattice(2200, 0), "l1", 12),
    ("copies", duplicates(2600, 0), "l2", 20),
    ("heavy tails", heavy_tails(5000, 0), "l2", 5),
    ("far groups", far_groups(3000, 0), "l2", 6),
    ("all tied", np.random.default_rng(0).normal(size=(2300, 4)), "hamming", 5),
    ("few", mixture(90, 3, 4, 0), "cosine", 30),
    ("very few", mixture(12, 3, 4, 0), "l2", 5),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("swap", ["best", "eager"])
@pytest.mark.parametrize(
    ("X", "metric", "k"),
    [row[1:] for row in KINDS],
    ids=[f"{row[0]} {len(row[1])}" for row in KINDS],
)
def test_never_more_than_all_distances(X: Floats, metric: str, k: int, swap: str) -> None:
    found = k_medoids(X, k, metric=metric, swap=swap, random_state=0)
    assert found.n_distances <= 1.05 * len(X) ** 2
    assert sum(step["distances"] for step in found.history) <= found.n_distances


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_matrix_is_read_once_at_the_most() -> None:
    X = lattice(600, 0)
    matrix = np.abs(X[:, None] - X).sum(axis=2)
    for method in ("banditpam", "pam"):
        found = k_medoids(matrix, 7, metric="precomputed", method=method, random_state=0)
        assert 600**2 <= found.n_distances <= 1.05 * 600**2


def test_calls_of_a_function_are_counted() -> None:
    calls = []

    def distance(a: str, b: str) -> float:
        calls.append((a, b))
        return abs(len(a) - len(b)) + (a[:1] != b[:1])

    words = ["x" * i + "y" * j for i in range(8) for j in range(1, 6)]
    found = KMedoids(3, metric=distance, random_state=0).fit(words)
    assert found.n_distances_ == len(calls)
    assert len(set(calls)) == len(calls) <= len(words) ** 2


def test_what_finds_out_how_to_compute_is_counted() -> None:
    """The check of float32's digits, the trial of a function, and d(x, x)."""

    def taxi(a: Any, b: Any) -> float:
        total = 0.0
        for i in range(a.shape[0]):
            total += abs(a[i] - b[i])
        return total

    X = mixture(1200, 3, 4, 0)
    plain = k_medoids(X, 3, metric="l1", method="fasterpam", random_state=0)
    assert plain.n_distances > 1200**2, "n², and what shows that float32 serves"
    given = k_medoids(X, 3, metric=taxi, method="fasterpam", random_state=0)
    assert given.n_distances > plain.n_distances, "and the pairs that were tried in Python"


def made(n: int, first: int) -> tuple[Cache, Floats]:
    matrix = np.random.default_rng(0).random((n, n)).astype(np.float32)
    order = np.random.default_rng(1).permutation(n)
    return cache_of(precomputed(matrix), order, first=first), matrix


def test_what_is_known_is_not_computed_again() -> None:
    cache, matrix = made(400, 50)
    assert cache.keeps_all
    for level in cache.levels.deepen(200):
        cache.levels.measure(level, np.arange(30))
    seen = cache.columns.see(cache.order[300:310])
    rows, slots = cache.rows.fetch(np.arange(20, 40))
    np.testing.assert_array_equal(rows[slots], matrix[20:40])
    before = cache.points.n_distances
    assert before <= 50 * 400 + 30 * 150 + 10 * 400 + 10 * 350 + 10 * 200
    assert cache.levels.missing() == 350 * 400 - 30 * 150 - 10 * 350 - 10 * 200
    cache.levels.complete()
    assert cache.first == 400
    np.testing.assert_array_equal(cache.columns.block, matrix[:, cache.order].T)
    assert cache.points.n_distances - before == 350 * 400 - 30 * 150 - 10 * 350 - 10 * 200
    assert len(seen) == 10


def test_a_fit_that_goes_on_computes_the_rest() -> None:
    """Where searches cost more than the matrix would, they end."""
    X = sphere(1500, 3)
    with tuned(first_block=64, completes=False):
        searched = k_medoids(X, 12, metric="haversine", random_state=0)
    with tuned(first_block=64):
        found = k_medoids(X, 12, metric="haversine", random_state=0)
    assert found.medoid_indices.tolist() == searched.medoid_indices.tolist()
    assert found.history[-1]["rounds"][0]["references"] == 1500
    assert searched.history[-1]["rounds"][0]["references"] == 64
    assert found.n_distances <= 1.05 * 1500**2


def test_a_fit_that_keeps_few_computes_all_at_last() -> None:
    """Many points that are not near each other keep few distances, until searches cost more."""
    X = sphere(1500, 3)
    apart = {"first_block": 64, "kept_pairs": 0, "contrast": np.inf}
    with tuned(**apart, completes=False):
        searched = k_medoids(X, 12, metric="haversine", random_state=0)
    with tuned(**apart):
        found = k_medoids(X, 12, metric="haversine", random_state=0)
    assert found.medoid_indices.tolist() == searched.medoid_indices.tolist()
    assert searched.history[-1]["rounds"][0]["references"] == 64
    assert found.history[-1]["rounds"][0]["references"] == 1500
    assert found.n_distances <= 2 * 1500**2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_function_keeps_to_the_memory_limit() -> None:
    words = ["ab" * i for i in range(1, 61)] * 40

    def distance(a: str, b: str) -> float:
        return abs(len(a) - len(b))

    # A swap fills the table as a whole fit does, which takes long with so little memory.
    km = KMedoids(3, metric=distance, init=[0, 1, 2], max_iter=1, random_state=0)
    km.fit(words[:500])  # compiling takes memory too
    tracemalloc.start()
    km.set_params(memory_limit=4e6).fit(words)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 25e6 < 8 * len(words) ** 2, "a table of all pairs takes 46 MB"
