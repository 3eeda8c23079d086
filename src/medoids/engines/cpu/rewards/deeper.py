"""Rewards at all references up to a depth, for the arms that a search is left with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..points.base import Floats, Indices
from .sample import Sample

if TYPE_CHECKING:
    from ..step import Values
    from .rewards import Rewards


class Deeper(ABC):
    """What estimates some arms of one step from more than the first references.

    Attributes
    ----------
    sample : Sample
        The references: those of each level, and then those that small clusters have
        besides.
    starts : ndarray of int
        Where each of these parts starts in the sample, and the end.
    """

    def __init__(self, rewards: Rewards, depth: int) -> None:
        self.rewards = rewards
        self.cache = cache = rewards.cache
        first = rewards.first_sample
        self.levels = cache.deepen(depth)
        # References for small clusters, as far as they are in no level yet.
        beyond = cache.position[first.ids] >= depth
        self.beyond = first.lines[beyond]
        ids = [*(level.refs for level in self.levels), first.ids[beyond]]
        self.starts = np.cumsum([0, *map(len, ids)])
        together = np.concatenate(ids)
        self.sample = Sample(together, together, first.strata, rewards.z)
        self.m = len(self.sample.ids)

    def estimate(self, arms: Indices) -> tuple[Values, Floats]:
        """The estimate of each arm's best swap; lower bounds of all of them, as in `Bounds`."""
        # So many at a time that what cannot be kept fits into the scratch memory.
        size = max(int(self.cache.scratch // (4 * self.m)), 64)
        parts = [self._estimate(arms[at : at + size]) for at in range(0, len(arms), size)]
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts], axis=1)

    def blocks(self, arms: Indices) -> list[tuple[NDArray[np.float32], Indices]]:
        """For each part of the sample, distances and the arms' places in them."""
        blocks = [self.cache.measure(level, arms) for level in self.levels]
        if len(self.beyond):
            extra = self.cache.columns[self.beyond][:, arms]
            blocks.append((np.ascontiguousarray(extra.T), np.arange(len(arms), dtype=np.int32)))
        return blocks

    @abstractmethod
    def _estimate(self, arms: Indices) -> tuple[Values, Floats]: ...


def places_of(ids: Indices, arms: Indices) -> Indices:
    """Where each arm is among the ids; -1 where it is not."""
    order = np.argsort(ids)
    at = np.minimum(np.searchsorted(ids, arms, sorter=order), len(ids) - 1)
    return np.where(ids[order[at]] == arms, order[at], -1)
