"""What the scikit-learn estimators of other packages have in common: a fit of ours inside."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from .._estimator import KMedoids
from ._metrics import Said, said

_FLOATS = [np.float64, np.float32]
_OF_COLUMNS = ("n_features_in_", "feature_names_in_")


def quietly(km: KMedoids, X: Any) -> KMedoids:
    """Fit; what is to be said of it is said in the words of the package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return km.fit(X)


class Adapter(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """An estimator that is fitted by `medoids.KMedoids`.

    A subclass has `metric` and `metric_params`, and a `fit` that calls `_read`, then `_keep`.

    Attributes
    ----------
    _km : medoids.KMedoids
        Fitted on the rows, or on the matrix of their distances.
    _by : dict or None
        How `pairwise_distances` compares new rows with the medoids; None where `_km` does.
    """

    metric: Any
    metric_params: Any = None
    cluster_centers_: Any
    medoid_indices_: NDArray[np.int64]
    labels_: NDArray[np.int64]
    inertia_: float
    n_iter_: int
    _km: KMedoids
    _by: dict[str, Any] | None

    def transform(self, X: ArrayLike) -> NDArray[np.floating]:
        """The distance from each medoid to each row, in the type of the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_query, n_features)
            With a precomputed metric, of shape (n_query, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_query, n_clusters)
        """
        rows, distances = self._distances(X)
        return distances.astype(rows.dtype, copy=False)

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """The cluster of each row; `X` as for `transform`."""
        return np.asarray(self._distances(X)[1].argmin(axis=1))

    def _distances(self, X: ArrayLike) -> tuple[Any, NDArray[np.float64]]:
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, accept_sparse="csr", dtype=_FLOATS)
        if self._by is not None:
            return rows, np.asarray(pairwise_distances(rows, self.cluster_centers_, **self._by))
        return rows, self._km.transform(rows)

    def _read(self, X: ArrayLike) -> tuple[Any, Said, dict[str, Any]]:
        """The rows, checked; the same for our own fit; and what is known of their columns."""
        fresh = type(self)(**self.get_params(deep=False))  # so that a failure changes nothing
        rows = validate_data(fresh, X, accept_sparse="csr", dtype=_FLOATS)
        seen = {name: value for name, value in vars(fresh).items() if name in _OF_COLUMNS}
        return rows, said(rows, self.metric, self.metric_params), seen

    def _keep(self, km: KMedoids, rows: Any, by: Any, seen: dict[str, Any], **other: Any) -> Self:
        """Take over what was found, all at once; `other` is what the package says otherwise."""
        given = isinstance(self.metric, str) and self.metric == "precomputed"
        found = {
            "_km": km,
            "_by": by,
            "cluster_centers_": None if given else rows[km.medoid_indices_],
            "medoid_indices_": km.medoid_indices_,
            "labels_": km.labels_.astype(np.int64),
            "inertia_": km.inertia_,
            "n_iter_": km.n_iter_,
            **other,
        }
        kept = {name: value for name, value in vars(self).items() if name not in _OF_COLUMNS}
        self.__dict__ = kept | found | seen
        return self

    @property
    def _n_features_out(self) -> int:
        return len(self.medoid_indices_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        given = isinstance(self.metric, str) and self.metric == "precomputed"
        tags.input_tags.sparse, tags.input_tags.pairwise = not given, given
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
