"""Medoids to start from, other than by BUILD."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .._types import Init
from ..engines.protocol import Ids, Medoids


def start(engine: Medoids, init: Init, rng: np.random.Generator) -> None:
    """Place the first medoids: `init` is anything but "build"."""
    if isinstance(init, str) and init == "k-medoids++":
        _spread(engine, rng)
    elif isinstance(init, str) and init == "lab":
        _lab(engine, rng)
    else:
        engine.start(pick(init, engine.n_arms, engine.n_clusters, rng))


def pick(init: str | Sequence[int], n: int, n_clusters: int, rng: np.random.Generator) -> list[int]:
    """The medoids that need no distance to be chosen: random ones, or those given."""
    chosen = rng.choice(n, n_clusters, replace=False) if isinstance(init, str) else init
    return [int(medoid) for medoid in chosen]


def draw_others(medoids: Sequence[int], n: int, size: int, rng: np.random.Generator) -> Ids:
    """Some of n points that are no medoids, at random."""
    drawn = rng.choice(n - len(medoids), size, replace=False)
    for medoid in sorted(medoids):  # those from here on are one row further
        drawn += drawn >= medoid
    return drawn


def lowest_free(medoids: Sequence[int]) -> int:
    """The lowest row that is no medoid."""
    return next(row for row in range(len(medoids) + 1) if row not in medoids)


def _spread(engine: Medoids, rng: np.random.Generator) -> None:
    """Draw each medoid with a chance in proportion to its distance from those before.

    k-means++ squares the distance because its loss does; ours is the distance itself.
    """
    while len(engine.medoids) < engine.n_clusters:
        engine.place(len(engine.medoids), engine.draw(rng))


def _lab(engine: Medoids, rng: np.random.Generator) -> None:
    """Linear approximative BUILD (Schubert and Rousseeuw 2019).

    Each medoid is the best of 10 + sqrt(n) points, as far as these points can tell.
    """
    n = engine.n
    while len(engine.medoids) < engine.n_clusters:
        size = min(10 + math.ceil(math.sqrt(n)), n - len(engine.medoids))
        some = np.sort(draw_others(engine.medoids, n, size, rng))
        engine.place(len(engine.medoids), engine.best_among(some))
