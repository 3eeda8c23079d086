"""Points that count for more or less than others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices
from .among import PointsAmong
from .base import Points


class WeightedPoints(Points):
    """Other points, each distance times the weight of the point that pays it.

    A weighted loss is a loss of dissimilarities that are not symmetric, since
    w min(d, cap) = min(w d, w cap): so whoever searches need not know of weights.

    Parameters
    ----------
    points : Points
        They count what is computed.
    weights : ndarray of float64
        Not negative, and not all zero; whatever their size, only their ratios matter here.
    scale : float, default=None
        What they are divided by; None is a power of two near the largest, so that nothing is
        rounded, and float32 has room.
    """

    def __init__(
        self, points: Points, weights: NDArray[np.float64], scale: float | None = None
    ) -> None:
        super().__init__(points.n, points.workers)
        self.points = points
        self._scale = 2.0 ** int(np.frexp(weights.max())[1]) if scale is None else scale
        self.weights: NDArray[np.float64] = weights / self._scale
        self._rough = self.weights.astype(np.float32)
        self.cost, self.slow_exact = points.cost, points.slow_exact
        self.in_bytes = points.in_bytes

    @property
    def n_distances(self) -> int:  # type: ignore[override]
        return self.points.n_distances

    @property
    def nonnegative(self) -> bool:  # type: ignore[override]
        return self.points.nonnegative

    @property
    def unit(self) -> float:  # type: ignore[override]
        return self.points.unit * self._scale

    @property
    def few(self) -> bool:
        return self.points.few

    @property
    def in_float32(self) -> bool:
        return self.points.in_float32

    def split(self, most: float) -> WeightedPoints:
        """The same points, those heavier than this followed by so many copies that none is.

        A sum over them is the same; but a sample of them is not missing what weighs most.
        """
        parts = np.maximum(np.ceil(self.weights / most), 1).astype(np.int64)
        copies = np.repeat(np.arange(self.n), parts - 1)
        rows = np.concatenate([np.arange(self.n), copies])
        weights = (self.weights / parts)[rows]
        return WeightedPoints(PointsAmong(self.points, rows), weights, 1.0)

    def own(self) -> NDArray[np.float64]:
        return self.points.own() * self.weights

    def block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        self._block(np.asarray(arms), np.asarray(refs), out)

    @property
    def threadable(self) -> bool:  # type: ignore[override]
        return self.points.threadable

    def tile(self, arms: Indices, refs: Indices) -> NDArray[np.float32]:
        found = self.points.tile(arms, refs)
        found *= self._rough[refs]
        return found

    def _count(self, pairs: int) -> None:
        self.points.count_tiles(pairs)

    def exact(self, arms: Indices, refs: Indices | None = None) -> NDArray[np.float64]:
        found = self.points.exact(arms, refs)
        found *= self.weights if refs is None else self.weights[refs]
        return found

    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        self.points.block(arms, refs, out)
        rough = self._rough[refs]

        def multiply(start: int, stop: int) -> None:
            out[start:stop] *= rough

        self.workers.each(multiply, len(out), 256)

    def _exact(self, arms: Indices, refs: Indices | None, out: NDArray[np.float64]) -> None:
        out[:] = self.exact(arms, refs)
