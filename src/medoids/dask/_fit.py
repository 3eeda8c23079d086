"""A fit on a cluster: parameters checked, the engine made, the method run."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from .. import _checks as check
from .._fit import _levels_to_user, _own_params, _with_fixed
from .._history import HistoryEntry
from .._tuning import current
from ..dissimilarities.metrics import SYNONYMS
from ..dissimilarities.objects import MEASURES
from ..engines.dask.cluster import OnCluster
from ..engines.dask.common import Common, load
from ..engines.dask.device import METRICS as DEVICE_METRICS
from ..engines.dask.engine import DaskEngine
from ..engines.dask.reader import Reader
from ..engines.protocol import Medoids
from ..methods.banditpam import banditpam
from ..methods.monitor import Monitor
from ..methods.settings import Settings

# Bytes below which a worker cannot work are left to it: this is what it keeps at least.
_LEAST_ROOM = 1e6


class Fitted(NamedTuple):
    """What a fit on a cluster found.

    Attributes
    ----------
    medoids : ndarray of int
        Rows of all data.
    things : Any
        These rows, or objects.
    sizes : list of int
        How many rows each partition has.
    inertia : float
    n_iter, n_distances : int
    history : list of HistoryEntry
    rounds : int
        Orders that went to the workers.
    broadcast : float
        Bytes of rows that went to all of them, about.
    """

    medoids: NDArray[np.int64]
    things: Any
    sizes: list[int]
    inertia: float
    n_iter: int
    n_distances: int
    history: list[HistoryEntry]
    rounds: int
    broadcast: float


class Interrupted(KeyboardInterrupt):
    """The fit was interrupted: `found` is the best so far, or None before there are k medoids."""

    def __init__(self, found: Fitted | None) -> None:
        super().__init__()
        self.found = found


class ClusterMonitor(Monitor):
    """Says of each step how many rounds it took, and how many bytes went to the workers."""

    transport: OnCluster
    common: Common
    _rounds, _sent = 0, 0.0

    def _show(self, entry: HistoryEntry, engine: Medoids) -> None:
        rounds, sent = self.transport.rounds - self._rounds, self.common.broadcast - self._sent
        self._rounds, self._sent = self.transport.rounds, self.common.broadcast
        which = f"start {self.start + 1} of {self.starts}: " if self.starts > 1 else ""
        print(
            f"medoids: {which}{entry['phase']} {entry['step'] + 1}, loss {entry['loss']:.6g},"
            f" {rounds} rounds, {sent / 1e6:.3g} MB sent, {entry['distances']:,} distances,"
            f" {entry['seconds']:.2f} s",
            file=sys.stderr,
        )


def run(
    client: Any,
    partitions: Sequence[Any],
    weights: Sequence[Any] | None,
    params: Mapping[str, Any],
    begin: Sequence[int] | None = None,
) -> Fitted:
    """Fit partitions that are on a cluster; `params` are those of `KMedoids`."""
    check_params(params)
    tuning = current()
    reader = Reader(params["metric"], params["metric_params"], _device(params))
    jobs = params["n_jobs"]
    jobs = None if jobs in (None, -1) else check.whole(jobs, "n_jobs", 1)
    transport = OnCluster(client, partitions, weights, reader, tuning, jobs)
    ended = False
    try:
        found = _run(transport, params, begin, tuning)
        ended = True
        return found
    finally:
        transport.close(cancel=not ended)


def _device(params: Mapping[str, Any]) -> str | None:
    """Where shards compute distances, if not on their workers' cores."""
    device = params["device"]
    return None if device is None or str(device) == "cpu" else str(device)


def check_params(params: Mapping[str, Any]) -> None:
    """Refuse what a cluster does not serve, before anything is sent there."""
    method, metric = params["method"], params["metric"]
    if method != "banditpam":
        raise ValueError(
            f"method={method!r} needs all rows in one place: on a cluster use method='banditpam'."
        )
    _own_params(method, params["method_params"], params["swap"])
    device = _device(params)
    known = isinstance(metric, str) and SYNONYMS.get(metric, metric) in DEVICE_METRICS
    if device is not None and not known:
        raise ValueError(
            f"metric={metric!r} is not for device={device!r}: use one of"
            f" {', '.join(DEVICE_METRICS)}, or leave device out."
        )
    if metric == "precomputed":
        raise ValueError(
            "metric='precomputed' has no meaning on a cluster: give rows and the name of a metric."
        )
    if isinstance(metric, str) and metric in MEASURES and MEASURES[metric].compares[0] == "table":
        raise ValueError(
            f"metric={metric!r} measures columns by the whole table, which no worker has: scale the"
            " columns and use metric='manhattan', or use medoids.KMedoids on a sample."
        )


def _run(
    transport: OnCluster,
    params: Mapping[str, Any],
    begin: Sequence[int] | None,
    tuning: Any,
) -> Fitted:
    loaded = load(transport)
    sizes = [loaded.sizes[i] for i in range(len(loaded.sizes))]
    n = sum(sizes)
    if loaded.described is None:
        raise ValueError("X has no rows: all its partitions are empty.")
    k = check.clusters(params["n_clusters"], n)
    factor = 1.0
    if loaded.weights is not None:
        low, high, some = loaded.weights
        if not some:
            raise ValueError("sample_weight is zero everywhere: give some row a weight above 0.")
        factor = high if low == high else 1.0  # of equal weights only the size of the loss is left
    fixed, mask = check.sites(params["fixed"], params["candidates"], k, n)
    allowed = None if mask is None else np.flatnonzero(mask)
    init = check.starting(params["init"], k, n) if begin is None else list(begin)
    if not isinstance(init, str):
        init = _with_fixed(init, fixed, mask)
    seed = check.generator(params["random_state"]).randint(np.iinfo(np.int32).max)
    same = not isinstance(init, str) or init == "build"
    starts = check.starts(params["n_init"], init, same)
    limit = params["memory_limit"]
    room = None if limit is None else max(check.memory(limit, 1, 1), _LEAST_ROOM)
    monitor = ClusterMonitor(check.whole(params["verbose"], "verbose", 0), starts)
    monitor.transport = transport
    max_iter, delta = check.whole(params["max_iter"], "max_iter", 0), check.chance(params["delta"])
    common = Common(transport, k, int(seed), tuning, fixed, allowed, room, loaded)
    monitor.common = common
    engine = DaskEngine(common, k)
    rng = np.random.default_rng(seed)
    serves: Any = engine  # what "banditpam" asks, if not what all methods do
    swap = params["swap"]
    settings = Settings(serves, init, max_iter, delta, swap, rng, monitor, tuning)
    ends: list[tuple[DaskEngine, int, bool]] = []
    here = engine
    try:
        for start in range(starts):
            monitor.begin(start)
            here = engine.again() if start else engine
            serves = here
            end, swaps = banditpam(settings._replace(engine=serves))
            here = cast(DaskEngine, end)  # eager tries several starts, each on one of its own
            ends.append((here, swaps, monitor.stopped))
            monitor.stopped = False
    except KeyboardInterrupt:
        if len(here.medoids) == k and here.loss < np.inf:
            swaps = sum(entry["swaps"] for entry in monitor.history)
            ends.append((here, swaps, False))
        found = _best(ends, transport, sizes, monitor, factor)
        raise Interrupted(found) from None
    finally:
        monitor.close()
    found = _best(ends, transport, sizes, monitor, factor)
    assert found is not None
    best = min(ends, key=lambda each: each[0].loss)
    filled = int((best[0].members > 0).sum())
    if filled < k:
        warnings.warn(
            f"Only {filled} of n_clusters={k} clusters have members, since medoids coincide: ask"
            " for fewer clusters if the data has few distinct points.",
            ConvergenceWarning,
            stacklevel=_levels_to_user(),
        )
    if best[2] and max_iter > 0:
        warnings.warn(
            f"method='banditpam' was stopped by max_iter={max_iter} and may not have converged:"
            " raise max_iter for a lower loss.",
            ConvergenceWarning,
            stacklevel=_levels_to_user(),
        )
    return found


def _best(
    ends: list[tuple[DaskEngine, int, bool]],
    transport: OnCluster,
    sizes: list[int],
    monitor: Monitor,
    factor: float,
) -> Fitted | None:
    """The end of the start that ended lowest, the first of equals."""
    if not ends:
        return None
    engine, swaps, _ = min(ends, key=lambda each: each[0].loss)
    for entry in monitor.history if factor != 1 else []:
        entry["loss"] *= factor
    return Fitted(
        np.array(engine.medoids), transport.fetch(engine.book).things, sizes,
        engine.loss * engine.unit * factor, swaps, engine.n_distances, monitor.history,
        transport.rounds, engine.common.broadcast,
    )  # fmt: skip
