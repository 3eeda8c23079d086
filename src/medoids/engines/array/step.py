"""One step of PAM on a device: what an arm would change, given the medoids so far."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..protocol import Ids, Values
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
        self.k, paid = max(state.k, 1), state.paid if state.k else None
        self._marks: Array = None
        self._clips: dict[int, Clips] = {}
        self.slack = SLACK * paid.size / self.n if paid else 0.0
        self.removal: Values = np.zeros(self.k)
        self.base2 = state.second
        if swap and self.k == 1:
            self.base2 = state.nearest  # nobody is second: the arm takes all
        elif swap and paid:
            self.removal = paid.removal / self.n
        # How many of what is paid, first and second, are features of points.
        self.known = 0 if not state.k else 2 if swap and self.k > 1 else 1
        self.rough = 4 * SLACK * float(self.removal.max()) + 2 * self.slack
        self.stays = np.zeros(self.k)
        if swap:
            self.stays[:fixed] = np.inf

    @cached_property
    def cost(self) -> Array:
        """What it costs that a medoid goes, on the device."""
        return self.state.space.array(self.removal + self.stays)

    @cached_property
    def whole(self) -> float:
        """What all points weigh."""
        weights = self.state.weights
        return float(self.n) if weights is None else float(self.state.space.xp.sum(weights))

    def _marks_of(self, start: int, stop: int) -> Array:
        if (start, stop) != (0, self.n):
            return self.state.marks(start, stop)
        if self._marks is None:
            self._marks = self.state.marks(start, stop)
        return self._marks

    def at(self, refs: Array) -> Clips:
        """The clips of some references; `refs` of the same length are the same ones."""
        depth = refs.shape[0]
        if depth not in self._clips:
            self._clips[depth] = self.clips_of(refs)
        return self._clips[depth]

    def clips_of(self, refs: Array) -> Clips:
        """The same of any points."""
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
        base2 = some(self.base2) if self.k == 1 else cap2
        return Clips(cap, cap, cap2, base2, owner, True, self.k > 1)

    def own(self, itself: Array | None) -> tuple[Array, Array]:
        """What each arm changes at itself: its owner staying, and going."""
        state, xp = self.state, self.state.space.xp
        at = xp.zeros_like(state.nearest) if itself is None else itself
        base = state.nearest if state.k else xp.zeros_like(state.nearest)
        stays = xp.minimum(at, state.nearest) - base
        return stays, xp.minimum(at, state.second) - self.base2 if self.swap else stays

    def values(self, row: Array) -> tuple[float, int]:
        """The value of the arm at these distances (float64), and whom it replaces."""
        return self.best_of(self.state.space.host(self.weighed(row)))

    def weighed(self, row: Array) -> Array:
        """What the arm at these distances (float64) changes in all, with each medoid gone."""
        state, fused = self.state, self.state.space.fused
        if fused is None:
            return self.changes(row[None, :])[0, :]
        return fused.weighed(row, state, self.swap, state.weights)

    def best_of(self, changes: Values) -> tuple[float, int]:
        """The value of an arm that changes this, with each medoid gone; and whom it replaces."""
        found = changes / self.n + self.stays
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
                sums = sums + xp.matmul(more, self._marks_of(start, stop))
            total = total + sums
        return total

    def judged(self, rows: Array, home: Array) -> tuple[Values, Values, Ids]:
        """What arms at these distances (float32) change in all, and the means of their rewards.

        Parameters
        ----------
        rows : array of shape (arms, n)
        home : array
            Who owns each arm.

        Returns
        -------
        changes : ndarray of shape (arms, k)
            With each medoid gone; of shape (arms, 1) in BUILD.
        means : ndarray of shape (arms, 2)
            With the owner staying, and at the owner's points where it goes; by weight.
        homes : ndarray
            Who owns each arm.
        """
        state, space = self.state, self.state.space
        fused, xp = space.fused, space.xp
        if fused is not None and self.k <= fused.MOST_CLUSTERS:
            sums = fused.summed(rows, state, self.base2, home, self.swap, state.weights)
            changes, rewards = sums.changes, sums.rewards[:, :2]
        else:
            changes, rewards = self.changes(rows), self._rewards(rows, home)
        homes = space.cast(home, xp.float64)[:, None]
        found = space.host(xp.concat([changes, rewards, homes], axis=1))
        k = changes.shape[1]
        return found[:, :k], found[:, k:-1] / self.whole, found[:, -1].astype(np.int64)

    def _rewards(self, rows: Array, home: Array) -> Array:
        """The sums of two features of arms: see `judged`."""
        state, space, total = self.state, self.state.space, 0.0
        xp, weights = space.xp, state.weights
        paid = state.nearest if state.k else xp.zeros_like(state.nearest)
        for start, stop in space.chunks(self.n, 2 * rows.shape[0]):
            part = space.cast(rows[:, start:stop], xp.float64)
            stays = xp.minimum(part, state.nearest[None, start:stop]) - paid[None, start:stop]
            goes = xp.zeros_like(stays)
            if self.swap:
                mine = home[:, None] == state.owner[None, start:stop]
                second = state.second[None, start:stop]
                gone = xp.minimum(part, second) - self.base2[None, start:stop]
                goes = xp.where(mine, gone, 0.0)
            both = xp.stack([stays, goes], axis=2)
            if weights is not None:
                both = both * weights[None, start:stop, None]
            total = total + xp.sum(both, axis=1)
        return total
