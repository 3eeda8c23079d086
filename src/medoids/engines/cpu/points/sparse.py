"""Points that are rows of a sparse matrix, never laid out densely as a whole.

Distances come from sums, over the features that two rows both have, of what these have in
common. A few rows are held, and the others pass by. Features that many rows have are held as
a dense panel, a line for each: a passing row costs a contiguous line for each of its
non-zeros. Of the others, each has a list of the held rows that have it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ....dissimilarities.metrics import METRICS
from .base import Floats, Indices, Points, log2_of, moderate

# The metrics that sums over non-zeros give.
SPARSE = ("manhattan", "euclidean", "sqeuclidean", "cosine", "correlation")
# A feature is common, and has a line in the panels, if so large a share of the rows has it:
# a list costs about ten times as much for each row that is in it. Judged by so many rows.
_COMMON, _JUDGES = 0.1, 4096
# Rows in a panel: at most so few that its lines stay near the core. Rows that are held at
# once, and from how many on there are lists. Rows that a thread takes at a time.
_PANELS, _GROUP, _LISTS, _SLICE = (2, 8, 32, 64), 1024, 64, 256
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
    workers : Workers
    unit : float
        What the values are divided by.
    sort : bool
        Number the features anew, the common ones first, in a copy of the rows.
    """

    def __init__(
        self, matrix: Any, metric: str, workers: Workers, unit: float = 1.0, sort: bool = False
    ) -> None:
        self.n, self.width = matrix.shape
        self.indptr, self.indices, self.data = matrix.indptr, matrix.indices, matrix.data
        self.metric = metric
        self.positive = bool(matrix.nnz == 0 or matrix.data.min() >= 0)
        # Up to here the features of a row are common ones: all of them, unless sorted.
        self.common, self.middle = self.width, matrix.indptr[1:]
        if sort:
            self._sort(unit, workers)
        # Columns: size of the row (sum of sizes, or of squares), shift, scale, pad; as in
        # `Rows` of the dense points.
        self.form = np.zeros((self.n, 4))
        self.form[:, 2] = 1.0
        workers.each(self._describe, self.n, 4096)
        self.parts = self.indptr, self.indices, self.data, self.form

    def _sort(self, unit: float, workers: Workers) -> None:
        from ..kernels.sparse import split

        stop = self.indptr[min(self.n, _JUDGES)]
        counts = np.bincount(self.indices[:stop], minlength=self.width)
        common = counts >= _COMMON * min(self.n, _JUDGES)
        self.common = int(common.sum())
        place = np.where(common, common.cumsum() - 1, self.common + (~common).cumsum() - 1)
        place = place.astype(self.indices.dtype)
        old = self.indices, self.data
        self.indices, self.data = np.empty_like(old[0]), np.empty_like(old[1])
        self.middle = np.empty_like(self.indptr[1:])

        def work(start: int, stop: int) -> None:
            split(
                self.indptr, *old, unit, place, self.common, start, stop,
                self.middle, self.indices, self.data,
            )  # fmt: skip

        workers.each(work, self.n, 4096)

    def _describe(self, start: int, stop: int) -> None:
        from ..kernels.sparse import describe

        describe(
            self.indptr, self.data, self.width, self.metric == "manhattan",
            self.metric == "correlation", self.metric in ("cosine", "correlation"),
            start, stop, self.form,
        )  # fmt: skip


class _Held:
    """Some rows as dense panels, and as lists for the features that few rows have."""

    def __init__(self, rows: SparseRows, chosen: Indices, dtype: Any) -> None:
        from ..kernels.sparse import fill, post

        self.lists: tuple[NDArray[Any], ...] | None = None
        self.common, stops = rows.width, rows.indptr[1:]
        if rows.common < rows.width and len(chosen) >= _LISTS:
            self.common, stops = rows.common, rows.middle
            size = int((rows.indptr[1:] - stops)[chosen].sum())
            ends = np.empty(rows.width - self.common + 1, dtype=np.int64)
            lists = ends, np.empty(size, dtype=np.uint16), np.empty(size, dtype=dtype)
            post(stops, rows.indptr[1:], rows.indices, rows.data, chosen, self.common, *lists)
            self.lists = lists
        self.panels = []
        for first in range(0, len(chosen), _PANELS[-1]):
            some = chosen[first : first + _PANELS[-1]]
            width = next(w for w in _PANELS if w >= len(some))
            panel = np.zeros((self.common, width), dtype=dtype)
            fill(rows.indptr, stops, rows.indices, rows.data, some, panel)
            self.panels.append(panel)

    def sums(self, rows: SparseRows, chosen: Indices, term: Any) -> Floats:
        """The sums of what each chosen row has in common with each that is held."""
        from ..kernels.sparse import over_lists, over_panel

        total = sum(panel.shape[1] for panel in self.panels)
        sums = np.empty((len(chosen), total), dtype=self.panels[0].dtype)
        stops = rows.indptr[1:] if self.lists is None else rows.middle
        for place, panel in enumerate(self.panels):
            over_panel(term, panel.shape[1])(
                rows.indptr, stops, rows.indices, rows.data, chosen, panel,
                place * _PANELS[-1], sums,
            )  # fmt: skip
        if self.lists is not None:
            over_lists(term)(
                rows.middle, rows.indptr[1:], rows.indices, rows.data, chosen, self.common,
                *self.lists, sums,
            )  # fmt: skip
        return sums


def sparse_block(
    held: SparseRows,
    few: Indices,
    moving: SparseRows,
    many: Indices,
    out: Floats,
    workers: Workers,
) -> None:
    """Fill `out[i, j]` with the distance between `moving[many[i]]` and `held[few[j]]`.

    Both number their features alike.
    """
    from ..kernels.sparse import finish, least, overlap, product

    absolute, small = held.metric == "manhattan", _SMALL[out.dtype]
    angle, root = held.metric in ("cosine", "correlation"), held.metric == "euclidean"
    common = least if moving.positive and held.positive else overlap
    term = common if absolute else product
    for first in range(0, len(few), _GROUP):
        some = few[first : first + _GROUP]
        group = _Held(held, some, out.dtype)

        def work(
            start: int, stop: int, first: int = first, some: Indices = some, group: _Held = group
        ) -> None:
            rows = many[start:stop]
            finish(
                moving.parts, rows, held.parts, some, held.width, absolute, angle, root, small,
                group.sums(moving, rows, term), out[start:stop, first : first + len(some)],
            )  # fmt: skip

        workers.each(work, len(many), _SLICE)


def sparse_between(left: Any, right: Any, metric: str, workers: Workers) -> NDArray[np.float64]:
    """Exact distances from every row of one matrix to every row of another."""
    unit = _unit([left, right], metric, 1)
    if unit != 1:
        left, right = left / unit, right / unit
    rows = [SparseRows(each, metric, workers) for each in (left, right)]
    out = np.empty((right.shape[0], left.shape[0]))
    sparse_block(rows[0], np.arange(len(out.T)), rows[1], np.arange(len(out)), out, workers)
    found: NDArray[np.float64] = out.T * unit ** METRICS[metric].degree
    return found


def _unit(matrices: list[Any], metric: str, n: int) -> float:
    """What to divide the values by."""
    sizes = [max(-float(each.data.min()), float(each.data.max())) for each in matrices if each.nnz]
    longest = max(int(np.diff(each.indptr).max(initial=1)) for each in matrices)
    power = log2_of(max(sizes, default=0.0)) + 1
    if METRICS[metric].degree == 0:  # no distance is above 2, but sums of squares may be
        return moderate(power, 1)
    return moderate(power + math.log2(max(longest, 1)), n, METRICS[metric].degree)


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
        self.cost, self.slow_exact = 2 + matrix.nnz / self.n / 4, True
        scale = _unit([matrix], metric, self.n)
        self.unit = scale ** METRICS[metric].degree
        self.rows = SparseRows(matrix, metric, workers, scale, sort=True)

    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        # All of these metrics are symmetric: hold the shorter side.
        if len(arms) < len(refs):
            sparse_block(self.rows, arms, self.rows, refs, out.T, self.workers)
        else:
            sparse_block(self.rows, refs, self.rows, arms, out, self.workers)

    def _exact(self, arms: Indices, out: NDArray[np.float64]) -> None:
        every = np.arange(self.n)
        sparse_block(self.rows, arms, self.rows, every, out.T, self.workers)
