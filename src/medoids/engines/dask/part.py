"""Some points, wherever they are: their things laid out, their weights, and what each pays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..._types import Floats, Indices
from ..cpu.cache.members import places_of
from ..cpu.points.across import Side, Space
from ..cpu.state import Between, State
from ..protocol import Values


class Part:
    """Points of partitions, or copies of some that every worker is given.

    Parameters
    ----------
    space : Space
    side : Side
    ids : ndarray of int
        Which rows of all data they are.
    weights : ndarray or None
        What distances to each are multiplied by.
    kept : int
        How many medoids' rows are kept, 0 or all of them.
    fixed : int
        So many of the first medoids stay.

    Attributes
    ----------
    state : State
        The medoids, and what each point pays.
    itself : ndarray
        The distance from each to itself, times its weight.
    exact_rows : dict
        Distances from a few arms, in float64, that may become medoids next.
    """

    def __init__(
        self, space: Space, side: Side, ids: Indices, weights: Values | None, kept: int, fixed: int
    ) -> None:
        self.space, self.side, self.ids, self.n = space, side, ids, side.n
        self.weights = weights
        self._rough_weights = None if weights is None else weights.astype(np.float32)
        self.itself = space.itself(side) * (1.0 if weights is None else weights)
        self.state = State(self.n, kept, fixed)
        self.exact_rows: dict[int, NDArray[np.float64]] = {}
        self._ascends = bool((np.diff(ids) > 0).all())

    def local(self, rows: Indices) -> Indices:
        """Where rows of all data are among these points; -1 where one is not."""
        if self._ascends and self.n:
            at = np.minimum(np.searchsorted(self.ids, rows), self.n - 1)
            return np.where(self.ids[at] == rows, at, -1)
        return places_of(self.ids, rows)

    def measure(
        self, left: Side, arms: Indices, out: NDArray[np.float32], refs: Indices | None = None
    ) -> None:
        """Distances from arms of another set to some of these points or to all, in float32."""
        refs = np.arange(self.n) if refs is None else refs
        self.space.rough(left, arms, self.side, refs, out)
        if self._rough_weights is not None:
            out *= self._rough_weights[refs]

    def exact(self, left: Side, arms: Indices, refs: Indices | None = None) -> NDArray[np.float64]:
        """The same in float64."""
        found = self.space.exact(left, arms, self.side, refs)
        if self.weights is not None:
            found *= self.weights if refs is None else self.weights[refs]
        return found

    def follow(self, medoids: Sequence[int], book: Part) -> None:
        """Let the medoids be these, which are in the book: what is known of others serves."""
        state, new = self.state, list(medoids)
        if state.medoids == new:
            return
        if state.k == len(new):
            changed = [i for i in range(state.k) if state.medoids[i] != new[i]]
            if len(changed) == 1:
                (i,) = changed
                state.replace(i, new[i], self._row(new[i], book), self._between(book))
                return
        if state.medoids != new[: state.k]:
            state.clear()
        for medoid in new[state.k :]:
            state.add(medoid, self._row(medoid, book))

    def _row(self, medoid: int, book: Part) -> Floats:
        if medoid in self.exact_rows:
            return self.exact_rows[medoid]
        row: Floats = self.exact(book.side, np.flatnonzero(book.ids == medoid)[:1])[0]
        return row

    def _between(self, book: Part) -> Between:
        every = np.arange(book.n)
        return lambda lost: self.exact(book.side, every, lost)
