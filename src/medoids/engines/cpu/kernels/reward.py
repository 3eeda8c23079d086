"""The reward of an arm at a reference (equations 9 to 11), for kernels; `Step.rewards` is its twin.

It is what the loss changes there: the reference pays at most the distance d to the arm, and at
most `cap` without it; it paid `base` before.

Written for the compiler itself: as functions they would have to be inlined, by Numba or by LLVM,
and a kernel that has ten of them would take a second longer to compile.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from .vectors import choose


@intrinsic
def reward(typing: Any, distance: Any, cap: Any, base: Any) -> Any:
    """min(distance, cap) - base"""
    low = typing.unify_types(distance, cap)
    kind = typing.unify_types(low, base)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pays = choose(context, builder, low, ((args[0], distance), (args[1], cap)), "<")
        pays = context.cast(builder, pays, low, kind)
        return builder.fsub(pays, context.cast(builder, args[2], base, kind))

    return kind(distance, cap, base), generate


@intrinsic
def gain(typing: Any, distance: Any, pays: Any) -> Any:
    """min(distance - pays, 0): the cap is what is paid, also where nothing is paid yet."""
    kind = typing.unify_types(distance, pays)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        given = zip(args, (distance, pays), strict=True)
        left, right = (context.cast(builder, value, each, kind) for value, each in given)
        more = builder.fsub(left, right)
        nothing = context.get_constant_null(types.float32)
        return choose(context, builder, kind, ((more, kind), (nothing, types.float32)), "<")

    return kind(distance, pays), generate
