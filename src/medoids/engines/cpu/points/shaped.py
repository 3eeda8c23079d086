"""Rows, and what a metric does to each of them before it compares two."""

from __future__ import annotations

import numpy as np

from ...._types import Floats, RowReader
from ....data.rows import at_once
from ....dissimilarities.metrics import Metric

# The inverse of any smaller length is infinite.
_SMALLEST = 1e-307


class ShapedRows:
    """Rows of an array, and what the metric does to each before it compares them.

    A row x is read as `(x - shift) * scale`, and has one more coordinate, `pad`: 1 for
    a row that has no direction (under cosine), so that it is at distance 1 from all
    that have one and at 0 from its like. `unit` is what all rows are divided by.
    """

    def __init__(self, array: RowReader, metric: Metric, unit: float = 1.0) -> None:
        self.array: RowReader = _on_sphere(array) if metric.form == "sphere" else array
        n = len(array)
        # Columns: shift, scale, pad.
        self.form = np.zeros((n, 3))
        self.form[:, 1] = 1.0 / unit
        if metric.form.endswith("unit"):
            size = at_once(self.array, 4096)
            for start in range(0, n, size):
                self._scale(slice(start, start + size), metric.form.startswith("centred"))

    def _scale(self, rows: slice, centred: bool) -> None:
        part = np.asarray(self.array[rows], dtype=np.float64)
        # Dividing by the largest entry first keeps the squares in range.
        size = np.abs(part).max(axis=1)
        if centred:
            usual = np.where(size > 0, size, 1.0)
            self.form[rows, 0] = (part / usual[:, None]).mean(axis=1) * usual
            part = part - self.form[rows, :1]
        largest = np.abs(part).max(axis=1)
        # What is left of a constant row is rounding, not a direction.
        alive = largest > 1e-13 * size if centred else largest > 0
        safe = np.where(alive, largest, 1.0)
        length = np.sqrt(np.square(part / safe[:, None]).sum(axis=1)) * safe
        lost = alive & ((length < _SMALLEST) | ~np.isfinite(length))
        if lost.any():
            row = rows.start + int(lost.argmax())
            raise ValueError(
                f"X[{row}] has numbers of {largest[lost.argmax()]:.0e}, whose direction float64"
                " cannot hold: scale the row, or remove it."
            )
        self.form[rows, 1] = np.divide(1.0, length, out=np.zeros_like(length), where=alive)
        self.form[rows, 2] = ~alive


def _on_sphere(array: RowReader) -> Floats:
    latitude, longitude = array[:].astype(np.float64).T
    return np.stack(
        [
            np.cos(latitude) * np.cos(longitude),
            np.cos(latitude) * np.sin(longitude),
            np.sin(latitude),
        ],
        axis=1,
    )
