"""Distances that are kept: never computed twice, and never wrong."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import asymmetric, cache_of, precomputed
from medoids.engines.cpu.cache.cache import Cache

N = 400


def made(limit: float = 1e9, first: int = 64) -> tuple[Cache, np.ndarray]:
    matrix = asymmetric(N, 0).astype(np.float32)
    order = np.random.default_rng(0).permutation(N)
    return cache_of(precomputed(matrix), order, limit, first), matrix


def test_the_first_references_are_there_for_all_arms() -> None:
    cache, matrix = made()
    assert cache.first == 64
    np.testing.assert_array_equal(cache.columns.block[:64], matrix[:, cache.order[:64]].T)
    assert cache.points.n_distances == 64 * N


@pytest.mark.parametrize("limit", [1e9, 4.0 * N * 150])
def test_levels_hold_what_the_matrix_does(limit: float) -> None:
    cache, matrix = made(limit)
    rng = np.random.default_rng(1)
    for size in (10, 150, 40):
        arms = rng.permutation(N)[:size]
        levels = cache.levels.deepen(N)
        assert np.array_equal(np.concatenate([level.refs for level in levels]), cache.order)
        for level in levels:
            block, slots = cache.levels.measure(level, arms)
            found = block[slots][:, : len(level.refs)]
            np.testing.assert_array_equal(found, matrix[np.ix_(arms, level.refs)])


def test_what_is_kept_is_not_computed_again() -> None:
    cache, _ = made()
    arms = np.arange(0, N, 4)
    levels = cache.levels.deepen(256)
    for level in levels:
        cache.levels.measure(level, arms)
    counted = cache.points.n_distances
    assert counted == 64 * N + len(arms) * (256 - 64), "the first level only turns the columns"
    for level in cache.levels.deepen(256):
        cache.levels.measure(level, arms[::2])
    assert cache.points.n_distances == counted


def test_columns_of_many_arms_are_turned_for_all() -> None:
    cache, matrix = made()
    (level,) = cache.levels.deepen(64)
    for arms in (np.arange(0, N, 16), np.arange(0, N, 4)):
        cache.levels.measure(level, arms)
    assert level.used == N
    np.testing.assert_array_equal(
        level.block[level.slot, :64], matrix[:, cache.order[:64]], "each is where it is looked for"
    )
    assert cache.points.n_distances == 64 * N, "that takes no distance"


@pytest.mark.parametrize("limit", [1e9, 4.0 * N * 150])
def test_rows_hold_what_the_matrix_does(limit: float) -> None:
    cache, matrix = made(limit)
    rng = np.random.default_rng(2)
    for _ in range(20):
        arms = rng.permutation(N)
        arms = arms[next(cache.rows.parts(arms))]
        rows, slots = cache.rows.fetch(arms)
        np.testing.assert_array_equal(rows[slots], matrix[arms])
    known = np.flatnonzero(cache.rows.held)
    counted = cache.points.n_distances
    rows, slots = cache.rows.fetch(known)
    np.testing.assert_array_equal(rows[slots], matrix[known])
    assert cache.points.n_distances == counted


@pytest.mark.parametrize("limit", [1e9, 4.0 * N * 150])
@pytest.mark.parametrize("symmetric", [True, False])
def test_references_need_no_rows_of_their_own(limit: float, symmetric: bool) -> None:
    """Where distances are the same both ways round: else the other way round would be wrong."""
    matrix = asymmetric(N, 0).astype(np.float32)
    if symmetric:
        matrix += matrix.T
    points = precomputed(matrix)
    points.symmetric = symmetric
    cache = cache_of(points, np.random.default_rng(0).permutation(N), limit)
    firsts, others = cache.order[:6], cache.order[100:104]
    assert cache.has_rows(firsts).all() == symmetric
    assert not cache.has_rows(others).any()
    counted = points.n_distances
    rows, slots = cache.rows.fetch(firsts)
    np.testing.assert_array_equal(rows[slots], matrix[firsts])
    assert (points.n_distances == counted) == symmetric
    if symmetric and not cache.keeps_all:
        np.testing.assert_array_equal(slots, np.arange(6), "lines are rows, without a copy")
    some = np.array([others[0], firsts[2], others[1], cache.order[7], firsts[0]])
    for arms in (some, some[::-1]):
        rows, slots = cache.rows.fetch(arms)
        np.testing.assert_array_equal(rows[slots], matrix[arms])
    for level in cache.levels.deepen(N):
        block, slots = cache.levels.measure(level, some)
        found = block[slots][:, : len(level.refs)]
        np.testing.assert_array_equal(found, matrix[np.ix_(some, level.refs)])


def test_more_references_for_all_arms() -> None:
    cache, matrix = made(first=32)
    for wanted in (cache.order[[40, 50]], cache.order[[50, 60, 399]], cache.order[100:116]):
        lines = cache.columns.see(wanted)
        kept = wanted[: len(lines)]
        assert len(kept) > 0
        np.testing.assert_array_equal(cache.columns.block[lines], matrix[:, kept].T)


def test_more_room_than_data() -> None:
    cache, matrix = made(first=4096)
    assert cache.first == N
    np.testing.assert_array_equal(cache.columns.block[:N], matrix[:, cache.order].T)


@pytest.mark.parametrize("limit", [4.0 * N * 2 * 64, 4.0 * N * 300])
def test_all_that_is_kept_fits_the_limit(limit: float) -> None:
    cache, _ = made(limit, first=256)
    rng = np.random.default_rng(3)
    for _ in range(20):
        arms = np.sort(rng.permutation(N)[:60])
        for level in cache.levels.deepen(N):
            cache.levels.measure(level, arms)
        rows, _ = cache.rows.fetch(arms[next(cache.rows.parts(arms))])
    # Lines of a level that are not used yet are reserved, not touched.
    levels = sum(level.block[: level.used].nbytes for level in cache.levels.deepen(N))
    assert levels > 0
    assert rows.nbytes + levels <= limit  # columns are among the rows
