"""The estimator for rows on a Dask cluster. It holds no algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import _checks as check
from .._centres import centres_of
from .._estimator import KMedoids as LocalKMedoids
from ..data.kinds import read
from ..data.stored import learned_of
from ._fit import Fitted, Interrupted, check_params, run
from ._inputs import Partitions, is_lazy, weights_of
from ._near import rows_near


class KMedoids(LocalKMedoids):
    """k-medoids clustering of rows on a Dask cluster: PAM's medoids, as on one machine.

    Rows stay where they are: nothing of the data's length comes to the client, or to any one
    worker. The medoids are those of `medoids.KMedoids` on the same rows, however they are
    divided among partitions and workers.

    Parameters
    ----------
    n_clusters : int, default=8
        How many medoids to find.
    client : distributed.Client, default=None
        The cluster; None is the client that is there.
    metric, metric_params
        As for `medoids.KMedoids`: metrics of rows for arrays and frames; those of strings,
        sequences and trees, or a function, for the objects of a bag. Not "precomputed", nor
        "gower".
    method : {"banditpam"}, default="banditpam"
    method_params, swap, init, n_init, max_iter, delta, fixed, candidates
        As for `medoids.KMedoids`; rows are numbered through all partitions.
    memory_limit : float or str, default=None
        Bytes (or a text such as "300MB") for distances that each worker keeps. None is 0.3 of the
        worker's memory limit. With less, distances are computed again.
    device : str, default=None
        None or "cpu": shards compute on their workers' cores. "cuda": distances in float32 come
        from each worker's GPU (by torch; dense rows, and the metrics that `medoids.KMedoids` has
        there), and the rest from its cores; medoids are the same. Workers that dask-cuda starts see
        one GPU each.
    n_jobs : int, default=None
        Threads on each worker; None is as many as the worker has.
    random_state : int, RandomState instance or None, default=None
        The order in which references are drawn.
    verbose : int, default=0
        1 shows a line for each step: its loss, rounds and bytes sent.

    Attributes
    ----------
    medoid_indices_ : ndarray of int of shape (n_clusters,)
        The rows that are medoids, numbered through all partitions.
    cluster_centers_ : ndarray or sparse matrix of shape (n_clusters, n_features), or list
        Those rows, or objects.
    labels_ : dask array of int32 of shape (n_samples,)
        The cluster of each row: lazy, and chunked like X.
    inertia_ : float
        The loss.
    n_iter_, n_distances_, history_, n_features_in_, feature_names_in_
        As for `medoids.KMedoids`.
    n_rounds_ : int
        Orders that went to the workers.
    n_bytes_ : float
        Bytes of rows that went to all workers, about.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from medoids.dask import KMedoids
    >>> client = Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None)
    >>> X = da.from_array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]], chunks=(4, 1))
    >>> km = KMedoids(n_clusters=2).fit(X)
    >>> km.medoid_indices_.tolist(), km.labels_.compute().tolist()
    ([1, 4], [0, 0, 0, 1, 1, 1])
    >>> client.close()
    """

    labels_: Any
    n_rounds_: int
    n_bytes_: float
    __module__ = "medoids.dask"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        client: Any = None,
        metric: str | Callable[[Any, Any], float] = "euclidean",
        metric_params: Mapping[str, Any] | None = None,
        method: str = "banditpam",
        method_params: Mapping[str, Any] | None = None,
        swap: str = "best",
        init: Any = "build",
        n_init: int | str = "auto",
        max_iter: int = 300,
        delta: float | None = None,
        fixed: Sequence[int] | NDArray[np.bool_] | None = None,
        candidates: Sequence[int] | NDArray[np.bool_] | None = None,
        memory_limit: float | str | None = None,
        device: Any = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters, metric=metric, metric_params=metric_params, method=method,
            method_params=method_params, swap=swap, init=init, n_init=n_init, max_iter=max_iter,
            delta=delta, fixed=fixed, candidates=candidates, memory_limit=memory_limit,
            device=device, n_jobs=n_jobs, random_state=random_state, verbose=verbose,
        )  # fmt: skip
        self.client = client

    def fit(self, X: Any, y: object = None, sample_weight: Any = None) -> KMedoids:
        """Find the medoids of X.

        A fit that is interrupted (Ctrl-C) ends its work on the cluster and raises
        KeyboardInterrupt; if all medoids were placed by then, the estimator has the best so far.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features), data frame or bag
            Arrays may have blocks of scipy.sparse, and chunks of unknown sizes.
        y : ignored
        sample_weight : dask array or series of shape (n_samples,), default=None
            Chunked like X.
        """
        params = self.get_params(deep=False)
        check_params(params)
        parts, client = Partitions(X), self._client()
        weighed = weights_of(sample_weight, parts)
        every = client.compute(parts.delayed + (weighed or []))
        futures, weights = every[: len(parts.delayed)], every[len(parts.delayed) :]
        begin = self._rows_to_begin(client, futures)
        try:
            found = run(client, futures, weights if weighed else None, params, begin)
        except Interrupted as interrupt:
            if interrupt.found is not None:
                self._learn(interrupt.found, parts)
            raise
        self._learn(found, parts)
        return self

    def _client(self) -> Any:
        from distributed import default_client

        if self.client is not None:
            return self.client
        try:
            return default_client()
        except ValueError:
            raise ValueError(
                "there is no Dask client: start one (from distributed import Client; client ="
                " Client()), or give one as client=…."
            ) from None

    def _rows_to_begin(self, client: Any, futures: Sequence[Any]) -> list[int] | None:
        """The rows that `init` means, if it is centres."""
        if isinstance(self.init, LocalKMedoids):
            check_is_fitted(self.init)
            centres: Any = self.init._medoids
        else:
            centres = centres_of(self.init, self.metric, self.metric_params, 1)
        if centres is None:
            return None
        return rows_near(client, centres, futures, self.n_clusters)

    def _learn(self, found: Fitted, parts: Partitions) -> None:
        medoids = read(found.things, self.metric, self.metric_params, 1)
        parts.sizes = found.sizes
        learned: dict[str, Any] = {
            "medoid_indices_": found.medoids,
            "cluster_centers_": medoids.things,
            "inertia_": found.inertia,
            "n_iter_": found.n_iter,
            "n_distances_": found.n_distances,
            "history_": found.history,
            "n_rounds_": found.rounds,
            "n_bytes_": found.broadcast,
            "_made": medoids,
            "_compared_by": {
                "metric": self.metric,
                "metric_params": self.metric_params and dict(self.metric_params),
                "learned": learned_of(medoids),
            },
        }
        if medoids.columns:
            learned["n_features_in_"] = int(medoids.things.shape[1])
        if parts.columns is not None:
            learned["feature_names_in_"] = np.array(parts.columns, dtype=object)
        old = ("n_features_in_", "feature_names_in_")
        kept = {name: value for name, value in vars(self).items() if name not in old}
        # At once: a fit that fails leaves all as it was.
        self.__dict__ = kept | learned
        self.labels_ = parts.each(_labels, self.to_local(), columns=None, dtype=np.int32)

    def to_local(self) -> LocalKMedoids:
        """The same medoids in a plain `medoids.KMedoids`, to pickle and to serve.

        It predicts and transforms rows in memory. It has no `labels_`, which stay on the cluster.
        """
        check_is_fitted(self, "medoid_indices_")
        params = {name: value for name, value in self.get_params(False).items() if name != "client"}
        local = LocalKMedoids(**params | {"device": None})  # it serves where there is no GPU
        left_out = {*self.get_params(False), "labels_", "n_rounds_", "n_bytes_"}
        local.__dict__ |= {
            name: value for name, value in vars(self).items() if name not in left_out
        }
        return local

    def predict(self, X: Any, max_distance: float | None = None) -> Any:
        """The nearest medoid of each row: a lazy dask array, or an array if X is in memory.

        Rows farther than `max_distance` from every medoid have the label -1.
        """
        local = self.to_local()
        if not is_lazy(X):
            return local.predict(X, max_distance)
        far = check.farthest(max_distance)
        return Partitions(X).each(_labels, local, far, columns=None, dtype=np.int32)

    def transform(self, X: Any) -> Any:
        """The distance from each medoid to each row: lazy, or an array if X is in memory."""
        local = self.to_local()
        if not is_lazy(X):
            return local.transform(X)
        return Partitions(X).each(_distances, local, columns=self._n_features_out, dtype=np.float64)

    def fit_predict(self, X: Any, y: object = None, sample_weight: Any = None) -> Any:
        """Find the medoids of X; the cluster of each row. As `fit`, then `labels_`."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def score(self, X: Any, y: object = None, sample_weight: Any = None) -> float:
        """Minus the loss of the medoids on X."""
        local = self.to_local()
        if not is_lazy(X):
            return local.score(X, sample_weight=sample_weight)
        from dask import delayed

        parts = Partitions(X)
        weights = weights_of(sample_weight, parts) or [None] * len(parts.delayed)
        call = delayed(_score)
        each = [call(x, w, local) for x, w in zip(parts.delayed, weights, strict=True)]
        return float(delayed(sum)(each).compute(scheduler=self._client()))

    def report(self, *args: Any, **options: Any) -> Any:
        """Not here: the page shows rows, which are on the cluster."""
        raise NotImplementedError(
            "a report shows rows in memory: give a sample to medoids.KMedoids with init=km, and let"
            " that write it."
        )

    def __sklearn_clone__(self) -> KMedoids:
        """A clone asks the same cluster: a client cannot be copied."""
        other: KMedoids = LocalKMedoids.__sklearn_clone__(copy(self))
        other.client = self.client
        return other

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state["client"] = None  # a pickle is read elsewhere
        return state


def _labels(part: Any, model: LocalKMedoids, farthest: float | None = None) -> Any:
    things = _in_memory(part)
    return model.predict(things, farthest) if _count(things) else np.empty(0, dtype=np.int32)


def _distances(part: Any, model: LocalKMedoids) -> Any:
    things = _in_memory(part)
    if not _count(things):
        return np.empty((0, len(model.medoid_indices_)))
    return model.transform(things)


def _score(part: Any, weights: Any, model: LocalKMedoids) -> float:
    things = _in_memory(part)
    return model.score(things, sample_weight=weights) if _count(things) else 0.0


def _in_memory(part: Any) -> Any:
    """A partition of a bag may be a stream."""
    return part if hasattr(part, "shape") else list(part)


def _count(things: Any) -> int:
    return int(things.shape[0]) if hasattr(things, "shape") else len(things)
