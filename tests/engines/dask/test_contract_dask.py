"""The contract of engines, kept by the engine of a cluster: its shards are in this process."""

from __future__ import annotations

import numpy as np

from dask_matrix import matrix_engine
from engine_contract import FIRST, EngineContract
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
