"""Voronoi iteration (Park and Jun 2009): assign, then take each cluster's own medoid."""

from __future__ import annotations

import numpy as np

from ._bandit import Bandit
from ._init import true_state
from ._loops import begin, perfect
from ._monitor import Round
from ._points import HeldPoints, Indices, Points
from ._settings import Settings
from ._state import State

# Candidates whose distances to their cluster are summed at a time.
_ARMS = 1024


def alternate(settings: Settings) -> tuple[State, int]:
    """Move every medoid to the centre of its cluster, until none moves.

    The matrix is held if it fits, and its parts are computed again in every round if not.
    """
    points, held = settings.points, settings
    if points.whole_bytes <= settings.memory_limit:
        held = settings._replace(points=HeldPoints(points))
    state = State(points.n, settings.n_clusters)
    begin(held, state, Bandit(held, state).best)
    state = true_state(points, state.medoids)
    for done in range(settings.max_iter):
        moved = _centres(held.points, state)
        if moved == state.medoids:
            return state, done
        found = true_state(points, moved)
        if found.loss >= state.loss:  # they differ by rounding alone
            return state, done
        changed = sum(old != new for old, new in zip(state.medoids, moved, strict=True))
        state = found
        settings.monitor.record(
            "swap", state, [Round(points.n, points.n // state.k, changed)], swaps=changed
        )
    settings.monitor.stopped = not perfect(points, state)
    return state, settings.max_iter


def _centres(points: Points, state: State) -> list[int]:
    """The medoid of each cluster. One without members goes to the point that pays most."""
    centres = list(state.medoids)
    sizes = np.bincount(state.owner, minlength=state.k)
    for position in np.flatnonzero(sizes):
        members = np.flatnonzero(state.owner == position)
        centres[position] = _centre(points, members, centres[position])
    pays = state.nearest.copy()
    for position in np.flatnonzero(sizes == 0):
        pays[centres] = 0.0
        if pays.max() > 0:
            centres[position] = int(pays.argmax())
    return centres


def _centre(points: Points, members: Indices, medoid: int) -> int:
    """The member with the lowest sum of distances to all; `medoid`, if none is lower."""
    sums = np.concatenate(
        [
            points.block_array(members[at : at + _ARMS], members).sum(axis=1, dtype=np.float64)
            for at in range(0, len(members), _ARMS)
        ]
    )
    best = int(sums.argmin())
    mine = sums[members == medoid]
    return medoid if len(mine) and mine[0] <= sums[best] else int(members[best])
