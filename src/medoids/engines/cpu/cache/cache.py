"""What is known of the distances, within the memory limit: nothing is computed in vain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...._tuning import Tuning
from ...._types import Indices
from ..points.base import Points
from .columns import Columns
from .levels import Levels
from .members import Members
from .rows import Rows


class Cache:
    """The distances of one fit, along one fixed random order of references.

    Parameters
    ----------
    points : Points
    order : ndarray of int
        A permutation of the points: every search walks it from the start.
    memory_limit : float
        Bytes for all that is kept.
    first : int
        How many references every arm is measured on at once, if memory allows.
    tuning : Tuning

    Attributes
    ----------
    columns, levels, rows : Columns, Levels, Rows
    local : bool
        Points are near each other compared with the rest, as in few dimensions: an arm's own
        cluster tells most of it, and the first references need not be as many.
    fits, keeps_all : bool
        There is room for all distances; and use: none is computed twice.
    scratch : float
        Bytes for distances that are dropped after use.
    known : ndarray of bool
        The arms whose distances to all points are kept.
    position : ndarray of int
        Where each point is in the order.
    """

    def __init__(
        self, points: Points, order: Indices, memory_limit: float, first: int, tuning: Tuning
    ) -> None:
        n = points.n
        self.points, self.order, self.memory_limit = points, order, memory_limit
        whole = 4.0 * n**2
        self.fits = whole <= tuning.all_pairs * memory_limit
        room = 2 * n if self.fits else int(tuning.columns * memory_limit // (4 * n))
        # A quarter more lines are for small clusters, which the first ones may miss.
        first = min(n, first if 2 * first < n else n, max(room * 4 // 5, 1))
        more = first // 4 + 8
        few = min(first, max(tuning.few_first, first // 2)) if first < n else first
        # There may be more of the first references, if searches come to cost so much.
        most = max(first, min(int(tuning.most_first * first), n // 2, room * 4 // 5))
        lines = min(n, max(room, first + 1), most + more)
        # Where all distances may be kept, what is left is for copies of them.
        share = min(1.0, 2 * (1 - whole / memory_limit)) if self.fits else 1.0
        rows = min(max(int(tuning.rows * memory_limit * share // (4 * n)), 1), n)
        self.columns = Columns(points, order, few, n if self.fits else lines, rows)
        self.local = first < n and self.columns.contrast > tuning.contrast
        # Else hardly any is asked for twice, and it takes less time to compute than to look up.
        often = self.local or n**2 <= tuning.kept_pairs or points.cost > tuning.kept_cost
        self.keeps_all = self.fits and often
        if self.keeps_all:  # a line that has to go would be computed twice
            more = max(more, int(tuning.more_columns * memory_limit // (4 * n)))
            lines = min(n, most + more)
        self.columns.allow(max(lines - most, 0), self.keeps_all)
        if not self.local:
            self.columns.extend(first)
        self.levels = Levels(self.columns, tuning.levels * memory_limit * share)
        self._copying = tuning.copying
        self.members = Members(points, order, tuning.levels * memory_limit * share, self._copying)
        self.rows = Rows(self.columns, self.levels)
        self.scratch = tuning.scratch * memory_limit * share
        self.known = self.levels.known if self.keeps_all else self.rows.held
        self.position = self.rows.position
        self._most = most

    def has_rows(self, arms: Indices) -> NDArray[np.bool_]:
        """Of which arms the distances to all points are at hand."""
        found: NDArray[np.bool_] = self.known[arms] | (self.columns.mirrored(arms) >= 0)
        return found

    @property
    def may_double(self) -> bool:
        """There is room for twice as many first references."""
        return 2 * self.first <= self._most

    def double(self) -> None:
        """Measure every arm on twice as many first references."""
        self.columns.extend(2 * self.first)

    def complete(self) -> None:
        """Compute all distances that are left, and keep them."""
        self.keeps_all = self.columns.keeps_all = True
        self.known = self.levels.known
        self.levels.complete()

    def forget(self) -> None:
        """Forget what belongs to the medoids of one start; distances stay."""
        self.members = Members(self.points, self.order, self.members.room, self._copying)

    @property
    def first(self) -> int:
        """References that every arm is measured on."""
        return self.columns.first
