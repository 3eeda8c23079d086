"""All distances at hand on a GPU: in float32, or in float16 where they are many."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .estimates import Arm, Estimates
from .namespace import Array, Space
from .rows import ArrayPoints, ArrayRows
from .state import State
from .step import Step

# So many pairs are held in float32, and so many in float16.
_PAIRS, _PAIRS_IN_HALF = 1_000_000_000, 12_000_000_000
# Numbers to compute, where all pairs are; of metrics that take a product, and of others.
_PRODUCTS, _DIFFERENCES = 5e13, 1e11
# The largest distance is made at most this: float16 ends at 65,504.
_LARGEST = 2.0**15
# Half of float16's last digit; and of the smallest numbers it has.
_HALF, _SMALLEST = 2.0**-11, 2.0**-25
# Sums of numbers that were rounded by chance are further off with a probability of 3e-14
# (Hoeffding's inequality, for errors of up to one last digit).
_SURE = 8.0
# A point that weighs more than so many others would leave no digits to these.
_HEAVIEST = 1e4
# Where more points pay something else, all are summed again.
_MANY = 0.6


class Held(NamedTuple):
    """All distances.

    Attributes
    ----------
    rows : array of shape (n, n)
        Infinite from a point to itself.
    scale : float
        What they are to be multiplied by, for the largest to be moderate.
    stored : float
        What they were multiplied by.
    exact : bool
        They are in float32, not rounded to float16.
    """

    rows: Array
    scale: float
    stored: float
    exact: bool

    def some(self, space: Space, rows: Array) -> Array:
        """Rows of `rows` as distances in float32."""
        found = space.cast(rows, space.xp.float32)
        return found if self.stored == 1 else found * (1 / self.stored)


def precision(
    points: ArrayPoints, n_clusters: int, room: float, weights: Any, some: int | None = None
) -> int | None:
    """The bytes of a distance, if all are to be held (and fit into the room); else None.

    Or those between `some` of the points.
    """
    n, fused = some or points.n, points.space.fused
    if fused is None or not isinstance(points, ArrayRows) or n_clusters > fused.MOST_CLUSTERS:
        return None
    if weights is not None and float(weights.max()) > _HEAVIEST * float(weights.mean()):
        return None
    most = _PRODUCTS if points.by_product else _DIFFERENCES
    for size, pairs in ((4, _PAIRS), (2, _PAIRS_IN_HALF)):
        if n**2 <= pairs and size * n**2 <= room and n**2 * points.width <= most:
            return size
    return None


def hold(points: ArrayRows, size: int) -> Held:
    """All distances, with so many bytes each."""
    space, n = points.space, points.n
    xp, fused = space.xp, space.fused
    # No distance is more than twice the longest from one point; no square more than four times.
    longest = 4 * float(xp.max(points.whole(space.ids([0]))))
    scale = 2.0 ** math.floor(math.log2(_LARGEST / longest)) if longest > 0 else 1.0
    exact = size == 4
    dtype = xp.float32 if exact else xp.float16
    found = xp.empty((n, n), dtype=dtype, device=space.device)
    if not exact and points.splits:
        sides = (points.side(*part, xp.float32) for part in space.chunks(n, points.width))
        points.factors(n, sides).fill(found, points.metric, scale)
        points.n_distances += n**2
        return Held(found, 1.0, scale, exact)
    every = space.arange(0, n)
    for start, stop in space.chunks(n, n):
        rows = points.rows(start, stop, every)
        if exact:
            found[start:stop, :] = rows
        else:
            fused.halve(found, rows, start, scale)
    if exact:
        found.fill_diagonal_(math.inf)
        return Held(found, scale, 1.0, exact)
    return Held(found, 1.0, scale, exact)


class Carried:
    """What all arms change, summed over all points: carried from one step to the next.

    Parameters
    ----------
    held : Held
    state : State
    """

    def __init__(self, held: Held, state: State) -> None:
        self.held, self.state = held, state
        self._unit = held.scale * held.stored
        self._weights, self._heaviest = None, 1.0
        if state.weights is not None:
            xp = state.space.xp
            self._heaviest = float(xp.max(state.weights))
            self._weights = state.space.cast(state.weights / self._heaviest, xp.float32)
        self._now: Any = None
        self._of: tuple[bool, int] = (False, 0)
        self._sums: Array = None

    def estimates(self, step: Step, arms: Arm) -> Estimates:
        """Of all rows: there is no chance but that of rounding."""
        space, n, share = self.state.space, self.state.n, arms.share
        xp, wide = space.xp, self._unsure(step) + step.rough
        sums = self._summed(step.swap)
        unit = self._heaviest / self._unit
        gains, squares = sums[0, :] * (unit / n), sums[1, :] * (unit * unit / n)
        sigma = xp.sqrt(xp.clip(squares - gains * gains, min=0.0))
        values = gains + arms.stays * share
        if step.swap and self.state.k == 1:  # the arm takes all, whoever owned them
            pays = (
                self.state.nearest
                if self._weights is None
                else (self.state.nearest * self.state.weights)
            )
            values = gains + (pays - self.state.loss) / n + arms.goes * share
        elif step.swap:
            mine = arms.home[None, :] == space.arange(0, step.k)[:, None]
            more = sums[2:, :] * (unit / n) + space.array(step.stays)[:, None]
            own = ((arms.goes - arms.stays) * share)[None, :]
            values = values + xp.min(xp.where(mine, more + own, more), axis=0)
        return Estimates(values, values - wide, sigma)

    def _summed(self, swap: bool) -> Array:
        """Of each arm's rewards, the owners staying; of their squares; and what comes to these.

        The last with a row for each medoid that goes, in SWAP.
        """
        state, fused = self.state, self.state.space.fused
        if swap and state.k == 1:
            return fused.carried(self.held.rows, self.held.scale, self._payments(), False, 0,
                                 self._weights)  # fmt: skip
        now, kind = self._payments(), (swap, state.k if swap else min(state.k, 1))
        points = None
        if self._now is not None and self._of == kind and state.k:
            points = self._changed(now, swap)
        about = self.held.rows, self.held.scale, now, swap, state.k, self._weights
        if points is None:
            self._sums = fused.carried(*about)
        elif points.shape[0]:
            self._sums = self._sums + fused.carried(*about, points, self._now)
        self._now, self._of = now, kind
        return self._sums

    def _payments(self) -> Any:
        state, space = self.state, self.state.space
        xp = space.xp
        pays = (space.cast(each * self._unit, xp.float32) for each in (state.nearest, state.second))
        return space.fused.Payments(*pays, space.cast(state.owner, xp.int32))

    def _changed(self, now: Any, swap: bool) -> Array | None:
        """The points that pay something else than in the last step; None for all."""
        space, before = self.state.space, self._now
        differs = now.nearest != before.nearest
        if swap:
            differs = differs | (now.second != before.second) | (now.owner != before.owner)
        points = space.cast(space.flat(differs), space.xp.int32)
        return None if points.shape[0] > _MANY * self.state.n else points

    def _unsure(self, step: Step) -> Array:
        """How wrong a mean may be, since distances are rounded; on the device."""
        state, xp = self.state, self.state.space.xp
        # What is added where a medoid goes is summed in float16.
        summed = _HALF * float(step.removal.max()) if step.swap else 0.0
        if self.held.exact:
            return summed
        pays = state.second if step.swap else state.nearest
        pays = xp.clip(pays, max=_LARGEST / self.held.stored)
        if state.weights is not None:
            pays = pays * state.weights
        rounded = xp.linalg.vector_norm(pays) * (_SURE * _HALF / state.n)
        return rounded + (summed + 2 * _SMALLEST / self.held.stored * step.whole / state.n)
