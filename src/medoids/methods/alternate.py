"""Voronoi iteration (Park and Jun 2009): assign, then take each cluster's own medoid."""

from __future__ import annotations

import numpy as np

from ..engines.cpu.points.among import PointsAmong
from ..engines.cpu.points.base import Indices
from ..engines.cpu.points.matrix import HeldPoints
from ..engines.cpu.state import State
from ..search.bandit import Bandit
from .loops import begin, perfect
from .monitor import Round
from .settings import Settings
from .starts import true_state

# Members of a cluster whose centre is found from all distances; and the share of the memory
# limit that these may take at a time.
_FEW, _SHARE = 4096, 0.2


def alternate(settings: Settings) -> tuple[State, int]:
    """Move every medoid to the centre of its cluster, until none moves.

    The matrix is held if it fits. If not, the centre of a large cluster is found by a search,
    as the first medoid of BUILD is.
    """
    points, held = settings.points, settings
    if points.whole_bytes <= settings.memory_limit:
        held = settings._replace(points=HeldPoints(points))
    state = State(points.n, settings.n_clusters)
    begin(held, state, Bandit(held, state).best)
    state = true_state(points, state.medoids)
    for done in range(settings.max_iter):
        moved = _centres(held, state)
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


def _centres(settings: Settings, state: State) -> list[int]:
    """The medoid of each cluster. One without members goes to the point that pays most."""
    centres = list(state.medoids)
    sizes = np.bincount(state.owner, minlength=state.k)
    for position in np.flatnonzero(sizes):
        members = np.flatnonzero(state.owner == position)
        centre = _centre_of_all if sizes[position] <= _FEW else _centre_by_search
        if isinstance(settings.points, HeldPoints):
            centre = _centre_of_all
        centres[position] = centre(settings, members, centres[position])
    pays = state.nearest.copy()
    for position in np.flatnonzero(sizes == 0):
        pays[centres] = 0.0
        if pays.max() > 0:
            centres[position] = int(pays.argmax())
    return centres


def _centre_of_all(settings: Settings, members: Indices, medoid: int) -> int:
    """The member with the lowest sum of distances to all; `medoid`, if none is lower."""
    points = settings.points
    size = max(int(_SHARE * settings.memory_limit // (4 * len(members))), 1)
    sums = np.concatenate(
        [
            points.block_array(members[at : at + size], members).sum(axis=1, dtype=np.float64)
            for at in range(0, len(members), size)
        ]
    )
    best = int(sums.argmin())
    mine = sums[members == medoid]
    return medoid if len(mine) and mine[0] <= sums[best] else int(members[best])


def _centre_by_search(settings: Settings, members: Indices, medoid: int) -> int:
    """The same, all but surely, from few of the distances."""
    some = PointsAmong(settings.points, members)
    state = State(some.n, 1)
    found = Bandit(settings._replace(points=some, n_clusters=1), state).best(False)
    mine = np.flatnonzero(members == medoid)
    if len(mine) and found.row is not None and some.exact(mine).sum() <= found.row.sum():
        return medoid
    return int(members[found.arm])
