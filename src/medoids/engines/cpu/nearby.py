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
from .changed import Change, Known, Memory
from .points.base import Points
from .step import Step

# Arms and points of a tile, which stays near the core; medoids whose points are picked together,
# and how many ids that may take; points that tell how far one has to look.
_ARMS, _POINTS, _MEDOIDS, _PICKED, _TOLD = 256, 1024, 64, 2**23, 1024


class Judged(NamedTuple):
    """What arms change of the loss, by the points around them.

    Attributes
    ----------
    values : ndarray of shape (n,)
        Infinite for those that are no arms; of those that were not judged a lower bound.
    arms : int
        How many were judged;
    seen : float
        and by how many points, on average.
    known : Known or None
        What is to be remembered of arms that were judged by all points.
    """

    values: Values
    arms: int
    seen: float
    known: Known | None = None


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
            return self.by_all()
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
        return Judged(self._values, len(self._arms), seen.sum() / max(len(self._arms), 1))

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
        removal = self._removal[owners]
        for first in range(0, len(arms), _ARMS):
            part = arms[first : first + _ARMS]
            sums = self._sums(part, around, numbers, len(owners))
            self._values[part] = kernels.best_swaps(*sums, removal, self._least)

    def by_all(self, arms: Indices | None = None, known: Known | None = None) -> Judged:
        """Judge some arms (None: all) by all points; the others are `known` not to be good."""
        arms = self._arms if arms is None else arms
        known = Known.nothing(self._n) if known is None else known
        every = np.arange(self._n)

        def work(start: int, stop: int) -> None:
            some = arms[start:stop]
            shared, extra = self._sums(some, every, self.step.owner, self._k)
            values, replaced = np.empty((len(some), 4)), np.empty((len(some), 2), dtype=np.int32)
            kernels.lowest_swaps(shared, extra, self._removal, values, replaced)
            known.values[some], known.replaced[some], known.alone[some] = values, replaced, shared

        self.points.in_tiles(work, len(arms), _ARMS)
        self.points.count_tiles(len(arms) * self._n)
        return Judged(known.lowest, len(arms), self._n, known)

    def go_on(self, before: Memory) -> Judged:
        """Judge by all points those arms that may be good, as what is known from before tells.

        The value of a swap has changed at points that pay otherwise than before, and nowhere else;
        so a lower bound moves by what changed there (docs/algorithm.md, "What a swap leaves as it
        was"). If these points are many, all arms are judged.
        """
        change, known = Change(before, self.step), Known.nothing(self._n)
        if 2 * len(change.points) > self._n:
            return self.by_all()
        arms, margin = self._arms, self.step.slack * self._n

        def work(start: int, stop: int) -> None:
            change.carry(self.points, arms[start:stop], known)

        self.points.in_tiles(work, len(arms), _ARMS)
        self.points.count_tiles(len(arms) * len(change.points))
        known.values[:] -= change.left_out
        # Nothing is known of those that were medoids.
        unknown = np.isin(arms, before.medoids)
        return self.by_all(arms[unknown | (known.lowest[arms] <= 2 * margin)], known)

    def _sums(
        self, arms: Indices, around: Indices, owner: NDArray[np.int32], owners: int
    ) -> tuple[Values, Values]:
        """What arms win at some points if no medoid goes, and what is added where each one does."""
        shared, extra = np.zeros(len(arms)), np.zeros((len(arms), owners))
        for at in range(0, len(around), _POINTS):
            part = slice(at, at + _POINTS)
            some = around[part]
            block, clips = self.points.tile(arms, some), (self._nearest[some], self._second[some])
            kernels.add_nearby(block, *clips, owner[part], shared, extra)
        return shared, extra
