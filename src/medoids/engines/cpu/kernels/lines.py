"""A line of sixteen numbers as one value, which kernels compute with.

Of loops over so few numbers the compiler makes vectors here and there, and each loop takes it a
hundredth of a second. A line is always one (LLVM splits it where the processor has shorter ones);
it lives in registers, and `line_of` and `put` are the ways from and to an array.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model

from .tuples import LANES
from .vectors import lanes_at, spread

_LINE = ir.VectorType(ir.DoubleType(), LANES)


class LineType(types.Type):
    """The type of a line."""

    def __init__(self) -> None:
        super().__init__(name="Line")


_line = LineType()


@register_model(LineType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _LINE)


@intrinsic
def line_of(_: Any, array: Any, at: Any) -> Any:
    """The numbers from array[at] on; it is flat, of float32 or float64, and nothing is checked."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = lanes_at(context, builder, array, args[0], args[1], LANES)
        some = builder.load(place, align=array.dtype.bitwidth // 8)
        return some if array.dtype == types.float64 else builder.fpext(some, _LINE)

    return _line(array, types.int64), generate


@intrinsic
def put(_: Any, array: Any, at: Any, line: Any) -> Any:
    """Let the numbers from array[at] on be those of a line; it is flat, and of float64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = lanes_at(context, builder, array, args[0], args[1], LANES)
        builder.store(args[2], place, align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, _line), generate


@intrinsic
def nothing(_: Any) -> Any:
    """A line of zeros."""
    return _line(), lambda context, builder, signature, args: ir.Constant(_LINE, None)


@intrinsic
def plus(_: Any, one: Any, other: Any) -> Any:
    return _line(_line, _line), lambda context, builder, signature, args: builder.fadd(
        *args, flags=["contract"]
    )


@intrinsic
def minus(_: Any, one: Any, other: Any) -> Any:
    return _line(_line, _line), lambda context, builder, signature, args: builder.fsub(
        *args, flags=["contract"]
    )


@intrinsic
def times(_: Any, one: Any, other: Any) -> Any:
    return _line(_line, _line), lambda context, builder, signature, args: builder.fmul(
        *args, flags=["contract"]
    )


@intrinsic
def scaled(_: Any, line: Any, factor: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fmul(args[0], spread(builder, args[1], LANES), flags=["contract"])

    return _line(_line, types.float64), generate


@intrinsic
def added_up(_: Any, line: Any) -> Any:
    """The sum of a line's numbers."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType(), _LINE])
        name = f"llvm.vector.reduce.fadd.v{LANES}f64"
        sum_of = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(
            sum_of, [ir.Constant(ir.DoubleType(), 0.0), args[0]], fastmath=["reassoc"]
        )

    return types.float64(_line), generate


def _pourer(count: int) -> Any:
    """Add to so many numbers from sums[at] on those from few[low] on, and the next so many.

    These are zeros then. Was any of them not? Both arrays are flat; `few` is of float32.
    """

    def pour(_: Any, sums: Any, at: Any, few: Any, low: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            to = lanes_at(context, builder, sums, args[0], args[1], count)
            parts, found = [], ir.Constant(ir.VectorType(ir.IntType(1), count), None)
            for i in range(2):
                shift = builder.add(args[3], ir.Constant(args[3].type, i * count))
                place = lanes_at(context, builder, few, args[2], shift, count)
                some = builder.load(place, align=4)
                none = ir.Constant(some.type, None)
                found = builder.or_(found, builder.fcmp_unordered("!=", some, none))
                builder.store(none, place, align=4)
                parts.append(builder.fpext(some, to.type.pointee))
            both = builder.fadd(builder.load(to, align=8), builder.fadd(*parts))
            builder.store(both, to, align=8)
            bits = builder.bitcast(found, ir.IntType(count))
            return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

        return types.boolean(sums, types.int64, few, types.int64), generate

    return intrinsic(pour)


pour_four, pour_lines = _pourer(4), _pourer(2 * LANES)
