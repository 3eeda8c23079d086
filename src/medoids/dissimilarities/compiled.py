"""A function of two rows of numbers, compiled by Numba to run inside a block kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .._threads import Workers
from .._types import Floats, Indices, RowReader
from . import kernels
from .base import Function, Measure
from .precision import SMALL, loses_digits

_REORDER = {"reassoc", "nsz", "contract"}
# Rows that are held as a panel, and rows that a thread takes at a time; at most so many bytes.
_PANEL, _SLICE, _BYTES = 1024, 256, 2**23
# Pairs that are first computed in plain Python.
_CHECKED = 64
# Rows begin on a line of the cache, or half of the wide loads would cross one.
_LINE = 64
Kernel = Callable[..., Any]
# The kernels of functions that the user has compiled, as long as these live.
_compiled: WeakKeyDictionary[Any, dict[Any, Kernel]] = WeakKeyDictionary()


def compiled(function: Any, array: RowReader) -> Compiled | None:
    """The measure that a function gives; None if it cannot be compiled as it is.

    A plain function is compiled if Numba can, and if what comes out is the same for some
    pairs of rows.
    """
    measure = Compiled(function)
    most = max(4, min(_CHECKED, len(array) // 4, _BYTES // array.shape[1]))
    left, right = _some_pairs(len(array), most)
    plain = []
    for arm, ref in zip(left.tolist(), right.tolist(), strict=True):
        given = np.concatenate([array[arm : arm + 1], array[ref : ref + 1]]).astype(np.float64)
        rows = given.copy()
        plain.append(_plainly(measure.plain, rows[0], rows[1], arm, ref))
        if not np.array_equal(rows, given):
            raise ValueError(f"metric(X[{arm}], X[{ref}]) changes its rows: let it copy them.")
    if None in plain:
        return None
    try:
        found = measure.pairs(array, left, right)
    except Exception:  # Numba has many; what is wrong shows where each pair is called
        return None
    if not np.allclose(found, np.array(plain, dtype=float), rtol=1e-9, atol=0, equal_nan=True):
        return None
    measure.tried = len(plain) + len(found)
    # Of few rows blocks of float64 cost less than to find out.
    measure.single = len(array) > SMALL and _can_be_single(measure, array)
    return measure


def check_bounds(function: Any, objects: Sequence[Any], params: Mapping[str, Any]) -> int:
    """Refuse a function that Numba has compiled if it reads beyond the end of some objects.

    The number of pairs that were tried.
    """
    if not hasattr(function, "py_func"):
        return 0
    plain = partial(function.py_func, **params)
    most = max(4, min(_CHECKED, len(objects) // 4))
    for arm, ref in zip(*_some_pairs(len(objects), most), strict=True):
        _plainly(plain, objects[arm], objects[ref], int(arm), int(ref))
    return most


def _some_pairs(n: int, count: int) -> tuple[Indices, Indices]:
    """Pairs of many different points, the first with the last among them."""
    left = np.linspace(0, n - 1, count).astype(np.int64)
    return left, left[::-1]


def _plainly(function: Function, medoid: Any, point: Any, arm: int, ref: int) -> float | None:
    """What Python makes of a pair; compiled code would not notice that it reads beyond the end."""
    try:
        return float(function(medoid, point))
    except IndexError as error:
        raise ValueError(
            f"metric(X[{arm}], X[{ref}]) reads beyond the end, {error}: mend the function."
        ) from error
    except Exception:  # it will show where each pair is called
        return None


def _can_be_single(measure: Compiled, array: RowReader) -> bool:
    """Whether the function can be computed in float32 where a search needs no more."""
    with np.errstate(all="ignore"):
        try:
            return not loses_digits(
                len(array),
                lambda left, right: measure.block(array, left, array, right, np.float32),
                lambda left, right: measure.block(array, left, array, right, np.float64),
            )
        except Exception:  # what float64 allows need not compile for float32
            return False


class Compiled(Measure):
    """A function of the user's on rows of numbers: the medoid first.

    Attributes
    ----------
    single : bool
        Blocks of float32 are computed in float32; exact distances never are.
    """

    takes = "rows"
    distance = False

    def __init__(self, function: Any) -> None:
        self.single, self.tried = False, 0
        self.plain: Function = getattr(function, "py_func", function)
        wanted = getattr(function, "targetoptions", {})
        self.options = {"nogil": True, "fastmath": wanted.get("fastmath") or _REORDER}
        # What Numba has compiled stays as it is; a plain function may change with its globals.
        compiled = hasattr(function, "py_func")
        self._kernels: dict[Any, Kernel] = _compiled.setdefault(function, {}) if compiled else {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kernels": {}}  # a kernel is compiled again

    def _function(self) -> Function:
        """The function itself, compiled."""
        if "function" not in self._kernels:
            self._kernels["function"] = kernels.compile_function(self.plain, self.options)
        return self._kernels["function"]

    def _kernel(self, real: Any) -> Kernel:
        if real not in self._kernels:
            function = self._function()
            if real == np.float32:
                function = kernels.compile_narrow(function, self.options)
            self._kernels[real] = kernels.function_block(function, self.options)
        return self._kernels[real]

    def block(
        self, left: RowReader, arms: Indices, right: RowReader, refs: Indices, real: Any
    ) -> NDArray[Any]:
        """The function of each arm and each reference, computed in one thread."""
        self.tried += len(arms) * len(refs)
        out = np.empty((len(arms), len(refs)), dtype=real)
        panels = _aligned(left, arms, real), _aligned(right, refs, real)
        self._kernel(real)(*panels, left.shape[1], out)
        return out

    def pack(self, objects: Any) -> Any:
        return objects

    def fill(
        self, left: Any, arms: Indices, right: Any, refs: Indices, out: Floats, workers: Workers
    ) -> None:
        real = np.float32 if self.single and out.dtype == np.float32 else np.float64
        kernel, width = self._kernel(real), left.shape[1]
        turned = len(refs) > len(arms)
        short, long = (arms, refs) if turned else (refs, arms)
        held_rows, moving_rows = (left, right) if turned else (right, left)
        target = out.T if turned else out
        most = max(1, min(_PANEL, _BYTES // (8 * width)))
        for first in range(0, len(short), most):
            held = _aligned(held_rows, short[first : first + most], real)

            def work(start: int, stop: int, first: int = first, held: Floats = held) -> None:
                moving = _aligned(moving_rows, long[start:stop], real)
                pair = (held, moving) if turned else (moving, held)
                part = np.empty((len(pair[0]), len(pair[1])), dtype=real)
                kernel(*pair, width, part)
                target[start:stop, first : first + len(held)] = part.T if turned else part

            workers.each(work, len(long), min(most, _SLICE))

    def own(self, packed: Any, n: int) -> NDArray[np.float64]:
        return self.pairs(packed, np.arange(n), np.arange(n))

    def pairs(self, array: RowReader, left: Indices, right: Indices) -> NDArray[np.float64]:
        """The function of each pair of rows."""
        # A call for each pair: to compile a loop around it would take longer than most fits.
        function, size = self._function(), max(1, _BYTES // (8 * array.shape[1]))
        found = np.empty(len(left))
        for at in range(0, len(left), size):
            some = slice(at, at + size)
            rows = (np.asarray(array[each[some]], dtype=np.float64) for each in (left, right))
            # The sum refuses what is no number, a text of digits too.
            found[some] = [0.0 + function(a, b) for a, b in zip(*rows, strict=True)]
        return found


def _aligned(array: RowReader, rows: Indices, real: Any) -> NDArray[Any]:
    """Some rows, each of which begins on a line of the cache; wider than they were."""
    per_line = _LINE // np.dtype(real).itemsize
    width = -(-array.shape[1] // per_line) * per_line
    memory = np.empty(len(rows) * width + per_line, dtype=real)
    first = -(memory.ctypes.data // memory.itemsize) % per_line
    out = memory[first : first + len(rows) * width].reshape(len(rows), width)
    out[:, : array.shape[1]] = array[rows]
    return out
