"""Eager SWAP by adaptive search: many swaps a pass, for many clusters."""

from __future__ import annotations

import numpy as np

from ..engines.protocol import Engine, Ids
from ..search.eager import EagerSearch
from ..search.rounds import Round
from ..search.search import half_width, null_value
from .loops import can_improve
from .monitor import Monitor
from .rehearsal import begin, rehearses
from .settings import Settings

# Arms that are compared in float64 again after one of them was swapped in; and at a time.
_FEW = _AT_ONCE = 32


def eager(settings: Settings, engine: Engine) -> tuple[Engine, int]:
    """Take every swap that a search comes upon, until a search shows that there is none.

    With few clusters several starts are tried, each for a few passes, and the one with the lowest
    loss goes on: few clusters have local optima that differ much, and these passes tell which of
    them is near. Where the user asks for several starts (`n_init`), each of these has as many fewer
    trials. An engine at the medoids, and the number of swaps.
    """
    tuning, monitor = settings.tuning, settings.monitor
    few = engine.n_clusters < tuning.many and tuning.trial < settings.max_iter
    if not few or not rehearses(settings):
        begin(settings, engine, swap, monitor.start)
        return engine, swap(settings, engine)
    trials = -(-tuning.starts // monitor.starts)
    ends: list[tuple[Engine, int, Monitor]] = []
    for start in range(monitor.start * trials, (monitor.start + 1) * trials):
        engine = engine.again() if ends else engine
        trial = monitor.apart(engine)
        tried = settings._replace(monitor=trial, max_iter=tuning.trial)
        begin(tried, engine, swap, start)
        ends.append((engine, swap(tried, engine, trial=True), trial))
    engine, done, trial = min(ends, key=lambda end: end[0].loss)
    monitor.adopt(trial, engine)
    passes = sum(entry["phase"] == "swap" for entry in trial.history)
    left = settings._replace(max_iter=settings.max_iter - passes)
    return engine, done + swap(left, engine, last=passes < tuning.trial)


def swap(settings: Settings, engine: Engine, trial: bool = False, last: bool = False) -> int:
    """Swap until no swap helps (in a `trial`: none that seems best); the number of swaps.

    In the `last` passes all arms are looked at, as strictly as PAM's search does. Where these end
    with the first good arms there are many, each of which may be wrong by chance: so the very last
    one trusts no bound from before. A swap is judged by the distances to all points before it is
    taken. While there are many, it has to lower the loss by more than float32 can be wrong; the
    last ones are decided in float64.
    """
    monitor, tuning = settings.monitor, settings.tuning
    strict = settings.delta or tuning.delta
    ended, swaps, passes = _swap_near(settings, engine, trial)
    if ended:
        return swaps
    if last:
        engine.forget()
    fresh = last
    while can_improve(engine):
        if passes == settings.max_iter:
            monitor.stopped = True
            break
        delta = strict if last else settings.delta or tuning.eager_delta
        arms = engine.screen(True, half_width(delta))
        search = EagerSearch(arms, null_value(True), tuning, engine.n_clusters)
        good = search.good(everywhere=last)
        done = engine.swap_in(good, arms.slack * engine.n)
        if last and not done:  # what seemed good was not, so that the others must not wait
            search.finish()
        arms.close()
        if not done and not trial:
            done = _take_last(engine, search.close())
        if done or last or (arms.exact and not trial):
            swaps, passes = swaps + done, passes + 1
            monitor.record("swap", engine, search.rounds, arms.sigma, done)
        if not done:
            if trial or arms.exact or (last and (fresh or not search.is_hasty)):
                break
            last = True  # what seemed best was not: the same pass goes on with all arms
            engine.forget()
        fresh = not done
    if not trial:
        engine.sharpen()
    return swaps


def _swap_near(settings: Settings, engine: Engine, trial: bool) -> tuple[bool, int, int]:
    """With many clusters: swap while the points around each tell of swaps that help.

    Whether that is the end, and how many swaps and passes there were. It looks farther when it
    finds few swaps. If at last all arms were judged by all points, and none helps, there is nothing
    left to search for.
    """
    monitor, k = settings.monitor, engine.n_clusters
    swaps = passes = level = 0
    ended = False
    while engine.near and can_improve(engine) and not ended:
        if passes == settings.max_iter:
            monitor.stopped = ended = True
            break
        near = engine.swap_near(level)
        if near is None:
            break
        done = near.swaps
        ended = near.whole and not done
        if ended and not trial:
            done = _take_last(engine, near.close)
            ended = not done
        swaps, passes = swaps + done, passes + 1
        monitor.record("swap", engine, [Round(near.arms, near.references, near.good)], None, done)
        if done * settings.tuning.worth_near < k:
            ended = ended or trial
            level += not near.whole  # what is known of all arms is carried to the next pass
        elif near.whole:
            level = 0
    if ended and not trial:
        engine.sharpen()
    return ended, swaps, passes


def _take_last(engine: Engine, arms: Ids) -> int:
    """Swap in those of some arms that lower the loss after all, decided in float64; how many.

    The best first, each if it still does. If they are few they are compared again: that costs
    less than another look at all arms.
    """
    engine.sharpen()
    done = 0
    while len(arms):
        parts = np.array_split(arms, -(-len(arms) // _AT_ONCE))
        values = np.concatenate([engine.confirm(some, True)[0] for some in parts])
        good = arms[np.argsort(values, kind="stable")[: int((values < 0).sum())]]
        taken = [arm for arm in good.tolist() if _takes(engine, arm)]
        done += len(taken)
        if not taken or len(arms) > _FEW:
            break
        arms = np.setdiff1d(arms, taken)
    return done


def _takes(engine: Engine, arm: int) -> bool:
    """Swap in an arm, if that lowers the loss."""
    values, positions = engine.confirm(np.array([arm]), True)
    position = int(positions[0])
    improves = values[0] < 0 and engine.loss_after(position, arm) < engine.loss
    if improves:
        engine.place(position, arm)
    return bool(improves)
