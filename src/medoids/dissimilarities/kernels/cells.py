"""Elastic dissimilarities as leaf functions: what one cell of an alignment costs.

`cell(near, p, q)` is the cost of aligning two series up to a time of each, given what is `Near`:
the costs of the three cells before, and the gaps between values. All of them are `lanes`, p and q
too. What a cell does not use is not computed. The table of `medoids.dissimilarities.elastic`
names them.
"""

from __future__ import annotations

from typing import Any

from numba.extending import register_jitable

from .lanes import highest, lowest, size, spread, where_at_most
from .tuples import Near

# Plain functions, as in `terms`.


@register_jitable
def warp(near: Near, p: Any, q: Any) -> Any:
    """Dynamic time warping."""
    return near.gap + lowest(lowest(near.diagonal, near.up), near.left)


@register_jitable
def weighted_warp(near: Near, p: Any, q: Any) -> Any:
    """Gaps count by how far they are from the diagonal."""
    return near.gap * near.weight + lowest(lowest(near.diagonal, near.up), near.left)


@register_jitable
def real_penalty(near: Near, p: Any, q: Any) -> Any:
    """What is left out costs its gap from a constant."""
    kept = lowest(near.diagonal + near.gap, near.up + near.own)
    return lowest(kept, near.left + near.side)


@register_jitable
def common(near: Near, p: Any, q: Any) -> Any:
    """The longest common part: values match if their gap is at most p."""
    longer = near.diagonal + spread(1.0)
    return where_at_most(near.gap, p, longer, highest(near.left, near.up))


@register_jitable
def time_warp_edit(near: Near, p: Any, q: Any) -> Any:
    """An edit costs the gap from the value before, and p + q; a match 2p for each time apart."""
    match = near.diagonal + (near.gap + near.gap_diagonal) + (p + p) * near.away
    kept = lowest(match, near.up + (near.own + (p + q)))
    return lowest(kept, near.left + (near.side + (p + q)))


@register_jitable
def move_split_merge(near: Near, p: Any, q: Any) -> Any:
    """A split or a merge costs p, and how far the value is from those that it lies between."""
    gap = near.now - near.there
    split = near.up + (p + _beyond(near.now - near.earlier, gap))
    merge = near.left + (p + _beyond(near.there - near.back, near.there - near.now))
    return lowest(lowest(near.diagonal + size(gap), split), merge)


@register_jitable
def _beyond(one: Any, other: Any) -> Any:
    """How far a value is from what lies between two others, by how much it is above each."""
    zero = spread(0.0)
    ahead = where_at_most(zero, one, other, zero - other)
    return highest(lowest(size(one), ahead), zero)


@register_jitable
def move_split_merge_together(near: Near, p: Any, q: Any) -> Any:
    """The same for all channels at once: between two others is the ball that they span.

    Gaps are squares. A point is in the ball where its squares to both ends are together at most
    the square between the ends.
    """
    split = near.up + (p + _outside(near.own, near.gap, near.gap_up))
    merge = near.left + (p + _outside(near.gap, near.side, near.gap_left))
    return lowest(lowest(near.diagonal + near.gap, split), merge)


@register_jitable
def _outside(one: Any, other: Any, between: Any) -> Any:
    return where_at_most(one + other, between, spread(0.0), lowest(one, other))
