"""OneBatchPAM (de Mathelin et al. 2025): eager swaps that look at one batch of references."""

from __future__ import annotations

import math

import numpy as np

from .. import _checks as check
from .._threads import Workers
from ..engines.cpu.points.base import Floats
from ..engines.cpu.state import State
from .fasterpam import eager_swaps, no_worse
from .loops import begin
from .pam import best_of
from .settings import Settings
from .starts import pick, start


def onebatch(
    settings: Settings, *, batch_size: int | None = None, weighting: bool = True
) -> tuple[State, int]:
    """Swap as FasterPAM does, but judge by the distances to one random batch.

    Parameters
    ----------
    settings : Settings
    batch_size : int, default=None
        References in the batch; None is 100 ln(kn).
    weighting : bool, default=True
        Each reference counts for the points that it is the nearest reference of, which
        takes off most of the bias of a batch; otherwise all count the same.
    """
    points, k, rng = settings.points, settings.n_clusters, settings.rng
    n = points.n
    size = int(100 * math.log(max(n * k, 2)))
    if batch_size is not None:
        size = check.whole(batch_size, "batch_size", 1)
    if not isinstance(weighting, (bool, np.bool_)):
        raise TypeError(f"weighting must be True or False, got {weighting!r}.")
    size = min(max(size, k), n)
    what = f"the distances from {n} points to {size}"
    settings.needs("onebatch", 4 * n * size, "banditpam", what)
    batch = np.sort(rng.choice(n, size, replace=False))
    rows = points.block_array(np.arange(n), batch)
    _weigh(rows, weighting, points.workers)
    state = State(size, k)
    if settings.init == "build":
        begin(settings, state, best_of(rows, state, points.workers))
    else:
        for medoid in _start(settings):
            state.add(medoid, rows[medoid])
        settings.monitor.record("init", state, [])
    first = list(state.medoids)
    swaps = eager_swaps(settings, state, rows)
    return no_worse(points, state.medoids, first), swaps


def _start(settings: Settings) -> list[int]:
    """The medoids to start from, chosen with all points in view."""
    points, k, init = settings.points, settings.n_clusters, settings.init
    if not isinstance(init, str) or init == "random":
        return pick(init, points.n, k, settings.rng)
    state = State(points.n, k)
    start(points, state, k, init, settings.rng)
    return state.medoids


def _weigh(rows: Floats, weighting: bool, workers: Workers) -> None:
    """Multiply every distance by the number of points that its reference stands for."""
    n, size = rows.shape
    nearest = np.empty(n, dtype=np.int64)

    def find(start: int, stop: int) -> None:
        nearest[start:stop] = rows[start:stop].argmin(axis=1)

    weights = np.full(size, n / size, dtype=np.float32)
    if weighting:
        workers.each(find, n, 1024)
        weights = np.bincount(nearest, minlength=size).astype(np.float32)

    def weigh(start: int, stop: int) -> None:
        rows[start:stop] *= weights

    workers.each(weigh, n, 1024)
