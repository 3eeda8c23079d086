"""The contract of engines, kept by the engine of a cluster: its shards are in this process."""

from __future__ import annotations

import numpy as np

from dask_matrix import matrix_engine
from engine_contract import FIRST, EngineContract, matrix_of
from helpers import Floats
from medoids._tuning import Tuning
from medoids.engines.dask.engine import DaskEngine


class TestContract(EngineContract):
    def engine(
        self, matrix: Floats, n_clusters: int, seed: int = 0, first: int = FIRST
    ) -> DaskEngine:
        # Uneven partitions, one of them empty, on two workers.
        n = len(matrix)
        rows = np.split(np.arange(n), [n // 5, n // 5, n // 2])
        tuning = Tuning(first_block=first)
        return matrix_engine(matrix, n_clusters, seed, rows, [[3, 1], [0, 2]], tuning=tuning)

    def test_some_points_are_an_engine_of_their_own(self) -> None:
        """They are not: rows on a cluster are not gathered to rehearse a start with them."""
        engine = self.engine(matrix_of("mixture"), 5)
        assert engine.some_points(100, 0) is None
