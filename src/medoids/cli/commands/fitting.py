"""A fit that is watched: what it found, whole or as far as it came before Ctrl-C."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ... import KMedoids
from ..._history import watching
from ..._outliers import times_usual, usual_distances
from ..._silhouette import fit_distances, medoid_silhouette, nearest_two
from ..interrupts import interruptible
from ..output.progress import Follower, following
from ..output.results import Fitted, Membership
from ..output.screen import Screen
from ..problem import Problem, in_options, one_line
from ..readers.inputs import Input

# Distances to medoids that are held at a time.
_HELD = 4_000_000


def fit(made: Input, params: dict[str, Any], screen: Screen) -> Fitted:
    """Fit KMedoids with these parameters, and show how far it is."""
    if params["n_clusters"] > made.n:
        raise Problem(f"-k {params['n_clusters']} is more than the {made.n} rows there are.")
    began = time.perf_counter()
    km = KMedoids(**params)
    with in_plain_words(made) as warned, following(screen, lambda: _tell(made, screen)) as follower:
        try:
            with interruptible(), watching(follower):
                km.fit(made.X, sample_weight=made.sample_weight)
            interrupted = False
        except KeyboardInterrupt:
            if not follower.medoids:
                raise
            km = _as_far(made, params, follower)
            interrupted = True
    if not interrupted:
        screen.warn(*warned)
    return Fitted(km, interrupted, time.perf_counter() - began)


def _tell(made: Input, screen: Screen) -> None:
    """What was decided on the way, and what is likely to be a mistake."""
    screen.notes(made.notes)
    screen.warn(*made.warnings)


@contextmanager
def in_plain_words(made: Input) -> Iterator[list[str]]:
    """What the library complains of is a problem; what it warns of is in the list, at the end."""
    warned: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        try:
            yield warned
        except (TypeError, ValueError) as error:
            raise Problem(of_rows(in_options(one_line(error)), made.names)) from error
    for each in caught:
        if issubclass(each.category, ConvergenceWarning):
            warned.append(in_options(str(each.message)))


def of_rows(text: str, names: list[str]) -> str:
    """What the library says of X[3], said of the row by its name."""
    return re.sub(r"\bX\[(\d+)\]", lambda found: f"row {names[int(found[1])]!r}", text)


def _as_far(made: Input, params: dict[str, Any], follower: Follower) -> KMedoids:
    """A fit that ended at the best medoids so far."""
    start: dict[str, Any] = {"n_clusters": len(follower.medoids), "init": list(follower.medoids)}
    # Whatever the method was, this one needs no more than the medoids' own distances.
    start |= {"max_iter": 0, "method": "banditpam", "swap": "best"}
    km = KMedoids(**params | start).fit(made.X, sample_weight=made.sample_weight)
    km.history_ = follower.history
    km.n_iter_ = sum(entry["swaps"] for entry in follower.history)
    km.n_distances_ += follower.n_distances
    return km


def membership(km: KMedoids, X: Any) -> Membership:
    """How each row belongs to its cluster."""
    n, several = len(km.labels_), len(km.medoid_indices_) > 1
    unknown = np.full(n, np.nan)
    found = Membership(np.empty(n), unknown.copy(), np.empty(n, dtype=np.int64), unknown)
    negative = False
    for part, rows in _parts(km, X):
        distances = fit_distances(km, rows)
        nearest = nearest_two(distances, km.labels_[part])
        found.distance[part], found.second[part] = nearest.first, nearest.second
        negative = negative or distances.min() < 0
        if several and not negative:
            found.silhouette[part] = medoid_silhouette(distances)
    if negative:
        found.silhouette[:] = np.nan
    else:
        usual = usual_distances(found.distance, km.labels_, len(km.medoid_indices_))
        found.outlier[:] = times_usual(found.distance, km.labels_, usual)
    return found


def _parts(km: KMedoids, X: Any) -> Iterator[tuple[slice, Any]]:
    """Slices of the rows, so that few distances are held at a time."""
    n, k = len(km.labels_), len(km.medoid_indices_)
    # Of a square matrix few rows are read, those of the medoids.
    size = n if km.metric == "precomputed" else max(_HELD // k, 1)
    rows = getattr(X, "iloc", X)
    for start in range(0, n, size):
        part = slice(start, min(start + size, n))
        yield part, X if size >= n else rows[part]
