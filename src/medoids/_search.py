"""Adaptive search (Algorithm 1): the best arm, from few references.

It sees arms, estimates and bounds; never data, never a metric. Three changes to the
published algorithm: all arms are measured on the same references, drawn without
replacement; a few leaders are valued exactly and any arm whose lower bound is above
the best of them is dropped, so no interval of the leader enters; and "do nothing" is
an arm, of value zero in SWAP.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ._monitor import Round

Values = NDArray[np.float64]
Arms = NDArray[np.integer]

# Arms that are valued exactly to lead the others.
_LEADERS = 16
# A round costs about as much as this many distances; arms that need no more are valued,
# if they are few beside all.
_ROUND = 1_000_000


class Source(Protocol):
    """What a search asks of the rewards."""

    slack: float

    def screen(self) -> tuple[Values, Values, Values]: ...
    def refine(self, arms: Arms, depth: int, leaders: Arms) -> tuple[Values, Values]: ...
    def exact(self, arms: Arms) -> Values: ...
    def confirm(self, arms: Arms) -> tuple[Values, Arms, Values]: ...


class Found(NamedTuple):
    """The best arm, what it replaces, its value and distances; None if none is better."""

    arm: int
    replaces: int
    value: float
    row: Values


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
        self.known = known
        self.rounds: list[Round] = []
        self.sigma: Values = np.zeros(5)
        self.few = max(min(_ROUND // total, total // 100), 16)
        self._values: dict[int, float] = {}
        self._valued = np.zeros(len(candidates), dtype=bool)

    @property
    def threshold(self) -> float:
        best = min(self._values.values(), default=np.inf)
        return min(best, self.null) + self.rewards.slack

    def run(self) -> Found | None:
        estimate, lower, sigma = self.rewards.screen()
        alive: Arms = np.flatnonzero(self.candidates)
        self.sigma = np.quantile(sigma[alive[:: 1 + len(alive) // 8192]], [0, 0.25, 0.5, 0.75, 1])
        came, alive = len(alive), alive[lower[alive] <= self.threshold]
        if self.first >= self.total:  # the estimates are the values
            self._values = dict(zip(alive.tolist(), estimate[alive].tolist(), strict=True))
            self.rounds.append(Round(came, self.first, len(alive)))
            return self._settle()
        if len(alive) > self.few:
            self._lead(alive, estimate)
            alive = self._open(alive, lower)
        self.rounds.append(Round(came, self.first, len(alive)))
        depth = self.first
        while len(alive) > self.few and depth < self.total:
            came = len(alive)
            estimate[alive], lower[alive] = self.rewards.refine(alive, depth, self._leaders())
            alive = self._open(alive, lower)
            if len(alive) > 4 * self.few:
                self._promote(alive, estimate)
                alive = self._open(alive, lower)
            self.rounds.append(Round(came, depth, len(alive)))
            depth = min(2 * depth, self.total)
        self._value(alive)
        return self._settle()

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

    def _open(self, alive: Arms, lower: Values) -> Arms:
        """Those that can still be the best, and are not valued yet."""
        return alive[(lower[alive] <= self.threshold) & ~self._valued[alive]]

    def _value(self, arms: Arms) -> None:
        new = arms[~self._valued[arms]]
        if len(new):
            values = self.rewards.exact(new)
            self._valued[new] = True
            self._values.update(zip(new.tolist(), values.tolist(), strict=True))

    def _settle(self) -> Found | None:
        """Decide in float64 between the arms that float32 cannot tell apart."""
        bar = self.threshold + self.rewards.slack
        close = np.array(sorted(a for a, v in self._values.items() if v <= bar), dtype=np.int64)
        best: Found | None = None
        for start in range(0, len(close), 32):
            values, replaces, rows = self.rewards.confirm(close[start : start + 32])
            i = int(values.argmin())
            if values[i] < (self.null if best is None else best.value):
                best = Found(int(close[start + i]), int(replaces[i]), float(values[i]), rows[i])
        return best
