"""A plain Python function of two objects, called for each pair."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from .._threads import Workers
from .._types import Floats, Indices
from .base import Function, Measure

# Pairs that a process is sent at a time, at the least.
_PAIRS = 256


def with_params(function: Function, given: Mapping[str, Any]) -> Function:
    """The function with some of its keywords given."""
    return partial(function, **given) if given else function


class Call(Measure):
    """Any Python function of two objects: the medoid first.

    Parameters
    ----------
    function : callable
    n_jobs : int
        Processes to share the pairs.
    tried : int, default=0
        Pairs that were computed before.
    """

    def __init__(self, function: Function, n_jobs: int, tried: int = 0) -> None:
        self.function, self.n_jobs, self.tried = function, n_jobs, tried

    def pack(self, objects: Sequence[Any]) -> Sequence[Any]:
        return objects

    def fill(
        self, left: Any, arms: Indices, right: Any, refs: Indices, out: Floats, workers: Workers
    ) -> None:
        rows, columns = np.divmod(np.arange(len(arms) * len(refs)), len(refs))
        out[rows, columns] = self.pairs(left, arms[rows], right, refs[columns])

    def pairs(self, left: Any, arms: Indices, right: Any, refs: Indices) -> Floats:
        """The dissimilarity of each pair."""
        size = max(_PAIRS, -(-len(arms) // (4 * self.n_jobs)))
        if self.n_jobs == 1 or len(arms) <= size:
            return _call(self.function, left, arms, right, refs, arms, refs)
        parts = (slice(at, at + size) for at in range(0, len(arms), size))
        found = Parallel(n_jobs=self.n_jobs)(
            delayed(_call)(self.function, *_needed(left, arms[part], right, refs[part]))
            for part in parts
        )
        return np.concatenate(found)


def _needed(left: Any, arms: Indices, right: Any, refs: Indices) -> tuple[Any, ...]:
    """The objects of some pairs, each once, the pairs' places among them, and their indices."""
    few, at = np.unique(arms, return_inverse=True)
    many, to = np.unique(refs, return_inverse=True)
    return [left[i] for i in few], at, [right[j] for j in many], to, arms, refs


def _call(
    function: Function,
    left: Any,
    at: Indices,
    right: Any,
    to: Indices,
    arms: Indices,
    refs: Indices,
) -> Floats:
    """The function of `left[at]` and `right[to]`, which the user knows as X[arms] and X[refs]."""
    return np.array(
        [
            _one(function, left[i], right[j], arm, ref)
            for i, j, arm, ref in zip(
                *(each.tolist() for each in (at, to, arms, refs)), strict=True
            )
        ],
        dtype=np.float64,
    )


def _one(function: Function, medoid: Any, point: Any, arm: int, ref: int) -> float:
    """Call the function; what goes wrong tells of which pair."""
    try:
        value = function(medoid, point)
    except Exception as error:
        error.add_note(f"raised by metric(X[{arm}], X[{ref}])")
        raise
    if type(value) is float and math.isfinite(value):  # quick, and nearly always so
        return value
    if not isinstance(value, numbers.Real) and not (
        isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiub"
    ):
        raise TypeError(
            f"metric(X[{arm}], X[{ref}]) gives a {type(value).__name__}: let it return a number."
        )
    try:
        result = float(value)
    except OverflowError:  # a whole number beyond all floats
        result = math.inf
    if not math.isfinite(result):
        raise ValueError(f"metric(X[{arm}], X[{ref}]) gives {result}: let it return a number.")
    return result
