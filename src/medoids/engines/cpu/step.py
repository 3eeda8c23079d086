"""One step of PAM: what an arm would change, given the medoids so far.

An arm is a point that may become a medoid. Its reward at a reference is the change of
the loss there (equations 9 to 11); in SWAP an arm has k rewards, one for each medoid
that could go. Values are means over the n points.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._threads import Workers
from .points.base import Indices
from .state import State

Values = NDArray[np.float64]
# Values closer than this share of the mean loss are the same to float32.
SLACK = 2e-6
# Where a removal costs so many times the mean loss, what is won back all but cancels it.
_CANCELS = 1e4


class Step:
    """What clips the rewards of a BUILD or SWAP step, and what a medoid's removal costs.

    The reward of an arm at distance d from a reference is `min(d, cap) - base`; where
    the reference's owner is the medoid that goes, `min(d, cap2) - base2` instead, and
    the swap costs `removal[owner]` besides, whatever the arm.

    Parameters
    ----------
    state : State
        The medoids so far; none before the first BUILD step.
    swap : bool
        An arm replaces a medoid (SWAP), rather than joining them (BUILD).
    """

    def __init__(self, state: State, swap: bool) -> None:
        self.state, self.swap = state, swap
        self.n, self.k = state.n, max(state.k, 1)
        self.owner = state.owner
        self.cap = state.nearest
        self.base = state.nearest if state.k else np.zeros(self.n)
        self.cap2 = self.base2 = np.zeros(self.n)
        self.removal = np.zeros(self.k)
        self.slack = SLACK * float(np.abs(state.nearest).mean()) if state.k else 0.0
        if swap:
            self.cap2 = self.base2 = state.second
            if self.k == 1:
                self.base2 = state.nearest  # nobody is second: the arm takes all
            else:
                lost = state.second - state.nearest
                self.removal = np.bincount(self.owner, lost, self.k) / self.n
        self.cancels = bool(SLACK * self.removal.max() > _CANCELS * self.slack)

    def values(self, rows: NDArray[np.floating], slots: Indices, workers: Workers) -> Values:
        """The value of every swap (or addition) of arms, given their distances to all.

        Row i of the result is for the arm whose distances are `rows[slots[i]]`; there is
        a column for each medoid that could go, or a single one in BUILD.
        """
        return self.totals(rows, slots, workers)[1]

    def totals(
        self, rows: NDArray[np.floating], slots: Indices, workers: Workers
    ) -> tuple[Values, Values]:
        """What each arm is worth if no medoid goes; and the values."""
        return self.of_sums(*self.sums(rows, slots, workers, self.clips()))

    def clips(self, refs: Indices | slice = slice(None)) -> tuple[NDArray[Any], ...]:
        """Of some references: cap, base, cap2, base2 and owner."""
        every = self.cap, self.base, self.cap2, self.base2, self.owner
        return tuple(each[refs] for each in every)

    def sums(
        self, rows: NDArray[np.floating], slots: Indices, workers: Workers, clips: Any
    ) -> tuple[Values, Values]:
        """The sums of arms' rewards at references that have these clips.

        Of each arm if no medoid goes; and what is added where each one does. Where the two
        would cancel, the latter has the cost of the removal in it, point by point.
        """
        from .kernels.values import total_changes, total_rewards

        kernel = total_changes if self.cancels else total_rewards

        shared = np.empty(len(slots))
        extra = np.zeros((len(slots), self.k))

        def work(start: int, stop: int) -> None:
            part = slice(start, stop)
            kernel(rows, slots[part], *clips, self.swap, shared[part], extra[part])

        workers.each(work, len(slots), 8)
        return shared, extra

    def of_sums(self, shared: Values, extra: Values) -> tuple[Values, Values]:
        """What each arm is worth if no medoid goes; and the values."""
        alone = shared / self.n
        if not self.swap:
            return alone, alone[:, None]
        values = (shared[:, None] + extra) / self.n
        return alone, values if self.cancels else values + self.removal

    def exact_values(self, rows: Values, workers: Workers) -> tuple[Values, Indices, Values]:
        """The best value of each arm, given its distances in float64; whom it replaces; these."""
        values = self.values(rows, np.arange(len(rows)), workers)
        return values.min(axis=1), values.argmin(axis=1), rows
