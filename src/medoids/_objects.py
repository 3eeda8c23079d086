"""Points that are objects of any kind, under a measure or a function of the user's."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ._measure import Measure
from ._points import Floats, Indices, Points
from ._threads import Workers

# Pairs that a process is sent at a time, at the least.
_PAIRS = 256
# Pairs that are looked up at a time.
_AT_ONCE = 2**18


class ObjectPoints(Points):
    """Objects under a measure. Distances are those of float64 in every block."""

    cheap = False

    def __init__(self, packed: Any, n: int, measure: Measure, workers: Workers) -> None:
        super().__init__(n, workers)
        self.packed, self.measure = packed, measure
        self.nonnegative = measure.distance
        self._own = measure.own(packed, n)

    def own(self) -> NDArray[np.float64]:
        return self._own

    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        self.measure.fill(self.packed, arms, self.packed, refs, out, self.workers)

    def _exact(self, arms: Indices, out: NDArray[np.float64]) -> None:
        every = np.arange(self.n)
        self.measure.fill(self.packed, arms, self.packed, every, out, self.workers)


class Call(Measure):
    """Any Python function of two objects: the medoid first.

    Parameters
    ----------
    function : callable
    n_jobs : int
        Processes to share the pairs.
    """

    def __init__(self, function: Callable[[Any, Any], float], n_jobs: int) -> None:
        self.function, self.n_jobs = function, n_jobs

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
            return _call(self.function, left, arms, right, refs)
        parts = (slice(at, at + size) for at in range(0, len(arms), size))
        found = Parallel(n_jobs=self.n_jobs)(
            delayed(_call_some)(self.function, *_needed(left, arms[part], right, refs[part]))
            for part in parts
        )
        return np.concatenate(found)


class CallPoints(Points):
    """Objects under a function of the user's, which is called once for each pair.

    What was computed is kept in a matrix whose columns are in the order in which references
    were first asked for. It takes address space alone until entries are written.
    """

    cheap = False

    def __init__(self, objects: Sequence[Any], call: Call, workers: Workers) -> None:
        super().__init__(len(objects), workers)
        self.objects, self.call = objects, call
        self._kept = np.zeros((self.n, self.n))
        self._column = np.full(self.n, -1)
        self._used = 0
        own = np.arange(self.n)
        self._own = self._pairs(own, own)
        self.nonnegative = False  # nobody knows before all are computed

    def own(self) -> NDArray[np.float64]:
        return self._own

    def _pairs(self, arms: Indices, refs: Indices) -> NDArray[np.float64]:
        """The dissimilarity of each pair, computed if it is not known."""
        new = np.unique(refs[self._column[refs] < 0])
        self._column[new] = np.arange(self._used, self._used + len(new))
        self._used += len(new)
        columns = self._column[refs]
        # An entry of 0 is not known yet; a distance of zero is kept as -0.
        missing = np.flatnonzero(self._kept[arms, columns].view(np.uint64) == 0)
        if len(missing):
            found = self.call.pairs(self.objects, arms[missing], self.objects, refs[missing])
            found[found == 0] = -0.0
            self._kept[arms[missing], columns[missing]] = found
            self.n_distances += len(missing)
        return np.asarray(self._kept[arms, columns] + 0.0)

    def block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        self._block(np.asarray(arms), np.asarray(refs), out)

    def exact(self, arms: Indices) -> NDArray[np.float64]:
        out = np.empty((len(arms), self.n))
        self._block(np.asarray(arms), np.arange(self.n), out)
        return out

    def _block(self, arms: Indices, refs: Indices, out: Floats) -> None:
        size = max(_AT_ONCE // max(len(refs), 1), 1)
        for start in range(0, len(arms), size):
            some = arms[start : start + size]
            pairs = self._pairs(np.repeat(some, len(refs)), np.tile(refs, len(some)))
            out[start : start + size] = pairs.reshape(len(some), len(refs))

    def _exact(self, arms: Indices, out: NDArray[np.float64]) -> None:
        out[:] = self.exact(arms)


def _needed(left: Any, arms: Indices, right: Any, refs: Indices) -> tuple[Any, ...]:
    """The objects of some pairs, each once, the pairs' places among them, and their indices."""
    few, at = np.unique(arms, return_inverse=True)
    many, to = np.unique(refs, return_inverse=True)
    return [left[i] for i in few], at, [right[j] for j in many], to, arms, refs


def _call_some(
    function: Callable[[Any, Any], float],
    left: list[Any],
    at: Indices,
    right: list[Any],
    to: Indices,
    arms: Indices,
    refs: Indices,
) -> Floats:
    return np.array(
        [
            _one(function, left[i], right[j], arm, ref)
            for i, j, arm, ref in zip(
                *(each.tolist() for each in (at, to, arms, refs)), strict=True
            )
        ],
        dtype=np.float64,
    )


def _call(
    function: Callable[[Any, Any], float], left: Any, arms: Indices, right: Any, refs: Indices
) -> Floats:
    return np.array(
        [
            _one(function, left[arm], right[ref], arm, ref)
            for arm, ref in zip(arms.tolist(), refs.tolist(), strict=True)
        ],
        dtype=np.float64,
    )


def _one(
    function: Callable[[Any, Any], float], medoid: Any, point: Any, arm: int, ref: int
) -> float:
    """Call the function; what goes wrong tells of which pair."""
    try:
        value = function(medoid, point)
    except Exception as error:
        error.add_note(f"raised by metric(X[{arm}], X[{ref}])")
        raise
    if type(value) in (float, int) and math.isfinite(value):  # quick, and nearly always so
        return value
    if not isinstance(value, numbers.Real) and not (
        isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiub"
    ):
        raise TypeError(
            f"metric(X[{arm}], X[{ref}]) gives a {type(value).__name__}: let it return a number."
        )
    result = float(value)
    if not math.isfinite(result):
        raise ValueError(f"metric(X[{arm}], X[{ref}]) gives {result}: let it return a number.")
    return result
