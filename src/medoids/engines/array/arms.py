"""The arms of one step on a device."""

from __future__ import annotations

import math
import sys
from copy import copy
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..._tuning import Tuning
from ..protocol import Ids, Values
from .bounds import Bounds, carries
from .carried import Carried
from .estimates import (
    Arm,
    Basis,
    Estimates,
    Regression,
    basis_of,
    estimated,
    half_chance,
    most_features,
    quartiles,
)
from .heavy import Heavy, heavy_of
from .kept import KeptRows
from .namespace import Array, Space
from .rows import ArrayPoints
from .sample import Sample
from .state import State
from .step import SLACK, Step

# Arms that lead the others: in all, and of each cluster at most.
_LEADERS, _EACH = 48, 4
# So many are valued where sums over all points are known, but for rounding.
_SURE = 8
# A round takes as long as so many distances, and so many more for each reference, one after the
# other; so few arms are valued instead.
_ROUND, _REFERENCE, _FEWEST = 30_000_000, 4000, 8
# Very many distances are measured in parts that are so many times as large as others: a kernel
# has work for all processors then.
_LARGER = 4
# Refining begins with so many times the first references, at most.
_DEEPEST = 8
# From so many clusters on, deeper estimates are made in the order of owners.
_SORTED = 32
# The share of the memory limit that bounds may take.
_BOUNDS = 0.05


class Searched(Protocol):
    """What arms ask of the engine that they are of.

    Attributes
    ----------
    led : ndarray of int
        Arms that led the last search.
    useful : dict
        For BUILD and SWAP, the references that dropped arms in the last search.
    share : array or float
        What of the mean over all points an arm's own reward is.
    mean_weight_of_sample : float
        What the mean over references is multiplied by.
    bounds : Bounds or None
        What earlier searches have shown.
    room : float
        The memory limit, in bytes.
    """

    n: int
    points: ArrayPoints
    state: State
    led: Ids
    useful: dict[bool, int]
    share: Any
    bounds: Bounds | None
    room: float
    tuning: Tuning

    @property
    def sample(self) -> Sample: ...
    @property
    def kept(self) -> KeptRows: ...
    @property
    def carried(self) -> Carried | None: ...
    @property
    def mean_weight_of_sample(self) -> float: ...

    def step(self, swap: bool) -> Step: ...
    def candidates(self) -> Array: ...
    def homes(self, arms: Ids) -> Array: ...


class _Learnt:
    """What is known of all arms: shared by those that were narrowed."""

    def __init__(self, space: Space, n: int) -> None:
        self.space = space
        self.estimate, self.lower = space.full(n, np.inf), space.full(n, -np.inf)
        self.values: dict[int, float] = {}
        self.means: dict[int, Values] = {}  # of the rewards of those that are valued,
        self.homes: dict[int, int] = {}  # and who owns them
        self.version = 0

    def learn_all(self, found: Estimates) -> None:
        """What was found of all rows, the first time: also of those that are no arms."""
        self.estimate, self.lower = found.estimate, found.lower
        self.version += 1
        self._close(list(self.values))

    def know(self, values: dict[int, float]) -> None:
        """Exact values of some arms, which are left no more."""
        self.values.update(values)
        self._close(list(values))

    def _close(self, arms: list[int]) -> None:
        """No bar is above the bounds of arms that are valued."""
        if arms:
            self.lower = self.space.put(self.lower, self.space.ids(sorted(arms)), np.inf)

    def learn(self, arms: Array, found: Estimates) -> None:
        put = self.space.put
        self.estimate = put(self.estimate, arms, found.estimate)
        # Two bounds hold at once, and so does the higher one.
        lower = self.space.xp.maximum(self.space.take(self.lower, arms), found.lower)
        self.lower = put(self.lower, arms, lower)
        self.version += 1


class ArrayArms:
    """Arms that were screened; see `Arms` for what each method promises."""

    def __init__(self, engine: Searched, swap: bool, z: float) -> None:
        self._engine, self._step, self._z = engine, engine.step(swap), z
        self._sample, self._space = engine.sample, engine.points.space
        n, space = engine.n, self._space
        self._alive: Array = engine.candidates()
        self.count = self._left = int(self._alive.shape[0])
        self.first, self.total = self._sample.first, n
        # The first depth, and arms that were left before; then what came of it.
        self._refined: tuple[int, int] | None = None
        self._concluded = False
        self._bar, self._narrowed = np.inf, False
        # Those that are carried are so sure that few are to be valued.
        self.exact = self._sample.exact and not swap and engine.carried is None
        self._learnt = _Learnt(space, n)
        self._ranked: tuple[Array, int, tuple[Array, Array]] | None = None
        own = self._step.own(engine.points.itself)
        self._about = Arm(engine.state.owner, *own, engine.share)
        # Those that led the last step explain much of this one too.
        known = None
        if self.first < n:
            led = engine.kept.among(engine.led)
            led = led[~np.isin(led, engine.state.medoids)]
            self.value(led)
            known = self._features(self.first, led)
        carried = engine.carried
        if carried is None:
            sigma = self._measure(self.first, known)
        else:
            found = carried.estimates(self._step)
            self._learnt.learn_all(found)
            sigma = space.take(found.sigma, self._alive)
        self._sigma = quartiles(space, sigma)
        self.slack = self._step.slack or SLACK * self._usual()

    def _usual(self) -> float:
        xp = self._space.xp
        return float(xp.mean(xp.abs(self._space.take(self._learnt.estimate, self._alive))))

    @cached_property
    def _heavy(self) -> Heavy | None:
        return heavy_of(self._step, self._sample)

    def _heavy_at(self, depth: int) -> Heavy | None:
        """The heavy points, if the references up to a depth may lack some."""
        return self._heavy if depth < self.total else None

    @property
    def left(self) -> int:
        return self._left

    @cached_property
    def sigma(self) -> list[float]:
        found: Values = self._space.host(self._sigma)
        return [float(each) if math.isfinite(each) else 0.0 for each in found]

    @property
    def depth(self) -> int:
        """References whose distances take about as long as a round, or that were of use before."""
        more = _ROUND // max(self._left, 1)
        # Fewer are no gain: then leaders explain the distances at hand.
        depth = self.first + more if 2 * more >= self.first else self.first
        return min(max(depth, self._engine.useful.get(self._step.swap, 0)), _DEEPEST * self.first,
                   self.total)  # fmt: skip

    # --- estimates

    def _measure(
        self, depth: int, features: tuple[Array, Values] | None, bounds: Bounds | None = None
    ) -> Array:
        """Estimate the arms that are left; the standard deviations of their rewards.

        What is found of each medoid that could go is noted.
        """
        engine, space, step, sample = self._engine, self._space, self._step, self._sample
        xp, refs = space.xp, sample.refs(depth)
        clips, heavy, cost = step.at(refs), self._heavy_at(depth), step.cost
        if heavy is not None:
            clips, cost = heavy.left_out(clips, refs), heavy.cost
        chance = half_chance(depth, engine.n, sample.weighted)
        basis: Basis | None = None
        if features is not None and chance:
            basis = basis_of(space, *features)
        factor = engine.mean_weight_of_sample
        ordered = sample.first == engine.n
        with_ = Regression(
            clips, basis, chance, factor, sample.counts, ordered, sample.far, cost, self._z
        )
        parts, alive, sorts = [], self._alive, self._sorts(basis, depth)
        if sorts and basis is not None:
            with_, at = with_.by_owner(space, basis, step.k)
            refs = space.take(refs, at)
            alive = space.take(alive, xp.argsort(space.take(self._about.home, alive), stable=True))
        # All arms are measured as they lie, though some are none: none is copied.
        whole = self._left > 0.7 * engine.n and depth == self.first
        count = engine.n if whole else self._left
        # Nothing as large is made on the way.
        at_once = whole and space.fused is not None and sample.held is None
        for start, stop in [(0, count)] if at_once else space.chunks(count, depth, _LARGER):
            arms = space.arange(start, stop) if whole else alive[start:stop]
            if sorts:
                block = sample.between(arms, refs)
            else:
                block = sample.part(start, stop) if whole else sample.some(arms, depth)
            about = self._about if stop - start == engine.n else self._of(arms)
            some = estimated(space, step, with_, block, about, bounds is not None)
            if heavy is not None:
                more = heavy.changes(arms)
                some = Estimates(some.estimate + more, some.lower + more, some.sigma)
            if bounds is not None:
                bounds.note(arms, some.each)
                some = some._replace(each=None)
            parts.append(some)
        found = parts[0]
        if len(parts) > 1:
            found = Estimates(*(xp.concat(each) for each in list(zip(*parts, strict=True))[:3]))
        if whole and not self._learnt.version:
            self._learnt.learn_all(found)
            return space.take(found.sigma, self._alive)
        if whole:
            found = Estimates(*(space.take(each, self._alive) for each in found[:3]))
        self._learnt.learn(alive, found)
        return found.sigma

    def _sorts(self, basis: Basis | None, depth: int) -> bool:
        """Arms and references are to be in the order of their owners, for a kernel.

        Distances to the first references are computed again then, which takes less.
        """
        step, fused, sample = self._step, self._space.fused, self._sample
        if basis is None or fused is None or not step.swap or depth <= self.first:
            return False
        many = _SORTED <= step.k <= min(fused.MOST_CLUSTERS, depth // fused.SORTED)
        plain = not sample.weighted and sample.counts is None and self._engine.points.nonnegative
        return many and plain

    def _of(self, arms: Array) -> Arm:
        space, (home, stays, goes, share) = self._space, self._about
        if not isinstance(share, float):
            share = space.take(share, arms)
        return Arm(space.take(home, arms), space.take(stays, arms), space.take(goes, arms), share)

    def _features(self, depth: int, leaders: Ids) -> tuple[Array, Values] | None:
        """Features of the references up to a depth, and their means over all points."""
        space, step, state = self._space, self._step, self._engine.state
        xp, most = space.xp, most_features(depth)
        if most < 2:
            return None
        refs, heavy = self._sample.refs(depth), self._heavy_at(depth)
        clips = step.at(refs)
        if heavy is not None:
            clips = heavy.left_out(clips, refs)
        columns, means = [space.full((depth, 1), 1.0)], [np.ones(1)]
        if state.k and 1 < step.k <= most // 2:
            mine = clips.owner[:, None] == space.arange(0, step.k)[None, :]
            columns, means = [space.cast(mine, xp.float64)], [state.paid.weight / step.whole]
        for pays in (clips.cap, clips.cap2)[: step.known]:
            columns.append(space.cast(pays, xp.float64).T)
        if step.known:
            paid = np.array([state.paid.loss, state.paid.second])[: step.known]
            if heavy is not None:
                paid = paid - heavy.paid()
            means.append(paid / step.whole)
        room = most - sum(each.shape[1] for each in columns)
        chosen = self._chosen(leaders, room)
        if len(chosen):
            rows = self._engine.kept.at(chosen, refs)
            found = [clips.rewards(space, rows)]
            if step.swap:
                mine = self._engine.homes(chosen)[:, None] == clips.owner[None, :]
                found.append(xp.where(mine, clips.rewards_if_gone(space, rows), 0.0))
            columns.append(space.cast(xp.concat(found), xp.float64).T)
            sums = np.stack([self._learnt.means[arm] for arm in chosen.tolist()], axis=1)
            sums = sums[: len(found)]
            if heavy is not None:
                homes = self._engine.homes(chosen)
                sums = sums - heavy.rewards(self._engine.kept, chosen, homes) / step.whole
            means.append(sums.ravel())
        return xp.concat(columns, axis=1), np.concatenate(means)

    def _chosen(self, leaders: Ids, most: int) -> Ids:
        """So many of the leaders, the best of each cluster first."""
        leaders = self._engine.kept.among(leaders)
        if not len(leaders):
            return leaders
        most = min(most // 2 if self._step.swap else most, _LEADERS, self._engine.kept.most)
        if len(leaders) <= most:
            return leaders
        counts, rank = dict.fromkeys(self._learnt.homes.values(), 0), []
        for arm in leaders.tolist():
            home = self._learnt.homes[arm]
            rank.append(counts[home])
            counts[home] += 1
        return leaders[np.argsort(rank, kind="stable")[: max(most, 0)]]

    # --- which arms are left

    def drop(self, bar: float) -> int:
        if math.isinf(bar) and not self._learnt.values:  # there is no bar yet
            return self._left
        # The largest number keeps all whose bound is finite.
        self._bar = bar = min(float(bar), sys.float_info.max)
        self._alive = self._alive[self._space.take(self._learnt.lower, self._alive) <= bar]
        self._left = int(self._alive.shape[0])
        self._conclude()
        return self._left

    def _conclude(self) -> None:
        """Remember how many references it took to drop arms, for the next step."""
        if self._refined is None or self._concluded:
            return
        (depth, before), self._concluded = self._refined, True
        useful, swap = self._engine.useful, self._step.swap
        if 64 * self._left < before:  # fewer may do
            useful[swap] = depth // 2
        elif 2 * self._left > before:  # nothing came of it
            useful[swap] = max(useful.get(swap, 0), 2 * depth)

    def _ranking(self) -> tuple[Array, Array]:
        """The arms that are left, the lowest estimate first; and the estimates."""
        now = (self._alive, self._learnt.version)
        if self._ranked is None or self._ranked[0] is not now[0] or self._ranked[1] != now[1]:
            space = self._space
            values = space.take(self._learnt.estimate, self._alive)
            order = space.xp.argsort(values, stable=True)
            ranking = space.take(self._alive, order), space.take(values, order)
            self._ranked = (*now, ranking)
        return self._ranked[2]

    def lowest(self, count: int, *, below: float = np.inf, each: bool = False) -> Ids:
        xp, space = self._space.xp, self._space
        ranked, values = self._ranking()
        if below < np.inf:
            ranked = ranked[values < float(below)]
        if not each:
            ranked = ranked[: min(count, ranked.shape[0])]
            return np.asarray(space.host(ranked), dtype=np.int64)
        owner = space.take(self._engine.state.owner, ranked)
        # The rank of each among those of its cluster.
        grouped = xp.argsort(owner, stable=True)
        sorted_owner = space.take(owner, grouped)
        begins = xp.searchsorted(sorted_owner, space.arange(0, self._step.k))
        rank = space.arange(0, ranked.shape[0]) - space.take(begins, sorted_owner)
        chosen = xp.sort(grouped[rank < count])
        return np.asarray(space.host(space.take(ranked, chosen)), dtype=np.int64)

    def leaders(self, depth: int) -> Ids:
        if self._engine.carried is not None:  # the best of them are
            return self.lowest(_SURE)
        most = min(_LEADERS, max(self._left // 8, 1))
        best = self.lowest(min(4, most) if self._step.swap else most)
        if not self._step.swap or self._step.k == 1:
            return best
        more = self.lowest(min(max(most // self._step.k, 1), _EACH), each=True)
        both = np.concatenate([best, more[~np.isin(more, best)]])
        return both[: max(most, min(self._step.k, self._left // 2))]

    def narrowed(self, each: int) -> ArrayArms:
        other = copy(self)
        other._alive = self._space.ids(np.sort(self.lowest(each, each=True)))
        other.count = other._left = int(other._alive.shape[0])
        other._narrowed = True
        return other

    def refine(self, depth: int, leaders: Ids) -> None:
        depth = min(depth, self.total)
        self._engine.led = leaders[: 2 * _LEADERS]
        self._refined = self._refined or (depth, self._left)
        bounds = None if self._narrowed else self._carried(depth)
        if self._left:
            self._measure(depth, self._features(depth, leaders), bounds)

    def _carried(self, depth: int) -> Bounds | None:
        """Drop arms by what earlier searches have shown; where more is to be noted."""
        engine, step, learnt = self._engine, self._step, self._learnt
        bounds, tuning = engine.bounds, engine.tuning
        if not carries(step, self._sample, tuning.worth_carrying, _BOUNDS * engine.room):
            return None
        engine.bounds = None
        if self._heavy is not None:  # what these change is known of the best medoid alone
            return None
        if bounds is not None and bounds.z == self._z:
            lower = bounds.lower(step, self._sample, tuning.changed, self._left * depth)
            if lower is not None:
                learnt.lower = self._space.xp.maximum(learnt.lower, lower)
                self.drop(self._bar)
                engine.bounds = bounds
        if engine.bounds is None:
            engine.bounds = Bounds(step, engine.points.itself, self._z)
        return engine.bounds

    def worth_refining(self, depth: int) -> bool:
        n, round_ = self.total, _ROUND + _REFERENCE * depth
        few = self._left <= max(min(round_ // n, n // 50), _FEWEST)
        return not few and self.first < n and 2 * (depth - self.first) < n

    # --- values

    def value(self, arms: Ids | None = None) -> float:
        learnt, space = self._learnt, self._space
        chosen = np.asarray(space.host(self._alive) if arms is None else arms, dtype=np.int64)
        new = np.array([arm for arm in chosen.tolist() if arm not in learnt.values], dtype=np.int64)
        found = np.empty(len(new))
        if not len(new):
            return min(learnt.values.values(), default=np.inf)
        if self.exact:
            found[:] = space.host(space.take(learnt.estimate, space.ids(new)))
        else:
            for part, rows in self._engine.kept.parts(new):
                changes, means, homes = self._step.judged(rows, self._engine.homes(new[part]))
                found[part] = (changes / self.total + self._step.stays).min(axis=1)
                learnt.means.update(zip(new[part].tolist(), means, strict=True))
                learnt.homes.update(zip(new[part].tolist(), homes.tolist(), strict=True))
        learnt.know(dict(zip(new.tolist(), found.tolist(), strict=True)))
        return min(learnt.values.values(), default=np.inf)

    def valued(self, bar: float = np.inf) -> Ids:
        ranked = sorted((value, arm) for arm, value in self._learnt.values.items() if value <= bar)
        return np.array([arm for _, arm in ranked], dtype=np.int64)

    def close(self) -> None:
        """Nothing is learnt from what a search cost."""
