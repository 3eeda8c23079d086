"""What is clustered, in the form that its metric needs. A kind of data makes a kind of points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import _checks as check
from .._threads import Workers, effective_jobs
from ..dissimilarities.base import Measure
from ..dissimilarities.compiled import Compiled, check_bounds, compiled
from ..dissimilarities.metrics import Metric, resolve
from ..dissimilarities.objects import MEASURES, measure
from ..engines.cpu.points.base import Floats, Indices, Points, PrecomputedPoints
from ..engines.cpu.points.dense import DensePoints, between
from ..engines.cpu.points.objects import Call, CallPoints, ObjectPoints
from ..engines.cpu.points.sparse import SPARSE, Densified, SparsePoints, sparse_between


class Data(ABC):
    """`n` things, and the dissimilarity between them.

    Attributes
    ----------
    n : int
    things : Any
        The things as the user knows them; None where there are only distances.
    columns : bool
        They are the rows of a table, with columns that new ones must have too.
    """

    n: int
    things: Any
    columns: bool = True

    @abstractmethod
    def points(self, workers: Workers, memory_limit: float) -> Points:
        """The points of a fit."""

    @abstractmethod
    def pick(self, chosen: Indices) -> Data:
        """Some of the things."""

    @abstractmethod
    def like(self, X: Any, estimator: object = None) -> Any:
        """New things of the user's, to be compared with these; of distances, a row for each."""

    @abstractmethod
    def between(self, others: Any, workers: Workers) -> NDArray[np.float64]:
        """Distances from each of these (medoids) to each of the others."""


class DenseData(Data):
    """Rows of an array."""

    def __init__(self, array: Floats, name: str, metric: Metric, p: float) -> None:
        self.things, self.name, self.metric, self.p = array, name, metric, p
        self.n = len(array)
        if name == "haversine":
            check.check_sphere(array)

    def points(self, workers: Workers, memory_limit: float) -> Points:
        limit = memory_limit / 4
        return DensePoints(self.things, self.metric, self.p, workers, copy_limit=limit)

    def pick(self, chosen: Indices) -> DenseData:
        return DenseData(self.things[chosen], self.name, self.metric, self.p)

    def like(self, X: Any, estimator: object = None) -> DenseData | SparseData:
        return rows_of(X, self.name, self.metric, self.p, estimator)

    def sparse(self) -> SparseData:
        return SparseData(sparse.csr_array(self.things), self.name, self.metric, self.p)

    def between(self, others: DenseData | SparseData, workers: Workers) -> NDArray[np.float64]:
        if isinstance(others, SparseData):
            return self.sparse().between(others, workers)
        return between(self.things, others.things, self.metric, self.p, workers)


class SparseData(Data):
    """Rows of a sparse matrix."""

    def __init__(self, matrix: Any, name: str, metric: Metric, p: float) -> None:
        self.things, self.name, self.metric, self.p = matrix, name, metric, p
        self.n = matrix.shape[0]

    def _dense(self) -> DenseData:
        """The same rows, laid out a few at a time."""
        return DenseData(Densified(self.things), self.name, self.metric, self.p)  # type: ignore[arg-type]

    def points(self, workers: Workers, memory_limit: float) -> Points:
        if self.name in SPARSE:
            return SparsePoints(self.things, self.name, workers)
        return self._dense().points(workers, memory_limit)

    def pick(self, chosen: Indices) -> SparseData:
        return SparseData(self.things[chosen], self.name, self.metric, self.p)

    def like(self, X: Any, estimator: object = None) -> DenseData | SparseData:
        return rows_of(X, self.name, self.metric, self.p, estimator)

    def between(self, others: DenseData | SparseData, workers: Workers) -> NDArray[np.float64]:
        if isinstance(others, DenseData):
            others = others.sparse()
        if self.name not in SPARSE:
            return self._dense().between(others._dense(), workers)
        return sparse_between(self.things, others.things, self.name, workers)


class MatrixData(Data):
    """A square matrix of distances: the row is the medoid, the column the point."""

    things = None

    def __init__(self, matrix: Floats, chosen: Indices | None = None) -> None:
        self.matrix, self.n, self.chosen = matrix, len(matrix), chosen

    def points(self, workers: Workers, memory_limit: float) -> Points:
        return PrecomputedPoints(self.matrix, workers)

    def pick(self, chosen: Indices) -> MatrixData:
        return MatrixData(np.empty((0, 0)), chosen)

    def like(self, X: Any, estimator: object = None) -> Floats:
        return check.as_floats(X, estimator=estimator)

    def between(self, others: Floats, workers: Workers) -> NDArray[np.float64]:
        # A row for each new point, as in scikit-learn: in the fit the point is the column.
        return others[:, self.chosen].T.astype(np.float64)


class ObjectData(Data):
    """Objects under a measure, or under a function of the user's; or the rows of a table."""

    def __init__(self, objects: Any, measure: Measure) -> None:
        self.things, self.measure, self.n = objects, measure, len(objects)
        self.packed = measure.pack(objects)
        self.columns = measure.tabular

    def points(self, workers: Workers, memory_limit: float) -> Points:
        if isinstance(self.measure, Call):
            return CallPoints(self.things, self.measure, workers, memory_limit)
        return ObjectPoints(self.packed, self.n, self.measure, workers)

    def pick(self, chosen: Indices) -> ObjectData:
        if isinstance(self.things, list):
            return ObjectData([self.things[i] for i in chosen], self.measure)
        rows = getattr(self.things, "iloc", self.things)
        return ObjectData(rows[chosen], self.measure)

    def like(self, X: Any, estimator: object = None) -> ObjectData:
        return _objects_of(X, self.measure)

    def between(self, others: ObjectData, workers: Workers) -> NDArray[np.float64]:
        out = np.empty((self.n, others.n))
        every = np.arange(self.n), np.arange(others.n)
        self.measure.fill(self.packed, every[0], others.packed, every[1], out, workers)
        return out


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
        return MatrixData(check.as_matrix(X, estimator=estimator))
    if metric in MEASURES:
        params = check.mapping(metric_params, "metric_params")
        return _objects_of(X, measure(metric, params))
    return rows_of(X, *resolve(metric, metric_params, MEASURES), estimator)


def _called(
    X: Any, metric: Any, params: Mapping[str, Any] | None, n_jobs: int | None, estimator: object
) -> ObjectData:
    """Objects under a function, which runs inside a kernel if it is one of rows of numbers."""
    if not params and check.is_numeric(X):
        array = check.as_rows(X, estimator=estimator)
        measure = compiled(metric, array)
        if measure is not None:
            return ObjectData(array, measure)
    function, objects = check.with_params(metric, params), check.as_objects(X)
    call = Call(function, effective_jobs(n_jobs or 1))
    call.tried = check_bounds(metric, objects, params or {})
    return ObjectData(objects, call)


def _objects_of(X: Any, measure: Measure) -> ObjectData:
    if isinstance(measure, Compiled):
        return ObjectData(check.as_rows(X), measure)
    return ObjectData(check.as_table(X) if measure.tabular else check.as_objects(X), measure)


def rows_of(
    X: Any, name: str, metric: Metric, p: float, estimator: object = None
) -> DenseData | SparseData:
    """Rows of numbers."""
    if sparse.issparse(X) and name != "haversine":
        return SparseData(check.as_sparse(X, estimator=estimator), name, metric, p)
    return DenseData(check.as_rows(X, estimator=estimator), name, metric, p)
