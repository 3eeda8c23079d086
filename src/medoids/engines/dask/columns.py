"""Distances from a partition's arms to references, as far as there is room to keep them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..._types import Indices
from ..cpu import kernels
from ..cpu.cache.columns import nearness
from ..cpu.rewards.sums import Sums
from .part import Part

# Arms whose distances to the first references are computed at a time, where they are not kept.
_TILE = 4096


class Columns:
    """A line of distances from all arms of a part for each of the first references, and for others.

    Parameters
    ----------
    arms : Part
    first : Part
        The first references.
    more : int
        Lines for others, which a step sees besides.
    kept : bool
        There is room for all lines.
    k : int
        How many medoids there will be.
    room : float
        Bytes for sums over the first references.

    Attributes
    ----------
    sums : Sums
        These, where the lines are kept.
    """

    def __init__(self, arms: Part, first: Part, more: int, kept: bool, k: int, room: float) -> None:
        self.arms, self.first, self.kept = arms, first, kept
        self.sums, self.room = Sums(k), room
        self._more = more
        self._apart: float | None = None
        self._line: dict[int, int] = {}
        self.block: NDArray[np.float32] = np.empty((0, arms.n), dtype=np.float32)

    def _see_first(self) -> None:
        """Measure the first references, if that was not done."""
        if self.kept and not len(self.block):
            first = self.first.n
            self.block = np.empty((first + self._more, self.arms.n), dtype=np.float32)
            self._fill(self.first, np.arange(first), np.arange(self.arms.n), self.block[:first])

    def _fill(self, refs: Part, chosen: Indices, arms: Indices, out: NDArray[np.float32]) -> None:
        refs.measure(self.arms.side, arms, out.T, chosen)

    def lines(self, more: Part | None) -> Indices:
        """The lines of the first references, and of others, which are measured now if need be."""
        self._see_first()
        first = np.arange(self.first.n)
        if more is None:
            return first
        if not self.kept:
            return np.arange(self.first.n + more.n)
        wanted = more.ids.tolist()
        self._line = {row: line for row, line in self._line.items() if row in set(wanted)}
        new = [i for i, row in enumerate(wanted) if row not in self._line]
        used = set(self._line.values())
        free = [line for line in range(self.first.n, len(self.block)) if line not in used]
        if len(free) < len(new):  # a step sees no more than was said
            block = np.empty((len(new) - len(free), self.arms.n), dtype=np.float32)
            free += range(len(self.block), len(self.block) + len(block))
            self.block = np.concatenate([self.block, block])
        if new:
            found = np.empty((len(new), self.arms.n), dtype=np.float32)
            self._fill(more, np.array(new), np.arange(self.arms.n), found)
            for i, line, values in zip(new, free, found, strict=False):
                self._line[wanted[i]] = line
                self.block[line] = values
        return np.concatenate([first, [self._line[row] for row in wanted]]).astype(np.int64)

    def apart(self) -> float:
        """A usual distance between neighbours, of arms that are the first references themselves."""
        if self._apart is None:
            block = self.block[: self.first.n]
            self._apart = float(nearness(block, np.arange(self.arms.n))[0])
        return self._apart

    def tiles(self, more: Part | None) -> Iterator[tuple[int, int, NDArray[np.float32]]]:
        """All arms, some at a time: from which to which, and their lines."""
        if self.kept:
            yield 0, self.arms.n, self.block
            return
        lines = self.first.n + (0 if more is None else more.n)
        for start in range(0, self.arms.n, _TILE):
            some = np.arange(start, min(start + _TILE, self.arms.n))
            block = np.empty((lines, len(some)), dtype=np.float32)
            self._fill(self.first, np.arange(self.first.n), some, block[: self.first.n])
            if more is not None:
                self._fill(more, np.arange(more.n), some, block[self.first.n :])
            yield start, start + len(some), block

    def rows(self, arms: Indices, out: NDArray[np.float32]) -> None:
        """Distances from some arms to the first references, a row for each."""
        if not self.kept:
            self.first.measure(self.arms.side, arms, out)
            return
        block = self.block[: self.first.n]
        self.arms.space.workers.each(
            lambda start, stop: kernels.turn(block, arms[start:stop], out[start:stop]),
            len(arms),
            512,
        )

    def rows_of(self, more: Part, chosen: Indices, arms: Indices) -> NDArray[np.float32]:
        """Distances from some arms to some of the others that the step sees."""
        if self.kept:
            lines = np.array([self._line[row] for row in more.ids[chosen].tolist()], dtype=np.int64)
            return np.ascontiguousarray(self.block[lines][:, arms].T)
        out = np.empty((len(arms), len(chosen)), dtype=np.float32)
        more.measure(self.arms.side, arms, out, chosen)
        return out


@dataclass
class Room:
    """Memory that several share.

    Attributes
    ----------
    whole, left : float
        Bytes in all, and those that nobody has taken.
    """

    whole: float
    left: float = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.whole


class Level:
    """Distances from some arms of a part to one stretch of references, a row for each arm.

    Parameters
    ----------
    n, width : int
        How many arms the part has, and references the stretch.
    fill : callable
        Gives the distances of some arms: `fill(arms, out)`.
    room : Room
        For what is kept.
    """

    def __init__(
        self, n: int, width: int, fill: Callable[[Indices, NDArray[np.float32]], None], room: Room
    ) -> None:
        self._fill, self._room, self._width = fill, room, width
        self._slot = np.full(n, -1, dtype=np.int32)
        # It takes address space alone until rows are written.
        most = min(int(room.whole // self._bytes(1)), n)
        self._block = np.empty((most, width), dtype=np.float32)
        self._used = 0

    def _bytes(self, arms: int) -> float:
        return 4.0 * self._width * arms

    def keep(self, arms: Indices) -> None:
        """Measure those of the arms that are not known, if there is room for them all."""
        missing = arms[self._slot[arms] < 0]
        if self._bytes(len(missing)) > self._room.left:  # those of earlier steps make room
            if self._bytes(len(arms)) > self._room.left + self._bytes(self._used):
                return
            self._room.left += self._bytes(self._used)
            self._slot[:], self._used = -1, 0
            missing = arms
        if len(missing):
            missing, stop = np.sort(missing), self._used + len(missing)  # as memory has them
            self._room.left -= self._bytes(len(missing))
            self._fill(missing, self._block[self._used : stop])
            self._slot[missing] = np.arange(self._used, stop, dtype=np.int32)
            self._used = stop

    def rows(self, arms: Indices) -> tuple[NDArray[np.float32], Indices]:
        """Distances from these arms, and the arms' places in them."""
        self.keep(arms)
        slots = self._slot[arms]
        if len(slots) and slots.min() < 0:
            out = np.empty((len(arms), self._width), dtype=np.float32)
            self._fill(arms, out)
            return out, np.arange(len(arms), dtype=np.int32)
        return self._block, slots
