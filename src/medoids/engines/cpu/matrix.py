"""All distances at hand: a row for each arm, a column for each point."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from ..._threads import Workers
from ..._types import Floats, Indices
from ..protocol import Values
from ..sites import Sites
from . import kernels
from .kernels import few
from .lookout import Look, lookout
from .placed import Placed
from .points.base import Points
from .state import State
from .step import SLACK

# Rows of medoids may take so much, compared with the matrix.
_ROWS = 0.25
# Where no more than this share of the points pay something else, sums are carried in BUILD; those
# that differ by less than this share of what points pay are summed anew, if they are so few.
_CHANGED, _CLOSE, _FEW = 0.3, 1e-11, 64


class CPUMatrix(Placed):
    """A matrix of distances; see `Matrix` for what each method promises.

    Parameters
    ----------
    distances : ndarray of shape (arms, points)
    n_clusters : int
    counter : Points
        Where the distances were counted.
    truth : Points, default=None
        Where the matrix is rounded, these decide between arms that are close.
    sites : Sites, default=Sites()
        Which rows may be medoids.
    """

    def __init__(
        self,
        distances: Floats,
        n_clusters: int,
        counter: Points,
        truth: Points | None = None,
        sites: Sites = Sites(),  # noqa: B008
    ) -> None:
        super().__init__(
            distances.shape[1],
            len(distances),
            n_clusters,
            counter,
            sites,
            _ROWS * distances.nbytes,
        )
        self.distances, self._truth = distances, truth
        self._every = np.arange(len(distances))
        # In BUILD, what each arm changes, as a sum; and what points paid then.
        self._joins: tuple[Values, Values] | None = None
        # Looks for swaps from these medoids.
        self._look: tuple[list[int], Look] | None = None

    def rows(self, arms: Indices) -> NDArray[np.float64]:
        if self._truth is not None:
            return self._truth.exact(arms)
        return self.distances[arms].astype(np.float64)

    def between(self, refs: Indices) -> Floats:
        if self._truth is not None:
            return self._truth.exact(np.array(self.medoids), refs)
        found: Floats = self.distances[np.ix_(np.array(self.medoids), refs)]
        return found

    def block(self, arms: Indices, refs: Indices) -> Floats:
        return np.asarray(self.distances[np.ix_(arms, refs)], dtype=np.float32)

    def _values(self, swap: bool) -> Values:
        return self._open(self.step(swap).values(self.distances, self._every, self.workers))

    def _open(self, values: Values) -> Values:
        """The values of arms, infinite of those that cannot become medoids."""
        values[self.medoids] = np.inf
        if self.sites.allowed is not None:
            values[~self.sites.allowed] = np.inf
        return values

    def _joining(self) -> Values:
        """What each arm changes if it joins the medoids; the last digits may be wrong."""
        now, rows = self.state.nearest, self.distances
        if self._joins is not None and self.state.k > 1:
            sums, before = self._joins
            lines = np.flatnonzero(now != before)
            if len(lines) <= _CHANGED * self.n:
                old, new = before[lines], now[lines]

                def work(start: int, stop: int) -> None:
                    kernels.carry_joins(rows[start:stop], lines, old, new, sums[start:stop])

                self.workers.each(work, len(rows), 256)
                self._joins = sums, now.copy()
                return self._open(sums[:, None] / self.n)
        values = self.step(False).values(rows, self._every, self.workers)
        self._joins = values[:, 0] * self.n, now.copy()
        return self._open(values)

    def close(self, swap: bool) -> Indices:
        many = self._truth is None and not few.are_few(self.distances, self.n)
        if not swap and many and self.state.k:
            lowest = self._joining()[:, 0]
            slack = _CLOSE * float(np.abs(self.state.nearest).mean())
            arms = np.flatnonzero(lowest <= lowest.min() + slack)
            if len(arms) <= _FEW:  # who decides sums them anew
                return arms
        lowest = self._values(swap).min(axis=1)
        null = 0.0 if swap else np.inf
        if self._truth is None:
            arm = int(lowest.argmin())
            return np.array([arm] if lowest[arm] < null else [], dtype=np.int64)
        # Before the first medoid, of arms that may become one: the others' values are infinite.
        paid = np.abs(lowest[lowest < np.inf])
        slack = self.step(swap).slack if self.state.k else SLACK * float(paid.mean())
        return np.flatnonzero(lowest <= min(float(lowest.min()), null) + 2 * slack)

    def best_for_each(self) -> tuple[Indices, Values]:
        values = self._values(True)
        return values.argmin(axis=0), values.min(axis=0)

    def first_better(self, start: int, stop: int) -> tuple[int, int]:
        if self._look is None or self._look[0] != self.medoids:
            look = lookout(self.state, self.distances, self.workers, allowed=self.sites.allowed)
            self._look = list(self.medoids), look
        some = self._every[start:stop]
        found, position = self._look[1](some, some)
        return start + found if found >= 0 else -1, position


class CPUSites(CPUMatrix):
    """A matrix of the user's, with a row for each candidate and a column for each point.

    It serves the methods that look at all distances.

    Parameters
    ----------
    points : SitePoints or WeightedPoints
    n_clusters : int
    room : float
    sites : Sites
    """

    def __init__(self, points: Points, n_clusters: int, room: float, sites: Sites) -> None:
        every = np.arange(sites.n_rows(points.n))
        super().__init__(points.exact(every), n_clusters, points, sites=sites)
        self.room = room

    def fresh(self, n_clusters: int | None = None) -> CPUSites:
        other = copy(self)
        other.n_clusters = n_clusters or self.n_clusters
        other.state = State(self.n, other.n_clusters, len(self.fixed))
        other._step = other._look = other._joins = None
        return other

    again = fresh

    def bytes_held(self, exact: bool = False) -> float:
        return 0.0

    def matrix(self, *, exact: bool = False, confirmed: bool = False) -> CPUSites:
        return self

    def rough_loss(self, medoids: Sequence[int]) -> float:
        return float(self.distances[np.array(medoids)].min(axis=0).sum())


def weigh(rows: Floats, weighting: bool, workers: Workers, points: Values | None = None) -> None:
    """Multiply distances by the number of points that each reference stands for.

    With `weighting` these are the points that it is the nearest reference of, each with its
    weight in `points`; else all count the same.
    """
    n, size = rows.shape
    nearest = np.empty(n, dtype=np.int64)

    def find(start: int, stop: int) -> None:
        nearest[start:stop] = rows[start:stop].argmin(axis=1)

    all_of_them = n if points is None else points.sum()
    weights = np.full(size, all_of_them / size, dtype=np.float32)
    if weighting:
        workers.each(find, n, 1024)
        weights = np.bincount(nearest, points, minlength=size).astype(np.float32)

    def multiply(start: int, stop: int) -> None:
        rows[start:stop] *= weights

    workers.each(multiply, n, 1024)
