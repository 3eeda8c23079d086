"""Several sets of rows, read as one."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import Floats
from medoids.data.rows import Stacked


@pytest.fixture
def parts() -> list[Floats]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=(n, 3)).astype(np.float32) for n in (7, 1, 12, 5)]


def test_rows_are_those_of_all_sets(parts: list[Floats]) -> None:
    stacked, whole = Stacked(parts), np.concatenate(parts)
    assert (len(stacked), stacked.shape, stacked.size) == (25, (25, 3), 75)
    for start in range(26):
        for stop in range(start, 30):
            np.testing.assert_array_equal(stacked[start:stop], whole[start:stop])
    np.testing.assert_array_equal(stacked[:], whole)
    some = np.random.default_rng(1).integers(25, size=40)
    np.testing.assert_array_equal(stacked[some], whole[some])


def test_rows_of_one_set_are_not_copied(parts: list[Floats]) -> None:
    assert np.shares_memory(Stacked(parts)[8:20], parts[2])


def test_sets_of_two_types_are_read_as_the_wider_one(parts: list[Floats]) -> None:
    stacked = Stacked([parts[0], parts[2].astype(np.float64)])
    assert stacked.dtype == stacked[np.array([0, 8])].dtype == stacked[5:9].dtype == np.float64


def test_consecutive_rows_are_cut_where_sets_end(parts: list[Floats]) -> None:
    stacked = Stacked(parts)
    assert stacked.apart(np.arange(2, 22), 4) == [5, 6, 18]
    assert stacked.apart(np.arange(2, 22), 20) == []  # small sets cost more apart
    assert stacked.apart(np.array([3, 1, 20]), 4) == []
