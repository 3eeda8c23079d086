"""Estimates of arms where there are many clusters: a mean for each owner.

The owners of the references then explain nearly all that a regression does, for a
fraction of the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..points.base import Floats, Indices
from .deeper import Deeper, places_of

if TYPE_CHECKING:
    from ..step import Values
    from .rewards import Rewards

# With at least so many clusters this serves better than the regression.
MANY = 32
_ARMS = 256


class ByOwner(Deeper):
    """One step's rewards at all references up to one depth, owner by owner."""

    def __init__(self, rewards: Rewards, depth: int) -> None:
        super().__init__(rewards, depth)
        self.home = self.sample.without_itself()

    def _estimate(self, arms: Indices) -> tuple[Values, Floats]:
        from ..kernels.estimates import add_by_part

        step = self.rewards
        mean = np.empty(len(arms))
        lower = np.empty((step.k + 1 if step.swap else 1, len(arms)), dtype=np.float32)
        sources = []
        for i, (block, slots) in enumerate(self.blocks(arms)):
            ids = self.sample.ids[self.starts[i] : self.starts[i + 1]]
            caps = np.ascontiguousarray(step.caps(ids).T)
            parts = self.sample.parts[self.starts[i] : self.starts[i + 1]]
            sources.append((block, slots, places_of(ids, arms), caps, parts))

        def work(start: int, stop: int) -> None:
            sums = np.zeros((4, stop - start, 2 * step.k), dtype=np.float32)
            part = slice(start, stop)
            for block, slots, itself, caps, parts in sources:
                add_by_part(block, slots[part], itself[part], caps, parts, step.swap, sums)
            mean[part], lower[:, part] = self._values(arms[part], sums.astype(float))

        self.cache.points.workers.each(work, len(arms), _ARMS)
        return mean, lower - step.guard(arms, self.m, 1.0)

    def _values(self, arms: Indices, sums: Values) -> tuple[Values, Values]:
        """The lowest estimate of each arm's swaps, and all their lower bounds."""
        step, sample = self.rewards, self.sample
        stay, stay2, go, go2 = sums
        own = sample.strata.of[arms][:, None] == np.arange(2 * step.k)
        scale = sample.share * np.where(own, self.home[arms][:, None], 1.0)
        count = np.maximum(sample.counts, 1)
        inside = sample.spread * np.maximum(stay2 - stay**2 / count, 0.0)
        value = (scale * stay).sum(axis=1) + step.own[arms, 0]
        variance = inside.sum(axis=1)
        alone = value - step.z * np.sqrt(variance)
        if not step.swap:
            return value, alone[None]
        mine = step.owner[arms][:, None] == np.arange(step.k)
        values = value[:, None] + self._by_owner(scale * (go - stay)) + step.removal
        values += np.where(mine, (step.own[arms, 1] - step.own[arms, 0])[:, None], 0.0)
        other = sample.spread * np.maximum(go2 - go**2 / count, 0.0)
        wide = np.maximum(variance[:, None] + self._by_owner(other - inside), 0.0)
        lower = values - step.z * np.sqrt(wide)
        return values.min(axis=1), np.concatenate([lower.T, alone[None]])

    def _by_owner(self, values: Values) -> Values:
        """The sums over each owner's two strata."""
        return np.asarray(values.reshape(len(values), 2, self.rewards.k).sum(axis=1))
