"""What the functions return."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class KMedoidsResult:
    """What k-medoids has found.

    Attributes
    ----------
    loss : float or int
        The sum of the distances to the nearest medoid, whole if the distances are; or the mean
        silhouette, where that is what was sought.
    labels : ndarray of uint64 of shape (n_samples,)
        The cluster of each point.
    medoids : ndarray of uint64 of shape (n_clusters,)
        The points that are medoids.
    n_iter : int or None
        Passes over the points, with the last one that finds nothing.
    n_swap : int or None
        Swaps done.

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.compat import kmedoids
    >>> X = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> D = np.abs(X[:, None] - X)
    >>> found = kmedoids.pam(D, 2)
    >>> found.loss, found.labels.tolist()
    (4.0, [0, 0, 0, 1, 1, 1])
    """

    def __init__(
        self,
        loss: float,
        labels: NDArray[Any],
        medoids: NDArray[Any],
        n_iter: int | None = None,
        n_swap: int | None = None,
    ) -> None:
        self.loss = loss
        self.labels = labels
        self.medoids = medoids
        self.n_iter = n_iter
        self.n_swap = n_swap

    def __repr__(self) -> str:
        return _shown(self, ["loss", "labels", "medoids", "n_iter", "n_swap"])


class DynkResult:
    """What was found with a number of clusters that was sought, too.

    Attributes
    ----------
    loss, labels, medoids, n_iter, n_swap
        As of `KMedoidsResult`, with the best number of clusters; counts are of all of them.
    bestk : int
        That number.
    losses : ndarray of shape (len(rangek),)
        The mean medoid silhouette for each number.
    rangek : ndarray
        The numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.compat import kmedoids
    >>> X = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> D = np.abs(X[:, None] - X)
    >>> found = kmedoids.dynmsc(D, 3, init="first")
    >>> found.bestk, found.rangek.tolist()
    (2, [2, 3])
    """

    def __init__(
        self,
        loss: float,
        labels: NDArray[Any],
        medoids: NDArray[Any],
        bestk: int,
        losses: NDArray[np.float64],
        rangek: NDArray[Any],
        n_iter: int | None = None,
        n_swap: int | None = None,
    ) -> None:
        self.loss = loss
        self.labels = labels
        self.medoids = medoids
        self.n_iter = n_iter
        self.n_swap = n_swap
        self.bestk = bestk
        self.losses = losses
        self.rangek = rangek

    def __repr__(self) -> str:
        names = ["loss", "labels", "medoids", "bestk", "losses", "rangek", "n_iter", "n_swap"]
        return _shown(self, names)


def _shown(result: object, names: list[str]) -> str:
    parts = [f"{name}={getattr(result, name)}" for name in names]
    return f"{type(result).__name__}({', '.join(parts)})"
