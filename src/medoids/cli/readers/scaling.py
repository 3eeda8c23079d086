"""Columns on one scale, so that none counts for more because of its unit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..problem import Problem
from .inputs import Input, Scaling

WAYS = ("standard", "robust", "none")


def scale(made: Input, way: str | None) -> None:
    """Scale the columns in one of the ways; the rows as they were are still shown."""
    if way in (None, "none"):
        return
    if made.kind not in ("rows", "sparse", "cells"):
        raise Problem("--scale is for rows of numbers, which this is not: leave it out.")
    if way == "robust" and sparse.issparse(made.X):
        raise Problem("--scale robust is for dense rows: use --scale standard for sparse ones.")
    made.rescale(_robust(made.X) if way == "robust" else _standard(made.X))
    by = "its mean and standard deviation" if way == "standard" else "its median and quartiles"
    made.notes.append(f"each column scaled by {by}")


def degrees(columns: int) -> Scaling:
    """From degrees to radians."""
    return Scaling("degrees", [0.0] * columns, [float(np.degrees(1))] * columns)


def _standard(rows: Any) -> Scaling:
    if sparse.issparse(rows):
        mean = np.asarray(rows.mean(axis=0, dtype=np.float64)).ravel()
        square = np.asarray(rows.multiply(rows).mean(axis=0, dtype=np.float64)).ravel()
        deviation = np.sqrt(np.maximum(square - mean**2, 0))
        return Scaling("standard", [0.0] * len(mean), _no_zero(deviation))
    mean = rows.mean(axis=0, dtype=np.float64)
    return Scaling("standard", mean.tolist(), _no_zero(_deviation(rows)))


def _robust(rows: Any) -> Scaling:
    low, middle, high = np.quantile(np.asarray(rows, dtype=np.float64), [0.25, 0.5, 0.75], axis=0)
    # Where half of the rows have one value, the others would count for anything.
    spread = np.where(high > low, high - low, _deviation(rows))
    return Scaling("robust", middle.tolist(), _no_zero(spread))


def _deviation(rows: Any) -> NDArray[np.float64]:
    return np.asarray(rows.std(axis=0, dtype=np.float64))


def _no_zero(unit: NDArray[np.float64]) -> list[float]:
    """A column that is constant stays as it is."""
    return [float(each) if each > 0 else 1.0 for each in unit]
