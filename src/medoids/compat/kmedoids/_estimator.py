"""`KMedoids` of the package: its functions on rows, or on a matrix."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..._estimator import KMedoids as _KMedoids
from .._adapter import Adapter, quietly
from .._metrics import matrix_of
from ._matrix import UNLIMITED
from ._seek import dynmsc, fastermsc, fastmsc, pammedsil, pamsil
from ._swaps import alternating, fasterpam, fastpam1, pam

_METHODS: dict[str, Any] = {
    "fasterpam": fasterpam,
    "fastpam1": fastpam1,
    "pam": pam,
    "alternate": alternating,
    "fastermsc": fastermsc,
    "fastmsc": fastmsc,
    "dynmsc": dynmsc,
    "pamsil": pamsil,
    "pammedsil": pammedsil,
}


class KMedoids(Adapter):
    """k-medoids clustering, with the parameters and attributes of `kmedoids`.

    Parameters
    ----------
    n_clusters : int
        How many clusters; the most of them, if `method` is "dynmsc".
    metric : str or callable, default="precomputed"
        A square matrix, whose row is the point and whose column the medoid; a name that
        `sklearn.metrics.pairwise_distances` knows; or a function of two rows, the medoid first.
    metric_params : dict, default=None
        Keywords of the metric.
    method : str, default="fasterpam"
        "fasterpam", "fastpam1", "pam" or "alternate"; or, for the highest silhouette, "fastermsc",
        "fastmsc", "dynmsc", "pamsil" or "pammedsil".
    init : {"random", "first", "build"}, default="random"
    max_iter : int, default=300
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    cluster_centers_ : ndarray or None
        The medoids; None for a precomputed matrix.
    medoid_indices_ : ndarray of shape (n_clusters,)
        The rows that are medoids.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row.
    inertia_ : float
        The sum of the distances to the nearest medoid; or the mean silhouette, where that is
        what the method seeks.
    n_iter_ : int
        Passes over the points.

    Examples
    --------
    >>> from medoids.compat.kmedoids import KMedoids
    >>> X = [[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]]
    >>> KMedoids(2, metric="euclidean", method="pam", init="build").fit(X).labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    def __init__(
        self,
        n_clusters: int,
        *,
        metric: Any = "precomputed",
        metric_params: dict[str, Any] | None = None,
        method: str = "fasterpam",
        init: str = "random",
        max_iter: int = 300,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.metric_params = metric_params
        self.method = method
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Find the medoids of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples), or (n_samples, n_features)
            A matrix of distances, or rows, as `metric` says.
        y : ignored
        """
        if self.method not in _METHODS:
            raise ValueError(
                f"method={self.method} is not supported. Supported methods are"
                f" {', '.join(map(repr, _METHODS))}."
            )
        rows, ours, seen = self._read(X)
        matrix = matrix_of(ours)
        found = _METHODS[self.method](
            matrix.T, self.n_clusters, max_iter=self.max_iter, init=self.init,
            random_state=self.random_state,
        )  # fmt: skip
        chosen = [int(row) for row in found.medoids]
        metric, data = ours.metric, matrix if ours.metric == "precomputed" else ours.X
        km = _KMedoids(
            len(chosen), metric=metric, metric_params=ours.metric_params, method="pam",
            init=chosen, max_iter=0, memory_limit=UNLIMITED,
        )  # fmt: skip
        loss = float(found.loss)
        return self._keep(
            quietly(km, data), rows, ours.by, seen, inertia_=loss, n_iter_=found.n_iter
        )
