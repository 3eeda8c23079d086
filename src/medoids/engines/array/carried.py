"""What all arms change, from all distances on a GPU: carried from one step to the next."""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple

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
# So many arms that seem best are valued in float32, each the best of a part of all.
_BEST, _PART = 8, 256
# What a number in float32 may be larger by.
_ABOVE = 1 + 1e-6


class Ahead(NamedTuple):
    """What the arm that seems best leads to, known before it is placed.

    Attributes
    ----------
    arm, position : int
        Which it is, and where it would be placed.
    row : array
        Its distances from all points, in float64.
    changes : ndarray
        What it changes in all, with each medoid gone.
    found : Paid
        What points would pay;
    sums : ndarray
        and what that sums to.
    step : Step
        That this is of.
    """

    arm: int
    position: int
    row: Array
    changes: Values
    found: Any
    sums: Values
    step: Step


class Begun(NamedTuple):
    """Sums of the next step, begun before the host knows that it comes.

    Attributes
    ----------
    kind : tuple
        What they are of.
    found : Paid
        What points pay then.
    now : Payments
        The same as it is summed;
    parts : Partial
        and the sums.
    """

    kind: tuple[bool, int, bool]
    found: Any
    now: Any
    parts: Any


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

    Attributes
    ----------
    ahead : Ahead or None
        What the arm that `close` finds leads to.
    """

    ahead: Ahead | None = None

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
        self._begun: Begun | None = None

    def close(self, step: Step) -> Ids:
        """The best arm, and those that float32 cannot tell from it, in ascending order.

        None, if no swap is good.
        """
        space, state, null = self.state.space, self.state, 0.0 if step.swap else math.inf
        xp, concluded, n = space.xp, self._concluded(step), state.n
        values, unknown = concluded.values, None
        if not step.slack:  # the device goes on, and tells it later
            unknown = SLACK * xp.mean(xp.abs(values), keepdims=True)
        if self._barred is not None:
            values = xp.where(self._barred, math.inf, values)
            concluded = self._best_of_parts(values)
        few = min(_BEST, concluded.lowest.shape[0])
        seems, seem = space.fused.best_of(concluded, few)
        changes = self._changes(step, seem)
        more = step.slack + self._unsure(step) + step.rough
        told = self._told(step, concluded, seems, seem, changes, _ABOVE * more, unknown)
        slack = step.slack or float(told.slack[0])
        more += slack - step.slack
        arms, listed = told.seem.astype(np.int64), told.listed.astype(np.int64)
        taken = set(state.medoids)
        open_ = np.isfinite(told.seems) & [arm not in taken for arm in arms.tolist()]
        best = arms[open_]
        found = self._means(step, told.changes.reshape(few, -1))[open_]
        lowest = min(float(found.min(initial=np.inf)), null)
        bar = min(lowest + more, sys.float_info.max)
        near = listed[1 : 1 + listed[0]]
        if listed[0] >= len(listed) or bar > told.bar[0]:  # there are more
            near = space.host(space.flat(values <= bar))
        rest = np.array(sorted(set(near.tolist()) - taken - set(best.tolist())), dtype=np.int64)
        each = [found]
        for a, b in space.chunks(len(rest), n):
            others = space.host(self._changes(step, space.ids(rest[a:b])))
            each.append(self._means(step, others))
        best, found = np.concatenate([best, rest]), np.concatenate(each)
        return np.sort(best[found <= min(float(found.min(initial=np.inf)), null) + 2 * slack])

    def _best_of_parts(self, values: Array) -> Any:
        """The lowest of some values after the other, and where they are."""
        space, n = self.state.space, self.state.n
        xp, count = space.xp, -(-n // _PART)
        more = space.full(count * _PART - n, math.inf)
        parts = xp.reshape(xp.concat([values, more]), (count, _PART))
        which = xp.argmin(parts, axis=1) + _PART * space.arange(0, count)
        return space.fused.Concluded(values, xp.min(parts, axis=1), which)

    def _told(
        self, step: Step, found: Any, seems: Array, seem: Array, changes: Array, more: float,
        slack: Array,
    ) -> Any:  # fmt: skip
        """What a step is decided by, on the host: by one copy, which waits for the device.

        With it comes what the best of some arms, that change this, leads to.
        """
        space, state, swap = self.state.space, self.state, step.swap
        fixed, k = self._fixed if swap else 0, state.k if swap else state.k + 1
        fused, row, paid, begun = space.fused, None, None, None
        whole, about = fused.told(found, seems, seem, changes, fixed, swap, more, slack, k)
        if state.foresees:
            row = self.points.exact_at(about.arm)
            paid = fused.followed(about, row, state.room(k), state, swap, fixed)
        wait = space.told(whole)
        if state.foresees:  # the device goes on, while the host thinks
            begun = self._begin(paid, k, about if swap else None)
        told = fused.Told.of(wait(), *changes.shape, k, swap)
        self.ahead = self._begun = None
        if state.foresees:
            which, where, changed = int(told.arm[0]), int(told.position[0]), told.weighed
            if not swap or changed[0] + changed[1 + where] < 0:
                self._begun = begun
            changed = changed[:1] + changed[1:] if swap else changed
            self.ahead = Ahead(which, where, row, changed, paid, told.paid, step)
        return told

    def _begin(self, found: Any, k: int, gate: Any) -> Begun | None:
        """Sum for the next step, of k medoids; for none, where a gate shows that there is none."""
        swap = k == self.state.most
        if self._squares is not None or (swap and k == 1):
            return None
        kind = swap, k if swap else 1, False
        before = self._now if self._of == kind else None
        known = None if before is None else self._sums
        now, listed = self.state.space.fused.noted(found, self._unit, swap, before, k, gate)
        parts = self._summed(now, swap, k, False, listed, before, known)
        return Begun(kind, found, now, parts)

    def _changes(self, step: Step, arms: Array) -> Array:
        """What arms change in all, in float32: a column for each medoid that goes."""
        state, fused = self.state, self.state.space.fused
        home = state.space.take(state.owner, arms) if step.swap else arms  # who is of no use else
        about = state, step.base2, home, step.swap, state.weights
        return fused.summed(self.points.whole(arms), *about).changes

    def _means(self, step: Step, changes: Values) -> Values:
        """What arms change in the mean, with the best medoid going."""
        found: Values = (changes / self.state.n + step.stays).min(axis=1)
        return found

    def _concluded(self, step: Step) -> Any:
        """What all arms change in the mean, with the best of all medoids going."""
        state, about = self.state, (self._fixed, self._share, self._by)
        if step.swap and state.k == 1:  # the arm takes all
            return self._best_of_parts(self._alone() * self._by - state.loss / state.n)
        sums = self._sum(step.swap, False)
        if self._squares is not None:
            sums, self._squares = state.space.fused.folded(sums, self._squares)
        found, self._sums = state.space.fused.concluded(sums, state, step.swap, *about)
        return found

    def estimates(self, step: Step) -> Estimates:
        """Of all rows: there is no chance but that of rounding."""
        xp, n, by = self.state.space.xp, self.state.n, self._by
        folded = self.state.space.fused.folded
        if step.swap and self.state.k == 1:
            now, _ = self._noted(False, None)
            sums, squares = folded(self._summed(now, False, 0, True), None)
            values = sums[0, :] * by - self.state.loss / n
        else:
            sums, squares = folded(self._sum(step.swap, True), self._squares)
            self._sums, self._squares = sums, squares
            about = self._fixed, self._share, by
            found, _ = self.state.space.fused.concluded(sums, self.state, step.swap, *about)
            values = found.values
        gains = sums[0, :] * by
        sigma = xp.sqrt(xp.clip(squares * (by * by * n) - gains * gains, min=0.0))
        return Estimates(values, values - (self._unsure(step) + step.rough), sigma)

    def _alone(self) -> Array:
        """The sums of arms that take all."""
        if self.held.sums is not None and self._weights is None:
            return self.held.sums
        parts = self._summed(self._noted(False, None)[0], False, 0).found[:, 0, :]
        return self.state.space.xp.sum(parts, axis=0, dtype=self.state.space.xp.float64)

    def _sum(self, swap: bool, spread: bool) -> Any:
        """The sums, up to date, or parts of them; squares too, where they are asked for once."""
        k, before = self.state.k, self._now
        kind = swap, k if swap else min(k, 1), spread or self._squares is not None
        if self._of != kind or not k:
            before = None
        self._of, begun, self._begun = kind, self._begun, None
        if not k and not kind[2]:
            return self._alone()[None, :]
        if begun is not None and begun.kind == kind and begun.found.nearest is self.state.nearest:
            self._now = begun.now
            return begun.parts
        now, listed = self._noted(swap, before)
        known = None if before is None else self._sums
        self._now = now
        return self._summed(now, swap, k, kind[2], listed, before, known)

    def _noted(self, swap: bool, before: Any) -> Any:
        about = self.state, self._unit, swap, before, self.state.k
        return self.state.space.fused.noted(*about)

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
