"""A fit, from the data and the parameters to the medoids: checked, run, and put together."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from . import _checks as check
from ._arrays import Streamed, distinct
from ._history import HistoryEntry
from ._spelling import unknown
from ._threads import Workers
from ._tuning import Tuning, current
from .data.elsewhere import ArrayData
from .data.kinds import Data
from .engines.cpu.engine import CPUEngine
from .engines.cpu.matrix import CPUSites
from .engines.cpu.points import points_of
from .engines.cpu.points.weighted import WeightedPoints
from .engines.protocol import Medoids
from .engines.sites import Sites
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
        The loss: the sum of the distances from each row's medoid to the row, times its weight.
    n_iter : int
        Swaps done.
    n_distances : int
        Distances computed.
    history : list of HistoryEntry
        A record for each BUILD step and each SWAP step.

    Examples
    --------
    >>> from medoids import k_medoids
    >>> found = k_medoids([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]], 2)
    >>> sorted(found.medoid_indices.tolist()), found.inertia
    ([1, 4], 4.0)
    """

    medoid_indices: NDArray[np.int64]
    labels: NDArray[np.int32]
    inertia: float
    n_iter: int
    n_distances: int
    history: list[HistoryEntry]

    def __repr__(self) -> str:
        shown = [f"{name}={value!r}" for name, value in zip(self._fields, self[:-1], strict=False)]
        return f"KMedoidsResult({', '.join(shown)}, history=[{len(self.history)} steps])"


KMedoidsResult.__module__ = "medoids"  # where it is imported from, also by a pickle


# Methods for which it has a meaning that medoids are given, or few.
_PLACING = (
    "banditpam", "banditpam_original", "pam", "fastpam1", "fastpam", "fasterpam", "clarans",
    "onebatch",
)  # fmt: skip
# Methods that engines of devices serve: those that search, and those that look at all distances.
_ON_DEVICES = ("banditpam", "pam", "fastpam1", "fastpam", "fasterpam", "onebatch")
# Those whose end depends on what they draw, whatever the start.
_DRAWING = ("clara", "clarans", "onebatch", "banditpam_original")
# Those that look at all distances, and what stands for one that searches.
_WHOLE = {"pam": "pam", "fastpam1": "pam", "fastpam": "fastpam", "fasterpam": "fasterpam"}


class Fit(NamedTuple):
    """All that a method is called with.

    Attributes
    ----------
    settings : Settings
    method : str
        What is called: of a matrix that is not square, what stands for the one asked for.
    own : dict
        The method's own parameters.
    starts : int
    factor : float
        What the loss is multiplied by in the end, besides the engine's unit.
    """

    settings: Settings
    method: str
    own: dict[str, Any]
    starts: int
    factor: float


@contextmanager
def fitting(
    data: Data,
    params: Mapping[str, Any],
    sample_weight: Any = None,
    begin: Sequence[int] | None = None,
) -> Iterator[Fit]:
    """Check all that is asked, and make the engine; its threads are there as long as this is."""
    n, n_rows, method = data.n, data.n_rows, params["method"]
    if n_rows > n and params["candidates"] is None:
        raise ValueError(
            f"X has shape ({n_rows}, {n}), but with metric='precomputed' a row is a candidate and a"
            " column a point: name the metric if these are features, or give"
            f" candidates=range({n_rows}) if there are more candidates than points."
        )
    k = check.clusters(params["n_clusters"], n_rows, "n_samples" if n == n_rows else "rows")
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(unknown("method", method, METHODS))
    own = _own_params(method, params["method_params"], params["swap"])
    if isinstance(data, ArrayData) and method not in _ON_DEVICES:
        raise ValueError(
            f"method={method!r} is not for arrays on a device: use one of"
            f" {', '.join(_ON_DEVICES)}, or give a NumPy array."
        )
    free = free_bytes(data) if isinstance(data, ArrayData) else None
    limit = check.memory(params["memory_limit"], n, k, free)
    weights = check.weights(sample_weight, n)
    # Of equal weights only the size of the loss is left.
    factor = 1.0
    if weights is not None and weights.min() == weights.max():
        factor, weights = float(weights[0]), None
    fixed, allowed = check.sites(params["fixed"], params["candidates"], k, n_rows)
    if (fixed or allowed is not None) and method not in _PLACING:
        raise ValueError(
            f"method={method!r} knows no fixed rows and no candidates: use one of"
            f" {', '.join(_PLACING)}."
        )
    init = check.starting(params["init"], k, n_rows) if begin is None else list(begin)
    if not isinstance(init, str):
        init = _with_fixed(init, fixed, allowed)
    if n != n_rows:
        method = _on_a_rectangle(method, params["swap"], init)
        allowed = np.ones(n_rows, dtype=bool) if allowed is None else allowed
    sites = Sites(fixed, allowed, weights)
    # One draw from the caller's generator; everything else follows from it.
    seed = check.generator(params["random_state"]).randint(np.iinfo(np.int32).max)
    rng, tuning = np.random.default_rng(seed), current()
    max_iter = check.whole(params["max_iter"], "max_iter", 0)
    same = (not isinstance(init, str) or init == "build") and method not in _DRAWING
    starts = check.starts(params["n_init"], init, same)
    delta = check.chance(params["delta"])
    monitor = Monitor(check.whole(params["verbose"], "verbose", 0), starts)
    with engine_for(data, params["n_jobs"], k, limit, rng, tuning, sites) as engine:
        swap = params["swap"] if n == n_rows else "best"
        settings = Settings(engine, init, max_iter, delta, swap, rng, monitor, tuning)
        try:
            yield Fit(settings, method, own, starts, factor)
        finally:
            monitor.close()


@contextmanager
def engine_for(
    data: Data, n_jobs: int | None, k: int, limit: float, rng: np.random.Generator,
    tuning: Tuning, sites: Sites,
) -> Iterator[Any]:  # fmt: skip
    """The engine that serves some data, as long as this is."""
    if isinstance(data, ArrayData):
        from .engines.array.engine import ArrayEngine
        from .engines.array.rows import points_on

        on_device = points_on(data.things, data.name)
        with on_device.space.exact_products():
            yield ArrayEngine(on_device, k, limit, rng, tuning, sites)
        return
    with Workers(n_jobs) as workers:
        points = points_of(data, workers, limit)
        if sites.weights is not None:
            points = WeightedPoints(points, sites.weights)
        if data.n != data.n_rows:
            yield CPUSites(points, k, limit, sites)
        else:
            yield CPUEngine(points, k, limit, rng, tuning, sites=sites)


def free_bytes(data: ArrayData) -> float:
    """Memory that a fit may take, beside the data, on the device that this is on."""
    from .engines.array.namespace import Space

    there = data.things.like if isinstance(data.things, Streamed) else data.things
    return 0.8 * Space(there).free_bytes()


def run(
    data: Data,
    params: Mapping[str, Any],
    sample_weight: Any = None,
    begin: Sequence[int] | None = None,
    computed: int = 0,
) -> KMedoidsResult:
    """Fit data that `read` has checked; `params` are those of `KMedoids`.

    `begin` are rows to start from in the place of `init`; `computed` distances have led to them.
    """
    with fitting(data, params, sample_weight, begin) as fit:
        found, swaps, labels = _best_start(fit)
    monitor, k, max_iter = fit.settings.monitor, found.n_clusters, fit.settings.max_iter
    for entry in monitor.history if fit.factor != 1 else []:
        entry["loss"] *= fit.factor
    if monitor.stopped and max_iter > 0:
        warnings.warn(
            f"method={params['method']!r} was stopped by max_iter={max_iter} and may not have"
            " converged: raise max_iter for a lower loss.",
            ConvergenceWarning,
            stacklevel=_levels_to_user(),
        )
    if distinct(labels) < k:
        warnings.warn(
            f"Only {distinct(labels)} of n_clusters={k} clusters have members, since"
            " medoids coincide: ask for fewer clusters if the data has few distinct points.",
            ConvergenceWarning,
            stacklevel=_levels_to_user(),
        )
    return KMedoidsResult(
        np.array(found.medoids), labels, found.loss * found.unit * fit.factor, swaps,
        found.n_distances + computed, monitor.history,
    )  # fmt: skip


def _best_start(fit: Fit) -> tuple[Medoids, int, NDArray[np.int32]]:
    """Run a method from so many starts; the one that ends lowest, the first of equals."""
    settings, monitor = fit.settings, fit.settings.monitor
    engine: Any = settings.engine
    ends = []
    for start in range(fit.starts):
        monitor.begin(start)
        if start:
            engine = engine.again()
        found, swaps = METHODS[fit.method](settings._replace(engine=engine), **fit.own)
        # Labels now: what is kept serves the next start too.
        ends.append((found, swaps, found.labels(), monitor.stopped))
        monitor.stopped = False
        if isinstance(found, type(engine)):
            engine = found
    *best, monitor.stopped = min(ends, key=lambda each: each[0].loss)
    found, swaps, labels = best
    return found, swaps, labels


def _with_fixed(init: list[int], fixed: list[int], allowed: NDArray[np.bool_] | None) -> list[int]:
    """Rows to begin with, those first that are fixed."""
    missing = [row for row in fixed if row not in init]
    if missing:
        raise ValueError(f"init lacks row {missing[0]}, which is fixed: let init have it.")
    barred = [row for row in init if allowed is not None and not allowed[row]]
    if barred:
        raise ValueError(f"init has row {barred[0]}, which is no candidate: give others.")
    return fixed + [row for row in init if row not in fixed]


def _on_a_rectangle(method: str, swap: str, init: str | list[int]) -> str:
    """The method that does the same where all distances from candidates to points are given."""
    if method != "banditpam" and method not in _WHOLE:
        raise ValueError(
            f"method={method!r} needs a square matrix, but X has a row for each candidate and a"
            f" column for each point: use one of banditpam, {', '.join(_WHOLE)}."
        )
    if init in ("k-medoids++", "lab"):
        raise ValueError(
            f"init={init!r} needs a square matrix, but X has a row for each candidate: use"
            " 'build', 'random' or rows."
        )
    if method == "banditpam":
        return "fasterpam" if swap == "eager" else "pam"
    return _WHOLE[method]


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
