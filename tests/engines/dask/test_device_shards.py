"""Shards whose distances come from a device: here NumPy, and torch where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers import DEEP
from medoids import KMedoids
from medoids._threads import Workers
from medoids._tuning import Tuning
from medoids.data.kinds import read
from medoids.engines.array.namespace import Space as Device
from medoids.engines.cpu.points.across import Described, Space, describe, space_of
from medoids.engines.dask import device as on_device
from medoids.engines.dask.common import Common
from medoids.engines.dask.engine import DaskEngine
from medoids.engines.dask.reader import Reader
from medoids.engines.dask.transport import InProcess
from medoids.methods.banditpam import banditpam
from medoids.methods.monitor import Monitor
from medoids.methods.settings import Settings

DEVICES = ["numpy", "torch"]


def rows_of(metric: str, n: int, seed: int = 0) -> Any:
    """Rows in groups, with copies, near copies, and one of zeros."""
    rng = np.random.default_rng(seed)
    if metric == "haversine":
        return np.stack([rng.uniform(-1.5, 1.5, n), rng.uniform(-3.1, 3.1, n)], axis=1)
    if metric == "hamming":
        return rng.integers(0, 3, (n, 12)).astype(float)
    X = rng.normal(size=(n, 12)) + 4 * rng.integers(0, 3, (n, 12)) + 20
    X[1] = X[0]
    X[2] = X[0] + 1e-5
    X[3] = 0
    return X


@pytest.fixture(params=DEVICES)
def like(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    there: Any = np.zeros((1, 1), dtype=np.float32)
    if request.param == "torch":
        there = pytest.importorskip("torch").zeros((1, 1))
    monkeypatch.setattr(on_device, "to_device", lambda X, device: there)
    return there


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("metric", on_device.METRICS)
def test_distances_are_those_of_the_cpu(
    metric: str, held: bool, like: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not held:
        monkeypatch.setattr(Device, "free_bytes", lambda self: 0.0)
    monkeypatch.setattr("medoids.engines.array.namespace._CHUNK", 5000)  # several to a block
    X, workers = rows_of(metric, 3000), Workers(1)
    data = read(X, metric, None)
    few, whole = data.like(X[:100]), describe(data, workers)
    theirs = space_of(data, whole, workers, 1e9)
    ours = on_device.device_space(data, whole, workers, 1e9, "cuda")
    blocks = []
    for space in (theirs, ours):
        left, right = space.side(few), space.side(data)
        space.settle(left, len(X))
        for arms, refs in ((np.arange(100), np.arange(3000)), (np.array([0, 2, 50]), np.arange(9))):
            for shape in ((len(arms), len(refs)), (len(refs), len(arms))):
                out = np.empty(shape, dtype=np.float32)
                if len(arms) == shape[0]:
                    space.rough(left, arms, right, refs, out)
                else:
                    space.rough(right, refs, left, arms, out)
                blocks.append(out)
        assert (right.laid.there is not None) == held if space is ours else True
    count = len(blocks) // 2
    largest = max(float(each.max()) for each in blocks)
    for expected, found in zip(blocks[:count], blocks[count:], strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6 * largest)
    assert ours.n_distances == theirs.n_distances


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_the_medoids_are_those_of_pam(metric: str, like: Any) -> None:
    X = rows_of(metric, 1200, seed=1)
    parts, groups = np.split(X, [100, 700]), [[0, 2], [1]]
    engine = _fit(lambda: Reader(metric, None, "cuda"), parts, groups)
    pam = KMedoids(5, metric=metric, method="pam").fit(X)
    assert engine.medoids == pam.medoid_indices_.tolist()
    assert engine.n_distances > 0


def test_a_client_needs_no_device(like: Any) -> None:
    reader = Reader("l2", None, "cuda")
    data = reader.read(rows_of("l2", 50))
    whole = reader.describe(data, Workers(1))
    assert isinstance(reader.space(data, whole, Workers(1), 1e9), on_device.DeviceSpace)
    assert not isinstance(_space(reader.on_host(), data, whole), on_device.DeviceSpace)


def test_other_data_is_refused() -> None:
    from scipy import sparse

    reader = Reader("l1", None, "cuda")
    data = reader.read(sparse.random(50, 8, 0.5, format="csr", random_state=0))
    whole = reader.describe(data, Workers(1))
    with pytest.raises(TypeError, match="device='cuda' takes dense rows"):
        _space(reader, data, whole)


def _space(reader: Reader, data: Any, whole: Described) -> Space:
    return reader.space(data, whole, Workers(1), 1e9)


def _fit(reader: Any, parts: list[Any], groups: list[list[int]]) -> DaskEngine:
    tuning = Tuning(first_block=64, **DEEP)
    transport = InProcess(reader, parts, groups, None, tuning, 1e9, None)
    engine = DaskEngine(Common(transport, 5, 0, tuning), 5)
    rng = np.random.default_rng(0)
    banditpam(Settings(engine, "build", 300, None, "best", rng, Monitor(0), tuning))  # type: ignore[arg-type]
    return engine
