"""`KMedoids` as banditpam 6.0 has it, computed by `medoids.KMedoids`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _checks as check
from .._estimator import KMedoids as _KMedoids
from .._history import Progress, watching
from .._spelling import unknown
from .._threads import effective_jobs
from ._matrices import arms_first

__all__ = ["KMedoids", "get_max_threads", "set_num_threads"]

_METHODS = {
    "BanditPAM": "banditpam",
    "BanditPAM_orig": "banditpam_original",
    "PAM": "pam",
    "FastPAM1": "fastpam1",
}
_LOSSES = {
    "manhattan": ("manhattan", "manhattan"),
    "cos": ("cosine", "cosine"),
    "cosine": ("cosine", "cosine"),
    "inf": ("chebyshev", "L-infinity"),
    "euclidean": ("euclidean", "L2"),
}
_threads: int | None = None


def get_max_threads() -> int:
    """The threads that a fit uses.

    Examples
    --------
    >>> from medoids.compat import banditpam
    >>> banditpam.get_max_threads() >= 1
    True
    """
    return effective_jobs(_threads)


def set_num_threads(n_threads: int) -> None:
    """Set the threads that fits use from now on; the result does not depend on them.

    Examples
    --------
    >>> from medoids.compat import banditpam
    >>> before = banditpam.get_max_threads()
    >>> banditpam.set_num_threads(1)
    >>> banditpam.get_max_threads()
    1
    >>> banditpam.set_num_threads(before)
    """
    global _threads
    _threads = check.whole(n_threads, "n_threads", 1)


class KMedoids:
    """k-medoids clustering, with the parameters and attributes of `banditpam`.

    Parameters
    ----------
    n_medoids : int, default=5
        How many medoids to find.
    algorithm : {"BanditPAM", "BanditPAM_orig", "PAM", "FastPAM1"}, default="BanditPAM"
        All of them end at PAM's medoids, the first two but for a small chance.
    max_iter : int, default=100
        The most swap steps.
    build_confidence, swap_confidence, use_cache, use_perm, cache_width
        Kept, and not used: the search has one chance of error, `delta` of `medoids.KMedoids`, and
        keeps the distances that fit into memory.
    parallelize : bool, default=True
        Whether to use all threads, or one.

    Attributes
    ----------
    medoids, build_medoids : ndarray of uint64 of shape (n_medoids,)
        The rows that are medoids, in the end and after BUILD.
    labels : ndarray of uint64 of shape (n_samples,)
        The cluster of each row.
    average_loss, build_loss : float
        The mean distance to the nearest medoid, in the end and after BUILD.
    steps : int
        Swap steps, with the one that shows that no swap helps.
    loss_function : str
        What `fit` was given.
    seed : int
        Of all that is drawn at random; of this object alone.
    build_distance_computations, swap_distance_computations, misc_distance_computations : int
        Distances that were computed; one that was kept and used again counts once.
    total_swap_time, time_per_swap : float
        Of the swap steps, in milliseconds.

    Examples
    --------
    >>> from medoids.compat.banditpam import KMedoids
    >>> km = KMedoids(n_medoids=2, algorithm="BanditPAM")
    >>> km.fit([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]], "L2")
    >>> km.medoids.tolist(), km.labels.tolist(), km.steps
    ([1, 4], [0, 0, 0, 1, 1, 1], 2)
    """

    def __init__(
        self,
        n_medoids: int = 5,
        algorithm: str = "BanditPAM",
        max_iter: int = 100,
        build_confidence: int = 10,
        swap_confidence: int = 5,
        use_cache: bool = True,
        use_perm: bool = True,
        cache_width: int = 1000,
        parallelize: bool = True,
    ) -> None:
        self.n_medoids = n_medoids
        self.algorithm = algorithm
        self.max_iter = max_iter
        self.build_confidence = build_confidence
        self.swap_confidence = swap_confidence
        self.use_cache = use_cache
        self.use_perm = use_perm
        self.cache_width = cache_width
        self.parallelize = parallelize
        self.seed = 0
        self._loss: str | None = None
        self._found: dict[str, Any] = {}

    @property
    def algorithm(self) -> str:
        return self._algorithm

    @algorithm.setter
    def algorithm(self, name: str) -> None:
        if name not in _METHODS:
            raise ValueError(unknown("algorithm", name, _METHODS))
        self._algorithm = name

    @property
    def loss_function(self) -> str:
        if self._loss is None:
            raise ValueError("loss_function is set by fit(X, loss): there was none yet.")
        return self._loss

    @loss_function.setter
    def loss_function(self, loss: str) -> None:
        self._loss = _metric_of(loss)[2]

    def fit(
        self,
        X: ArrayLike,
        loss: str,
        *,
        dist_mat: ArrayLike | None = None,
        k: int | None = None,
    ) -> None:
        """Find the medoids of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of numbers.
        loss : str
            "L1", "L2" (any whole p), "manhattan", "euclidean", "cosine" ("cos") or "inf", in
            capitals or not.
        dist_mat : array-like of shape (n_samples, n_samples), default=None
            Distances, if they are known: the row is the point, the column the medoid. X is then
            not looked at.
        k : int, default=None
            Another `n_medoids`, from now on.
        """
        metric, params, name = _metric_of(loss)
        n_medoids = check.whole(self.n_medoids if k is None else k, "n_medoids", 1)
        data: Any = X
        if dist_mat is not None:
            data, metric, params = _square(dist_mat, len(np.asarray(X))), "precomputed", None
        steps: list[tuple[int, ...]] = []

        def note(progress: Progress) -> None:
            if progress.entry["phase"] == "build":
                steps.append(progress.medoids)

        km = _KMedoids(
            n_medoids, metric=metric, metric_params=params, method=_METHODS[self.algorithm],
            max_iter=self.max_iter, random_state=self.seed,
            n_jobs=_threads if self.parallelize else 1,
        )  # fmt: skip
        with watching(note):
            km.fit(data)
        self._found = _said(km, steps[-1])
        self.n_medoids, self._loss = n_medoids, name

    def getDistanceComputations(self, include_misc: bool = True) -> int:
        """Distances that were computed, with or without those that are of no step."""
        of_steps = self.build_distance_computations + self.swap_distance_computations
        return int(of_steps + self.misc_distance_computations if include_misc else of_steps)

    def __getattr__(self, name: str) -> Any:
        if name in _COUNTED_THERE:
            raise AttributeError(
                f"{name} is not counted: see misc_distance_computations for what was computed."
            )
        if name in _BEFORE and "_found" in vars(self):
            return self._found.get(name, _BEFORE[name]())
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_BEFORE})


# What an object that is not fitted has.
_BEFORE: dict[str, Callable[[], Any]] = {
    "medoids": lambda: np.empty(0, np.uint64),
    "build_medoids": lambda: np.empty(0, np.uint64),
    "labels": lambda: np.empty(0, np.uint64),
    "average_loss": float,
    "build_loss": float,
    "steps": int,
    "build_distance_computations": int,
    "swap_distance_computations": int,
    "misc_distance_computations": int,
    "total_swap_time": float,
    "time_per_swap": float,
}
_COUNTED_THERE = ("cache_hits", "cache_misses", "cache_writes")


def _said(km: _KMedoids, built: tuple[int, ...]) -> dict[str, Any]:
    """What was found, in the words of the package."""
    n = len(km.labels_)
    build, swap = ([each for each in km.history_ if each["phase"] == p] for p in ("build", "swap"))
    counts = [sum(each["distances"] for each in some) for some in (build, swap)]
    took = 1000 * sum(each["seconds"] for each in swap)
    return {
        "medoids": km.medoid_indices_.astype(np.uint64),
        "build_medoids": np.array(built, dtype=np.uint64),
        "labels": km.labels_.astype(np.uint64),
        "average_loss": km.inertia_ / n,
        "build_loss": build[-1]["loss"] / n,
        "steps": len(swap),
        "build_distance_computations": counts[0],
        "swap_distance_computations": counts[1],
        "misc_distance_computations": km.n_distances_ - sum(counts),
        "total_swap_time": took,
        "time_per_swap": took / max(len(swap), 1),
    }


def _metric_of(loss: Any) -> tuple[str, dict[str, int] | None, str]:
    """Our metric, its parameters, and what the package calls it."""
    text = loss.lower() if isinstance(loss, str) else ""
    power = re.fullmatch(r"l([1-9]\d*)", text)
    if power:
        return "minkowski", {"p": int(power[1])}, f"L{power[1]}"
    if text not in _LOSSES:
        names = ", ".join(map(repr, _LOSSES))
        raise ValueError(
            f"loss={loss!r} is unknown: choose 'L1', 'L2' or any 'L' with a whole number, or one"
            f" of {names}."
        )
    metric, name = _LOSSES[text]
    return metric, None, name


def _square(dist_mat: ArrayLike, n: int) -> NDArray[Any]:
    matrix = np.asarray(dist_mat)
    if matrix.shape != (n, n):
        raise ValueError(
            f"dist_mat has shape {matrix.shape}, but X has {n} rows: give a matrix of {n} by {n}."
        )
    return arms_first(matrix)
