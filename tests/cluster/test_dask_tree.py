"""Many workers: orders are passed on from worker to worker, and answers are joined on their way."""

from __future__ import annotations

from typing import Any

import pytest

from helpers import DEEP, mixture
from medoids import KMedoids
from medoids._tuning import tuned

da = pytest.importorskip("dask.array", reason="the extra dask is not installed")
DaskKMedoids = pytest.importorskip("medoids.dask").KMedoids


def test_every_shard_hears_of_an_order_once() -> None:
    from medoids.engines.dask.messages import FAN, above_of, below_of

    for count in (1, 5, 8, 9, 73, 500):
        heard = list(range(min(FAN, count)))
        for number in heard:  # grows as it goes
            heard += below_of(number, count)
        assert sorted(heard) == list(range(count))
        for number in range(FAN, count):
            above = above_of(number, count)
            assert above is not None
            assert number in below_of(above, count)


def test_eleven_workers_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import Client, LocalCluster

    from medoids.engines.dask.cluster import OnCluster

    X, told = mixture(3000, 4, 4, 3), set()
    broadcast = OnCluster._broadcast

    async def watched(self: Any, *args: Any) -> Any:
        found = await broadcast(self, *args)
        told.add((self.shards, len(found)))
        return found

    monkeypatch.setattr(OnCluster, "_broadcast", watched)
    with (
        LocalCluster(
            n_workers=11, threads_per_worker=1, processes=False, dashboard_address=None
        ) as local,
        Client(local) as client,
        tuned(first_block=128, **DEEP),
    ):
        lazy = client.persist(da.from_array(X, chunks=(100, -1)))
        found = DaskKMedoids(4, client=client, random_state=0).fit(lazy)
        expected = KMedoids(4, random_state=0).fit(X)
    assert found.medoid_indices_.tolist() == expected.medoid_indices_.tolist()
    assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-12)
    # Of eleven shards eight are asked; those pass it on.
    assert (11, 8) in told
    assert {count for _, count in told} <= {1, 8}


def test_partitions_are_evened_out() -> None:
    from medoids.engines.dask.cluster import evened

    found = evened({"a": [0, 1, 2, 3, 4, 5], "b": [6, 7], "c": [8]})
    assert {worker: len(numbers) for worker, numbers in found.items()} == {"a": 3, "b": 3, "c": 3}
    assert sorted(number for some in found.values() for number in some) == list(range(9))
    assert found["a"] == [0, 1, 2]
    even = {"a": [0, 2, 4], "b": [1, 3]}
    assert evened(even) == even


def test_partitions_that_lie_on_one_worker_mostly(client: Any) -> None:
    X = mixture(3000, 4, 4, 3)
    workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
    blocks = [
        client.scatter(X[at : at + 500], workers=[workers[at == 2500]])
        for at in range(0, 3000, 500)
    ]
    lazy = da.concatenate([da.from_delayed(each, (500, 4), X.dtype) for each in blocks])
    with tuned(first_block=128, **DEEP):
        found = DaskKMedoids(4, client=client, random_state=0).fit(lazy)
        expected = KMedoids(4, random_state=0).fit(X)
    assert found.medoid_indices_.tolist() == expected.medoid_indices_.tolist()
