"""Voronoi iteration (Park and Jun 2009): assign, then take each cluster's own medoid."""

from __future__ import annotations

from ..engines.protocol import FullEngine, Medoids
from ..search.rounds import Round
from .fasterpam import at
from .loops import begin, perfect, searching
from .settings import Settings


def alternate(settings: Settings) -> tuple[Medoids, int]:
    """Move every medoid to the centre of its cluster, until none moves.

    The matrix is held if it fits. If not, the centre of a large cluster is found by a search,
    as the first medoid of BUILD is.
    """
    engine, held = settings.engine, settings.engine
    fits = engine.bytes_held() <= engine.room
    if fits:
        held = engine.holding()
    begin(settings, held, searching(settings, held))
    best = at(engine, held.medoids)
    few = engine.n if fits else settings.tuning.small_cluster
    for done in range(settings.max_iter):
        moved = _centres(settings, best, held, few)
        if moved == best.medoids:
            return best, done
        found = at(engine, moved)
        if found.loss >= best.loss:  # they differ by rounding alone
            return best, done
        changed = sum(old != new for old, new in zip(best.medoids, moved, strict=True))
        best = found
        rounds = [Round(engine.n, engine.n // engine.n_clusters, changed)]
        settings.monitor.record("swap", best, rounds, swaps=changed)
    settings.monitor.stopped = not perfect(best)
    return best, settings.max_iter


def _centres(settings: Settings, engine: FullEngine, held: FullEngine, few: int) -> list[int]:
    """The medoid of each cluster. One without members goes to the point that pays most."""
    centres, sizes = list(engine.medoids), engine.sizes().tolist()
    for position, size in enumerate(sizes):
        if 0 < size <= few:
            centres[position] = engine.centre(position, held)
        elif size:
            centres[position] = _centre_by_search(settings, engine, held, position)
    for position, size in enumerate(sizes):
        if not size:
            farthest = engine.farthest(centres)
            centres[position] = centres[position] if farthest is None else farthest
    return centres


def _centre_by_search(
    settings: Settings, engine: FullEngine, held: FullEngine, position: int
) -> int:
    """The point with the lowest sum of distances to its cluster, all but surely, from few."""
    some, medoid = engine.members(position, held)
    found = searching(settings, some)(False)
    some.place(0, found.arm)
    if medoid >= 0 and some.loss_after(0, medoid) <= some.loss:
        return engine.medoids[position]
    return some.row_of(found.arm)
