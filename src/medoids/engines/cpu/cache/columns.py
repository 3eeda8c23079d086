"""Distances from all arms to the first references, and to some besides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices
from ..points.base import Points


class Columns:
    """A line of distances from all arms for each of some references.

    Parameters
    ----------
    points : Points
    order : ndarray of int
        All points in the order in which they are references.
    first : int
        How many of them every arm is measured on.
    lines : int
        Of the block.
    spare : int
        And so many more behind it, for whoever has a use for them.

    Attributes
    ----------
    position : ndarray of int
        Where each point is in the order.
    keeps_all : bool
        All distances are kept: none is computed twice, and `grow` may be called.
    block : ndarray of float32 of shape (lines, n)
        It takes address space alone until lines are written.
    held : ndarray of float32 of shape (lines + spare, n)
        The same, with the spare lines.
    apart : float
        How far a point usually is from the nearest of the first references;
    contrast : float
        and from any of them, over that: large where there are few dimensions.
    """

    def __init__(self, points: Points, order: Indices, first: int, lines: int, spare: int) -> None:
        n = points.n
        self.points, self.order, self.first = points, order, first
        self.position = np.empty(n, dtype=np.int64)
        self.position[order] = np.arange(n)
        self.spare = spare
        self.held: NDArray[np.float32] = np.empty((lines + spare, n), dtype=np.float32)
        self.block = self.held[:lines]
        points.block(np.arange(n), order[:first], self.block[:first].T)
        self._more, self.keeps_all = 0, False
        # The line of each reference that is seen besides, and how many these are.
        self._line, self._seen = np.full(n, -1), 0
        self.apart, self.contrast = nearness(self.block[:first], order)

    def allow(self, more: int, keeps_all: bool) -> None:
        """How many lines are for others, which are seen besides while a search has a use for them.

        All distances may be kept if there is a line for each point.
        """
        self._more, self.keeps_all = more, keeps_all

    def see(self, wanted: Indices, push: bool = True) -> Indices:
        """Measure every arm on these references too; their lines in the block.

        They stay until the room for them is full; then only the wanted ones do, or, without
        a `push`, as many of the wanted ones as still find room.
        """
        missing = wanted[self._line[wanted] < 0]
        if self._seen + len(missing) > self._more and self.keeps_all and not push:
            beyond = missing[max(self._more - self._seen, 0)]
            wanted = wanted[: int((wanted == beyond).argmax())]
            missing = wanted[self._line[wanted] < 0]
        if self._seen + len(missing) > self._more:
            self._forget()
            missing = wanted = wanted[: self._more]
        if len(missing):
            held = self.first + self._seen
            self._line[missing] = np.arange(held, held + len(missing))
            lines = self.block[held : held + len(missing)]
            self.points.block(np.arange(self.points.n), missing, lines.T)
            self._seen += len(missing)
        return self._line[wanted]

    def lines_of(self, refs: Indices) -> Indices:
        """The lines of references that are seen besides the first; -1 where one is not."""
        return self._line[refs]

    def mirrored(self, arms: Indices) -> Indices:
        """The lines that have arms' distances to all points, from the other side; -1 if none has.

        An arm that is a reference too needs no row of its own, where distances are the same both
        ways round.
        """
        if not self.points.symmetric:
            return np.full(len(arms), -1)
        at = self.position[arms]
        return np.where(at < self.first, at, self._line[arms])

    def extend(self, first: int) -> None:
        """Measure every arm on so many first references; others that were seen are not any more."""
        self._forget()
        arms, new = np.arange(self.points.n), self.order[self.first : first]
        self.points.block(arms, new, self.block[self.first : first].T)
        self.first = first

    def grow(self) -> None:
        """From now on all references are first ones: whoever calls has written their lines."""
        self._forget()
        self.first = self.points.n

    def _forget(self) -> None:
        self._line[:], self._seen = -1, 0


def nearness(block: NDArray[np.float32], order: Indices) -> tuple[float, float]:
    """How far a point usually is from the nearest of some; and from any of them, over that.

    `order` tells which arm of the block each of its references is.
    """
    first = len(block)
    if first == 1:
        return 0.0, 1.0
    some = min(first, 512)
    near = block[:, order[:some]]
    usual = float(np.abs(near).mean(dtype=np.float64))
    near[np.arange(some), np.arange(some)] = np.inf
    apart = float(np.median(near.min(axis=0)))
    return apart, usual / abs(apart) if apart else np.inf
