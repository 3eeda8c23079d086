"""PAM on all distances, with what arms change carried from step to step.

A swap changes what some points pay: those of two or three clusters. So the sums of all arms follow
from the distances to those points alone. Distances are held in two bytes, rounded by chance: sums
of many are all but exact, and arms that they cannot tell apart are compared in float64.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._threads import Workers
from ..._types import Floats, Indices
from ..protocol import Values
from ..sites import Sites
from . import kernels
from .held import SIDE, SURE, Held
from .kernels.tuples import Fours
from .placed import Placed
from .points.base import Points
from .rewards.sample import padded_by_part
from .state import State
from .step import SLACK

# Blocks of arms whose sums a thread adds up at a time, and arms whose best swap it looks for.
_BLOCKS, _ARMS = 4, 1024
# Where more points pay something else, all are summed again.
_MANY = 0.4


class _Paid(NamedTuple):
    """What points pay, in the order of the tiles: to whom, and times the scale.

    Attributes
    ----------
    clips : ndarray of float32 of shape (n, 2)
        Distances of the nearest and the second-nearest medoid.
    owner : ndarray of int32
        Or one for all, where it is of no consequence.
    """

    clips: NDArray[np.float32]
    owner: NDArray[np.int32]


class CarriedSums:
    """What all arms change, from all distances, brought from one state to the next.

    Parameters
    ----------
    held : Held
    workers : Workers
    fixed : int
        So many of the first medoids stay.
    """

    def __init__(self, held: Held, workers: Workers, fixed: int) -> None:
        self._held, self._workers, self._fixed = held, workers, fixed
        self._n = len(held.order)
        self._sums, self._more = np.zeros((2, self._n)), np.zeros((0, self._n))
        self._paid: _Paid | None = None
        self._was_swap = False

    def values(self, state: State, swap: bool) -> tuple[Values, Values]:
        """What each arm changes, for a point in the mean; in SWAP the best of all medoids going.

        And by how much each may be wrong, distances being rounded by chance. Those that are cut
        are not rounded: sums may be too low by more, since what is rounded up is cut as well.
        """
        values = self._values(state, swap)
        seen = np.empty(self._n)
        seen[self._held.order] = self._sums[1]
        return values, SURE * np.sqrt(seen + 1) / (self._held.scale * self._n)

    def _values(self, state: State, swap: bool) -> Values:
        unit, order = self._held.scale * self._n, self._held.order
        values = np.empty(self._n)
        if swap and state.k == 1:  # the arm takes all
            self._sum(_Paid(_uncapped(self._n), state.owner), state, False)
            self._paid = None
            values[order] = self._sums[0] / unit - state.loss / self._n
            return values
        now, before, changed = self._payments(state, swap), self._paid, None
        if before is not None and self._was_swap == swap and state.k > 1:
            differs = (now.clips != before.clips).any(axis=1) | (now.owner != before.owner)
            changed = np.flatnonzero(differs)
        if before is None or changed is None or len(changed) > _MANY * self._n:
            self._sum(now, state, swap)
        else:
            self._add([before, now], changed, swap)
        self._paid, self._was_swap = now, swap
        values[order] = self._sums[0] / unit
        if swap:
            values[order] += self._going(now, state) / unit
        return values

    def _going(self, paid: _Paid, state: State) -> Values:
        """What is added to the sum of each arm where the best medoid for it goes."""
        fixed, best = self._fixed, np.empty(self._n)
        lost = np.bincount(paid.owner, paid.clips[:, 1] - paid.clips[:, 0], state.k)

        def work(start: int, stop: int) -> None:
            part = self._more[fixed:, start:stop] + lost[fixed:, None]
            best[start:stop] = part.min(axis=0)

        self._workers.each(work, self._n, _ARMS)
        return best

    def _payments(self, state: State, swap: bool) -> _Paid:
        order = self._held.order
        if not state.k:
            return _Paid(_uncapped(self._n), state.owner)
        other = state.second if swap else state.nearest
        clips = np.stack([state.nearest, other], axis=1) * self._held.scale
        # In BUILD nobody goes: an owner that is another one changes nothing.
        return _Paid(clips.astype(np.float32)[order], state.owner[order] if swap else _NOBODY)

    def _sum(self, paid: _Paid, state: State, swap: bool) -> None:
        """Sum what arms change over all points."""
        self._sums = np.zeros((2, self._n))
        self._more = np.zeros((state.k if swap else 0, self._n))
        self._add([paid], np.arange(self._n), swap)

    def _add(self, payments: list[_Paid], points: Indices, swap: bool) -> None:
        """Add to the sums what arms change at some points; see `_in_fours`."""
        held, sums, more = self._held, self._sums, self._more
        blocks = -(-self._n // SIDE)
        fours = _in_fours(payments, points, blocks, swap)

        def work(first: int, last: int) -> None:
            kernels.add_payments(held.tiles, held.least, fours, swap, (first, last), sums, more)

        self._workers.each(work, blocks, _BLOCKS)


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
        self.points, self._sums = points, CarriedSums(held, self.workers, len(sites.fixed))

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
        values, blur = self._sums.values(self.state, swap)
        slack = self.step(swap).slack if self.state.k else SLACK * float(np.abs(values).mean())
        values[self.medoids] = np.inf
        if self.sites.allowed is not None:
            values[~self.sites.allowed] = np.inf
        # Sums may be too low: so the bar is the true value of an arm, the one that seems best.
        value, _ = self.confirm(np.array([values.argmin()]), swap)
        return np.flatnonzero(
            values - slack - blur <= min(float(value[0]), 0.0 if swap else np.inf)
        )


def _in_fours(payments: list[_Paid], points: Indices, blocks: int, swap: bool) -> Fours:
    """Points with what they pay; the last payment is added, one before it is taken away."""
    count = len(payments)
    clips = np.concatenate([paid.clips[points] for paid in payments])
    whose = [paid.owner[points] if swap else np.zeros(len(points), np.int32) for paid in payments]
    owner = np.concatenate(whose).astype(np.int64)
    which, block = np.repeat(np.arange(count), len(points)), np.tile(points // SIDE, count)
    k = int(owner.max(initial=0)) + 1
    where, bounds = padded_by_part((block * count + which) * k + owner, blocks * count * k)
    first, filled = where[::4], where < 0
    lines, clips = np.tile(points % SIDE, count)[where], clips[where]
    lines[filled], clips[filled] = 0, -1.0  # at such a one nothing changes
    sign = np.where(which[first] == count - 1, 1.0, -1.0)
    # Every few of them, in a row: for numbers that lie apart the kernel would be compiled again.
    return Fours(lines, clips, owner[first], sign, bounds[:: count * k].copy())


_NOBODY = np.zeros(1, dtype=np.int32)


def _uncapped(n: int) -> NDArray[np.float32]:
    """Nobody pays yet: distances as they are."""
    clips = np.zeros((n, 2), dtype=np.float32)
    clips[:, 0] = np.inf
    return clips
