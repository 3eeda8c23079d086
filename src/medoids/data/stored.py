"""Medoids in a pickle: nothing of ours but plain values, so that a later version can read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _checks as check
from .._arrays import is_elsewhere
from .._threads import effective_jobs
from .._types import Indices
from ..dissimilarities.called import Call, with_params
from ..dissimilarities.compiled import Compiled
from ..dissimilarities.metrics import resolve
from ..dissimilarities.objects import MEASURES, measure
from ..dissimilarities.trees import flatten, unflatten
from .elsewhere import array_data
from .kinds import Data, MatrixData, ObjectData, rows_of


def learned_of(medoids: Data) -> dict[str, Any]:
    """What a fit has learned that `medoids_again` needs besides its parameters and the medoids."""
    if not isinstance(medoids, ObjectData):
        return {}
    return {"compiled": isinstance(medoids.measure, Compiled)} | medoids.measure.learned()


def medoids_again(
    things: Any,
    rows: Indices,
    metric: Any,
    metric_params: Mapping[str, Any] | None,
    learned: Mapping[str, Any],
    n_jobs: int | None,
) -> Data:
    """The medoids of a fit, as they were.

    Parameters
    ----------
    things : Any
        The medoids as the user knows them.
    rows : ndarray of int
        Which rows of the fit they were.
    metric, metric_params, n_jobs
        As for `KMedoids`, in the fit.
    learned : mapping
        What `learned_of` gave.
    """
    if metric == "precomputed":
        return MatrixData(np.empty((0, 0)), rows)
    if callable(metric):
        if learned["compiled"]:
            return ObjectData(things, Compiled(metric))
        function = with_params(metric, check.mapping(metric_params, "metric_params"))
        return ObjectData(things, Call(function, effective_jobs(n_jobs or 1)))
    if metric in MEASURES:
        known = measure(metric, check.mapping(metric_params, "metric_params"))
        known.recall(learned)
        return ObjectData(things, known)
    if is_elsewhere(things):
        return array_data(things, metric, metric_params)
    return rows_of(things, *resolve(metric, metric_params))


def flat(things: Any, metric: Any) -> Any:
    """The medoids without depth: pickle cannot store a deep tree."""
    return [flatten(tree) for tree in things] if metric == "tree_edit" else things


def deep(things: Any, metric: Any) -> Any:
    """The way back from `flat`."""
    return [unflatten(tree) for tree in things] if metric == "tree_edit" else things
