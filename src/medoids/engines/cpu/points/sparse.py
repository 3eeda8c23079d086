"""Points that are rows of a sparse matrix, never laid out densely as a whole.

Distances come from sums, over the features that two rows both have, of what these have in
common. A few rows are held, and the others pass by. Features that many rows have are held as
a dense panel, a line for each: a passing row costs a contiguous line for each of its
non-zeros. Of the others, each has a list of the held rows that have it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ...._types import Floats, Indices
from ....dissimilarities.kernels.tuples import SumMetric
from ....dissimilarities.metrics import METRICS, SPARSE
from ...scale import log2_of, moderate
from .. import kernels
from ..kernels.tuples import Postings, SparseSide
from .base import Points
from .sparse_rows import SparseRows, rows_of, sorted_rows_of

# Rows in a panel: at most so few that its lines stay near the core. Rows that are held at
# once, and from how many on there are lists. Rows that a thread takes at a time.
_PANELS, _GROUP, _LISTS, _SLICE = (2, 8, 32, 64), 1024, 64, 256
# A distance that is smaller beside the sums it comes from has lost digits: it is computed
# again from the differences.
_SMALL = {np.dtype(np.float32): 1e-3, np.dtype(np.float64): 1e-7}


class _Held(NamedTuple):
    """Some rows, laid out for others to pass by.

    Attributes
    ----------
    panels : list of ndarray
        A line for each feature, a column for each row.
    postings : Postings or None
        Of the features that few rows have; None where the panels have all.
    """

    panels: list[Floats]
    postings: Postings | None


def _hold(rows: SparseRows, chosen: Indices, dtype: Any) -> _Held:
    has_postings = rows.n_common < rows.width and len(chosen) >= _LISTS
    panelled, lines = (rows.common, rows.n_common) if has_postings else (rows.lists, rows.width)
    postings = None
    if has_postings:
        size = int((rows.rare.stops - rows.rare.starts)[chosen].sum())
        ends = np.empty(rows.width - lines + 1, dtype=np.int64)
        postings = Postings(ends, np.empty(size, dtype=np.uint16), np.empty(size, dtype=dtype))
        kernels.sparse_post(rows.rare, chosen, lines, postings)
    panels = []
    for first in range(0, len(chosen), _PANELS[-1]):
        some = chosen[first : first + _PANELS[-1]]
        width = next(w for w in _PANELS if w >= len(some))
        panel = np.zeros((lines, width), dtype=dtype)
        kernels.sparse_lay_out(panelled, some, panel)
        panels.append(panel)
    return _Held(panels, postings)


def _sums(held: _Held, rows: SparseRows, chosen: Indices, term: Any) -> Floats:
    """The sums of what each chosen row has in common with each that is held."""
    total = sum(panel.shape[1] for panel in held.panels)
    sums = np.empty((len(chosen), total), dtype=held.panels[0].dtype)
    panelled = rows.lists if held.postings is None else rows.common
    for place, panel in enumerate(held.panels):
        kernel = kernels.sparse_over_panel(term, panel.shape[1])
        kernel(panelled, chosen, panel, place * _PANELS[-1], sums)
    if held.postings is not None:
        kernels.sparse_over_lists(term)(rows.rare, chosen, rows.n_common, held.postings, sums)
    return sums


def sparse_block(
    held: tuple[SparseRows, Indices],
    moving: tuple[SparseRows, Indices],
    metric: SumMetric,
    out: Floats,
    workers: Workers,
) -> None:
    """Fill `out[i, j]` with the distance between the i-th moving and the j-th held row.

    Both number their features alike.
    """
    (rows, few), (others, many) = held, moving
    positive = rows.positive and others.positive
    common = kernels.sparse_least if positive else kernels.sparse_overlap
    term = common if metric.absolute else kernels.sparse_product
    small = _SMALL[out.dtype]
    for first in range(0, len(few), _GROUP):
        some = few[first : first + _GROUP]
        group = _hold(rows, some, out.dtype)
        right = SparseSide(*rows.lists, rows.form, some)

        def work(
            start: int,
            stop: int,
            first: int = first,
            group: _Held = group,
            right: SparseSide = right,
        ) -> None:
            left = SparseSide(*others.lists, others.form, many[start:stop])
            sums = _sums(group, others, left.chosen, term)
            part = out[start:stop, first : first + len(right.chosen)]
            kernels.sparse_finish(left, right, rows.width, metric, small, sums, part)

        workers.each(work, len(many), _SLICE)


def sparse_between(left: Any, right: Any, name: str, workers: Workers) -> NDArray[np.float64]:
    """Exact distances from every row of one matrix to every row of another."""
    unit = _unit([left, right], name, 1)
    if unit != 1:
        left, right = left / unit, right / unit
    held, moving = ((rows_of(each, SPARSE[name], workers), _every(each)) for each in (left, right))
    out = np.empty((right.shape[0], left.shape[0]))
    sparse_block(held, moving, SPARSE[name], out, workers)
    found: NDArray[np.float64] = out.T * unit ** METRICS[name].degree
    return found


def _every(matrix: Any) -> Indices:
    return np.arange(matrix.shape[0])


def _unit(matrices: list[Any], name: str, n: int) -> float:
    """What to divide the values by."""
    sizes = [max(-float(each.data.min()), float(each.data.max())) for each in matrices if each.nnz]
    longest = max(int(np.diff(each.indptr).max(initial=1)) for each in matrices)
    power = log2_of(max(sizes, default=0.0)) + 1
    if METRICS[name].degree == 0:  # no distance is above 2, but sums of squares may be
        return moderate(power, 1)
    return moderate(power + math.log2(max(longest, 1)), n, METRICS[name].degree)


class SparsePoints(Points):
    """Rows of a CSR matrix under one of the `SPARSE` metrics."""

    slow_exact = symmetric = True

    def __init__(self, matrix: Any, name: str, workers: Workers) -> None:
        super().__init__(matrix.shape[0], workers)
        self.cost = 2 + matrix.nnz / self.n / 4
        scale = _unit([matrix], name, self.n)
        self.metric, self.unit = SPARSE[name], scale ** METRICS[name].degree
        self.rows = sorted_rows_of(matrix, self.metric, scale, workers)

    def _fill(self, held: Indices, moving: Indices, out: Floats) -> None:
        rows = self.rows
        sparse_block((rows, held), (rows, moving), self.metric, out, self.workers)

    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        # All of these metrics are symmetric: hold the shorter side.
        if len(arms) < len(refs):
            self._fill(arms, refs, out.T)
        else:
            self._fill(refs, arms, out)

    def _exact(self, arms: Indices, refs: Indices | None, out: NDArray[np.float64]) -> None:
        self._fill(arms, np.arange(self.n) if refs is None else refs, out.T)
