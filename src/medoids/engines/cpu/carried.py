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
from .step import SLACK

# Rows that are computed at a time, and arms whose sums a thread adds up at a time.
_ROWS, _ARMS = 256, 4096
_LARGEST = 65_535.0
# Sums of numbers that were rounded by chance are further off with a probability of 3e-14
# (Hoeffding's inequality, for errors of up to 1).
_SURE = 4.0
# The largest distance may be so many times the largest that was seen: tried in turn.
_MARGINS = (1.1, 4.0)
# Means are to be off by no more than this share of what a point pays, as some of them tell.
_BLUR, _SOME = 5e-3, 256
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
    n, workers = points.n, points.workers
    rows = np.empty((n, n), dtype=np.uint16)
    noise = np.random.default_rng(0).random(2 * n, dtype=np.float32)
    block = np.empty((min(_ROWS, n), n), dtype=np.float32)
    for start in range(0, n, _ROWS):
        stop = min(start + _ROWS, n)
        part = block[: stop - start, start:]
        points.block(np.arange(start, stop), np.arange(start, n), part)

        def finish(a: int, b: int, start: int = start, part: Floats = part) -> None:
            there = rows[start + a : start + b, start:]
            # No two of a row or of a column are rounded by the same number.
            kernels.round_by_chance(part[a:b], scale, noise[2 * start + a :], there)

        workers.each(finish, stop - start, 32)

        def turn(a: int, b: int, start: int = start, stop: int = stop) -> None:
            rows[stop + a : stop + b, start:stop] = rows[start:stop, stop + a : stop + b].T

        workers.each(turn, n - stop, 1024)
        if rows[start:stop, start:].max() >= _LARGEST:
            return None
    return Held(rows, scale)


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
        points = np.argsort(paid.owner, kind="stable") if swap else np.arange(self.n)

        def work(start: int, stop: int) -> None:
            about, sums = (self._held.rows, points, paid.clips), self._sums
            if swap:
                kernels.add_swaps(*about, paid.owner, start, stop, sums, self._more)
            else:
                kernels.add_payments(*about, start, stop, sums)

        self.workers.each(work, self.n, _ARMS)

    def _change(self, before: _Paid, now: _Paid, points: Indices, swap: bool) -> None:
        """Bring the sums to what some points pay now."""
        if swap:
            points = points[np.lexsort((before.owner[points], now.owner[points]))]

        def work(start: int, stop: int) -> None:
            rows, sums = self._held.rows, self._sums
            if swap:
                clips = before.clips, before.owner, now.clips, now.owner
                kernels.change_swaps(rows, points, *clips, start, stop, sums, self._more)
            else:
                kernels.change_payments(rows, points, before.clips, now.clips, start, stop, sums)

        self.workers.each(work, self.n, _ARMS)


_NOBODY = np.zeros(1, dtype=np.int32)


def _uncapped(n: int) -> NDArray[np.float32]:
    """Nobody pays yet: distances as they are."""
    clips = np.zeros((n, 2), dtype=np.float32)
    clips[:, 0] = np.inf
    return clips
