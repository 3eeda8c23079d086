"""The arms of one step on the CPU: which are left, and what is known of each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..._types import Indices
from ..protocol import Values
from .rewards.regions import Regions, regions_of
from .rewards.rewards import Rewards
from .rewards.sample import sort_owners


class _Ledger:
    """What is known of each arm, and what it has cost to know it."""

    def __init__(self, rewards: Rewards, arms: Indices) -> None:
        self.estimate, self.lower = rewards.mean, rewards.lower
        # Those that are not valued yet; those that are, in ascending order, and their values.
        self.is_open = np.zeros(rewards.step.n, dtype=bool)
        self.is_open[arms] = True
        self.valued: Indices = np.empty(0, dtype=np.int64)
        self.values: Values = np.empty(0)
        self.work = rewards.tuning.screened * len(arms) * rewards.cache.first
        self.refined = 0.0
        some = np.sort(rewards.sigma[arms[:: 1 + len(arms) // 8192]])
        places = np.array([0, 0.25, 0.5, 0.75, 1]) * (len(some) - 1)
        self.sigma: list[float] = np.interp(places, np.arange(len(some)), some).tolist()

    def learn(self, arms: Indices, values: Values) -> None:
        """The values of arms that were open."""
        self.is_open[arms] = False
        arms, values = np.concatenate([self.valued, arms]), np.concatenate([self.values, values])
        order = np.argsort(arms)
        self.valued, self.values = arms[order], values[order]


class CPUArms:
    """Arms that were screened; see `Arms` for what each method promises.

    Parameters
    ----------
    rewards : Rewards
    learn : callable
        Is told, when the search is over, what it cost (in nanoseconds, about); and so much of it
        because the first references were no more.
    alive : ndarray of int
        The arms that are left.
    ledger : _Ledger, default=None
        What is known of them already.
    """

    def __init__(
        self,
        rewards: Rewards,
        learn: Callable[[float, float], None],
        alive: Indices,
        ledger: _Ledger | None = None,
    ) -> None:
        step, first = rewards.step, rewards.cache.first
        self._rewards, self._learn, self._tuning = rewards, learn, rewards.tuning
        self._alive, self._owner = alive, step.owner
        self._ledger = _Ledger(rewards, alive) if ledger is None else ledger
        self._is_whole = ledger is None  # none was dropped
        self.sigma = self._ledger.sigma
        self.count, self.total = len(alive), step.n
        self.first, self.depth, self.slack = first, rewards.depth, rewards.slack
        self.exact = first >= step.n and step.rough <= rewards.slack

    @property
    def left(self) -> int:
        return len(self._alive)

    def drop(self, bar: float) -> int:
        alive, known = self._alive, self._ledger
        if self._is_whole:  # one after the other is faster than picked out
            self._alive = np.flatnonzero((known.lower <= bar) & known.is_open)
            self._is_whole = False
        else:
            self._alive = alive[(known.lower[alive] <= bar) & known.is_open[alive]]
        return len(self._alive)

    def lowest(
        self,
        count: int,
        *,
        below: float = np.inf,
        each: bool = False,
    ) -> Indices:
        alive = self._alive
        if below < np.inf:
            alive = alive[self._ledger.estimate[alive] < below]
        ranked = self._ranked(alive)
        if each:
            return first_of_each(ranked, self._owner[ranked], count)
        return ranked[:count]

    def leaders(self, depth: int) -> Indices:
        tuning, step, cache = self._tuning, self._rewards.step, self._rewards.cache
        most = self._most_leaders
        alive, estimate = self._alive, self._ledger.estimate[self._alive]
        known = self._ranked(alive[cache.known[alive]])
        known = first_of_each(known, self._owner[known], most)
        have = np.bincount(self._owner[known], minlength=step.k)
        left = np.bincount(self._owner[alive], minlength=step.k)
        # So many as the references up to that depth would cost, and spread over the better third;
        # those that cost nothing come first.
        wanted = np.minimum(most - have, (tuning.leading * left * depth / self.total).astype(int))
        new = [known, alive[_lowest(estimate, tuning.promoted)]]
        new += self._new_leaders(self._owner[alive], most - have, wanted)
        return np.unique(np.concatenate(new))

    @property
    def _most_leaders(self) -> int:
        """So many in each cluster."""
        tuning, step = self._tuning, self._rewards.step
        if not step.state.k:
            return tuning.leaders
        return tuning.own_leaders * (1 if step.swap else 2)

    def _new_leaders(self, groups: Indices, free: Indices, paid: Indices) -> list[Indices]:
        """Some of the arms that are left, spread over the better third of each of their groups.

        Of each group so many at most that cost nothing, and of others what lacks to so many.
        """
        alive, estimate = self._alive, self._ledger.estimate[self._alive]
        cache, found = self._rewards.cache, []
        left = np.bincount(groups, minlength=len(free))
        wanted = np.flatnonzero((free > 0) & (left > 0))
        order = sort_owners(groups) if len(wanted) else groups
        stops = np.cumsum(left)
        for g in wanted.tolist():
            mine = order[stops[g] - left[g] : stops[g]]
            third = max(left[g] // 3, 1)
            some = mine[np.argpartition(estimate[mine], third - 1)[:third]]
            at_hand = cache.has_rows(alive[some]) & ~cache.known[alive[some]]
            cheap = some[at_hand]
            found.append(alive[_spread(cheap, estimate, free[g])])
            more = paid[g] - min(len(cheap), free[g])
            if more > 0:
                found.append(alive[_spread(some, estimate, more)])
        return found

    def _lead_regions(self, depth: int) -> Regions:
        """Parts of the clusters that have many arms left; some of their arms are valued to lead."""
        rewards, tuning, alive = self._rewards, self._tuning, self._alive
        step, cache = rewards.step, rewards.cache
        regions = regions_of(alive, depth, step, cache, tuning)
        parts = np.diff(regions.first)
        if parts.max() > 1:
            where = regions.of_others(self._ledger.valued, step.owner, cache)
            have = np.bincount(where, minlength=regions.total)
            left = np.bincount(regions.of, minlength=regions.total)
            free = np.maximum(self._most_leaders - have, 0)
            free[np.repeat(parts, parts) == 1] = 0
            paid = (tuning.leading * left * depth / self.total).astype(int)
            new = self._new_leaders(regions.of, free, np.minimum(free, paid))
            if new:
                self.value(np.unique(np.concatenate(new)))
        return regions

    def _ranked(self, arms: Indices) -> Indices:
        """Some arms, those that seem best first."""
        return arms[np.argsort(self._ledger.estimate[arms], kind="stable")]

    def narrowed(self, each: int) -> CPUArms:
        ranked = self._ranked(self._alive)
        some = np.sort(first_of_each(ranked, self._owner[ranked], each))
        return CPUArms(self._rewards, self._learn, some, self._ledger)

    def refine(self, depth: int, leaders: Indices) -> None:
        alive, regions = self._alive, self._lead_regions(depth)
        if len(self._ledger.valued) > len(leaders):
            leaders = self.valued()
        found = self._rewards.refine(alive, depth, leaders, regions)
        self._ledger.estimate[alive], self._ledger.lower[alive] = found
        cost = self._tuning.refined * len(alive) * depth
        self._ledger.work += cost + self._tuning.refining
        if depth <= 2 * self.first:
            self._ledger.refined += cost

    def worth_refining(self, depth: int) -> bool:
        if self._rewards.cache.keeps_all:
            return self._tuning.refined * depth < self._tuning.valued * self.total
        tuning, left = self._tuning, len(self._alive)
        if depth >= self.total or left >= tuning.last:
            return depth < self.total
        # Regressions of their clusters may take longer than to value the last few arms.
        clusters = len(np.unique(self._owner[self._alive]))
        cost = self._rewards.cache.points.cost
        return tuning.regressing * clusters * depth < left * self.total * (tuning.valued + cost)

    def value(self, arms: Indices | None = None) -> float:
        arms = self._alive if arms is None else arms
        new = arms[self._ledger.is_open[arms]]
        if len(new):
            self._ledger.learn(new, self._values_of(new))
        return float(self._ledger.values.min(initial=np.inf))

    def _values_of(self, arms: Indices) -> Values:
        if self.exact:
            return self._ledger.estimate[arms]
        self._ledger.work += self._tuning.valued * len(arms) * self.total
        return self._rewards.value(arms)

    def valued(self, bar: float = np.inf) -> Indices:
        values, some = self._ledger.values, self._ledger.values <= bar
        return self._ledger.valued[some][np.argsort(values[some], kind="stable")]

    def close(self) -> None:
        self._learn(self._ledger.work, self._ledger.refined)


def first_of_each(values: Indices, groups: Indices, count: int) -> Indices:
    """The first `count` values of each group, in their order."""
    order = sort_owners(groups)
    sizes = np.bincount(groups)
    rank = np.arange(len(values)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return values[np.sort(order[rank < count])]


def _spread(places: Indices, values: Values, count: int) -> Indices:
    """So many of some places, from that of their lowest value on evenly spread over their ranks."""
    ranks = np.linspace(0, len(places), min(count, len(places)), endpoint=False).astype(int)
    if not len(ranks):
        return places[:0]
    found: Indices = places[np.argpartition(values[places], ranks)[ranks]]
    return found


def _lowest(values: Values, count: int) -> Indices:
    """Where the lowest values are; of those that are equal, the first."""
    if count >= len(values):
        return np.arange(len(values))
    most = np.partition(values, count - 1)[count - 1]
    some = np.flatnonzero(values <= most)
    return some[np.argsort(values[some], kind="stable")[:count]]
