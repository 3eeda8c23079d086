"""What all arms change in SWAP, summed over all points in the order of their owners.

The points of an owner follow each other, so what is added where it goes is a sum of rows, rather
than a product with marks, which goes through shared memory (docs/performance.md, "On a GPU").
"""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

Tensor = Any
# Points and arms of a tile, warps and stages.
_SHAPE = (32, 128, 4, 3)


@triton.jit
def _carry_in_order(
    rows, stride, scale, points_, ends_, nearest_, second_, weight_, parts_, n, k, many,
    WEIGHTS: tl.constexpr, GATED: tl.constexpr, SCALED: tl.constexpr, CLUSTERS: tl.constexpr,
    PARTS: tl.constexpr, POINTS: tl.constexpr, ARMS: tl.constexpr,
):  # fmt: skip
    """Sums over a part of each owner's points: all rewards, and more where the owner goes."""
    if GATED:
        changed = tl.load(ends_ + n - 1)
        if changed <= many:
            return
    part = tl.program_id(0)
    arm = tl.program_id(1) * ARMS + tl.arange(0, ARMS)
    there = arm < n
    wide = n.to(tl.int64)
    out = parts_ + part.to(tl.int64) * (CLUSTERS + 2) * n + arm
    gains = tl.zeros((POINTS, ARMS), tl.float32)
    for place in range(k):
        begin, end = tl.load(ends_ + (1 + place) * n - 1), tl.load(ends_ + (2 + place) * n - 1)
        each = tl.cdiv(tl.cdiv(end - begin, PARTS), POINTS) * POINTS
        stop = tl.minimum(begin + (part + 1) * each, end)
        more = tl.zeros((POINTS, ARMS), tl.float32)
        for first in range(begin + part * each, stop, POINTS):
            at = first + tl.arange(0, POINTS)
            seen = at < stop
            point = tl.load(points_ + at, mask=seen, other=0)
            row = rows + point.to(tl.int64)[:, None] * stride
            both = seen[:, None] & there[None, :]
            far = tl.load(row + arm[None, :], mask=both, other=float("inf")).to(tl.float32)
            if SCALED:
                far *= scale
            nearest = tl.load(nearest_ + point, mask=seen, other=0.0)[:, None]
            second = tl.load(second_ + point, mask=seen, other=0.0)[:, None]
            now = tl.minimum(far, nearest)
            gained, added = now - nearest, tl.minimum(far, second) - now
            if WEIGHTS:
                weight = tl.load(weight_ + point, mask=seen, other=0.0)[:, None]
                gained *= weight
                added *= weight
            gains += gained
            # What is taken away later is rounded like this.
            more += added.to(tl.float16).to(tl.float32)
        tl.store(out + (1 + place) * wide, tl.sum(more, axis=0), mask=there)
    tl.store(out, tl.sum(gains, axis=0), mask=there)


def carried_in_order(
    rows: Tensor, scale: float, now: Any, listed: Any, weights: Tensor | None, parts: Tensor,
    k: int, many: int | None,
) -> None:  # fmt: skip
    """Parts of the sums that `carried` gives; none, unless more points than `many` have changed."""
    n, (count, clusters, _) = rows.shape[0], parts.shape
    points, arms, warps, stages = _SHAPE
    _carry_in_order[(count, triton.cdiv(n, arms))](
        rows, rows.stride(0), scale, *listed, now.nearest, now.second,
        now.nearest if weights is None else weights, parts, n, k, many or 0,
        WEIGHTS=weights is not None, GATED=many is not None, SCALED=scale != 1,
        CLUSTERS=clusters - 2, PARTS=count, POINTS=points, ARMS=arms, num_warps=warps,
        num_stages=stages,
    )  # fmt: skip
