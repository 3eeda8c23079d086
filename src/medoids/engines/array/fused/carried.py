"""What all arms change, summed over all points; or what that changes by, where some points did.

All distances are at hand, the same both ways round: the row of a point has its distances from all
arms. So when a medoid comes or goes, only the rows of the points that pay another one are read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

from .sums import padded

Tensor = Any
# Parts of the points, for as many programs to work at once; and the sizes of tiles.
_PARTS, _POINTS, _ARMS = 4, 16, 128


class Payments(NamedTuple):
    """What points pay: the nearest and the second-nearest distance (float32), and the owner."""

    nearest: Tensor
    second: Tensor
    owner: Tensor


@triton.jit
def _carry(
    rows, stride, scale, points_, nearest_, second_, owner_, nearest0_, second0_, owner0_, weight_,
    parts_, count, each, n,
    SWAP: tl.constexpr, WEIGHTS: tl.constexpr, PAID: tl.constexpr, ALL: tl.constexpr,
    CLUSTERS: tl.constexpr, POINTS: tl.constexpr, ARMS: tl.constexpr,
):  # fmt: skip
    """Sums over a part of the points: all rewards, their squares, and more where an owner goes."""
    part = tl.program_id(0)
    arm = tl.program_id(1) * ARMS + tl.arange(0, ARMS)
    there = arm < n
    places = tl.arange(0, CLUSTERS)
    gains = tl.zeros((POINTS, ARMS), tl.float32)
    squares = tl.zeros((POINTS, ARMS), tl.float32)
    more = tl.zeros((CLUSTERS, ARMS), tl.float32)
    stop = tl.minimum((part + 1) * each, count)
    for first in range(part * each, stop, POINTS):
        at = first + tl.arange(0, POINTS)
        seen = at < stop
        point = at if ALL else tl.load(points_ + at, mask=seen, other=0)
        row = rows + point.to(tl.int64)[:, None] * stride
        both = seen[:, None] & there[None, :]
        far = tl.load(row + arm[None, :], mask=both, other=float("inf")).to(tl.float32) * scale
        nearest = tl.load(nearest_ + point, mask=seen, other=0.0)[:, None]
        weight = tl.load(weight_ + point, mask=seen, other=0.0)[:, None] if WEIGHTS else 1.0
        # Nothing changes from an arm to itself, where it is infinitely far: that is known.
        now = tl.minimum(far, nearest)
        gained = (now - nearest if PAID else tl.where(far < float("inf"), far, 0.0)) * weight
        squared = gained * gained
        if not ALL:
            nearest0 = tl.load(nearest0_ + point, mask=seen, other=0.0)[:, None]
            now0 = tl.minimum(far, nearest0)
            before = (now0 - nearest0) * weight
            gained -= before
            squared -= before * before
        gains += gained
        squares += squared
        if SWAP:
            second = tl.load(second_ + point, mask=seen, other=0.0)[:, None]
            owner = tl.load(owner_ + point, mask=seen, other=-1)
            goes = tl.minimum(far, second)
            added = tl.where(goes < float("inf"), goes - now, 0.0) * weight
            mine = (places[:, None] == owner[None, :]).to(tl.float16)
            more = tl.dot(mine, added.to(tl.float16), more)
            if not ALL:
                second0 = tl.load(second0_ + point, mask=seen, other=0.0)[:, None]
                owner0 = tl.load(owner0_ + point, mask=seen, other=-1)
                goes0 = tl.minimum(far, second0)
                # The very numbers that were added are taken away.
                less = tl.where(goes0 < float("inf"), now0 - goes0, 0.0) * weight
                mine0 = (places[:, None] == owner0[None, :]).to(tl.float16)
                more = tl.dot(mine0, less.to(tl.float16), more)
    out = parts_ + part.to(tl.int64) * (CLUSTERS + 2) * n + arm
    tl.store(out, tl.sum(gains, axis=0), mask=there)
    tl.store(out + n, tl.sum(squares, axis=0), mask=there)
    if SWAP:
        each_place = (2 + places)[:, None].to(tl.int64) * n
        tl.store(out[None, :] + each_place, more, mask=there[None, :])


def carried(
    rows: Tensor, scale: float, now: Payments, swap: bool, k: int, weights: Tensor | None,
    points: Tensor | None = None, before: Payments | None = None,
) -> Tensor:  # fmt: skip
    """Sums over all points, or how they change where some `points` paid something else `before`.

    Parameters
    ----------
    rows : array of shape (n, n)
        Distances, infinite from a point to itself.
    scale : float
        What they are to be multiplied by: no distance is to be above 65,504 then.
    now : Payments
        Multiplied by the same.
    swap : bool
    k : int
        How many medoids there are.
    weights : array or None
        How much each point counts, in float32: 1 at most.
    points : array of int32, default=None
        Those that pay something else than before.
    before : Payments, default=None
        What these paid.

    Returns
    -------
    array of shape (2 + k, n), or (2, n)
        For each arm, in float64: the sum of its rewards with all medoids staying, of their squares,
        and in SWAP what is added where each medoid goes.
    """
    n, count = rows.shape[0], rows.shape[0] if points is None else points.shape[0]
    clusters = padded(k) if swap else 16
    width = clusters if swap else 0
    found = torch.empty((_PARTS, clusters + 2, n), dtype=torch.float32, device=rows.device)
    each = triton.cdiv(triton.cdiv(count, _PARTS), _POINTS) * _POINTS
    old = now if before is None else before
    _carry[(_PARTS, triton.cdiv(n, _ARMS))](
        rows, rows.stride(0), scale, now.owner if points is None else points,
        now.nearest, now.second, now.owner, old.nearest, old.second, old.owner,
        now.nearest if weights is None else weights, found, count, each, n,
        SWAP=swap, WEIGHTS=weights is not None, PAID=k > 0, ALL=points is None,
        CLUSTERS=clusters, POINTS=_POINTS, ARMS=_ARMS, num_warps=4, num_stages=3,
    )  # fmt: skip
    return found[:, : 2 + min(k, width), :].sum(dim=0, dtype=torch.float64)
