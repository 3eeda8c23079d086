"""Rows of whole numbers that fit into a byte, as pixels, counts, marks and ratings do.

Their distances take a fifth of the time of those in float32 (under l1 less than a tenth) and a
quarter of the memory, and sums of them lose no digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from ...._threads import Workers
from ...._types import Floats, Indices, RowReader
from ....data.rows import at_once
from ....dissimilarities.metrics import Metric, leaves
from .. import kernels
from ..kernels.tuples import Bytes
from .scratch import scratch
from .shaped import ShapedRows

# With fewer columns most of a line would be empty; with more, sums would be beyond an int32.
_NARROWEST, _WIDEST = 32, 16_000
# Bytes that a kernel takes at a time.
_LINE = 64
_LARGEST = 255
# What is so near to a whole number is one.
_NEARLY = 1e-7
# Rows that show what the numbers are, and those among which a usual distance is looked for.
_SOME, _FEW = 128, 64
# What numbers that are rounded may add to a distance, as a share of a usual one.
_ROUNDED = 1e-6
# Rows that a thread takes at a time.
_SLICE = 1024


class Marks(NamedTuple):
    """What numbers are: `low` and up to 255 times `step`.

    Attributes
    ----------
    low, high, step : float
    tolerance : float
        How far a number may be off.
    """

    low: float
    high: float
    step: float
    tolerance: float

    def joined(self, other: Marks) -> Marks | None:
        """Those of two sets together, if there are such."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        step = min(self.step, other.step)
        wholes = [(each.low - low) / step for each in (self, other)]
        wholes += [self.step / step, other.step / step, (high - low) / step]
        if any(abs(whole - round(whole)) > _NEARLY for whole in wholes) or wholes[-1] > _LARGEST:
            return None
        return Marks(low, high, step, min(self.tolerance, other.tolerance))


class ByteRows:
    """Rows of bytes, as a metric compares them.

    Parameters
    ----------
    shaped : ShapedRows
        What they are made of.
    metric : Metric
    marks : Marks
        What their numbers are; what is none is taken for the nearest.
    unit : float
        What the numbers are divided by.
    workers : Workers

    Attributes
    ----------
    fits : bool
        All numbers are such marks.
    """

    def __init__(
        self, shaped: ShapedRows, metric: Metric, marks: Marks, unit: float, workers: Workers
    ) -> None:
        self.marks, array = marks, shaped.array
        n, width = array.shape
        rows = np.zeros((n, _padded(width)), dtype=np.uint8)
        sums, squares = (np.empty(n, dtype=np.int32) for _ in range(2))
        size = at_once(array, _SLICE)
        bad = np.zeros(-(-n // size), dtype=np.int64)

        def fill(start: int, stop: int) -> None:
            target = rows[start:stop], sums[start:stop], squares[start:stop]
            how = marks.low, marks.step, marks.tolerance
            bad[start // size] = kernels.lay_out(_floats(array, start, stop), *how, *target)

        workers.each(fill, n, size)
        self.fits = not bad.any()
        pad = np.ascontiguousarray(shaped.form[:, 2])
        factor = np.where(pad == 0, shaped.form[:, 1] * marks.step, 0.0)
        self.bytes = Bytes(rows, sums, squares, factor, 1.0 - pad, pad)
        by = {"absolute": marks.step / unit, "squares": (marks.step / unit) * (marks.step / unit)}
        with np.errstate(over="ignore"):  # without a unit, only what the rows are is asked for
            self._by = np.float32(by.get(_way(metric) or "", 1.0))
        self._share = 1.0 / width if metric.form.startswith("centred") else 0.0
        self._kernel = _kernel(metric)

    def between(self, left: Indices, other: ByteRows, right: Indices) -> NDArray[np.float32]:
        """Distances from some of these rows to some of others, in memory that the thread keeps."""
        out = scratch(len(left), len(right))
        left, right = (np.ascontiguousarray(each, dtype=np.int64) for each in (left, right))
        self._kernel(self.bytes, left, other.bytes, right, self._by, self._share, out)
        return out


def compares_bytes(metric: Metric) -> bool:
    """Whether this processor compares rows of bytes under the metric."""
    return _way(metric) is not None and kernels.byte_lanes(_way(metric) != "absolute") > 0


def byte_rows_of(
    shaped: ShapedRows, metric: Metric, unit: float, workers: Workers, room: float
) -> ByteRows | None:
    """The same rows as bytes, if they are that, have room, and are compared faster so."""
    array, way = shaped.array, _way(metric)
    n, width = array.shape
    if way is None or not _NARROWEST <= width <= _WIDEST or n * _padded(width) > room or not n:
        return None
    if math.isinf(array.size):  # rows that are made when they are read
        return None
    marks = _marks(array, way, workers)
    if marks is None or not compares_bytes(metric):
        return None
    found = ByteRows(shaped, metric, marks, unit, workers)
    return found if found.fits else None


def _padded(width: int) -> int:
    return -(-width // _LINE) * _LINE


def _way(metric: Metric) -> str | None:
    """What a distance is made of, in the words of `byte_kernel`."""
    if metric.term == "absolute" and not metric.largest:
        return "absolute"
    ways = {"": "squares", "unit": "angles", "centred unit": "angles"}
    return ways.get(metric.form) if metric.term == "square" else None


@cache
def _kernel(metric: Metric) -> Callable[..., None]:
    way, (_, finish) = _way(metric), leaves(metric, rough=True)
    found: Callable[..., None] = kernels.byte_kernel(
        way, finish, kernels.byte_lanes(way != "absolute")
    )
    return found


def _marks(array: RowReader, way: str, workers: Workers) -> Marks | None:
    """What the numbers are multiples of, as some rows and the range of all tell."""
    n, width = array.shape
    some = np.asarray(array[np.linspace(0, n - 1, min(n, _SOME)).astype(np.int64)], dtype=float)
    values = np.unique(some)
    if len(values) > _LARGEST + 1:
        return None  # as of most data: there is no need to look at all of it
    low, high = _range(array, workers)
    if way == "angles":  # a direction is lost where numbers are moved
        if low < 0:
            return None
        low = 0.0
    step = _step(np.unique([low, *values, high]))
    if step is None:
        return None
    few = some[:: -(-len(some) // _FEW)]
    usual = float(cdist(few, few, "cityblock" if way == "absolute" else "euclidean").mean())
    # Errors of all columns may add up, at both rows.
    columns = width if way == "absolute" else math.sqrt(width)
    return Marks(low, high, step, _ROUNDED * usual / (2 * columns))


def _step(values: Floats) -> float | None:
    """What these are multiples of, above the lowest, if so few that a byte can count them."""
    low, high = float(values[0]), float(values[-1])
    if (values == np.floor(values)).all() and high - low <= _LARGEST:
        return 1.0
    count = (high - low) / float(np.diff(values).min(initial=np.inf))
    # The least difference may be rounded; that of all is less so.
    return (high - low) / round(count) if 0.5 < count < _LARGEST + 0.5 else None


def _range(array: RowReader, workers: Workers) -> tuple[float, float]:
    """The smallest and the largest of all numbers."""
    n, size = len(array), at_once(array, _SLICE)
    low, high = np.empty(-(-n // size)), np.empty(-(-n // size))

    def look(start: int, stop: int) -> None:
        part = array[start:stop]
        low[start // size], high[start // size] = part.min(), part.max()

    workers.each(look, n, size)
    return float(low.min()), float(high.max())


def _floats(array: RowReader, start: int, stop: int) -> Floats:
    """Rows in memory's order, in one of two types: for each other a kernel would be compiled."""
    part = array[start:stop]
    return np.ascontiguousarray(part, dtype=np.float64 if part.itemsize > 4 else np.float32)
