"""What is known of each column of a table of numbers, dense or sparse."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.utils import gen_batches

# Rows that are looked at together.
_ROWS = 4096


class Columns(NamedTuple):
    """Means and standard deviations of the columns, and their means in each cluster."""

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    inside: NDArray[np.float64]

    def apart(self) -> NDArray[np.float64]:
        """How many standard deviations each cluster's mean is from the mean of all rows."""
        return (self.inside - self.mean) / np.where(self.deviation > 0, self.deviation, np.inf)


def columns(X: Any, labels: NDArray[np.int32], k: int) -> Columns:
    """Sum up the columns, a batch of rows at a time."""
    X = csr_array(X) if issparse(X) else np.asarray(X)
    n, width = X.shape
    sums, squares = np.zeros((k, width)), np.zeros(width)
    for batch in gen_batches(n, _ROWS):
        rows = X[batch].astype(np.float64)
        count = batch.stop - batch.start
        owners = csr_array((np.ones(count), (labels[batch], np.arange(count))), (k, count))
        part = owners @ rows
        sums += part.toarray() if issparse(part) else part
        squares += (rows * rows).sum(axis=0)
    mean = sums.sum(axis=0) / n
    sizes = np.bincount(labels, minlength=k)
    inside = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], mean)
    return Columns(mean, np.sqrt(np.maximum(squares / n - mean**2, 0)), inside)


def digits(deviation: float) -> int:
    """How many digits after the point show a hundredth of the deviation."""
    return int(np.clip(2 - np.rint(np.log10(deviation)), 0, 6)) if deviation > 0 else 0


def fixed(value: float, after: int) -> str:
    """A number with so many digits after the point; never minus zero."""
    return f"{round(value, after) + 0.0:,.{after}f}"
