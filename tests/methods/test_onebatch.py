"""OneBatchPAM judges swaps by one batch of references."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from helpers import Floats, asymmetric, best_swap, digits, loss_of, mixture, one_line
from medoids import KMedoidsResult, k_medoids
from medoids._threads import Workers
from medoids.engines.cpu.matrix import weigh


def onebatch(X: Floats, k: int, seed: int = 0, init: Any = "build", **own: Any) -> KMedoidsResult:
    return k_medoids(X, k, method="onebatch", init=init, method_params=own, random_state=seed)


def assert_distances(found: KMedoidsResult, n: int, k: int, batch: int) -> None:
    """The batch's, and the medoids' at the end and, unless they are the same, at the start.

    The start is computed again in float64 if it is nearly as good as the end.
    """
    assert (found.n_distances - n * batch - digits(n)) / (k * n) in (1, 2, 3)


@pytest.mark.parametrize(("n", "k"), [(2500, 3), (2000, 10), (1500, 1)])
@pytest.mark.parametrize("init", ["build", "random"])
def test_one_batch_of_the_papers_size(n: int, k: int, init: str) -> None:
    found = onebatch(mixture(n, 3, 5, 0), k, init=init)
    batch = int(100 * math.log(k * n))
    assert batch < n
    assert_distances(found, n, k, batch)


@pytest.mark.parametrize(("asked", "batch"), [(50, 50), (np.int64(200), 200), (1, 4), (10**6, 600)])
@pytest.mark.parametrize("weighting", [True, False])
def test_the_batch_is_as_asked_for(asked: int, batch: int, weighting: bool) -> None:
    # There are at least k references, and at most n.
    found = onebatch(mixture(600, 3, 5, 0), 4, batch_size=asked, weighting=weighting)
    assert_distances(found, 600, 4, batch)


def test_small_data_are_one_batch() -> None:
    assert_distances(onebatch(mixture(100, 2, 3, 0), 3), 100, 3, 100)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("init", ["build", "random"])
def test_a_batch_of_all_points_ends_where_no_swap_helps(seed: int, init: str) -> None:
    X = mixture(200, 3, 5, seed, 2.0)
    found = onebatch(X, 5, seed, init, batch_size=200, weighting=False)
    assert best_swap(cdist(X, X), found.medoid_indices) >= found.inertia * (1 - 1e-6)


def test_a_batch_of_all_points_weighs_them_the_same() -> None:
    X = mixture(300, 3, 5, 0)
    plain, weighted = (onebatch(X, 5, batch_size=300, weighting=w) for w in (False, True))
    assert plain.medoid_indices.tolist() == weighted.medoid_indices.tolist()


def test_a_batch_of_all_points_goes_fasterpams_way() -> None:
    matrix = asymmetric(150, 0)
    start = [1, 2, 3, 4, 5]
    found = k_medoids(
        matrix, 5, metric="precomputed", method="onebatch", init=start,
        method_params={"batch_size": 150, "weighting": False},
    )  # fmt: skip
    exact = k_medoids(matrix, 5, metric="precomputed", method="fasterpam", init=start)
    assert found.medoid_indices.tolist() == exact.medoid_indices.tolist()


@pytest.mark.parametrize("init", ["build", "random"])
@pytest.mark.parametrize("seed", range(3))
def test_the_loss_is_close_to_pams(init: str, seed: int) -> None:
    X = mixture(3000, 4, 5, seed)
    exact = k_medoids(X, 5, method="pam")
    found = onebatch(X, 5, seed, init)
    assert found.inertia <= exact.inertia * 1.02
    assert found.n_distances < 0.4 * 3000**2


def test_a_larger_batch_is_better_on_average() -> None:
    X = mixture(800, 4, 8, 0, 2.0)
    mean = [
        np.mean([onebatch(X, 8, seed, batch_size=size).inertia for seed in range(8)])
        for size in (16, 60, 500)
    ]
    assert mean[0] > mean[1] > mean[2]


@pytest.mark.parametrize("weighting", [True, False])
@pytest.mark.parametrize("size", [10, 64, 400])
def test_the_weights_sum_to_the_number_of_points(weighting: bool, size: int) -> None:
    X = mixture(400, 3, 4, 0)
    plain = 1 + cdist(X, X[np.random.default_rng(0).choice(400, size, replace=False)])
    rows = plain.astype(np.float32)
    with Workers(2) as workers:
        weigh(rows, weighting, workers)
    weights = (rows / plain).mean(axis=0)
    assert weights.sum() == pytest.approx(400, rel=1e-5)
    expected = np.bincount(plain.argmin(axis=1), minlength=size) if weighting else 400 / size
    np.testing.assert_allclose(weights, np.broadcast_to(expected, size), rtol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_the_start_stands_if_the_batch_misleads(seed: int) -> None:
    X = mixture(500, 3, 6, seed)
    start = k_medoids(X, 6, method="pam").medoid_indices.tolist()
    found = onebatch(X, 6, seed, start, batch_size=12)
    assert found.inertia <= loss_of(cdist(X, X), start) * (1 + 1e-12)


@pytest.mark.parametrize("init", ["build", "random", "k-medoids++", "lab"])
@pytest.mark.parametrize("batch", [5, 100, None])
def test_a_batch_with_few_distinct_points(init: str, batch: int | None) -> None:
    """BUILD covers the batch with two medoids, and has to find two more."""
    X = np.repeat([[0.0, 0.0], [3.0, 1.0]], 750, axis=0)
    with pytest.warns(ConvergenceWarning, match="medoids coincide"):
        found = onebatch(X, 4, init=init, batch_size=batch)
    assert len(set(found.medoid_indices.tolist())) == 4


@pytest.mark.parametrize(
    ("own", "error", "says"),
    [
        ({"batch_size": 0}, ValueError, "batch_size=0"),
        ({"batch_size": 10.0}, TypeError, "batch_size must be a whole number"),
        ({"weighting": "yes"}, TypeError, "weighting must be True or False"),
        ({"weighting": None}, TypeError, "weighting must be True or False"),
    ],
)
def test_bad_parameters_are_refused(own: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        onebatch(mixture(50, 2, 3, 0), 3, **own)
    one_line(caught.value)


def test_too_large_a_batch_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match=r"'onebatch' needs 0\.0109 GB.*memory_limit") as caught:
        k_medoids(np.zeros((3000, 1)), 3, method="onebatch", memory_limit="4MB")
    one_line(caught.value)


@pytest.mark.parametrize(("limit", "batch"), [("10.9MB", 817), ("8MB", 600), ("6.1MB", 457)])
def test_the_batch_shrinks_to_what_there_is_room_for(limit: str, batch: int) -> None:
    X, own = mixture(3000, 3, 5, 0), {"method": "onebatch", "memory_limit": limit}
    assert batch < int(100 * math.log(3 * 3000)) <= 2 * batch
    found = k_medoids(X, 3, random_state=0, **own)
    assert_distances(found, 3000, 3, batch)
    assert found.inertia <= 1.01 * k_medoids(X, 3).inertia
    # A batch that was asked for is that large, or there is an error.
    asked = {"batch_size": 1000}
    with pytest.raises(ValueError, match=r"'onebatch' needs 0\.012 GB.*memory_limit"):
        k_medoids(X, 3, method_params=asked, **own)


def test_no_batch_of_less_than_half_the_papers_size() -> None:
    with pytest.raises(ValueError, match=r"'onebatch' needs 0\.0109 GB"):
        k_medoids(mixture(3000, 3, 5, 0), 3, method="onebatch", memory_limit="6MB")
