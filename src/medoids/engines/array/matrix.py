"""All distances at hand on a device: a row for each arm, a column for each point."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..protocol import Ids, Values
from ..sites import Sites
from .namespace import Array
from .placed import Placed
from .rows import ArrayPoints
from .step import SLACK

# Rows of medoids may take so much, compared with the matrix.
_ROWS = 0.25


class ArrayMatrix(Placed):
    """A matrix of distances; see `Matrix` for what each method promises.

    Parameters
    ----------
    distances : array of shape (arms, points)
    points : ArrayPoints
        Where the distances were counted.
    n_clusters : int
    sites : Sites
    truth : ArrayPoints, default=None
        Where the matrix is rounded, these decide between arms that are close.
    """

    def __init__(
        self,
        distances: Array,
        points: ArrayPoints,
        n_clusters: int,
        sites: Sites,
        truth: ArrayPoints | None = None,
    ) -> None:
        arms, n = distances.shape
        super().__init__(points, n_clusters, sites, _ROWS * 8 * arms * n, n)
        self.distances, self._truth = distances, truth

    def _exact_row(self, arm: int) -> Array:
        if self._truth is not None:
            return self._truth.exact(self.space.ids([arm]))[0, :]
        return self.space.cast(self.distances[arm, :], self.space.xp.float64)

    def _between(self, refs: Array) -> Array:
        ids = self.space.ids(self.medoids)
        if self._truth is not None:
            return self._truth.exact(ids, refs)
        return self.space.cast(self._block(ids, refs), self.space.xp.float64)

    def _block(self, arms: Array, refs: Array) -> Array:
        return self.space.take(self.space.take(self.distances, arms), refs, axis=1)

    def _values(self, swap: bool, start: int = 0, stop: int | None = None) -> Iterator[Array]:
        """What arms change, of some rows at a time: infinite for those that are no arms."""
        space, step, open_ = self.space, self.step(swap), self._open()
        stop = self.n_rows if stop is None else stop
        for first, last in space.chunks(stop - start, 2 * self.n):
            rows = slice(start + first, start + last)
            values = step.changes(self.distances[rows, ...]) / self.n
            if swap:
                values = values + space.array(step.stays)[None, :]
            yield space.xp.where(open_[rows][:, None] > 0, values, float("inf"))

    def close(self, swap: bool) -> Ids:
        space, xp = self.space, self.space.xp
        lowest = xp.concat([xp.min(values, axis=1) for values in self._values(swap)])
        null, best = 0.0 if swap else np.inf, float(xp.min(lowest))
        if self._truth is None:
            return np.array([int(xp.argmin(lowest))] if best < null else [], dtype=np.int64)
        finite = xp.where(lowest < float("inf"), lowest, 0.0)
        slack = self.step(swap).slack or SLACK * float(xp.mean(xp.abs(finite)))
        near = space.flat(lowest <= min(best, null) + 2 * slack)
        return np.asarray(space.host(near), dtype=np.int64)

    def best_for_each(self) -> tuple[Ids, Values]:
        xp, start = self.space.xp, 0
        arms, found = np.zeros(self.n_clusters, dtype=np.int64), np.full(self.n_clusters, np.inf)
        for values in self._values(True):
            lowest = self.space.host(xp.min(values, axis=0))
            which = self.space.host(xp.argmin(values, axis=0)) + start
            better = lowest < found
            arms[better], found[better] = which[better], lowest[better]
            start += values.shape[0]
        return arms, found

    def first_better(self, start: int, stop: int) -> tuple[int, int]:
        at = start
        for values in self._values(True, start, stop):
            changes = self.space.host(values)
            good = np.flatnonzero(changes.min(axis=1) < 0)
            if len(good):
                return at + int(good[0]), int(changes[good[0]].argmin())
            at += len(changes)
        return -1, -1
