"""CLARANS walks over random swaps, and ends where many in a row do not help."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import Floats, asymmetric, best_swap, mixture, one_line
from medoids import KMedoidsResult, k_medoids
from medoids._tuning import tuned
from medoids.methods import clarans as _clarans


def clarans(X: Floats, k: int, seed: int = 0, **own: Any) -> KMedoidsResult:
    return k_medoids(X, k, method="clarans", init="random", method_params=own, random_state=seed)


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The useless swaps that end each walk."""
    most: list[int] = []
    walk = _clarans._walk

    def watch(*args: Any) -> int:
        most.append(args[-1])
        return walk(*args)

    monkeypatch.setattr(_clarans, "_walk", watch)
    return most


@pytest.mark.parametrize(
    ("n", "k", "most"), [(100, 3, 250), (900, 10, 250), (2100, 10, 262), (1000, 100, 1125)]
)
def test_two_walks_of_the_papers_length(walks: list[int], n: int, k: int, most: int) -> None:
    # 1.25% of k(n - k), and at least 250.
    k_medoids(
        np.arange(float(n))[:, None], k, method="clarans", init="random", random_state=0, max_iter=0
    )
    assert walks == [most] * 2


@pytest.mark.parametrize(
    ("own", "most"),
    [
        ({"num_local": 5}, [250] * 5),
        ({"max_neighbors": 7}, [7, 7]),
        ({"num_local": np.int64(1), "max_neighbors": np.int32(999)}, [999]),
    ],
)
def test_walks_are_as_asked_for(walks: list[int], own: dict[str, Any], most: list[int]) -> None:
    clarans(mixture(100, 2, 3, 0), 3, **own)
    assert walks == most


def test_more_neighbours_are_better_on_average() -> None:
    X = mixture(400, 3, 6, 0, 2.0)
    mean = [
        np.mean([clarans(X, 6, seed, max_neighbors=most).inertia for seed in range(10)])
        for most in (5, 50, 1000)
    ]
    assert mean[0] > mean[1] > mean[2]


@pytest.mark.parametrize("seed", range(4))
def test_more_walks_are_no_worse(seed: int) -> None:
    X = mixture(200, 3, 6, seed, 2.0)
    losses = [clarans(X, 6, seed, num_local=count).inertia for count in (1, 2, 6)]
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["rows", "asymmetric", "negative"])
def test_no_swap_helps_once_all_were_tried(kind: str, seed: int) -> None:
    k = 1 + seed % 4
    if kind == "rows":
        X, metric = mixture(60, 3, 4, seed, 2.0), "euclidean"
        matrix = cdist(X, X)
    else:
        X = matrix = asymmetric(60, seed) - (kind == "negative")
        metric = "precomputed"
    found = k_medoids(
        X, k, metric=metric, method="clarans", init="random", random_state=seed,
        method_params={"num_local": 1, "max_neighbors": 20 * k * 60},
    )  # fmt: skip
    assert best_swap(matrix, found.medoid_indices) >= found.inertia - 1e-6 * matrix.mean()


def test_many_neighbours_come_close_to_pam() -> None:
    X = mixture(500, 3, 6, 3)
    exact = k_medoids(X, 6, method="pam")
    assert clarans(X, 6, max_neighbors=5000).inertia <= exact.inertia * 1.01


def test_rows_need_not_be_held() -> None:
    X = mixture(1200, 3, 5, 0)
    held, found = (
        k_medoids(X, 5, method="clarans", init="random", random_state=0, memory_limit=limit)
        for limit in (None, "1MB")
    )
    assert found.medoid_indices.tolist() == held.medoid_indices.tolist()
    assert found.inertia == held.inertia
    assert held.n_distances <= 1200**2 + (held.n_iter + 10) * 1200
    assert found.n_distances > held.n_distances


@pytest.mark.parametrize(
    ("own", "error", "says"),
    [
        ({"num_local": 0}, ValueError, "num_local=0"),
        ({"max_neighbors": 0}, ValueError, "max_neighbors=0"),
        ({"num_local": 2.0}, TypeError, "num_local must be a whole number"),
        ({"max_neighbors": "many"}, TypeError, "max_neighbors must be a whole number"),
    ],
)
def test_bad_numbers_are_refused(own: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        clarans(mixture(50, 2, 3, 0), 3, **own)
    one_line(caught.value)


def test_says_before_it_starts_that_it_takes_long() -> None:
    X = mixture(300, 2, 3, 0)
    says = pytest.warns(UserWarning, match=r"looks at 600 swaps or more.*max_neighbors")
    with tuned(long=1e5), says:
        k_medoids(X, 3, method="clarans", method_params={"max_neighbors": 300}, random_state=0)


def test_more_neighbours_than_there_are_end() -> None:
    X = mixture(40, 2, 3, 0)
    params = {"max_neighbors": 10**30}
    found = k_medoids(X, 2, method="clarans", method_params=params, random_state=0)
    assert best_swap(cdist(X, X), found.medoid_indices) >= found.inertia * 0.99
