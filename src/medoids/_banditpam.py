"""BanditPAM: PAM's trajectory, each step found by adaptive search."""

from __future__ import annotations

import math

import numpy as np

from ._cache import Cache
from ._init import start
from ._rewards import Rewards
from ._search import Found, Search
from ._settings import Settings
from ._state import State

# The chance that a search drops the best arm; see docs/algorithm.md.
DELTA = 3e-4
# References that every arm is measured on at once: so many for each cluster, and at
# least so many in all.
PER_CLUSTER, FIRST = 100, 512


def banditpam(settings: Settings) -> tuple[State, int]:
    """Follow PAM, estimating what PAM computes.

    All searches share one random order of the references, and one cache along it.
    """
    points, k = settings.points, settings.n_clusters
    delta = DELTA if settings.delta is None else settings.delta
    z = math.sqrt(2 * math.log(1 / delta))
    order = settings.rng.permutation(points.n)
    cache = Cache(points, order, settings.memory_limit, max(FIRST, PER_CLUSTER * k))
    state = State(points, k)

    def best(swap: bool) -> tuple[Found | None, Search]:
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
        return search.run(), search

    if settings.init == "build":
        while state.k < k:
            if state.k and points.nonnegative and state.loss == 0:
                _add_copies(settings, state)
                break
            found, search = best(swap=False)
            assert found is not None, "an arm always joins in BUILD"
            state.add(found.arm, found.row)
            settings.monitor.record("build", state, search.rounds, search.sigma.tolist())
    else:
        start(points, state, k, settings.init, settings.rng)
        settings.monitor.record("init", state, [])
    swaps = 0
    while swaps < settings.max_iter and k < points.n:
        if points.nonnegative and state.loss == 0:
            break
        found, search = best(swap=True)
        improves = found is not None and state.loss_after(found.replaces, found.row) < state.loss
        if found is not None and improves:
            state.replace(found.replaces, found.arm, found.row)
            swaps += 1
        settings.monitor.record("swap", state, search.rounds, search.sigma.tolist())
        if not improves:
            break
    return state, swaps


def _add_copies(settings: Settings, state: State) -> None:
    """Every point is at distance 0 from a medoid: take the lowest rows, as PAM does."""
    points = settings.points
    for arm in np.setdiff1d(np.arange(points.n), state.medoids):
        if state.k == settings.n_clusters:
            break
        state.add(int(arm), points.exact(np.array([arm]))[0])
        settings.monitor.record("build", state, [])
