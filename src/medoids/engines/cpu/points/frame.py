"""The frame of dense rows: a shift and a unit that keep float32 from losing digits."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...._threads import Workers
from ...._types import Floats, RowReader
from ....data.rows import at_once
from ....dissimilarities.metrics import Metric
from ...scale import log2_of, moderate

# The sizes of numbers that float32 holds with all its digits.
_LEAST, _MOST = 1e-37, 1e37
# A row may be so much farther out than the others are apart: beyond, their squares vanish.
_FARTHEST = 1e140


class Frame(NamedTuple):
    """How rows are brought into the range of float32.

    Attributes
    ----------
    centre : ndarray or None
        What is subtracted from each row. None where the rows can be used as they are, which
        saves a copy of each panel.
    unit : float
        What they are divided by: a power of two.
    beyond_float32 : bool
        It cannot be done.
    """

    centre: Floats | None = None
    unit: float = 1.0
    beyond_float32: bool = False


class Extent(NamedTuple):
    """How far some rows reach: what their frame follows from.

    Attributes
    ----------
    low, high : ndarray
        The smallest and the largest number of each column.
    centre : ndarray
        Their mean.
    smallest, largest : float
        The sizes of the smallest number that is not zero, and of the largest.
    n : int
        How many rows there are.
    """

    low: Floats
    high: Floats
    centre: Floats
    smallest: float
    largest: float
    n: int

    def joined(self, other: Extent) -> Extent:
        """That of both together."""
        n = self.n + other.n
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        with np.errstate(over="ignore", invalid="ignore"):
            centre = self.centre * (self.n / n) + other.centre * (other.n / n)
        smallest = min(self.smallest, other.smallest)
        return Extent(low, high, centre, smallest, max(self.largest, other.largest), n)

    def origin(self, metric: Metric) -> Floats:
        """What is subtracted from rows, as far as the metric allows it."""
        return self.centre if metric.frame == "shift" else np.zeros(len(self.centre))

    def reach(self, metric: Metric) -> float:
        """The largest number once that is subtracted."""
        with np.errstate(over="ignore"):
            origin = self.origin(metric)
            return float(np.max([self.high - origin, origin - self.low]))


def frame_of(array: RowReader, metric: Metric, p: float, workers: Workers) -> Frame:
    """The frame of the rows of a fit."""
    extent = extent_of(array, metric, workers)
    frame = frame_within(extent, array.dtype, metric, p)
    if frame.unit != 1 and metric.degree:
        _look_for_farthest(array, extent.reach(metric))
    return frame


def extent_of(array: RowReader, metric: Metric, workers: Workers) -> Extent:
    """How far rows reach, as far as a frame of this metric asks."""
    nothing = np.zeros(array.shape[1])
    if metric.form:
        return Extent(nothing, nothing, nothing, np.inf, 0.0, len(array))
    if metric.degree == 0:
        return Extent(nothing, nothing, nothing, *_sizes(array, workers), len(array))
    return Extent(*_extent(array, workers), np.inf, 0.0, len(array))


def frame_within(extent: Extent, dtype: Any, metric: Metric, p: float) -> Frame:
    """The frame of rows of this type that reach so far."""
    width = len(extent.centre)
    if metric.form:  # scaled rows need none
        return Frame()
    if metric.degree == 0:
        unit = _unit_of_ratios(extent.largest) if metric.frame == "scale" else 1.0
        beyond = extent.smallest / unit < _LEAST or extent.largest / unit > _MOST
        return Frame(None if unit == 1 else np.zeros(width), unit, beyond)
    centre, largest = extent.origin(metric), extent.reach(metric)
    unit = _unit(metric, p, largest, width, extent.n)
    far = float(np.abs(centre).max()) > 2 * largest
    if dtype == np.float32 and not far and unit == 1:
        return Frame()
    return Frame(centre, unit)


def unit_between(left: RowReader, right: RowReader, metric: Metric, p: float) -> float:
    """What to divide two sets of rows by, to compare each of one with each of the other."""
    if metric.form:
        return 1.0
    largest = max(_largest(left), _largest(right))
    if metric.degree:
        return _unit(metric, p, largest, left.shape[1], 1)
    return _unit_of_ratios(largest) if metric.frame == "scale" else 1.0


def _sizes(array: RowReader, workers: Workers) -> tuple[float, float]:
    """The size of the smallest number that is not zero, and of the largest."""
    size = at_once(array, 4096)
    least, most = (np.empty(-(-len(array) // size)) for _ in range(2))

    def look(start: int, stop: int) -> None:
        part = np.abs(array[start:stop])
        least[start // size] = part.min(initial=np.inf, where=part > 0)
        most[start // size] = part.max()

    workers.each(look, len(array), size)
    return float(least.min()), float(most.max())


def _extent(array: RowReader, workers: Workers) -> tuple[Floats, Floats, Floats]:
    """The smallest and the largest number of each column, and their mean."""
    n, size = len(array), at_once(array, 4096)
    low, high, total = (np.empty((-(-n // size), array.shape[1])) for _ in range(3))

    def look(start: int, stop: int) -> None:
        part, at = array[start:stop], start // size
        low[at], high[at] = part.min(axis=0), part.max(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            total[at] = part.sum(axis=0, dtype=np.float64)

    workers.each(look, n, size)
    lowest, highest = low.min(axis=0), high.max(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        centre = total.sum(axis=0) / n
    return lowest, highest, np.where(np.isfinite(centre), centre, lowest / 2 + highest / 2)


def _look_for_farthest(array: RowReader, largest: float) -> None:
    """Refuse a row that is so far out that all other distances vanish beside it."""
    n = len(array)
    some = np.unique(np.linspace(0, n - 1, 1024).astype(np.int64))
    rows = np.asarray(array[some], dtype=np.float64)
    with np.errstate(over="ignore"):
        apart = float(np.median(np.abs(rows - np.median(rows, axis=0)).max(axis=1)))
    if 0 < apart < largest / _FARTHEST:
        size = at_once(array, 4096)
        each = [np.abs(array[at : at + size]).max(axis=1) for at in range(0, n, size)]
        row = int(np.concatenate(each).argmax())
        raise ValueError(
            f"X[{row}] has a number of {largest:.0e} where others differ by {apart:.0e}: beside"
            " it their distances vanish: remove that row, or scale it."
        )


def _largest(array: RowReader) -> float:
    size = at_once(array, 4096)
    return max(float(np.abs(array[at : at + size]).max()) for at in range(0, len(array), size))


def _unit(metric: Metric, p: float, largest: float, width: int, n: int) -> float:
    """What to divide rows by whose numbers differ by up to twice `largest`."""
    power = log2_of(largest) + 1
    if metric.term == "power" and math.isfinite(power):
        # The p-th power of a difference of 1 or less is in range, however large p is.
        moderate(power + math.log2(width), n)
        return 2.0 ** max(math.ceil(power), -1000) if p * abs(power) > 30 else 1.0
    widths = 0.5 if metric.term == "square" else 0 if metric.largest else 1
    return moderate(power + widths * math.log2(width), n, metric.degree)


def _unit_of_ratios(largest: float) -> float:
    """What to divide rows by whose ratios alone matter."""
    if largest == 0 or _LEAST < largest < _MOST:
        return 1.0
    return 2.0 ** max(math.floor(math.log2(largest)), -1000)
