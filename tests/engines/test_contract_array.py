"""The contract of engines, kept by the array engine on every namespace that is here."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from engine_contract import FIRST, EngineContract
from helpers import Floats
from medoids._tuning import Tuning
from medoids.engines.array.engine import ArrayEngine
from medoids.engines.array.rows import GivenDistances


class OnNamespace(EngineContract):
    """The suite, for arrays that `array` makes."""

    def array(self, values: Floats) -> Any:
        raise NotImplementedError

    def engine(
        self, matrix: Floats, n_clusters: int, seed: int = 0, first: int = FIRST
    ) -> ArrayEngine:
        points, rng = GivenDistances(self.array(matrix)), np.random.default_rng(seed)
        return ArrayEngine(points, n_clusters, 1e9, rng, Tuning(first_block=first))


class TestNumPy(OnNamespace):
    def array(self, values: Floats) -> Any:
        return values


@pytest.mark.slow
class TestStrict(OnNamespace):
    """A namespace that has what the standard has, and no more."""

    def array(self, values: Floats) -> Any:
        strict = pytest.importorskip("array_api_strict")
        return strict.asarray(values)


@pytest.mark.skipif(not find_spec("torch"), reason="there is no torch")
class TestTorch(OnNamespace):
    def array(self, values: Floats) -> Any:
        torch = pytest.importorskip("torch")
        return torch.asarray(values)


@pytest.mark.skipif(not find_spec("torch"), reason="there is no torch")
class TestTorchOnGPU(OnNamespace):
    def array(self, values: Floats) -> Any:
        torch = pytest.importorskip("torch")
        if not torch.cuda.is_available():
            pytest.skip("there is no GPU")
        return torch.asarray(values, device="cuda")


@pytest.mark.skipif(not find_spec("cupy"), reason="there is no cupy")
class TestCuPy(OnNamespace):
    def array(self, values: Floats) -> Any:
        cupy = pytest.importorskip("cupy")
        return cupy.asarray(values)
