"""Arms judged by the points around their clusters, where there are many clusters.

An arm wins at points to whom it is nearer than their second medoid, and nowhere else. These are
around it. What it wins at some of the points is never more than what it wins at all of them: so an
arm that is good by the points around it is good (docs/algorithm.md, "Many swaps a pass").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._types import Indices
from ..protocol import Values
from . import kernels
from .points.base import Points
from .step import Step

# Arms and points of a tile, which stays near the core; medoids whose points are picked together,
# and how many ids that may take; points that tell how far one has to look.
_ARMS, _POINTS, _MEDOIDS, _PICKED, _TOLD = 256, 2048, 64, 2**23, 1024


class Judged(NamedTuple):
    """What arms change of the loss, by the points around them: infinite for those that are none.

    Attributes
    ----------
    values : ndarray of shape (n,)
    seen : float
        How many points an arm was judged by, on average.
    """

    values: Values
    seen: float


class Nearby:
    """The points around each cluster of a step, and what arms are worth there.

    Parameters
    ----------
    points : Points
    step : Step
        A SWAP step with at least two medoids.
    arms : ndarray of int
        Those that are judged.
    """

    def __init__(self, points: Points, step: Step, arms: Indices) -> None:
        self.points, self.step, self._n, self._k = points, step, step.n, step.k
        self._nearest = step.state.nearest.astype(np.float32)
        self._second = step.state.second.astype(np.float32)
        self._medoids = np.array(step.state.medoids)
        self._removal = step.removal * step.n
        self._least = float(self._removal.min())
        # Cluster by cluster.
        self._arms = arms[np.argsort(step.owner[arms], kind="stable")]
        self._ends = np.cumsum(np.bincount(step.owner[arms], minlength=self._k))
        self._values = np.full(step.n, np.inf)

    def judge(self, reach: int, told: Indices) -> Judged:
        """Value all arms by the points to whom their medoid is about one of the `reach` nearest.

        With a reach of k these are all points, and the values are exact, but for rounding. `told`
        are points at random that tell how far that is.
        """
        if reach >= self._k:
            return self._by_all()
        limits = self._limits(reach, told[:_TOLD])
        seen = np.zeros(self._k, dtype=np.int64)

        def work(start: int, stop: int) -> None:
            for m, around in self._around(start, stop, limits):
                arms = self._arms[self._ends[m - 1] if m else 0 : self._ends[m]]
                self._by(around, arms)
                seen[m] = len(arms) * len(around)

        size = max(min(_PICKED // self._n, _MEDOIDS), 1)
        self.points.in_tiles(work, self._k, size)
        self.points.count_tiles(int(seen.sum()) + self._k * self._n)
        return Judged(self._values, seen.sum() / max(len(self._arms), 1))

    def _limits(self, reach: int, told: Indices) -> NDArray[np.float32]:
        """Below which distance a medoid is near a point."""
        found = self.points.block_array(self._medoids, told) - self._second[told]
        return self._second + np.float32(max(np.quantile(found, reach / self._k), 0.0))

    def _around(
        self, start: int, stop: int, limits: NDArray[np.float32]
    ) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """The points around some medoids, sorted by owner."""
        medoids, n = self._medoids[start:stop], self._n
        found = np.empty((len(medoids), n + 1), dtype=np.int32)
        counts = np.zeros(len(medoids), dtype=np.int64)
        for at in range(0, n, _POINTS):
            some = np.arange(at, min(at + _POINTS, n))
            kernels.pick_below(self.points.tile(medoids, some), limits[some], at, counts, found)
        for i in range(len(medoids)):
            ids = found[i, : counts[i]]
            yield start + i, ids[np.argsort(self.step.owner[ids], kind="stable")]

    def _by(self, around: NDArray[np.int32], arms: Indices) -> None:
        """Judge the arms of a cluster by some points."""
        numbers, owners = np.empty(len(around), np.int32), np.empty(self._k, np.int64)
        owners = owners[: kernels.number(around, self.step.owner, numbers, owners)]
        for first in range(0, len(arms), _ARMS):
            self._add(arms[first : first + _ARMS], around, numbers, self._removal[owners])

    def _by_all(self) -> Judged:
        """Judge all arms by all points."""
        every = np.arange(self._n)

        def work(start: int, stop: int) -> None:
            self._add(self._arms[start:stop], every, self.step.owner, self._removal)

        self.points.in_tiles(work, len(self._arms), _ARMS)
        self.points.count_tiles(len(self._arms) * self._n)
        return Judged(self._values, self._n)

    def _add(
        self, arms: Indices, around: Indices, owner: NDArray[np.int32], removal: Values
    ) -> None:
        shared, extra = np.zeros(len(arms)), np.zeros((len(arms), len(removal)))
        for at in range(0, len(around), _POINTS):
            part = slice(at, at + _POINTS)
            some = around[part]
            block, clips = self.points.tile(arms, some), (self._nearest[some], self._second[some])
            kernels.add_nearby(block, *clips, owner[part], shared, extra)
        self._values[arms] = kernels.best_swaps(shared, extra, removal, self._least)
