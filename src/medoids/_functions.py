"""k-medoids as a function, and its result."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from . import _checks as check
from ._threads import Workers
from .data.kinds import Data, read
from .engines.cpu.points import points_of
from .engines.cpu.state import State
from .methods.alternate import alternate
from .methods.banditpam import banditpam
from .methods.banditpam_original import banditpam_original
from .methods.clara import clara
from .methods.clarans import clarans
from .methods.fasterpam import fasterpam, fastpam
from .methods.monitor import Monitor
from .methods.onebatch import onebatch
from .methods.pam import fastpam1, pam
from .methods.settings import Settings

# A method's keywords are the keys that `method_params` may have for it.
METHODS: dict[str, Callable[..., tuple[State, int]]] = {
    "banditpam": banditpam,
    "banditpam_original": banditpam_original,
    "pam": pam,
    "fastpam1": fastpam1,
    "fastpam": fastpam,
    "fasterpam": fasterpam,
    "alternate": alternate,
    "clara": clara,
    "clarans": clarans,
    "onebatch": onebatch,
}


class KMedoidsResult(NamedTuple):
    """What `k_medoids` found.

    Attributes
    ----------
    medoid_indices : ndarray of shape (n_clusters,)
        The rows that are medoids.
    labels : ndarray of int32 of shape (n_samples,)
        For each row, the position of its medoid.
    inertia : float
        The loss: the sum of the distances from each row's medoid to the row.
    n_iter : int
        Swaps done.
    n_distances : int
        Distances computed.
    history : list of dict
        A record for each BUILD step and each SWAP step.
    """

    medoid_indices: NDArray[np.int64]
    labels: NDArray[np.int32]
    inertia: float
    n_iter: int
    n_distances: int
    history: list[dict[str, Any]]


def k_medoids(
    X: ArrayLike,
    n_clusters: int,
    *,
    metric: str = "euclidean",
    metric_params: Mapping[str, Any] | None = None,
    method: str = "banditpam",
    method_params: Mapping[str, Any] | None = None,
    swap: str = "best",
    init: str | Sequence[int] = "build",
    max_iter: int = 300,
    delta: float | None = None,
    memory_limit: float | str | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
    verbose: int = 0,
) -> KMedoidsResult:
    """Find k medoids: the rows that stand for all others at the lowest loss.

    The parameters are those of :class:`KMedoids`.

    Returns
    -------
    KMedoidsResult

    Examples
    --------
    >>> from medoids import k_medoids
    >>> result = k_medoids([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]], 2)
    >>> result.medoid_indices.tolist(), result.inertia
    ([1, 4], 4.0)
    """
    return run(
        read(X, metric, metric_params, n_jobs), n_clusters, method=method,
        method_params=method_params, swap=swap, init=init, max_iter=max_iter, delta=delta,
        memory_limit=memory_limit, n_jobs=n_jobs, random_state=random_state, verbose=verbose,
    )  # fmt: skip


def medoid(
    X: ArrayLike,
    *,
    metric: str = "euclidean",
    metric_params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> int:
    """The row with the lowest sum of distances to all rows.

    Examples
    --------
    >>> from medoids import medoid
    >>> medoid([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0]])
    1
    """
    result = k_medoids(
        X, 1, metric=metric, metric_params=metric_params, max_iter=0, n_jobs=n_jobs,
        random_state=random_state,
    )  # fmt: skip
    return int(result.medoid_indices[0])


def run(
    data: Data,
    n_clusters: int,
    *,
    method: str,
    method_params: Mapping[str, Any] | None,
    swap: str,
    init: Any,
    max_iter: int,
    delta: float | None,
    memory_limit: Any,
    n_jobs: int | None,
    random_state: Any,
    verbose: int,
) -> KMedoidsResult:
    """Fit data that `read` has checked."""
    n = data.n
    k = check.clusters(n_clusters, n)
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"method={method!r} is unknown: choose one of {', '.join(METHODS)}.")
    own = _own_params(method, method_params, swap)
    limit = check.memory(memory_limit, n, k)
    # One draw from the caller's generator; everything else follows from it.
    seed = check.generator(random_state).randint(np.iinfo(np.int32).max)
    with Workers(n_jobs) as workers:
        points = points_of(data, workers, limit)
        monitor = Monitor(points, check.whole(verbose, "verbose", 0))
        settings = Settings(
            points, k, check.starting(init, k, n), check.whole(max_iter, "max_iter", 0),
            check.chance(delta), limit, np.random.default_rng(seed), monitor,
        )  # fmt: skip
        try:
            state, swaps = METHODS[method](settings, **own)
        finally:
            monitor.close()
    if monitor.stopped and max_iter > 0:
        warnings.warn(
            f"method={method!r} was stopped by max_iter={max_iter} and may not have converged:"
            " raise max_iter for a lower loss.",
            ConvergenceWarning,
            stacklevel=3,
        )
    if len(np.unique(state.owner)) < k:
        warnings.warn(
            f"Only {len(np.unique(state.owner))} of n_clusters={k} clusters have members, since"
            " medoids coincide: ask for fewer clusters if the data has few distinct points.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return KMedoidsResult(
        np.array(state.medoids), state.owner, state.loss * points.unit, swaps, points.n_distances,
        monitor.history,
    )  # fmt: skip


def _own_params(method: str, given: Mapping[str, Any] | None, swap: Any) -> dict[str, Any]:
    """The keywords of the method that the user gave."""
    own = check.mapping(given, "method_params")
    known = list(signature(METHODS[method]).parameters)[1:]
    if not isinstance(swap, str):
        raise ValueError(f"swap={swap!r} is unknown: choose 'best' or 'eager'.")
    if swap != "best":
        if "swap" not in known:
            raise ValueError(f"swap={swap!r} is for method='banditpam', not for {method!r}.")
        if own.get("swap", swap) != swap:
            raise ValueError(f"swap={swap!r} contradicts method_params: give one of them.")
        own["swap"] = swap
    for key in own:
        if key not in known:
            has = f"has {', '.join(known)}" if known else "has no parameters of its own"
            raise ValueError(f"method_params has {key!r}, but method={method!r} {has}.")
    return own
