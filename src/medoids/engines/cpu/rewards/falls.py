"""How much lower a value may be after swaps than before, by what points pay alone.

After a swap of x with the medoid at m a point y pays min(d(x, y), r_m(y)), r_m(y) being what it
pays without m. So the loss falls by no more than r_m does, whatever x is. Where distances obey the
triangle inequality more is known: y is as far from x as from the medoid h of x, but for d(x, h). So
of a point that is well within what it pays, or well beyond, it is known what x changes there before
and now. docs/algorithm.md, "What a swap leaves as it was".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ...._types import Indices
from ...protocol import Values
from ..step import Step

# Rings around each medoid, in which arms are taken together; arms that a thread takes at a time.
_RINGS, _SPAN = 64, 16_384
# So many points tell how far arms are from their medoids: this share of them within the rings.
_TOLD, _MOST = 8192, 0.98
# How wrong a distance may be from rounding.
_ROUNDED = 1e-6


class Before(NamedTuple):
    """The step that bounds are for."""

    swap: bool
    medoids: list[int]
    nearest: NDArray[np.float64]
    second: NDArray[np.float64]
    owner: NDArray[np.int32]
    own: NDArray[np.float32]
    removal: NDArray[np.float64]
    stays: NDArray[np.float64]


class Changes:
    """The points at which something changed, and what they paid and pay, with medoids going.

    `pairs` are what they pay before and now to medoids that stay; where their owner goes; and, of
    those at `moved`, where their new owner does.
    """

    def __init__(self, before: Before, step: Step) -> None:
        state = step.state
        changed = (before.nearest != state.nearest) | (before.second != state.second)
        self.points = np.flatnonzero(changed | (before.owner != state.owner))
        near, second = before.nearest[self.points], before.second[self.points]
        near2, second2 = state.nearest[self.points], state.second[self.points]
        self.own, self.own2 = before.owner[self.points], state.owner[self.points]
        is_moved = self.own != self.own2
        self.moved = np.flatnonzero(is_moved)
        gone = second, np.where(is_moved, near2, second2)
        self.pairs = (near, near2), gone, (near[self.moved], second2[self.moved])
        self.lost = float((near - near2).sum())

    def add_up(self, stay: Values, gone: Values, came: Values, k: int) -> Values:
        """Sums over the points, of swaps with each medoid and of additions."""
        found = np.full(k + 1, stay.sum())
        found[:k] += np.bincount(self.own, gone - stay, k)
        found[:k] += np.bincount(self.own2[self.moved], came - stay[self.moved], k)
        return found


def falls(changes: Changes, before: Before, step: Step) -> NDArray[np.float32]:
    """How much lower a value of any arm may be: of swaps with each medoid, and of additions."""
    stay, gone, came = (np.maximum(old - new, 0.0) for old, new in changes.pairs)
    return _ready(changes.add_up(stay, gone, came, step.k) - changes.lost, before, step)


def falls_by_reach(
    changes: Changes, before: Before, step: Step, workers: Workers
) -> tuple[NDArray[np.float32], Indices]:
    """The same where distances obey the triangle inequality: for arms near each medoid, and far.

    A line for each swap and for additions, and the column of each arm.
    """
    state, k = step.state, step.k
    # The last ring has no end.
    width = float(np.quantile(state.nearest[:: 1 + step.n // _TOLD], _MOST)) / (_RINGS - 1) or 1.0
    stay, gone, came = (np.minimum(old - new, 0.0) for old, new in changes.pairs)
    lost = changes.add_up(stay, gone, came, k)
    table = np.empty((k + 1, k, _RINGS), dtype=np.float32)

    def work(first: int, last: int) -> None:
        for h in range(first, last):
            won = _by_ring(changes, state.between_kept(h, changes.points), width, k)
            table[:, h] = _ready(lost + won - changes.lost, before, step).T

    workers.each(work, k, 1)
    column = np.empty(step.n, dtype=np.int64)

    def place(start: int, stop: int) -> None:
        some = slice(start, stop)
        rings = np.minimum(state.nearest[some] / width, _RINGS - 1).astype(np.int64)
        column[some] = rings + _RINGS * state.owner[some]

    workers.each(place, step.n, _SPAN)
    return table.reshape(k + 1, -1), column


def _by_ring(changes: Changes, far: Values, width: float, k: int) -> NDArray[np.float64]:
    """What arms of each ring may win besides, where points are so far from its medoid.

    A point that pays b rather than a wins an arm the more, a - b, unless the arm is known to be
    within b of it: so it is as long as d(x, h) <= b - d(h, y). One that pays more takes b - a away,
    but only from arms known to be beyond b: as long as d(x, h) <= d(h, y) - b.
    """
    kept = []
    for (old, new), d in zip(changes.pairs, (far, far, far[changes.moved]), strict=True):
        ring = np.where(old > new, new - d, d - new) - _ROUNDED * (d + np.abs(new))
        kept.append((np.clip(ring / width, 0, _RINGS - 1).astype(np.int64), np.abs(old - new)))
    (stay, size), (gone, size_gone), (came, size_came) = kept
    total, own = k * _RINGS, changes.own * _RINGS
    by_owner = np.bincount(own + stay, size, total)
    more = np.bincount(own + gone, size_gone, total) - by_owner
    moved, own2 = changes.moved, changes.own2[changes.moved] * _RINGS
    more += np.bincount(own2 + came, size_came, total)
    more -= np.bincount(own2 + stay[moved], size[moved], total)
    found = np.zeros((k + 1, _RINGS))
    found[:k] = more.reshape(k, _RINGS)
    return np.cumsum(found + by_owner.reshape(k, _RINGS).sum(axis=0), axis=1).T


def _ready(found: Values, before: Before, step: Step) -> NDArray[np.float32]:
    """Per point, with what medoids that stay are worth, and what float32 cannot see."""
    found = found / step.n
    found[..., :-1] += before.stays - step.stays
    return np.asarray(found + step.slack + step.rough, dtype=np.float32)
