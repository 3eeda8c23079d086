"""A worker that is killed costs time only."""

from __future__ import annotations

import os
import signal
from typing import Any

import numpy as np
import pytest

from helpers import mixture
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


@pytest.mark.parametrize(
    "when",
    [
        in_swap,
        pytest.param(in_build, marks=SLOW),
        pytest.param(while_leaders_are_valued, marks=SLOW),
        pytest.param(while_a_medoid_is_placed, marks=SLOW),
    ],
)
def test_a_worker_is_killed(client: Any, monkeypatch: pytest.MonkeyPatch, when: Any) -> None:
    from medoids.engines.dask.cluster import OnCluster

    X = mixture(3000, 4, 4, 9)
    killed: list[int] = []
    gather = OnCluster._gather
    ask = OnCluster.ask

    def watched(self: Any, order: Any, names: Any) -> Any:
        self.now = order
        return ask(self, order, names)

    def killing(self: Any, futures: Any, shards: Any) -> Any:
        if not killed and getattr(self, "now", None) is not None and when(self.now):
            # The tasks are on their way, or run.
            pids = sorted(client.run(os.getpid).values())
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)
        return gather(self, futures, shards)

    monkeypatch.setattr(OnCluster, "ask", watched)
    monkeypatch.setattr(OnCluster, "_gather", killing)
    init: Any = "build" if when in (in_build, while_a_medoid_is_placed) else list(range(4))
    with tuned(first_block=128):
        found = DaskKMedoids(4, client=client, init=init, random_state=0).fit(
            da.from_array(X, chunks=(700, -1))
        )
        expected = KMedoids(4, init=init, random_state=0).fit(X)
    assert killed
    assert found.medoid_indices_.tolist() == expected.medoid_indices_.tolist()
    assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-12)
    np.testing.assert_array_equal(found.labels_.compute(), expected.labels_)
