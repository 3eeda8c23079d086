"""From data to distances: the points of a fit, and the distances between two sets of things."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ....data.kinds import Data, DenseData, MatrixData, ObjectData, SparseData
from ....dissimilarities.called import Call
from ....dissimilarities.metrics import SPARSE
from .base import Points
from .dense import DensePoints, dense_between
from .matrix import PrecomputedPoints, SitePoints
from .objects import CallPoints, ObjectPoints
from .sparse import SparsePoints, sparse_between

# The share of the memory limit for a copy of dense rows in float32.
_COPY = 0.25


def points_of(data: Data, workers: Workers, memory_limit: float) -> Points:
    """The points of a fit: `data` and the dissimilarity between its things."""
    match data:
        case SparseData() if data.name in SPARSE:
            return SparsePoints(data.things, data.name, workers)
        case DenseData() | SparseData():
            rows, limit = data.dense(), _COPY * memory_limit
            return DensePoints(rows.things, rows.metric, rows.p, workers, copy_limit=limit)
        case MatrixData() if data.n != data.n_rows:
            return SitePoints(data.matrix, workers)
        case MatrixData():
            return PrecomputedPoints(data.matrix, workers)
        case ObjectData(measure=Call() as call):
            return CallPoints(data.things, call, workers, memory_limit)
        case ObjectData():
            return ObjectPoints(data.packed, data.n, data.measure, workers)
    raise TypeError(f"no points can be made of {type(data).__name__}.")


def distances_between(
    medoids: Data, others: Any, workers: Workers, fitted: int | None = None
) -> NDArray[np.float64]:
    """Exact distances from each medoid to each of the others, which are `medoids.like(X)`.

    The medoids were found among `fitted` rows, if that is known.
    """
    match medoids:
        case DenseData() | SparseData():
            return _between_rows(medoids, others, workers, fitted)
        case MatrixData():
            # A row for each new point, as in scikit-learn: in the fit the point is the column.
            found: NDArray[np.float64] = others[:, medoids.chosen].T.astype(np.float64)
            return found
        case ObjectData():
            out = np.empty((medoids.n, others.n))
            every, all_others = np.arange(medoids.n), np.arange(others.n)
            medoids.measure.fill(medoids.packed, every, others.packed, all_others, out, workers)
            return out
    raise TypeError(f"no distances can be computed from {type(medoids).__name__}.")


def _between_rows(
    medoids: DenseData | SparseData,
    others: DenseData | SparseData,
    workers: Workers,
    fitted: int | None,
) -> NDArray[np.float64]:
    dense = isinstance(medoids, DenseData) and isinstance(others, DenseData)
    if medoids.name in SPARSE and not dense:
        first, second = medoids.sparse(), others.sparse()
        return sparse_between(first.things, second.things, medoids.name, workers)
    left, right = medoids.dense(), others.dense()
    return dense_between(left.things, right.things, left.metric, left.p, workers, fitted)
