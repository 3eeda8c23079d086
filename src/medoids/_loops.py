"""The two loops of PAM, for any way to find the best arm of a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._init import start
from ._monitor import Round
from ._settings import Settings
from ._state import State


class Choice(NamedTuple):
    """How a step was searched; and the arm that joins the medoids, or replaces one.

    `row` holds the arm's distances to all points; None where no arm is worth trying.
    """

    rounds: list[Round]
    sigma: list[float] | None = None
    arm: int = -1
    replaces: int = -1
    row: NDArray[np.float64] | None = None


def build_and_swap(settings: Settings, state: State, best: Callable[[bool], Choice]) -> int:
    """Run BUILD (or another start) and SWAP on the state; the number of swaps done.

    `best(swap)` gives the best arm of a step. A swap is taken only if the loss falls, so
    there is no cycle.
    """
    points, k, monitor = settings.points, settings.n_clusters, settings.monitor
    if settings.init == "build":
        while state.k < k:
            choice = _copy(settings, state) if _perfect(settings, state) else best(False)
            assert choice.row is not None, "an arm always joins in BUILD"
            state.add(choice.arm, choice.row)
            monitor.record("build", state, choice.rounds, choice.sigma)
    else:
        start(points, state, k, settings.init, settings.rng)
        monitor.record("init", state, [])
    swaps = 0
    while swaps < settings.max_iter and k < points.n and not _perfect(settings, state):
        choice = best(True)
        row = choice.row
        improves = row is not None and state.loss_after(choice.replaces, row) < state.loss
        if row is not None and improves:
            state.replace(choice.replaces, choice.arm, row)
            swaps += 1
        monitor.record("swap", state, choice.rounds, choice.sigma)
        if not improves:
            break
    return swaps


def _perfect(settings: Settings, state: State) -> bool:
    """Every point is at distance 0 from a medoid: nothing can be better."""
    return state.k > 0 and settings.points.nonnegative and state.loss == 0


def _copy(settings: Settings, state: State) -> Choice:
    """The lowest row that is no medoid, as PAM takes it when all are equal."""
    arm = int(np.setdiff1d(np.arange(state.n), state.medoids)[0])
    return Choice([], arm=arm, row=settings.points.exact(np.array([arm]))[0])
