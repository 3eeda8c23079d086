"""PAM, and FastPAM1: the best of all swaps, exactly. All else is held against them."""

from __future__ import annotations

import numpy as np

from .._threads import Workers
from ..engines.cpu.points.base import Floats, Points
from ..engines.cpu.state import State
from ..engines.cpu.step import SLACK, Step
from ..search.search import settle
from .loops import Best, Choice, build_and_swap
from .monitor import Round
from .settings import Settings


def pam(settings: Settings) -> tuple[State, int]:
    """Kaufman and Rousseeuw 1990: build greedily, then take the best of all k(n - k) swaps.

    Every distance is held in float64.
    """
    points = settings.points
    settings.needs("pam", 8 * points.n**2, "banditpam")
    state = State(points.n, settings.n_clusters)
    matrix = points.exact(np.arange(points.n))
    return state, build_and_swap(settings, state, best_of(matrix, state, points.workers))


def fastpam1(settings: Settings) -> tuple[State, int]:
    """Schubert and Rousseeuw 2019: PAM's swaps, all k of a candidate from one pass.

    The matrix is in float32; what float32 cannot tell apart is decided in float64.
    """
    points = settings.points
    settings.needs("fastpam1", points.whole_bytes, "banditpam")
    state = State(points.n, settings.n_clusters)
    best = best_of(points.whole(), state, points.workers, points)
    return state, build_and_swap(settings, state, best)


def best_of(matrix: Floats, state: State, workers: Workers, truth: Points | None = None) -> Best:
    """The best arm of a step, from the distances of all arms (rows) to all references.

    Where the matrix is rounded, `truth` decides between arms that are close.
    """
    every = np.arange(len(matrix))

    def best(swap: bool) -> Choice:
        step = Step(state, swap)
        values = step.values(matrix, every, workers)
        values[state.medoids] = np.inf
        rounds = [Round(len(matrix) - state.k, step.n, 1)]
        null = 0.0 if swap else np.inf
        if truth is None:
            arm, replaces = np.unravel_index(values.argmin(), values.shape)
            if values[arm, replaces] >= null:
                return Choice(rounds)
            return Choice(rounds, None, int(arm), int(replaces), matrix[arm])
        lowest = values.min(axis=1)
        slack = step.slack if state.k else SLACK * float(np.abs(lowest).mean())
        close = np.flatnonzero(lowest <= min(float(lowest.min()), null) + 2 * slack)
        found = settle(close, null, lambda arms: step.exact_values(truth.exact(arms), workers))
        return Choice(rounds, None, *(found or ()))

    return best
