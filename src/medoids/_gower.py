"""Gower's dissimilarity (1971) of rows whose columns are of different kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._measure import Measure, in_slices
from ._points import Floats, Indices
from ._threads import Workers


class Gower(Measure):
    """The mean over the columns that both rows have of how different they are there.

    Numbers differ by their distance over the range of their column in the fit (at most 1,
    should a new row be beyond it); categories and booleans by 0 or 1. A missing value on
    either side leaves the column out. Rows that share no column are at distance 1.
    """

    tabular = True

    def __init__(self) -> None:
        self.names: list[Any] | None = None
        self._numeric: list[bool] = []
        self._low = self._range = np.empty(0)
        self._codes: list[dict[Any, int]] = []

    def pack(self, objects: Any) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        columns = columns_of(objects)
        if self.names is None:
            self._learn(columns)
        elif list(columns) != self.names:
            raise ValueError(
                f"X has the columns {list(columns)}, but the fit had {self.names}: give these."
            )
        numbers = self._numbers(columns)
        others = [
            values
            for values, is_number in zip(columns.values(), self._numeric, strict=True)
            if not is_number
        ]
        n = len(next(iter(columns.values())))
        scaled = np.empty((n, len(numbers)))
        for at, column in enumerate(numbers):
            scaled[:, at] = (column - self._low[at]) / self._range[at]
        codes = np.empty((n, len(others)), dtype=np.int32)
        for at, values in enumerate(others):
            codes[:, at] = codes_of(values, self._codes[at])
        return scaled, codes

    def _learn(self, columns: dict[Any, Sequence[Any]]) -> None:
        self.names = list(columns)
        self._numeric = [is_numeric(values) for values in columns.values()]
        known = [values[~np.isnan(values)] for values in self._numbers(columns)]
        self._low = np.array([v.min() if len(v) else 0.0 for v in known])
        high = np.array([v.max() if len(v) else 0.0 for v in known])
        self._range = np.where(high > self._low, high - self._low, 1.0)
        self._codes = [{} for is_number in self._numeric if not is_number]

    def _numbers(self, columns: dict[Any, Sequence[Any]]) -> list[NDArray[np.float64]]:
        """The columns of numbers, which are finite or missing."""
        found = []
        for (name, values), is_number in zip(columns.items(), self._numeric, strict=True):
            if is_number:
                found.append(as_numbers(values))
                _check_finite(found[-1], values, name)
        return found

    def fill(
        self, left: Any, arms: Indices, right: Any, refs: Indices, out: Floats, workers: Workers
    ) -> None:
        from ._measure_kernels import gower_block

        def work(some: slice, others: slice, part: NDArray[np.float64]) -> None:
            gower_block(*left, *right, arms[some], refs[others], part)

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


def codes_of(values: Sequence[Any], known: dict[Any, int]) -> list[int]:
    """A number for each category, those that are known among them; -1 where there is none."""
    return [-1 if is_missing(value) else known.setdefault(value, len(known)) for value in values]


def is_numeric(values: Sequence[Any]) -> bool:
    known = [value for value in values if not is_missing(value)]
    return bool(known) and all(
        isinstance(value, (int, float, np.integer, np.floating))
        and not isinstance(value, (bool, np.bool_))
        for value in known
    )


def as_numbers(values: Sequence[Any]) -> NDArray[np.float64]:
    """NaN stands for what is missing, infinity for what is no number."""
    return np.array([_as_number(value) for value in values], dtype=np.float64)


def _as_number(value: Any) -> float:
    if is_missing(value):
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return np.inf


def _check_finite(numbers: NDArray[np.float64], values: Sequence[Any], name: Any) -> None:
    wrong = np.isinf(numbers)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"X[{row}] has {str(values[row])[:30]!r} in column {name!r}, which holds numbers:"
            " put a finite one there, or leave it empty."
        )
