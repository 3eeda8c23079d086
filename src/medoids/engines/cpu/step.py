"""One step of PAM: what an arm would change, given the medoids so far.

An arm is a point that may become a medoid. Its reward at a reference is the change of
the loss there (equations 9 to 11); in SWAP an arm has k rewards, one for each medoid
that could go. Values are means over the n points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._threads import Workers
from ..._types import Floats, Indices
from ..protocol import Values
from . import kernels
from .kernels import few
from .kernels.tuples import Clips
from .state import State

# Values closer than this share of the mean loss are the same to float32.
SLACK = 2e-6
# Arms that a thread adds up at a time.
_ARMS = 4
# Where a removal costs so many times the mean loss, what is won back all but cancels it.
_CANCELS = 1e4


class Whole(NamedTuple):
    """What a step is to know of all points, where a state has only some of them.

    Attributes
    ----------
    n : int
        How many points there are.
    nearest, second : float
        The means over all of what they pay, and of the second distance: of their sizes.
    lost : ndarray of shape (k,)
        What taking each medoid away costs: a sum, so that of whole numbers it is exact.
    """

    n: int
    nearest: float
    second: float
    lost: Values

    @property
    def removal(self) -> Values:
        """The same, per point."""
        return self.lost / self.n


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
    whole : Whole, default=None
        What is known of all points, if the state has some of them only.

    Attributes
    ----------
    n : int
        How many points values are means over.
    version : int
        Of the state that it is for.
    clips : Clips
        cap, base, cap2, base2 and owner of every point.
    removal : ndarray of shape (k,)
    stays : ndarray of shape (k,)
        The part of it that keeps medoids that are fixed.
    slack : float
        Values closer than this are the same to float32; 0 before the first medoid.
    rough : float
        How wrong an estimate may be from rounding: where clusters are far apart, what a swap
        loses and what it wins all but cancel.
    cancels : bool
        They do so in float64 sums too, unless they are added point by point.
    """

    def __init__(self, state: State, swap: bool, whole: Whole | None = None) -> None:
        self.state, self.swap, self.version = state, swap, state.version
        self.k = max(state.k, 1)
        whole = _whole(state, swap) if whole is None else whole
        self.n, self.removal, self._lost = whole.n, whole.removal, whole.lost
        nothing = np.zeros(state.n)
        base = state.nearest if state.k else nothing
        self.slack = SLACK * whole.nearest if state.k else 0.0
        cap2 = base2 = nothing
        if swap:
            # If nobody is second, the arm takes all.
            cap2, base2 = state.second, state.nearest if self.k == 1 else state.second
        # No arm can win so much: a medoid that is fixed never goes.
        self.stays = np.zeros(self.k)
        if swap and state.fixed and self.k > 1:
            self.stays[: state.fixed] = 4 * (whole.nearest + whole.second)
        self.clips = Clips(state.nearest, base, cap2, base2, state.owner)
        self.owner = state.owner
        self.rough = 4 * SLACK * float(self.removal.max())
        self.cancels = bool(state.k) and self.is_cancelled(whole)
        self.removal = self.removal + self.stays

    @staticmethod
    def is_cancelled(whole: Whole) -> bool:
        """Whether what is lost and won has to be added up point by point."""
        return bool(whole.removal.max() > _CANCELS * whole.nearest)

    def at(self, refs: Indices) -> Clips:
        """The clips of some references."""
        cap, base, cap2, base2 = self._picked(refs)
        return Clips(cap, base, cap2, base2, self.owner[refs])

    def caps(self, refs: Indices) -> Values:
        """cap, base, cap2 and base2 of some references, a row for each."""
        return np.stack(self._picked(refs), axis=1).astype(np.float64, copy=False)

    def _picked(self, refs: Indices) -> list[Floats]:
        """The same as arrays; one that stands for two of them is picked from once."""
        found: dict[int, Floats] = {}
        for each in self.clips[:4]:
            if id(each) not in found:
                found[id(each)] = each[refs]
        return [found[id(each)] for each in self.clips[:4]]

    def own(self, itself: Values, some: slice = slice(None)) -> NDArray[np.float32]:
        """What arms gain at themselves, their owner staying or going; `itself` is d(x, x)."""
        cap, base, cap2, base2, owner = self.clips
        clips = Clips(cap[some], base[some], cap2[some], base2[some], owner[some])
        return (np.stack(rewards(itself, clips), axis=1) / self.n).astype(np.float32)

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
        shared = np.zeros(len(slots))
        extra = np.zeros((len(slots), self.k))
        loops = few if few.are_few(rows, self.n) else kernels
        kernel = loops.total_changes if self.cancels else loops.total_rewards
        if loops is few:
            kernel(rows, slots, clips, self.swap, shared, extra)
            return shared, extra

        def work(start: int, stop: int) -> None:
            part = slice(start, stop)
            kernel(rows, slots[part], clips, self.swap, shared[part], extra[part])

        workers.each(work, len(slots), _ARMS)
        return shared, extra

    def of_sums(self, shared: Values, extra: Values) -> tuple[Values, Values]:
        """What each arm is worth if no medoid goes; and the values."""
        alone = shared / self.n
        if not self.swap:
            return alone, alone[:, None]
        # One division, of a sum: swaps that change the loss by the same stay the same.
        values = (shared[:, None] + extra + (0.0 if self.cancels else self._lost)) / self.n
        return alone, values + self.stays


def _whole(state: State, swap: bool) -> Whole:
    """Where the state has all points."""
    if not state.k:
        return Whole(state.n, 0.0, 0.0, np.zeros(1))
    found = state.tally()
    nearest, second = (found.sizes / state.n).tolist()
    if not swap or state.k == 1:
        return Whole(state.n, nearest, 0.0, np.zeros(state.k))
    return Whole(state.n, nearest, second, found.sums[2])


def reward(distances: Floats, cap: Floats, base: Floats) -> Floats:
    """What arms change at references; the twin of the one in `kernels/reward.py`, for arrays."""
    return np.minimum(distances, cap) - base


def rewards(distances: Floats, clips: Clips) -> tuple[Floats, Floats]:
    """The rewards of arms at references: the owner staying, and going."""
    cap, base, cap2, base2, _ = clips
    return reward(distances, cap, base), reward(distances, cap2, base2)
