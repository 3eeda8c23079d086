"""A real cluster of two processes, for all tests of this folder."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="package")  # and no longer: a cluster that does nothing keeps a core busy
def cluster() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    # Workers that are killed on purpose are no news.
    for name in ("distributed.nanny", "distributed.scheduler", "distributed.worker", "distributed"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as local,
        Client(local) as client,
    ):  # fmt: skip
        yield client


@pytest.fixture
def client(cluster: Any) -> Any:
    cluster.wait_for_workers(2, timeout=300)
    return cluster
