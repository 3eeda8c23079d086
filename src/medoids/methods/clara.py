"""CLARA (Kaufman and Rousseeuw 1990): PAM on samples."""

from __future__ import annotations

from .. import _checks as check
from ..engines.protocol import FullEngine, Medoids
from ..search.rounds import Round
from .fasterpam import at
from .loops import begin_elsewhere
from .monitor import Monitor
from .pam import pam
from .settings import Settings


def clara(
    settings: Settings, *, n_sampling: int | None = None, n_sampling_iter: int = 5
) -> tuple[Medoids, int]:
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
    engine, k, rng = settings.engine, settings.engine.n_clusters, settings.rng
    size = 40 + 2 * k if n_sampling is None else check.whole(n_sampling, "n_sampling", k)
    size, samples = min(size, engine.n), check.whole(n_sampling_iter, "n_sampling_iter", 1)
    settings.needs("clara", 8 * size**2, "banditpam", f"the distances between {size} points")
    best: FullEngine = engine.fresh()
    swaps = 0
    if settings.init != "build":
        begin_elsewhere(settings, best)
    for _ in range(samples):
        sample, counts = engine.draw_sample(size, best.medoids, rng)
        part, monitor = engine.sample(sample, counts), Monitor()
        init = "build" if settings.init == "build" else range(k)
        found, count = pam(settings._replace(engine=part, init=init, monitor=monitor))
        settings.monitor.stopped |= monitor.stopped
        full = at(engine, [int(sample[i]) for i in found.medoids])
        if full.loss < best.loss:
            best, swaps = full, swaps + count
        settings.monitor.record("swap", best, [Round(size, size, k)], swaps=count)
    return best, swaps
