"""BanditPAM as published: Algorithm 1 of Tiwari et al. 2020, with all its constants."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ._loops import Choice, build_and_swap
from ._monitor import Round
from ._settings import Settings
from ._state import State
from ._step import Step

_BATCH = 100
Values = NDArray[np.float64]


def banditpam_original(settings: Settings) -> tuple[State, int]:
    """Batches of 100 references with replacement, sigma from the first of them.

    A target is a point (BUILD) or a pair of a medoid and a point (SWAP); the pairs of
    one point share its distances (the FastPAM1 form). Nothing is kept between searches.
    """
    state = State(settings.points.n, settings.n_clusters)

    def best(swap: bool) -> Choice:
        arm, replaces, rounds, sigma = _adaptive_search(settings, state, swap)
        row = settings.points.exact(np.array([arm]))[0]
        return Choice(rounds, sigma, arm, replaces, row)

    return state, build_and_swap(settings, state, best)


def _adaptive_search(
    settings: Settings, state: State, swap: bool
) -> tuple[int, int, list[Round], list[float]]:
    """Algorithm 1. The best point, and the medoid that it replaces."""
    points, rng = settings.points, settings.rng
    step = Step(state, swap)
    kinds = step.k if swap else 1
    arms = np.setdiff1d(np.arange(points.n), state.medoids)
    targets = len(arms) * kinds
    delta = 1 / (1000 * targets) if settings.delta is None else settings.delta
    alive = np.ones((len(arms), kinds), dtype=bool)
    mean = np.zeros((len(arms), kinds))
    sigma = np.zeros((len(arms), kinds))
    used = 0
    rounds: list[Round] = []
    while used < points.n and alive.sum() > 1:
        came = int(alive.sum())
        open_ = np.flatnonzero(alive.any(axis=1))
        refs = rng.integers(points.n, size=_BATCH)
        sums, squares = _batch_sums(step, points.block_array(arms[open_], refs), refs)
        mean[open_] = (used * mean[open_] + sums) / (used + _BATCH)
        if used == 0:
            # Equation 8: each target's own spread, from the first batch.
            sigma = np.sqrt(np.maximum(squares / _BATCH - (sums / _BATCH) ** 2, 0))
        used += _BATCH
        width = sigma * math.sqrt(math.log(1 / delta) / used)
        bar = (mean + width)[alive].min()
        alive &= mean - width <= bar
        rounds.append(Round(came, used, int(alive.sum())))
    quartiles = np.quantile(sigma, [0, 0.25, 0.5, 0.75, 1]).tolist()
    if alive.sum() == 1:
        arm, replaces = np.argwhere(alive)[0]
        return int(arms[arm]), int(replaces), rounds, quartiles
    open_ = np.flatnonzero(alive.any(axis=1))
    value = np.concatenate(
        [
            step.values(points.exact(part), np.arange(len(part)), points.workers)
            for part in np.array_split(arms[open_], -(-len(open_) // 256))
        ]
    )
    value[~alive[open_]] = np.inf
    arm, replaces = np.unravel_index(value.argmin(), value.shape)
    return int(arms[open_[arm]]), int(replaces), rounds, quartiles


def _batch_sums(
    step: Step, block: NDArray[np.float32], refs: NDArray[np.integer]
) -> tuple[Values, Values]:
    """Sums of the rewards over one batch, and of their squares, for each target."""
    reward = np.minimum(block, step.cap[refs]) - step.base[refs]
    if not step.swap:
        return reward.sum(axis=1)[:, None], np.square(reward).sum(axis=1)[:, None]
    lost = step.base2[refs] - step.base[refs]
    goes = np.minimum(block, step.cap2[refs]) - step.base2[refs] + lost
    mine = (step.owner[refs][:, None] == np.arange(step.k)).astype(float)
    sums = reward.sum(axis=1)[:, None] + (goes - reward) @ mine
    squares = np.square(reward).sum(axis=1)[:, None] + (goes**2 - reward**2) @ mine
    return sums, squares
