"""The contract of engines, kept by the engine of the CPU."""

from __future__ import annotations

import numpy as np

from engine_contract import FIRST, EngineContract
from helpers import Floats, precomputed
from medoids._tuning import Tuning
from medoids.engines.cpu.engine import CPUEngine


class TestContract(EngineContract):
    def engine(
        self, matrix: Floats, n_clusters: int, seed: int = 0, first: int = FIRST
    ) -> CPUEngine:
        # A search is to stay one, whatever it has cost.
        tuning = Tuning(first_block=first, completes=False)
        rng = np.random.default_rng(seed)
        return CPUEngine(precomputed(matrix), n_clusters, 1e9, rng, tuning)
