"""Points of a matrix of distances, in partitions that are in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from helpers import Floats
from medoids._threads import Workers
from medoids._tuning import Tuning
from medoids.data.kinds import Data
from medoids.engines.cpu.points.across import Described, Side, Space
from medoids.engines.dask.common import Common
from medoids.engines.dask.engine import DaskEngine
from medoids.engines.dask.orders import Order
from medoids.engines.dask.reader import Reader
from medoids.engines.dask.transport import InProcess
from medoids.engines.scale import log2_of, moderate


class _MatrixSpace(Space):
    def __init__(self, matrix: Floats, workers: Workers) -> None:
        super().__init__(workers)
        self.matrix = matrix
        self.unit = moderate(log2_of(float(np.abs(matrix).max())), len(matrix))
        self.nonnegative = bool(matrix.min() >= 0)

    def side(self, data: Any) -> Side:
        return Side(data.n, data.things)

    def itself(self, side: Side) -> Any:
        return self.matrix[side.laid, side.laid] / self.unit

    def _rough(self, left: Side, arms: Any, right: Side, refs: Any, out: Any) -> None:
        out[:] = self._exact(left, arms, right, refs)

    def _exact(self, left: Side, arms: Any, right: Side, refs: Any) -> Any:
        columns = right.laid if refs is None else right.laid[refs]
        return self.matrix[np.ix_(left.laid[arms], columns)] / self.unit


class _Ids(Data):
    def __init__(self, rows: Any) -> None:
        self.things, self.n = np.asarray(rows), len(rows)

    def pick(self, chosen: Any) -> _Ids:
        return _Ids(self.things[chosen])

    def like(self, X: Any, estimator: object = None) -> _Ids:
        return _Ids(X)


class MatrixReader(Reader):
    """Things are rows of a matrix, by their numbers."""

    def __init__(self, matrix: Floats) -> None:
        super().__init__("precomputed", None)
        self.matrix = matrix

    def read(self, things: Any) -> Data:
        return _Ids(things)

    def describe(self, data: Any, workers: Workers) -> Described:
        return Described(data.n, "objects", None, np.dtype(float), 0.0, 1, 0)

    def space(self, data: Any, whole: Described, workers: Workers, copy_limit: float) -> Space:
        return _MatrixSpace(self.matrix, workers)

    def row_bytes(self, data: Any) -> float:
        return 8.0

    def cost(self, data: Any) -> float:
        """So dear that a search of few rows goes as deep as one of many."""
        return 1e5


def matrix_engine(
    matrix: Floats,
    n_clusters: int,
    seed: int,
    partitions: list[Any],
    groups: list[list[int]],
    *,
    tuning: Tuning | None = None,
    room: float = 1e9,
    loses: Callable[[int, Order], bool] | None = None,
    weights: list[Any] | None = None,
    **more: Any,
) -> DaskEngine:
    """An engine on partitions of the rows of a matrix."""
    tuning = Tuning() if tuning is None else tuning
    transport = InProcess(
        lambda: MatrixReader(matrix), partitions, groups, weights, tuning, room, loses
    )
    return DaskEngine(Common(transport, n_clusters, seed, tuning, **more), n_clusters)
