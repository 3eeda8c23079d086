"""BanditPAM: PAM's trajectory, each step found by adaptive search."""

from __future__ import annotations

from ..engines.protocol import Medoids
from .eager import eager
from .loops import build_and_swap, searching
from .pam import best_of
from .settings import Settings


def banditpam(settings: Settings) -> tuple[Medoids, int]:
    """Follow PAM, estimating what PAM computes.

    With `swap="best"` the best of all swaps is taken, as PAM does; with "eager", for many
    clusters, all those that a search comes upon: the end is a local optimum too, though not PAM's.
    Where all distances fit into memory, and so many clusters are asked for that they cost less
    than searches, PAM's steps are taken as they are.
    """
    engine = settings.engine
    searches = settings.init == "build" or settings.max_iter > 0
    if searches:
        engine = engine.prepared(rough=settings.swap == "eager")
    if settings.swap == "eager":
        return eager(settings, engine)
    carried = engine.carrying() if searches and settings.delta is None else None
    if carried is not None:
        return carried, build_and_swap(settings, carried, best_of(carried))
    return engine, build_and_swap(settings, engine, searching(settings, engine))
