"""Sums of all arms' rewards over the first references, carried from step to step.

A step changes what some references pay, or to whom. Only the distances to these are read again:
what arms won there before is taken out of the sums, and what they win now is added.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ...._types import Indices
from .. import kernels
from ..kernels.tuples import Lines
from .sample import padded_by_part

# Arms that a thread takes at a time.
_ARMS = 2048
# Steps that sums are carried for before they are summed anew: each leaves some rounding.
_STEPS = 16
# Or until no reference pays more than a share of what one paid: its rounding would stay.
_SHARE = 0.25
# A reference that rewards nothing, wherever an arm is.
_NOTHING = np.float32(-1e30)


class Seen(NamedTuple):
    """The references of a step, and arms' distances to them.

    Attributes
    ----------
    block : ndarray of float32 of shape (lines, arms)
    lines : ndarray of int
        Where each reference is in it: the first ones in the lines of their numbers.
    ids : ndarray of int
        Which arm each is; -1 if it is none.
    parts : ndarray of int
        The stratum of each.
    caps : ndarray of float32 of shape (references, 4)
        As in `Lines`.
    first : int
        How many are the same in every step: these are summed.
    """

    block: NDArray[np.float32]
    lines: Indices
    ids: Indices
    parts: Indices
    caps: NDArray[np.float32]
    first: int


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
        self, seen: Seen, k: int, swap: bool, room: float, workers: Workers
    ) -> tuple[NDArray[np.float64], Lines]:
        """Bring the sums to this step; they, and the references of the sample that they lack.

        They are of the first references but for the heavy ones, by owner; of none, where these
        take more than `room` bytes.
        """
        kinds, n = 4 if swap else 2, seen.block.shape[1]
        summed = (np.arange(len(seen.caps)) < seen.first) & (seen.parts < k)
        if 8 * max(self._most, k) * kinds * n > room:
            summed[:] = False
        rest = _lines(~summed, seen.ids, seen.lines, seen.parts, seen.caps, 2 * k)
        if not summed.any():
            self._sums = np.empty((0, kinds, 0))
            return self._sums, rest
        first = slice(seen.first)
        parts = np.where(summed[first], seen.parts[first], -1)
        mine = seen._replace(ids=seen.ids[first], parts=parts, caps=seen.caps[first])
        self._change(mine, k, swap, workers)
        self._parts, self._caps = parts, mine.caps
        return self._sums[:k], rest

    def _change(self, seen: Seen, k: int, swap: bool, workers: Workers) -> None:
        """Bring the sums to other strata and caps of the first references."""
        parts, caps, n = seen.parts, seen.caps, seen.block.shape[1]
        shape = max(self._most, k), 4 if swap else 2, n
        fresh = self._sums.shape != shape or len(self._parts) != len(parts)
        largest = float(np.abs(caps[parts >= 0]).max())
        fresh = fresh or self._steps == _STEPS or largest < _SHARE * self._largest
        if not fresh:
            changed = (parts != self._parts) | (caps != self._caps).any(axis=1)
            fresh = 2 * int(changed.sum()) > len(parts)
        if fresh:
            changed = np.ones(len(parts), dtype=bool)
            if self._sums.shape != shape:
                self._sums = np.empty(shape)
            self._parts, self._caps = np.full(len(parts), -1), caps
            self._steps, self._largest = 0, 0.0
        self._steps, self._largest = self._steps + 1, max(self._largest, largest)
        places = np.arange(len(parts))
        gone = _lines(changed & (self._parts >= 0), seen.ids, places, self._parts, self._caps, k)
        come = _lines(changed & (parts >= 0), seen.ids, places, parts, caps, k)
        sums = self._sums

        def work(start: int, stop: int) -> None:
            if fresh:
                sums[:, :, start:stop] = 0.0
            kernels.carry_sums(seen.block, gone, come, swap, (start, stop), sums)

        workers.each(work, n, _ARMS)


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
