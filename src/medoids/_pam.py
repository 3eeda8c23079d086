"""PAM (Kaufman and Rousseeuw 1990), exactly: the reference that all else is held against."""

from __future__ import annotations

import numpy as np

from ._init import start
from ._monitor import Round
from ._settings import Settings
from ._state import State
from ._step import Step


def pam(settings: Settings) -> tuple[State, int]:
    """Build k medoids greedily, then take the best of all k(n - k) swaps until none helps."""
    points, k = settings.points, settings.n_clusters
    state = State(points, k)
    settings.needs("pam", 8 * points.n**2, "banditpam")
    matrix = points.exact(np.arange(points.n))

    def best(swap: bool) -> tuple[int, int, float]:
        values = Step(state, swap).values(matrix, np.arange(points.n), points.workers)
        values[state.medoids] = np.inf
        arm, replaces = np.unravel_index(values.argmin(), values.shape)
        return int(arm), int(replaces), float(values[arm, replaces])

    def record(phase: str) -> None:
        candidates = points.n - k if phase == "swap" else points.n - state.k + 1
        settings.monitor.record(phase, state, [Round(candidates, points.n, 1)])

    if settings.init == "build":
        while state.k < k:
            arm = best(swap=False)[0]
            state.add(arm, matrix[arm])
            record("build")
    else:
        start(points, state, k, settings.init, settings.rng)
        settings.monitor.record("init", state, [])
    swaps = 0
    while swaps < settings.max_iter and k < points.n:
        arm, replaces, value = best(swap=True)
        improves = value < 0 and state.loss_after(replaces, matrix[arm]) < state.loss
        if improves:
            state.replace(replaces, arm, matrix[arm])
            swaps += 1
        record("swap")
        if not improves:
            break
    return state, swaps
