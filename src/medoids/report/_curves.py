"""Series as curves, all on one scale."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Indices
from ._pack import number

# Points of a curve that the page carries, and heights that they can have.
_MEMBER, _MEDOID, _HIGH = 60, 240, 1000
# Channels of a series that are drawn.
_CHANNELS = 6


class Curves:
    kind = "curve"

    def __init__(self, X: Any, first: bool) -> None:
        """`first` says that channels are the first axis of a series that has two."""
        self.X, self.first = X, first
        ends = [(values.min(), values.max()) for values in map(self._values, range(len(X)))]
        self.low, self.high = float(min(ends)[0]), float(max(high for _, high in ends))

    def _values(self, row: int) -> NDArray[np.float64]:
        """A line for each channel."""
        values = np.asarray(self.X[row], dtype=np.float64)
        return np.atleast_2d(values if self.first or values.ndim == 1 else values.T)

    def _heights(self, row: int, most: int) -> list[list[int]]:
        """Heights at evenly spaced times."""
        values = self._values(row)[:_CHANNELS]
        length = values.shape[1]
        at = np.linspace(0, length - 1, min(length, most))
        scale = _HIGH / ((self.high - self.low) or 1.0)
        return [
            np.rint((np.interp(at, np.arange(length), line) - self.low) * scale)
            .astype(int)
            .tolist()
            for line in values
        ]

    def members(self, rows: Indices) -> list[Any]:
        return [self._heights(int(row), _MEMBER) for row in rows]

    def medoid(self, label: int, row: int) -> dict[str, Any]:
        return {"content": self._heights(row, _MEDOID)}

    def shared(self) -> dict[str, Any]:
        return {"high": _HIGH, "ends": [number(self.low), number(self.high)]}
