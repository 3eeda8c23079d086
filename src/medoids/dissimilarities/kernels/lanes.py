"""Eight numbers at a time: a vector that Numba's code can compute with.

Numba makes vectors of loops by itself, but not of one that waits for its last result. Here such a
loop takes eight series in lanes, side by side. The type lives in registers alone; `load` and
`store` are the ways from and to an array, whose last axis is that of the lanes. LLVM splits a
vector where the processor has shorter ones.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.extending import intrinsic, overload, register_model
from numba.np.arrayobj import make_array

LANES = 8
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)


class LanesType(types.Type):
    """The type of such a vector."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


_lanes = LanesType()


@register_model(LanesType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _place(context: Any, builder: Any, kind: Any, array: Any, row: Any) -> Any:
    """Where the lanes of a row begin."""
    data = make_array(kind)(context, builder, array).data
    first = builder.mul(row, ir.Constant(row.type, LANES))
    return builder.bitcast(builder.gep(data, [first]), _VECTOR.as_pointer())


@intrinsic
def load(typing_context, array, row):  # type: ignore[no-untyped-def]
    """The lanes of a row; the array is contiguous, and nothing checks its bounds."""

    def build(context, builder, signature, args):  # type: ignore[no-untyped-def]
        place = _place(context, builder, signature.args[0], *args)
        return builder.load(place, align=8)

    return _lanes(array, types.intp), build


@intrinsic
def store(typing_context, array, row, lanes):  # type: ignore[no-untyped-def]
    """Put lanes into a row."""

    def build(context, builder, signature, args):  # type: ignore[no-untyped-def]
        place = _place(context, builder, signature.args[0], *args[:2])
        builder.store(args[2], place, align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, _lanes), build


@intrinsic
def spread(typing_context, number):  # type: ignore[no-untyped-def]
    """One number in all lanes."""

    def build(context, builder, signature, args):  # type: ignore[no-untyped-def]
        zero = ir.Constant(ir.IntType(32), 0)
        one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), args[0], zero)
        mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return builder.shuffle_vector(one, one, mask)

    return _lanes(types.float64), build


@intrinsic
def where_at_most(typing_context, a, b, yes, no):  # type: ignore[no-untyped-def]
    """In each lane `yes` if a <= b, else `no`."""

    def build(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.select(builder.fcmp_ordered("<=", args[0], args[1]), args[2], args[3])

    return _lanes(_lanes, _lanes, _lanes, _lanes), build


@intrinsic
def lowest(typing_context, a, b):  # type: ignore[no-untyped-def]
    def build(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.select(builder.fcmp_ordered("<", *args), *args)

    return _lanes(_lanes, _lanes), build


@intrinsic
def highest(typing_context, a, b):  # type: ignore[no-untyped-def]
    def build(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return _lanes(_lanes, _lanes), build


@intrinsic
def root(typing_context, a):  # type: ignore[no-untyped-def]
    return _lanes(_lanes), _function("llvm.sqrt")


@intrinsic
def size(typing_context, a):  # type: ignore[no-untyped-def]
    """Without the sign."""
    return _lanes(_lanes), _function("llvm.fabs")


def _function(name: str) -> Any:
    """A function that LLVM has for vectors."""

    def build(context, builder, signature, args):  # type: ignore[no-untyped-def]
        kind = ir.FunctionType(_VECTOR, [_VECTOR])
        function = cgutils.get_or_insert_function(builder.module, kind, f"{name}.v{LANES}f64")
        return builder.call(function, args)

    return build


def _arithmetic(symbol: Any, instruction: str) -> None:
    """Let the operator take two vectors."""

    @intrinsic
    def compute(typing_context, a, b):  # type: ignore[no-untyped-def]
        def build(context, builder, signature, args):  # type: ignore[no-untyped-def]
            return getattr(builder, instruction)(*args)

        return _lanes(_lanes, _lanes), build

    @overload(symbol)
    def found(a, b):  # type: ignore[no-untyped-def]
        if isinstance(a, LanesType) and isinstance(b, LanesType):
            return lambda a, b: compute(a, b)
        return None


_arithmetic(operator.add, "fadd")
_arithmetic(operator.sub, "fsub")
_arithmetic(operator.mul, "fmul")
