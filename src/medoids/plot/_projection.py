"""A map of the data in the plane: which rows it shows, and where."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

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
# Of what there is to show, the part that counts as all of it.
_ALL = 0.995
# A degree of longitude is drawn shorter than one of latitude, down to this part of it.
_SHORTEST = 0.4


class Plane(NamedTuple):
    """Where rows are in the plane, and what the plane is.

    Attributes
    ----------
    points : ndarray of shape (n_rows, 2)
    how : str
        How it was made, in a sentence.
    axes : tuple of two str or None
        What is across and what is up, where that has a meaning; "" for an axis without one.
    ratio : float or None
        The height of a unit that is up, over the width of a unit that is across; None where the
        two cannot be compared.
    partial : bool
        Rows far apart can fall together.
    """

    points: NDArray[np.float64]
    how: str
    axes: tuple[str, str] | None = None
    ratio: float | None = 1.0
    partial: bool = False


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
    km: FittedKMedoids,
    X: Any,
    rows: Indices,
    random_state: Any = 0,
    *,
    coordinates: Any = None,
    values: Any = None,
    names: Sequence[Any] | None = None,
) -> Plane:
    """Where some rows are in the plane.

    Two columns are the plane as they are; on a sphere in degrees, longitude across. Rows under
    a metric that is a norm of their difference are projected on their two principal components;
    sparse ones stay sparse. All others are placed by landmark multidimensional scaling (de Silva
    and Tenenbaum 2004), from distances alone.

    Parameters
    ----------
    km : KMedoids
        Fitted.
    X : Any
        What it was fitted on.
    rows : ndarray of int
        Which rows to place.
    random_state : int, RandomState instance or None, default=0
    coordinates : array-like of shape (n_samples, 2), default=None
        Where all rows are, in place of all that.
    values : array-like, default=None
        The rows as they are shown, if these are two columns that X has in another scale.
    names : sequence, default=None
        The names of the columns.
    """
    if coordinates is not None:
        return _given(coordinates, rows, len(km.labels_))
    random = check_random_state(random_state)
    name = km.metric if callable(km.metric) else SYNONYMS.get(km.metric, km.metric)
    few = _one_or_two(X, name)
    if few is not None:
        return _columns(few, values, rows, name, column_names(km, X, values, names))
    if issparse(X):
        X = X.tocsr()
    elif name in METRICS:
        X = check_array(X, dtype="numeric", ensure_all_finite=False)
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


def column_names(
    km: FittedKMedoids, X: Any, values: Any, names: Sequence[Any] | None
) -> list[str] | None:
    """What the columns that are shown are called, if they are."""
    shown = X if values is None else values
    if names is None:
        names = getattr(shown, "columns", None)
    if names is None and values is None:
        names = getattr(km, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _given(coordinates: Any, rows: Indices, n: int) -> Plane:
    """The user's own coordinates; with axes, if these have names."""
    names = getattr(coordinates, "columns", None)
    places = np.asarray(coordinates)
    if places.shape != (n, 2) or places.dtype.kind not in "fiub":
        raise ValueError(
            f"coordinates has shape {places.shape}, of {places.dtype}: give two numbers for each"
            f" of the {n} rows."
        )
    places = places.astype(np.float64)
    lost = ~np.isfinite(places).all(axis=1)
    if lost.any():
        raise ValueError(
            f"coordinates has no place for row {int(lost.argmax())}: give two finite numbers."
        )
    axes = None if names is None else (str(names[0]), str(names[1]))
    return Plane(places[rows], "Placed by coordinates that were given.", axes, None)


def _one_or_two(X: Any, name: Any) -> NDArray[Any] | None:
    """The rows, if they are one column or two of numbers without holes."""
    if name not in METRICS and name != "gower" and not callable(name):
        return None
    if issparse(X):
        return np.asarray(X.toarray()) if X.shape[1] <= 2 else None
    if name not in METRICS and not hasattr(X, "shape"):  # a list of objects, perhaps
        return None
    values = np.asarray(X)
    if values.ndim != 2 or values.shape[1] > 2:
        return None
    whole = values.dtype.kind in "fiub" and np.isfinite(values).all()
    return values if whole else None


def _columns(X: Any, values: Any, rows: Indices, name: str, names: list[str] | None) -> Plane:
    """One column or two, as they are; on a sphere, as on a map."""
    if name == "haversine":
        up, across = np.degrees(np.asarray(X[rows], dtype=np.float64)).T
        ratio = 1 / max(np.cos(np.radians(np.median(up))), _SHORTEST)
        how = "Longitude across and latitude up, in degrees."
        return Plane(np.stack([across, up], 1), how, ("longitude", "latitude"), float(ratio))
    scaled = np.shape(values) == X.shape and np.asarray(values).dtype.kind in "fiub"
    some = np.asarray(np.asarray(values if scaled else X)[rows], dtype=np.float64)
    names = names or [f"column {at}" for at in range(X.shape[1])]
    if X.shape[1] == 1:
        flat = np.stack([some[:, 0], np.zeros(len(some))], 1)
        return Plane(flat, "The one column, as it is.", (names[0], ""), None)
    ratio_ = 1.0 if name in _NORMS and not scaled else None
    return Plane(some, "The two columns, as they are.", (names[0], names[1]), ratio_)


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


def _components(some: Any, random: np.random.RandomState) -> Plane:
    """The first two principal components."""
    from sklearn.decomposition import PCA

    plane = np.zeros((some.shape[0], 2))
    if some.shape[0] < 3:
        plane[:] = some[:, :2].toarray() if issparse(some) else some[:, :2]
        return Plane(plane, "The first two columns.", partial=True)
    share = 1.0
    if (some.max(axis=0) - some.min(axis=0)).max() > 0:  # else all rows are one point
        solver = "arpack" if issparse(some) else "randomized"
        pca = PCA(2, svd_solver=solver, random_state=random)
        plane[:] = pca.fit_transform(some)
        share = float(pca.explained_variance_ratio_.sum())
    how = f"The two principal components, with {_percent(share)} of the variance."
    return Plane(plane, how, partial=share < _ALL)


def _percent(share: float) -> str:
    return "all" if share >= _ALL else f"{share:.0%}" if share >= 0.01 else "less than 1%"


def _landmarks(km: FittedKMedoids, random: np.random.RandomState) -> NDArray[np.int64]:
    """The medoids, and rows drawn at random."""
    n = len(km.labels_)
    drawn = random.choice(n, min(n, _LANDMARKS), replace=False)
    return np.union1d(km.medoid_indices_, drawn)


def _scaled(between: NDArray[Any], onward: NDArray[Any], power: int) -> Plane:
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
    # What the landmarks' own plane holds of their distances; below zero is no place at all.
    most = np.abs(values).sum()
    partial = bool(most > 0 and np.maximum(values[-2:], 0).sum() < _ALL * most)
    how = f"Placed by multidimensional scaling, from distances to {len(between)} of the rows."
    return Plane(plane, how, partial=partial)
