"""Sums of all arms' rewards over the first references, carried from step to step.

A step changes what some references pay, or to whom. Only the distances to these are read again:
what arms won there before is taken out of the sums, and what they win now is added.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...._tuning import Tuning
from ...._types import Indices
from .. import kernels
from ..cache.cache import Cache
from ..kernels.tuples import Lines
from ..step import Step
from .sample import Sample, padded_by_part

# Arms that a thread takes at a time.
_ARMS = 2048
# Steps that sums are carried for before they are summed anew: each leaves some rounding.
_STEPS = 16
# Or until no reference pays more than a share of what one paid: its rounding would stay.
_SHARE = 0.25
# A reference that rewards nothing, wherever an arm is.
_NOTHING = np.float32(-1e30)


class Sums:
    """What the screen of a step knows from the step before.

    Parameters
    ----------
    n_clusters : int
        How many medoids there will be.
    """

    def __init__(self, n_clusters: int) -> None:
        self._most = n_clusters
        self._sums: NDArray[np.float64] = np.empty((0, 0, 0))
        # The stratum that each of the first references is summed in, if it is, and its caps.
        self._parts: Indices = np.empty(0, dtype=np.int64)
        self._caps = np.empty((0, 4), dtype=np.float32)
        self._steps, self._largest = 0, 0.0

    def carry(
        self, step: Step, cache: Cache, sample: Sample, tuning: Tuning
    ) -> tuple[NDArray[np.float64], Lines]:
        """Bring the sums to this step; they, and the references of the sample that they lack.

        They are of the first references but for the heavy ones, by owner; of none, where memory
        does not suffice.
        """
        kinds, n = 4 if step.swap else 2, cache.points.n
        caps = step.caps(sample.ids)
        summed = (np.arange(len(caps)) < cache.first) & (sample.parts < step.k)
        if 8 * max(self._most, step.k) * kinds * n > tuning.sums * cache.memory_limit:
            summed[:] = False
        rest = _lines(~summed, sample.ids, sample.lines, sample.parts, caps, 2 * step.k)
        if not summed.any():
            self._sums = np.empty((0, kinds, 0))
            return self._sums, rest
        first = slice(cache.first)
        ids, caps = sample.ids[first], caps[first]
        parts = np.where(summed[first], sample.parts[first], -1)
        self._change(step, cache, ids, parts, caps, kinds)
        self._parts, self._caps = parts, caps
        return self._sums[: step.k], rest

    def _change(
        self,
        step: Step,
        cache: Cache,
        ids: Indices,
        parts: Indices,
        caps: NDArray[np.float32],
        kinds: int,
    ) -> None:
        """Bring the sums to other strata and caps of the first references."""
        shape = max(self._most, step.k), kinds, cache.points.n
        fresh = self._sums.shape != shape or len(self._parts) != len(parts)
        largest = float(np.abs(caps[parts >= 0]).max())
        fresh = fresh or self._steps == _STEPS or largest < _SHARE * self._largest
        if not fresh:
            changed = (parts != self._parts) | (caps != self._caps).any(axis=1)
            fresh = 2 * int(changed.sum()) > len(parts)
        if fresh:
            changed = np.ones(len(parts), dtype=bool)
            if self._sums.shape != shape:
                self._sums = np.zeros(shape)
            else:
                self._sums[:] = 0.0
            self._parts, self._caps = np.full(len(parts), -1), caps
            self._steps, self._largest = 0, 0.0
        self._steps, self._largest = self._steps + 1, max(self._largest, largest)
        places = np.arange(len(parts))
        gone = _lines(changed & (self._parts >= 0), ids, places, self._parts, self._caps, step.k)
        come = _lines(changed & (parts >= 0), ids, places, parts, caps, step.k)
        block, sums = cache.columns.block, self._sums
        cache.points.workers.each(
            lambda start, stop: kernels.carry_sums(
                block, gone, come, step.swap, (start, stop), sums
            ),
            cache.points.n,
            _ARMS,
        )


def _lines(
    which: NDArray[np.bool_],
    ids: Indices,
    lines: Indices,
    parts: Indices,
    caps: NDArray[np.float32],
    count: int,
) -> Lines:
    """Some references, stratum by stratum; there are so many strata."""
    some = np.flatnonzero(which)
    where, bounds = padded_by_part(parts[some], count)
    filled = where < 0
    at = some[where] if len(some) else where
    laid = Lines(lines[at], ids[at], bounds, caps[at])
    laid.at[filled], laid.ids[filled], laid.caps[filled] = 0, -1, _NOTHING
    return laid
