"""PAM (Kaufman and Rousseeuw 1990), exactly: the reference that all else is held against."""

from __future__ import annotations

import numpy as np

from ._loops import Choice, build_and_swap
from ._monitor import Round
from ._settings import Settings
from ._state import State
from ._step import Step


def pam(settings: Settings) -> tuple[State, int]:
    """Build k medoids greedily, then take the best of all k(n - k) swaps until none helps."""
    points = settings.points
    settings.needs("pam", 8 * points.n**2, "banditpam")
    state = State(points, settings.n_clusters)
    matrix = points.exact(np.arange(points.n))

    def best(swap: bool) -> Choice:
        values = Step(state, swap).values(matrix, np.arange(points.n), points.workers)
        values[state.medoids] = np.inf
        arm, replaces = np.unravel_index(values.argmin(), values.shape)
        rounds = [Round(points.n - state.k, points.n, 1)]
        if swap and values[arm, replaces] >= 0:
            return Choice(rounds)
        return Choice(rounds, None, int(arm), int(replaces), matrix[arm])

    return state, build_and_swap(settings, state, best)
