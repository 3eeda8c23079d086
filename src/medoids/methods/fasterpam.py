"""FastPAM and FasterPAM: many swaps in each pass over the candidates."""

from __future__ import annotations

import numpy as np

from ..engines.protocol import FullEngine, Matrix, Medoids
from ..search.rounds import Round
from .loops import begin, can_improve
from .pam import best_of
from .settings import Settings

# Candidates that are looked at before the first swap is taken, at first and at most.
_AHEAD, _FARTHEST = 64, 1024


def fastpam(settings: Settings) -> tuple[Medoids, int]:
    """Schubert and Rousseeuw 2019, FastPAM2: the best swap for each of the k medoids.

    They are taken in the order of their gains, as far as each still lowers the loss.
    """
    matrix = _held(settings, "fastpam")
    begin(settings, matrix, best_of(matrix))
    first, swaps = list(matrix.medoids), 0
    for _ in range(settings.max_iter):
        if not can_improve(matrix):
            break
        arms, gains = matrix.best_for_each()
        before = swaps
        for position in np.argsort(gains, kind="stable")[: (gains < 0).sum()].tolist():
            arm = int(arms[position])
            if arm not in matrix.medoids and matrix.loss_after(position, arm) < matrix.loss:
                matrix.place(position, arm)
                swaps += 1
        rounds = [Round(matrix.n_arms - len(matrix.medoids), matrix.n, swaps - before)]
        settings.monitor.record("swap", matrix, rounds, swaps=swaps - before)
        if swaps == before:
            break
    else:
        settings.monitor.stopped = can_improve(matrix)
    return no_worse(settings.engine, matrix.medoids, first), swaps


def fasterpam(settings: Settings) -> tuple[Medoids, int]:
    """Schubert and Rousseeuw 2021: take every swap that lowers the loss, as soon as seen."""
    matrix = _held(settings, "fasterpam")
    begin(settings, matrix, best_of(matrix))
    first = list(matrix.medoids)
    swaps = eager_swaps(settings, matrix)
    return no_worse(settings.engine, matrix.medoids, first), swaps


def _held(settings: Settings, method: str) -> Matrix:
    settings.needs(method, settings.engine.bytes_held(), "banditpam")
    return settings.engine.matrix()


def eager_swaps(settings: Settings, matrix: Matrix) -> int:
    """Go round the candidates, swapping, until n in a row are of no use; the swaps done."""
    n, monitor = matrix.n_rows, settings.monitor
    swaps = before = seen = useless = 0
    ahead = _AHEAD
    while useless < n and can_improve(matrix):
        if seen >= n * settings.max_iter:
            monitor.stopped = True
            break
        start = seen % n
        stop = min(start + ahead, n)
        arm, position = matrix.first_better(start, stop)
        if arm >= 0:
            stop = arm + 1
        seen, useless = seen + stop - start, useless + stop - start
        # Look far ahead while swaps are rare: what comes after a swap is looked at again.
        ahead = min(2 * ahead, _FARTHEST)
        if arm >= 0 and matrix.loss_after(position, arm) < matrix.loss:
            matrix.place(position, arm)
            ahead = _AHEAD
            swaps, useless = swaps + 1, 0
        if seen % n == 0 or useless >= n:
            done, before = swaps - before, swaps
            rounds = [Round(matrix.n_arms - len(matrix.medoids), matrix.n, done)]
            monitor.record("swap", matrix, rounds, swaps=done)
    return swaps


def no_worse(engine: FullEngine, medoids: list[int], first: list[int]) -> FullEngine:
    """An engine at these medoids, in float64; or at the first ones, if they are better."""
    found = at(engine, medoids)
    if medoids == first:
        return found
    loss = engine.rough_loss(first)
    if found.loss < loss - 1e-4 * abs(loss):
        return found
    before = at(engine, first)
    return found if found.loss < before.loss else before


def at(engine: FullEngine, medoids: list[int]) -> FullEngine:
    """The same points with these medoids, in float64."""
    found = engine.fresh()
    found.start(medoids)
    return found
