"""Adaptive search (Algorithm 1): the best arm, from few references.

It sees arms, estimates and bounds; never data, never a metric. Three changes to the
published algorithm: all arms are measured on the same references, drawn without
replacement; a few leaders are valued exactly and any arm whose lower bound is above
the best of them is dropped, so no interval of the leader enters; and "do nothing" is
an arm, of value zero in SWAP.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..methods.monitor import Round

Values = NDArray[np.float64]
Arms = NDArray[np.integer]

# Arms that are valued exactly to lead the others.
_LEADERS = 16
# A round costs about as much as this many distances; arms that need no more are valued,
# if they are few beside all.
_ROUND = 1_000_000
# What a reward costs where all arms are screened, where some are refined, and where some are
# valued; and what a round of refining costs besides: in nanoseconds, about.
SCREENED, _REFINED, _VALUED, _OVERHEAD = 0.7, 2.3, 1.0, 8e6


class Source(Protocol):
    """What a search asks of the rewards."""

    slack: float
    rough: float  # how wrong an estimate may be from rounding
    depth: int  # where `refine` starts to be of use
    keeps_all: bool  # no distance is computed twice

    @property
    def owner(self) -> Arms: ...  # the cluster that each arm is in
    def screen(self) -> tuple[Values, Values, Values]: ...
    def refine(self, arms: Arms, depth: int, leaders: Arms) -> tuple[Values, Values]: ...
    def exact(self, arms: Arms) -> Values: ...
    def confirm(self, arms: Arms) -> tuple[Values, Arms, Values]: ...


class Found(NamedTuple):
    """The best arm, what it replaces, and its distances to all points."""

    arm: int
    replaces: int
    row: Values


def settle(
    arms: Arms, null: float, confirm: Callable[[Arms], tuple[Values, Arms, Values]]
) -> Found | None:
    """Decide in float64 between arms that float32 cannot tell apart; the first on a tie.

    None, if no arm is better than `null`. `confirm` gives arms' values, what they replace
    and their rows.
    """
    best, bar = None, null
    for start in range(0, len(arms), 32):
        some = arms[start : start + 32]
        values, replaces, rows = confirm(some)
        i = int(values.argmin())
        if values[i] < bar:
            best, bar = Found(int(some[i]), int(replaces[i]), rows[i]), float(values[i])
    return best


class Search:
    """One search: `run` gives the best arm, and the attributes tell how it went.

    Parameters
    ----------
    rewards : Source
    candidates : ndarray of bool
        Which arms may win.
    first, total : int
        References of the first round, and in all.
    null : float
        The value that an arm has to beat.
    known : ndarray of bool
        Arms that can be valued exactly at no cost.
    """

    def __init__(
        self,
        rewards: Source,
        candidates: NDArray[np.bool_],
        first: int,
        total: int,
        null: float,
        known: NDArray[np.bool_],
    ) -> None:
        self.rewards = rewards
        self.candidates = candidates
        self.first, self.total, self.null = first, total, null
        self.known, self._lower = known, np.empty(0)
        self.rounds: list[Round] = []
        self.sigma: Values = np.zeros(5)
        self.few = max(min(_ROUND // total, total // 100), 16)
        self.work = 0.0
        self._values: dict[int, float] = {}
        self._valued = np.zeros(len(candidates), dtype=bool)

    @property
    def threshold(self) -> float:
        best = min(self._values.values(), default=np.inf)
        return min(best, self.null) + self.rewards.slack

    def run(self) -> Found | None:
        estimate, alive = self._screen()
        if self.exact:
            self._values = dict(zip(alive.tolist(), estimate[alive].tolist(), strict=True))
            return self._settle()
        if len(alive) > self.few:
            self._lead(alive, estimate)
            alive = self._drop(alive)
        depth = self.rewards.depth
        while len(alive) > self.few and self.worth_refining(depth):
            alive = self._refine(alive, depth, estimate)
            if len(alive) > 4 * self.few:
                self._promote(alive, estimate)
                alive = self._drop(alive)
            depth = min(2 * depth, self.total)
        self._value(alive)
        return self._settle()

    def worth_refining(self, depth: int) -> bool:
        """Whether estimates from so many references cost less than values."""
        if self.rewards.keeps_all:
            return _REFINED * depth < _VALUED * self.total
        return depth < self.total

    @property
    def exact(self) -> bool:
        """Whether the estimates are the values, to float32."""
        return self.first >= self.total and self.rewards.rough <= self.rewards.slack

    def _screen(self) -> tuple[Values, Arms]:
        """Estimate all arms from the first references; those that are left."""
        estimate, self._lower, sigma = self.rewards.screen()
        arms: Arms = np.flatnonzero(self.candidates)
        self.work += SCREENED * len(arms) * self.first
        self.sigma = np.quantile(sigma[arms[:: 1 + len(arms) // 8192]], [0, 0.25, 0.5, 0.75, 1])
        self.rounds.append(Round(len(arms), self.first, len(arms)))
        return estimate, self._drop(arms)

    def _refine(self, alive: Arms, depth: int, estimate: Values) -> Arms:
        """Estimate some arms from the references up to `depth`; those that are left."""
        found = self.rewards.refine(alive, depth, self._leaders())
        self.work += _REFINED * len(alive) * depth + _OVERHEAD
        estimate[alive], self._lower[alive] = found
        self.rounds.append(Round(len(alive), depth, len(alive)))
        return self._drop(alive)

    def _lead(self, alive: Arms, estimate: Values) -> None:
        """Value the most promising arms exactly, and all that cost nothing."""
        ranked = alive[np.argsort(estimate[alive], kind="stable")]
        self._value(ranked[self.known[ranked]][: 4 * _LEADERS])
        if len(self._values) < _LEADERS:
            spread = np.linspace(0, len(ranked) // 3, _LEADERS - len(self._values))
            self._value(np.union1d(ranked[spread.astype(int)], ranked[:4]))

    def _promote(self, alive: Arms, estimate: Values) -> None:
        """Value those that seem better than the best so far: the bar falls for all."""
        best = alive[np.argsort(estimate[alive], kind="stable")[: _LEADERS // 4]]
        self._value(best[estimate[best] < self.threshold])

    def _leaders(self) -> Arms:
        return np.array(sorted(self._values, key=self._values.__getitem__)[:_LEADERS])

    def _drop(self, alive: Arms) -> Arms:
        """Those that can still be the best, and are not valued yet: survivors of the round."""
        alive = alive[(self._lower[alive] <= self.threshold) & ~self._valued[alive]]
        self.rounds[-1] = self.rounds[-1]._replace(survivors=len(alive))
        return alive

    def _value(self, arms: Arms) -> None:
        new = arms[~self._valued[arms]]
        if len(new):
            values = self.rewards.exact(new)
            self.work += _VALUED * len(new) * self.total
            self._valued[new] = True
            self._values.update(zip(new.tolist(), values.tolist(), strict=True))

    def _settle(self) -> Found | None:
        bar = self.threshold + self.rewards.slack
        close = np.array(sorted(a for a, v in self._values.items() if v <= bar), dtype=np.int64)
        return settle(close, self.null, self.rewards.confirm)
