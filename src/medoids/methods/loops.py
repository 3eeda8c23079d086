"""The two loops of PAM, BUILD and SWAP, for any way to find the best arm of a step."""

from __future__ import annotations

from collections.abc import Callable

from ..engines.protocol import Engine, Medoids
from ..search.rounds import Choice
from ..search.search import best_arm
from .settings import Settings
from .starts import start

Best = Callable[[bool], Choice]


def searching(settings: Settings, engine: Engine) -> Best:
    """The best arm of a step (BUILD, or if true SWAP) of an engine, by adaptive search."""
    delta = settings.delta or settings.tuning.delta
    return lambda swap: best_arm(engine, swap, delta, settings.tuning)


def build_and_swap(settings: Settings, engine: Medoids, best: Best) -> int:
    """Run both on an engine; the number of swaps done. `best(swap)` gives a step's best arm."""
    begin(settings, engine, best)
    return swap(settings, engine, best)


def begin(settings: Settings, engine: Medoids, best: Best) -> None:
    """Place the first medoids: by BUILD, or as `init` says."""
    if settings.init == "build":
        build(settings, engine, best)
    else:
        begin_elsewhere(settings, engine)


def begin_elsewhere(settings: Settings, engine: Medoids) -> None:
    """Place the first medoids as `init` says, where that is not by BUILD."""
    start(engine, settings.init, settings.rng)
    settings.monitor.record("init", engine, [])


def build(settings: Settings, engine: Medoids, best: Best) -> None:
    """Add the best arm of each step, as long as there are too few medoids."""
    if not engine.medoids and engine.fixed:
        engine.start(engine.fixed)
        settings.monitor.record("init", engine, [])
    while len(engine.medoids) < engine.n_clusters:
        if engine.n == engine.n_rows and perfect(engine):
            # All are equal: PAM takes the lowest row that is no medoid.
            choice = Choice([], arm=engine.free())
        else:
            choice = best(False)
        if choice.arm < 0:
            raise ValueError(
                "metric gives distances of which no sum is finite: scale the data to moderate"
                " numbers, or mend the metric."
            )
        engine.place(len(engine.medoids), choice.arm)
        settings.monitor.record("build", engine, choice.rounds, choice.sigma)


def swap(settings: Settings, engine: Medoids, best: Best) -> int:
    """Swap until none helps. A swap is taken only if the loss falls: so there is no cycle."""
    swaps = 0
    while can_improve(engine):
        if swaps >= settings.max_iter:
            settings.monitor.stopped = True
            break
        choice = best(True)
        arm, position = choice.arm, choice.position
        improves = arm >= 0 and engine.loss_after(position, arm) < engine.loss
        if improves:
            engine.place(position, arm)
            swaps += 1
        settings.monitor.record("swap", engine, choice.rounds, choice.sigma, int(improves))
        if not improves:
            break
    return swaps


def can_improve(engine: Medoids) -> bool:
    """Some point is no medoid, some medoid may go, and some points pay."""
    some_may_go = len(engine.fixed) < len(engine.medoids)
    return some_may_go and len(engine.medoids) < engine.n_arms and not perfect(engine)


def perfect(engine: Medoids) -> bool:
    """Every point is at distance 0 from a medoid: nothing can be better."""
    return len(engine.medoids) > 0 and engine.nonnegative and engine.loss == 0
