"""Distances from some arms to further stretches of the reference order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices
from .. import kernels
from .columns import Columns

# To turn the columns of an eighth of the arms takes a third of the time that all do: those that are
# apart in memory are a line of the cache each. So all are, if they take at most that share of the
# room.
_MANY, _SHARE = 1 / 8, 1 / 2


class Level:
    """Distances from some arms to one stretch of the reference order, from `start` on."""

    def __init__(self, refs: Indices, start: int, n: int, most: int) -> None:
        self.refs, self.start, self.stop = refs, start, start + len(refs)
        self.slot = np.full(n, -1, dtype=np.int32)
        self.used = 0
        # A width that is no power of two keeps columns from sharing cache lines. The
        # array takes address space alone until rows are written.
        self.block = np.empty((most, len(refs) + 16), dtype=np.float32)


class Levels:
    """Stretches of the order, each as long as all before it; the first are columns, turned.

    Parameters
    ----------
    columns : Columns
    room : float
        Bytes for all of them; beyond the first they have room for all arms, where all distances
        are kept.

    Attributes
    ----------
    known : ndarray of bool
        The arms that were measured on all references.
    """

    def __init__(self, columns: Columns, room: float) -> None:
        self.columns, self.points = columns, columns.points
        self._levels: list[Level] = []
        self._room = room
        self.known = np.zeros(self.points.n, dtype=bool)

    def deepen(self, depth: int) -> list[Level]:
        """The levels that reach from the first references to `depth`."""
        n, first = self.points.n, self.columns.first
        reached = sum(len(level.refs) for level in self._levels)
        while reached < depth:
            stop = min(2 * reached, n) if reached else first
            most = int(self._room // (4 * (stop - reached + 16)))
            if self.columns.keeps_all and reached:
                most = n
            refs = self.columns.order[reached:stop]
            self._levels.append(Level(refs, reached, n, min(most, n)))
            reached = stop
        count, start = 0, 0
        while start < depth:
            start += len(self._levels[count].refs)
            count += 1
        return self._levels[:count]

    def measure(self, level: Level, arms: Indices) -> tuple[NDArray[np.float32], Indices]:
        """Distances from these arms to a level, and the arms' places in them."""
        missing = arms[level.slot[arms] < 0]
        if level.stop <= self.columns.first and len(missing) > _MANY * self.points.n:
            missing = self._all_missing(level, missing)
        stop = level.used + len(missing)
        bytes_needed = 4 * level.block.shape[1] * len(missing)
        if self.columns.keeps_all and level.start:
            bytes_needed = 0  # it has room for all
        if bytes_needed <= self._room and stop <= len(level.block):
            self._room -= bytes_needed
            missing = np.sort(missing)  # neighbours in memory are read together
            self._compute(level, missing, level.block[level.used : stop])
            level.slot[missing] = np.arange(level.used, stop, dtype=np.int32)
            level.used = stop
            return level.block, level.slot[arms]
        block = np.empty((len(arms), level.block.shape[1]), dtype=np.float32)
        kept = level.slot[arms] >= 0
        order = np.argsort(kept, kind="stable")  # those to compute come first
        self._compute(level, missing, block[: len(missing)])
        block[len(missing) :] = level.block[level.slot[arms[kept]]]
        place = np.empty(len(arms), dtype=np.int32)
        place[order] = np.arange(len(arms), dtype=np.int32)
        return block, place

    def _all_missing(self, level: Level, missing: Indices) -> Indices:
        """All arms that are not in a level of columns, where there is room; or those `missing`."""
        every: Indices = np.flatnonzero(level.slot < 0)
        takes = 4 * level.block.shape[1] * len(every)
        fits = level.used + len(every) <= len(level.block) and takes <= _SHARE * self._room
        return every if fits else missing

    def measure_all(self, arms: Indices) -> Iterator[tuple[Level, NDArray[np.float32], Indices]]:
        """Distances from these arms to each level in turn, and the arms' places in them."""
        for level in self.deepen(self.points.n):
            yield level, *self.measure(level, arms)
        self.known[arms] = True

    def _compute(self, level: Level, arms: Indices, out: NDArray[np.float32]) -> None:
        columns = self.columns
        if level.stop <= columns.first:
            block = columns.block[level.start : level.stop]
            self.points.workers.each(
                lambda start, stop: kernels.turn(block, arms[start:stop], out[start:stop]),
                len(arms),
                512,
            )
            return
        out = out[:, : len(level.refs)]
        mirrored = columns.mirrored(arms) if columns.keeps_all else np.full(len(arms), -1)
        if (mirrored >= 0).any():
            for row, line in zip(out, mirrored.tolist(), strict=True):
                if line >= 0:
                    row[:] = columns.block[line, level.refs]
            new = mirrored < 0
            if new.any():
                part = np.empty((int(new.sum()), len(level.refs)), dtype=np.float32)
                self._compute(level, arms[new], part)
                out[new] = part
            return
        lines = columns.lines_of(level.refs)
        seen = lines >= 0
        if not columns.keeps_all or not seen.any():
            self.points.block(arms, level.refs, out)
            return
        out[:, seen] = columns.block[lines[seen][:, None], arms].T
        out[:, ~seen] = self.points.block_array(arms, level.refs[~seen])

    def missing(self) -> int:
        """How many distances are not known, where all are kept."""
        first = self.columns.first
        known = sum(each.used * len(each.refs) for each in self._levels if each.start >= first)
        return (self.points.n - first) * self.points.n - known

    def complete(self) -> None:
        """Measure every arm on all references, those that are known as they are.

        Then they are columns all, and there is no level.
        """
        every, columns = np.arange(self.points.n), self.columns
        self.deepen(self.points.n)
        # The lines of references that are seen besides are written over.
        while self._levels:
            level = self._levels.pop(0)
            if level.stop <= columns.first:
                continue
            lines = columns.block[level.start : level.stop]
            kept = level.slot >= 0
            for some in np.array_split(np.flatnonzero(kept), -(-int(kept.sum()) // 512) or 1):
                lines[:, some] = level.block[level.slot[some], : len(level.refs)].T
            if not kept.all():
                missing = every[~kept]
                for some in np.array_split(missing, -(-len(missing) // 1024)):
                    lines[:, some] = self.points.block_array(some, level.refs).T
        columns.grow()
        self.known[:] = True
