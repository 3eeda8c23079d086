"""The contract of engines, kept by the reference engine."""

from __future__ import annotations

import numpy as np

from engine_contract import FIRST, EngineContract, matrix_of
from helpers import Floats
from medoids.engines.protocol import Ids, Values
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

    def test_every_distance_that_is_computed_is_counted(self) -> None:
        matrix, computed = matrix_of("mixture", 600), 0

        def distances(arms: Ids, refs: Ids) -> Values:
            nonlocal computed
            computed += len(arms) * len(refs)
            return matrix[np.ix_(arms, refs)]

        engine = ReferenceEngine(distances, 600, 3, np.random.default_rng(0), first=64)
        found = self.fit(engine.fresh())
        assert found.n_distances == engine.n_distances == computed > 64 * 600
