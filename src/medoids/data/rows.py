"""Rows of floats that are made when they are read: each a `RowReader`, as arrays are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Indices, RowReader

# Bytes of float32 that are read at a time, about.
_BYTES = 2**23


def to_float(array: NDArray[Any]) -> Floats:
    """Float32 for what it holds exactly (float32, small integers, bool), else float64."""
    return array.astype(_float_type(array.dtype), copy=False)


def _float_type(dtype: np.dtype[Any]) -> type[np.floating]:
    most = {"b": 1, "i": 2, "u": 2, "f": 4}[dtype.kind]
    return np.float32 if dtype.itemsize <= most else np.float64


class AsFloats:
    """An array of another type, read as floats."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array, self.shape, self.size = array, array.shape, array.size
        self.dtype: np.dtype[Any] = np.dtype(_float_type(array.dtype))

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, rows: slice | Indices, /) -> Floats:
        return self.array[rows].astype(self.dtype)


class Densified:
    """A sparse matrix, read as dense rows."""

    size = np.inf  # no copy of all of it

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix
        self.shape: tuple[int, ...] = matrix.shape
        self.dtype: np.dtype[Any] = matrix.dtype

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, rows: slice | Indices, /) -> Floats:
        return np.asarray(self.matrix[rows].toarray())


class Stacked:
    """Several sets of rows, one after the other, read as one."""

    def __init__(self, parts: Sequence[RowReader]) -> None:
        self.parts = list(parts)
        self.bounds = np.cumsum([0, *(len(part) for part in parts)])
        self.shape: tuple[int, ...] = (int(self.bounds[-1]), parts[0].shape[1])
        self.size = sum(part.size for part in parts)
        self.dtype: np.dtype[Any] = np.result_type(*(part.dtype for part in parts))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice | Indices, /) -> Floats:
        if isinstance(rows, slice):
            return self._stretch(*rows.indices(len(self))[:2])
        which = np.searchsorted(self.bounds[1:], rows, side="right")
        out = np.empty((len(rows), self.shape[1]), dtype=self.dtype)
        for i in np.unique(which):
            mine = which == i
            out[mine] = self.parts[i][rows[mine] - self.bounds[i]]
        return out

    def apart(self, rows: Indices, size: int) -> list[int]:
        """Where to cut rows, of which `size` are read at a time, so that none is copied.

        No place, if they are not consecutive, or the sets are small.
        """
        where = as_slice(rows)
        if not isinstance(where, slice) or len(self) < size * len(self.parts):
            return []
        inside = (self.bounds > where.start) & (self.bounds < where.stop)
        found: list[int] = (self.bounds[inside] - where.start).tolist()
        return found

    def _stretch(self, start: int, stop: int) -> Floats:
        """Rows from one on to another: not copied, if one set has them all."""
        first = int(np.searchsorted(self.bounds[1:-1], start, side="right"))
        if stop <= self.bounds[first + 1]:
            low = int(self.bounds[first])
            return self.parts[first][start - low : max(stop, start) - low]
        found = []
        for i in range(first, len(self.parts)):
            low = int(self.bounds[i])
            found.append(self.parts[i][max(start - low, 0) : max(stop - low, 0)])
        return np.concatenate(found)


def at_once(rows: RowReader, most: int) -> int:
    """How many are read at a time, so that they and what is made of them take little memory."""
    return max(1, min(most, _BYTES // (4 * int(rows.shape[1]))))


def as_slice(rows: Indices) -> slice | Indices:
    """Consecutive rows as a slice, which reads them without a copy."""
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all():
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows
