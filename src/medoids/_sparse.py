"""Points that are rows of a sparse matrix, never laid out densely as a whole.

A few rows are held as a dense panel, one line for each feature. A row then costs a pass
over its non-zeros, each a contiguous line of the panel: with a the row and b a row of the
panel, sums over all features of |a - b| - |b|, or of a b, are sums over the non-zeros of a.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._metrics import METRICS
from ._points import Floats, Indices, Points, moderate
from ._threads import Workers

# The metrics that a sum over non-zeros gives.
SPARSE = ("manhattan", "euclidean", "sqeuclidean", "cosine", "correlation")
# Rows in a panel: at most so few that its used lines stay near the core. And rows that a
# thread takes at a time.
_PANELS, _SLICE = (2, 8, 32, 64), 256
# A distance that is smaller beside the sums it comes from has lost digits: it is computed
# again from the differences.
_SMALL = {np.dtype(np.float32): 1e-3, np.dtype(np.float64): 1e-7}


class SparseRows:
    """Rows in compressed form, and what the metric needs to know of each.

    Parameters
    ----------
    matrix : scipy.sparse CSR matrix or array
    metric : str
        One of `SPARSE`.
    unit : float
        What the values are divided by.
    """

    def __init__(self, matrix: Any, metric: str, unit: float = 1.0) -> None:
        self.n, self.width = matrix.shape
        self.indptr, self.indices, self.data = matrix.indptr, matrix.indices, matrix.data
        self.metric, self.unit = metric, unit
        self.positive = bool(matrix.nnz == 0 or matrix.data.min() >= 0)
        # Columns: size of the row (sum of sizes, or of squares), shift, scale, pad; as in
        # `Rows` of the dense points.
        self.form = np.zeros((self.n, 4))
        self.form[:, 2] = 1.0
        for start in range(0, self.n, 4096):
            self._describe(start, min(start + 4096, self.n))

    def _describe(self, start: int, stop: int) -> None:
        from ._sparse_kernels import describe

        describe(
            self.indptr, self.data, self.unit, self.width, self.metric == "manhattan",
            self.metric == "correlation", self.metric in ("cosine", "correlation"),
            start, stop, self.form,
        )  # fmt: skip

    def panel(self, rows: Indices, dtype: Any) -> NDArray[Any]:
        """Some rows as a dense panel, with a line for each feature."""
        from ._sparse_kernels import fill

        panel = np.zeros((self.width, next(w for w in _PANELS if w >= len(rows))), dtype=dtype)
        fill(self.indptr, self.indices, self.data, rows, self.unit, panel)
        return panel


def sparse_block(
    held: SparseRows,
    few: Indices,
    moving: SparseRows,
    many: Indices,
    out: Floats,
    workers: Workers,
) -> None:
    """Fill `out[i, j]` with the distance between `moving[many[i]]` and `held[few[j]]`."""
    from ._sparse_kernels import near_pairs, over_nonzeros

    metric, dtype = held.metric, out.dtype
    small = _SMALL[dtype]
    for first in range(0, len(few), _PANELS[-1]):
        some = few[first : first + _PANELS[-1]]
        panel, form = held.panel(some, dtype), held.form[some]

        def work(
            start: int,
            stop: int,
            first: int = first,
            some: Indices = some,
            panel: NDArray[Any] = panel,
            form: Floats = form,
        ) -> None:
            rows = many[start:stop]
            sums = np.empty((len(rows), panel.shape[1]), dtype=dtype)
            over_nonzeros(panel.shape[1])(
                moving.indptr, moving.indices, moving.data, rows, moving.unit, panel,
                metric == "manhattan", moving.positive and held.positive, sums,
            )  # fmt: skip
            mine = moving.form[rows]
            values, scale = _finish(metric, sums[:, : len(some)], mine, form, held.width)
            left, right = np.nonzero(values < small * scale)
            if len(left):
                near_pairs(
                    moving.indptr, moving.indices, moving.data, moving.unit, mine, rows,
                    held.indptr, held.indices, held.data, held.unit, form, some,
                    left, right, held.width, metric == "manhattan", values,
                )  # fmt: skip
            if metric == "euclidean":
                np.sqrt(values, out=values)
            elif metric in ("cosine", "correlation"):
                values /= 2
            out[start:stop, first : first + len(some)] = values

        workers.each(work, len(many), _SLICE)


def _finish(
    metric: str, sums: Floats, left: Floats, right: Floats, width: int
) -> tuple[Floats, Floats]:
    """Distances, or their squares, from sums over non-zeros; and what they are small beside."""
    size = (left[:, :1] + right[:, 0]).astype(sums.dtype)
    if metric == "manhattan":
        return np.maximum(sums + right[:, 0].astype(sums.dtype), 0), size
    if metric in ("euclidean", "sqeuclidean"):
        return np.maximum(size - 2 * sums, 0), size
    # Squared distances of the scaled rows: twice the cosine distance.
    both = width * left[:, 1:2] * right[:, 1]
    angle = (sums - both) * (left[:, 2:3] * right[:, 2]) + left[:, 3:] * right[:, 3]
    values = np.maximum(2 - 2 * angle, 0).astype(sums.dtype)
    return values, np.full_like(values, 2)


class Densified:
    """A sparse matrix that is laid out densely, a few rows at a time."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix
        self.shape, self.dtype = matrix.shape, matrix.dtype
        self.size = np.inf  # no copy of all of it

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, rows: slice | Indices) -> Floats:
        return np.asarray(self.matrix[rows].toarray())


class SparsePoints(Points):
    """Rows of a CSR matrix under one of the `SPARSE` metrics."""

    def __init__(self, matrix: Any, metric: str, workers: Workers) -> None:
        super().__init__(matrix.shape[0], workers)
        largest = float(np.abs(matrix.data).max()) if matrix.nnz else 0.0
        scale = moderate(largest) if METRICS[metric].degree else 1.0
        self.unit = scale ** METRICS[metric].degree
        self.rows = SparseRows(matrix, metric, scale)

    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        # All of these metrics are symmetric: hold the shorter side.
        if len(arms) < len(refs):
            sparse_block(self.rows, arms, self.rows, refs, out.T, self.workers)
        else:
            sparse_block(self.rows, refs, self.rows, arms, out, self.workers)

    def _exact(self, arms: Indices, out: NDArray[np.float64]) -> None:
        every = np.arange(self.n)
        sparse_block(self.rows, arms, self.rows, every, out.T, self.workers)
