"""Matrices whose row is the point and whose column the medoid: the other way round than ours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_TILE = 512


def arms_first(matrix: NDArray[Any]) -> NDArray[Any]:
    """The matrix with a row for each medoid: itself, if it is symmetric and laid out by rows."""
    as_it_is = matrix.flags.c_contiguous and _symmetric(matrix)
    return matrix if as_it_is else np.ascontiguousarray(matrix.T)


def _symmetric(matrix: NDArray[Any]) -> bool:
    """Tile by tile: each fits into a cache, and one that is not ends it."""
    n = len(matrix)
    return all(
        np.array_equal(matrix[i : i + _TILE, j : j + _TILE], matrix[j : j + _TILE, i : i + _TILE].T)
        for i in range(0, n, _TILE)
        for j in range(i, n, _TILE)
    )
