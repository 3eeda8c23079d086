"""Rows of an array of another namespace, on the device that it is on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._arrays import (
    Streamed,
    is_elsewhere,
    like,
    namespaces,
    rows_between,
    to_device,
    to_host,
)  # fmt: skip
from .._types import Indices
from ..dissimilarities.metrics import SYNONYMS
from . import checks as check
from .kinds import Data, read

# Dissimilarities that an array engine has.
ARRAY_METRICS = (
    "euclidean", "sqeuclidean", "cosine", "correlation", "manhattan", "chebyshev", "hamming",
    "haversine", "precomputed",
)  # fmt: skip
# Rows that are looked at together.
_PART = 1 << 26


class ArrayData(Data):
    """Rows on a device, or a matrix of distances there.

    Attributes
    ----------
    name : str
        The metric.
    given : Any
        What the user gave, where that was moved to the device: results go the same way back.
    """

    def __init__(self, array: Any, name: str, given: Any = None) -> None:
        self.things, self.name, self.given = array, name, given
        self.n = array.shape[1] if name == "precomputed" else array.shape[0]

    @property
    def n_rows(self) -> int:
        return int(self.things.shape[0])

    def pick(self, chosen: Indices) -> ArrayData:
        if self.name == "precomputed":
            return Chosen(self.things, chosen)
        given = None if self.given is None else self.given[np.asarray(chosen)]
        return ArrayData(self._some(chosen), self.name, given)

    def _some(self, chosen: Indices) -> Any:
        if isinstance(self.things, Streamed):
            return self.things.take(chosen)
        xp, device = namespaces().array_namespace(self.things), namespaces().device(self.things)
        ids = xp.asarray(np.asarray(chosen, dtype=np.int64), device=device)
        return xp.take(self.things, ids, axis=0)

    def on_host(self, chosen: Indices) -> Data:
        """Some of the rows in NumPy."""
        some = to_host(self._some(chosen))
        return read(some[:, chosen] if self.name == "precomputed" else some, self.name, None)

    def like(self, X: Any, estimator: object = None) -> ArrayData:
        there = self.things.like if isinstance(self.things, Streamed) else self.things
        return array_data(like(X, there), self.name, None)

    @property
    def centres(self) -> Any:
        return self.things if self.given is None else self.given

    def back(self, result: Any) -> Any:
        return result if self.given is None else to_host(result)


class Chosen(ArrayData):
    """Points of a fit whose distances were given."""

    def __init__(self, array: Any, chosen: Indices) -> None:
        super().__init__(array, "precomputed")
        self.chosen = chosen

    @property
    def centres(self) -> Any:
        return None

    def of(self, distances: Any) -> Any:
        """From these to new points, of which each has a row of distances from all."""
        xp = namespaces().array_namespace(distances)
        ids = xp.asarray(self.chosen, device=namespaces().device(distances))
        return xp.astype(xp.take(distances, ids, axis=1), xp.float64).T


def data_of(
    X: Any,
    metric: Any,
    metric_params: Mapping[str, Any] | None,
    n_jobs: int | None = None,
    device: Any = None,
    estimator: object = None,
) -> Data:
    """The user's data, checked, on the device that is asked for, or where it is."""
    if device is None and not is_elsewhere(X):
        return read(X, metric, metric_params, n_jobs, estimator)
    if is_elsewhere(X):
        return array_data(to_device(X, device), metric, metric_params)
    if str(device) == "cpu":
        return read(X, metric, metric_params, n_jobs, estimator)
    if not check.is_array_of_numbers(X):
        raise TypeError(
            f"device={device!r} takes dense rows of numbers: leave device out for other data."
        )
    given = np.asarray(X)
    return array_data(to_device(given, device), metric, metric_params, given)


def array_data(array: Any, metric: Any, metric_params: Any, given: Any = None) -> ArrayData:
    """The user's array, checked."""
    name = SYNONYMS.get(metric, metric) if isinstance(metric, str) else metric
    if name not in ARRAY_METRICS:
        called = metric if isinstance(metric, str) else "a function"
        raise ValueError(
            f"metric={called!r} is not for arrays on a device: use one of"
            f" {', '.join(ARRAY_METRICS)}, or give a NumPy array."
        )
    if metric_params:
        raise ValueError(f"metric_params is for other metrics than {metric!r}: leave it out.")
    _check(array)
    if name == "haversine":
        check.check_sphere(array)
    if name == "precomputed" and array.shape[0] != array.shape[1]:
        raise ValueError(
            f"X has shape {tuple(array.shape)}, but on a device metric='precomputed' needs a"
            " square matrix: give NumPy arrays for candidates x points."
        )
    return ArrayData(array, name, given)


def _check(array: Any) -> None:
    xp = namespaces().array_namespace(array.like if isinstance(array, Streamed) else array)
    if array.ndim != 2:
        raise ValueError(
            f"X has {array.ndim} dimensions, but rows and columns are needed: reshape it."
        )
    if not array.shape[0] or not array.shape[1]:
        raise ValueError(f"X has shape {tuple(array.shape)}: give at least one row and one column.")
    if not xp.isdtype(array.dtype, ("real floating", "integral", "bool")):
        raise TypeError(f"X holds values of type {array.dtype}, but numbers are needed.")
    if xp.isdtype(array.dtype, "real floating"):
        size = max(_PART // array.shape[1], 1)
        for start in range(0, array.shape[0], size):
            part = rows_between(array, start, min(start + size, array.shape[0]))
            fine = xp.all(xp.isfinite(part), axis=1)
            if not bool(xp.all(fine)):
                row = start + int(xp.argmin(xp.astype(fine, xp.int8)))
                raise ValueError(
                    f"X[{row}] has values that are NaN or infinite: remove the row, or fill it in."
                )
