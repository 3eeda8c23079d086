"""One step of PAM: what an arm would change, given the medoids so far.

An arm is a point that may become a medoid. Its reward at a reference is the change of
the loss there (equations 9 to 11); in SWAP an arm has k rewards, one for each medoid
that could go. Values are means over the n points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..._threads import Workers
from ..._types import Floats, Indices
from ..protocol import Values
from . import kernels
from .kernels.tuples import Clips
from .state import State

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

    Attributes
    ----------
    version : int
        Of the state that it is for.
    clips : Clips
        cap, base, cap2, base2 and owner of every point.
    removal : ndarray of shape (k,)
    slack : float
        Values closer than this are the same to float32; 0 before the first medoid.
    rough : float
        How wrong an estimate may be from rounding: where clusters are far apart, what a swap
        loses and what it wins all but cancel.
    cancels : bool
        They do so in float64 sums too, unless they are added point by point.
    """

    def __init__(self, state: State, swap: bool) -> None:
        self.state, self.swap, self.version = state, swap, state.version
        self.n, self.k = state.n, max(state.k, 1)
        nothing = np.zeros(self.n)
        base = state.nearest if state.k else nothing
        self.removal = np.zeros(self.k)
        self.slack = SLACK * float(np.abs(state.nearest).mean()) if state.k else 0.0
        cap2 = base2 = nothing
        if swap:
            cap2 = base2 = state.second
            if self.k == 1:
                base2 = state.nearest  # nobody is second: the arm takes all
            else:
                lost = state.second - state.nearest
                self.removal = np.bincount(state.owner, lost, self.k) / self.n
        # No arm can win so much: a medoid that is fixed never goes.
        self._stays = np.zeros(self.k)
        if swap and state.fixed and self.k > 1:
            highest = np.abs(state.nearest).mean() + np.abs(state.second).mean()
            self._stays[: state.fixed] = 4 * highest
        self.clips = Clips(state.nearest, base, cap2, base2, state.owner)
        self.owner = state.owner
        self.rough = 4 * SLACK * float(self.removal.max())
        self.cancels = bool(SLACK * self.removal.max() > _CANCELS * self.slack)
        self.removal = self.removal + self._stays

    def at(self, refs: Indices) -> Clips:
        """The clips of some references."""
        cap, base, cap2, base2, owner = self.clips
        return Clips(cap[refs], base[refs], cap2[refs], base2[refs], owner[refs])

    def caps(self, refs: Indices) -> NDArray[np.float32]:
        """cap, base, cap2 and base2 of some references, a row for each."""
        return np.stack([each[refs] for each in self.clips[:4]], axis=1).astype(np.float32)

    def own(self, itself: Values) -> NDArray[np.float32]:
        """What each arm gains at itself, its owner staying or going; `itself` is d(x, x)."""
        return (np.stack(rewards(itself, self.clips), axis=1) / self.n).astype(np.float32)

    def values(self, rows: Floats, slots: Indices, workers: Workers) -> Values:
        """The value of every swap (or addition) of arms, given their distances to all.

        Row i of the result is for the arm whose distances are `rows[slots[i]]`; there is
        a column for each medoid that could go, or a single one in BUILD.
        """
        return self.of_sums(*self.sums(rows, slots, workers, self.clips))[1]

    def sums(
        self, rows: Floats, slots: Indices, workers: Workers, clips: Clips
    ) -> tuple[Values, Values]:
        """The sums of arms' rewards at references that have these clips.

        Of each arm if no medoid goes; and what is added where each one does. Where the two
        would cancel, the latter has the cost of the removal in it, point by point.
        """
        kernel = kernels.total_changes if self.cancels else kernels.total_rewards
        shared = np.empty(len(slots))
        extra = np.zeros((len(slots), self.k))

        def work(start: int, stop: int) -> None:
            part = slice(start, stop)
            kernel(rows, slots[part], clips, self.swap, shared[part], extra[part])

        workers.each(work, len(slots), 8)
        return shared, extra

    def of_sums(self, shared: Values, extra: Values) -> tuple[Values, Values]:
        """What each arm is worth if no medoid goes; and the values."""
        alone = shared / self.n
        if not self.swap:
            return alone, alone[:, None]
        values = (shared[:, None] + extra) / self.n
        return alone, values + (self._stays if self.cancels else self.removal)


def reward(distances: Floats, cap: Floats, base: Floats) -> Floats:
    """What arms change at references; the twin of the one in `kernels/reward.py`, for arrays."""
    return np.minimum(distances, cap) - base


def rewards(distances: Floats, clips: Clips) -> tuple[Floats, Floats]:
    """The rewards of arms at references: the owner staying, and going."""
    cap, base, cap2, base2, _ = clips
    return reward(distances, cap, base), reward(distances, cap2, base2)
