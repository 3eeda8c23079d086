"""Types that every part of the package speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Indices = NDArray[np.integer]
# Medoids to begin with: a way to choose them, or rows.
Init = str | Sequence[int]


class RowReader(Protocol):
    """Rows of floats, read a few at a time: an array, a memory map, or what looks like one.

    `medoids.data.rows` has those that are no arrays.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns.
    dtype : dtype
        Of the rows that are read.
    size : float
        Numbers in all of it; infinite where a copy of all is never wanted.
    """

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    @property
    def size(self) -> float: ...

    def __len__(self) -> int: ...

    def __getitem__(self, rows: slice | Indices, /) -> Floats: ...
