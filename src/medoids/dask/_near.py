"""Centres of any origin to begin with: which rows of a cluster they mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._threads import Workers
from ..data.kinds import Data
from ..engines.cpu.points import distances_between


def rows_near(client: Any, centres: Data, partitions: Sequence[Any], k: int) -> list[int]:
    """For each centre the row nearest to it that is not taken."""
    if centres.n != k:
        raise ValueError(
            f"init has {centres.n} centres for n_clusters={k}: give {k}, or a flat list of row"
            " indices."
        )
    futures = [client.submit(_near, centres, part, k, pure=False) for part in partitions]
    found = client.gather(futures)
    starts = np.cumsum([0, *(size for size, _, _ in found)])
    distances = np.concatenate([near for _, near, _ in found], axis=1)
    rows = np.concatenate(
        [at + start for (_, _, at), start in zip(found, starts, strict=False)], axis=1
    )
    taken: list[int] = []
    for i in range(k):
        order = np.lexsort((rows[i], distances[i]))
        taken.append(next(int(row) for row in rows[i][order] if int(row) not in taken))
    return taken


def _near(
    centres: Data, part: Any, count: int
) -> tuple[int, NDArray[np.float64], NDArray[np.int64]]:
    """How many rows a partition has; for each centre the distances of its nearest, and which."""
    things = part if hasattr(part, "shape") else list(part)
    n = int(things.shape[0]) if hasattr(things, "shape") else len(things)
    if not n:
        return 0, np.empty((centres.n, 0)), np.empty((centres.n, 0), dtype=np.int64)
    with Workers(1) as workers:
        distances = distances_between(centres, centres.like(things), workers)
    at = np.argsort(distances, axis=1, kind="stable")[:, :count]
    return n, np.take_along_axis(distances, at, axis=1), at
