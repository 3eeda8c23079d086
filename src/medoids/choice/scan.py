"""All numbers of clusters in one run, and a suggestion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _checks as check
from .._arrays import to_host
from .._fit import fitting
from .._threads import Workers
from .._types import Indices
from ..data.elsewhere import ArrayData
from ..data.kinds import Data, DenseData, MatrixData, SparseData
from ..engines.cpu.points import points_of
from .criteria import (
    Gap,
    Stability,
    bend,
    first_gap,
    gap_statistic,
    knee,
    most_stable,
    stability,
    without_clusters,
)
from .path import Solution, follow
from .suggest import Votes, suggest
from .table import Scan, ScanEntry

# Criteria that fit again and again do so on so many rows, drawn at random,
_SOME = 1000
# and so many draws without clusters are compared with them: of the first few also the stability.
_DRAWS, _FEW = 10, 3
_SPLITS, _FEW_SPLITS = 8, 3


def scan_data(
    data: Data, n_clusters: Any, params: Mapping[str, Any], sample_weight: Any, resample: bool
) -> Scan:
    """Fit each number of clusters, and see what they say; `params` are those of `KMedoids`."""
    ks = _checked(n_clusters, data.n_rows)
    asked = dict(params) | {"n_clusters": ks[-1], "init": _first(params["init"])}
    weights = check.weights(sample_weight, data.n)
    with fitting(data, asked, sample_weight) as fit:
        if len(fit.settings.engine.fixed) > ks[0]:
            raise ValueError(
                f"n_clusters begins with {ks[0]}, but {len(fit.settings.engine.fixed)} rows are"
                " fixed: begin with as many."
            )
        found = follow(fit.settings, ks, fit.method, fit.own)
        distances = fit.settings.engine.n_distances
    again, extra = Resampled(), 0
    rng = np.random.default_rng(check.generator(params["random_state"]).randint(2**31 - 1))
    square = data.n == data.n_rows and params["fixed"] is None and params["candidates"] is None
    if resample and square and len(ks) > 1:
        drawn = _draw(data.n, weights, rng)
        if len(drawn) >= 4 * ks[-1]:
            if isinstance(data, ArrayData):  # so few are at home on the CPU
                data_of_some, drawn = data.on_host(drawn), np.arange(len(drawn))
                again, extra = _resampled(data_of_some, drawn, ks, params, rng)
            else:
                again, extra = _resampled(data, drawn, ks, params, rng)
    entries = []
    for i, (k, each) in enumerate(zip(ks, found, strict=True)):
        gap, stable = again.gap, again.stability
        entries.append(ScanEntry(
            k, each.loss * fit.factor, each.silhouette,
            None if stable is None else float(stable.mean[i]),
            None if stable is None else float(stable.error[i]),
            None if gap is None else float(gap.mean[k - 1]),
            None if gap is None else float(gap.error[k - 1]),
            np.bincount(to_host(each.labels), minlength=k), np.array(each.medoids),
        ))  # fmt: skip
    votes = _votes(ks, entries, again)
    named = [each.stability for each in entries if each.k == votes.stability]
    best, reason = suggest(votes, ks[-1], named[0] or 0.0 if named else 0.0)
    labels = {k: data.back(each.labels) for k, each in zip(ks, found, strict=True)}
    return Scan(entries, labels, best, reason, votes._asdict(), distances + extra)


def _first(init: Any) -> Any:
    if not isinstance(init, str):
        raise ValueError("a scan begins with init='build' or another name, not with rows.")
    return init


def _checked(n_clusters: Any, n: int) -> list[int]:
    try:
        given = sorted({check.whole(k, "n_clusters", 1) for k in n_clusters})
    except TypeError as error:
        if "n_clusters must" in str(error):
            raise
        raise TypeError(
            f"n_clusters must be several numbers, such as range(2, 21), got {n_clusters!r}."
        ) from None
    if not given:
        raise ValueError("n_clusters is empty: give some numbers, such as range(2, 21).")
    if given[-1] > n:
        raise ValueError(f"n_clusters goes up to {given[-1]}, but there are {n} rows: give fewer.")
    return given


class Resampled(NamedTuple):
    """What fits of other rows say; None where there is nothing to say.

    `null` is the stability of rows without clusters.
    """

    stability: Stability | None = None
    null: NDArray[np.float64] | None = None
    gap: Gap | None = None


def _draw(n: int, weights: NDArray[np.float64] | None, rng: np.random.Generator) -> Indices:
    """The rows that are fitted again and again: all, or some by weight."""
    if weights is None:
        return np.arange(n) if n <= _SOME else np.sort(rng.choice(n, _SOME, replace=False))
    size = min(_SOME, int((weights > 0).sum()))
    return np.sort(rng.choice(n, size, replace=False, p=weights / weights.sum()))


def _resampled(
    data: Data, drawn: Indices, ks: list[int], params: Mapping[str, Any], rng: np.random.Generator
) -> tuple[Resampled, int]:
    """Stability and the gap, on some of the rows; and how many distances they took."""
    quick = dict(params) | {
        "method": "fasterpam", "swap": "best", "method_params": None, "init": "build",
        "n_init": 1, "verbose": 0, "random_state": 0, "max_iter": 100,
    }  # fmt: skip
    several, counted = [k for k in ks if k > 1], 0

    def all_of(part: Data, rows: Indices) -> NDArray[np.float64]:
        nonlocal counted
        with Workers(params["n_jobs"]) as workers:
            points = points_of(part, workers, check.memory(params["memory_limit"], part.n, 1))
            found = points.exact(rows, rows)
            counted += points.n_distances
        return found

    def path(matrix: NDArray[np.float64], asked: Sequence[int]) -> list[Solution]:
        with fitting(MatrixData(matrix), quick | {"n_clusters": asked[-1]}) as fit:
            return follow(fit.settings, asked, fit.method, fit.own)

    def steady(matrix: NDArray[np.float64], splits: int) -> Stability:
        def fitted(half: Indices) -> list[list[int]]:
            found = path(matrix[np.ix_(half, half)], several)
            return [[int(half[row]) for row in each.medoids] for each in found]

        return stability(
            len(matrix), several, fitted, lambda arms, refs: matrix[np.ix_(arms, refs)], rng, splits
        )

    def losses(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([each.loss for each in path(matrix, range(1, ks[-1] + 1))])

    ours = all_of(data, drawn)
    if ours.min() < 0:
        return Resampled(), counted
    stable, null, gap = steady(ours, _SPLITS), None, None
    if isinstance(data, (DenseData, SparseData)) and data.name in _LIKE_SPACE:
        dense = data.pick(drawn).dense()
        rows = np.asarray(dense.things[:], dtype=np.float64)
        theirs = []
        for _ in range(_DRAWS):
            made = DenseData(without_clusters(rows, rng), dense.name, dense.metric, dense.p)
            theirs.append(all_of(made, np.arange(len(rows))))
        gap = gap_statistic(losses(ours), np.array([losses(each) for each in theirs]))
        null = np.mean([steady(each, _FEW_SPLITS).mean for each in theirs[:_FEW]], axis=0)
    if ks[0] == 1:  # one cluster is always found again: it tells nothing
        stable = Stability(np.append(1.0, stable.mean), np.append(0.0, stable.error))
        null = None if null is None else np.append(1.0, null)
    return Resampled(stable, null, gap), counted


# Metrics for which rows that are evenly spread have no clusters.
_LIKE_SPACE = ("euclidean", "manhattan", "chebyshev", "minkowski", "sqeuclidean")


def _votes(ks: list[int], entries: list[ScanEntry], again: Resampled) -> Votes:
    clear = [each for each in entries if each.silhouette is not None]
    silhouette = max(clear, key=lambda each: each.silhouette or 0.0).k if len(clear) > 1 else None
    steady = None
    if again.stability is not None:
        some = slice(1, None) if ks[0] == 1 else slice(None)
        ours = Stability(again.stability.mean[some], again.stability.error[some])
        steady = most_stable(ks[some], ours, None if again.null is None else again.null[some])
    if again.gap is None:
        return Votes(steady, None, silhouette, knee(ks, [each.loss for each in entries]))
    elbow = bend(again.gap)
    first = first_gap(range(1, ks[-1] + 1), again.gap)
    # What was not tried cannot be suggested.
    tried = {1, *ks}
    return Votes(
        steady, first if first in tried else None, silhouette, elbow if elbow in tried else None
    )
