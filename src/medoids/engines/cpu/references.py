"""The references of the published algorithm, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from ..._types import Floats, Indices
from .points.base import Points

_BATCH = 100


class References:
    """The references in the order in which a search draws them, and distances to them.

    Parameters
    ----------
    points : Points
    rng : Generator
    replacement : bool
        A point can be drawn again.
    room : float
        Bytes for distances that are kept; with none, nothing is.
    """

    def __init__(
        self, points: Points, rng: np.random.Generator, replacement: bool, room: float
    ) -> None:
        self.points, self.rng, self.keep, self._room = points, rng, room > 0, room
        self._order = np.empty(0, dtype=int) if replacement else rng.permutation(points.n)
        self._kept: dict[Hashable, tuple[Indices, Floats]] = {}

    def batch(self, used: int) -> Indices:
        """Those that come after the first `used`."""
        if used == len(self._order):
            drawn = self.rng.integers(self.points.n, size=_BATCH)
            self._order = np.concatenate([self._order, drawn])
        return self._order[used : used + _BATCH]

    def block(self, arms: Indices, used: int) -> Floats:
        """Distances from arms (in ascending order) to that batch."""
        refs = self.batch(used)
        return self._distances(arms, used, lambda new: self.points.block_array(new, refs))

    def rows(self, arms: Indices) -> Floats:
        """Distances from arms (in ascending order) to every point, in float64."""
        return self._distances(arms, "all", self.points.exact)

    def _distances(
        self, arms: Indices, key: Hashable, compute: Callable[[Indices], Floats]
    ) -> Floats:
        if not self.keep:
            return compute(arms)
        known, kept = self._kept.get(key, (arms[:0], None))
        new = np.setdiff1d(arms, known, assume_unique=True)
        if len(new) or kept is None:
            fresh, place = compute(new), np.searchsorted(known, new)
            known = np.insert(known, place, new)
            kept = fresh if kept is None else np.insert(kept, place, fresh, axis=0)
            if fresh.nbytes <= self._room:
                self._kept[key] = known, kept
                self._room -= fresh.nbytes
        return kept[np.searchsorted(known, arms)]
