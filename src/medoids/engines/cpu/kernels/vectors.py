"""What the compiler does not find of itself, or not at once: lines added as vectors, minima."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

# Numbers that a line has.
LANES = 16


@intrinsic
def add_scaled(_: Any, out: Any, i: Any, line: Any, j: Any, factor: Any) -> Any:
    """Add to the line that begins at out[i] the factor times the one that begins at line[j].

    Both are flat arrays: `out` of float64, `line` of that or float32. Written as a loop it is not
    made of vectors: the two might overlap for all that is known, and they are short.
    """
    wide = ir.VectorType(ir.DoubleType(), LANES)

    def pointer(context: Any, builder: Any, array: Any, value: Any, at: Any) -> Any:
        data = context.make_array(array)(context, builder, value).data
        kind = ir.VectorType(context.get_value_type(array.dtype), LANES)
        return builder.bitcast(builder.gep(data, [at]), kind.as_pointer())

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        to = pointer(context, builder, out, args[0], args[1])
        size = line.dtype.bitwidth // 8
        some = builder.load(pointer(context, builder, line, args[2], args[3]), align=size)
        if size < 8:
            some = builder.fpext(some, wide)
        nothing = ir.Constant(wide, ir.Undefined)
        first = ir.Constant(ir.IntType(32), 0)
        places = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        factors = builder.insert_element(nothing, args[4], first)
        factors = builder.shuffle_vector(factors, nothing, places)
        more = builder.fmul(factors, some, flags=["contract"])
        sums = builder.fadd(builder.load(to, align=8), more, flags=["contract"])
        builder.store(sums, to, align=8)
        return context.get_dummy_value()

    return types.void(out, types.int64, line, types.int64, types.float64), generate


@intrinsic
def turn_eight(_: Any, square: Any, at: Any, out: Any, to: Any, stride: Any) -> Any:
    """Turn eight by eight numbers of 16 bits: those from square[at] on go to out[to] and on.

    Both arrays are flat, and so many numbers are between one line and the next.
    """
    line = ir.VectorType(ir.IntType(16), 8)
    low, high = (
        ir.Constant(
            ir.VectorType(ir.IntType(32), 8), [i // 2 + 8 * (i % 2) + half for i in range(8)]
        )
        for half in (0, 4)
    )

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def pointer(array: Any, value: Any, start: Any, i: int) -> Any:
            data = context.make_array(array)(context, builder, value).data
            skip = builder.mul(args[4], ir.Constant(args[4].type, i))
            place = builder.gep(data, [builder.add(start, skip)])
            return builder.bitcast(place, line.as_pointer())

        lines = [builder.load(pointer(square, args[0], args[1], i), align=2) for i in range(8)]
        for _ in range(3):  # lines that are four apart, one number of each in turn
            pairs = [(lines[i], lines[i + 4]) for i in range(4)]
            lines = [builder.shuffle_vector(a, b, half) for a, b in pairs for half in (low, high)]
        for i in range(8):
            builder.store(lines[i], pointer(out, args[2], args[3], i), align=2)
        return context.get_dummy_value()

    return types.void(square, types.int64, out, types.int64, types.int64), generate


@intrinsic
def which_below(_: Any, row: Any, limit: Any, j: Any) -> Any:
    """Which of the numbers row[j], row[j + 1], ... are not at or above limit[j], limit[j + 1], ...

    A bit for each of as many as a line has. Both arrays are contiguous. NaN counts as below.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lines = []
        for array, value in ((row, args[0]), (limit, args[1])):
            data = context.make_array(array)(context, builder, value).data
            kind = ir.VectorType(context.get_value_type(array.dtype), LANES)
            place = builder.bitcast(builder.gep(data, [args[2]]), kind.as_pointer())
            lines.append(builder.load(place, align=array.dtype.bitwidth // 8))
        found = builder.fcmp_unordered("<", *lines)
        bits = builder.bitcast(found, ir.IntType(LANES))
        return builder.zext(bits, ir.IntType(64))

    return types.uint64(row, limit, types.int64), generate


@intrinsic
def lowest_bit(_: Any, bits: Any) -> Any:
    """The place of the lowest bit that is set; there is one."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def smaller(typing: Any, one: Any, other: Any) -> Any:
    """The smaller of two numbers, the first if there is none: NaN stays where it is the first.

    The same as `min`, of which every kind of numbers takes a thirtieth of a second to compile.
    """
    return _chosen(typing, one, other, "<")


@intrinsic
def larger(typing: Any, one: Any, other: Any) -> Any:
    """The larger of two numbers, the first if there is none; as `max`."""
    return _chosen(typing, one, other, ">")


def _chosen(typing: Any, one: Any, other: Any, how: str) -> Any:
    kind = typing.unify_types(one, other)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return choose(context, builder, kind, ((args[0], one), (args[1], other)), how)

    return kind(one, other), generate


def choose(context: Any, builder: Any, kind: Any, pair: tuple[Any, Any], how: str) -> Any:
    """The code for the second of two values, each with its type, where it is `how` to the first."""
    a, b = (context.cast(builder, value, each, kind) for value, each in pair)
    compare = builder.fcmp_ordered if isinstance(kind, types.Float) else builder.icmp_signed
    return builder.select(compare(how, b, a), b, a)
