"""CLARA (Kaufman and Rousseeuw 1990): PAM on samples."""

from __future__ import annotations

import numpy as np

from .. import _checks as check
from ..engines.cpu.points.matrix import PrecomputedPoints
from ..engines.cpu.state import State
from .monitor import Monitor, Round
from .pam import pam
from .settings import Settings
from .starts import start, true_state


def clara(
    settings: Settings, *, n_sampling: int | None = None, n_sampling_iter: int = 5
) -> tuple[State, int]:
    """Run PAM on a few samples, and keep the medoids with the lowest loss on all points.

    Every sample holds the best medoids so far.

    Parameters
    ----------
    settings : Settings
    n_sampling : int, default=None
        Points in a sample; None is 40 + 2k.
    n_sampling_iter : int, default=5
        How many samples.
    """
    points, k, rng = settings.points, settings.n_clusters, settings.rng
    size = 40 + 2 * k if n_sampling is None else check.whole(n_sampling, "n_sampling", k)
    size, samples = min(size, points.n), check.whole(n_sampling_iter, "n_sampling_iter", 1)
    settings.needs("clara", 8 * size**2, "banditpam", f"the distances between {size} points")
    best, swaps = State(points.n, k), 0
    if settings.init != "build":
        start(points, best, k, settings.init, rng)
        settings.monitor.record("init", best, [])
    for _ in range(samples):
        others = np.setdiff1d(np.arange(points.n), best.medoids)
        drawn = rng.choice(others, size - best.k, replace=False)
        sample = np.concatenate([np.array(best.medoids, dtype=np.int64), drawn])
        part = PrecomputedPoints(points.block_array(sample, sample), points.workers)
        monitor = Monitor(part)
        init = "build" if settings.init == "build" else range(k)
        found, count = pam(settings._replace(points=part, init=init, monitor=monitor))
        settings.monitor.stopped |= monitor.stopped
        full = true_state(points, [int(sample[i]) for i in found.medoids])
        rounds = [Round(size, size, k)]
        if full.loss < best.loss:
            best, swaps = full, swaps + count
        settings.monitor.record("swap", best, rounds, swaps=count)
    return best, swaps
