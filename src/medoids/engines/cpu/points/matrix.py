"""Points that are a matrix of distances: the user's, or one that is computed once and held."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ...._types import Floats, Indices
from ....data.rows import as_slice
from ...scale import log2_of, moderate
from .base import Points


class PrecomputedPoints(Points):
    """A square matrix: the row is the medoid, the column the point.

    An entry that is read counts as a distance.
    """

    _SLICE = 256
    threadable = True

    def __init__(self, matrix: Floats, workers: Workers) -> None:
        super().__init__(len(matrix), workers)
        self.matrix = matrix
        largest = max(abs(float(matrix.min())), abs(float(matrix.max())))
        self.unit = moderate(log2_of(largest), self.n)
        self.nonnegative = bool(matrix.min() >= 0)

    def whole(self) -> Floats:
        self._count(self.n**2)
        return self.matrix if self.unit == 1 else self.matrix / self.unit

    @property
    def whole_bytes(self) -> int:
        return 0 if self.unit == 1 else self.matrix.nbytes

    @property
    def is_exact(self) -> bool:
        """Whether the matrix can be used as it is where float64 is asked for."""
        return self.matrix.dtype == np.float64 and self.unit == 1

    def own(self) -> NDArray[np.float64]:
        return np.diagonal(self.matrix).astype(np.float64) / self.unit

    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        def copy(start: int, stop: int) -> None:
            out[start:stop] = self.matrix[np.ix_(arms[start:stop], refs)] / self.unit

        self.workers.each(copy, len(arms), self._SLICE)

    def tile(self, arms: Indices, refs: Indices) -> NDArray[np.float32]:
        some = as_slice(refs)
        at = (arms, some) if isinstance(some, slice) else np.ix_(arms, refs)
        found = self.matrix[at]
        return np.asarray(found / self.unit if self.unit != 1 else found, dtype=np.float32)

    def _exact(self, arms: Indices, refs: Indices | None, out: NDArray[np.float64]) -> None:
        out[:] = self.matrix[arms] if refs is None else self.matrix[np.ix_(arms, refs)]
        out /= self.unit


class SitePoints(PrecomputedPoints):
    """A matrix with a row for each candidate and a column for each point."""

    def __init__(self, matrix: Floats, workers: Workers) -> None:
        super().__init__(matrix, workers)
        self.n = matrix.shape[1]


class HeldPoints(PrecomputedPoints):
    """Points whose distances are all computed once, and held: in float64 if `exact`."""

    def __init__(self, points: Points, exact: bool = False) -> None:
        Points.__init__(self, points.n, points.workers)
        if exact and not (isinstance(points, PrecomputedPoints) and points.is_exact):
            self.matrix: Floats = points.exact(np.arange(points.n))
        else:
            self.matrix = points.whole()
        self.nonnegative = points.nonnegative
