"""Metrics by the names of scikit-learn's `pairwise_distances`: ours, or theirs on a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import pairwise_distances

from .._spelling import unknown
from .._threads import Workers
from ..data.kinds import read
from ..dissimilarities.metrics import METRICS, SYNONYMS
from ..engines.cpu.points import points_of
from ._matrices import arms_first

# "jaccard" is of booleans there: any number but zero is True.
_OURS = sorted({*METRICS, *SYNONYMS, "precomputed"} - {"jaccard"})
# Of these all n² distances are computed first.
_THEIRS = [
    "dice", "jaccard", "mahalanobis", "rogerstanimoto", "russellrao", "seuclidean",
    "sokalmichener", "sokalsneath", "yule",
]  # fmt: skip


class Said(NamedTuple):
    """What is to be clustered, in the words of `medoids.KMedoids`.

    Attributes
    ----------
    X : array-like
        The rows, or a matrix of their distances.
    metric : str or callable
    metric_params : mapping or None
    by : dict or None
        How new rows are compared with the medoids, if `pairwise_distances` does it.
    """

    X: Any
    metric: Any
    metric_params: Mapping[str, Any] | None
    by: dict[str, Any] | None = None


def said(X: Any, metric: Any, metric_params: Mapping[str, Any] | None = None) -> Said:
    """Rows that are checked, under a metric by any of the names."""
    if isinstance(metric, str) and metric in _THEIRS:
        by = {"metric": metric, **_learned(X, metric), **(metric_params or {})}
        return Said(pairwise_distances(X, **by), "precomputed", None, by)
    if not callable(metric) and metric not in _OURS:
        raise ValueError(unknown("metric", metric, [*_OURS, *_THEIRS]))
    if isinstance(metric, str) and metric == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"Precomputed metric requires a square matrix, got one of shape {X.shape}: give the"
            " distances between all rows, or name the metric if these are features."
        )
    return Said(X, metric, metric_params)


def matrix_of(said: Said) -> NDArray[Any]:
    """All distances; a row for each medoid."""
    if said.metric == "precomputed":
        return arms_first(np.asarray(said.X))
    data = read(said.X, said.metric, said.metric_params)
    with Workers() as workers:
        points = points_of(data, workers, float("inf"))
        return points.exact(np.arange(points.n)) * points.unit


def _learned(X: Any, metric: str) -> dict[str, Any]:
    """What a metric takes from the rows of the fit: new rows are measured by the same."""
    if metric not in ("seuclidean", "mahalanobis"):
        return {}
    if sparse.issparse(X):
        raise TypeError(f"metric={metric!r} needs dense rows: give X.toarray().")
    if metric == "seuclidean":
        return {"V": np.var(X, axis=0, ddof=1, dtype=np.float64)}
    return {"VI": np.linalg.pinv(np.atleast_2d(np.cov(X.T, dtype=np.float64)))}
