"""Points that are some of other points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices
from .base import Points


class PointsAmong(Points):
    """Some of other points. What they compute is counted there."""

    def __init__(self, points: Points, chosen: Indices) -> None:
        super().__init__(len(chosen), points.workers)
        self.points, self.chosen = points, chosen
        self.nonnegative, self.cost = points.nonnegative, points.cost
        self.weights = None if points.weights is None else points.weights[chosen]

    def _count(self, pairs: int) -> None:
        pass

    def own(self) -> NDArray[np.float64]:
        return self.points.own()[self.chosen]

    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        self.points.block(self.chosen[arms], self.chosen[refs], out)

    def _exact(self, arms: Indices, refs: Indices | None, out: NDArray[np.float64]) -> None:
        some = self.chosen if refs is None else self.chosen[refs]
        out[:] = self.points.exact(self.chosen[arms], some)
