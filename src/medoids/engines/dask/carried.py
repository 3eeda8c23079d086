"""Lower bounds on every swap of a shard's arms, carried from one SWAP step to the next.

As the CPU's engine does it (`engines/cpu/rewards/bounds.py`): the change of an arm's value is
estimated from the first references among the points whose rewards have changed. How many such
points there are in all, the shards are told with the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._tuning import Tuning
from ..cpu import kernels
from ..cpu.kernels.tuples import Changed, Moved, Removed
from ..cpu.state import State
from ..cpu.step import Step
from .columns import Columns
from .part import Part

# Arms that a thread takes at a time.
_SLICE = 1024
Lines = NDArray[np.float32]


class _Paid(NamedTuple):
    """What points paid, and to whom."""

    nearest: NDArray[np.float64]
    second: NDArray[np.float64]
    owner: NDArray[np.int32]

    @staticmethod
    def now(state: State) -> _Paid:
        return _Paid(state.nearest.copy(), state.second.copy(), state.owner.copy())

    def changed(self, state: State, replaced: Any, slack: float) -> NDArray[np.bool_]:
        """The points whose rewards have changed since then; float32 does not see the slack."""
        found = np.abs(state.nearest - self.nearest) > slack
        found |= np.abs(state.second - self.second) > slack
        found |= state.owner != self.owner
        # The bounds of a new medoid are made of all its points, those as far from the old one too.
        found |= replaced[state.owner]
        return np.asarray(found)


class Carried:
    """The bounds of one SWAP step, and the state that they are for.

    Parameters
    ----------
    number : int
        Of the step.
    step : Step
        At the first references.
    first : Part
        These.
    parts : sequence of Part
    lines : sequence of ndarray of float32 of shape (k + 1, arms), or None
        For each part bounds on every swap, and on the addition in the last line.
    own : sequence of ndarray
        What each arm gains at itself, its owner staying or going.
    """

    def __init__(
        self,
        number: int,
        step: Step,
        first: Part,
        parts: Sequence[Part],
        lines: Sequence[Lines | None],
        own: Sequence[NDArray[np.float32]],
    ) -> None:
        self.number, self.slack, self.removal = number, step.slack, step.removal
        self.medoids = list(first.state.medoids)
        self.lines, self._own = lines, own
        self._first = _Paid.now(first.state)
        self._parts = [_Paid.now(part.state) for part in parts]

    def count(self, parts: Sequence[Part], medoids: Sequence[int]) -> int | None:
        """How many points of a shard have changed since; None if other medoids do not compare."""
        replaced = self._replaced(medoids)
        if replaced is None:
            return None
        pairs = zip(self._parts, parts, strict=True)
        return sum(int(then.changed(p.state, replaced, self.slack).sum()) for then, p in pairs)

    def _replaced(self, medoids: Sequence[int]) -> NDArray[np.bool_] | None:
        if len(medoids) != len(self.medoids) or len(medoids) < 2:
            return None
        return np.asarray(np.array(self.medoids) != np.array(medoids))

    def move(
        self, count: int, z: float, first: Part, judging: Columns, tuning: Tuning,
        parts: Sequence[tuple[Part, Columns, Step]],
    ) -> bool:  # fmt: skip
        """Bring the bounds to the state that the parts are in; False if too much has changed.

        `count` points have changed in all; `judging` are the distances from arms that are the same
        on every worker.
        """
        replaced = self._replaced(first.state.medoids)
        if replaced is None or not parts or count > tuning.changed * parts[0][2].n:
            return False
        at = np.flatnonzero(self._first.changed(first.state, replaced, self.slack))
        if count > 0 and len(at) < min(tuning.fewest_changed, count):
            return False
        now, then, n = first.state, self._first, parts[0][2].n
        old = np.stack([then.nearest[at], then.second[at]], axis=1).astype(np.float32)
        new = np.stack([now.nearest[at], now.second[at]], axis=1).astype(np.float32)
        share = count / max(len(at), 1) / n
        spread = share**2 * max(1 - len(at) / max(count, 1), 0)
        weights = np.float32(share), np.float32(spread), np.float32(z)
        k = len(replaced)

        def work(part: Part, columns: Columns, moved: Moved, removed: Removed, lower: Lines) -> Any:
            ids = part.local(first.ids[at])
            changed = Changed(at, ids, old, new, then.owner[at], now.owner[at])
            skew = np.zeros((part.n, 2), dtype=np.float32)
            part.space.workers.each(
                lambda start, stop: kernels.carry(
                    columns.block, changed, moved, removed, weights, (start, stop), lower, skew
                ),
                part.n,
                _SLICE,
            )
            return skew.sum(axis=0, dtype=float)

        judges = judging.arms
        none, home = np.zeros((judges.n, 2), np.float32), np.zeros(judges.n, np.int32)
        removed = Removed(np.zeros(k, np.float32), replaced)
        scratch = np.zeros((k + 1, judges.n), np.float32)
        sums = [work(judges, judging, Moved(none, none, home, home), removed, scratch)]
        for (part, columns, step), before, own, lines in zip(
            parts, self._parts, self._own, self.lines, strict=True
        ):
            if lines is None:
                continue
            cost = (step.removal - np.where(replaced, 0.0, self.removal)).astype(np.float32)
            moved = Moved(own, step.own(part.itself), before.owner, part.state.owner)
            sums.append(work(part, columns, moved, Removed(cost, replaced), lines))
        # What is not known of the changes, where rewards are few and skewed.
        skewed = max((squares / total for total, squares in sums if total > 0), default=0.0)
        for (_, _, step), lines in zip(parts, self.lines, strict=True):
            if lines is not None:
                less = step.slack + step.rough + (z**2 / 3 * skewed * share if spread > 0 else 0.0)
                lines -= np.float32(less)
        return True


def lowest(lines: Lines) -> NDArray[np.float64]:
    """The lowest bound of each arm's swaps; the last of several lines is the addition."""
    return np.asarray(lines[: max(len(lines) - 1, 1)].min(axis=0), dtype=np.float64)
