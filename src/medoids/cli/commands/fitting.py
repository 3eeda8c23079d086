"""A fit that is watched: what it found, whole or as far as it came before Ctrl-C."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from ... import KMedoids
from ..._history import watching
from ..._silhouette import fit_distances
from ..interrupts import interruptible
from ..output.progress import Follower, following
from ..output.results import Fitted
from ..output.screen import Screen
from ..problem import Problem, in_options, one_line
from ..readers.inputs import Input

# Distances to medoids that are held at a time.
_HELD = 4_000_000


def fit(made: Input, params: dict[str, Any], screen: Screen, prefix: str = "") -> Fitted:
    """Fit KMedoids with these parameters, and show how far it is."""
    if params["n_clusters"] > made.n:
        raise Problem(f"-k {params['n_clusters']} is more than the {made.n} rows there are.")
    began = time.perf_counter()
    km = KMedoids(**params)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        with following(screen, prefix, lambda: screen.notes(made.notes)) as follower:
            try:
                with interruptible(), watching(follower):
                    km.fit(made.X)
                interrupted = False
            except KeyboardInterrupt:
                if not follower.medoids:
                    raise
                km = _as_far(made, params, follower)
                interrupted = True
            except (TypeError, ValueError) as error:
                raise Problem(of_rows(in_options(one_line(error)), made.names)) from error
    made.notes.clear()  # they have been shown
    for each in caught:
        if issubclass(each.category, ConvergenceWarning) and not interrupted:
            screen.warn(in_options(str(each.message)))
    return Fitted(km, interrupted, time.perf_counter() - began)


def of_rows(text: str, names: list[str]) -> str:
    """What the library says of X[3], said of the row by its name."""
    return re.sub(r"\bX\[(\d+)\]", lambda found: f"row {names[int(found[1])]!r}", text)


def _as_far(made: Input, params: dict[str, Any], follower: Follower) -> KMedoids:
    """A fit that ended at the best medoids so far."""
    start: dict[str, Any] = {"n_clusters": len(follower.medoids), "init": list(follower.medoids)}
    # Whatever the method was, this one needs no more than the medoids' own distances.
    start |= {"max_iter": 0, "method": "banditpam", "swap": "best"}
    km = KMedoids(**params | start).fit(made.X)
    km.history_ = follower.history
    km.n_iter_ = sum(entry["swaps"] for entry in follower.history)
    km.n_distances_ += follower.n_distances
    return km


def own_distances(km: KMedoids, X: Any) -> NDArray[np.float64]:
    """The distance of each row from its medoid."""
    out = np.empty(len(km.labels_))
    for part, rows in _parts(km, X):
        out[part] = fit_distances(km, rows)[np.arange(len(out[part])), km.labels_[part]]
    return out


def _parts(km: KMedoids, X: Any) -> Iterator[tuple[slice, Any]]:
    """Slices of the rows, so that few distances are held at a time."""
    n, k = len(km.labels_), len(km.medoid_indices_)
    # Of a square matrix few rows are read, those of the medoids.
    size = n if km.metric == "precomputed" else max(_HELD // k, 1)
    rows = getattr(X, "iloc", X)
    for start in range(0, n, size):
        part = slice(start, min(start + size, n))
        yield part, X if size >= n else rows[part]
