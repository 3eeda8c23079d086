"""BanditPAM: PAM's trajectory, each step found by adaptive search."""

from __future__ import annotations

from ..engines.protocol import Medoids
from .eager import eager
from .loops import build_and_swap, searching
from .settings import Settings


def banditpam(settings: Settings) -> tuple[Medoids, int]:
    """Follow PAM, estimating what PAM computes.

    With `swap="best"` the best of all swaps is taken, as PAM does; with "eager", for many
    clusters, all those that a search comes upon: the end is a local optimum too, though not PAM's.
    """
    engine = settings.engine
    if settings.init == "build" or settings.max_iter > 0:  # else there is no search
        engine = engine.prepared(rough=settings.swap == "eager")
    if settings.swap == "eager":
        return eager(settings, engine)
    return engine, build_and_swap(settings, engine, searching(settings, engine))
