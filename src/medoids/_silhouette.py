"""How clearly each row belongs to its cluster, from distances to medoids alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import to_host
from ._fitted import FittedKMedoids
from .data import checks as check


def medoid_silhouette(distances: ArrayLike) -> NDArray[np.float64]:
    """The medoid silhouette of each row: 1 - nearest / second nearest (Lenssen and Schubert 2022).

    It costs n k distances and serves any metric. It is not Rousseeuw's silhouette, which
    averages over all members of two clusters. It is 1 on a medoid, and 0 halfway between two.

    Parameters
    ----------
    distances : array-like of shape (n_samples, n_clusters)
        From each medoid to each row, as `KMedoids.transform` gives them; not negative.

    Returns
    -------
    ndarray of shape (n_samples,)
        From 0 to 1; their mean says how well the clusters are apart.

    Examples
    --------
    >>> from medoids._silhouette import medoid_silhouette
    >>> medoid_silhouette([[0.0, 4.0], [1.0, 4.0], [3.0, 3.0]]).tolist()
    [1.0, 0.75, 0.0]
    """
    values = np.asarray(distances, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] < 2:
        raise ValueError(
            f"distances has shape {values.shape}, but a silhouette compares two medoids: give"
            " a column for each of at least two."
        )
    if values.size and values.min() < 0:
        raise ValueError(
            "distances has negative values, for which there is no silhouette: shift them to 0"
            " and above."
        )
    nearest, second = np.partition(values, 1, axis=1)[:, :2].T
    # 0 / 0 counts as 0, as in the paper.
    ratio = np.divide(nearest, second, out=np.zeros(len(values)), where=second > 0)
    return np.asarray(1 - ratio)


def fit_distances(km: FittedKMedoids, X: Any) -> NDArray[np.float64]:
    """From each medoid to each row of the fit, whose X this is; a column for each medoid."""
    if km.metric != "precomputed":
        return to_host(km.transform(X))  # a frame, where set_output asks for one
    matrix = check.as_distances(X, estimator=km)
    if matrix.shape[1] != len(km.labels_):
        raise ValueError(
            f"X has {matrix.shape[1]} columns, but the fit had {len(km.labels_)}: give the X of"
            " the fit."
        )
    return matrix[km.medoid_indices_].T.astype(np.float64)


class Nearest(NamedTuple):
    """For each row: the distance from its medoid, and which is the second nearest, how far.

    With one medoid there is no second: it is -1, at an infinite distance.
    """

    first: NDArray[np.float64]
    second: NDArray[np.int64]
    second_distance: NDArray[np.float64]


def nearest_two(distances: NDArray[np.float64], labels: NDArray[np.int32]) -> Nearest:
    """Split the distances of each row into its own medoid's and the best of the others."""
    every = np.arange(len(labels))
    others = distances.copy()
    others[every, labels] = np.inf
    second = others.argmin(axis=1)
    far = others[every, second]
    return Nearest(distances[every, labels], np.where(np.isfinite(far), second, -1), far)
