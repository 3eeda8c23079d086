"""The state of PAM: the medoids, and what every point pays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import kernels


class State:
    """Medoids, and for every point its nearest and second-nearest of them.

    Parameters
    ----------
    n : int
        How many points there are.
    n_clusters : int
        How many medoids there will be.

    Attributes
    ----------
    medoids : list of int
        Rows that are medoids now; the position is the label.
    nearest, second : ndarray of float64
        Distances to the nearest and the second-nearest medoid (infinite while there
        is none).
    owner, other : ndarray of int32
        The position of the nearest medoid, the lower one on a tie; and of the second-nearest.
    loss : float
        The sum of `nearest`: equation 1.
    version : int
        How often it has changed.
    """

    def __init__(self, n: int, n_clusters: int) -> None:
        self.n = n
        self.medoids: list[int] = []
        self.rows = np.empty((n_clusters, n))
        self.nearest, self.second = np.full(n, np.inf), np.full(n, np.inf)
        self.owner, self.other = np.zeros(n, np.int32), np.full(n, -1, np.int32)
        self.loss, self.version = np.inf, 0

    @property
    def k(self) -> int:
        return len(self.medoids)

    def add(self, medoid: int, row: NDArray[np.floating]) -> None:
        """BUILD: one more medoid, at distances `row` from every point."""
        self.medoids.append(int(medoid))
        self._assign(self.k - 1, row)

    def replace(self, position: int, medoid: int, row: NDArray[np.floating]) -> None:
        """SWAP: `medoid` instead of the one at `position`."""
        self.medoids[position] = int(medoid)
        self._assign(position, row)

    def loss_after(self, position: int, row: NDArray[np.floating]) -> float:
        """The loss if the medoid at `position` gave way to one at distances `row`."""
        others = np.where(self.owner == position, self.second, self.nearest)
        return float(np.minimum(others, row).sum())

    def _assign(self, position: int, row: NDArray[np.floating]) -> None:
        self.rows[position] = row
        kernels.reassign(
            self.rows, self.k, position, self.owner, self.other, self.nearest, self.second
        )
        self.loss = float(self.nearest.sum())
        self.version += 1
