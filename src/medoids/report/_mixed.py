"""Rows of a table whose columns are numbers or categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._mixed_columns import are_numbers, as_numbers, codes_of, columns_of, is_missing
from .._types import Indices
from ._pack import shown
from ._tables import Table


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
        self.inside = np.empty((len(medoids), len(self.columns)))
        self.mean, self.apart = np.empty_like(self.inside), np.empty_like(self.inside)
        for at, values in enumerate(self.columns):
            given = as_numbers(values) if self.numeric[at] else codes_of(values, {})
            numbers = np.asarray(given, dtype=np.float64)
            for label, medoid in enumerate(medoids):
                column = numbers
                if not self.numeric[at]:
                    column = ((numbers == numbers[medoid]) & (numbers >= 0)).astype(np.float64)
                self._learn(at, label, column)

    def _learn(self, at: int, label: int, column: NDArray[np.float64]) -> None:
        own = column[self.labels == label]
        mean, deviation = np.nanmean(column), np.nanstd(column)
        inside = np.nanmean(own) if np.isfinite(own).any() else mean
        self.inside[label, at], self.mean[label, at] = inside, mean
        self.apart[label, at] = (inside - mean) / (deviation or np.inf)

    def cells(self, rows: Indices, chosen: Indices) -> list[list[str]]:
        return [[_cell(self.columns[at][row]) for at in chosen] for row in rows]

    def means(self, label: int, column: int) -> tuple[str, str]:
        form = "{:,.4g}" if self.numeric[column] else "{:.0%}"
        return form.format(self.inside[label, column]), form.format(self.mean[label, column])


def _cell(value: Any) -> str:
    if isinstance(value, tuple) and len(value) == 1:  # a category of a frame
        value = value[0]
    return "–" if is_missing(value) else shown(value)
