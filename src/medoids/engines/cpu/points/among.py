"""Points that are some of other points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices
from .base import Points


class PointsAmong(Points):
    """Some of other points, each once or more. What they compute is counted there."""

    def __init__(self, points: Points, chosen: Indices) -> None:
        super().__init__(len(chosen), points.workers)
        self.points, self.chosen = points, chosen
        self._copies = len(np.unique(chosen)) < len(chosen)
        self.nonnegative, self.cost = points.nonnegative, points.cost
        self.in_bytes = points.in_bytes
        self.weights = None if points.weights is None else points.weights[chosen]

    @property
    def threadable(self) -> bool:  # type: ignore[override]
        return self.points.threadable

    def tile(self, arms: Indices, refs: Indices) -> NDArray[np.float32]:
        return self.points.tile(self.chosen[arms], self.chosen[refs])

    def count_tiles(self, pairs: int) -> None:
        self.points.count_tiles(pairs)

    def _count(self, pairs: int) -> None:
        pass

    def own(self) -> NDArray[np.float64]:
        return self.points.own()[self.chosen]

    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        if not self._copies:
            self.points.block(self.chosen[arms], self.chosen[refs], out)
            return
        rows, from_rows = np.unique(self.chosen[arms], return_inverse=True)
        columns, from_columns = np.unique(self.chosen[refs], return_inverse=True)
        found = self.points.block_array(rows, columns)

        def spread(start: int, stop: int) -> None:
            out[start:stop] = found[from_rows[start:stop, None], from_columns]

        self.workers.each(spread, len(arms), 256)

    def _exact(self, arms: Indices, refs: Indices | None, out: NDArray[np.float64]) -> None:
        some = self.chosen if refs is None else self.chosen[refs]
        if self._copies:
            columns, back = np.unique(some, return_inverse=True)
            out[:] = self.points.exact(self.chosen[arms], columns)[:, back]
        else:
            out[:] = self.points.exact(self.chosen[arms], some)
