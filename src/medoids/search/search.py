"""Adaptive search (Algorithm 1): the best arm, from few references.

It sees arms by their ids, estimates and bounds through an engine; never data, never a metric. Three
changes to the published algorithm: all arms are measured on the same references, drawn without
replacement; a few leaders are valued exactly and any arm whose lower bound is above
the best of them is dropped, so no interval of the leader enters; and "do nothing" is
an arm, of value zero in SWAP.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .._tuning import Tuning
from ..engines.protocol import Arms, Engine, Ids, Values
from .rounds import Choice, Round


def best_arm(engine: Engine, swap: bool, delta: float, tuning: Tuning) -> Choice:
    """The best arm of a BUILD or SWAP step, but for a chance of `delta`."""
    search = Search(engine.screen(swap, half_width(delta)), null_value(swap), tuning)
    close = search.run()
    found = settle(close, search.null, lambda some: engine.confirm(some, swap))
    search.arms.close()
    return Choice(search.rounds, search.arms.sigma, *found)


def half_width(delta: float) -> float:
    """Of an interval that is wrong with this chance, in standard errors."""
    return math.sqrt(-2 * math.log(delta))


def null_value(swap: bool) -> float:
    """What an arm has to beat: in SWAP it is to do nothing."""
    return 0.0 if swap else np.inf


def settle(arms: Ids, null: float, confirm: Callable[[Ids], tuple[Values, Ids]]) -> tuple[int, int]:
    """Decide in float64 between arms that float32 cannot tell apart; the first on a tie.

    The best arm and the position that it takes; -1 twice, if no arm is better than `null`.
    `confirm` gives arms' values, and what they replace.
    """
    best, bar = (-1, -1), null
    for start in range(0, len(arms), 32):
        some = arms[start : start + 32]
        values, replaces = confirm(some)
        i = int(values.argmin())
        if values[i] < bar:
            best, bar = (int(some[i]), int(replaces[i])), float(values[i])
    return best


class Search:
    """One search: `run` gives the best arms, and the attributes tell how it went.

    Parameters
    ----------
    arms : Arms
        All arms of the step, screened.
    null : float
        The value that an arm has to beat.
    tuning : Tuning

    Attributes
    ----------
    rounds : list of Round
    few : int
        So few arms are valued rather than refined.
    """

    def __init__(self, arms: Arms, null: float, tuning: Tuning) -> None:
        self.arms, self.null, self.tuning = arms, null, tuning
        self.rounds = [Round(arms.count, arms.first, arms.count)]
        self.few = max(min(tuning.round_pairs // arms.total, arms.total // 100), tuning.few)
        self.lowest = np.inf  # of the values so far

    @property
    def threshold(self) -> float:
        """An arm whose bound is above this is not the best."""
        return min(self.lowest, self.null) + self.arms.slack

    def run(self) -> Ids:
        """The best arm, and those that float32 cannot tell from it, in ascending order."""
        arms = self.arms
        self._drop()
        if not arms.exact:
            self._narrow()
        self._value()
        return np.sort(arms.valued(self.threshold + arms.slack))

    def _narrow(self) -> None:
        """Estimate arms from more and more references, until few are left."""
        arms = self.arms
        if arms.left > self.few:
            self._lead(arms.depth)
            self._drop()
        depth = arms.depth
        while arms.left > self.few and arms.worth_refining(depth) and not self._knows_enough():
            self._refine(depth)
            # With few arms left, a round takes more time than their references.
            hasty = arms.left * depth < self.tuning.round_pairs // 16
            depth = min((4 if hasty else 2) * depth, arms.total)
            if arms.left > 4 * self.few:
                self._lead(depth)
                self._drop()

    def _knows_enough(self) -> bool:
        """Whether the search may end before few arms are left."""
        return False

    def _refine(self, depth: int, some: Arms | None = None) -> None:
        """Estimate arms (all that are left, or some of them) from the references up to `depth`."""
        arms = self.arms if some is None else some
        self.rounds.append(Round(arms.left, depth, arms.left))
        arms.refine(depth, self.arms.valued())
        self._drop(arms)

    def _lead(self, depth: int) -> None:
        """Value the most promising arms exactly: the bar falls for all, and these lead others."""
        self._value(self.arms.leaders(depth))

    def _drop(self, some: Arms | None = None) -> None:
        """Keep those that can still be the best, and are not valued yet: survivors of the round."""
        left = (self.arms if some is None else some).drop(self.threshold)
        self.rounds[-1] = self.rounds[-1]._replace(survivors=left)

    def _value(self, arms: Ids | None = None) -> None:
        self.lowest = self.arms.value(arms)
