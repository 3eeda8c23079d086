"""What the compiler does not find of itself, or not at once: lines added as vectors, minima."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from .tuples import LANES

_PLACE, _NUMBER = ir.IntType(64), ir.FloatType()
_FOUR = ir.VectorType(_NUMBER, 4)


def processor_has(features: set[str]) -> bool:
    """Whether the processor that code is compiled for has all of these features."""
    _, _, all_of_them = cpu_target.target_context.codegen().magic_tuple()
    return features <= {name[1:] for name in all_of_them.split(",") if name.startswith("+")}


# Numbers that a mask chooses are put side by side by one instruction.
PACKS = processor_has({"avx512f"})


def spread(builder: Any, value: Any, count: int) -> Any:
    """A number in so many lanes."""
    kind = ir.VectorType(value.type, count)
    nothing, first = ir.Constant(kind, ir.Undefined), ir.Constant(ir.IntType(32), 0)
    places = ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count)
    return builder.shuffle_vector(builder.insert_element(nothing, value, first), nothing, places)


def lanes_at(context: Any, builder: Any, array: Any, value: Any, at: Any, count: int) -> Any:
    """Where so many numbers of a flat array begin, as the place of a vector."""
    data = context.make_array(array)(context, builder, value).data
    kind = ir.VectorType(context.get_value_type(array.dtype), count)
    return builder.bitcast(builder.gep(data, [at]), kind.as_pointer())


@intrinsic
def add_reward(
    _: Any, sums: Any, few: Any, at: Any, lines: Any, laid: Any, s: Any, distance: Any, swap: Any
) -> Any:
    """Add to sums what an arm's rewards at the reference `s` are along its line.

    The rewards are min(distance, cap) - base, times a weight: the owner staying, and in SWAP going.
    `laid` has eight numbers of each reference: both caps, both bases, the weight. The line of `at`
    in `few` gets the two rewards and their squares; its two lines of 16 numbers in `sums` the
    line of `s`, times the one reward and the other. All arrays are flat, and of float32.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def place(i: int, at: Any, count: int) -> Any:
            return lanes_at(context, builder, signature.args[i], args[i], at, count)

        def times(value: Any, count: int) -> Any:
            return builder.mul(value, ir.Constant(_PLACE, count))

        def lanes(*which: int) -> Any:
            return ir.Constant(ir.VectorType(ir.IntType(32), len(which)), list(which))

        of = times(args[5], 8)
        clips = builder.load(place(4, of, 4), align=4)
        weights = builder.load(place(4, builder.add(of, ir.Constant(_PLACE, 4)), 4), align=4)
        caps = builder.shuffle_vector(clips, clips, lanes(0, 1, 0, 1))
        bases = builder.shuffle_vector(clips, clips, lanes(2, 3, 2, 3))
        far = spread(builder, args[6], 4)
        pays = builder.select(builder.fcmp_ordered("<", caps, far), caps, far)
        weights = builder.shuffle_vector(weights, weights, lanes(0, 0, 0, 0))
        both = builder.fmul(builder.fsub(pays, bases), weights)
        ones = ir.Constant(_FOUR, [1.0, 1.0, 0.0, 0.0])
        factors = builder.shuffle_vector(ones, both, lanes(0, 1, 6, 7))
        to = place(1, times(args[2], 4), 4)
        more = builder.fmul(both, factors, flags=["contract"])
        builder.store(
            builder.fadd(builder.load(to, align=4), more, flags=["contract"]), to, align=4
        )
        line = builder.load(place(3, times(args[5], LANES), LANES), align=4)

        def add(i: int) -> None:
            reward = builder.extract_element(both, ir.Constant(ir.IntType(32), i))
            shift = ir.Constant(_PLACE, LANES * i)
            to = place(0, builder.add(times(args[2], 2 * LANES), shift), LANES)
            more = builder.fmul(spread(builder, reward, LANES), line, flags=["contract"])
            sums = builder.fadd(builder.load(to, align=4), more, flags=["contract"])
            builder.store(sums, to, align=4)

        add(0)
        with builder.if_then(args[7]):
            add(1)
        return context.get_dummy_value()

    place = types.int64
    taken = types.void(sums, few, place, lines, laid, place, types.float32, types.boolean)
    return taken, generate


@intrinsic
def ask_for(_: Any, array: Any, row: Any, column: Any) -> Any:
    """Have the line of memory with array[row, column] brought near, and do not wait for it."""
    small, byte = ir.IntType(32), ir.IntType(8).as_pointer()

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        held = context.make_array(array)(context, builder, args[0])
        place = cgutils.get_item_pointer(context, builder, array, held, [args[1], args[2]])
        ask = builder.module.declare_intrinsic(
            "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte] + [small] * 3)
        )
        how = [ir.Constant(small, number) for number in (0, 3, 1)]  # to read, and to keep: data
        builder.call(ask, [builder.bitcast(place, byte), *how])
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


def _pack(builder: Any, lanes: Any, mask: Any, to: Any) -> None:
    """Store those of a line's numbers of 32 bits that a mask chooses, side by side."""
    kind = ir.FunctionType(lanes.type, [lanes.type, lanes.type, mask.type])
    name = f"llvm.x86.avx512.mask.compress.v{LANES}"
    name += "f32" if lanes.type.element == _NUMBER else "i32"
    pack = cgutils.get_or_insert_function(builder.module, kind, name)
    some = builder.call(pack, [lanes, ir.Constant(lanes.type, None), mask])
    builder.store(some, to, align=4)


def _counted(builder: Any, mask: Any) -> Any:
    """How many a mask of a line chooses."""
    return builder.zext(builder.ctpop(builder.bitcast(mask, ir.IntType(LANES))), _PLACE)


@intrinsic
def keep_below(
    _: Any, row: Any, limit: Any, line: Any, j: Any, mine: Any, places: Any, values: Any, kept: Any
) -> Any:
    """Append to `places` and `values`, from `kept` on, line[j], ... and row[j], ... side by side.

    Of as many numbers as a line has those that are not at or above their limit (NaN counts as
    below), and whose `line` is neither below zero nor `mine`. There is room for all of them. How
    many are kept then. Needs a processor that `PACKS`.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def place(i: int, at: Any) -> Any:
            return lanes_at(context, builder, signature.args[i], args[i], at, LANES)

        distances, limits, which = (builder.load(place(i, args[3]), align=4) for i in range(3))
        mask = builder.fcmp_unordered("<", distances, limits)
        mine = spread(builder, args[4], LANES)
        mask = builder.and_(mask, builder.icmp_signed("!=", which, mine))
        none = ir.Constant(which.type, [0] * LANES)
        mask = builder.and_(mask, builder.icmp_signed(">=", which, none))
        for i, lanes in ((5, which), (6, distances)):
            _pack(builder, lanes, mask, place(i, args[7]))
        return builder.add(args[7], _counted(builder, mask))

    place = types.int64
    return place(row, limit, line, place, types.int32, places, values, place), generate


@intrinsic
def places_below(_: Any, row: Any, limit: Any, j: Any, places: Any, kept: Any) -> Any:
    """Append to `places`, from `kept` on, those of j, j + 1, ... at which row[j] < limit[j].

    Of as many as a line has. Both arrays are contiguous; `places` is of int32 and has room for all.
    How many are kept then. Needs a processor that `PACKS`.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pairs = zip(signature.args[:2], args[:2], strict=True)
        lines = [
            builder.load(
                lanes_at(context, builder, array, value, args[2], LANES),
                align=array.dtype.bitwidth // 8,
            )
            for array, value in pairs
        ]
        if row.dtype != limit.dtype:
            wide = ir.VectorType(ir.DoubleType(), LANES)
            lines = [line if line.type == wide else builder.fpext(line, wide) for line in lines]
        mask = builder.fcmp_ordered("<", *lines)
        small = ir.IntType(32)
        steps = ir.Constant(ir.VectorType(small, LANES), list(range(LANES)))
        every = builder.add(spread(builder, builder.trunc(args[2], small), LANES), steps)
        to = lanes_at(context, builder, signature.args[3], args[3], args[4], LANES)
        _pack(builder, every, mask, to)
        return builder.add(args[4], _counted(builder, mask))

    if row.layout != "C" or limit.layout != "C":
        return None
    return types.int64(row, limit, types.int64, places, types.int64), generate


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
