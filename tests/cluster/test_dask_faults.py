"""A worker that is killed costs time only."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from typing import Any

import numpy as np
import pytest

from helpers import DEEP, mixture
from medoids import KMedoids
from medoids._tuning import tuned

da = pytest.importorskip("dask.array", reason="the extra dask is not installed")
DaskKMedoids = pytest.importorskip("medoids.dask").KMedoids


def in_build(order: Any) -> bool:
    return order.word == "screen" and not order.step.swap and len(order.medoids) == 2


def in_swap(order: Any) -> bool:
    return order.word in ("refine", "drop") and order.step.swap


def while_leaders_are_valued(order: Any) -> bool:
    return order.word == "value" and order.step.swap


def while_a_medoid_is_placed(order: Any) -> bool:
    return order.word == "place" and len(order.medoids) == 3


SLOW = pytest.mark.slow


@pytest.mark.parametrize("way", ["_send", "_tasks"])
@pytest.mark.parametrize(
    "when",
    [
        in_swap,
        pytest.param(in_build, marks=SLOW),
        pytest.param(while_leaders_are_valued, marks=SLOW),
        pytest.param(while_a_medoid_is_placed, marks=SLOW),
    ],
)
def test_a_worker_is_killed(
    client: Any, monkeypatch: pytest.MonkeyPatch, when: Any, way: str
) -> None:
    from medoids.engines.dask.cluster import OnCluster

    X = mixture(3000, 4, 4, 9)
    killed: list[int] = []
    begin, send = OnCluster.begin, getattr(OnCluster, way)

    def begun(self: Any, ground: Any) -> None:
        begin(self, ground)
        self.long = 0.0 if way == "_tasks" else np.inf

    def killing(self: Any, call: Any, *args: Any) -> Any:
        order = pickle.loads(call).order
        if not killed and order is not None and when(order):
            pids = sorted(client.run(os.getpid).values())
            killed.append(pids[0])
            # The round is on its way, or runs.
            threading.Timer(0.005, os.kill, (pids[0], signal.SIGKILL)).start()
        return send(self, call, *args)

    monkeypatch.setattr(OnCluster, "begin", begun)
    monkeypatch.setattr(OnCluster, way, killing)
    init: Any = "build" if when in (in_build, while_a_medoid_is_placed) else list(range(4))
    with tuned(first_block=128, **DEEP):
        found = DaskKMedoids(4, client=client, init=init, random_state=0).fit(
            da.from_array(X, chunks=(700, -1))
        )
        expected = KMedoids(4, init=init, random_state=0).fit(X)
    assert killed
    assert found.medoid_indices_.tolist() == expected.medoid_indices_.tolist()
    assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-12)
    np.testing.assert_array_equal(found.labels_.compute(), expected.labels_)
