"""Distances from arms to further members of their own clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ...._types import Indices
from .. import kernels
from ..points.base import Points

# A cluster, whether it is the second-nearest medoid's, and where the stretch begins.
Key = tuple[int, bool, int]
# Ids in groups, and where each group starts.
_List = tuple[Indices, NDArray[np.int64]]


class _Stretch:
    """Distances from some arms to a stretch of one list of points, as it was at one time."""

    def __init__(self, refs: Indices) -> None:
        self.refs, self.used = refs, 0
        self.block: NDArray[np.float32] = np.empty((0, len(refs)), dtype=np.float32)

    def room_for(self, count: int) -> NDArray[np.float32]:
        """The rows that come next."""
        stop = self.used + count
        if stop > len(self.block):
            block = np.empty((max(stop, 2 * len(self.block)), len(self.refs)), dtype=np.float32)
            block[: self.used] = self.block[: self.used]
            self.block = block
        return self.block[self.used : stop]


class _Places:
    """Where each arm's distances to a stretch are: in which stretch of all, and its row there."""

    def __init__(self, n: int) -> None:
        self.stretch: NDArray[np.int32] = np.full(n, -1, dtype=np.int32)
        self.row: NDArray[np.int32] = np.zeros(n, dtype=np.int32)


class Members:
    """Stretches of each cluster's members along the order, each as long as all before it.

    Clusters change from step to step: what is still of use then is kept.

    Parameters
    ----------
    points : Points
    order : ndarray of int
        All points in the order in which they are references.
    room : float
        Bytes for all of them.
    copying : float
        What it takes to copy a distance from one list to another, in nanoseconds.
    """

    def __init__(self, points: Points, order: Indices, room: float, copying: float) -> None:
        self.points, self.order, self._copying = points, order, copying
        self.room = room
        self._stretches: list[_Stretch] = []
        self._newest: dict[Key, int] = {}
        self._places: dict[tuple[bool, int], _Places] = {}
        self._lists: list[_List] = []

    def follow(
        self, owner: NDArray[np.int32], other: NDArray[np.int32], k: int, workers: Workers
    ) -> None:
        """From now on clusters are these."""
        groups = owner, other
        self._lists = [(np.empty_like(self.order), np.zeros(k + 1, np.int64)) for _ in groups]

        def work(first: int, last: int) -> None:
            for of, (ids, bounds) in zip(groups[first:last], self._lists[first:last], strict=True):
                kernels.group(self.order, of, ids, bounds)

        workers.each(work, len(groups), 1)

    def of(self, cluster: int, beside: bool) -> Indices:
        """The members of a cluster in the order; or those to whom it is the second-nearest."""
        ids, bounds = self._lists[beside]
        return ids[bounds[cluster] : bounds[cluster + 1]]

    def measure(
        self, key: Key, refs: Indices, arms: Indices
    ) -> tuple[NDArray[np.float32], Indices]:
        """Distances from arms of a cluster to a stretch, and the arms' places in them.

        Parameters
        ----------
        key : tuple
            The cluster, whether the list is that of the points next to it, and where in it the
            stretch begins.
        refs : ndarray of int
            The points of the stretch.
        arms : ndarray of int
        """
        if key[1:] not in self._places:
            self._places[key[1:]] = _Places(self.points.n)
        places = self._places[key[1:]]
        now = self._newest.get(key, -1)
        if now < 0 or not np.array_equal(self._stretches[now].refs, refs):
            self._newest[key] = now = len(self._stretches)
            self._stretches.append(_Stretch(refs))
        held = self._stretches[now]
        new = arms[places.stretch[arms] != now]
        if len(new):
            needed = 4.0 * len(refs) * len(new)
            if needed > self.room:
                self._forget()
            if needed > self.room:
                every = np.arange(len(arms), dtype=np.int32)
                return self.points.block_array(arms, refs), every
            self.room -= needed
            rows = held.room_for(len(new))
            self._fill(new, refs, places, rows)
            places.stretch[new] = now
            places.row[new] = np.arange(held.used, held.used + len(new), dtype=np.int32)
            held.used += len(new)
        return held.block, places.row[arms]

    def _forget(self) -> None:
        """Stretches of lists that have changed since make room."""
        newest = set(self._newest.values())
        for i, stretch in enumerate(self._stretches):
            if i not in newest:
                self.room += 4.0 * stretch.used * len(stretch.refs)
                self._stretches[i] = _Stretch(stretch.refs[:0])

    def _fill(
        self, arms: Indices, refs: Indices, places: _Places, out: NDArray[np.float32]
    ) -> None:
        """Distances that were measured when the list was another one are not measured again.

        But for those that take less time to compute than to copy.
        """
        before = places.stretch[arms]
        if before.max() < 0 or self.points.cost < self._copying:
            self.points.block(arms, refs, out)
            return
        for i in np.unique(before):
            mine = before == i
            old = self._stretches[i]
            at = places_of(old.refs, refs) if i >= 0 else np.full(len(refs), -1)
            kept = at >= 0
            if not kept.any():
                out[mine] = self.points.block_array(arms[mine], refs)
                continue
            part = np.empty((int(mine.sum()), len(refs)), dtype=np.float32)
            part[:, kept] = old.block[places.row[arms[mine]][:, None], at[kept]]
            if not kept.all():
                part[:, ~kept] = self.points.block_array(arms[mine], refs[~kept])
            out[mine] = part


def places_of(ids: Indices, wanted: Indices) -> Indices:
    """Where each of the wanted is among the ids; -1 where it is not."""
    if not len(ids):
        return np.full(len(wanted), -1)
    order = np.argsort(ids)
    at = np.minimum(np.searchsorted(ids, wanted, sorter=order), len(ids) - 1)
    return np.where(ids[order[at]] == wanted, order[at], -1)
