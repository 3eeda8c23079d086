"""The state of PAM: the medoids, and what every point pays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._points import Points


class State:
    """Medoids, and for every point its nearest and second-nearest of them.

    Attributes
    ----------
    medoids : list of int
        Rows that are medoids now; the position is the label.
    nearest, second : ndarray of float64
        Distances to the nearest and the second-nearest medoid (infinite while there
        is none).
    owner : ndarray of int32
        The position of the nearest medoid; the lower one on a tie.
    loss : float
        The sum of `nearest`: equation 1.
    """

    def __init__(self, points: Points, n_clusters: int) -> None:
        self.n = points.n
        self.medoids: list[int] = []
        self.rows = np.empty((n_clusters, self.n))
        self._assign()

    @property
    def k(self) -> int:
        return len(self.medoids)

    def add(self, medoid: int, row: NDArray[np.float64]) -> None:
        """BUILD: one more medoid, at distances `row` from every point."""
        self.rows[self.k] = row
        self.medoids.append(int(medoid))
        self._assign()

    def replace(self, position: int, medoid: int, row: NDArray[np.float64]) -> None:
        """SWAP: `medoid` instead of the one at `position`."""
        self.rows[position] = row
        self.medoids[position] = int(medoid)
        self._assign()

    def loss_after(self, position: int, row: NDArray[np.float64]) -> float:
        """The loss if the medoid at `position` gave way to one at distances `row`."""
        others = np.where(self.owner == position, self.second, self.nearest)
        return float(np.minimum(others, row).sum())

    def _assign(self) -> None:
        from ._kernels import two_nearest

        self.owner, self.nearest, self.second = two_nearest(self.rows[: self.k])
        self.loss = float(self.nearest.sum())
