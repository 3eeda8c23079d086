"""Medoids to start from, other than by BUILD."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..engines.cpu.points.base import Points
from ..engines.cpu.state import State

Init = str | Sequence[int]


def start(
    points: Points, state: State, n_clusters: int, init: Init, rng: np.random.Generator
) -> None:
    """Put the first medoids into the state: `init` is anything but "build"."""
    if isinstance(init, str) and init == "k-medoids++":
        _spread(points, state, n_clusters, rng)
        return
    if isinstance(init, str) and init == "lab":
        _lab(points, state, n_clusters, rng)
        return
    _add(points, state, pick(init, points.n, n_clusters, rng))


def true_state(points: Points, medoids: list[int]) -> State:
    """What every point pays for these medoids, in float64."""
    state = State(points.n, len(medoids))
    _add(points, state, medoids)
    return state


def _add(points: Points, state: State, medoids: list[int]) -> None:
    for some in np.array_split(np.array(medoids), -(-len(medoids) // 64)):
        for medoid, row in zip(some, points.exact(some), strict=True):
            state.add(int(medoid), row)


def pick(init: Init, n: int, n_clusters: int, rng: np.random.Generator) -> list[int]:
    """The medoids that need no distance to be chosen: random ones, or those given."""
    chosen = rng.choice(n, n_clusters, replace=False) if isinstance(init, str) else init
    return [int(medoid) for medoid in chosen]


def _spread(points: Points, state: State, n_clusters: int, rng: np.random.Generator) -> None:
    """Draw each medoid with a chance in proportion to its distance from those before.

    k-means++ squares the distance because its loss does; ours is the distance itself.
    """
    while state.k < n_clusters:
        weight = np.maximum(state.nearest, 0.0) if state.k else np.ones(points.n)
        weight[state.medoids] = 0.0
        if not weight.sum() > 0:  # only copies of medoids are left
            weight = np.ones(points.n)
            weight[state.medoids] = 0.0
        medoid = int(rng.choice(points.n, p=weight / weight.sum()))
        state.add(medoid, points.exact(np.array([medoid]))[0])


def _lab(points: Points, state: State, n_clusters: int, rng: np.random.Generator) -> None:
    """Linear approximative BUILD (Schubert and Rousseeuw 2019).

    Each medoid is the best of 10 + sqrt(n) points, as far as these points can tell.
    """
    while state.k < n_clusters:
        others = np.setdiff1d(np.arange(points.n), state.medoids)
        size = min(10 + math.ceil(math.sqrt(points.n)), len(others))
        some = np.sort(rng.choice(others, size, replace=False))
        pays = np.minimum(points.block_array(some, some), state.nearest[some])
        medoid = int(some[pays.sum(axis=1, dtype=np.float64).argmin()])
        state.add(medoid, points.exact(np.array([medoid]))[0])
