"""The targets of the published algorithm, which has an interval for each pair of arm and medoid."""

from __future__ import annotations

import math

import numpy as np

from ..._threads import Workers
from ..._types import Floats, Indices
from ..protocol import Changes, Values
from .placed import Placed
from .references import References
from .step import Step, reward, rewards

# Arms whose rewards fit into the second-level cache.
_SLICE = 512


class CPUTargets:
    """The targets of one search, on the points that are no medoids; see `Targets`.

    Arrays have a row for each arm that is still open, and a column for each of its targets.

    Parameters
    ----------
    placed : Placed
        Is told the row of the best arm.
    step : Step
    references : References
    delta : float or None
        The chance that an interval is wrong; None is the paper's.
    changes : Changes
    """

    def __init__(
        self,
        placed: Placed,
        step: Step,
        references: References,
        delta: float | None,
        changes: Changes,
    ) -> None:
        self.placed, self.step, self.references, self.changes = placed, step, references, changes
        self.n = step.n
        open_ = placed.sites.of_rows(self.n)
        open_[step.state.medoids] = False
        self.arms = np.flatnonzero(open_)
        self.alive = np.ones((len(self.arms), step.k if step.swap else 1), dtype=bool)
        if step.swap:
            self.alive[:, : step.state.fixed] = False
        delta = 1 / (1000 * self.alive.size) if delta is None else delta
        self.log = math.log(1 / delta)
        self.mean, self.sigma = np.zeros(self.alive.shape), np.zeros(self.alive.shape)
        self.used = 0
        self.quartiles = [0.0] * 5
        # The first batch, and the spreads of all differences to one target: the leader.
        self._first: Floats = np.empty((len(self.arms), 0))
        self._leader, self._apart = (-1, -1), self.sigma

    @property
    def left(self) -> int:
        return int(self.alive.sum())

    def measure(self) -> None:
        refs, block = self.references.batch(self.used), self.references.block(self.arms, self.used)
        sums, squares = self._sums(block, refs)
        if self.used == 0:
            # Equation 8: each target's own spread, from the first batch.
            self.sigma = _deviation(sums, squares, len(refs))
            self.quartiles = np.quantile(self.sigma, [0, 0.25, 0.5, 0.75, 1]).tolist()
            self._first = block
        self.mean = (self.used * self.mean + sums) / (self.used + len(refs))
        self.used += len(refs)

    def drop(self) -> None:
        left = 1.0 if self.changes.replacement else 1 - self.used / self.n
        unit = math.sqrt(self.log / self.used * left)
        own = self.mean - self.sigma * unit
        if self.changes.paired:
            row, column = self._lowest(self.mean)
            lead = int(self.arms[row]), column
            if lead != self._leader:
                self._leader, self._apart = lead, self._differences(row, column)
            # The leader's own interval is not negative: so it survives.
            self.alive &= self.mean - self._apart * unit <= self.mean[row, column]
        else:
            self.alive &= own <= (self.mean + self.sigma * unit)[self.alive].min()
        if self.changes.null_arm and self.step.swap:
            self.alive &= own <= 0
        self._narrow(np.flatnonzero(self.alive.any(axis=1)))

    def best(self) -> tuple[int, int] | None:
        if not self.alive.any():
            return None
        values = self.mean if self.left == 1 else self._exact()
        row, replaces = self._lowest(values)
        arm = int(self.arms[row])
        self.placed.pin(arm, self.references.rows(np.array([arm]))[0])
        return arm, replaces

    def _sums(
        self, block: Floats, refs: Indices, against: Values | float = 0.0
    ) -> tuple[Values, Values]:
        return batch_sums(self.placed.workers, self.step, block, refs, against)

    def _differences(self, row: int, column: int) -> Values:
        """The spread of each target's difference to one of them, on the first batch."""
        refs = self.references.batch(0)
        stays, goes = _rewards(self.step, self._first[row], refs)
        reward = np.where(self.step.owner[refs] == column, goes, stays)
        return _deviation(*self._sums(self._first, refs, reward), len(refs))

    def _narrow(self, open_: Indices) -> None:
        """Go on with some of the arms."""
        if len(open_) == len(self.arms):
            return
        self.arms, self.alive = self.arms[open_], self.alive[open_]
        self.mean, self.sigma = self.mean[open_], self.sigma[open_]
        if self.changes.paired:
            self._first, self._apart = self._first[open_], self._apart[open_]

    def _exact(self) -> Values:
        step, workers = self.step, self.placed.workers
        return np.concatenate(
            [
                step.values(self.references.rows(part), np.arange(len(part)), workers)
                for part in np.array_split(self.arms, -(-len(self.arms) // 256))
            ]
        )

    def _lowest(self, values: Values) -> tuple[int, int]:
        row, column = np.unravel_index(np.where(self.alive, values, np.inf).argmin(), values.shape)
        return int(row), int(column)


def batch_sums(
    workers: Workers, step: Step, block: Floats, refs: Indices, against: Values | float = 0.0
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


def _rewards(step: Step, block: Floats, refs: Indices) -> tuple[Floats, Floats]:
    """The reward at each reference if its owner stays, and if its owner goes: what it loses too."""
    clips = step.at(refs)
    if not step.swap:
        stays = reward(block, clips.cap, clips.base)
        return stays, stays
    stays, gains = rewards(block, clips)
    return stays, gains + (clips.base2 - clips.base)


def _deviation(sums: Values, squares: Values, count: int) -> Values:
    return np.sqrt(np.maximum(squares / count - (sums / count) ** 2, 0))
