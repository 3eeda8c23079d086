"""Distances that are kept: no search computes again what an earlier one did."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .points.base import Indices, Points

# Shares of the memory limit: distances from all arms to the first references, from some
# arms to more, from a few to all points; what is dropped after use; and rows in float64. The
# rest is for arrays of the length of the data.
_COLUMNS, _LEVELS, _ROWS, _SCRATCH, _EXACT = 0.4, 0.2, 0.1, 0.1, 0.05
# Where all distances take no more than this share, none is computed twice.
_ALL = 0.95
# Then so much is for references of small clusters, on which every arm is measured.
_LINES = 0.04


class Level:
    """Distances from some arms to one stretch of the reference order."""

    def __init__(self, refs: Indices, n: int, most: int) -> None:
        self.refs = refs
        self.slot = np.full(n, -1, dtype=np.int32)
        self.used = 0
        # A width that is no power of two keeps columns from sharing cache lines. The
        # array takes address space alone until rows are written.
        self.block = np.empty((most, len(refs) + 16), dtype=np.float32)


class Cache:
    """What is known of the distances, along one fixed random order of references.

    Parameters
    ----------
    points : Points
    order : ndarray of int
        A permutation of the points: every search walks it from the start.
    memory_limit : float
        Bytes for all that is kept.
    first : int
        How many references every arm is measured on at once, if memory allows.

    Attributes
    ----------
    keeps_all : bool
        There is room for all distances: none is computed twice.
    known : ndarray of bool
        The arms whose distances to all points are kept.
    """

    def __init__(self, points: Points, order: Indices, memory_limit: float, first: int) -> None:
        n = points.n
        self.points, self.order, self.memory_limit = points, order, memory_limit
        self.position = np.empty(n, dtype=np.int64)
        self.position[order] = np.arange(n)
        whole = 4.0 * n**2
        self.keeps_all = whole <= _ALL * memory_limit
        room = 2 * n if self.keeps_all else int(_COLUMNS * memory_limit // (4 * n))
        # A quarter more lines are for small clusters, which the first ones may miss.
        self.first = min(n, first if 2 * first < n else n, max(room * 4 // 5, 1))
        more = self.first // 4 + 8
        if self.keeps_all:  # a line that has to go would be computed twice
            more = max(more, int(_LINES * memory_limit // (4 * n)))
        self._capacity = min(n, max(room, self.first + 1), self.first + more)
        # Lines take address space alone until they are written.
        lines = n if self.keeps_all else self._capacity
        self.columns = np.empty((lines, n), dtype=np.float32)
        points.block(np.arange(n), order[: self.first], self.columns[: self.first].T)
        # The line of each reference that is seen besides the first ones, and how many these are.
        self._line, self._seen = np.full(n, -1), 0
        self.apart = self._apart()
        self.levels: list[Level] = []
        # With all distances kept, what is left is for copies of them.
        share = min(1.0, 2 * (1 - whole / memory_limit)) if self.keeps_all else 1.0
        self._room = _LEVELS * memory_limit * share
        self.scratch = _SCRATCH * memory_limit * share
        self._row_room = min(max(int(_ROWS * memory_limit * share // (4 * n)), 1), n)
        self.batch = max(min(64, self._row_room // 2), 1)
        self._rows = np.empty((0, n), dtype=np.float32)
        self._held = np.zeros(n, dtype=bool)
        self.known = np.zeros(n, dtype=bool) if self.keeps_all else self._held
        self._row_of = np.zeros(n, dtype=np.int64)
        self._arm_of = np.full(self._row_room, -1, dtype=np.int64)
        self._next = 0
        self._exact: dict[int, NDArray[np.float64]] = {}
        self._exact_room = max(int(_EXACT * memory_limit // (8 * n)), 1)

    def _apart(self) -> float:
        """How far a point usually is from the nearest of the first references."""
        if self.first == 1:
            return 0.0
        some = min(self.first, 512)
        near = self.columns[: self.first, self.order[:some]]
        near[np.arange(some), np.arange(some)] = np.inf
        return float(np.median(near.min(axis=0)))

    def see(self, wanted: Indices, push: bool = True) -> Indices:
        """Measure every arm on these references too; their lines in `columns`.

        They stay until the room for them is full; then only the wanted ones do, or, without
        a `push`, as many of the wanted ones as still find room.
        """
        room = self._capacity - self.first
        missing = wanted[self._line[wanted] < 0]
        if self._seen + len(missing) > room and self.keeps_all and not push:
            beyond = missing[max(room - self._seen, 0)]
            wanted = wanted[: int((wanted == beyond).argmax())]
            missing = wanted[self._line[wanted] < 0]
        if self._seen + len(missing) > room:
            self._forget()
            missing = wanted = wanted[:room]
        if len(missing):
            held = self.first + self._seen
            self._line[missing] = np.arange(held, held + len(missing))
            lines = self.columns[held : held + len(missing)]
            self.points.block(np.arange(self.points.n), missing, lines.T)
            self._seen += len(missing)
        return self._line[wanted]

    def _forget(self) -> None:
        self._line[:], self._seen = -1, 0

    def deepen(self, depth: int) -> list[Level]:
        """The levels that reach from the first references to `depth`."""
        reached = sum(len(level.refs) for level in self.levels)
        while reached < depth:
            stop = min(2 * reached, self.points.n) if reached else self.first
            most = int(self._room // (4 * (stop - reached + 16)))
            if self.keeps_all and reached:
                most = self.points.n
            self.levels.append(
                Level(self.order[reached:stop], self.points.n, min(most, self.points.n))
            )
            reached = stop
        count, start = 0, 0
        while start < depth:
            start += len(self.levels[count].refs)
            count += 1
        return self.levels[:count]

    def measure(self, level: Level, arms: Indices) -> tuple[NDArray[np.float32], Indices]:
        """Distances from these arms to a level, and the arms' places in them."""
        missing = arms[level.slot[arms] < 0]
        stop = level.used + len(missing)
        bytes_needed = 4 * level.block.shape[1] * len(missing)
        if self.keeps_all and level is not self.levels[0]:
            bytes_needed = 0  # it has room for all
        if bytes_needed <= self._room and stop <= len(level.block):
            self._room -= bytes_needed
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

    def _compute(self, level: Level, arms: Indices, out: NDArray[np.float32]) -> None:
        from .kernels.estimates import turn

        if level is not self.levels[0]:
            lines, out = self._line[level.refs], out[:, : len(level.refs)]
            seen = lines >= 0
            if not self.keeps_all or not seen.any():
                self.points.block(arms, level.refs, out)
                return
            out[:, seen] = self.columns[lines[seen][:, None], arms].T
            out[:, ~seen] = self.points.block_array(arms, level.refs[~seen])
            return
        columns = self.columns[: self.first]
        self.points.workers.each(
            lambda start, stop: turn(columns, arms[start:stop], out[start:stop]), len(arms), 512
        )

    def measure_all(self, arms: Indices) -> Iterator[tuple[Level, NDArray[np.float32], Indices]]:
        """Distances from these arms to each level in turn, and the arms' places in them."""
        for level in self.deepen(self.points.n):
            yield level, *self.measure(level, arms)
        self.known[arms] = True

    def missing(self) -> int:
        """How many distances are not known, where all are kept."""
        known = sum(level.used * len(level.refs) for level in self.levels[1:])
        return (self.points.n - self.first) * self.points.n - known

    def complete(self) -> None:
        """Measure every arm on all references, those that are known as they are."""
        every = np.arange(self.points.n)
        self._forget()
        self.deepen(self.points.n)
        start = len(self.levels.pop(0).refs)
        while self.levels:
            level = self.levels.pop(0)
            lines = self.columns[start : start + len(level.refs)]
            kept = level.slot >= 0
            for some in np.array_split(np.flatnonzero(kept), -(-int(kept.sum()) // 512) or 1):
                lines[:, some] = level.block[level.slot[some], : len(level.refs)].T
            if not kept.all():
                missing = every[~kept]
                for some in np.array_split(missing, -(-len(missing) // 1024)):
                    lines[:, some] = self.points.block_array(some, level.refs).T
            start += len(level.refs)
        self.first = self.points.n
        self.known[:] = True

    def exact(self, arms: Indices) -> NDArray[np.float64]:
        """Distances from each arm to every point, in float64; those of the last ones are kept."""
        new = np.array([arm for arm in arms.tolist() if arm not in self._exact], dtype=np.int64)
        rows = dict(zip(new.tolist(), self.points.exact(new), strict=True))
        found = np.stack([self._exact[a] if a in self._exact else rows[a] for a in arms.tolist()])
        for arm, row in rows.items():
            if len(self._exact) >= self._exact_room:
                self._exact.pop(next(iter(self._exact)))
            self._exact[arm] = row
        return found

    def parts(self, arms: Indices) -> Iterator[Indices]:
        """Places of arms that can be fetched together, those that are known first."""
        known = self._held[arms]
        for group in (np.flatnonzero(known), np.flatnonzero(~known)):
            for start in range(0, len(group), self.batch):
                yield group[start : start + self.batch]

    def fetch(self, arms: Indices) -> tuple[NDArray[np.float32], Indices]:
        """Distances from each arm to every point, and the arms' places in them.

        They are kept until others need the room, so use them at once. Ask for the arms of
        one of their `parts`.
        """
        if not self._held[arms].all():
            if not len(self._rows):
                self._rows = np.empty((self._row_room, self.points.n), dtype=np.float32)
            start = self._next if self._next + len(arms) <= self._row_room else 0
            stop = start + len(arms)
            old = self._arm_of[start:stop]
            self._held[old[old >= 0]] = False
            if self.first == self.points.n:
                self._rows[start:stop] = self.columns[self.position[:, None], arms].T
            elif self.keeps_all:
                for level, block, slots in self.measure_all(arms):
                    self._rows[start:stop, level.refs] = block[slots, : len(level.refs)]
            else:
                self.points.block(arms, np.arange(self.points.n), self._rows[start:stop])
            self._arm_of[start:stop], self._row_of[arms] = arms, np.arange(start, stop)
            self._held[arms] = True
            self._next = stop
        return self._rows, self._row_of[arms]
