"""A step whose arms are all screened: what estimates from more references begin with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...._tuning import Tuning
from ...._types import Floats, Indices
from ...protocol import Values
from ..cache.cache import Cache
from ..step import Step
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
        self.values = [state.nearest] * bool(state.k) + [state.second] * (step.swap and step.k > 1)
        self.members = np.array([step.state.n])
        self.sums: list[Values] = []
        if state.k:
            found = state.tally()
            self.members, self.sums = found.members, list(found.sums[: len(self.values)])
        self._owner, self._k = step.owner, step.k
        self.means = np.stack([self.members, *self.sums], axis=1) / step.n

    def beside(self, ids: Indices) -> Values:
        """Of some points, how many each medoid owns, and sums of their values: a line for each."""
        owners = self._owner[ids]
        every = [np.bincount(owners, value[ids], self._k) for value in self.values]
        return np.stack([np.bincount(owners, minlength=self._k), *every], axis=1)


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
    worth : dict
        Of each arm that is valued: what it is worth if no medoid goes, and what is added where
        its own does.
    lines : int
        Of lower bounds.
    beside : dict
        What `beside_of` has found.
    seen : ndarray of bool
        The points that are seen besides the first references.
    """

    step: Step
    cache: Cache
    tuning: Tuning
    z: float
    own: NDArray[np.float32]
    sample: Sample
    guard: Guard
    known: Known
    worth: dict[int, tuple[float, float]]
    lines: int
    beside: dict[int, tuple[Indices, Values]]
    seen: NDArray[np.bool_]

    def beside_of(self, cluster: int) -> tuple[Indices, Values]:
        """Of the points next to a cluster: how many each owner has but for the heavy ones.

        And their part of the means of what is known.
        """
        if cluster not in self.beside:
            ids = self.cache.members.of(cluster, True)
            light = ids[self.sample.strata.of[ids] < self.step.k]
            counts = np.bincount(self.step.owner[light], minlength=self.step.k)
            self.beside[cluster] = counts, self.known.beside(ids) / self.step.n
        return self.beside[cluster]

    def in_sample(self, points: Indices, depth: int) -> NDArray[np.bool_]:
        """Which of some points are among the references up to a depth."""
        return (self.cache.position[points] < depth) | self.seen[points]


class Estimated(NamedTuple):
    """Of some arms: the estimate of each one's best swap, and lower bounds as in `Bounds`."""

    mean: Values
    lower: Floats
