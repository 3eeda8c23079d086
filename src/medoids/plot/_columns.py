"""What is known of each column of a table of numbers, dense or sparse."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.utils import gen_batches

# Rows that are looked at together.
_ROWS = 4096
# Digits after the point that fit into a cell.
_AFTER = 6


class ColumnStatistics(NamedTuple):
    """Means and standard deviations of the columns, and their means in each cluster."""

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    inside: NDArray[np.float64]

    def apart(self) -> NDArray[np.float64]:
        """How many standard deviations each cluster's mean is from the mean of all rows."""
        return (self.inside - self.mean) / np.where(self.deviation > 0, self.deviation, np.inf)

    def text(self, column: int, value: float) -> str:
        """A value of a column, as `written` has it."""
        return written(value, float(self.mean[column]), float(self.deviation[column]))


def written(value: float, mean: float, deviation: float) -> str:
    """A value, in digits that show a hundredth of its column's deviation; never minus zero."""
    # A column that is constant has six digits.
    unit = deviation or 1e-4 * abs(mean) or 1.0
    after = max(2 - round(math.log10(unit)), 0)
    value = round(float(value), after) + 0.0
    return f"{value:,.{after}f}" if deviation and after <= _AFTER else f"{value:,.15g}"


def columns(X: Any, labels: NDArray[np.int32], k: int) -> ColumnStatistics:
    """Sum up the columns, a batch of rows at a time."""
    X = csr_array(X) if issparse(X) else np.asarray(X)
    n, width = X.shape
    sums, squares = np.zeros((k, width)), np.zeros(width)
    # Relative to one of them: squares of timestamps would leave no digits for their deviation.
    base = np.zeros(width) if issparse(X) else X[0].astype(np.float64)
    for batch in gen_batches(n, _ROWS):
        rows = X[batch].astype(np.float64)
        if not issparse(X):
            rows -= base
        count = batch.stop - batch.start
        owners = csr_array((np.ones(count), (labels[batch], np.arange(count))), (k, count))
        part = owners @ rows
        sums += part.toarray() if issparse(part) else part
        squares += (rows * rows).sum(axis=0)
    mean = sums.sum(axis=0) / n
    sizes = np.bincount(labels, minlength=k)
    inside = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], mean)
    deviation = np.sqrt(np.maximum(squares / n - mean**2, 0))
    return ColumnStatistics(base + mean, deviation, base + inside)
