"""Medoids to start from, other than by BUILD."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .._types import Init
from ..engines.protocol import Medoids


def start(engine: Medoids, init: Init, rng: np.random.Generator) -> None:
    """Place the first medoids: `init` is anything but "build"."""
    if isinstance(init, str):
        engine.start(engine.fixed)
    if isinstance(init, str) and init == "k-medoids++":
        _spread(engine, rng)
    elif isinstance(init, str) and init == "lab":
        _lab(engine, rng)
    else:
        engine.start(pick(engine, init, rng))


def pick(engine: Medoids, init: str | Sequence[int], rng: np.random.Generator) -> list[int]:
    """The medoids that need no distance to be chosen: random ones, or those given."""
    missing = engine.n_clusters - len(engine.medoids)
    chosen = engine.draw_some(missing, rng) if isinstance(init, str) else init
    return [int(medoid) for medoid in chosen]


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
        size = min(10 + math.ceil(math.sqrt(n)), engine.n_arms - len(engine.medoids))
        some = np.sort(engine.draw_some(size, rng))
        engine.place(len(engine.medoids), engine.best_among(some))
