"""Centres of any origin to begin with: which rows they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._arrays import to_host
from .data.kinds import Data, read
from .engines.compare import distances_between


def centres_of(
    init: Any, metric: Any, metric_params: Mapping[str, Any] | None, n_jobs: int | None
) -> Data | None:
    """Centres that are given as a table, a row for each; None if these are rows or a name."""
    if not _is_table(init):
        return None
    if metric == "precomputed":
        raise ValueError("init must be rows where metric='precomputed': give indices.")
    return read(init, metric, metric_params, n_jobs)


def rows_near(centres: Data, data: Data, k: int, n_jobs: int | None) -> tuple[list[int], int]:
    """For each centre the row nearest to it that is not taken; and how many distances it took."""
    if centres.n != k:
        raise ValueError(
            f"init has {centres.n} centres for n_clusters={k}: give {k}, or a flat list of row"
            " indices."
        )
    have, due = (getattr(some.things, "shape", (0, 0))[1:] for some in (centres, data))
    if have != due:
        raise ValueError(
            f"init has centres of {have[0]} features, but X has {due[0]} features: give centres"
            " like its rows."
        )
    distances = to_host(distances_between(centres, centres.like(data.things), n_jobs))
    return _nearest_rows(distances), distances.size


def _is_table(init: Any) -> bool:
    if isinstance(init, (list, tuple)):
        try:
            return len(np.shape(init)) == 2
        except ValueError:  # lists of different lengths
            return False
    return getattr(init, "ndim", 0) == 2


def _nearest_rows(distances: NDArray[np.float64]) -> list[int]:
    taken: list[int] = []
    for row in distances:
        free = row.copy()  # what comes from a device may be read-only
        free[taken] = np.inf
        taken.append(int(free.argmin()))
    return taken
