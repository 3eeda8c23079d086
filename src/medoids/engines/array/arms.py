"""The arms of one step on a device."""

from __future__ import annotations

from copy import copy
from typing import Any, Protocol

import numpy as np

from ..protocol import Ids
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
from .kept import KeptRows
from .namespace import Array, Space
from .rows import ArrayPoints
from .sample import Sample
from .state import State
from .step import SLACK, Step

# Arms that lead the others: in all, and of each cluster at most.
_LEADERS, _EACH = 48, 4
# A round takes as long as so many distances; so few arms are valued instead.
_ROUND, _FEWEST = 30_000_000, 8


class Searched(Protocol):
    """What arms ask of the engine that they are of.

    Attributes
    ----------
    led : ndarray of int
        Arms that led the last search.
    share : array or float
        What of the mean over all points an arm's own reward is.
    mean_weight_of_sample : float
        What the mean over references is multiplied by.
    """

    n: int
    points: ArrayPoints
    state: State
    led: Ids
    share: Any

    @property
    def sample(self) -> Sample: ...
    @property
    def kept(self) -> KeptRows: ...
    @property
    def mean_weight_of_sample(self) -> float: ...

    def step(self, swap: bool) -> Step: ...
    def candidates(self) -> Array: ...


class _Learnt:
    """What is known of all arms: shared by those that were narrowed."""

    def __init__(self, space: Space, n: int) -> None:
        self.space = space
        self.estimate, self.lower = space.full(n, np.inf), space.full(n, -np.inf)
        self.value = space.full(n, np.inf)  # until it is known
        self.values: dict[int, float] = {}
        self.version = 0

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
        # The first round of refining needs no new distances: leaders explain those at hand.
        self.depth = self.first
        self.exact = self.first == n and not swap
        self._learnt = _Learnt(space, n)
        self._ranked: tuple[Array, int, tuple[Array, Array]] | None = None
        own = self._step.own(engine.points.itself)
        self._about = Arm(engine.state.owner, *own, engine.share)
        # Those that led the last step explain much of this one too.
        known = self._features(self.first, engine.led) if self.first < n else None
        self.sigma: list[float] = quartiles(space, self._measure(self.first, known))
        self.slack = self._step.slack or SLACK * self._usual()

    def _usual(self) -> float:
        xp = self._space.xp
        return float(xp.mean(xp.abs(self._space.take(self._learnt.estimate, self._alive))))

    @property
    def left(self) -> int:
        return self._left

    # --- estimates

    def _measure(self, depth: int, features: tuple[Array, Array] | None) -> Array:
        """Estimate the arms that are left; the standard deviations of their rewards."""
        engine, space, step, sample = self._engine, self._space, self._step, self._sample
        xp, refs = space.xp, sample.refs(depth)
        clips = step.at(refs)
        marks = clips.owner[:, None] == space.arange(0, step.k)[None, :]
        chance = half_chance(depth, engine.n, sample.weighted)
        basis: Basis | None = None
        if features is not None and chance:
            basis = basis_of(space, *features)
        with_ = Regression(
            clips, space.cast(marks, xp.float32), basis, chance,
            engine.mean_weight_of_sample, sample.counts, self._z,
        )  # fmt: skip
        parts = []
        # All arms are measured as they lie, though some are none: none is copied.
        whole = self._left > 0.7 * engine.n and depth == self.first
        for start, stop in space.chunks(engine.n if whole else self._left, depth):
            if whole:
                arms, block = space.arange(start, stop), sample.part(start, stop)
            else:
                arms = self._alive[start:stop]
                block = sample.some(arms, depth)
            parts.append(estimated(space, step, with_, block, self._of(arms)))
        found = parts[0]
        if len(parts) > 1:
            found = Estimates(*(xp.concat(each) for each in zip(*parts, strict=True)))
        if whole and self._left < engine.n:
            found = Estimates(*(space.take(each, self._alive) for each in found))
        self._learnt.learn(self._alive, found)
        return found.sigma

    def _of(self, arms: Array) -> Arm:
        space, (home, stays, goes, share) = self._space, self._about
        if not isinstance(share, float):
            share = space.take(share, arms)
        return Arm(space.take(home, arms), space.take(stays, arms), space.take(goes, arms), share)

    def _features(self, depth: int, leaders: Ids) -> tuple[Array, Array] | None:
        """Features of the references up to a depth, and their means over all points."""
        space, step, state = self._space, self._step, self._engine.state
        xp, most = space.xp, most_features(depth)
        if most < 2:
            return None
        refs = self._sample.refs(depth)
        columns, means = [space.full((depth, 1), 1.0)], [space.full(1, 1.0)]
        if state.k and 1 < step.k <= most // 2:
            mine = space.take(state.owner, refs)[:, None] == space.arange(0, step.k)[None, :]
            columns, means = [space.cast(mine, xp.float64)], [step.shares]
        for pays in (state.nearest, state.second)[: step.known]:
            columns.append(space.take(pays, refs)[:, None])
            means.append(step.means(pays[None, :]))
        room = most - sum(each.shape[1] for each in columns)
        chosen = self._chosen(leaders, room)
        for part, rows in self._engine.kept.parts(chosen):
            for rewards in self._rewards_of_leaders(chosen[part], rows):
                columns.append(space.cast(space.take(rewards, refs, axis=1), xp.float64).T)
                means.append(step.means(rewards))
        return xp.concat(columns, axis=1), xp.concat(means)

    def _chosen(self, leaders: Ids, most: int) -> Ids:
        """So many of the leaders, the best of each cluster first."""
        leaders = self._engine.kept.among(leaders)
        if not len(leaders):
            return leaders
        most = min(most // 2 if self._step.swap else most, _LEADERS, self._engine.kept.most)
        owner = self._space.host(self._home_of(leaders))
        rank = [int((owner[:i] == owner[i]).sum()) for i in range(len(leaders))]
        return leaders[np.argsort(rank, kind="stable")[: max(most, 0)]]

    def _home_of(self, arms: Ids) -> Array:
        return self._space.take(self._engine.state.owner, self._space.ids(arms))

    def _rewards_of_leaders(self, leaders: Ids, rows: Array) -> list[Array]:
        """What leaders change at all points: their owner staying, and what is added if it goes."""
        space, state, step = self._space, self._engine.state, self._step
        xp = space.xp

        def single(values: Array) -> Array:
            return space.cast(values, xp.float32)[None, :]

        if not state.k:
            return [rows]
        near = single(state.nearest)
        found = [xp.minimum(rows, near) - near]
        if step.swap:
            mine = self._home_of(leaders)[:, None] == state.owner[None, :]
            second = single(state.second)
            base = second if step.k > 1 else near
            found.append(xp.where(mine, xp.minimum(rows, second) - base, 0.0))
        return found

    # --- which arms are left

    def drop(self, bar: float) -> int:
        space, learnt, alive = self._space, self._learnt, self._alive
        keep = (space.take(learnt.lower, alive) <= float(bar)) & (
            space.take(learnt.value, alive) == np.inf
        )
        self._alive = alive[keep]
        self._left = int(self._alive.shape[0])
        return self._left

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
        return other

    def refine(self, depth: int, leaders: Ids) -> None:
        depth = min(depth, self.total)
        self._engine.led = leaders[: 2 * _LEADERS]
        if self._left:
            self._measure(depth, self._features(depth, leaders))

    def worth_refining(self, depth: int) -> bool:
        n = self.total
        few = self._left <= max(min(_ROUND // n, n // 50), _FEWEST)
        return not few and 2 * (depth - self.first) < n

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
                changes = space.host(self._step.changes(rows)) / self.total
                found[part] = (changes + self._step.stays).min(axis=1)
        learnt.values.update(zip(new.tolist(), found.tolist(), strict=True))
        order = np.argsort(new)
        learnt.value = space.put(learnt.value, space.ids(new[order]), space.array(found[order]))
        return min(learnt.values.values(), default=np.inf)

    def valued(self, bar: float = np.inf) -> Ids:
        ranked = sorted((value, arm) for arm, value in self._learnt.values.items() if value <= bar)
        return np.array([arm for _, arm in ranked], dtype=np.int64)

    def close(self) -> None:
        """Nothing is learnt from what a search cost."""
