"""A function of two rows of numbers, compiled by Numba to run inside a block kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._measure import Measure, in_slices
from ._points import Floats, Indices
from ._threads import Workers

_REORDER = {"reassoc", "nsz", "contract"}
Function = Callable[[Any, Any], float]


def compiled(function: Any, array: Floats) -> Compiled | None:
    """The measure that a function gives; None if it cannot be compiled as it is.

    A plain function is compiled if Numba can, and if what comes out is the same for a few
    pairs of rows.
    """
    measure = Compiled(function)
    some = np.unique(np.linspace(0, len(array) - 1, 4).astype(np.int64))
    out = np.empty((len(some), len(some)))
    rows = array[some].astype(np.float64)
    every = np.arange(len(some))
    try:
        measure.kernel()(rows, rows, every, every, out)
        plain = np.array([[float(measure.plain(a, b)) for b in rows] for a in rows])
    except Exception:  # Numba has many; what is wrong shows where each pair is called
        return None
    return measure if np.allclose(out, plain, rtol=1e-9, atol=0, equal_nan=True) else None


class Compiled(Measure):
    """A function of the user's on rows of numbers: the medoid first."""

    tabular = True
    distance = False

    def __init__(self, function: Any) -> None:
        self.plain: Function = getattr(function, "py_func", function)
        self._kernel: Callable[..., None] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"plain": self.plain, "_kernel": None}  # a kernel is compiled again

    def kernel(self) -> Callable[..., None]:
        """Fills `out[i, j]` with the function of `left[arms[i]]` and `right[refs[j]]`."""
        if self._kernel is None:
            from numba import njit

            function = njit(nogil=True, fastmath=_REORDER)(self.plain)

            @njit(nogil=True, fastmath=_REORDER)
            def fill(left, right, arms, refs, out):  # type: ignore[no-untyped-def]
                for i in range(arms.shape[0]):
                    for j in range(refs.shape[0]):
                        out[i, j] = function(left[arms[i]], right[refs[j]])

            self._kernel = fill
        return self._kernel

    def pack(self, objects: Any) -> NDArray[np.float64]:
        return np.ascontiguousarray(objects, dtype=np.float64)

    def fill(
        self, left: Any, arms: Indices, right: Any, refs: Indices, out: Floats, workers: Workers
    ) -> None:
        kernel = self.kernel()

        def work(some: slice, others: slice, part: NDArray[np.float64]) -> None:
            kernel(left, right, arms[some], refs[others], part)

        in_slices(work, out, workers)

    def own(self, packed: Any, n: int) -> NDArray[np.float64]:
        out, kernel = np.empty((1, 1)), self.kernel()
        own = np.empty(n)
        for i in range(n):
            kernel(packed, packed, np.array([i]), np.array([i]), out)
            own[i] = out[0, 0]
        return own
