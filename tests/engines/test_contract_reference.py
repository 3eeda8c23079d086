"""The contract of engines, kept by the reference engine."""

from __future__ import annotations

import numpy as np

from engine_contract import FIRST, EngineContract
from helpers import Floats
from medoids.engines.reference import ReferenceEngine


class TestContract(EngineContract):
    def engine(
        self, matrix: Floats, n_clusters: int, seed: int = 0, first: int = FIRST
    ) -> ReferenceEngine:
        return ReferenceEngine(
            lambda arms, refs: matrix[np.ix_(arms, refs)],
            len(matrix),
            n_clusters,
            np.random.default_rng(seed),
            first=first,
            nonnegative=bool(matrix.min() >= 0),
        )
