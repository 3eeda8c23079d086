"""What all arms change, from all distances on a GPU: carried from one step to the next."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from ..protocol import Ids, Values
from .estimates import Estimates
from .held import LARGEST, Held
from .namespace import Array
from .rows import ArrayPoints
from .state import State
from .step import SLACK, Step

# Half of float16's last digit; and of the smallest numbers it has.
_HALF, _SMALLEST = 2.0**-11, 2.0**-25
# Sums of numbers that were rounded by chance are further off with a probability of 3e-14
# (Hoeffding's inequality, for errors of up to one last digit).
_SURE = 8.0
# So many arms that seem best are told to the host; and so many of these are valued in float32.
_SEEM, _BEST = 64, 8


class Carried:
    """Sums over all points, which are brought up to date where points pay something else.

    Parameters
    ----------
    held : Held
    points : ArrayPoints
        They decide between arms that are close.
    state : State
    fixed : int
        So many of the first medoids stay.
    allowed : ndarray of bool or None
        Which points may be medoids.
    """

    def __init__(
        self, held: Held, points: ArrayPoints, state: State, fixed: int, allowed: Any
    ) -> None:
        self.held, self.points, self.state, self._fixed = held, points, state, fixed
        space, n = state.space, state.n
        xp, self._unit = space.xp, held.scale * held.stored
        self._barred = None if allowed is None else space.array(~allowed)
        self._weights, self._heaviest, self._share = None, 1.0, space.full(1, 1 / n)
        if state.weights is not None:
            self._heaviest = float(xp.max(state.weights))
            self._weights = space.cast(state.weights / self._heaviest, xp.float32)
            self._share = state.weights / n
        # What a sum is divided by, to be a mean.
        self._by = space.full(1, self._heaviest / self._unit / n)
        # Of weights: what points of the largest distance would pay, squared.
        norm = xp.linalg.vector_norm
        self._norm = math.sqrt(n) if state.weights is None else float(norm(state.weights))
        self._now: Any = None
        self._of: tuple[bool, int, bool] = (False, 0, False)
        self._sums: Array = None
        self._squares: Array = None

    def close(self, step: Step) -> Ids:
        """The best arm, and those that float32 cannot tell from it, in ascending order.

        None, if no swap is good.
        """
        space, state, null = self.state.space, self.state, 0.0 if step.swap else math.inf
        xp, values = space.xp, self._values(step)
        slack = step.slack or SLACK * float(xp.mean(xp.abs(values)))
        if self._barred is not None:
            values = xp.where(self._barred, math.inf, values)
        seem = space.lowest(values, min(_SEEM, state.n))
        changes = self._changes(step, seem[:_BEST])
        # One copy to the host, which waits for the device.
        about = space.take(values, seem), space.cast(seem, xp.float64), xp.reshape(changes, (-1,))
        told = space.host(xp.concat(about))
        size, few = seem.shape[0], changes.shape[0]
        seems, arms = told[:size], told[size : 2 * size].astype(np.int64)
        open_ = np.isfinite(seems) & ~np.isin(arms, state.medoids)
        best = arms[:few][open_[:few]]
        found = self._means(step, told[2 * size :].reshape(few, -1))[open_[:few]]
        lowest = min(float(found.min(initial=np.inf)), null)
        bar = min(lowest + slack + self._unsure(step) + step.rough, sys.float_info.max)
        rest = arms[few:][open_[few:] & (seems[few:] <= bar)]
        if seems[-1] <= bar and size < state.n:  # there are more
            near = space.host(space.flat(values <= bar))
            rest = np.setdiff1d(near, [*best, *state.medoids])
        each = [found]
        for a, b in space.chunks(len(rest), state.n):
            more = space.host(self._changes(step, space.ids(rest[a:b])))
            each.append(self._means(step, more))
        best, found = np.concatenate([best, rest]), np.concatenate(each)
        return np.sort(best[found <= min(float(found.min(initial=np.inf)), null) + 2 * slack])

    def _changes(self, step: Step, arms: Array) -> Array:
        """What arms change in all, in float32: a column for each medoid that goes."""
        state, fused = self.state, self.state.space.fused
        about = state, step.base2, state.space.take(state.owner, arms), step.swap, state.weights
        return fused.summed(self.points.whole(arms), *about).changes

    def _means(self, step: Step, changes: Values) -> Values:
        """What arms change in the mean, with the best medoid going."""
        found: Values = (changes / self.state.n + step.stays).min(axis=1)
        return found

    def _values(self, step: Step) -> Array:
        """What all arms change in the mean, with the best of all medoids going."""
        if step.swap and self.state.k == 1:  # the arm takes all
            return self._alone() * self._by - self.state.loss / self.state.n
        self._sum(step.swap, False)
        return self._concluded(step.swap)

    def _concluded(self, swap: bool) -> Array:
        """The values, of the sums."""
        about = swap, self._fixed, self._share, self._by
        return self.state.space.fused.concluded(self._sums, self.state, *about)

    def estimates(self, step: Step) -> Estimates:
        """Of all rows: there is no chance but that of rounding."""
        xp, n, by = self.state.space.xp, self.state.n, self._by
        if step.swap and self.state.k == 1:
            now, _ = self._noted(False, None)
            sums, squares = self._summed(now, False, 0, True)
            gains = sums[0, :] * by
            values = gains - self.state.loss / n
        else:
            self._sum(step.swap, True)
            values, squares = self._concluded(step.swap), self._squares
            gains = self._sums[0, :] * by
        sigma = xp.sqrt(xp.clip(squares * (by * by * n) - gains * gains, min=0.0))
        return Estimates(values, values - (self._unsure(step) + step.rough), sigma)

    def _alone(self) -> Array:
        """The sums of arms that take all."""
        if self.held.sums is not None and self._weights is None:
            return self.held.sums
        return self._summed(self._noted(False, None)[0], False, 0)[0][0, :]

    def _sum(self, swap: bool, spread: bool) -> None:
        """Bring the sums up to date."""
        k, before = self.state.k, self._now
        kind = swap, k if swap else min(k, 1), spread or self._squares is not None
        if not k and not kind[2]:
            self._sums, self._of = self._alone()[None, :], kind
            return
        if self._of != kind or not k:
            before = None
        now, changed = self._noted(swap, before)
        sums, squares = self._summed(now, swap, k, kind[2], changed, before)
        if before is not None:
            sums += self._sums
            squares = None if squares is None else squares + self._squares
        self._sums, self._squares, self._now, self._of = sums, squares, now, kind

    def _noted(self, swap: bool, before: Any) -> Any:
        return self.state.space.fused.noted(self.state, self._unit, swap, before)

    def _summed(self, now: Any, swap: bool, k: int, *more: Any) -> Any:
        held, fused = self.held, self.state.space.fused
        return fused.carried(held.rows, held.scale, now, swap, k, self._weights, *more)

    def _unsure(self, step: Step) -> float:
        """How wrong a mean may be, since distances are rounded."""
        n, stored = self.state.n, self.held.stored
        # What is added where a medoid goes is summed in float16.
        summed = _HALF * float(step.removal.max()) if step.swap else 0.0
        if self.held.exact:
            return summed
        norm = self._norm * LARGEST / stored
        if self.state.k > step.swap:  # there is one to be paid
            paid = self.state.paid
            norm = min(norm, math.sqrt(paid.squares2 if step.swap else paid.squares))
        return _SURE * _HALF * norm / n + (summed + 2 * _SMALLEST / stored * step.whole / n)
