"""Kernels for rows of bytes: instructions that multiply or subtract 32 or 64 of them at once."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from ....dissimilarities.metrics import Leaf
from .vectors import processor_has, smaller

# Sums may be reordered; NaN and infinity keep their meaning.
_REORDER = {"reassoc", "nsz", "contract"}

# Rows of one side that stay in the first-level cache, and of the other in the second.
_LEFT, _RIGHT = 16, 256

_BYTE, _WORD, _PLACE = ir.IntType(8), ir.IntType(32), ir.IntType(64)

# Sums of so many pairs are made at a time, each in so many parts: by the features of the processor
# that it takes to sum products, and to sum differences. The name says how.
_PRODUCTS = {
    16: ({"avx512bw", "avx512vnni"}, "llvm.x86.avx512.vpdpbusd.512"),
    8: ({"avx2", "avxvnni"}, "llvm.x86.avx512.vpdpbusd.256"),
}
_DIFFERENCES = {
    16: ({"avx512bw"}, "llvm.x86.avx512.psad.bw.512"),
    8: ({"avx2"}, "llvm.x86.avx2.psad.bw"),
}


@cache
def byte_lanes(products: bool) -> int:
    """How many sums of products, or of differences, this processor makes at a time; 0 if none."""
    table = _PRODUCTS if products else _DIFFERENCES
    return next((lanes for lanes, (needed, _) in table.items() if processor_has(needed)), 0)


@njit(nogil=True, cache=True)
def lay_out(part, low, step, tolerance, rows, sums, squares):  # type: ignore[no-untyped-def]
    """Fill `rows` with what multiples of `step` above `low` the numbers of `part` are.

    And the two sums of each row. Returns how many are none, or do not fit into a byte.
    """
    bad, inverse = 0, 1.0 / step
    for i in range(part.shape[0]):
        total = square = 0  # type: Any
        for q in range(part.shape[1]):
            above = part[i, q] - low
            whole = np.floor(above * inverse + 0.5)
            error = above - whole * step
            bad += (whole < 0) | (whole > 255) | (abs(error) > tolerance)
            number = np.int32(whole)
            rows[i, q] = np.uint8(number)
            total += number
            square += number * number
        sums[i], squares[i] = total, square
    return bad


def _filler(products: bool, lanes: int) -> Any:
    """A loop of sums over the bytes of two rows: of products, or of differences.

    `lanes` pairs at a time, four of them with the same row on the left. What the right has in a
    product is diminished by 128, since one side has to have a sign.
    """
    name = (_PRODUCTS if products else _DIFFERENCES)[lanes][1]
    numbers, sums = ir.VectorType(_BYTE, 4 * lanes), ir.VectorType(_WORD, lanes)
    wide = ir.VectorType(_PLACE, lanes // 2)
    kind = sums if products else wide
    even, odd = (
        ir.Constant(ir.VectorType(_WORD, lanes), [2 * i + half for i in range(lanes)])
        for half in (0, 1)
    )

    @intrinsic
    def add_up(_, rows, left, other, right, width, out, to):  # type: ignore[no-untyped-def]
        """Fill a line of four sums at each place `to` of `out`, from rows that begin there."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            def data(i: int) -> Any:
                return context.make_array(signature.args[i])(context, builder, args[i]).data

            def pointers(array: int, places: int) -> list[Any]:
                found = cgutils.unpack_tuple(builder, args[places])
                return [builder.gep(data(array), [place]) for place in found]

            takes = [sums] * 3 if products else [numbers] * 2
            act = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, takes), name)
            lefts, rights = pointers(0, 1), pointers(2, 3)
            zero = ir.Constant(kind, None)
            held = [cgutils.alloca_once_value(builder, zero) for _ in range(lanes)]
            for each in held:  # the value above is that of the function's entry
                builder.store(zero, each)
            sign = ir.Constant(numbers, [-128] * (4 * lanes))
            start, step = ir.Constant(_PLACE, 0), ir.Constant(_PLACE, 4 * lanes)
            with cgutils.for_range_slice(builder, start, args[4], step, _PLACE) as (at, _):

                def read(pointer: Any) -> Any:
                    place = builder.bitcast(builder.gep(pointer, [at]), numbers.as_pointer())
                    return builder.load(place, align=1)

                here = [read(pointer) for pointer in lefts]
                for j, pointer in enumerate(rights):
                    there = read(pointer)
                    if products:
                        there = builder.bitcast(builder.xor(there, sign), sums)
                    for i, some in enumerate(here):
                        total = builder.load(held[4 * i + j])
                        if products:
                            total = builder.call(act, [total, builder.bitcast(some, sums), there])
                        else:
                            total = builder.add(total, builder.call(act, [some, there]))
                        builder.store(total, held[4 * i + j])
            # Parts of sums are added to their neighbours, until there is one of each.
            parts = [builder.bitcast(builder.load(each), sums) for each in held]
            while len(parts) > 1:
                pairs = zip(parts[::2], parts[1::2], strict=True)
                halves = [
                    [builder.shuffle_vector(*two, half) for half in (even, odd)] for two in pairs
                ]
                parts = [builder.add(*two) for two in halves]
            line, target = ir.VectorType(_WORD, 4), data(5)
            for i, place in enumerate(cgutils.unpack_tuple(builder, args[6])):
                four = ir.Constant(line, [4 * i + j for j in range(4)])
                pointer = builder.bitcast(builder.gep(target, [place]), line.as_pointer())
                builder.store(builder.shuffle_vector(parts[0], parts[0], four), pointer, align=4)
            return context.get_dummy_value()

        return types.void(rows, left, other, right, width, out, to), generate

    four = lanes == 16

    @njit(nogil=True)
    def fill(rows, left, others, right, out):  # type: ignore[no-untyped-def]
        width, last, end = rows.shape[1], len(left) - 1, len(right) - 1
        flat, other, lines, stride = rows.ravel(), others.ravel(), out.ravel(), out.shape[1]
        for j in range(0, end + 1, 4):
            # Beyond the end, the last row is taken again.
            b, c, d = smaller(j + 1, end), smaller(j + 2, end), smaller(j + 3, end)
            there = right[j] * width, right[b] * width, right[c] * width, right[d] * width
            if four:
                for i in range(0, last + 1, 4):
                    p, q, r = smaller(i + 1, last), smaller(i + 2, last), smaller(i + 3, last)
                    fours = left[i] * width, left[p] * width, left[q] * width, left[r] * width
                    to = i * stride + j, p * stride + j, q * stride + j, r * stride + j
                    add_up(flat, fours, other, there, width, lines, to)
            else:
                for i in range(0, last + 1, 2):
                    p = smaller(i + 1, last)
                    here = left[i] * width, left[p] * width
                    add_up(flat, here, other, there, width, lines, (i * stride + j, p * stride + j))

    return fill


# Kernels find these by name: what one closes over is in the key by which it is kept on disk, and
# these are others in every process.
_multiply_16, _multiply_8 = _filler(True, 16), _filler(True, 8)
_subtract_16, _subtract_8 = _filler(False, 16), _filler(False, 8)


@cache
def byte_kernel(how: str, finish: Leaf, lanes: int) -> Any:
    """The kernel that fills `out[i, j]` with the distance of two rows of bytes.

    From the sum of what they differ by ("absolute"), of its squares ("squares"), or from the square
    of the difference of their directions ("angles").
    """
    squares, angles = how == "squares", how == "angles"
    multiplies, wide = squares or angles, lanes == 16

    @njit(nogil=True, cache=True, fastmath=_REORDER)
    def block(some, left, others, right, scale, share, out):  # type: ignore[no-untyped-def]
        size = some.rows.shape[1]
        sums = np.empty((_LEFT, _RIGHT), dtype=np.int32)
        zero, two = np.float32(0), 2.0
        for begin in range(0, len(right), _RIGHT):
            columns = right[begin : begin + _RIGHT]
            # What is added for each column once, in memory's order.
            counts, whole = others.sums[columns], others.squares[columns]
            factors, alive = others.factor[columns], others.alive[columns]
            pads = others.pad[columns]
            for top in range(0, len(left), _LEFT):
                arms = left[top : top + _LEFT]
                if multiplies and wide:
                    _multiply_16(some.rows, arms, others.rows, columns, sums)
                elif multiplies:
                    _multiply_8(some.rows, arms, others.rows, columns, sums)
                elif wide:
                    _subtract_16(some.rows, arms, others.rows, columns, sums)
                else:
                    _subtract_8(some.rows, arms, others.rows, columns, sums)
                for i in range(len(arms)):
                    line, found, x = sums[i], out[top + i], arms[i]
                    if squares:
                        # The products lack 128 of the right for each of the left.
                        own = some.squares[x] - 256 * some.sums[x]
                        for j in range(len(columns)):
                            total = np.float32(own + whole[j] - 2 * line[j]) * scale
                            found[begin + j] = finish(total, zero, size, zero)
                    elif angles:
                        own, factor = 128 * some.sums[x], two * some.factor[x]
                        part = share * some.sums[x]
                        is_alive, pad = some.alive[x], some.pad[x]
                        for j in range(len(columns)):
                            product = float(line[j] + own) - part * counts[j]
                            total = is_alive + alive[j] - product * factor * factors[j]
                            total = max(total, 0.0) + (pad - pads[j]) ** 2
                            found[begin + j] = finish(np.float32(total), zero, size, zero)
                    else:
                        for j in range(len(columns)):
                            found[begin + j] = finish(np.float32(line[j]) * scale, zero, size, zero)

    return block
