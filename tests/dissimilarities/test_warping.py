"""Dynamic time warping, against its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers import Floats, one_line, pam_by_force
from medoids import KMedoids, k_medoids
from medoids._threads import Workers
from medoids.data.kinds import read
from medoids.engines.cpu.points import distances_between


def distances(objects: Any, others: Any, **params: Any) -> Floats:
    data = read(objects, "dtw", params or None)
    with Workers(2) as workers:
        return distances_between(data, data.like(others), workers)


def dtw_by_force(a: Floats, b: Floats, window: int | None = None) -> float:
    n, m = len(a), len(b)
    band = max(n, m) if window is None else max(window, abs(n - m))
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0
    for i in range(n):
        for j in range(m):
            if abs(i - j) <= band:
                step = float(np.linalg.norm(np.atleast_1d(a[i] - b[j])))
                cost[i + 1, j + 1] = step + min(cost[i, j], cost[i, j + 1], cost[i + 1, j])
    return float(cost[n, m])


@pytest.mark.parametrize("window", [None, 0, 2])
@pytest.mark.parametrize("channels", [0, 3])
def test_sequences(window: int | None, channels: int) -> None:
    rng = np.random.default_rng(0)
    shape = (channels,) if channels else ()
    given = [rng.normal(size=(rng.integers(1, 14), *shape)).cumsum(axis=0) for _ in range(40)]
    matrix = np.array([[dtw_by_force(a, b, window) for b in given] for a in given])
    np.testing.assert_allclose(distances(given, given, window=window), matrix, rtol=1e-12)
    km = KMedoids(3, metric="dtw", metric_params={"window": window}).fit(given)
    assert km.medoid_indices_.tolist() == pam_by_force(matrix, 3)
    np.testing.assert_array_equal(km.predict(given), km.labels_)


def test_sequences_of_one_length_as_an_array() -> None:
    X = np.random.default_rng(1).normal(size=(30, 8))
    km = KMedoids(2, metric="dtw").fit(X)
    assert km.medoid_indices_.tolist() == pam_by_force(distances(list(X), list(X)), 2)


@pytest.mark.parametrize(
    "bad", [[[1.0], ["a"]], [[1.0], []], [[1.0], [np.nan]], [[1.0], [[1.0, 2.0]]], [[1.0], 5.0]]
)
def test_what_is_no_sequence(bad: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        k_medoids(bad, 1, metric="dtw")
    one_line(caught.value)


@pytest.mark.parametrize("window", [-1, 1.5, "2"])
def test_windows_that_make_no_sense(window: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        k_medoids([[1.0], [2.0]], 1, metric="dtw", metric_params={"window": window})
    one_line(caught.value)
