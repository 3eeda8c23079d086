"""Eager BUILD and SWAP by adaptive search: many swaps a pass, for many clusters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..engines.cpu.cache import Cache
from ..engines.cpu.points.base import Indices
from ..engines.cpu.state import State
from ..engines.cpu.step import Step
from ..methods.fasterpam import lookout
from ..methods.loops import Choice, begin, can_improve
from ..methods.monitor import Round
from ..methods.settings import Settings
from .bandit import DELTA as LAST
from .bandit import Bandit
from .search import Arms, Search, Values, settle

# Arms of each cluster, or of a BUILD step, that are judged by the distances to all points.
_TRIED, _BUILT = 2, 8
# Where these are of no use: arms of each cluster that are looked at more closely.
_HOPEFUL = 40
# The chance that a search may miss a good arm; the last one, that finds none, is stricter.
DELTA = 0.01


def eager(settings: Settings, state: State) -> int:
    """Take every swap that a search comes upon, until a search shows that there is none.

    A swap is judged by the distances to all points before it is taken. While there are
    many, it has to lower the loss by more than float32 can be wrong; the last ones are
    decided in float64.
    """
    monitor, last = settings.monitor, settings.delta or LAST
    bandit = Bandit(settings, state, DELTA)
    begin(settings, state, GreedyBuild(state, bandit.cache).best)
    swaps = passes = 0
    while can_improve(settings, state):
        if passes == settings.max_iter:
            monitor.stopped = True
            break
        search = bandit.search(True, EagerSearch)
        good = search.good()
        bandit.learn(search)
        done = _take(state, bandit.cache, good, search.rewards.slack * state.n)
        if not done:
            done = _take_last(state, bandit.cache, search.close())
        swaps, passes = swaps + done, passes + 1
        monitor.record("swap", state, search.rounds, search.sigma.tolist(), done)
        if not done:
            if search.exact or bandit.delta <= last:
                break
            bandit.be_strict(last)  # the end is to be a local optimum
    _make_exact(state, bandit.cache)
    return swaps


def _take(state: State, cache: Cache, arms: Indices, margin: float) -> int:
    """Swap in these arms, as far as they still lower the loss; the number of swaps."""
    done = 0
    for places in cache.parts(arms):
        part, at = arms[places], 0
        rows, slots = cache.fetch(part)
        while at < len(part):
            look = lookout(state, rows, cache.points.workers, -margin)
            found, position = look(part[at:], slots[at:])
            if found < 0:
                break
            at += found
            state.replace(position, int(part[at]), rows[slots[at]])
            done, at = done + 1, at + 1
    return done


def _take_last(state: State, cache: Cache, arms: Indices) -> int:
    """Swap in the best of arms that hardly change the loss, decided in float64."""
    _make_exact(state, cache)
    step = Step(state, swap=True)
    workers = cache.points.workers
    found = settle(arms, 0.0, lambda some: step.exact_values(cache.exact(some), workers))
    if found is None or state.loss_after(found.replaces, found.row) >= state.loss:
        return 0
    state.replace(found.replaces, found.arm, found.row)
    return 1


def _make_exact(state: State, cache: Cache) -> None:
    """Take the medoids' distances in float64."""
    rows = cache.exact(np.array(state.medoids))
    for position, row in enumerate(rows):
        state.replace(position, state.medoids[position], row)


class EagerSearch(Search):
    """A search that ends as soon as it knows arms that are good, rather than the best."""

    @property
    def threshold(self) -> float:
        return self.null + self.rewards.slack

    def good(self) -> Arms:
        """Arms that lower the loss, the best first; none only if there is none at all.

        At first only those that seem best in their clusters are tried; if these fail, some
        more, with better estimates; and if these fail too, all are.
        """
        estimate, alive = self._screen()
        if self.exact:
            self._values = dict(zip(alive.tolist(), estimate[alive].tolist(), strict=True))
            good = self._good()
            return _first_of_each(good, self.rewards.owner[good], 4 * _TRIED)
        self._try(alive, estimate, _TRIED)
        if len(self._good()) * 16 < self.rewards.owner.max():
            self._look_closely(self._drop(alive), estimate.copy())
        if not len(self._good()):
            self._look_everywhere(self._drop(alive), estimate)
        return self._good()

    def _look_everywhere(self, alive: Arms, estimate: Values) -> None:
        depth = self.rewards.depth
        while len(alive) > self.few and self.worth_refining(depth):
            alive = self._refine(alive, depth, estimate)
            depth *= 2
        self._value(alive)

    def _look_closely(self, alive: Arms, estimate: Values) -> None:
        ranked = alive[np.argsort(estimate[alive], kind="stable")]
        some = np.sort(_first_of_each(ranked, self.rewards.owner[ranked], _HOPEFUL))
        depth = 4 * self.first
        if len(some) and depth < self.total:
            some = self._refine(some, depth, estimate)
            self._try(some, estimate, 2 * _TRIED)

    def close(self) -> Arms:
        """Arms that float32 cannot tell from those that change nothing."""
        near = (arm for arm, value in self._values.items() if value <= self.threshold)
        return np.array(sorted(near), dtype=np.int64)

    def _good(self) -> Arms:
        bar = self.null - self.rewards.slack
        ranked = sorted((v, a) for a, v in self._values.items() if v < bar)
        return np.array([a for _, a in ranked], dtype=np.int64)

    def _try(self, alive: Arms, estimate: Values, count: int) -> None:
        """Value the arms that seem the best, so many in each cluster."""
        hopeful = alive[estimate[alive] < self.null]
        ranked = hopeful[np.argsort(estimate[hopeful], kind="stable")]
        self._value(_first_of_each(ranked, self.rewards.owner[ranked], count))


def _first_of_each(values: Indices, groups: Indices, count: int) -> Indices:
    """The first `count` values of each group, in their order."""
    order = np.argsort(groups, kind="stable")
    sorted_ = groups[order]
    rank = np.arange(len(values)) - np.searchsorted(sorted_, sorted_)
    return values[np.sort(order[rank < count])]


class GreedyBuild:
    """BUILD by the first references; the best few by these are judged by all points.

    Sums are kept from step to step: a new medoid changes them at its own references alone.
    """

    def __init__(self, state: State, cache: Cache) -> None:
        self.state, self.cache = state, cache
        self.sums = np.zeros(state.n)
        self._cap = np.full(cache.first, -np.inf, dtype=np.float32)

    def best(self, swap: bool) -> Choice:
        """The arm that joins the medoids."""
        state, cache = self.state, self.cache
        cache.points.workers.each(self._summer(), state.n, 1024)
        sums = self.sums.copy()
        sums[state.medoids] = np.inf
        arms = np.sort(np.argsort(sums, kind="stable")[: min(_BUILT, state.n - state.k)])
        step = Step(state, swap)
        found = []
        for places in cache.parts(arms):
            part = arms[places]
            rows, slots = cache.fetch(part)
            values = step.values(rows, slots, cache.points.workers)[:, 0]
            i = int(values.argmin())
            found.append((values[i], part[i], rows[slots[i]].astype(np.float64)))
        _, arm, row = min(found, key=lambda each: each[:2])
        rounds = [Round(state.n - state.k, cache.first, len(arms))]
        return Choice(rounds, None, int(arm), row=row)

    def _summer(self) -> Callable[[int, int], None]:
        """What brings the sums of some arms up to date with the medoids."""
        from ..engines.cpu.kernels.estimates import add_gains

        columns, first = self.cache.columns, self.cache.first
        if not self.state.k:

            def add(start: int, stop: int) -> None:
                self.sums[start:stop] = columns[:first, start:stop].sum(axis=0, dtype=np.float64)

            return add
        if self.state.k == 1:
            self.sums[:] = 0.0
        old, new = self._cap, self.state.nearest[self.cache.order[:first]].astype(np.float32)
        lines = np.flatnonzero(new != old)
        self._cap = new

        def update(start: int, stop: int) -> None:
            add_gains(columns, lines, old[lines], new[lines], self.sums[start:stop], start)

        return update
