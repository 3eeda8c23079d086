"""What searches have shown of arms, carried from one to the next (docs/algorithm.md)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..protocol import Ids, Values
from .namespace import Array, Space
from .sample import Sample
from .step import Step

# References among the points that changed, for each of the first ones; and the part of them that
# are those which changed most.
_TIMES, _MOST = 2, 4
# Carrying bounds is worth while, where to estimate arms again takes so many times the distances.
_WORTH = 2
# Distances are computed in parts that are so many times as large as others: see `arms`.
_LARGER = 4


class _Medoids(NamedTuple):
    """What bounds are about: the medoids, what points pay, and what arms change at themselves."""

    medoids: list[int]
    nearest: Array
    second: Array
    owner: Array
    stays: Array
    goes: Array
    removal: Values


class Change(NamedTuple):
    """Points that changed, once or twice each: where they belong now, and where they did.

    Attributes
    ----------
    before, before2, now, now2 : array
        What they paid and pay, to the nearest and the second-nearest medoid.
    was, is_ : array
        1 where what was, or is, added at the owner's points counts; else 0.
    once : array
        1 where what is won in any case counts; else 0.
    weight : array
        What of the mean over all points one stands for.
    unsure : array
        What its change, squared, adds to the square of half an interval: nothing where all of its
        kind are there.
    owner : ndarray
        To whom they belong, in ascending order; on the host.
    """

    before: Array
    before2: Array
    now: Array
    now2: Array
    was: Array
    is_: Array
    once: Array
    weight: Array
    unsure: Array
    owner: Ids


class Sums(NamedTuple):
    """What arms at some distances change at points that changed, each by its weight.

    Attributes
    ----------
    alone, wide : array
        In any case; and the square of half an interval.
    sizes : array
        All changes without their signs, by what they add to intervals.
    each, each_wide : array of shape (arms, k)
        More where each medoid goes, and the square of half an interval.
    """

    alone: Array
    wide: Array
    sizes: Array
    each: Array
    each_wide: Array


class Moves(NamedTuple):
    """What bounds are moved by besides.

    Attributes
    ----------
    cost : array of shape (k,)
        By how much a medoid's removal costs more; of a new one what it costs.
    new : array of shape (k,)
        1 for medoids that are new, else 0.
    less : float
        What may be missed in any case.
    rare, usual : float
        "Rare rewards": by how much of a usual change, which is no less than this, a sum may be
        wrong, of which none was seen.
    """

    cost: Array
    new: Array
    less: float
    rare: float
    usual: float


class Bounds:
    """Lower bounds of every arm's value, for each medoid that could go; and of its addition.

    Parameters
    ----------
    step : Step
        A SWAP step of two or more medoids.
    itself : array or None
        From each arm to itself, where that is not 0.
    z : float
        Of the intervals.
    """

    def __init__(self, step: Step, itself: Array | None, z: float) -> None:
        self._space: Space = step.state.space
        self._itself, self.z = itself, z
        self._of = self._noted(step)
        shape = (step.n, step.k + 1)
        self._table = self._space.full(shape, -math.inf, self._space.xp.float32)

    def _noted(self, step: Step) -> _Medoids:
        state, xp = step.state, self._space.xp
        paid = (state.nearest, state.second, state.owner)
        nearest, second, owner = (xp.asarray(each, copy=True) for each in paid)
        about = *step.own(self._itself), step.removal
        return _Medoids(list(state.medoids), nearest, second, owner, *about)

    def note(self, arms: Array, each: Array) -> None:
        """What was found of some arms: the last column is that of their addition."""
        known = self._space.take(self._table, arms, axis=0)
        self._table = self._space.put(self._table, arms, self._space.xp.maximum(known, each))

    def lower(self, step: Step, sample: Sample, most: float, pairs: int) -> Array | None:
        """Lower bounds of all arms, now that medoids may be others; None if these are too many.

        Parameters
        ----------
        step : Step
        sample : Sample
        most : float
            The share of points that may have changed.
        pairs : int
            Distances that it would take to estimate arms again.
        """
        space, xp, k = self._space, self._space.xp, step.k
        if step.state.medoids != self._of.medoids:
            depth = _TIMES * sample.first
            if _WORTH * step.n * depth > pairs:
                return None
            found = self._changed(step, sample, most, depth)
            if found is None:
                return None
            self._move(step, sample, *found)
        return space.cast(xp.min(self._table[:, :k], axis=1), xp.float64)

    def _changed(
        self, step: Step, sample: Sample, most: float, depth: int
    ) -> tuple[Array, Change, Moves, _Medoids] | None:
        """Points that changed, and how; and what bounds are about now."""
        space, xp, n, old = self._space, self._space.xp, step.n, self._of
        now, z = self._noted(step), self.z
        new = np.array([a != b for a, b in zip(now.medoids, old.medoids, strict=True)])
        fresh = space.array(new.astype(np.float64))
        # All that was known of a medoid that is gone is forgotten.
        owner0 = xp.where(space.take(fresh, old.owner) > 0, -1, old.owner)
        near, far = xp.abs(now.nearest - old.nearest), xp.abs(now.second - old.second)
        moved = xp.maximum(near, far)
        # Also members of new medoids that pay as much as before ("What a swap leaves as it was").
        differs = ~(moved <= step.slack) | (now.owner != owner0)
        # The most that a reward can have changed by.
        gap, gap0 = now.second - now.nearest, xp.where(owner0 < 0, 0.0, old.second - old.nearest)
        by = near + xp.where(now.owner == owner0, near + far, gap + gap0)
        by = xp.where(differs, by, 0.0)
        left = xp.sum(xp.where(differs, 0.0, moved))
        told = space.host(xp.stack([xp.sum(space.cast(differs, xp.float64)), left, xp.sum(by)]))
        count, left_out = int(told[0]), float(told[1]) / n
        if count > most * n or not np.isfinite(told).all():
            return None
        few = min(depth // _MOST, count)
        largest = space.lowest(-by, few)
        # The others are a sample, in the order of references.
        order = sample.refs(n)
        rest = order[space.take(space.put(differs, xp.sort(largest), False), order)]
        refs = xp.concat([largest, rest[: depth - few]])
        size, others = refs.shape[0] - few, count - few
        each = others / max(size, 1)  # points that a reference stands for
        weight, unsure = np.full(few + size, 1 / n), np.zeros(few + size)
        weight[few:] *= each
        rare = usual = 0.0
        if size < others:
            student = z * (1 + (z**2 + 1) / (4 * max(size - 1, 1)))
            unsure[few:] = (student * each / n) ** 2 * (1 - size / others)
            rare = z**2 / 2 * each / n
            usual = max(float(told[2]) - float(xp.sum(space.take(by, largest))), 0.0) / others
        cost = now.removal - np.where(new, 0.0, old.removal)
        moves = Moves(space.array(cost), fresh, left_out + step.rough, rare, usual)
        owners = xp.stack([space.take(now.owner, refs), space.take(owner0, refs)])
        at, about, whose = _sorted(np.asarray(space.host(owners)), weight, unsure, self._tile(step))
        refs = space.take(refs, space.ids(at))
        paid = (old.nearest, old.second, now.nearest, now.second)
        near0, far0, near, far = (
            space.cast(space.take(values, refs), xp.float32) for values in paid
        )
        was, is_, once, each_, sure = (space.cast(space.array(row), xp.float32) for row in about)
        points = Change(near0, far0, near, far, was, is_, once, each_, sure, whose)
        return refs, points, moves, now

    def _tile(self, step: Step) -> int:
        """Points of one owner come so many at a time."""
        fused = self._space.fused
        return 1 if fused is None else int(fused.TILE)

    def _move(
        self, step: Step, sample: Sample, refs: Array, points: Change, by: Moves, now: _Medoids
    ) -> None:
        """Bring the bounds up to date."""
        space, old, share, k = self._space, self._of, 1 / step.n, step.k
        xp, fused, every = space.xp, space.fused, space.arange(0, step.k)
        gone = space.take(by.new, old.owner) > 0
        for start, stop in space.chunks(step.n, refs.shape[0], _LARGER):
            # From an arm to itself it is infinitely far: what it changes there is known.
            far, part = sample.between(space.arange(start, stop), refs), slice(start, stop)
            sums = (_summed(space, far, points, k) if fused is None
                    else Sums(*fused.shifted(far, points, k)))  # fmt: skip
            seen = sums.wide + xp.sum(sums.each_wide, axis=1)
            usual = xp.clip(seen / xp.clip(sums.sizes, min=1e-30), min=by.usual)
            alone = space.cast(sums.alone - xp.sqrt(sums.wide) - by.rare * usual, xp.float64)
            alone = alone + (now.stays[part] - old.stays[part]) * share - by.less
            here = (now.goes[part] - now.stays[part]) * share
            there = xp.where(gone[part], 0.0, (old.goes[part] - old.stays[part]) * share)
            table = self._table[part, ...]
            known = xp.where(by.new[None, :] > 0, table[:, k:], table[:, :k])
            each = space.cast(known + (sums.each - xp.sqrt(sums.each_wide)), xp.float64)
            each = each + (alone[:, None] + by.cost[None, :])
            each = each + xp.where(now.owner[part][:, None] == every, here[:, None], 0.0)
            each = each - xp.where(old.owner[part][:, None] == every, there[:, None], 0.0)
            last = space.cast(table[:, k:], xp.float64) + alone[:, None]
            self._table[part, ...] = space.cast(xp.concat([each, last], axis=1), xp.float32)
        self._of = now


def _sorted(owners: Ids, weight: Values, unsure: Values, tile: int) -> tuple[Ids, Values, Ids]:
    """References by owner, now and before; each owner's filled up with some that weigh nothing.

    Which of the references they are; five rows of `Change`; and whom they belong to.
    """
    every, same = np.arange(owners.shape[1]), owners[0] == owners[1]
    before = every[~same & (owners[1] >= 0)]
    at = np.concatenate([every, before])
    whose = np.concatenate([owners[0], owners[1][before]])
    is_ = np.arange(len(at)) < len(every)
    was = np.concatenate([same, np.ones(len(before), dtype=bool)])
    order = np.argsort(whose, kind="stable")
    sizes = np.bincount(whose)
    filled = -(-sizes // tile) * tile
    begins = np.cumsum(filled) - filled - (np.cumsum(sizes) - sizes)
    place = np.arange(len(at)) + begins[whose[order]]
    found, about = np.zeros(filled.sum(), dtype=np.int64), np.zeros((5, filled.sum()))
    found[place] = at[order]
    rows = was, is_, is_, weight[at], unsure[at]
    about[:, place] = np.stack([np.asarray(row, dtype=np.float64)[order] for row in rows])
    return found, about, np.repeat(np.arange(len(sizes)), filled)


def _summed(space: Space, far: Array, points: Change, k: int) -> Sums:
    """Of arms at these distances."""
    xp = space.xp
    paid = points.before, points.before2, points.now, points.now2
    stays0, goes0, stays, goes = (xp.minimum(far, each[None, :]) - each[None, :] for each in paid)
    gained = (stays - stays0) * points.once[None, :]
    added = (goes - stays) * points.is_[None, :] - (goes0 - stays0) * points.was[None, :]
    owner = space.ids(points.owner)
    marks = space.cast(owner[:, None] == space.arange(0, k)[None, :], xp.float32)
    return Sums(
        xp.matmul(gained, points.weight),
        xp.matmul(gained * gained, points.unsure),
        xp.matmul(xp.abs(gained) + xp.abs(added), points.unsure),
        xp.matmul(added * points.weight[None, :], marks),
        xp.matmul(added * added * points.unsure[None, :], marks),
    )


def carries(step: Step, sample: Sample, least: int, room: float) -> bool:
    """Whether bounds of a step are worth carrying, and there is room for them."""
    fits = 4.0 * step.n * (step.k + 1) <= room
    plain = step.state.weights is None and sample.first < step.n
    return step.swap and step.k >= max(least, 2) and plain and fits
