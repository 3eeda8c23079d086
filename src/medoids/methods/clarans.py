"""CLARANS (Ng and Han 2002): a random walk over sets of medoids that differ in one."""

from __future__ import annotations

import math
import warnings

import numpy as np
from numpy.typing import NDArray

from .. import _checks as check
from .._threads import Workers
from ..engines.cpu.points.base import Indices, Points
from ..engines.cpu.state import State
from ..search.bandit import Bandit
from .loops import begin, can_improve
from .monitor import Round
from .settings import Settings
from .starts import start

# Neighbours that are drawn at a time.
_DRAWN = 64
# So many distances take minutes.
_LONG = 5e9


def clarans(
    settings: Settings, *, num_local: int = 2, max_neighbors: int | None = None
) -> tuple[State, int]:
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
    points, k = settings.points, settings.n_clusters
    walks = check.whole(num_local, "num_local", 1)
    most = max(250, math.ceil(0.0125 * k * (points.n - k)))
    if max_neighbors is not None:
        # They are drawn at random: so many times all of them are sure to hold each.
        all_of_them = 1000 * max(k * (points.n - k), 1)
        most = min(check.whole(max_neighbors, "max_neighbors", 1), all_of_them)
    _warn_if_long(walks, most, points.n)
    rows = _Rows(points, settings.memory_limit)
    best, swaps = State(points.n, k), 0
    for walk in range(walks):
        state = State(points.n, k)
        if walk == 0:
            begin(settings, state, Bandit(settings, state).best)
        else:
            start(points, state, k, "random", settings.rng)
        swaps += _walk(settings, state, rows, most)
        best = min(best, state, key=lambda each: each.loss)
    return best, swaps


def _warn_if_long(walks: int, most: int, n: int) -> None:
    """Say before a fit that it will take minutes, at the least."""
    distances = walks * most * n
    if distances > _LONG:
        warnings.warn(
            f"method='clarans' looks at {walks * most:,} swaps or more, at {n:,} distances each:"
            f" {distances / 1e9:.0f} billion, which can take minutes. Give a smaller"
            " max_neighbors in method_params, or use method='banditpam'.",
            UserWarning,
            stacklevel=2,
        )


def _walk(settings: Settings, state: State, rows: _Rows, most: int) -> int:
    """Walk until `most` neighbours in a row are no better; the number of swaps."""
    n, k, rng = state.n, state.k, settings.rng
    swaps = seen = useless = 0
    arms = positions = np.empty(0, dtype=np.int64)
    while useless < most and can_improve(settings, state):
        if seen >= most * settings.max_iter:
            settings.monitor.stopped = True
            break
        if not len(arms):
            arms, positions = rng.integers(n, size=_DRAWN), rng.integers(k, size=_DRAWN)
            block = rows.of(arms)
        open_ = ~np.isin(arms, state.medoids)
        arms, positions, block = arms[open_], positions[open_], block[open_]
        looked = min(len(arms), most - useless)
        change = _changes(state, block[:looked], positions[:looked], settings.points.workers)
        better = np.flatnonzero(change < 0)
        done = int(better[0]) + 1 if len(better) else looked
        seen, useless = seen + done, useless + done
        if len(better):
            arm, position = int(arms[done - 1]), int(positions[done - 1])
            row = settings.points.exact(np.array([arm]))[0]
            if state.loss_after(position, row) < state.loss:
                state.replace(position, arm, row)
                swaps, useless = swaps + 1, 0
        # What was drawn and not looked at is as random as what would be drawn now.
        arms, positions, block = arms[done:], positions[done:], block[done:]
    settings.monitor.record("swap", state, [Round(seen, n, swaps)], swaps=swaps)
    return swaps


def _changes(
    state: State, rows: NDArray[np.float32], positions: Indices, workers: Workers
) -> NDArray[np.float64]:
    """How each swap would change the loss."""
    from ..engines.cpu.kernels.values import changes

    out = np.empty(len(rows))

    def work(start: int, stop: int) -> None:
        part = slice(start, stop)
        changes(rows[part], positions[part], state.nearest, state.second, state.owner, out[part])

    workers.each(work, len(rows), 8)
    return out


class _Rows:
    """Distances from points to all others, kept where all of them fit into memory."""

    def __init__(self, points: Points, memory_limit: float) -> None:
        self.points = points
        keep = points.n if 4 * points.n**2 <= memory_limit else 0
        # This takes address space alone until rows are written.
        self._kept = np.empty((keep, points.n), dtype=np.float32)
        self._have = np.zeros(points.n, dtype=bool)

    def of(self, arms: Indices) -> NDArray[np.float32]:
        every = np.arange(self.points.n)
        if not len(self._kept):
            return self.points.block_array(arms, every)
        missing = np.unique(arms[~self._have[arms]])
        self._kept[missing] = self.points.block_array(missing, every)
        self._have[missing] = True
        return self._kept[arms]
