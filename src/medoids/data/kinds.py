"""What is clustered: four kinds of data, each with the dissimilarity between its things."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from .._checks import mapping
from .._threads import effective_jobs
from .._types import Floats, Indices, RowReader
from ..dissimilarities.base import Measure
from ..dissimilarities.called import Call, with_params
from ..dissimilarities.compiled import check_bounds, compiled
from ..dissimilarities.metrics import Metric, resolve
from ..dissimilarities.objects import MEASURES, measure
from . import checks as check
from .arrays import as_bits, as_frames, as_series
from .rows import Densified

# What a measure takes, checked.
_CHECKS: dict[str, Callable[[Any], Any]] = {
    "objects": check.as_objects,
    "table": check.as_table,
    "rows": check.as_rows,
    "bits": as_bits,
    "series": as_series,
    "frames": as_frames,
}


class Data(ABC):
    """`n` things, and the dissimilarity between them.

    Attributes
    ----------
    n, n_rows : int
        How many pay, and how many may be medoids: of a matrix these need not be the same.
    things : Any
        The things as the user knows them; None where there are only distances.
    columns : bool
        They are the rows of a table, with columns that new ones must have too.
    """

    n: int
    things: Any
    columns: bool = True

    @property
    def n_rows(self) -> int:
        return self.n

    @property
    def centres(self) -> Any:
        """The things, where they are some of the user's."""
        return self.things

    def back(self, result: Any) -> Any:
        """A result as long as the data, where the user's data is."""
        return result

    @abstractmethod
    def pick(self, chosen: Indices) -> Data:
        """Some of the things."""

    @abstractmethod
    def like(self, X: Any, estimator: object = None) -> Any:
        """New things of the user's, to be compared with these; of distances, a row for each."""


class DenseData(Data):
    """Rows of an array."""

    def __init__(self, array: RowReader, name: str, metric: Metric, p: float) -> None:
        self.things, self.name, self.metric, self.p = array, name, metric, p
        self.n = len(array)
        if name == "haversine":
            check.check_sphere(array)

    def pick(self, chosen: Indices) -> DenseData:
        return DenseData(self.things[chosen], self.name, self.metric, self.p)

    def like(self, X: Any, estimator: object = None) -> DenseData | SparseData:
        return rows_of(X, self.name, self.metric, self.p, estimator)

    def dense(self) -> DenseData:
        return self

    def sparse(self) -> SparseData:
        """The same rows, compressed."""
        return SparseData(sparse.csr_array(self.things[:]), self.name, self.metric, self.p)


class SparseData(Data):
    """Rows of a sparse matrix."""

    def __init__(self, matrix: Any, name: str, metric: Metric, p: float) -> None:
        self.things, self.name, self.metric, self.p = matrix, name, metric, p
        self.n = matrix.shape[0]

    def pick(self, chosen: Indices) -> SparseData:
        return SparseData(self.things[chosen], self.name, self.metric, self.p)

    def like(self, X: Any, estimator: object = None) -> DenseData | SparseData:
        return rows_of(X, self.name, self.metric, self.p, estimator)

    def dense(self) -> DenseData:
        """The same rows, laid out a few at a time."""
        return DenseData(Densified(self.things), self.name, self.metric, self.p)

    def sparse(self) -> SparseData:
        return self


class MatrixData(Data):
    """A matrix of distances: the row is the medoid, the column the point.

    Attributes
    ----------
    chosen : ndarray of int
        The points of a fit that these are; all of them where there is a matrix.
    """

    things = None

    def __init__(self, matrix: Floats, chosen: Indices | None = None) -> None:
        self.matrix, self.n = matrix, matrix.shape[1]
        self.chosen = np.arange(len(matrix)) if chosen is None else chosen

    @property
    def n_rows(self) -> int:
        return len(self.matrix)

    def pick(self, chosen: Indices) -> MatrixData:
        return MatrixData(np.empty((0, 0)), self.chosen[chosen])

    def like(self, X: Any, estimator: object = None) -> Floats:
        return check.as_floats(X, estimator=estimator)


class ObjectData(Data):
    """Objects under a measure, or under a function of the user's; or the rows of a table."""

    def __init__(self, objects: Any, measure: Measure) -> None:
        self.things, self.measure, self.n = objects, measure, len(objects)
        self.packed = measure.pack(objects)
        self.columns = measure.takes not in ("objects", "series")

    def pick(self, chosen: Indices) -> ObjectData:
        if isinstance(self.things, list):
            return ObjectData([self.things[i] for i in chosen], self.measure)
        rows = getattr(self.things, "iloc", self.things)
        return ObjectData(rows[chosen], self.measure)

    def like(self, X: Any, estimator: object = None) -> ObjectData:
        return _objects_of(X, self.measure)


def read(
    X: Any,
    metric: Any,
    metric_params: Mapping[str, Any] | None,
    n_jobs: int | None = None,
    estimator: object = None,
) -> Data:
    """The user's data, checked, as the metric needs it."""
    if callable(metric):
        return _called(X, metric, metric_params, n_jobs, estimator)
    if not isinstance(metric, str):
        raise TypeError(f"metric must be a name or a function, got {type(metric).__name__}.")
    if metric == "precomputed":
        return MatrixData(check.as_distances(X, estimator=estimator))
    if metric in MEASURES:
        return _objects_of(X, measure(metric, mapping(metric_params, "metric_params")))
    return rows_of(X, *resolve(metric, metric_params, MEASURES), estimator)


def _called(
    X: Any, metric: Any, params: Mapping[str, Any] | None, n_jobs: int | None, estimator: object
) -> ObjectData:
    """Objects under a function, which runs inside a kernel if it is one of rows of numbers."""
    if not params and check.is_array_of_numbers(X):
        array = check.as_rows(X, estimator=estimator)
        measure = compiled(metric, array)
        if measure is not None:
            return ObjectData(array, measure)
    given = mapping(params, "metric_params")
    objects, jobs = check.as_objects(X), effective_jobs(n_jobs or 1)
    tried = check_bounds(metric, objects, given)
    return ObjectData(objects, Call(with_params(metric, given), jobs, tried))


def _objects_of(X: Any, measure: Measure) -> ObjectData:
    return ObjectData(_CHECKS[measure.takes](X), measure)


def rows_of(
    X: Any, name: str, metric: Metric, p: float, estimator: object = None
) -> DenseData | SparseData:
    """Rows of numbers."""
    if sparse.issparse(X) and name != "haversine":
        return SparseData(check.as_sparse(X, estimator=estimator), name, metric, p)
    return DenseData(check.as_rows(X, estimator=estimator), name, metric, p)
