"""A fit, from the data and the parameters to the medoids: checked, run, and put together."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from . import _checks as check
from ._history import HistoryEntry
from ._threads import Workers
from ._tuning import current
from .data.kinds import Data
from .engines.cpu.engine import CPUEngine
from .engines.cpu.points import points_of
from .methods.monitor import Monitor
from .methods.settings import Settings
from .methods.table import METHODS


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
    history : list of HistoryEntry
        A record for each BUILD step and each SWAP step.
    """

    medoid_indices: NDArray[np.int64]
    labels: NDArray[np.int32]
    inertia: float
    n_iter: int
    n_distances: int
    history: list[HistoryEntry]


KMedoidsResult.__module__ = "medoids"  # where it is imported from, also by a pickle


def run(data: Data, params: Mapping[str, Any]) -> KMedoidsResult:
    """Fit data that `read` has checked; `params` are those of `KMedoids`."""
    n, method = data.n, params["method"]
    k = check.clusters(params["n_clusters"], n)
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"method={method!r} is unknown: choose one of {', '.join(METHODS)}.")
    own = _own_params(method, params["method_params"], params["swap"])
    limit = check.memory(params["memory_limit"], n, k)
    # One draw from the caller's generator; everything else follows from it.
    seed = check.generator(params["random_state"]).randint(np.iinfo(np.int32).max)
    rng, tuning = np.random.default_rng(seed), current()
    max_iter = check.whole(params["max_iter"], "max_iter", 0)
    monitor = Monitor(check.whole(params["verbose"], "verbose", 0))
    with Workers(params["n_jobs"]) as workers:
        engine = CPUEngine(points_of(data, workers, limit), k, limit, rng, tuning)
        settings = Settings(
            engine, check.starting(params["init"], k, n), max_iter, check.chance(params["delta"]),
            params["swap"], rng, monitor, tuning,
        )  # fmt: skip
        try:
            found, swaps = METHODS[method](settings, **own)
        finally:
            monitor.close()
    labels = found.labels()
    if monitor.stopped and max_iter > 0:
        warnings.warn(
            f"method={method!r} was stopped by max_iter={max_iter} and may not have converged:"
            " raise max_iter for a lower loss.",
            ConvergenceWarning,
            stacklevel=_levels_to_user(),
        )
    if len(np.unique(labels)) < k:
        warnings.warn(
            f"Only {len(np.unique(labels))} of n_clusters={k} clusters have members, since"
            " medoids coincide: ask for fewer clusters if the data has few distinct points.",
            ConvergenceWarning,
            stacklevel=_levels_to_user(),
        )
    return KMedoidsResult(
        np.array(found.medoids), labels, found.loss * found.unit, swaps, found.n_distances,
        monitor.history,
    )  # fmt: skip


def _own_params(method: str, given: Mapping[str, Any] | None, swap: Any) -> dict[str, Any]:
    """The method's own keywords, as the user gave them."""
    own = check.mapping(given, "method_params")
    if not isinstance(swap, str) or swap not in ("best", "eager"):
        raise ValueError(f"swap={swap!r} is unknown: choose 'best' or 'eager'.")
    if swap != "best" and method != "banditpam":
        raise ValueError(f"swap={swap!r} is for method='banditpam', not for {method!r}.")
    known = list(signature(METHODS[method]).parameters)[1:]
    for key in own:
        if key not in known:
            has = f"has {', '.join(known)}" if known else "has no parameters of its own"
            raise ValueError(f"method_params has {key!r}, but method={method!r} {has}.")
    return own


def _levels_to_user() -> int:
    """How far above the caller the user's line is: the first beyond this library and scikit-learn.

    A fit may be called through `fit_predict`, a pipeline, or `k_medoids`.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None:
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        if package not in ("medoids", "sklearn"):
            break
        frame, level = frame.f_back, level + 1
    return level
