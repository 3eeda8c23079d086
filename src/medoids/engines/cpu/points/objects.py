"""Points that are objects of any kind, under a measure or a function of the user's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ...._types import Floats, Indices
from ....dissimilarities.base import Measure
from ....dissimilarities.called import Call
from ...scale import unit_of
from .base import Points

# Pairs that are looked up at a time.
_AT_ONCE = 2**16
# References whose distances tell how large all are.
_FEW = 16
# The share of the memory limit for distances of a function that are kept.
_KEPT = 0.5


class ObjectPoints(Points):
    """Objects under a measure, which says how exact a block of float32 is."""

    def __init__(self, packed: Any, n: int, measure: Measure, workers: Workers) -> None:
        super().__init__(n, workers)
        self.packed, self.measure = packed, measure
        self.nonnegative, self.cost = measure.distance, measure.cost
        self.symmetric = measure.distance and measure.symmetric
        self.n_distances = measure.tried
        self._own: NDArray[np.float64] | None = None
        self._scaled = False

    def own(self) -> NDArray[np.float64]:
        if self._own is None:
            self._own = self.measure.own(self.packed, self.n)
            if not self.measure.distance:
                self._count(self.n)
        return self._own / self.unit

    def _find_unit(self, arms: Indices, refs: Indices, out: Floats) -> Indices:
        """Fill the first columns, which tell the unit of all; the references that are left."""
        self._scaled = True
        some = refs[:_FEW]
        part = np.empty((len(arms), len(some)))
        self.measure.fill(self.packed, arms, self.packed, some, part, self.workers)
        self.unit = unit_of(part, self.n)
        out[:, :_FEW] = part / self.unit
        return refs[_FEW:]

    def _fill(self, arms: Indices, refs: Indices, out: Floats) -> None:
        if not self._scaled:
            refs = self._find_unit(arms, refs, out)
            out = out[:, _FEW:]
        if self.unit == 1:
            self.measure.fill(self.packed, arms, self.packed, refs, out, self.workers)
            return
        size = max(_AT_ONCE // max(len(arms), 1), 1)
        for at in range(0, len(refs), size):
            part = np.empty((len(arms), len(refs[at : at + size])))
            some = refs[at : at + size]
            self.measure.fill(self.packed, arms, self.packed, some, part, self.workers)
            with np.errstate(over="ignore"):  # what is not finite is refused later
                out[:, at : at + size] = part / self.unit

    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        self._fill(arms, refs, out)

    def _exact(self, arms: Indices, refs: Indices | None, out: NDArray[np.float64]) -> None:
        self._fill(arms, np.arange(self.n) if refs is None else refs, out)


class CallPoints(Points):
    """Objects under a function of the user's, which is called once for each pair.

    What was computed is kept in a matrix whose columns are in the order in which references
    were first asked for, as many as `memory_limit` allows. It takes address space alone until
    entries are written.
    """

    cost = 1000.0

    def __init__(
        self, objects: Sequence[Any], call: Call, workers: Workers, memory_limit: float
    ) -> None:
        super().__init__(len(objects), workers)
        self.objects, self.call = objects, call
        room = min(self.n, int(_KEPT * memory_limit // (8 * self.n)))
        self._kept = np.zeros((self.n, room))
        self._column = np.full(self.n, -1)
        self._used = 0
        self._own: NDArray[np.float64] | None = None
        self._scaled = False
        self.nonnegative = False  # nobody knows before all are computed
        self.n_distances = call.tried

    def own(self) -> NDArray[np.float64]:
        if self._own is None:
            every = np.arange(self.n)
            self._own = self._pairs(every, every)
        return self._own / self.unit

    def _pairs(self, arms: Indices, refs: Indices) -> NDArray[np.float64]:
        """The dissimilarity of each pair, computed if it is not known."""
        new = np.unique(refs[self._column[refs] < 0])[: self._kept.shape[1] - self._used]
        self._column[new] = np.arange(self._used, self._used + len(new))
        self._used += len(new)
        columns = self._column[refs]
        has_room = columns >= 0
        known = np.zeros(len(arms))
        known[has_room] = self._kept[arms[has_room], columns[has_room]]
        # An entry of 0 is not known yet; a distance of zero is kept as -0.
        missing = np.flatnonzero(known.view(np.uint64) == 0)
        if len(missing):
            found = self.call.pairs(self.objects, arms[missing], self.objects, refs[missing])
            found[found == 0] = -0.0
            known[missing] = found
            kept = missing[has_room[missing]]
            self._kept[arms[kept], columns[kept]] = known[kept]
            self._count(len(missing))
        return known + 0.0

    def block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        self._block(np.asarray(arms), np.asarray(refs), out)

    def exact(self, arms: Indices, refs: Indices | None = None) -> NDArray[np.float64]:
        some = np.arange(self.n) if refs is None else refs
        out = np.empty((len(arms), len(some)))
        self._block(np.asarray(arms), some, out)
        return out

    def _block(self, arms: Indices, refs: Indices, out: Floats) -> None:
        size = max(_AT_ONCE // max(len(refs), 1), 1)
        for start in range(0, len(arms), size):
            some = arms[start : start + size]
            pairs = self._pairs(np.repeat(some, len(refs)), np.tile(refs, len(some)))
            if not self._scaled:
                self._scaled, self.unit = True, unit_of(pairs, self.n)
            with np.errstate(over="ignore"):  # what is not finite is refused later
                out[start : start + size] = (pairs / self.unit).reshape(len(some), len(refs))

    def _exact(self, arms: Indices, refs: Indices | None, out: NDArray[np.float64]) -> None:
        out[:] = self.exact(arms, refs)
