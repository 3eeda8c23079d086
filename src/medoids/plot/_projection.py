"""A map of the data in the plane: which rows it shows, and where."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state

from .._fitted import FittedKMedoids
from .._names import METRICS, SYNONYMS
from .._types import Indices

# Metrics that are norms of the difference of two rows, or their squares.
_NORMS = ("euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski")
# Dissimilarities that are distances in a space of many dimensions. The other ones by name
# (cosine, edits, shares of columns) are more like squares of such, or are so exactly.
_LENGTHS = ("precomputed", "haversine", "dtw", "erp", "msm", "twe", "rmsd")
# What they learn of the data depends on all rows.
_LEARNING = ("gower", "tanimoto", "dice", "bit_hamming")
# Rows, beside the medoids, whose distances say where all others are.
_LANDMARKS = 32


def ranks(
    labels: NDArray[np.int32], distances: NDArray[np.float64], medoids: Indices
) -> NDArray[np.int64]:
    """Each row's place in its cluster, 0 the most typical; the medoid first on a tie."""
    other = np.ones(len(labels), dtype=bool)
    other[medoids] = False
    order = np.lexsort((other, distances, labels))
    sizes = np.bincount(labels)
    starts = np.cumsum(sizes) - sizes
    rank = np.empty(len(labels), dtype=np.int64)
    rank[order] = np.arange(len(labels)) - starts[labels[order]]
    return rank


def choose(
    labels: NDArray[np.int32], rank: NDArray[np.int64], medoids: Indices, most: int
) -> NDArray[np.int64]:
    """At most so many rows, and all medoids: evenly from the most typical to the least.

    Clusters have rows by their sizes, but a small one has a quarter of an equal share.
    """
    if len(labels) <= most:
        return np.arange(len(labels))
    sizes = np.bincount(labels, minlength=len(medoids))
    least = np.minimum(sizes, most // (4 * len(sizes)))
    rest = sizes - least
    quota = least + (most - least.sum()) * rest // rest.sum()
    order = np.lexsort((rank, labels))
    starts = np.cumsum(sizes) - sizes
    chosen = [
        order[start + np.rint(np.linspace(0, size - 1, some)).astype(int)]
        for start, size, some in zip(starts, sizes, quota, strict=True)
    ]
    return np.union1d(np.concatenate(chosen), medoids)


def project(
    km: FittedKMedoids, X: Any, rows: Indices, random_state: Any = 0
) -> NDArray[np.float64]:
    """Where some rows are in the plane.

    Two columns are the plane as they are. Rows under a metric that is a norm of their
    difference are projected on their two principal components; sparse ones stay sparse. All
    others are placed by landmark multidimensional scaling (de Silva and Tenenbaum 2004),
    from distances alone.

    Parameters
    ----------
    km : KMedoids
        Fitted.
    X : Any
        What it was fitted on.
    rows : ndarray of int
        Which rows to place.
    random_state : int, RandomState instance or None, default=0

    Returns
    -------
    ndarray of shape (len(rows), 2)
    """
    random = check_random_state(random_state)
    name = km.metric if callable(km.metric) else SYNONYMS.get(km.metric, km.metric)
    if issparse(X):
        X = X.tocsr()
    elif name in METRICS:
        X = check_array(X, dtype="numeric", ensure_all_finite=False)
        if X.shape[1] == 2:
            return np.asarray(X[rows], dtype=np.float64)
    if name in _NORMS:
        return _components(_in_floats(_some(X, rows)), random)
    landmarks = _landmarks(km, random)
    power = 2 if callable(km.metric) or km.metric in _LENGTHS else 1
    if name == "precomputed":
        matrix = check_array(X, dtype="numeric")
        between, onward = matrix[np.ix_(landmarks, landmarks)], matrix[np.ix_(landmarks, rows)]
        return _scaled(_in_floats(between), _in_floats(onward), power)
    from_landmarks = _with_medoids(km, X, landmarks)
    between, onward = (from_landmarks.transform(_some(X, some)) for some in (landmarks, rows))
    return _scaled(np.asarray(between).T, np.asarray(onward).T, power)


def _some(X: Any, rows: Indices) -> Any:
    """Some rows of whatever was fitted."""
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    return getattr(X, "iloc", X)[rows]


def _in_floats(values: Any) -> Any:
    """Float32 where that holds the numbers, else float64."""
    single = np.promote_types(values.dtype, np.float32) == np.float32
    return values.astype(np.float32 if single else np.float64, copy=False)


def _with_medoids(km: FittedKMedoids, X: Any, rows: Indices) -> FittedKMedoids:
    """An estimator that measures as this one does, with these rows as its medoids."""
    params = {"metric": km.metric, "metric_params": km.metric_params, "n_jobs": km.n_jobs}
    # Gower's ranges are those of all rows. For most metrics the medoids are enough.
    init, known = (rows, X) if km.metric in _LEARNING else (np.arange(len(rows)), _some(X, rows))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # some of them may coincide
        return type(km)(n_clusters=len(rows), init=init, max_iter=0, **params).fit(known)


def _components(some: Any, random: np.random.RandomState) -> NDArray[np.float64]:
    """The first two principal components; one column is its own first."""
    from sklearn.decomposition import PCA

    plane = np.zeros((some.shape[0], 2))
    if min(some.shape) < 3:
        values = some.toarray() if issparse(some) else some
        plane[:, : values.shape[1]] = values[:, :2]
    elif (some.max(axis=0) - some.min(axis=0)).max() > 0:  # else all rows are one point
        solver = "arpack" if issparse(some) else "randomized"
        plane[:] = PCA(2, svd_solver=solver, random_state=random).fit_transform(some)
    return plane


def _landmarks(km: FittedKMedoids, random: np.random.RandomState) -> NDArray[np.int64]:
    """The medoids, and rows drawn at random."""
    n = len(km.labels_)
    drawn = random.choice(n, min(n, _LANDMARKS), replace=False)
    return np.union1d(km.medoid_indices_, drawn)


def _scaled(between: NDArray[Any], onward: NDArray[Any], power: int) -> NDArray[np.float64]:
    """Landmark MDS: the landmarks' own plane, and each row from its distances to them."""
    floor = min(between.min(), onward.min(), 0.0)  # a dissimilarity may be negative
    square = ((between + between.T) / 2 - floor) ** power
    centre = square.mean(axis=1)
    gram = -0.5 * (square - centre - centre[:, None] + centre.mean())
    values, vectors = np.linalg.eigh(gram)
    plane = np.zeros((onward.shape[1], 2))
    for axis, at in enumerate((-1, -2)[: len(values)]):
        if values[at] > 1e-12 * max(np.abs(square).max(), 1e-300):
            vector = vectors[:, at] * np.sign(vectors[np.abs(vectors[:, at]).argmax(), at])
            plane[:, axis] = 0.5 * (centre[:, None] - (onward - floor) ** power).T @ vector
            plane[:, axis] /= np.sqrt(values[at])
    return plane
