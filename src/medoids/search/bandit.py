"""The searches of one fit: they share an order of the references, and a cache along it."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np

from ..engines.cpu.cache import Cache
from ..engines.cpu.points.base import Points
from ..engines.cpu.points.matrix import HeldPoints
from ..engines.cpu.rewards.bounds import Bounds
from ..engines.cpu.rewards.rewards import Rewards
from ..engines.cpu.state import State
from ..methods.loops import Choice
from ..methods.settings import Settings
from .search import SCREENED, Search

AnySearch = TypeVar("AnySearch", bound=Search)

# The chance that a search drops the best arm; see docs/algorithm.md.
DELTA = 3e-5
# References that every arm is measured on at once: so many for each cluster, and at least
# so many in all; up to twice as many of at most so many distances that cost next to nothing.
PER_CLUSTER, FIRST, CHEAP, _NEXT_TO_NOTHING = 100, 512, 10_000_000, 200.0
# All of them, where these take no longer (in nanoseconds) than a search saves.
_SMALL, _QUICK = 20_000_000, 1e8
# Whether a fit computes all distances that are left, once its searches have cost more.
COMPLETES = True
# The share of the memory limit for all distances, in float64 and, if need be, in float32 too.
_WHOLE = 0.9
# Arms that are confirmed in float64 in a fit, for each cluster; as a share of the points this
# is borne. Of so few points all distances are computed in float64.
_CONFIRMED, _TWICE, _FEW = 3, 0.04, 400
# But not where that takes seconds, and in float32 a fraction of them (in nanoseconds).
_SLOW = 5e8


def first_block(points: Points, n_clusters: int) -> int:
    """How many references every arm is measured on at once; all, where that is hardly more."""
    n = points.n
    cheap = min(2 * FIRST, CHEAP // n) if points.cost < _NEXT_TO_NOTHING else 0
    first = max(FIRST, PER_CLUSTER * n_clusters, cheap)
    small = n**2 <= _SMALL and n**2 * points.cost <= _QUICK
    return n if small or 2 * first >= n else first


def hold(settings: Settings) -> Settings:
    """The same with all distances held in float64, where a search would compute them twice.

    That is so where all are computed anyway, and so many arms have to be confirmed in float64
    that it comes to much of them: with many clusters, or with many ties.
    """
    points, k = settings.points, settings.n_clusters
    n = points.n
    if settings.init != "build" and settings.max_iter == 0:
        return settings  # there is no search
    if points.slow_exact and n**2 * points.cost > _SLOW:
        return settings
    if first_block(points, k) < n or 12 * n**2 > _WHOLE * settings.memory_limit:
        return settings
    if n > _FEW and _CONFIRMED * k < _TWICE * n and not _tied(points):
        return settings
    return settings._replace(points=HeldPoints(points, exact=True))


def _tied(points: Points) -> bool:
    """Whether many distances, or many sums of them, are the same to float32, as a few rows tell."""
    some = points.exact(np.unique(np.linspace(0, points.n - 1, 3).astype(np.int64)))
    same = any(len(np.unique(row)) < 0.9 * points.n for row in some)
    # Rows that are near each other, but far from most.
    return same or any(np.quantile(row, 0.05) < 1e-3 * np.abs(row).mean() for row in some)


class Bandit:
    """Searches for the arms of BUILD and SWAP steps on one state."""

    def __init__(self, settings: Settings, state: State, delta: float | None = None) -> None:
        self.settings, self.state = settings, state
        self.be_strict(settings.delta or delta or DELTA)
        self._cache: Cache | None = None
        self._regret = 0.0

    @property
    def cache(self) -> Cache:
        if self._cache is None:
            points, limit = self.settings.points, self.settings.memory_limit
            order = self.settings.rng.permutation(points.n)
            first = first_block(points, self.settings.n_clusters)
            self._cache = Cache(points, order, limit, first)
        return self._cache

    def be_strict(self, delta: float) -> None:
        """Let searches drop a good arm with this chance, and forget what others dropped."""
        self.delta, self.z = delta, math.sqrt(-2 * math.log(delta))
        self.bounds = Bounds()

    def search(self, swap: bool, kind: type[AnySearch]) -> AnySearch:
        state, cache = self.state, self.cache
        candidates = np.ones(state.n, dtype=bool)
        candidates[state.medoids] = False
        return kind(
            Rewards(cache, state, swap, self.z, self.bounds),
            candidates,
            first=cache.first,
            total=state.n,
            null=0.0 if swap else np.inf,
            known=cache.known,
        )

    def learn(self, search: Search) -> None:
        """Compute all distances that are left, once searches have cost more than that.

        The costs are counted, not measured, so that the result stays the same.
        """
        cache = self.cache
        if cache.keeps_all and cache.first < cache.points.n and COMPLETES:
            excess = search.work - SCREENED * cache.points.n**2
            self._regret = max(self._regret + excess, 0.0)
            if self._regret > cache.missing() * cache.points.cost:
                cache.complete()

    def best(self, swap: bool) -> Choice:
        """The best arm of a step."""
        search = self.search(swap, Search)
        found = search.run()
        self.learn(search)
        return Choice(search.rounds, search.sigma.tolist(), *(found or ()))
