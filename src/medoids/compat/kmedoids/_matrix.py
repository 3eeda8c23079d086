"""The matrix and the first medoids that a user gives, checked."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import _checks as check
from ..._fit import _levels_to_user
from ..._functions import k_medoids
from ..._spelling import unknown
from ...data.checks import as_floats
from .._matrices import arms_first

Matrix = NDArray[Any]
# The user holds the matrix already.
UNLIMITED = float("inf")
_INITS = ("random", "first", "build")


def square(diss: ArrayLike) -> Matrix:
    """A square matrix of finite numbers; the row is the point, the column the medoid."""
    matrix = as_floats(diss, "diss")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"diss has shape {matrix.shape}: give a square matrix of dissimilarities, or use"
            " KMedoids with the name of a metric."
        )
    return matrix


def medoids_first(diss: ArrayLike) -> Matrix:
    """The same with a row for each medoid."""
    return arms_first(square(diss))


def start(matrix: Matrix, medoids: Any, init: Any, random_state: Any) -> list[int]:
    """The first medoids: those given, or so many as `init` says; `matrix` has a row for each."""
    n = len(matrix)
    if np.ndim(medoids):
        if random_state is not None:
            warnings.warn(
                "Seed will be ignored if initial medoids are given", stacklevel=_levels_to_user()
            )
        rows = check.rows(medoids, "medoids", n)
        if not rows:
            raise ValueError("medoids is empty: give some rows, or their number.")
        return rows
    k = check.whole(medoids, "medoids", 1)
    if k > n:
        raise ValueError(f"medoids={k} is more than the {n} points: ask for at most {n}.")
    name = init.lower() if isinstance(init, str) else init
    if name not in _INITS:
        raise ValueError(unknown("init", init, _INITS))
    if name == "first":
        return list(range(k))
    if name == "random":
        return [int(row) for row in check.generator(random_state).choice(n, k, replace=False)]
    built = k_medoids(
        matrix, k, metric="precomputed", method="pam", max_iter=0, memory_limit=UNLIMITED
    )
    return [int(row) for row in built.medoid_indices]
