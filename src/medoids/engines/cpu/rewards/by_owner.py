"""Estimates of arms where there are many clusters: a mean for each owner.

The owners of the references then explain nearly all that a regression does, for a
fraction of the work.
"""

from __future__ import annotations

import numpy as np

from ...._types import Indices
from ...protocol import Values
from .. import kernels
from .deeper import Deeper
from .screened import Estimated, Screened, places_of

# Arms that a thread takes at a time.
_ARMS = 256


class ByOwner(Deeper):
    """One step's rewards at all references up to one depth, owner by owner."""

    def __init__(self, screened: Screened, depth: int) -> None:
        super().__init__(screened, depth)
        self.home = self.sample.without_itself()

    def _estimate(self, arms: Indices) -> Estimated:
        step = self.step
        mean = np.empty(len(arms))
        lower = np.empty((step.k + 1 if step.swap else 1, len(arms)), dtype=np.float32)
        blocks = []
        for i, (block, slots) in enumerate(self.blocks(arms)):
            ids = self.sample.ids[self.starts[i] : self.starts[i + 1]]
            caps = np.ascontiguousarray(step.caps(ids).T)
            parts = self.sample.parts[self.starts[i] : self.starts[i + 1]]
            blocks.append((block, slots, places_of(ids, arms), caps, parts))

        def work(start: int, stop: int) -> None:
            sums = np.zeros((4, stop - start, 2 * step.k), dtype=np.float32)
            part = slice(start, stop)
            for block, slots, itself, caps, parts in blocks:
                kernels.add_by_part(block, slots[part], itself[part], caps, parts, step.swap, sums)
            mean[part], lower[:, part] = self._values(arms[part], sums.astype(float))

        self.screened.cache.points.workers.each(work, len(arms), _ARMS)
        return Estimated(mean, lower - self.screened.guard.term(arms, self.m))

    def _values(self, arms: Indices, sums: Values) -> tuple[Values, Values]:
        """The lowest estimate of each arm's swaps, and all their lower bounds."""
        step, sample, z, own = self.step, self.sample, self.screened.z, self.screened.own
        stay, stay2, go, go2 = sums
        inside_own = sample.strata.of[arms][:, None] == np.arange(2 * step.k)
        scale = sample.share * np.where(inside_own, self.home[arms][:, None], 1.0)
        count = np.maximum(sample.counts, 1)
        inside = sample.spread * np.maximum(stay2 - stay**2 / count, 0.0)
        value = (scale * stay).sum(axis=1) + own[arms, 0]
        variance = inside.sum(axis=1)
        alone = value - z * np.sqrt(variance)
        if not step.swap:
            return value, alone[None]
        mine = step.owner[arms][:, None] == np.arange(step.k)
        values = value[:, None] + self._of_owners(scale * (go - stay)) + step.removal
        values += np.where(mine, (own[arms, 1] - own[arms, 0])[:, None], 0.0)
        other = sample.spread * np.maximum(go2 - go**2 / count, 0.0)
        wide = np.maximum(variance[:, None] + self._of_owners(other - inside), 0.0)
        lower = values - z * np.sqrt(wide)
        return values.min(axis=1), np.concatenate([lower.T, alone[None]])

    def _of_owners(self, values: Values) -> Values:
        """The sums over each owner's two strata."""
        return np.asarray(values.reshape(len(values), 2, self.step.k).sum(axis=1))
