"""BanditPAM as published: Algorithm 1 of Tiwari et al. 2020, with all its constants."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._threads import Workers
from ..engines.cpu.points.base import Floats, Indices
from ..engines.cpu.state import State
from ..engines.cpu.step import Step
from .loops import Choice, build_and_swap
from .monitor import Round
from .references import References
from .settings import Settings

# Arms whose rewards fit into the second-level cache.
_SLICE = 512
Values = NDArray[np.float64]


class Changes(NamedTuple):
    """What is changed of the published algorithm: nothing, as it stands here."""

    cache: bool = False
    paired: bool = False
    replacement: bool = True
    null_arm: bool = False


def banditpam_original(
    settings: Settings,
    *,
    cache: bool = False,
    paired: bool = False,
    replacement: bool = True,
    null_arm: bool = False,
) -> tuple[State, int]:
    """Batches of 100 references with replacement, sigma from the first of them.

    A target is a point (BUILD) or a pair of a medoid and a point (SWAP); the pairs of
    one point share its distances (the FastPAM1 form). Nothing is kept between searches.
    The switches change that, one thing at a time, to tell what each change brings.

    Parameters
    ----------
    settings : Settings
    cache : bool, default=False
        All searches draw the same references in the same order, and distances are kept,
        as far as `memory_limit` allows: none is computed twice.
    paired : bool, default=False
        An interval is that of the difference to the leader (the target with the lowest
        mean so far) on the same references.
    replacement : bool, default=True
        False draws references without replacement: an interval shrinks by
        sqrt(1 - m/n) after m of them, to nothing at n.
    null_arm : bool, default=False
        A swap whose lower bound is above zero is dropped: to do nothing is better.
    """
    changes = Changes(cache, paired, replacement, null_arm)
    for name, value in changes._asdict().items():
        if not isinstance(value, bool):
            raise TypeError(f"method_params[{name!r}] must be True or False, got {value!r}.")
    state = State(settings.points.n, settings.n_clusters)
    kept = References(settings, replacement, keep=True) if cache else None

    def best(swap: bool) -> Choice:
        references = kept or References(settings, replacement, keep=False)
        search = Search(settings, Step(state, swap), references, changes)
        found = search.run()
        if found is None:
            return Choice(search.rounds, search.quartiles)
        row = references.rows(np.array(found[:1]))[0]
        return Choice(search.rounds, search.quartiles, *found, row)

    return state, build_and_swap(settings, state, best)


class Search:
    """Algorithm 1, on the points that are no medoids.

    Arrays have a row for each arm that is still open, and a column for each of its targets.
    """

    def __init__(
        self, settings: Settings, step: Step, references: References, changes: Changes
    ) -> None:
        self.step, self.references, self.changes = step, references, changes
        self.n, self.workers = settings.points.n, settings.points.workers
        self.arms = np.setdiff1d(np.arange(self.n), step.state.medoids)
        self.alive = np.ones((len(self.arms), step.k if step.swap else 1), dtype=bool)
        delta = 1 / (1000 * self.alive.size) if settings.delta is None else settings.delta
        self.log = math.log(1 / delta)
        self.mean, self.sigma = np.zeros(self.alive.shape), np.zeros(self.alive.shape)
        self.used = 0
        self.rounds: list[Round] = []
        self.quartiles = [0.0] * 5

    def run(self) -> tuple[int, int] | None:
        """The best point, and the medoid that it replaces; None if no swap can be good."""
        while self.used < self.n and self.alive.sum() > 1:
            came = int(self.alive.sum())
            self._measure()
            self._drop()
            self.rounds.append(Round(came, self.used, int(self.alive.sum())))
            self._narrow(np.flatnonzero(self.alive.any(axis=1)))
        if not self.alive.any():
            return None
        values = self.mean if self.alive.sum() == 1 else self._exact()
        arm, replaces = self._lowest(values)
        return int(self.arms[arm]), replaces

    def _measure(self) -> None:
        """One more batch, for all targets that are left."""
        refs, block = self.references.batch(self.used), self.references.block(self.arms, self.used)
        sums, squares = batch_sums(self.step, block, refs, self.workers)
        if self.used == 0:
            # Equation 8: each target's own spread, from the first batch.
            self.sigma = _deviation(sums, squares, len(refs))
            self.quartiles = np.quantile(self.sigma, [0, 0.25, 0.5, 0.75, 1]).tolist()
            self.first, self.leader = block, (-1, -1)
        self.mean = (self.used * self.mean + sums) / (self.used + len(refs))
        self.used += len(refs)

    def _drop(self) -> None:
        """Targets whose interval is above that of another cannot be the best."""
        left = 1.0 if self.changes.replacement else 1 - self.used / self.n
        unit = math.sqrt(self.log / self.used * left)
        own = self.mean - self.sigma * unit
        if self.changes.paired:
            row, column = self._lowest(self.mean)
            lead = int(self.arms[row]), column
            if lead != self.leader:
                self.leader, self.apart = lead, self._differences(row, column)
            # The leader's own interval is not negative: so it survives.
            self.alive &= self.mean - self.apart * unit <= self.mean[row, column]
        else:
            self.alive &= own <= (self.mean + self.sigma * unit)[self.alive].min()
        if self.changes.null_arm and self.step.swap:
            self.alive &= own <= 0

    def _differences(self, row: int, column: int) -> Values:
        """The spread of each target's difference to one of them, on the first batch."""
        refs = self.references.batch(0)
        stays, goes = _rewards(self.step, self.first[row], refs)
        reward = np.where(self.step.owner[refs] == column, goes, stays)
        sums, squares = batch_sums(self.step, self.first, refs, self.workers, reward)
        return _deviation(sums, squares, len(refs))

    def _narrow(self, open_: Indices) -> None:
        """Go on with some of the arms."""
        if len(open_) == len(self.arms):
            return
        self.arms, self.alive = self.arms[open_], self.alive[open_]
        self.mean, self.sigma = self.mean[open_], self.sigma[open_]
        if self.changes.paired:
            self.first, self.apart = self.first[open_], self.apart[open_]

    def _exact(self) -> Values:
        return np.concatenate(
            [
                self.step.values(self.references.rows(part), np.arange(len(part)), self.workers)
                for part in np.array_split(self.arms, -(-len(self.arms) // 256))
            ]
        )

    def _lowest(self, values: Values) -> tuple[int, int]:
        row, column = np.unravel_index(np.where(self.alive, values, np.inf).argmin(), values.shape)
        return int(row), int(column)


def batch_sums(
    step: Step, block: Floats, refs: Indices, workers: Workers, against: Values | float = 0.0
) -> tuple[Values, Values]:
    """Sums of the rewards over one batch, and of their squares, for each target.

    `against` is taken from each reward first: a number, or one for each reference.
    """
    kinds = step.k if step.swap else 1
    sums, squares = np.empty((len(block), kinds)), np.empty((len(block), kinds))
    mine = (step.owner[refs][:, None] == np.arange(kinds)).astype(float)

    def work(start: int, stop: int) -> None:
        part = slice(start, stop)
        stays, goes = (each - against for each in _rewards(step, block[part], refs))
        sums[part] = stays.sum(axis=1)[:, None]
        squares[part] = np.square(stays).sum(axis=1)[:, None]
        if step.swap:
            sums[part] += (goes - stays) @ mine
            squares[part] += (goes**2 - stays**2) @ mine

    workers.each(work, len(block), _SLICE)
    return sums, squares


def _rewards(step: Step, block: Floats, refs: Indices) -> tuple[Values, Values]:
    """The reward at each reference if its owner stays, and if its owner goes."""
    stays = np.minimum(block, step.cap[refs]) - step.base[refs]
    if not step.swap:
        return stays, stays
    lost = step.base2[refs] - step.base[refs]
    return stays, np.minimum(block, step.cap2[refs]) - step.base2[refs] + lost


def _deviation(sums: Values, squares: Values, count: int) -> Values:
    return np.sqrt(np.maximum(squares / count - (sums / count) ** 2, 0))
