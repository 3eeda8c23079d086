"""A step whose arms are all screened: what estimates from more references begin with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...._tuning import Tuning
from ...._types import Floats, Indices
from ...protocol import Values
from ..cache.cache import Cache
from ..cache.rows import Rows
from ..step import Step, reward
from .guard import Guard
from .sample import Sample


class Known:
    """What is known of every point, sampled or not: its owner, its nearest and second distance.

    Attributes
    ----------
    members : ndarray of int
        How many points each medoid owns.
    values : list of ndarray
        The distances.
    sums : list of ndarray
        Their sums over each owner's members.
    """

    def __init__(self, step: Step) -> None:
        state = step.state
        self.members = np.bincount(step.owner, minlength=step.k)
        self.values = [state.nearest] * bool(state.k) + [state.second] * (step.swap and step.k > 1)
        self.sums = [np.bincount(step.owner, value, step.k) for value in self.values]


class Leaders:
    """Rewards at every point of arms whose distances are all known (no medoid going)."""

    def __init__(self, step: Step, rows: Rows) -> None:
        self._step, self._rows = step, rows
        self._found: dict[int, tuple[NDArray[np.float32], float]] = {}

    def rewards_of(self, arm: int) -> tuple[NDArray[np.float32], float]:
        """The rewards, and their mean."""
        if arm not in self._found:
            rows, slots = self._rows.fetch(np.array([arm]))
            clips = self._step.clips
            gains = reward(rows[slots[0]], clips.cap, clips.base)
            self._found[arm] = gains.astype(np.float32), float(gains.mean())
        return self._found[arm]


class Screened(NamedTuple):
    """All that is known of a step after the screen.

    Attributes
    ----------
    step, cache, tuning : Step, Cache, Tuning
    z : float
        Half-width of an interval, in standard errors.
    own : ndarray of float32 of shape (arms, 2)
        What an arm gains at itself, its owner staying or going.
    sample : Sample
        The first references.
    guard : Guard
    known : Known
    leaders : Leaders
    """

    step: Step
    cache: Cache
    tuning: Tuning
    z: float
    own: NDArray[np.float32]
    sample: Sample
    guard: Guard
    known: Known
    leaders: Leaders


class Estimated(NamedTuple):
    """Of some arms: the estimate of each one's best swap, and lower bounds as in `Bounds`."""

    mean: Values
    lower: Floats


def places_of(ids: Indices, arms: Indices) -> Indices:
    """Where each arm is among the ids; -1 where it is not."""
    order = np.argsort(ids)
    at = np.minimum(np.searchsorted(ids, arms, sorter=order), len(ids) - 1)
    return np.where(ids[order[at]] == arms, order[at], -1)
