"""Functions of the user's, compiled: alone, and inside the loop that fills a block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numba import njit, types


def compile_function(plain: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """The function itself."""
    return njit(**options)(plain)


def compile_narrow(function: Any, options: Mapping[str, Any]) -> Any:
    """The compiled function, computed in float32 where its rows are of float32."""
    return njit(**options, locals=_narrow(function))(function.py_func)


def function_block(function: Any, options: Mapping[str, Any]) -> Callable[..., Any]:
    """The kernel that fills `out[i, j]` with the function of `left[i]` and `right[j]`."""

    @njit(**options)
    def block(left, right, width, out):  # type: ignore[no-untyped-def]
        # A few rows of each side stay in the nearest cache.
        for first in range(0, right.shape[0], 4):
            for start in range(0, left.shape[0], 4):
                for i in range(start, min(start + 4, left.shape[0])):
                    for j in range(first, min(first + 4, right.shape[0])):
                        out[i, j] = function(left[i, :width], right[j, :width])

    kernel: Callable[..., Any] = block
    return kernel


def _narrow(function: Any) -> dict[str, Any]:
    """A type of float32 for each variable that would be of float64 though the rows are not.

    A sum that begins with `0.0` is one: it would take twice the time.
    """
    row = types.Array(types.float32, 1, "C")
    function.compile((row, row))
    kinds = function.overloads[row, row].type_annotation.typemap
    wide = {name.split(".")[0] for name, kind in kinds.items() if kind == types.float64}
    return dict.fromkeys(wide & set(function.py_func.__code__.co_varnames), types.float32)
