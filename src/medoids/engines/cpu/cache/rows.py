"""Distances from a few arms to all points."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices
from ..points.base import Points
from .columns import Columns
from .levels import Levels


class Rows:
    """Whole rows in float32, the oldest of which make room for others.

    Of an arm whose line the columns have, that is its row.

    Parameters
    ----------
    columns : Columns
        There is room for rows behind their lines: the `spare` ones.
    levels : Levels
        What they are put together from, where all distances are kept.

    Attributes
    ----------
    held : ndarray of bool
        The arms whose rows are kept.
    """

    def __init__(self, columns: Columns, levels: Levels) -> None:
        n, room = columns.points.n, columns.spare
        self.columns, self.levels, self.points = columns, levels, columns.points
        self.position = columns.position
        self._room, self._next = room, 0
        self._batch = max(min(64, room // 2), 1)
        self.held = np.zeros(n, dtype=bool)
        self._row_of = np.zeros(n, dtype=np.int64)
        self._arm_of = np.full(room, -1, dtype=np.int64)

    def parts(self, arms: Indices) -> Iterator[Indices]:
        """Places of arms that can be fetched together, those that are known first."""
        known = self.held[arms]
        for group in (np.flatnonzero(known), np.flatnonzero(~known)):
            for start in range(0, len(group), self._batch):
                yield group[start : start + self._batch]

    def fetch(self, arms: Indices) -> tuple[NDArray[np.float32], Indices]:
        """Distances from each arm to every point, and the arms' places in them.

        They are kept until others need the room, so use them at once. Ask for the arms of
        one of their `parts`.
        """
        if not self.held[arms].all():
            lines, kept = self.columns.mirrored(arms), self.columns.held
            self._row_of[arms] = lines
            # Those of other references than the first may be written over.
            at_hand = (lines >= 0) & (lines < self.columns.first) & self._has_lines
            new = arms[np.flatnonzero(~at_hand)[np.argsort(lines[~at_hand] >= 0, kind="stable")]]
            start = self._next if self._next + len(new) <= self._room else 0
            stop = start + len(new)
            old = self._arm_of[start:stop]
            self.held[old[old >= 0]] = False
            begin = len(self.columns.block)
            if len(new):
                self._fill(new, kept[begin + start : begin + stop])
            self._arm_of[start:stop] = new
            self._row_of[new] = np.arange(begin + start, begin + stop)
            self.held[arms] = True
            self._next = stop
        return self.columns.held, self._row_of[arms]

    @property
    def _has_lines(self) -> bool:
        """Lines of columns are rows; else rows are put together of what is known of each arm."""
        return not self.columns.keeps_all and self.columns.first < self.points.n

    def _fill(self, arms: Indices, out: NDArray[np.float32]) -> None:
        """Fill in the rows of arms; those that lines have come last."""
        if self.columns.first == self.points.n:
            out[:] = self.columns.block[self.position[:, None], arms].T
        elif self.columns.keeps_all:
            for level, block, slots in self.levels.measure_all(arms):
                out[:, level.refs] = block[slots, : len(level.refs)]
        else:
            lines = self.columns.mirrored(arms)
            new = int((lines < 0).sum())
            self.points.block(arms[:new], np.arange(self.points.n), out[:new])
            for row, line in zip(out[new:], lines[new:].tolist(), strict=True):
                row[:] = self.columns.block[line]


class ExactRows:
    """Whole rows in float64, the last ones that were asked for.

    Parameters
    ----------
    points : Points
    room : int
        How many there are at most.
    """

    def __init__(self, points: Points, room: int) -> None:
        self.points, self._room = points, room
        self._rows: dict[int, NDArray[np.float64]] = {}

    def of(self, arms: Indices) -> NDArray[np.float64]:
        """Distances from each arm to every point."""
        new = np.array([arm for arm in arms.tolist() if arm not in self._rows], dtype=np.int64)
        rows = dict(zip(new.tolist(), self.points.exact(new), strict=True))
        found = np.stack([self._rows[a] if a in self._rows else rows[a] for a in arms.tolist()])
        for arm, row in rows.items():
            if len(self._rows) >= self._room:
                self._rows.pop(next(iter(self._rows)))
            self._rows[arm] = row
        return found
