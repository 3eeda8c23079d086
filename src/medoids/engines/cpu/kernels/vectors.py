"""What the compiler does not find of itself: short lines that are added as vectors."""

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
