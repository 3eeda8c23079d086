"""The few points that pay far more than others: a sample has them or not, so all are measured."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..protocol import Ids, Values
from .kept import KeptRows
from .namespace import Array, Space
from .sample import Sample
from .step import Clips, Step

# They pay so many times what others do in the mean; and are no more than a share of the first
# references.
_TIMES, _SHARE = 8.0, 8


class Heavy:
    """What arms change at heavy points is summed; to the sample these pay nothing.

    With x for the arm, and the sums over heavy points y alone, a swap with medoid m changes there
    Σ min(d(x, y) − near(y), 0) + Σ_{own(y) = m} min(d, second) − min(d, near), where no term of the
    second sum is below zero. Its lowest over all m goes into the bounds.

    Parameters
    ----------
    step : Step
    sample : Sample
    ids : array
        The heavy points.
    """

    def __init__(self, step: Step, sample: Sample, ids: Array) -> None:
        self._step, self._sample, self._ids = step, sample, ids
        self.space: Space = step.state.space
        self._clips = step.clips_of(ids)
        light = self.space.full(step.n, 1.0, self.space.xp.float32)
        self._light = self.space.put(light, ids, 0.0) > 0

    def left_out(self, clips: Clips, refs: Array) -> Clips:
        """Clips of references, where no arm changes anything at a heavy one."""
        light = self.space.take(self._light, refs)[None, :]
        cap, base, cap2, base2 = (self.space.xp.where(light, each, 0.0) for each in clips[:4])
        return Clips(cap, base, cap2, base2, *clips[4:])

    @cached_property
    def _owners(self) -> Array:
        owners = self._clips.owner[:, None] == self.space.arange(0, self._step.k)[None, :]
        return self.space.cast(owners, self.space.xp.float32)

    @cached_property
    def cost(self) -> Array:
        """What it costs that a medoid goes, without what heavy points lose by it."""
        lost = self.space.cast(self._clips.cap2 - self._clips.cap, self.space.xp.float64)
        owners = self.space.cast(self._owners, self.space.xp.float64)
        return self._step.cost - self.space.xp.matmul(lost, owners)[0, :] / self._step.n

    def paid(self) -> Values:
        """What is known of points, summed over the heavy ones: see `Step.known`."""
        paid = (self._clips.cap, self._clips.cap2)[: self._step.known]
        sums = [self.space.xp.sum(each) for each in paid]
        return np.asarray(self.space.host(self.space.xp.stack(sums)), dtype=np.float64)

    def rewards(self, kept: KeptRows, arms: Ids, homes: Array) -> Values:
        """What arms whose rows are kept change at heavy points in all: owners staying, and going.

        The latter at their own owner's points alone.
        """
        xp, clips = self.space.xp, self._clips
        rows = kept.at(arms, self._ids)
        sums = [xp.sum(clips.rewards(self.space, rows), axis=1)]
        if self._step.swap:
            mine = homes[:, None] == clips.owner[None, :]
            goes = xp.where(mine, clips.rewards_if_gone(self.space, rows), 0.0)
            sums.append(xp.sum(goes, axis=1))
        return np.asarray(self.space.host(xp.stack(sums)), dtype=np.float64)

    def changes(self, arms: Array) -> Array:
        """What arms change at heavy points, for a point in the mean, at the least."""
        space, xp, clips, parts = self.space, self.space.xp, self._clips, []
        for start, stop in space.chunks(arms.shape[0], self._ids.shape[0]):
            far = self._sample.between(arms[start:stop], self._ids)
            stays = clips.rewards(space, far)
            found = space.cast(xp.sum(stays, axis=1), xp.float64)
            if self._step.swap:  # whichever medoid goes: what is lost and won back
                lost = clips.rewards_if_gone(space, far) - stays + (clips.cap2 - clips.cap)
                more = xp.matmul(lost, self._owners)
                found = found + space.cast(xp.min(more, axis=1), xp.float64)
            parts.append(found / self._step.n)
        return parts[0] if len(parts) == 1 else xp.concat(parts)


def heavy_of(step: Step, sample: Sample) -> Heavy | None:
    """The heavy points of a step, if it samples and there are such."""
    state, points = step.state, sample.points
    capped = state.k and (not step.swap or step.k > 1)
    if not capped or sample.first >= step.n or state.weights is not None or not points.nonnegative:
        return None
    space, most = state.space, max(sample.first // _SHARE, 1)
    # In SWAP a point may come to pay the second medoid.
    pays = state.second if step.swap else state.nearest
    usual = (state.paid.second if step.swap else state.paid.loss) / step.n
    ids = space.arange(0, step.n)[pays > _TIMES * usual]
    if not ids.shape[0]:
        return None
    if ids.shape[0] > most:
        order = space.xp.argsort(-space.take(pays, ids), stable=True)
        ids = space.take(ids, order[:most])
    return Heavy(step, sample, ids)
