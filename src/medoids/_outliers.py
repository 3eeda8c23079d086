"""Rows far from every medoid: how far, against what is usual in their cluster."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def usual_distances(
    nearest: NDArray[np.float64], labels: NDArray[np.int32], k: int
) -> NDArray[np.float64]:
    """The median distance from the medoid in each cluster, over the rows that are not on it.

    A cluster that has no such row has the median of all clusters; 0 where none has.
    """
    apart = nearest > 0
    every = float(np.median(nearest[apart])) if apart.any() else 0.0
    usual = np.full(k, every)
    for label in range(k):
        own = nearest[apart & (labels == label)]
        if len(own):
            usual[label] = np.median(own)
    return usual


def times_usual(
    nearest: NDArray[np.float64], labels: NDArray[np.int32], usual: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Each row's distance over what is usual in its cluster: 0 on the medoid, 1 as usual."""
    if nearest.size and nearest.min() < 0:
        raise ValueError(
            "distances has negative values, for which there is no outlier score: shift them to 0"
            " and above."
        )
    own = usual[labels]
    # Where all rows of the fit are on medoids, any distance is beyond what is usual.
    beyond = np.where(nearest > 0, np.inf, 0.0)
    return np.divide(nearest, own, out=beyond, where=own > 0)
