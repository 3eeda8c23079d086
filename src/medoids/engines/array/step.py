"""One step of PAM on a device: what an arm would change, given the medoids so far."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..protocol import Values
from .namespace import Array, Space
from .state import State

# Values closer than this share of the mean loss are the same to float32.
SLACK = 2e-6


class Clips(NamedTuple):
    """What clips the rewards at some points, a row each (of shape (1, count), in float32).

    An arm at distance d from a point changes `min(d, cap) - base` there; where the point's owner
    goes, `min(d, cap2) - base2`, counted from what its removal costs. Where nobody pays yet, or
    nobody is second, there is no cap.
    """

    cap: Array
    base: Array
    cap2: Array
    base2: Array
    owner: Array
    capped: bool
    capped2: bool

    def rewards(self, space: Space, distances: Array) -> Array:
        """What arms change; nothing at themselves, where they are infinitely far."""
        return _rewards(space, distances, self.cap, self.base, self.capped)

    def rewards_if_gone(self, space: Space, distances: Array) -> Array:
        """The same where each point's owner goes."""
        return _rewards(space, distances, self.cap2, self.base2, self.capped2)


def _rewards(space: Space, distances: Array, cap: Array, base: Array, capped: bool) -> Array:
    if not capped:
        return space.xp.where(distances < float("inf"), distances - base, 0.0)
    found = space.xp.minimum(distances, cap)
    found -= base
    return found


class Step:
    """A BUILD or SWAP step.

    Parameters
    ----------
    state : State
    swap : bool
    fixed : int
        So many of the first medoids stay.

    Attributes
    ----------
    removal : ndarray of shape (k,)
        What it costs, a point, that a medoid goes: infinite for one that stays.
    slack : float
        Values closer than this are the same to float32; 0 before the first medoid.
    rough : float
        How wrong sums in float32 may be.
    """

    def __init__(self, state: State, swap: bool, fixed: int) -> None:
        self.state, self.swap, self.version, self.n = state, swap, state.version, state.n
        self.k, space = max(state.k, 1), state.space
        self._marks: Array = None
        xp = space.xp
        self.slack = SLACK * abs(state.total(xp.abs(state.nearest))) / self.n if state.k else 0.0
        self.removal: Values = np.zeros(self.k)
        self._base2 = state.second
        if swap and self.k == 1:
            self._base2 = state.nearest  # nobody is second: the arm takes all
        elif swap:
            self.removal = self._by_owner(state.second - state.nearest)
        # How many of what is paid, first and second, are features of points.
        self.known = 0 if not state.k else 2 if swap and self.k > 1 else 1
        self.rough = 4 * SLACK * float(self.removal.max()) + 2 * self.slack
        self.stays = np.zeros(self.k)
        if swap:
            self.stays[:fixed] = np.inf

    def _by_owner(self, amounts: Array) -> Values:
        """The sums over each medoid's points, divided by n."""
        weights = self.state.weights
        found = self._sums_by_owner(amounts if weights is None else amounts * weights)
        return np.asarray(self.state.space.host(found) / self.n)

    def _sums_by_owner(self, amounts: Array) -> Array:
        xp, found = self.state.space.xp, 0.0
        for start, stop in self.state.space.chunks(self.n, self.k):
            found = found + xp.matmul(amounts[start:stop], self.marks(start, stop))
        return found

    @cached_property
    def cost(self) -> Array:
        """What it costs that a medoid goes, on the device."""
        return self.state.space.array(self.removal + self.stays)

    @cached_property
    def shares(self) -> Array:
        """The share of all points, by weight, that each medoid has; on the device."""
        space, weights = self.state.space, self.state.weights
        ones = space.full(self.n, 1.0) if weights is None else weights
        return self._sums_by_owner(ones) / self._whole

    def means(self, rows: Array) -> Array:
        """The same of each row, in float64 and on the device."""
        state, xp = self.state, self.state.space.xp
        if state.weights is not None:
            rows = rows * state.weights[None, :]
        return xp.sum(rows, axis=1, dtype=xp.float64) / self._whole

    @cached_property
    def _whole(self) -> float:
        weights = self.state.weights
        return float(self.n) if weights is None else float(self.state.space.xp.sum(weights))

    def marks(self, start: int, stop: int) -> Array:
        """Whose points these are: a column for each medoid, in float64."""
        if self._marks is not None and (start, stop) == (0, self.n):
            return self._marks
        space = self.state.space
        mine = self.state.owner[start:stop][:, None] == space.arange(0, self.k)[None, :]
        found = space.cast(mine, space.xp.float64)
        if (start, stop) == (0, self.n):
            self._marks = found
        return found

    def at(self, refs: Array) -> Clips:
        """The clips of some references."""
        state, xp = self.state, self.state.space.xp

        def some(values: Array) -> Array:
            return state.space.cast(state.space.take(values, refs), xp.float32)[None, :]

        owner, cap, cap2 = (
            state.space.take(state.owner, refs),
            some(state.nearest),
            some(state.second),
        )
        if not state.k:
            return Clips(cap, xp.zeros_like(cap), cap, cap, owner, False, False)
        base2 = some(self._base2) if self.k == 1 else cap2
        return Clips(cap, cap, cap2, base2, owner, True, self.k > 1)

    def own(self, itself: Array | None) -> tuple[Array, Array]:
        """What each arm changes at itself: its owner staying, and going."""
        state, xp = self.state, self.state.space.xp
        at = xp.zeros_like(state.nearest) if itself is None else itself
        base = state.nearest if state.k else xp.zeros_like(state.nearest)
        stays = xp.minimum(at, state.nearest) - base
        return stays, xp.minimum(at, state.second) - self._base2 if self.swap else stays

    def values(self, row: Array) -> tuple[float, int]:
        """The value of the arm at these distances (float64), and whom it replaces."""
        found = self.state.space.host(self.changes(row[None, :]))[0] / self.n + self.stays
        at = int(found.argmin())
        return float(found[at]), at

    def changes(self, rows: Array) -> Array:
        """What arms at these distances change in all, in float64: a column for each medoid."""
        state, space = self.state, self.state.space
        xp, total = space.xp, 0.0
        paid = state.nearest if state.k else xp.zeros_like(state.nearest)
        for start, stop in space.chunks(self.n, max(rows.shape[0], self.k)):
            part = space.cast(rows[:, start:stop], xp.float64)
            with_all = xp.minimum(part, state.nearest[None, start:stop])
            gains = with_all - paid[None, start:stop]
            if state.weights is not None:
                gains = gains * state.weights[None, start:stop]
            sums = xp.sum(gains, axis=1)[:, None]
            if self.swap:
                more = xp.minimum(part, state.second[None, start:stop]) - with_all
                if state.weights is not None:
                    more = more * state.weights[None, start:stop]
                sums = sums + xp.matmul(more, self.marks(start, stop))
            total = total + sums
        return total
