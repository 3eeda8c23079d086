"""Means and slopes, with 95% intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from ._records import Record

# With fewer degrees of freedom an interval says nothing, and is left out.
FREE = 2


class Mean(NamedTuple):
    """A mean, and half the width of its interval (0 if there are too few values)."""

    value: float
    half: float


class Slope(NamedTuple):
    """The line exp(intercept) * n ** value; half the width of the interval of `value`."""

    value: float
    half: float
    intercept: float

    def at(self, n: Sequence[float] | np.ndarray) -> np.ndarray:
        return np.exp(self.intercept) * np.asarray(n, dtype=float) ** self.value

    def __str__(self) -> str:
        return f"{self.value:.3f} ± {self.half:.3f}" if self.half else f"{self.value:.2f}"


def mean_of(numbers: Sequence[float]) -> Mean:
    count = len(numbers)
    if count - 1 < FREE:
        return Mean(float(np.mean(numbers)), 0.0)
    half = stats.t.ppf(0.975, count - 1) * np.std(numbers, ddof=1) / np.sqrt(count)
    return Mean(float(np.mean(numbers)), float(half))


def geometric_mean_of(numbers: Sequence[float]) -> tuple[float, float, float]:
    """The mean in logarithms, and how far its interval reaches below and above."""
    log = mean_of(np.log(numbers).tolist())
    value, low, high = np.exp([log.value, log.value - log.half, log.value + log.half])
    return float(value), float(value - low), float(high - value)


def slope_of(n: Sequence[float], numbers: Sequence[float]) -> Slope:
    """By least squares on the logarithms; every run is a point."""
    line = stats.linregress(np.log(n), np.log(numbers))
    free = len(n) - 2
    half = stats.t.ppf(0.975, free) * line.stderr if free >= FREE else 0.0
    return Slope(float(line.slope), float(half), float(line.intercept))


def per_iteration(record: Record, what: str) -> float:
    """As in the paper: the whole fit over the number of swaps, plus one for BUILD."""
    return record[what] / (record["swaps"] + 1)
