"""FastPAM and FasterPAM: many swaps in each pass over the candidates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._threads import Workers
from ..engines.cpu.points.base import Floats, Indices, Points
from ..engines.cpu.state import State
from ..engines.cpu.step import Step
from .loops import begin, can_improve
from .monitor import Round
from .pam import best_of
from .settings import Settings
from .starts import true_state

# Candidates that one thread looks at in one go.
_SPAN = 64


def fastpam(settings: Settings) -> tuple[State, int]:
    """Schubert and Rousseeuw 2019, FastPAM2: the best swap for each of the k medoids.

    They are taken in the order of their gains, as far as each still lowers the loss.
    """
    held = settings.held("fastpam", "banditpam")
    matrix, workers = held.points.whole(), held.points.workers
    state = State(held.points.n, settings.n_clusters)
    begin(held, state, best_of(matrix, state, workers))
    first, swaps = list(state.medoids), 0
    for _ in range(settings.max_iter):
        if not can_improve(held, state):
            break
        values = Step(state, swap=True).values(matrix, np.arange(held.points.n), workers)
        values[state.medoids] = np.inf
        arms, before = values.argmin(axis=0), swaps
        gains = values.min(axis=0)
        for position in np.argsort(gains, kind="stable")[: (gains < 0).sum()]:
            arm = int(arms[position])
            if arm in state.medoids:
                continue
            if state.loss_after(position, matrix[arm]) < state.loss:
                state.replace(int(position), arm, matrix[arm])
                swaps += 1
        rounds = [Round(held.points.n - state.k, held.points.n, swaps - before)]
        settings.monitor.record("swap", state, rounds, swaps=swaps - before)
        if swaps == before:
            break
    else:
        settings.monitor.stopped = can_improve(held, state)
    return no_worse(settings.points, state.medoids, first), swaps


def fasterpam(settings: Settings) -> tuple[State, int]:
    """Schubert and Rousseeuw 2021: take every swap that lowers the loss, as soon as seen."""
    held = settings.held("fasterpam", "banditpam")
    matrix = held.points.whole()
    state = State(held.points.n, settings.n_clusters)
    begin(held, state, best_of(matrix, state, held.points.workers))
    first = list(state.medoids)
    swaps = eager_swaps(held, state, matrix)
    return no_worse(settings.points, state.medoids, first), swaps


def eager_swaps(settings: Settings, state: State, rows: Floats) -> int:
    """Go round the candidates, swapping, until n in a row are of no use; the swaps done.

    Parameters
    ----------
    settings : Settings
    state : State
        The medoids, and what the references pay.
    rows : ndarray of shape (n, references)
        The distances from every candidate.
    """
    n, monitor = len(rows), settings.monitor
    every = np.arange(n)
    swaps = before = seen = useless = 0
    look, ahead = lookout(state, rows, settings.points.workers), _SPAN
    while useless < n and can_improve(settings, state):
        if seen >= n * settings.max_iter:
            monitor.stopped = True
            break
        start = seen % n
        stop = min(start + ahead, n)
        found, position = look(every[start:stop], every[start:stop])
        arm = start + found
        if found >= 0:
            stop = arm + 1
        seen, useless = seen + stop - start, useless + stop - start
        # Look far ahead while swaps are rare: what comes after a swap is looked at again.
        ahead = min(2 * ahead, 16 * _SPAN)
        if found >= 0 and state.loss_after(position, rows[arm]) < state.loss:
            state.replace(position, arm, rows[arm])
            look, ahead = lookout(state, rows, settings.points.workers), _SPAN
            swaps, useless = swaps + 1, 0
        if seen % n == 0 or useless >= n:
            done, before = swaps - before, swaps
            monitor.record("swap", state, [Round(n - state.k, state.n, done)], swaps=done)
    return swaps


def lookout(
    state: State, rows: Floats, workers: Workers, bar: float = 0.0
) -> Callable[[Indices, Indices], tuple[int, int]]:
    """A function of arms, and of their places in `rows`.

    It finds the first arm with a swap that changes the loss by less than `bar`, and the
    medoid that goes; -1 if there is none. It is good until the state changes.
    """
    from ..engines.cpu.kernels.values import first_better

    step = Step(state, swap=True)
    parts = [each.astype(rows.dtype) for each in (step.cap, step.base, step.cap2, step.base2)]
    removal = step.removal * step.n

    def look(arms: Indices, slots: Indices) -> tuple[int, int]:
        found = np.full((-(-len(arms) // _SPAN), 2), -1)
        closed = np.isin(arms, state.medoids)

        def work(start: int, stop: int) -> None:
            part = slice(start, stop)
            place, position = first_better(
                rows, slots[part], closed[part], *parts, step.owner, removal, bar
            )
            found[start // _SPAN] = start + place if place >= 0 else -1, position

        workers.each(work, len(arms), _SPAN)
        first = found[(found[:, 0] >= 0).argmax()]
        return int(first[0]), int(first[1])

    return look


def no_worse(points: Points, medoids: list[int], first: list[int]) -> State:
    """The true state of the medoids; or of the first ones, if that is better after all."""
    found = true_state(points, medoids)
    if medoids == first:
        return found
    before = points.block_array(np.array(first), np.arange(points.n)).min(axis=0)
    loss = float(before.sum(dtype=np.float64))
    if found.loss < loss - 1e-4 * abs(loss):
        return found
    start = true_state(points, first)
    return found if found.loss < start.loss else start
