"""The state of PAM: the medoids, and what every point pays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..._threads import Workers
from ..._types import Floats, Indices
from . import kernels
from .kernels import few
from .kernels.tuples import Tally

# Points that are compared with all medoids at a time; and with one, by a thread.
_SOME, _SPAN = 1024, 16_384
# Distances from all medoids to some points.
Between = Callable[[Indices], Floats]


class State:
    """Medoids, and for every point its nearest and second-nearest of them.

    Parameters
    ----------
    n : int
        How many points there are.
    kept : int
        How many medoids there will be, if their rows are to be kept; else 0.
    fixed : int, default=0
        So many of the first medoids stay.
    workers : Workers, default=None
        None: this thread alone.

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

    def __init__(self, n: int, kept: int, fixed: int = 0, workers: Workers | None = None) -> None:
        self.n, self.fixed, self._workers = n, fixed, workers
        self._rows = np.empty((kept, n))
        self.version = 0
        self._tally: Tally | None = None
        self._tallied = -1
        self.clear()

    def clear(self) -> None:
        """Take all medoids away."""
        n = self.n
        self.medoids: list[int] = []
        self.nearest, self.second = np.full(n, np.inf), np.full(n, np.inf)
        self.owner, self.other = np.zeros(n, np.int32), np.full(n, -1, np.int32)
        self.loss = np.inf

    @property
    def k(self) -> int:
        return len(self.medoids)

    @property
    def keeps_rows(self) -> bool:
        """The distances of all medoids are kept."""
        return len(self._rows) > 0

    def between_kept(self, position: int, points: Indices) -> NDArray[np.float64]:
        """The distances of a medoid to some points, where rows are kept."""
        found: NDArray[np.float64] = self._rows[position, points]
        return found

    def pays_to(self, position: int) -> NDArray[np.bool_]:
        """The points to which a medoid is the nearest or the second-nearest."""
        pays: NDArray[np.bool_] = (self.owner == position) | (self.other == position)
        return pays

    def add(self, medoid: int, row: Floats) -> None:
        """BUILD: one more medoid, at distances `row` from every point."""
        self.medoids.append(int(medoid))
        self._assign(self.k - 1, row, None)

    def replace(
        self, position: int, medoid: int, row: Floats, between: Between | None = None
    ) -> None:
        """SWAP: `medoid` instead of the one at `position`.

        Where rows are not kept, points that the old one was nearest or second to are measured
        anew: `between` gives distances from all medoids to some points.
        """
        self.medoids[position] = int(medoid)
        self._assign(position, row, between)

    def compare(self, points: Indices, between: Between) -> None:
        """Find the nearest and second-nearest medoids of some points anew."""
        if not len(points):
            return
        for at in range(0, len(points), _SOME):
            some = points[at : at + _SOME]
            far, every = np.array(between(some), dtype=np.float64), np.arange(len(some))
            lowest = far.argmin(axis=0)
            self.owner[some], self.nearest[some] = lowest, far[lowest, every]
            far[lowest, every] = np.inf
            lowest = far.argmin(axis=0)
            self.other[some] = lowest if self.k > 1 else -1
            self.second[some] = far[lowest, every]
        self.loss = float(self.nearest.sum())
        self.version += 1

    def tally(self) -> Tally:
        """What all points pay, added up, by owner; there is a medoid."""
        if self._tally is None or self._tallied != self.version:
            found = Tally(np.zeros(self.k, np.int64), np.zeros((3, self.k)), np.zeros(2))
            add_up = few.tally if self.n <= few.FEW else kernels.tally
            add_up(
                self.owner, self.nearest, self.second, found.members, found.sums, found.sizes
            )  # fmt: skip
            self._tally, self._tallied = found, self.version
        return self._tally

    def loss_after(self, position: int, row: NDArray[np.floating]) -> float:
        """The loss if the medoid at `position` gave way to one at distances `row`."""
        others = np.where(self.owner == position, self.second, self.nearest)
        return float(np.minimum(others, row).sum())

    def _assign(self, position: int, row: Floats, between: Between | None) -> None:
        row = np.asarray(row, dtype=np.float64)
        kept = self.keeps_rows
        if kept:
            self._rows[position] = row
            rows: Floats = self._rows
        elif between is None:
            rows = self._rows
        else:
            lost = np.flatnonzero(self.pays_to(position))
            rows = np.asarray(between(lost), dtype=np.float64)
        near = (self.owner, self.other, self.nearest, self.second)
        if kept and self.n <= few.FEW:
            few.reassign(row, self.k, position, rows, near)
        else:
            k = self.k

            def work(start: int, stop: int) -> None:
                kernels.reassign(row, k, position, rows, not kept, near, (start, stop))

            if kept and self._workers is not None:
                self._workers.each(work, self.n, _SPAN)
            else:
                work(0, self.n)
        self.loss = float(self.nearest.sum())
        self.version += 1
