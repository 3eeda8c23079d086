"""Rows of a table whose columns are numbers or categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._mixed_columns import are_numbers, as_numbers, codes_of, columns_of, is_missing
from .._types import Indices
from ..plot._columns import written
from ._pack import shown
from ._tables import Table

# Beyond this a float need not tell one whole number from the next.
_WHOLE = 2.0**53


class Mixed(Table):
    """Cells of columns of any kind.

    Of a category, what counts is the share of the rows that have the medoid's.
    """

    def __init__(
        self,
        frame: Any,
        labels: NDArray[np.int32],
        medoids: Indices,
        names: Sequence[Any] | None,
    ) -> None:
        known = columns_of(frame)
        super().__init__(names, list(known), labels)
        self.columns = list(known.values())
        self.numeric = [are_numbers(values) for values in self.columns]
        self.whole = np.zeros(len(self.columns), dtype=bool)
        self.inside = np.empty((len(medoids), len(self.columns)))
        self.mean, self.apart = np.empty_like(self.inside), np.empty_like(self.inside)
        self.deviation = np.empty_like(self.inside)
        for at, values in enumerate(self.columns):
            given = as_numbers(values) if self.numeric[at] else codes_of(values, {})
            numbers = np.asarray(given, dtype=np.float64)
            part = (numbers % 1 > 0) | (np.abs(numbers) > _WHOLE)
            self.whole[at] = self.numeric[at] and not part.any()
            for label, medoid in enumerate(medoids):
                column = numbers
                if not self.numeric[at]:
                    column = ((numbers == numbers[medoid]) & (numbers >= 0)).astype(np.float64)
                self._learn(at, label, column)

    def _learn(self, at: int, label: int, column: NDArray[np.float64]) -> None:
        own = column[self.labels == label]
        mean, deviation = 0.0, 0.0
        if np.isfinite(column).any():  # there are columns with no value at all
            mean, deviation = float(np.nanmean(column)), float(np.nanstd(column))
        inside = np.nanmean(own) if np.isfinite(own).any() else mean
        self.inside[label, at], self.mean[label, at] = inside, mean
        self.deviation[label, at] = deviation
        self.apart[label, at] = (inside - mean) / (deviation or np.inf)

    def column(self, at: int) -> Any:
        return self.columns[at]

    def cells(self, rows: Indices, chosen: Indices) -> list[list[str]]:
        return [[self._cell(at, self.columns[at][row]) for at in chosen] for row in rows]

    def _cell(self, at: int, value: Any) -> str:
        if is_missing(value):
            return "–"
        if self.numeric[at]:
            # A count has no digits behind the point, though its mean has.
            return f"{int(value):,}" if self.whole[at] else self._number(0, at, value)
        return shown(value[0] if isinstance(value, tuple) and len(value) == 1 else value)

    def _number(self, label: int, at: int, value: float) -> str:
        return written(value, float(self.mean[label, at]), float(self.deviation[label, at]))

    def means(self, label: int, column: int) -> tuple[str, str]:
        inside, mean = float(self.inside[label, column]), float(self.mean[label, column])
        if not self.numeric[column]:
            return f"{inside:.0%}", f"{mean:.0%}"
        return self._number(label, column, inside), self._number(label, column, mean)
