"""All distances between few points, and PAM's steps on them without a kernel."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..._types import Floats, Indices
from ..protocol import Values
from .kernels.few import add_rewards
from .kernels.tuples import Clips
from .matrix import CPUMatrix
from .step import SLACK, Step

# Sums that are carried are off by less than this share of what is paid: arms that are closer than
# that are summed anew.
_SLACK = 1e-12
# Steps after which all are summed anew, and the share of points that may change in one.
_STEPS, _MANY = 16, 0.4


class _Sums(NamedTuple):
    """What arms change, summed over all points, in a step of BUILD or SWAP.

    Attributes
    ----------
    swap : bool
    clips : Clips
        Of that step.
    shared : ndarray of shape (arms,)
        If no medoid goes;
    extra : ndarray of shape (k, arms)
        and what is added where each one does; of none, in BUILD.
    age : int
        For how many steps they were carried.
    """

    swap: bool
    clips: Clips
    shared: Values
    extra: Values
    age: int


def _copied(clips: Clips) -> Clips:
    cap, base, cap2, base2, owner = clips
    return Clips(cap.copy(), base.copy(), cap2.copy(), base2.copy(), owner.copy())


class SmallMatrix(CPUMatrix):
    """A matrix of few distances; see `AllArms` for what each method promises.

    A step changes what some points pay, or to whom: what arms change elsewhere is carried over.
    """

    _carried: _Sums | None = None

    @cached_property
    def _turned(self) -> Floats:
        """A row for each point."""
        return self.distances if self._counter.symmetric else self.distances.T.copy()

    def close(self, swap: bool) -> Indices:
        lowest, null = self._values(swap).min(axis=1), 0.0 if swap else np.inf
        paid = np.abs(lowest, where=lowest < np.inf, out=np.zeros(len(lowest))).mean()
        if self.state.k:
            paid = np.abs(self.state.nearest).mean() + self.step(swap).removal.max()
        slack = (_SLACK if self._truth is None else 2 * SLACK) * paid
        return np.flatnonzero(lowest <= min(float(lowest.min()), null) + slack)

    def _values(self, swap: bool) -> Values:
        step = self.step(swap)
        if step.cancels:
            return super()._values(swap)
        found = self._carried = self._sums(step)
        return self._open(step.of_sums(found.shared, found.extra.T)[1])

    def _sums(self, step: Step) -> _Sums:
        before, every = self._carried, np.arange(self.n)
        now = _copied(step.clips)  # the state changes in its place
        if before is not None and before.swap == step.swap and before.age < _STEPS:
            is_changed = np.any([a != b for a, b in zip(before.clips, now, strict=True)], axis=0)
            changed = np.flatnonzero(is_changed)
            if len(changed) <= _MANY * self.n:
                sums = before.shared, before.extra
                add_rewards(self._turned, changed, before.clips, sums, -1.0)
                add_rewards(self._turned, changed, now, sums, 1.0)
                return _Sums(step.swap, now, *sums, before.age + 1)
        arms = self._turned.shape[1]
        sums = np.zeros(arms), np.zeros((step.k if step.swap else 0, arms))
        add_rewards(self._turned, every, now, sums, 1.0)
        return _Sums(step.swap, now, *sums, 0)
