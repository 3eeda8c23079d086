"""Lower bounds on what every swap of every arm is worth, carried from step to step.

In BUILD an arm gains less in every later step, so a bound goes on to hold. A swap changes
what some points pay, and by how much a value can fall is known, whatever the arm. With many
clusters the change is estimated too, from the references among these points: it varies far less
than the value itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...._tuning import Tuning
from ...._types import Indices
from ...protocol import Values
from .. import kernels
from ..cache.cache import Cache
from ..kernels.tuples import Changed, Moved, Removed
from ..step import Step
from .falls import Before, Changes, falls, falls_by_reach
from .guard import SPAN

# Where more of the points have changed, it takes longer to tell which arms these reach.
_MANY = 1 / 3


class Bounds:
    """What is known of every swap.

    Attributes
    ----------
    lower : ndarray of float32 of shape (k + 1, n)
        No swap of an arm with a medoid is below this; and no addition of an arm, in the
        last line. Where that takes too much memory, and in BUILD, there is a single line for
        the lowest of each arm.
    """

    def __init__(self) -> None:
        self.lower = np.empty((0, 0), dtype=np.float32)
        self._before: Before | None = None

    def carry(
        self, step: Step, own: NDArray[np.float32], cache: Cache, z: float, tuning: Tuning
    ) -> None:
        """Bring the bounds from the step before to this one.

        `own` is what each arm gains at itself, its owner staying or going.
        """
        fits = 4 * step.k * step.n <= tuning.bounds * cache.memory_limit
        lines = step.k + 1 if step.swap and fits else 1
        before, state = self._before, step.state
        fresh = before is None or before.swap != step.swap or self.lower.shape != (lines, step.n)
        if before is None or fresh or cache.first == step.n or (step.swap and step.k == 1):
            self.lower = np.full((lines, step.n), -np.inf, dtype=np.float32)
        elif not step.swap:
            self.lower -= np.float32(step.slack)
        else:
            known = None
            if cache.first >= tuning.falling * step.k:
                known = self._fallen(before, step, cache)
            estimated = lines > 1 and self._change(before, step, own, cache, z, tuning)
            if not estimated:
                self.lower = np.full_like(self.lower, -np.inf) if known is None else known
            elif known is not None:
                np.fmax(self.lower, known, out=self.lower)
        # The first BUILD step has no loss to compare with.
        self._before = None
        if state.k:
            self._before = Before(
                step.swap, list(state.medoids), state.nearest.copy(), state.second.copy(),
                state.owner.copy(), own, step.removal, step.stays,
            )  # fmt: skip

    def _fallen(self, before: Before, step: Step, cache: Cache) -> NDArray[np.float32]:
        """The bounds, lowered by the most that the swaps since then can change."""
        alone, workers = len(self.lower) == 1, cache.points.workers
        changes, column = Changes(before, step), None
        told = cache.local and cache.points.triangle and step.state.keeps_rows
        if not told or len(changes.points) > _MANY * step.n:
            most = falls(changes, before, step)[:, None]
        else:
            most, column = falls_by_reach(changes, before, step, workers)
        if alone:
            most = most[:-1].max(axis=0)[None]
        found = np.empty_like(self.lower)

        def work(start: int, stop: int) -> None:
            for line, fall, out in zip(self.lower, most, found, strict=True):
                by = fall if column is None else fall[column[start:stop]]
                np.subtract(line[start:stop], by, out=out[start:stop])

        workers.each(work, step.n, SPAN)
        return found

    def lift_span(self, some: slice, lower: NDArray[np.float32]) -> Values:
        """Learn more of some arms, in lines as those of `lower`; the lowest of each."""
        known = self.lower[:, some]
        # Where float32 gives out, only what was known before is known.
        np.fmax(lower, known, out=known)
        return _lowest(known).astype(np.float64)

    def lift(self, arms: Indices, lower: NDArray[np.floating]) -> NDArray[np.float64]:
        """Learn more of some arms, in lines as those of `lower`; the lowest of each arm."""
        if len(self.lower) == 1:  # a line is faster to pick from than lines
            line = self.lower[0]
            line[arms] = found = np.fmax(line[arms], _lowest(lower).astype(np.float32))
            return np.asarray(found, dtype=np.float64)
        lower = np.fmax(self.lower[:, arms], lower.astype(np.float32))
        self.lower[:, arms] = lower
        return _lowest(lower).astype(np.float64)

    def _change(
        self,
        before: Before,
        step: Step,
        own: NDArray[np.float32],
        cache: Cache,
        z: float,
        tuning: Tuning,
    ) -> bool:
        """Add what the swaps since then change, as references tell; False if that is too much."""
        state = step.state
        if step.k < max(tuning.worth_carrying, 2):  # of one medoid every point changes
            return False
        replaced = np.array(before.medoids) != np.array(state.medoids)
        is_changed = _changed(before, step, replaced)
        count = int(is_changed.sum())
        if count > tuning.changed * step.n:
            return False
        worth = step.k >= tuning.many and (_lowest(self.lower) > 0).mean() > tuning.proven
        ids, lines = _references(cache, is_changed, tuning.wanted_changed if worth else 0)
        if count > 0 and len(ids) < min(tuning.fewest_changed, count):
            return False
        old = np.stack([before.nearest[ids], before.second[ids]], axis=1).astype(np.float32)
        new = np.stack([state.nearest[ids], state.second[ids]], axis=1).astype(np.float32)
        changed = Changed(lines, ids, old, new, before.owner[ids], state.owner[ids])
        moved = Moved(before.own, own, before.owner, state.owner)
        cost = (step.removal - np.where(replaced, 0.0, before.removal)).astype(np.float32)
        share = count / max(len(ids), 1) / step.n
        spread = share**2 * max(1 - len(ids) / max(count, 1), 0)
        weights = np.float32(share), np.float32(spread), np.float32(z)
        # What is not known of the changes, where rewards are few and skewed.
        skew = np.zeros((step.n, 2), dtype=np.float32)

        def work(start: int, stop: int) -> None:
            kernels.carry(
                cache.columns.block, changed, moved, Removed(cost, replaced), weights,
                (start, stop), self.lower, skew,
            )  # fmt: skip

        cache.points.workers.each(work, step.n, 1024)
        total, squares = skew.sum(axis=0, dtype=float)
        if spread > 0 and total > 0:
            self.lower -= np.float32(z**2 / 3 * squares / total * share)
        self.lower -= np.float32(step.slack + step.rough)
        return True


def _changed(before: Before, step: Step, replaced: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The points whose rewards the swaps since then change."""
    state = step.state
    # What float32 cannot see is left to the slack.
    changed = np.abs(state.nearest - before.nearest) > step.slack
    changed |= np.abs(state.second - before.second) > step.slack
    changed |= state.owner != before.owner
    # The bounds of a new medoid are made of all its points, those as far from the old one too.
    changed |= replaced[state.owner]
    return changed


def _lowest(lower: NDArray[np.floating]) -> NDArray[np.floating]:
    return np.asarray(lower[: max(len(lower) - 1, 1)].min(axis=0))


def _references(cache: Cache, changed: NDArray[np.bool_], wanted: int) -> tuple[Indices, Indices]:
    """The first references that changed, and more up to a number; and their lines."""
    ids = cache.order[changed[cache.order]]
    first = int((cache.position[ids] < cache.first).sum())
    more = ids[first:wanted]
    found = cache.columns.see(more, push=False) if len(more) else more
    lines = np.concatenate([cache.position[ids[:first]], found])
    return ids[: len(lines)], lines
