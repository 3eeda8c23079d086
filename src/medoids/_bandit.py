"""The searches of one fit: they share an order of the references, and a cache along it."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TypeVar

import numpy as np

from ._bounds import Bounds
from ._cache import Cache
from ._loops import Choice
from ._rewards import Rewards
from ._search import Search
from ._settings import Settings
from ._state import State

AnySearch = TypeVar("AnySearch", bound=Search)

# The chance that a search drops the best arm; see docs/algorithm.md.
DELTA = 3e-4
# References that every arm is measured on at once: so many for each cluster, and at least
# so many in all; up to twice as many while they cost next to nothing.
PER_CLUSTER, FIRST, CHEAP = 100, 512, 10_000_000


class Bandit:
    """Searches for the arms of BUILD and SWAP steps on one state."""

    def __init__(self, settings: Settings, state: State, delta: float = DELTA) -> None:
        self.settings, self.state = settings, state
        delta = delta if settings.delta is None else settings.delta
        self.z = math.sqrt(2 * math.log(1 / delta))
        self.bounds = Bounds()

    @cached_property
    def cache(self) -> Cache:
        n, k = self.state.n, self.settings.n_clusters
        cheap = min(2 * FIRST, CHEAP // n) if self.settings.points.cheap else 0
        first = max(FIRST, PER_CLUSTER * k, cheap)
        order = self.settings.rng.permutation(n)
        return Cache(self.settings.points, order, self.settings.memory_limit, first)

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

    def best(self, swap: bool) -> Choice:
        """The best arm of a step."""
        search = self.search(swap, Search)
        found = search.run()
        return Choice(search.rounds, search.sigma.tolist(), *(found or ()))
