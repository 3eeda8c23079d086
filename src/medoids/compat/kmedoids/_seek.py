"""The algorithms of the package that seek the highest silhouette; and silhouettes themselves."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from ... import _checks as check
from ..._fit import _levels_to_user
from ..._silhouette import medoid_silhouette as _of_distances
from ..._threads import Workers
from ..._tuning import current
from ...methods.fasterpam import eager_swaps
from ...methods.loops import swap
from ...methods.monitor import Monitor
from ...methods.settings import Settings
from ._matrix import Matrix, medoids_first, square, start
from ._results import DynkResult, KMedoidsResult
from ._silhouettes import MedoidSilhouette, Seeking, Silhouette, cluster_sums, silhouettes_of
from ._swaps import fastpam1

Loop = Callable[[Settings, Any], int]


def fastmsc(
    diss: ArrayLike,
    medoids: Any,
    max_iter: int = 100,
    init: str = "random",
    random_state: Any = None,
) -> KMedoidsResult:
    """FastMSC: the swap that raises the mean medoid silhouette most, until none does.

    Parameters
    ----------
    diss : array-like of shape (n_samples, n_samples)
        Dissimilarities: the row is the point, the column the medoid.
    medoids : int or array of int
        How many clusters, or the first medoids. With one cluster there is no silhouette, and the
        loss is the sum of distances.
    max_iter : int, default=100
        The most swaps; of `fastermsc` and `dynmsc` the most passes over all points.
    init : {"random", "first", "build"}, default="random"
        The first medoids, if only their number is given.
    random_state : int, RandomState instance or None, default=None
        For the draw.

    Returns
    -------
    KMedoidsResult
        Its loss is the mean medoid silhouette.

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.compat import kmedoids
    >>> X = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> D = np.abs(X[:, None] - X)
    >>> round(kmedoids.fastmsc(D, 2, init="first").loss, 3)
    0.925
    """
    return _sought(MedoidSilhouette, _best, diss, medoids, max_iter, init, random_state)


def fastermsc(
    diss: ArrayLike,
    medoids: Any,
    max_iter: int = 100,
    init: str = "random",
    random_state: Any = None,
) -> KMedoidsResult:
    """FasterMSC: every swap that raises the mean medoid silhouette, as soon as seen.

    As `fastmsc`.

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.compat import kmedoids
    >>> X = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> D = np.abs(X[:, None] - X)
    >>> round(kmedoids.fastermsc(D, 2, init="first").loss, 3)
    0.925
    """
    return _sought(MedoidSilhouette, eager_swaps, diss, medoids, max_iter, init, random_state)


def pammedsil(
    diss: ArrayLike,
    medoids: Any,
    max_iter: int = 100,
    init: str = "build",
    random_state: Any = None,
) -> KMedoidsResult:
    """PAMMEDSIL: the same swaps as `fastmsc`, found as fast; it starts from BUILD.

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.compat import kmedoids
    >>> X = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> D = np.abs(X[:, None] - X)
    >>> round(kmedoids.pammedsil(D, 2).loss, 3)
    0.925
    """
    return _sought(MedoidSilhouette, _best, diss, medoids, max_iter, init, random_state)


def pamsil(
    diss: ArrayLike,
    medoids: Any,
    max_iter: int = 100,
    init: str = "build",
    random_state: Any = None,
) -> KMedoidsResult:
    """PAMSIL: the swap that raises the mean of Rousseeuw's silhouette most. As `fastmsc`.

    Each of k (n - k) swaps takes n times the points that change their cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.compat import kmedoids
    >>> X = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> D = np.abs(X[:, None] - X)
    >>> round(kmedoids.pamsil(D, 2).loss, 3)
    0.85
    """
    return _sought(Silhouette, _best, diss, medoids, max_iter, init, random_state)


def dynmsc(
    diss: ArrayLike,
    medoids: Any,
    minimum_k: int = 2,
    max_iter: int = 100,
    init: str = "random",
    random_state: Any = None,
) -> DynkResult:
    """DynMSC: FasterMSC for every number of clusters from the most to the fewest.

    Each goes on from the one before, less a medoid.

    Parameters
    ----------
    diss, max_iter, init, random_state
        As for `fastmsc`.
    medoids : int or array of int
        The most clusters, or so many first medoids.
    minimum_k : int, default=2
        The fewest clusters. One has no silhouette: it counts as 0.

    Returns
    -------
    DynkResult
        With the number of clusters whose mean medoid silhouette is highest.

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.compat import kmedoids
    >>> X = np.concatenate([np.arange(20.0), np.arange(20.0) + 100, np.arange(20.0) + 300])
    >>> kmedoids.dynmsc(np.abs(X[:, None] - X), 5, init="first").bestk
    3
    """
    least = check.whole(minimum_k, "minimum_k", 1)
    matrix = medoids_first(diss)
    first = start(matrix, medoids, init, random_state)
    if len(first) < least:
        raise ValueError("Maximum k should be at least minimum k.")
    found, rounds, swaps = {}, 0, 0
    with Workers() as workers:
        engine = MedoidSilhouette(matrix, first, workers)
        while engine.n_clusters >= max(least, 2):
            n_iter, n_swap = _run(eager_swaps, engine, max_iter, "dynmsc")
            rounds, swaps = rounds + n_iter, swaps + n_swap
            found[engine.n_clusters] = 1 - engine.loss, engine.labels, list(engine.medoids)
            if engine.n_clusters == 2:
                break
            engine.drop()
    if least == 1:
        one = fastpam1(diss, found[2][2][:1] if found else first)
        found[1] = 0.0, one.labels, one.medoids.tolist()
    numbers = sorted(found)
    losses = np.array([found[k][0] for k in numbers])
    best = numbers[int(losses.argmax())]
    loss, labels, chosen = found[best]
    return DynkResult(
        loss, labels, np.array(chosen, dtype=np.uint64), best, losses,
        np.array(numbers, dtype=np.uint64), rounds, swaps,
    )  # fmt: skip


def silhouette(
    diss: ArrayLike, labels: ArrayLike, samples: bool = False, n_cpu: int = -1
) -> tuple[float, NDArray[np.float64]]:
    """Rousseeuw's silhouette: its mean, and with `samples` that of each point.

    Parameters
    ----------
    diss : array-like of shape (n_samples, n_samples)
        As for `fastmsc`.
    labels : array-like of shape (n_samples,)
        The cluster of each point.
    samples : bool, default=False
        Whether to give the silhouette of each point, too; else that array is empty.
    n_cpu : int, default=-1
        Not used: the result never depends on it.

    Returns
    -------
    tuple of float and ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.compat import kmedoids
    >>> X = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> D = np.abs(X[:, None] - X)
    >>> round(kmedoids.silhouette(D, [0, 0, 0, 1, 1, 1])[0], 3)
    0.85
    """
    matrix = medoids_first(diss)
    _, places = np.unique(np.asarray(labels), return_inverse=True)
    if places.shape != (len(matrix),):
        raise ValueError(f"labels has shape {places.shape}: give one for each of {len(matrix)}.")
    sums, sizes = cluster_sums(matrix, places, int(places.max()) + 1)
    return _mean(silhouettes_of(sums, sizes, places), samples)


def medoid_silhouette(
    diss: ArrayLike, meds: ArrayLike, samples: bool = False
) -> tuple[float, NDArray[np.float64]]:
    """The medoid silhouette 1 - d1/d2: its mean, and with `samples` that of each point.

    Parameters
    ----------
    diss : array-like of shape (n_samples, n_samples)
        As for `fastmsc`.
    meds : array-like of int
        The medoids. With one it is 1, as there.
    samples : bool, default=False
        As for `silhouette`.

    Returns
    -------
    tuple of float and ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.compat import kmedoids
    >>> X = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> D = np.abs(X[:, None] - X)
    >>> round(kmedoids.medoid_silhouette(D, [1, 4])[0], 3)
    0.925
    """
    matrix = square(diss)
    chosen = check.rows(meds, "meds", len(matrix))
    if len(chosen) == 1:
        return _mean(np.ones(len(matrix)), samples)
    return _mean(_of_distances(matrix[:, chosen]), samples)


def _mean(values: NDArray[np.float64], samples: bool) -> tuple[float, NDArray[np.float64]]:
    return float(values.mean()), values if samples else np.empty(0)


def _best(settings: Settings, engine: Any) -> int:
    return swap(settings, engine, engine.best)


def _sought(
    kind: type[Seeking],
    loop: Loop,
    diss: ArrayLike,
    medoids: Any,
    max_iter: int,
    init: str,
    random_state: Any,
) -> KMedoidsResult:
    matrix: Matrix = medoids_first(diss)
    first = start(matrix, medoids, init, random_state)
    if len(first) == 1:
        return fastpam1(diss, first)
    with Workers() as workers:
        engine = kind(matrix, first, workers)
        counts = _run(loop, engine, max_iter, kind.__name__)
    chosen = np.array(engine.medoids, dtype=np.uint64)
    return KMedoidsResult(1 - engine.loss, engine.labels, chosen, *counts)


def _run(loop: Loop, engine: Any, max_iter: int, name: str) -> tuple[int, int]:
    """Swap to the end; the passes, and the swaps."""
    monitor, rng = Monitor(), np.random.default_rng(0)
    limit = check.whole(max_iter, "max_iter", 0)
    swaps = loop(Settings(engine, "", limit, None, "best", rng, monitor, current()), engine)
    if monitor.stopped and limit:
        warnings.warn(
            f"{name} was stopped by max_iter={limit} and may not have converged: raise max_iter"
            " for a higher silhouette.",
            ConvergenceWarning,
            stacklevel=_levels_to_user(),
        )
    return len(monitor.history), swaps
