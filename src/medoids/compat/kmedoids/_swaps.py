"""The k-medoids algorithms of the package on a matrix, by the methods of ours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._fit import KMedoidsResult as Found
from ..._functions import k_medoids
from ._matrix import UNLIMITED, medoids_first, start
from ._results import KMedoidsResult


def fasterpam(
    diss: ArrayLike,
    medoids: Any,
    max_iter: int = 100,
    init: str = "random",
    random_state: Any = None,
    n_cpu: int = -1,
) -> KMedoidsResult:
    """FasterPAM: take every swap that lowers the loss, as soon as it is seen.

    Parameters
    ----------
    diss : array-like of shape (n_samples, n_samples)
        Dissimilarities: the row is the point, the column the medoid.
    medoids : int or array of int
        How many clusters, or the first medoids.
    max_iter : int, default=100
        The most passes over all points; of other functions here the most swaps or rounds.
    init : {"random", "first", "build"}, default="random"
        The first medoids, if only their number is given: drawn, the first rows, or PAM's BUILD.
    random_state : int, RandomState instance or None, default=None
        For the draw.
    n_cpu : int, default=-1
        Threads; -1 is all cores. The result does not depend on it.

    Returns
    -------
    KMedoidsResult

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.compat import kmedoids
    >>> X = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> found = kmedoids.fasterpam(np.abs(X[:, None] - X), 2, init="first")
    >>> found.loss, found.medoids.tolist()
    (4.0, [4, 1])
    """
    return _found("fasterpam", diss, medoids, max_iter, init, random_state, n_cpu)


def fastpam1(
    diss: ArrayLike,
    medoids: Any,
    max_iter: int = 100,
    init: str = "random",
    random_state: Any = None,
) -> KMedoidsResult:
    """FastPAM1: PAM's swaps, all k of a candidate from one pass. As `fasterpam`.

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.compat import kmedoids
    >>> X = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> D = np.abs(X[:, None] - X)
    >>> kmedoids.fastpam1(D, 2, init="first").loss
    4.0
    """
    return _found("fastpam1", diss, medoids, max_iter, init, random_state)


def pam(
    diss: ArrayLike,
    medoids: Any,
    max_iter: int = 100,
    init: str = "build",
    random_state: Any = None,
) -> KMedoidsResult:
    """PAM: the best of all swaps, until none helps. As `fasterpam`, but starts from BUILD.

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.compat import kmedoids
    >>> X = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> D = np.abs(X[:, None] - X)
    >>> kmedoids.pam(D, 2).medoids.tolist()
    [1, 4]
    """
    return _found("pam", diss, medoids, max_iter, init, random_state)


def alternating(
    diss: ArrayLike,
    medoids: Any,
    max_iter: int = 100,
    init: str = "random",
    random_state: Any = None,
) -> KMedoidsResult:
    """Voronoi iteration: assign, then take each cluster's own medoid. As `fasterpam`.

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.compat import kmedoids
    >>> X = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> D = np.abs(X[:, None] - X)
    >>> kmedoids.alternating(D, 2, init="first").loss
    4.0
    """
    found = _found("alternate", diss, medoids, max_iter, init, random_state)
    return KMedoidsResult(found.loss, found.labels, found.medoids, found.n_iter)


def pam_build(diss: ArrayLike, k: int) -> KMedoidsResult:
    """BUILD of PAM: add the best medoid, k times.

    Parameters
    ----------
    diss : array-like of shape (n_samples, n_samples)
        As for `fasterpam`.
    k : int
        How many clusters.

    Returns
    -------
    KMedoidsResult

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.compat import kmedoids
    >>> X = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> D = np.abs(X[:, None] - X)
    >>> kmedoids.pam_build(D, 2).loss  # swaps bring it to 4
    5.0
    """
    found = _found("pam", diss, k, 0, "build", None)
    return KMedoidsResult(found.loss, found.labels, found.medoids, 1)


def _found(
    method: str,
    diss: ArrayLike,
    medoids: Any,
    max_iter: int,
    init: str,
    random_state: Any,
    n_cpu: int = -1,
) -> KMedoidsResult:
    whole = np.asarray(diss).dtype.kind in "iu"
    matrix = medoids_first(diss)
    first = start(matrix, medoids, init, random_state)
    if len(first) == 1:
        return _one(matrix, first[0], whole)
    found = k_medoids(
        matrix, len(first), metric="precomputed", method=method, init=first, max_iter=max_iter,
        memory_limit=UNLIMITED, n_jobs=n_cpu, random_state=0,
    )  # fmt: skip
    swaps = [each["swaps"] for each in found.history if each["phase"] == "swap"]
    # There the last round counts, in which nothing moves.
    rounds = min(found.n_iter + 1, max_iter) if method == "alternate" else len(swaps)
    return _said(found, whole, rounds, sum(swaps))


def _one(matrix: NDArray[Any], first: int, whole: bool) -> KMedoidsResult:
    """The best of all points, whatever `max_iter` says."""
    found = k_medoids(
        matrix, 1, metric="precomputed", method="pam", max_iter=0, memory_limit=UNLIMITED
    )
    return _said(found, whole, 1, int(found.medoid_indices[0] != first))


def _said(found: Found, whole: bool, n_iter: int, n_swap: int) -> KMedoidsResult:
    loss = round(found.inertia) if whole else found.inertia
    labels, medoids = (each.astype(np.uint64) for each in (found.labels, found.medoid_indices))
    return KMedoidsResult(loss, labels, medoids, n_iter, n_swap)
