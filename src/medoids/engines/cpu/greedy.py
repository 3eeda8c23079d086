"""What arms of BUILD gain at the first references, kept from step to step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..protocol import Values
from . import kernels
from .cache.cache import Cache
from .state import State


class GreedySums:
    """The sum over the first references of what each arm would leave them to pay.

    A new medoid changes the sums at its own references alone.
    """

    def __init__(self, state: State, cache: Cache) -> None:
        self.state, self.cache = state, cache
        self._sums = np.zeros(state.n)
        self._cap = np.full(cache.first, -np.inf, dtype=np.float32)

    def updated(self) -> Values:
        """The sums, up to date with the medoids: a copy."""
        self.cache.points.workers.each(self._summer(), self.state.n, 1024)
        return self._sums.copy()

    def _summer(self) -> Callable[[int, int], None]:
        """What brings the sums of some arms up to date."""
        columns, first = self.cache.columns.block, self.cache.first
        if not self.state.k:

            def add(start: int, stop: int) -> None:
                self._sums[start:stop] = columns[:first, start:stop].sum(axis=0, dtype=np.float64)

            return add
        if self.state.k == 1:
            self._sums[:] = 0.0
        old, new = self._cap, self.state.nearest[self.cache.order[:first]].astype(np.float32)
        lines = np.flatnonzero(new != old)
        self._cap = new

        def update(start: int, stop: int) -> None:
            kernels.add_gains(columns, lines, old[lines], new[lines], self._sums[start:stop], start)

        return update
