"""Starts for eager swaps: medoids of a few of the points, brought to all of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..engines.protocol import Engine
from ..search.rounds import Round
from .loops import begin_elsewhere, perfect
from .monitor import Monitor
from .settings import Settings
from .starts import pick

Swap = Callable[[Settings, Engine, bool], int]


def rehearses(settings: Settings) -> bool:
    """Whether a start is rehearsed: by its name, if every row may be a medoid and none has to."""
    engine = settings.engine
    free = not engine.fixed and engine.n_arms == engine.n_rows
    # Where all distances are at hand, BUILD takes less time on all of them.
    few = engine.n_clusters < settings.tuning.many
    at_once = settings.init == "build" and few and settings.monitor.start == 0 and engine.near
    return isinstance(settings.init, str) and free and settings.max_iter > 0 and not at_once


def begin(settings: Settings, engine: Engine, swap: Swap, start: int = 0) -> None:
    """Place the first medoids: those that eager swaps end with for some of the points.

    They begin there as `init` says. BUILD would always begin with the same: every other `start` is
    by "k-medoids++" then. For many clusters it takes long, and random ones are as good. `swap`
    swaps until none helps. Where these would be many of the points, there is no rehearsal.
    """
    tuning, k = settings.tuning, engine.n_clusters
    init = settings.init
    many = engine.near and k >= tuning.many
    if init == "build" and (start or many):
        init = "random" if many else "k-medoids++"
    most = max(tuning.most_rehearsed, tuning.least_rehearsed * k)
    size = max(min(tuning.rehearsed * k, most), tuning.fewest_rehearsed)
    some, share = None, 4 if engine.near else 2
    if rehearses(settings) and share * size <= engine.n:
        some = engine.some_points(size, start)
    if some is None:
        _begin_at_once(settings._replace(init=init), engine)
        return
    few, rows = some
    rehearsal = settings._replace(init=init, max_iter=tuning.passes, monitor=Monitor())
    if len(rows) > 2 * size:  # as many as are cheap to this engine: with a rehearsal of their own
        begin(rehearsal, few, swap, start)
    else:
        _begin_at_once(rehearsal, few)
    swap(rehearsal, few, engine.near)
    medoids = [int(rows[medoid]) for medoid in few.medoids]
    if engine.near:
        engine.place_all(medoids)
        settings.monitor.record("init", engine, [])
        return
    for medoid in medoids:
        rounds = [Round(len(rows) - len(engine.medoids), len(rows), 1)]
        engine.place_best(np.array([medoid]))
        if settings.init == "build":
            settings.monitor.record("build", engine, rounds)
    if settings.init != "build":
        settings.monitor.record("init", engine, [])


def _begin_at_once(settings: Settings, engine: Engine) -> None:
    """Place the first medoids; in BUILD the best of a few that seem best, judged by all points."""
    monitor = settings.monitor
    if settings.init == "random" and engine.near:
        engine.place_all(engine.fixed)
        engine.place_all(pick(engine, "random", settings.rng))
        monitor.record("init", engine, [])
        return
    if settings.init != "build":
        begin_elsewhere(settings, engine)
        return
    if engine.fixed:
        engine.start(engine.fixed)
        monitor.record("init", engine, [])
    while len(engine.medoids) < engine.n_clusters:
        rounds = []
        if perfect(engine):
            engine.place(len(engine.medoids), engine.free())
        else:
            arms = engine.seem_best(settings.tuning.built)
            rounds = [Round(engine.n - len(engine.medoids), engine.first, len(arms))]
            engine.place_best(arms)
        monitor.record("build", engine, rounds)
