"""Gower's dissimilarity (1971) of rows whose columns are of different kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._mixed_columns import as_numbers, codes_of, columns_of, kind_of
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
    symmetric = True

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

    def learned(self) -> dict[str, Any]:
        return {
            "names": self.names, "kinds": self._kinds, "low": self._low, "range": self._range,
            "scale": self._scale,
        }  # fmt: skip

    def recall(self, learned: Mapping[str, Any]) -> None:
        self.names, self._kinds = learned["names"], learned["kinds"]
        self._low, self._range = learned["low"], learned["range"]
        self._scale = learned["scale"]
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


def _check_finite(found: NDArray[np.float64], values: Sequence[Any], name: Any, kind: str) -> None:
    wrong = np.isinf(found)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"X[{row}] has {str(values[row])[:30]!r} in column {name!r}, which holds {kind}:"
            " put a finite one there, or leave it empty."
        )
