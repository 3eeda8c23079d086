"""The two loops of PAM, BUILD and SWAP, for any way to find the best arm of a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.cpu.points.base import Points
from ..engines.cpu.state import State
from .monitor import Round
from .settings import Settings
from .starts import start


class Choice(NamedTuple):
    """How a step was searched; and the arm that joins the medoids, or replaces one.

    `row` holds the arm's distances to all points; None where no arm is worth trying.
    """

    rounds: list[Round]
    sigma: list[float] | None = None
    arm: int = -1
    replaces: int = -1
    row: NDArray[np.float64] | None = None


Best = Callable[[bool], Choice]


def build_and_swap(settings: Settings, state: State, best: Best) -> int:
    """Run both on the state; the number of swaps done. `best(swap)` gives a step's best arm."""
    begin(settings, state, best)
    return swap(settings, state, best)


def begin(settings: Settings, state: State, best: Best) -> None:
    """Put the first medoids into the state: by BUILD, or as `init` says."""
    points, k, monitor = settings.points, settings.n_clusters, settings.monitor
    if settings.init == "build":
        while state.k < k:
            whole = state.n == points.n
            choice = _copy(points, state) if whole and perfect(points, state) else best(False)
            if choice.row is None:
                raise ValueError(
                    "metric gives distances of which no sum is finite: scale the data to moderate"
                    " numbers, or mend the metric."
                )
            state.add(choice.arm, choice.row)
            monitor.record("build", state, choice.rounds, choice.sigma)
    else:
        start(points, state, k, settings.init, settings.rng)
        monitor.record("init", state, [])


def swap(settings: Settings, state: State, best: Best) -> int:
    """Swap until none helps. A swap is taken only if the loss falls: so there is no cycle."""
    swaps = 0
    while can_improve(settings, state):
        if swaps >= settings.max_iter:
            settings.monitor.stopped = True
            break
        choice = best(True)
        row = choice.row
        improves = row is not None and state.loss_after(choice.replaces, row) < state.loss
        if row is not None and improves:
            state.replace(choice.replaces, choice.arm, row)
            swaps += 1
        settings.monitor.record("swap", state, choice.rounds, choice.sigma, int(improves))
        if not improves:
            break
    return swaps


def can_improve(settings: Settings, state: State) -> bool:
    """Some point is no medoid, and some pay."""
    return state.k < settings.points.n and not perfect(settings.points, state)


def perfect(points: Points, state: State) -> bool:
    """Every point is at distance 0 from a medoid: nothing can be better."""
    return state.k > 0 and points.nonnegative and state.loss == 0


def _copy(points: Points, state: State) -> Choice:
    """The lowest row that is no medoid, as PAM takes it when all are equal."""
    arm = int(np.setdiff1d(np.arange(state.n), state.medoids)[0])
    return Choice([], arm=arm, row=points.exact(np.array([arm]))[0])
