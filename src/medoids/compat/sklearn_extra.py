"""`KMedoids` and `CLARA` as scikit-learn-extra 0.3 has them, computed by `medoids.KMedoids`."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._estimator import KMedoids as _KMedoids
from .._fit import _levels_to_user
from .._threads import Workers
from ..data.kinds import read
from ..engines.cpu.points import points_of
from ._adapter import Adapter, quietly
from ._metrics import Said

__all__ = ["CLARA", "KMedoids"]

# "pam" is found by adaptive search, without all distances.
_METHODS = {"alternate": "alternate", "pam": "banditpam"}
_INITS = ["random", "heuristic", "k-medoids++", "build"]
# Distances that are summed at a time.
_BLOCK = 2**24


class KMedoids(Adapter):
    """k-medoids clustering, with the parameters and attributes of `sklearn_extra.cluster`.

    Parameters
    ----------
    n_clusters : int, default=8
        How many medoids to find.
    metric : str or callable, default="euclidean"
        A name that `sklearn.metrics.pairwise_distances` knows, a function of two rows (the medoid
        first), or "precomputed".
    method : {"alternate", "pam"}, default="alternate"
        Voronoi iteration, which is faster; or PAM, whose loss is lower.
    init : {"random", "heuristic", "k-medoids++", "build"} or array, default="heuristic"
        Where to start: random rows; those with the smallest sum of distances to all; rows drawn
        far from each other; PAM's BUILD; or the rows nearest to these centres, of shape
        (n_clusters, n_features).
    max_iter : int, default=300
        The most rounds, or swaps; 0 leaves the start as it is.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    cluster_centers_ : ndarray or sparse matrix of shape (n_clusters, n_features), or None
        The medoids; None for a precomputed matrix.
    medoid_indices_ : ndarray of shape (n_clusters,)
        The rows that are medoids.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row.
    inertia_ : float
        The sum of the distances from each row's medoid to the row.
    n_iter_ : int
        Rounds in which medoids moved, or swaps.

    Examples
    --------
    >>> from medoids.compat.sklearn_extra import KMedoids
    >>> X = [[1, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0]]
    >>> km = KMedoids(n_clusters=2, random_state=0).fit(X)
    >>> km.labels_.tolist(), km.inertia_
    ([0, 0, 0, 1, 1, 1], 8.0)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        metric: Any = "euclidean",
        method: str = "alternate",
        init: Any = "heuristic",
        max_iter: int = 300,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.method = method
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Find the medoids of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows; or a square matrix, if `metric` is "precomputed".
        y : ignored
        """
        k = _checked(self)
        if self.method not in _METHODS:
            raise ValueError(
                f"method={self.method} is not supported. Supported methods are 'pam' and"
                " 'alternate'."
            )
        rows, ours, seen = self._read(X)
        n = rows.shape[0]
        if k > n:
            raise ValueError(
                f"The number of medoids ({k}) must be less than the number of samples {n}."
            )
        rng = check_random_state(self.random_state)
        init = _start(self.init, rows, ours, k, rng)
        km = quietly(
            _KMedoids(
                k, metric=ours.metric, method=_METHODS[self.method], init=init,
                max_iter=self.max_iter, random_state=rng,
            ),
            ours.X,
        )  # fmt: skip
        _warn(km, self.max_iter)
        return self._keep(km, rows, ours.by, seen)


class CLARA(Adapter):
    """PAM on samples, with the parameters and attributes of `sklearn_extra.cluster`.

    Each sample holds the best medoids so far, and those that are best on all rows are kept.

    Parameters
    ----------
    n_clusters : int, default=8
        How many medoids to find.
    metric : str or callable, default="euclidean"
        As for `KMedoids`.
    init : {"random", "heuristic", "k-medoids++", "build"} or array, default="build"
        As for `KMedoids`; "heuristic" looks at a sample.
    max_iter : int, default=300
        The most swaps in a sample.
    n_sampling : int, default=None
        Rows in a sample; None is 40 + 2 n_clusters.
    n_sampling_iter : int, default=5
        How many samples.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    cluster_centers_, medoid_indices_, labels_, inertia_
        As of `KMedoids`.
    n_iter_ : int
        The samples.

    Examples
    --------
    >>> from medoids.compat.sklearn_extra import CLARA
    >>> clara = CLARA(n_clusters=2, random_state=0)
    >>> clara.fit_predict([[1, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0]]).tolist()
    [0, 0, 0, 1, 1, 1]
    """

    def __init__(
        self,
        n_clusters: int = 8,
        metric: Any = "euclidean",
        init: Any = "build",
        max_iter: int = 300,
        n_sampling: int | None = None,
        n_sampling_iter: int = 5,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.init = init
        self.max_iter = max_iter
        self.n_sampling = n_sampling
        self.n_sampling_iter = n_sampling_iter
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Find the medoids of X, as for `KMedoids`."""
        k = _checked(self)
        rows, ours, seen = self._read(X)
        n = rows.shape[0]
        if k > n:
            raise ValueError(f"sample_size should be greater than n_clusters={k}, got {n}.")
        size = 40 + 2 * k if self.n_sampling is None else self.n_sampling
        if size <= k:
            raise ValueError(f"sampling size must be strictly greater than n_clusters={k}.")
        rng = check_random_state(self.random_state)
        some = np.sort(rng.choice(n, min(size, n), replace=False))
        init = _start(self.init, rows, ours, k, rng, some)
        km = _KMedoids(
            k, metric=ours.metric, method="clara", init=init, max_iter=self.max_iter,
            random_state=rng,
            method_params={"n_sampling": size, "n_sampling_iter": self.n_sampling_iter},
        ).fit(ours.X)  # fmt: skip
        return self._keep(km, rows, ours.by, seen, n_iter_=self.n_sampling_iter)


def _checked(km: KMedoids | CLARA) -> int:
    """The number of clusters, if all else is right too; the errors are those of the package."""
    for name, least in (("n_clusters", 1), ("max_iter", 0)):
        value = getattr(km, name)
        if not isinstance(value, (int, np.integer)) or value < least:
            raise ValueError(f"{name} should be a nonnegative integer. {value} was given")
    if isinstance(km.init, str) or not hasattr(km.init, "__len__"):
        if not isinstance(km.init, str) or km.init not in _INITS:
            raise ValueError(f"init needs to be one of the following: {[*_INITS, 'array-like']}")
        return int(km.n_clusters)
    if len(km.init) != km.n_clusters:
        warnings.warn(
            "n_clusters should be equal to size of array-like if init is array-like setting"
            f" n_clusters to {len(km.init)}.",
            stacklevel=_levels_to_user(),
        )
    return len(km.init)


def _start(
    init: Any,
    rows: Any,
    ours: Said,
    k: int,
    rng: np.random.RandomState,
    some: NDArray[np.int64] | None = None,
) -> Any:
    """What `medoids.KMedoids` is to start from; "heuristic" looks at `some` rows, or at all."""
    if not isinstance(init, str):
        return _rows_like(np.atleast_2d(init), rows) if ours.metric == "precomputed" else init
    if init == "random":
        return rng.choice(rows.shape[0], k, replace=False)
    if init == "heuristic":
        if some is None:
            some = np.arange(rows.shape[0])
        return some[np.argpartition(_sums(ours, some), k - 1)[:k]]
    return init


def _sums(ours: Said, some: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sum of the distances from each of some rows to all of them."""
    data = read(ours.X, ours.metric, ours.metric_params)
    size = max(_BLOCK // len(some), 1)
    with Workers() as workers:
        points = points_of(data, workers, float("inf"))
        parts = [
            points.block_array(some[at : at + size], some).sum(axis=1, dtype=np.float64)
            for at in range(0, len(some), size)
        ]
    return np.concatenate(parts)


def _rows_like(centres: NDArray[Any], rows: Any) -> list[int]:
    """Which rows these are, where there are only distances: the first that is equal to each."""
    found = []
    for position, centre in enumerate(centres):
        equal = np.flatnonzero((rows == centre).all(axis=1))
        if not len(equal):
            raise ValueError(f"init[{position}] is no row of X: with distances, give rows of X.")
        found.append(int(equal[0]))
    return found


def _warn(km: _KMedoids, max_iter: int) -> None:
    if km.n_iter_ == max_iter > 0 and km.inertia_ > 0:
        warnings.warn(
            "Maximum number of iteration reached before convergence. Consider increasing max_iter"
            " to improve the fit.",
            ConvergenceWarning,
            stacklevel=_levels_to_user(),
        )
    for empty in np.flatnonzero(np.bincount(km.labels_, minlength=len(km.medoid_indices_)) == 0):
        warnings.warn(
            f"Cluster {empty} is empty! self.labels_[self.medoid_indices_[{empty}]] may not be"
            f" labeled with its corresponding cluster ({empty}).",
            stacklevel=_levels_to_user(),
        )
