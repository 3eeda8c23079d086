"""Gower's dissimilarity (1971) of rows whose columns are of different kinds."""

from __future__ import annotations

import datetime as dt
import decimal
import numbers
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._threads import Workers
from .._types import Floats, Indices
from . import kernels
from .base import Measure, in_slices


class MixedRows(NamedTuple):
    """Rows of a table: what can be measured, and what can only differ.

    Attributes
    ----------
    numbers : ndarray of float64
        From 0 to 1 over the range of the column in the fit; NaN where it is missing.
    codes : ndarray of int32
        A number for each category; -1 where it is missing.
    """

    numbers: NDArray[np.float64]
    codes: NDArray[np.int32]


class Gower(Measure):
    """The mean over the columns that both rows have of how different they are there.

    Numbers differ by their distance over the range of their column in the fit (at most 1,
    should a new row be beyond it), and so do dates, times and spans of time; categories and
    booleans by 0 or 1. A missing value on either side leaves the column out. Rows that share
    no column are at distance 1.
    """

    takes = "table"

    def __init__(self) -> None:
        self.names: list[Any] | None = None
        self._kinds: list[str] = []
        self._low = self._range = self._scale = np.empty(0)
        self._codes: list[dict[Any, int]] = []

    def pack(self, objects: Any) -> MixedRows:
        columns = columns_of(objects)
        if self.names is None:
            self._learn(columns)
        elif list(columns) != self.names:
            raise ValueError(
                f"X has the columns {list(columns)}, but the fit had {self.names}: give these."
            )
        numbers = self._numbers(columns)
        others = [
            (name, values)
            for (name, values), kind in zip(columns.items(), self._kinds, strict=True)
            if not kind
        ]
        n = len(next(iter(columns.values())))
        scaled = np.empty((n, len(numbers)))
        with np.errstate(over="ignore"):  # a new row that is so far beyond is at 1
            for at, column in enumerate(numbers):
                scaled[:, at] = (column * self._scale[at] - self._low[at]) / self._range[at]
        codes = np.empty((n, len(others)), dtype=np.int32)
        for at, (name, values) in enumerate(others):
            try:
                codes[:, at] = codes_of(values, self._codes[at])
            except TypeError as error:
                raise TypeError(
                    f"X has values in column {name!r} that cannot be compared, {error}: give"
                    " numbers, texts or booleans."
                ) from None
        return MixedRows(scaled, codes)

    def _learn(self, columns: dict[Any, Sequence[Any]]) -> None:
        self.names = list(columns)
        self._kinds = [kind_of(values) for values in columns.values()]
        known = [values[~np.isnan(values)] for values in self._numbers(columns)]
        low = np.array([v.min() if len(v) else 0.0 for v in known])
        high = np.array([v.max() if len(v) else 0.0 for v in known])
        with np.errstate(over="ignore"):
            self._scale = np.where(np.isinf(high - low), 0.5, 1.0)
        self._low, high = low * self._scale, high * self._scale
        self._range = np.where(high > self._low, high - self._low, 1.0)
        self._codes = [{} for kind in self._kinds if not kind]

    def _numbers(self, columns: dict[Any, Sequence[Any]]) -> list[NDArray[np.float64]]:
        """The columns of numbers, which are finite or missing."""
        found = []
        for (name, values), kind in zip(columns.items(), self._kinds, strict=True):
            if kind:
                found.append(as_numbers(values, kind))
                _check_finite(found[-1], values, name, kind)
        return found

    def fill(
        self, left: Any, arms: Indices, right: Any, refs: Indices, out: Floats, workers: Workers
    ) -> None:
        def work(some: slice, others: slice, part: NDArray[np.float64]) -> None:
            kernels.gower_block(*left, *right, arms[some], refs[others], part)

        in_slices(work, out, workers)


def columns_of(frame: Any) -> dict[Any, Sequence[Any]]:
    """The columns of a frame (pandas, polars), of an array or of a list of rows, by name."""
    if hasattr(frame, "columns") and hasattr(frame, "__getitem__"):
        return {name: _values(frame[name]) for name in frame.columns}
    rows = [list(row) for row in frame]
    widths = {len(row) for row in rows}
    if len(widths) != 1:
        raise ValueError(f"X has rows of {sorted(widths)} columns: give all the same number.")
    return {at: [row[at] for row in rows] for at in range(widths.pop())}


def _values(column: Any) -> list[Any]:
    values = list(column.to_list() if hasattr(column, "to_list") else column)
    if str(getattr(column, "dtype", "")) == "category":  # of numbers, perhaps
        return [None if is_missing(value) else (value,) for value in values]
    return values


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas calls missing: nothing else is different from itself."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA has no truth value
        return True
    except ValueError:  # an array has many
        return False


def codes_of(values: Sequence[Any], known: dict[Any, int]) -> list[int]:
    """A number for each category, those that are known among them; -1 where there is none."""
    return [-1 if is_missing(value) else known.setdefault(value, len(known)) for value in values]


def kind_of(values: Sequence[Any]) -> str:
    """What a column can be measured as: a key of `_MEASURED`, or "" for categories."""
    known = [value for value in values if not is_missing(value)]
    for kind, (types, _) in _MEASURED.items():
        if known and all(
            isinstance(value, types) and not isinstance(value, bool) for value in known
        ):
            return kind
    return ""


def is_numeric(values: Sequence[Any]) -> bool:
    """Whether these are plain numbers."""
    return kind_of(values) == "numbers"


def as_numbers(values: Sequence[Any], kind: str = "numbers") -> NDArray[np.float64]:
    """NaN stands for what is missing, infinity for what is no number."""
    return np.array([_as_number(value, kind) for value in values], dtype=np.float64)


def _as_number(value: Any, kind: str) -> float:
    if is_missing(value):
        return np.nan
    try:
        return _MEASURED[kind][1](value)
    except (TypeError, ValueError, OverflowError, AttributeError):
        return np.inf


def _plain(value: Any) -> float:
    if isinstance(value, np.timedelta64):  # which has a float, of whatever its unit is
        raise TypeError
    return float(value)


def _days(when: Any) -> float:
    """Days since 1970."""
    if isinstance(when, np.datetime64):
        return float((when - np.datetime64("1970-01-01")) / np.timedelta64(1, "D"))
    if not isinstance(when, dt.datetime):
        return float(when.toordinal() - dt.date(1970, 1, 1).toordinal())
    return (when - dt.datetime(1970, 1, 1, tzinfo=when.tzinfo and dt.UTC)) / dt.timedelta(1)


def _length(span: Any) -> float:
    """Days."""
    if isinstance(span, np.timedelta64):
        return float(span / np.timedelta64(1, "D"))
    return float(span / dt.timedelta(1))


# What can be measured: its types, and the number that stands for a value.
_MEASURED: dict[str, tuple[tuple[type, ...], Callable[[Any], float]]] = {
    "spans of time": ((dt.timedelta, np.timedelta64), _length),
    "times": ((dt.date, np.datetime64), _days),
    "numbers": ((numbers.Real, decimal.Decimal), _plain),
}


def _check_finite(found: NDArray[np.float64], values: Sequence[Any], name: Any, kind: str) -> None:
    wrong = np.isinf(found)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"X[{row}] has {str(values[row])[:30]!r} in column {name!r}, which holds {kind}:"
            " put a finite one there, or leave it empty."
        )
