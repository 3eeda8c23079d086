"""PAM on all distances, with what arms change carried from step to step.

A swap changes what some points pay: those of two or three clusters. The dissimilarity is the same
both ways round, so the row of a point has its distances from all arms: the sums of all arms follow
from the rows of those points. Distances are held in two bytes, rounded by chance: sums of
many are all but exact, and arms that they cannot tell apart are compared in float64.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._types import Floats, Indices
from ..protocol import Values
from ..sites import Sites
from . import kernels
from .placed import Placed
from .points.base import Points
from .rewards.sample import padded_by_part
from .step import SLACK

# Rows and columns of a tile of distances, and arms whose sums a thread adds up at a time.
_ROWS, _COLUMNS, _ARMS = 256, 1024, 4096
_LARGEST = 65_535.0
# Sums of numbers that were rounded by chance are further off with a probability of 3e-14
# (Hoeffding's inequality, for errors of up to 1).
_SURE = 4.0
# The largest distance may be so many times the largest that was seen: tried in turn.
_MARGINS = (1.1, 4.0)
# Means are to be off by no more than this share of what a point pays, as some of them tell.
_BLUR, _SOME = 5e-3, 256
# Points that are taken away and added again at a time.
_AT_HAND = 64
# Where more points pay something else, all are summed again.
_MANY = 0.4


class Held(NamedTuple):
    """All distances as whole numbers: each is a distance times the scale, rounded by chance."""

    rows: NDArray[np.uint16]
    scale: float


def hold(points: Points, n_clusters: int) -> Held | None:
    """All distances; None if some are so large that few digits are left to those that matter."""
    # From the point that is farthest from one, and from the farthest from that, it is about as far
    # as it gets. Nothing is more than twice as far as from one point, no square four times.
    across, at = 0.0, 0
    for _ in range(3):
        row = points.exact(np.array([at]))[0]
        at, across = int(row.argmax()), max(across, float(row.max()))
    if _SURE * across / (_LARGEST * points.n**0.5) > _BLUR * _pays(points, n_clusters):
        return None
    for margin in _MARGINS:
        rows = _rounded(points, (_LARGEST - 1) / (margin * across) if across > 0 else 1.0)
        if rows is not None:
            return rows
    return None


def _pays(points: Points, n_clusters: int) -> float:
    """About what a point pays: from some to the nearest of some others, four for each cluster."""
    order = np.random.default_rng(0).permutation(points.n)
    some, others = order[:_SOME], order[_SOME : _SOME + 4 * n_clusters]
    far = np.sort(points.block_array(others, some).min(axis=0))
    # Without those in whose cluster there is none of the others.
    return float(far[: -(-9 * len(far) // 10)].mean())


def _rounded(points: Points, scale: float) -> Held | None:
    """All distances times a scale; None if one is too large."""
    n = points.n
    rows = np.empty((n, n), dtype=np.uint16)
    noise = np.random.default_rng(0).random(2 * n, dtype=np.float32)
    too_large: list[int] = []

    def fill(top: int, end: int) -> None:
        # A width that is no power of two keeps columns from sharing cache lines.
        scratch = np.empty((end - top, _COLUMNS + 32), dtype=np.uint16)
        for left in range(top, n, _COLUMNS):
            if too_large:
                return
            some = points.tile(np.arange(top, end), np.arange(left, min(left + _COLUMNS, n)))
            largest = kernels.round_by_chance(some, scale, noise, top, left, scratch, rows)
            if largest >= _LARGEST:
                too_large.append(top)

    points.in_tiles(fill, n, _ROWS)
    pairs = [(min(top + _ROWS, n) - top) * (n - top) for top in range(0, n, _ROWS)]
    points.count_tiles(sum(pairs))
    return None if too_large else Held(rows, scale)


class _Paid(NamedTuple):
    """What points pay, times the scale (float32): nearest and second-nearest; and to whom."""

    clips: NDArray[np.float32]
    owner: NDArray[np.int32]


class CarriedMatrix(Placed):
    """All distances at hand; see `AllArms` for what each method promises.

    Parameters
    ----------
    held : Held
    points : Points
        They decide between arms that are close.
    n_clusters : int
    counter : Points
        Where distances are counted.
    sites : Sites
    room : float
        Bytes that rows of medoids may take.
    """

    def __init__(
        self,
        held: Held,
        points: Points,
        n_clusters: int,
        counter: Points,
        sites: Sites,
        room: float,
    ) -> None:
        super().__init__(points.n, points.n, n_clusters, counter, sites, room)
        self.points, self._held = points, held
        self._sums, self._more = np.zeros((2, points.n)), np.zeros((0, points.n))
        self._paid: _Paid | None = None
        self._was_swap = False

    def rows(self, arms: Indices) -> NDArray[np.float64]:
        known = arms == self._confirmed.arm
        if not known.any():
            return self.points.exact(arms)
        found = np.empty((len(arms), self.n))
        found[known] = self._confirmed.row
        if not known.all():
            found[~known] = self.points.exact(arms[~known])
        return found

    def between(self, refs: Indices) -> Floats:
        return self.points.exact(np.array(self.medoids), refs)

    def block(self, arms: Indices, refs: Indices) -> Floats:
        return self.points.block_array(arms, refs)

    def close(self, swap: bool) -> Indices:
        """Arms that are the best, or that these sums cannot tell from it, in ascending order."""
        values = self._values(swap)
        slack = self.step(swap).slack if self.state.k else SLACK * float(np.abs(values).mean())
        values[self.medoids] = np.inf
        if self.sites.allowed is not None:
            values[~self.sites.allowed] = np.inf
        # Distances that are cut are not rounded. Sums may be too low by more: what is rounded up is
        # cut as well. So the bar is the true value of an arm, the one that seems best.
        low = values - slack - _SURE * np.sqrt(self._sums[1] + 1) / (self._held.scale * self.n)
        value, _ = self.confirm(np.array([values.argmin()]), swap)
        return np.flatnonzero(low <= min(float(value[0]), 0.0 if swap else np.inf))

    def _values(self, swap: bool) -> Values:
        """What each arm changes, for a point in the mean; in SWAP the best of all medoids going."""
        if swap and self.state.k == 1:  # the arm takes all
            self._sum(_Paid(_uncapped(self.n), self.state.owner), False)
            self._paid = None
            alone: Values = (self._sums[0] / self._held.scale - self.state.loss) / self.n
            return alone
        now, before, changed = self._payments(swap), self._paid, None
        if before is not None and self._was_swap == swap and self.state.k > 1:
            differs = (now.clips != before.clips).any(axis=1) | (now.owner != before.owner)
            changed = np.flatnonzero(differs)
        if before is None or changed is None or len(changed) > _MANY * self.n:
            self._sum(now, swap)
        else:
            self._change(before, now, changed, swap)
        self._paid, self._was_swap = now, swap
        sums: Values = self._sums[0] / (self._held.scale * self.n)
        if swap:
            sums += self._more[len(self.sites.fixed) :].min(axis=0) / (self._held.scale * self.n)
        return sums

    def _payments(self, swap: bool) -> _Paid:
        state = self.state
        if not state.k:
            return _Paid(_uncapped(self.n), state.owner)
        other = state.second if swap else state.nearest
        clips = np.stack([state.nearest, other], axis=1) * self._held.scale
        # In BUILD nobody goes: an owner that is another one changes nothing.
        return _Paid(clips.astype(np.float32), state.owner.copy() if swap else _NOBODY)

    def _sum(self, paid: _Paid, swap: bool) -> None:
        """Sum what arms change over all points."""
        self._sums = np.zeros((2, self.n))
        self._more = np.zeros((self.state.k if swap else 0, self.n))
        self._add(_in_fours([paid], np.arange(self.n), swap), swap)

    def _change(self, before: _Paid, now: _Paid, points: Indices, swap: bool) -> None:
        """Bring the sums to what some points pay now."""
        if swap:
            points = points[np.lexsort((now.owner[points], before.owner[points]))]
        self._add(_in_fours([before, now], points, swap), swap)

    def _add(self, fours: _Fours, swap: bool) -> None:
        """Add to the sums what arms change at some points, or take it away."""
        rows, sums, more = self._held.rows, self._sums, self._more
        points, clips, owner, sign = fours

        def work(start: int, stop: int) -> None:
            if swap:
                kernels.add_swaps(rows, points, clips, owner, sign, start, stop, sums, more)
            else:
                kernels.add_payments(rows, points, clips, sign, start, stop, sums)

        self.workers.each(work, self.n, _ARMS)


class _Fours(NamedTuple):
    """Points in fours, as `kernels.add_swaps` takes them.

    Attributes
    ----------
    points : ndarray of int
    clips : ndarray of float32 of shape (points, 2)
    owner : ndarray of int32
        Of each four.
    sign : ndarray of float64
        Of each four: -1 where what they change is taken away.
    """

    points: Indices
    clips: NDArray[np.float32]
    owner: NDArray[np.int32]
    sign: Values


def _in_fours(payments: list[_Paid], points: Indices, swap: bool) -> _Fours:
    """Points with what they pay; the last payment is added, one before it is taken away.

    A few points at a time, so that their rows are still at hand when they are added again.
    """
    count = len(payments)
    chunk = np.arange(len(points)) // (_AT_HAND if count > 1 else len(points))
    clips = np.concatenate([paid.clips[points] for paid in payments])
    whose = [paid.owner[points] if swap else np.zeros(len(points), np.int32) for paid in payments]
    owner = np.concatenate(whose)
    which = np.repeat(np.arange(count), len(points))
    k = int(owner.max(initial=0)) + 1
    parts = (np.tile(chunk, count) * count + which) * k + owner
    where, _ = padded_by_part(parts, int(parts.max(initial=0)) + 1)
    first, filled = where[::4], where < 0
    laid = np.tile(points, count)[where], clips[where]
    laid[0][filled], laid[1][filled] = 0, -1.0  # at such a one nothing changes
    return _Fours(*laid, owner[first], np.where(which[first] == count - 1, 1.0, -1.0))


_NOBODY = np.zeros(1, dtype=np.int32)


def _uncapped(n: int) -> NDArray[np.float32]:
    """Nobody pays yet: distances as they are."""
    clips = np.zeros((n, 2), dtype=np.float32)
    clips[:, 0] = np.inf
    return clips
