"""OneBatchPAM (de Mathelin et al. 2025): eager swaps that look at one batch of references."""

from __future__ import annotations

import math

import numpy as np

from .. import _checks as check
from ..engines.protocol import Medoids
from .fasterpam import eager_swaps, no_worse
from .loops import build
from .pam import best_of
from .settings import Settings
from .starts import pick, start


def onebatch(
    settings: Settings, *, batch_size: int | None = None, weighting: bool = True
) -> tuple[Medoids, int]:
    """Swap as FasterPAM does, but judge by the distances to one random batch.

    Parameters
    ----------
    settings : Settings
    batch_size : int, default=None
        References in the batch; None is 100 ln(kn), or as many as fit into the memory limit if
        that is at least half of them.
    weighting : bool, default=True
        Each reference counts for the points that it is the nearest reference of, which
        takes off most of the bias of a batch; otherwise all count the same.
    """
    engine, n, k = settings.engine, settings.engine.n, settings.engine.n_clusters
    size = _usual_size(settings)
    if batch_size is not None:
        size = check.whole(batch_size, "batch_size", 1)
    if not isinstance(weighting, (bool, np.bool_)):
        raise TypeError(f"weighting must be True or False, got {weighting!r}.")
    size = min(max(size, k), n)
    what = f"the distances from {n} points to {size}"
    settings.needs("onebatch", 4 * n * size, "banditpam", what)
    chosen = np.sort(engine.draw_references(size, settings.rng))
    batch = engine.batch(chosen, bool(weighting))
    if settings.init == "build":
        build(settings, batch, best_of(batch))
    else:
        batch.start(_start(settings))
        settings.monitor.record("init", batch, [])
    first = list(batch.medoids)
    swaps = eager_swaps(settings, batch)
    return no_worse(engine, batch.medoids, first), swaps


def _usual_size(settings: Settings) -> int:
    """The paper's 100 ln(kn); or what there is room for, and some is left for the rest of a fit."""
    engine = settings.engine
    size = int(100 * math.log(max(engine.n * engine.n_clusters, 2)))
    fits = int(settings.tuning.one_batch * engine.room // (4 * engine.n))
    return fits if 4 * engine.n * size > engine.room and 2 * fits >= size else size


def _start(settings: Settings) -> list[int]:
    """The medoids to start from, chosen with all points in view."""
    engine, init = settings.engine, settings.init
    if not isinstance(init, str) or (init == "random" and not engine.fixed):
        return pick(engine, init, settings.rng)
    whole = engine.fresh()
    start(whole, init, settings.rng)
    return whole.medoids
