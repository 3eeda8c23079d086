"""What swaps have changed of arms that were judged before."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._types import Floats, Indices
from ..protocol import Values
from . import kernels
from .points.base import Points
from .step import Step

# Points of a tile, which stays near the core.
_POINTS = 1024
# Of a step's slack: by so much may sums of the same distances differ, computed in other blocks.
_ROUNDING = 0.02


class Known(NamedTuple):
    """What is known of arms that were judged by all points.

    Attributes
    ----------
    values : ndarray of shape (n, 4)
        The values of the two best swaps of each, the lowest of all others, and the most that is won
        besides where one of the others goes; or lower bounds of these.
    replaced : ndarray of int32 of shape (n, 2)
        The positions of the medoids that go in the first two.
    alone : ndarray of shape (n,)
        The value if no medoid goes.
    """

    values: Values
    replaced: NDArray[np.int32]
    alone: Values

    @property
    def lowest(self) -> Values:
        """The value of each arm's best swap."""
        lowest: Values = self.values[:, :3].min(axis=1)
        return lowest

    @classmethod
    def nothing(cls, n: int) -> Known:
        return cls(np.full((n, 4), np.inf), np.full((n, 2), -1, dtype=np.int32), np.zeros(n))


class Memory(NamedTuple):
    """What is known of arms, and the state that it is of.

    Attributes
    ----------
    known : Known
    medoids : ndarray of int
    nearest, second, owner : ndarray
        As a state has them.
    removal : ndarray of shape (k,)
        What the removal of each medoid costs.
    """

    known: Known
    medoids: Indices
    nearest: Floats
    second: Floats
    owner: NDArray[np.int32]
    removal: Values


def remember(step: Step, known: Known) -> Memory:
    """What is known of arms in a step."""
    state = step.state
    near = state.nearest.copy(), state.second.copy(), state.owner.copy()
    return Memory(known, np.array(state.medoids), *near, step.removal * step.n)


class Change:
    """The points at which the values of swaps have changed, and by how much.

    Parameters
    ----------
    before : Memory
    step : Step
        The SWAP step of now.

    Attributes
    ----------
    points : ndarray of int
        Those that pay otherwise, or have a medoid that is new.
    left_out : float
        The most that other points, and rounding, can change of a value.
    """

    def __init__(self, before: Memory, step: Step) -> None:
        self._before, state = before, step.state
        new = np.array(state.medoids) != before.medoids
        # What float32 cannot see, as where medoids are sharpened, is left out.
        moved = np.abs(state.nearest - before.nearest) + np.abs(state.second - before.second)
        changed = (moved > step.slack) | (state.owner != before.owner) | new[state.owner]
        self.left_out = 2 * float(moved[~changed].sum()) + _ROUNDING * step.slack * step.n
        self.points = np.flatnonzero(changed)
        was, owner = before.owner[self.points], state.owner[self.points]
        touched = new.copy()
        touched[was], touched[owner] = True, True
        owners = np.flatnonzero(touched)
        slot = np.full(len(new), -1, dtype=np.int32)
        slot[owners] = np.arange(len(owners))
        removal = step.removal[owners] * step.n
        self._touched = owners, new[owners], removal, removal - before.removal[owners], slot
        # What was won with a medoid that is gone is of no use: it goes to a slot of its own.
        gone = np.where(new[was], len(owners), slot[was]).astype(np.int32)
        self._old = self._at(before.nearest), self._at(before.second), gone
        self._new = self._at(state.nearest), self._at(state.second), slot[owner]

    def _at(self, values: Floats) -> NDArray[np.float32]:
        return values[self.points].astype(np.float32)

    def carry(self, points: Points, arms: Indices, known: Known) -> None:
        """Fill in what is known of some arms now: lower bounds of their values."""
        owners, before = self._touched[0], self._before.known
        shared, extra = np.zeros(len(arms)), np.zeros((len(arms), len(owners) + 1))
        for at in range(0, len(self.points), _POINTS):
            part = slice(at, at + _POINTS)
            block = points.tile(arms, self.points[part])
            caps = (tuple(each[part] for each in caps) for caps in (self._old, self._new))
            kernels.add_changes(block, *caps, shared, extra)
        values, replaced, alone = (each[arms] for each in before)
        alone += shared
        kernels.carry_swaps(values, replaced, alone, shared, extra, self._touched)
        known.values[arms], known.replaced[arms], known.alone[arms] = values, replaced, alone
