"""CLARANS (Ng and Han 2002): a random walk over sets of medoids that differ in one."""

from __future__ import annotations

import math
import warnings

import numpy as np

from .. import _checks as check
from ..engines.protocol import FullEngine, Ids, Medoids
from ..search.rounds import Round
from .loops import begin, can_improve, searching
from .settings import Settings
from .starts import start

# Neighbours that are drawn at a time.
_DRAWN = 64


def clarans(
    settings: Settings, *, num_local: int = 2, max_neighbors: int | None = None
) -> tuple[Medoids, int]:
    """Take any random swap that lowers the loss; stop when many in a row do not.

    The first walk starts from `init`, the others from random medoids; the best end is kept.

    Parameters
    ----------
    settings : Settings
    num_local : int, default=2
        How many walks.
    max_neighbors : int, default=None
        Swaps in a row that are of no use, for a walk to end. None is 1.25% of all k(n - k),
        and at least 250.
    """
    engine, n, k = settings.engine, settings.engine.n, settings.engine.n_clusters
    walks = check.whole(num_local, "num_local", 1)
    pairs = (k - len(engine.fixed)) * (engine.n_arms - k)
    most = max(250, math.ceil(0.0125 * pairs))
    if max_neighbors is not None:
        # They are drawn at random: so many times all of them are sure to hold each.
        all_of_them = 1000 * max(pairs, 1)
        most = min(check.whole(max_neighbors, "max_neighbors", 1), all_of_them)
    _warn_if_long(walks, most, n, settings.tuning.long)
    ends, swaps = [], 0
    for walk in range(walks):
        other = engine.fresh()
        if walk == 0:
            begin(settings, other, searching(settings, other))
        else:
            start(other, "random", settings.rng)
        swaps += _walk(settings, other, most)
        ends.append(other)
    return min(ends, key=lambda each: each.loss), swaps


def _warn_if_long(walks: int, most: int, n: int, long: float) -> None:
    """Say before a fit that it will take minutes, at the least."""
    distances = walks * most * n
    if distances > long:
        warnings.warn(
            f"method='clarans' looks at {walks * most:,} swaps or more, at {n:,} distances each:"
            f" {distances / 1e9:.0f} billion, which can take minutes. Give a smaller"
            " max_neighbors in method_params, or use method='banditpam'.",
            UserWarning,
            stacklevel=2,
        )


def _walk(settings: Settings, engine: FullEngine, most: int) -> int:
    """Walk until `most` neighbours in a row are no better; the number of swaps."""
    n, k, rng = engine.n, engine.n_clusters, settings.rng
    first = len(engine.fixed)
    swaps = seen = useless = 0
    arms: Ids = np.empty(0, dtype=np.int64)
    positions: Ids = arms
    while useless < most and can_improve(engine):
        if seen >= most * settings.max_iter:
            settings.monitor.stopped = True
            break
        if not len(arms):
            arms = engine.draw_arms(_DRAWN, rng)
            positions = rng.integers(first, k, size=_DRAWN)
        change = engine.changes(arms, positions)
        open_ = ~np.isin(arms, engine.medoids)
        arms, positions, change = arms[open_], positions[open_], change[open_]
        looked = min(len(arms), most - useless)
        better = np.flatnonzero(change[:looked] < 0)
        done = int(better[0]) + 1 if len(better) else looked
        seen, useless = seen + done, useless + done
        if len(better):
            arm, position = int(arms[done - 1]), int(positions[done - 1])
            if engine.loss_after(position, arm) < engine.loss:
                engine.place(position, arm)
                swaps, useless = swaps + 1, 0
        # What was drawn and not looked at is as random as what would be drawn now.
        arms, positions = arms[done:], positions[done:]
    settings.monitor.record("swap", engine, [Round(seen, n, swaps)], swaps=swaps)
    return swaps
