"""What is asked of a fitted estimator by those who show it: they need not import it."""

from __future__ import annotations

from copy import copy
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ._arrays import is_elsewhere, to_host
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


def on_host(km: FittedKMedoids, X: Any = None) -> tuple[FittedKMedoids, Any]:
    """A fitted estimator and its X to be shown: in NumPy, where they are on a device."""
    check_is_fitted(km)
    if is_elsewhere(km.labels_):
        other = cast(Any, copy(km))
        other.labels_, other.device, other._made = to_host(km.labels_), None, None
        if km.cluster_centers_ is not None:
            other.cluster_centers_ = to_host(km.cluster_centers_)
        km = other
    return km, to_host(X) if is_elsewhere(X) else X
