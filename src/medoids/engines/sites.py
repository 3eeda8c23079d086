"""Which points may be medoids, which are, and how much each counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._types import Indices


class Sites(NamedTuple):
    """What is asked of medoids besides a low loss.

    Attributes
    ----------
    fixed : sequence of int, default=()
        Rows that are medoids, the first ones, and stay.
    allowed : ndarray of bool, default=None
        The rows that may be medoids, those that are fixed among them. None: all.
    weights : ndarray of float64, default=None
        How much each point counts. None: all the same.
    """

    fixed: Sequence[int] = ()
    allowed: NDArray[np.bool_] | None = None
    weights: NDArray[np.float64] | None = None

    def n_rows(self, n: int) -> int:
        return n if self.allowed is None else len(self.allowed)

    def of_rows(self, n: int) -> NDArray[np.bool_]:
        """The rows that may be medoids."""
        return np.ones(n, dtype=bool) if self.allowed is None else self.allowed.copy()

    def draw(self, medoids: list[int], n: int, count: int, rng: np.random.Generator) -> Indices:
        """Some rows that may become medoids and are none, by their weight.

        Those that weigh nothing are drawn only if there are too few others.
        """
        if self.allowed is None and self.weights is None:
            drawn = rng.choice(n - len(medoids), count, replace=False)
            for medoid in sorted(medoids):  # those from here on are one row further
                drawn += drawn >= medoid
            return drawn
        open_ = self.of_rows(n)
        open_[medoids] = False
        rows = np.flatnonzero(open_)
        if self.weights is None:
            return rng.choice(rows, count, replace=False)
        # The largest of u^(1/w): a draw without replacement by weight (Efraimidis, Spirakis 2006).
        weights = self.weights[rows]
        with np.errstate(divide="ignore"):
            keys = np.where(weights > 0, np.log(rng.random(len(rows))) / weights, -np.inf)
        return rows[np.argsort(-keys, kind="stable")[:count]]
