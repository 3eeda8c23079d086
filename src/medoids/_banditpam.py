"""BanditPAM: PAM's trajectory, each step found by adaptive search."""

from __future__ import annotations

import math

import numpy as np

from ._cache import Cache
from ._loops import Choice, build_and_swap
from ._rewards import Rewards
from ._search import Search
from ._settings import Settings
from ._state import State

# The chance that a search drops the best arm; see docs/algorithm.md.
DELTA = 3e-4
# References that every arm is measured on at once: so many for each cluster, and at least
# so many in all; up to twice as many while they cost next to nothing.
PER_CLUSTER, FIRST, CHEAP = 100, 512, 10_000_000


def banditpam(settings: Settings) -> tuple[State, int]:
    """Follow PAM, estimating what PAM computes.

    All searches share one random order of the references, and one cache along it.
    """
    points, k = settings.points, settings.n_clusters
    delta = DELTA if settings.delta is None else settings.delta
    z = math.sqrt(2 * math.log(1 / delta))
    order = settings.rng.permutation(points.n)
    first = max(FIRST, PER_CLUSTER * k, min(2 * FIRST, CHEAP // points.n))
    cache = Cache(points, order, settings.memory_limit, first)
    state = State(points, k)

    def best(swap: bool) -> Choice:
        candidates = np.ones(points.n, dtype=bool)
        candidates[state.medoids] = False
        search = Search(
            Rewards(cache, state, swap, z),
            candidates,
            first=cache.first,
            total=points.n,
            null=0.0 if swap else np.inf,
            known=cache.known,
        )
        found = search.run()
        sigma = search.sigma.tolist()
        if found is None:
            return Choice(search.rounds, sigma)
        return Choice(search.rounds, sigma, found.arm, found.replaces, found.row)

    return state, build_and_swap(settings, state, best)
