"""The seam between data and search: orientation, memory order and counting."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import asymmetric, dense, precomputed
from medoids._threads import Workers
from medoids.dissimilarities.metrics import resolve
from medoids.engines.cpu.points.dense import DensePoints
from medoids.engines.cpu.points.matrix import PrecomputedPoints


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_row_of_a_matrix_is_the_medoid(dtype: type) -> None:
    matrix = asymmetric(40, 0).astype(dtype)
    points = precomputed(matrix)
    arms, refs = np.array([3, 30, 7]), np.array([1, 0, 39, 8])
    np.testing.assert_array_equal(points.exact(arms), matrix[arms].astype(np.float64))
    expected = np.array([[matrix[a, r] for r in refs] for a in arms], dtype=np.float32)
    np.testing.assert_array_equal(points.block_array(arms, refs), expected)


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_matrix_fills_any_memory_order(jobs: int) -> None:
    matrix = asymmetric(700, 0)
    refs = np.random.default_rng(0).permutation(700)[:300]
    with Workers(jobs) as workers:
        points = PrecomputedPoints(matrix, workers)
        columns = np.full((300, 700), np.nan, dtype=np.float32)
        points.block(np.arange(700), refs, columns.T)
    np.testing.assert_array_equal(columns.T, matrix[:, refs].astype(np.float32))


def test_own_distances_are_the_diagonal() -> None:
    matrix = asymmetric(9, 0) + 1.5
    np.testing.assert_array_equal(precomputed(matrix).own(), np.diag(matrix))
    np.testing.assert_array_equal(dense(np.eye(9)).own(), np.zeros(9))


@pytest.mark.parametrize(("lowest", "expected"), [(0.0, True), (-1e-9, False)])
def test_negative_entries_are_noticed(lowest: float, expected: bool) -> None:
    matrix = asymmetric(9, 0)
    matrix[4, 5] = lowest
    assert precomputed(matrix).nonnegative is expected


@pytest.mark.parametrize("kind", ["dense", "precomputed"])
def test_every_distance_is_counted_once(kind: str) -> None:
    points = precomputed(asymmetric(20, 0)) if kind == "precomputed" else dense(np.eye(20))
    assert points.n_distances == 0
    points.block_array(np.arange(5), np.arange(7))
    assert points.n_distances == 35
    points.exact(np.array([2, 3]))
    assert points.n_distances == 35 + 40
    points.block_array(np.arange(0), np.arange(7))
    points.block_array(np.arange(5), np.arange(0))
    assert points.exact(np.arange(0)).shape == (0, 20)
    assert points.n_distances == 75
    points.own()
    assert points.n_distances == 75


def test_threads_change_no_bit() -> None:
    X = np.random.default_rng(0).normal(size=(3000, 5))
    _, metric, p = resolve("euclidean", {})
    found = []
    for jobs in (1, 3):
        with Workers(jobs) as workers:
            points = DensePoints(X, metric, p, workers)
            refs = np.arange(0, 3000, 7)
            found.append((points.block_array(np.arange(3000), refs), points.exact(refs)))
    for one, three in zip(*found, strict=True):
        np.testing.assert_array_equal(one, three)


def test_the_data_is_not_changed() -> None:
    X = np.random.default_rng(0).normal(size=(200, 5)) + 1e6
    before = X.copy()
    points = dense(X, copy_limit=1e9)
    points.block_array(np.arange(200), np.arange(200))
    points.exact(np.arange(200))
    np.testing.assert_array_equal(X, before)
