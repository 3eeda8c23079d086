"""What is asked of a fitted estimator by those who show it: they need not import it."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ._history import HistoryEntry


class FittedKMedoids(Protocol):
    """A `KMedoids` after its fit, or anything with the same parameters and attributes."""

    n_clusters: int
    metric: Any
    metric_params: Any
    n_jobs: int | None
    medoid_indices_: NDArray[np.int64]
    cluster_centers_: Any
    labels_: NDArray[np.int32]
    inertia_: float
    n_distances_: int
    history_: list[HistoryEntry]

    def __init__(self, n_clusters: int, **parameters: Any) -> None: ...

    def fit(self, X: Any) -> FittedKMedoids: ...

    def transform(self, X: Any) -> NDArray[np.float64]: ...

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
