"""A matrix whose row is the point, turned where that matters."""

from __future__ import annotations

import numpy as np
import pytest

from medoids.compat._matrices import arms_first


@pytest.mark.parametrize("n", [1, 3, 512, 1100])
def test_a_symmetric_matrix_is_taken_as_it_is(n: int) -> None:
    half = np.random.default_rng(0).random((n, n))
    matrix = half + half.T
    assert arms_first(matrix) is matrix


@pytest.mark.parametrize("place", [(0, 1), (3, 1090), (1090, 3), (700, 701), (1099, 1098)])
def test_one_entry_is_enough(place: tuple[int, int]) -> None:
    matrix = np.ones((1100, 1100))
    matrix[place] = 2
    turned = arms_first(matrix)
    np.testing.assert_array_equal(turned, matrix.T)
    assert turned.flags.c_contiguous


def test_laid_out_by_columns() -> None:
    matrix = np.asfortranarray(np.random.default_rng(0).random((40, 40)))
    turned = arms_first(matrix)
    np.testing.assert_array_equal(turned, matrix.T)
    assert turned.flags.c_contiguous
    assert np.shares_memory(turned, matrix)  # no copy is made
