"""The references that arms are measured on, and the distances to the first of them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..._types import Indices
from ..sites import Sites
from .held import Held, hold
from .namespace import Array
from .rows import ArrayPoints, ArrayRows

# So many references are drawn at first, where they are no more than this part of the points.
_DRAWN, _SHARE = 1 << 16, 4


class Sample:
    """One random order of references: of points without replacement, or by their weight with it.

    Parameters
    ----------
    points : ArrayPoints
    first : int
        References that every arm is measured on; where these are all points, they are in order,
        and count by their weight.
    sites : Sites
    rng : Generator
    size : int, default=None
        Where all distances are held, for kernels to sum: the bytes of each.
    """

    def __init__(
        self,
        points: ArrayPoints,
        first: int,
        sites: Sites,
        rng: np.random.Generator,
        size: int | None = None,
    ) -> None:
        self._size = size
        self.points, self.first, self.space = points, first, points.space
        n, weights = points.n, sites.weights
        self.weighted = weights is not None and first < n
        self._weights = weights
        self._rng = rng
        self._order: Indices = np.empty(0, dtype=np.int64)  # as far as it was drawn
        self._shuffled: Indices | None = None
        self._ids: Array = None
        self._block: Array = None

    def refs(self, depth: int) -> Array:
        """The references up to a depth."""
        if self._ids is None or self._ids.shape[0] < depth:
            self._ids = self.space.ids(self._drawn(depth)[:depth])
        return self._ids[:depth]

    def _drawn(self, depth: int) -> Indices:
        """The order, at least up to a depth: to draw all takes longer than some steps."""
        n, weights, rng = self.points.n, self._weights, self._rng
        if len(self._order) >= depth:
            return self._order
        if self.first == n:
            self._order = np.arange(n)
        elif weights is not None:
            self._order = rng.choice(n, n, p=weights / weights.sum())
        elif not len(self._order) and _SHARE * max(depth, _DRAWN) <= n:
            self._order = rng.choice(n, max(depth, _DRAWN), replace=False)
        else:
            left = np.ones(n, dtype=bool)
            left[self._order] = False
            self._order = np.concatenate([self._order, rng.permutation(np.flatnonzero(left))])
        return self._order

    def from_the_end(self, count: int, which: int) -> Indices:
        """Different points, ascending, others for each `which`: from the end of the order."""
        n = self.points.n
        order = self._drawn(n)
        if self.first == n:  # which is no random order then
            if self._shuffled is None:
                self._shuffled = self._rng.permutation(n)
            order = self._shuffled
        return np.unique(order[np.arange(-(which + 1) * count, -which * count) % n])

    @property
    def counts(self) -> Array | None:
        """How often each reference counts, if they are all points of different weight."""
        if self.weighted or self._weights is None:
            return None
        xp = self.space.xp
        return self.space.array(self._weights, xp.float32)[None, :]

    @cached_property
    def far(self) -> Array:
        """About the largest distance, of shape (1,)."""
        xp, some = self.space.xp, self._held()[: min(256, self.points.n), ...]
        largest = xp.max(xp.where(some < float("inf"), xp.abs(some), 0.0))
        return xp.reshape(xp.clip(largest, min=1e-30), (1,))

    @cached_property
    def held(self) -> Held | None:
        """All distances, if kernels sum them."""
        if self._size is None or not isinstance(self.points, ArrayRows):
            return None
        return hold(self.points, self._size)

    @property
    def exact(self) -> bool:
        """The references are all points, and no distance is rounded to float16."""
        return self.first == self.points.n and (self.held is None or self.held.exact)

    def some(self, arms: Array, depth: int) -> Array:
        """From some arms to the references up to a depth; infinite from an arm to itself."""
        xp, first = self.space.xp, self.first
        held = self._as_distances(self.space.take(self._held(), arms, axis=0))
        if depth <= first:
            return held[:, :depth]
        return xp.concat([held, self.between(arms, self.refs(depth)[first:])], axis=1)

    def between(self, arms: Array, refs: Array) -> Array:
        """From some arms to any points; infinite from an arm to itself."""
        return self._apart(self.points.block(arms, refs, rough=True), arms, refs)

    def part(self, start: int, stop: int) -> Array:
        """From arms that follow each other to the first references."""
        return self._as_distances(self._held()[start:stop, ...])

    def _as_distances(self, rows: Array) -> Array:
        return rows if self.held is None else self.held.some(self.space, rows)

    def whole(self, arms: Array) -> Array:
        """From arms to all points, where these are the references."""
        xp, rows = self.space.xp, self.space.take(self._held(), arms, axis=0)
        itself = self.points.itself
        at = 0.0 if itself is None else self.space.take(itself, arms)[:, None]
        return self.space.cast(xp.where(rows < float("inf"), rows, at), xp.float32)

    def _held(self) -> Array:
        """From all arms to the first references."""
        if self.held is not None:
            return self.held.rows
        if self._block is None:
            space, refs, n = self.space, self.refs(self.first), self.points.n
            if self.points.bytes is not None:
                block = self.points.rows(0, n, refs)
            else:
                block = self._in_parts(refs)
            if space.assigns:
                block[refs, space.arange(0, self.first)] = float("inf")
            self._block = block
        return self._block

    def _in_parts(self, refs: Array) -> Array:
        """From all arms to the first references, some arms at a time."""
        space, n = self.space, self.points.n
        block = space.xp.empty((n, self.first), dtype=space.xp.float32, device=space.device)
        for start, stop in space.chunks(n, self.first):
            found = self.points.rows(start, stop, refs, rough=self.first < n)
            if not space.assigns:
                found = self._apart(found, space.arange(start, stop), refs)
            block[start:stop, ...] = found
        return block

    def _apart(self, block: Array, arms: Array, refs: Array) -> Array:
        """A block, infinite from an arm to itself: what it gains there is known.

        It may be overwritten.
        """
        if self.space.is_torch:  # one number of a column, whichever references are there twice
            return self.space.put_one(block, self._places(arms, refs), float("inf"))
        return self.space.xp.where(arms[:, None] == refs[None, :], float("inf"), block)

    def _places(self, arms: Array, refs: Array) -> Array:
        """Where each reference is among the arms, which are all different: -1, if it is none."""
        space = self.space
        places = space.full(self.points.n_rows, -1, space.xp.int64)
        places = space.put(places, arms, space.arange(0, arms.shape[0]))
        return space.take(places, refs)
