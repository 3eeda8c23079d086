"""Eager BUILD and SWAP by adaptive search: many swaps a pass, for many clusters."""

from __future__ import annotations

from ..engines.protocol import Engine, Ids
from ..search.eager import EagerSearch
from ..search.rounds import Round
from ..search.search import half_width, null_value, settle
from .loops import begin_elsewhere, can_improve, perfect
from .settings import Settings


def eager(settings: Settings, engine: Engine) -> int:
    """Take every swap that a search comes upon, until a search shows that there is none.

    A swap is judged by the distances to all points before it is taken. While there are
    many, it has to lower the loss by more than float32 can be wrong; the last ones are
    decided in float64. The number of swaps.
    """
    monitor, tuning = settings.monitor, settings.tuning
    strict = settings.delta or tuning.delta
    delta = settings.delta or tuning.eager_delta
    _begin(settings, engine)
    swaps = passes = 0
    while can_improve(engine):
        if passes == settings.max_iter:
            monitor.stopped = True
            break
        arms = engine.screen(True, half_width(delta))
        search = EagerSearch(arms, null_value(True), tuning, engine.n_clusters)
        good = search.good()
        arms.close()
        done = engine.swap_in(good, arms.slack * engine.n)
        if not done:
            done = _take_last(engine, search.close())
        swaps, passes = swaps + done, passes + 1
        monitor.record("swap", engine, search.rounds, arms.sigma, done)
        if not done:
            if arms.exact or delta <= strict:
                break
            delta = strict  # the end is to be a local optimum
            engine.forget()
    engine.sharpen()
    return swaps


def _begin(settings: Settings, engine: Engine) -> None:
    """Place the first medoids; in BUILD the best of a few that seem best, judged by all points."""
    monitor = settings.monitor
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


def _take_last(engine: Engine, arms: Ids) -> int:
    """Swap in the best of arms that hardly change the loss, decided in float64."""
    engine.sharpen()
    arm, position = settle(arms, 0.0, lambda some: engine.confirm(some, True))
    if arm < 0 or engine.loss_after(position, arm) >= engine.loss:
        return 0
    engine.place(position, arm)
    return 1
