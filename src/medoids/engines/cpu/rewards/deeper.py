"""Rewards at all references up to a depth, for the arms that a search is left with."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices
from .sample import Sample
from .screened import Estimated, Screened


class Deeper(ABC):
    """What estimates some arms of one step from more than the first references.

    Attributes
    ----------
    sample : Sample
        The references: those of each level, and then those that small clusters have
        besides.
    starts : ndarray of int
        Where each of these parts starts in the sample, and the end.
    m : int
        How many they are.
    """

    def __init__(self, screened: Screened, depth: int) -> None:
        self.screened, self.step = screened, screened.step
        cache, first = screened.cache, screened.sample
        self.levels = cache.levels.deepen(depth)
        # References for small clusters, as far as they are in no level yet.
        beyond = cache.position[first.ids] >= depth
        self.beyond = first.lines[beyond]
        ids = [*(level.refs for level in self.levels), first.ids[beyond]]
        self.starts = np.cumsum([0, *map(len, ids)])
        together = np.concatenate(ids)
        self.sample = Sample(together, together, first.strata, screened.z)
        self.m = len(self.sample.ids)

    def estimate(self, arms: Indices) -> Estimated:
        """The estimate of each arm's best swap; lower bounds of all of them."""
        # So many at a time that what cannot be kept fits into the scratch memory.
        size = max(int(self.screened.cache.scratch // (4 * self.m)), 64)
        parts = [self._estimate(arms[at : at + size]) for at in range(0, len(arms), size)]
        return Estimated(
            np.concatenate([part.mean for part in parts]),
            np.concatenate([part.lower for part in parts], axis=1),
        )

    def blocks(self, arms: Indices) -> list[tuple[NDArray[np.float32], Indices]]:
        """For each part of the sample, distances and the arms' places in them."""
        cache = self.screened.cache
        blocks = [cache.levels.measure(level, arms) for level in self.levels]
        if len(self.beyond):
            extra = cache.columns.block[self.beyond][:, arms]
            blocks.append((np.ascontiguousarray(extra.T), np.arange(len(arms), dtype=np.int32)))
        return blocks

    @abstractmethod
    def _estimate(self, arms: Indices) -> Estimated: ...
