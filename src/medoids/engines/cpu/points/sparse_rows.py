"""Rows of a sparse matrix as lists of features, and what a metric needs to know of each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ....dissimilarities.kernels.tuples import SumMetric
from .. import kernels
from ..kernels.tuples import Lists

# A feature is common, and has a line in the panels, if so large a share of the rows has it:
# a list costs about ten times as much for each row that is in it. Judged by so many rows.
_COMMON, _JUDGES = 0.1, 4096
# Rows that a thread takes at a time.
_SLICE = 4096


class SparseRows(NamedTuple):
    """Rows in compressed form.

    Attributes
    ----------
    lists : Lists
        All features of each row.
    common, rare : Lists
        Those that many rows have, and the others; all are common ones in rows that are not
        sorted.
    n_common, width : int
        How many features are common, and how many there are: the common ones come first.
    form : ndarray of shape (n, 4)
        Of each row its size (the sum of absolute values, or of squares), and its shift, scale
        and pad, as in `ShapedRows`.
    positive : bool
        No value is below zero.
    """

    lists: Lists
    common: Lists
    rare: Lists
    n_common: int
    width: int
    form: NDArray[np.float64]
    positive: bool


def rows_of(matrix: Any, metric: SumMetric, workers: Workers) -> SparseRows:
    """The rows of a CSR matrix as they are."""
    every = _lists_of(matrix)
    none = every._replace(starts=every.stops)
    return _described(matrix, metric, every, (every, none, matrix.shape[1]), workers)


def sorted_rows_of(matrix: Any, metric: SumMetric, unit: float, workers: Workers) -> SparseRows:
    """A copy of the rows, divided by the unit, with features numbered anew: common ones first."""
    old, width = _lists_of(matrix), matrix.shape[1]
    judges = min(matrix.shape[0], _JUDGES)
    counts = np.bincount(old.indices[: matrix.indptr[judges]], minlength=width)
    is_common = counts >= _COMMON * judges
    n_common = int(is_common.sum())
    place = np.where(is_common, is_common.cumsum() - 1, n_common + (~is_common).cumsum() - 1)
    place = place.astype(old.indices.dtype)
    common = Lists(
        old.starts, np.empty_like(old.stops), np.empty_like(old.indices), np.empty_like(old.data)
    )

    def work(start: int, stop: int) -> None:
        kernels.sparse_split(old, unit, place, n_common, start, stop, common)

    workers.each(work, matrix.shape[0], _SLICE)
    every = common._replace(stops=old.stops)
    rare = common._replace(starts=common.stops, stops=old.stops)
    return _described(matrix, metric, every, (common, rare, n_common), workers)


def _lists_of(matrix: Any) -> Lists:
    return Lists(matrix.indptr[:-1], matrix.indptr[1:], matrix.indices, matrix.data)


def _described(
    matrix: Any, metric: SumMetric, every: Lists, parts: tuple[Lists, Lists, int], workers: Workers
) -> SparseRows:
    form = np.zeros((matrix.shape[0], 4))
    form[:, 2] = 1.0
    width = matrix.shape[1]

    def work(start: int, stop: int) -> None:
        kernels.sparse_describe(every, width, metric, start, stop, form)

    workers.each(work, len(form), _SLICE)
    positive = bool(matrix.nnz == 0 or matrix.data.min() >= 0)
    return SparseRows(every, *parts, width, form, positive)
