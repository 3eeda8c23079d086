"""The state of PAM on a device: the medoids, and what every point pays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..protocol import Values
from .namespace import Array, Space

# Distances from all medoids to some points.
Between = Callable[[Array], Array]


class Paid(NamedTuple):
    """What all points pay, each by its weight; on the host.

    Attributes
    ----------
    loss, size, second : float
        To the nearest medoid; the same without signs; and to the second-nearest, where one is.
    squares, squares2 : float
        What each point pays, squared; and would pay to the second-nearest.
    removal, weight : ndarray of shape (k,)
        What it costs that a medoid goes, where another is left; and what its points weigh.
    """

    loss: float
    size: float
    second: float
    squares: float
    squares2: float
    removal: Values
    weight: Values


class State:
    """Medoids, and for every point its nearest and second-nearest of them; all in float64.

    Parameters
    ----------
    space : Space
    n : int
        How many points there are.
    kept : int
        How many medoids there will be, if their rows are to be kept; else 0.
    weights : array, default=None
        How much each point counts.

    Attributes
    ----------
    medoids : list of int
        Rows that are medoids now; the position is the label.
    nearest, second : array
        Distances to the nearest and the second-nearest medoid, whatever a point weighs; infinite
        while there is none.
    owner, other : array of int64
        The position of the nearest medoid, the lower one on a tie; and of the second-nearest.
    loss : float
        What all points pay, each by its weight.
    version : int
        How often it has changed.
    """

    def __init__(self, space: Space, n: int, kept: int, weights: Array = None) -> None:
        self.space, self.n, self.weights, self._kept = space, n, weights, kept
        self.version = 0
        self.clear()

    def clear(self) -> None:
        """Take all medoids away."""
        space, n = self.space, self.n
        self.medoids: list[int] = []
        self._rows = space.full((self._kept, n), float("inf")) if self._kept else None
        self.nearest, self.second = space.full(n, float("inf")), space.full(n, float("inf"))
        self.owner = space.full(n, 0, space.xp.int64)
        self.other = space.full(n, -1, space.xp.int64)
        self.loss = float("inf")
        self._paid: Paid | None = None

    @property
    def k(self) -> int:
        return len(self.medoids)

    def add(self, medoid: int, row: Array, last: bool = True) -> None:
        """BUILD: one more medoid, at distances `row` from every point.

        What all pay need not be known before the `last` of several.
        """
        self.medoids.append(int(medoid))
        if self._rows is not None:
            self._rows[self.k - 1, :] = row
        if self._rows is None or self.space.fused is None:
            self._come(self.k - 1, row)
        elif not last:
            return
        self._close()

    def replace(self, position: int, medoid: int, row: Array, between: Between) -> None:
        """SWAP: `medoid` instead of the one at `position`.

        Where rows are not kept, points that the old one was nearest or second to are measured
        anew: `between` gives distances from all medoids to some points.
        """
        self.medoids[position] = int(medoid)
        space, xp = self.space, self.space.xp
        if self._rows is not None:
            self._rows[position, :] = row
            if space.fused is None:
                new = _two_nearest(space, self._rows[: self.k, :])
                self.nearest, self.owner, self.second, self.other = new
        else:
            lost = (self.owner == position) | (self.other == position)
            ids = space.flat(lost)
            self._come(position, row)
            for start, stop in space.chunks(ids.shape[0], self.k):
                part = ids[start:stop]
                new = _two_nearest(space, space.cast(between(part), xp.float64))
                self.nearest = space.put(self.nearest, part, new[0])
                self.owner = space.put(self.owner, part, new[1])
                self.second = space.put(self.second, part, new[2])
                self.other = space.put(self.other, part, new[3])
        self._close()

    def loss_after(self, position: int, row: Array) -> float:
        """The loss if the medoid at `position` gave way to one at distances `row`."""
        xp = self.space.xp
        return self.total(xp.minimum(self.without(position), row))

    def without(self, position: int) -> Array:
        """What each point is at from its nearest medoid but one."""
        return self.space.xp.where(self.owner == position, self.second, self.nearest)

    def total(self, pays: Array) -> float:
        """The sum over all points, each by its weight."""
        return float(self.space.xp.sum(pays if self.weights is None else pays * self.weights))

    def _come(self, position: int, row: Array) -> None:
        """One more medoid, where the lower position is the owner on a tie."""
        xp = self.space.xp
        here = xp.full_like(self.owner, position)
        first = (row < self.nearest) | ((row == self.nearest) & (here < self.owner))
        if position == 0 and self.k == 1:
            first = xp.ones_like(first)
        between = ~first & (row < self.second)
        self.second = xp.where(first, self.nearest, xp.where(between, row, self.second))
        self.other = xp.where(first, self.owner, xp.where(between, here, self.other))
        self.nearest = xp.where(first, row, self.nearest)
        self.owner = xp.where(first, here, self.owner)
        if self.k == 1:
            self.second = self.space.full(self.n, float("inf"))
            self.other = xp.full_like(self.owner, -1)

    def _close(self) -> None:
        self.version += 1
        self._paid = None
        if self._rows is None or self.space.fused is None:
            self.loss = self.total(self.nearest)
            return
        found = self.space.fused.paid(self._rows[: self.k, :], self.weights)
        self._take(found, self.space.host(found.sums))

    def _take(self, found: Any, sums: Values) -> None:
        """What points pay now, and on the host what it sums to."""
        self.nearest, self.owner, self.second, self.other = found[:4]
        loss, size, second, squares, squares2 = sums[:5].tolist()
        removal, weight = sums[5 : 5 + self.k], sums[5 + self.k :]
        self._paid = Paid(loss, size, second, squares, squares2, removal, weight)
        self.loss = self._paid.loss

    @property
    def foresees(self) -> bool:
        """What medoids would lead to can be computed before they are placed."""
        return self._rows is not None and self.space.fused is not None

    @property
    def most(self) -> int:
        """How many medoids there will be, where their rows are kept."""
        return self._kept

    def room(self, k: int) -> Array:
        """The rows of so many medoids: of those that there are, and perhaps of one more."""
        rows: Any = self._rows
        return rows[:k, :]

    def adopt(self, position: int, medoid: int, row: Array, found: Any, sums: Values) -> None:
        """Place a medoid, with what was found of it before; `sums` are on the host."""
        rows: Any = self._rows
        self.medoids[position : position + 1] = [int(medoid)]
        rows[position, :] = row
        self.version += 1
        self._take(found, sums)

    @property
    def paid(self) -> Paid:
        """What all points pay, and to whom."""
        if self._paid is None:
            xp, weights = self.space.xp, self.weights
            second = xp.where(self.second < float("inf"), self.second, 0.0)
            each = [second - self.nearest, xp.ones_like(self.nearest)]
            if weights is not None:
                each = [amounts * weights for amounts in each]
            removal, weight = np.asarray(self.space.host(self._by_owner(xp.stack(each))))
            size = self.total(xp.abs(self.nearest))
            squares = (self._squares(self.nearest), self._squares(second))
            self._paid = Paid(self.loss, size, self.total(second), *squares, removal, weight)
        return self._paid

    def _squares(self, pays: Array) -> float:
        each = pays if self.weights is None else pays * self.weights
        return float(self.space.xp.sum(each * each))

    def _by_owner(self, amounts: Array) -> Array:
        """The sums over each medoid's points, of some rows of amounts."""
        found = 0.0
        for start, stop in self.space.chunks(self.n, self.k):
            found = found + self.space.xp.matmul(amounts[:, start:stop], self.marks(start, stop))
        return found

    def marks(self, start: int, stop: int) -> Array:
        """Whose points these are: a column for each medoid, in float64."""
        mine = self.owner[start:stop][:, None] == self.space.arange(0, max(self.k, 1))[None, :]
        return self.space.cast(mine, self.space.xp.float64)


def _two_nearest(space: Space, rows: Array) -> tuple[Array, Array, Array, Array]:
    """The nearest medoid's distance and position, and the second-nearest's."""
    xp, k = space.xp, rows.shape[0]
    owner = space.cast(xp.argmin(rows, axis=0), xp.int64)
    nearest = xp.min(rows, axis=0)
    if k == 1:
        return nearest, owner, xp.full_like(nearest, float("inf")), xp.full_like(owner, -1)
    mine = space.arange(0, k)[:, None] == owner[None, :]
    others = xp.where(mine, float("inf"), rows)
    return nearest, owner, xp.min(others, axis=0), space.cast(xp.argmin(others, axis=0), xp.int64)
