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
_NOTED, _CONCLUDED = 1024, 256


class Payments(NamedTuple):
    """What points pay: the nearest and the second-nearest distance (float32), and the owner."""

    nearest: Tensor
    second: Tensor
    owner: Tensor


@triton.jit
def _note(
    nearest_, second_, owner_, unit, nearest0_, second0_, owner0_, pays_, pays2_, who_, differs_, n,
    SWAP: tl.constexpr, FIRST: tl.constexpr, POINTS: tl.constexpr,
):  # fmt: skip
    """What some points pay, to be summed; and which pay something else than before."""
    point = tl.program_id(0) * POINTS + tl.arange(0, POINTS)
    seen = point < n
    nearest = (tl.load(nearest_ + point, mask=seen, other=0.0) * unit).to(tl.float32)
    second = (tl.load(second_ + point, mask=seen, other=0.0) * unit).to(tl.float32)
    owner = tl.load(owner_ + point, mask=seen, other=0).to(tl.int32)
    tl.store(pays_ + point, nearest, mask=seen)
    tl.store(pays2_ + point, second, mask=seen)
    tl.store(who_ + point, owner, mask=seen)
    if not FIRST:
        differs = nearest != tl.load(nearest0_ + point, mask=seen, other=0.0)
        if SWAP:
            differs |= second != tl.load(second0_ + point, mask=seen, other=0.0)
            differs |= owner != tl.load(owner0_ + point, mask=seen, other=0)
        tl.store(differs_ + point, differs.to(tl.int32), mask=seen)


@triton.jit
def _list(differs_, ends_, points_, n, POINTS: tl.constexpr):
    """The points that differ, in order."""
    point = tl.program_id(0) * POINTS + tl.arange(0, POINTS)
    seen = point < n
    differs = tl.load(differs_ + point, mask=seen, other=0) > 0
    end = tl.load(ends_ + point, mask=seen, other=1)
    tl.store(points_ + end - 1, point, mask=differs)


class Changed(NamedTuple):
    """The points that pay something else than before, in order; and how many those up to each are.

    Both are as long as there are points: nobody waits for the device to know how many they are.
    """

    points: Tensor
    ends: Tensor


def noted(state: Any, unit: float, swap: bool, before: Payments | None) -> Any:
    """What points pay, multiplied by a unit; and who pays something else than before."""
    n, device = state.nearest.shape[0], state.nearest.device
    pays = torch.empty((2, n), dtype=torch.float32, device=device)
    whole = torch.empty((3, n), dtype=torch.int32, device=device)
    now, differs, points = Payments(pays[0], pays[1], whole[0]), whole[1], whole[2]
    grid, old = (triton.cdiv(n, _NOTED),), before or now
    _note[grid](
        state.nearest, state.second, state.owner, unit, *old, *now, differs, n,
        SWAP=swap, FIRST=before is None, POINTS=_NOTED,
    )  # fmt: skip
    if before is None:
        return now, None
    ends = torch.cumsum(differs, 0, dtype=torch.int32)
    _list[grid](differs, ends, points, n, POINTS=_NOTED)
    return now, Changed(points, ends)


@triton.jit
def _carry(
    rows, stride, scale, points_, ends_, nearest_, second_, owner_, nearest0_, second0_, owner0_,
    weight_, parts_, n,
    SWAP: tl.constexpr, WEIGHTS: tl.constexpr, PAID: tl.constexpr, ALL: tl.constexpr,
    SPREAD: tl.constexpr, CLUSTERS: tl.constexpr, PARTS: tl.constexpr, POINTS: tl.constexpr,
    ARMS: tl.constexpr,
):  # fmt: skip
    """Sums over a part of the points: all rewards, more where an owner goes, and squares."""
    part = tl.program_id(0)
    arm = tl.program_id(1) * ARMS + tl.arange(0, ARMS)
    there = arm < n
    places = tl.arange(0, CLUSTERS)
    gains = tl.zeros((POINTS, ARMS), tl.float32)
    squares = tl.zeros((POINTS, ARMS), tl.float32)
    more = tl.zeros((CLUSTERS, ARMS), tl.float32)
    count = n if ALL else tl.load(ends_ + n - 1)
    each = tl.cdiv(tl.cdiv(count, PARTS), POINTS) * POINTS
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
        if SPREAD:
            squares += gained * gained
        if not ALL:
            nearest0 = tl.load(nearest0_ + point, mask=seen, other=0.0)[:, None]
            now0 = tl.minimum(far, nearest0)
            before = (now0 - nearest0) * weight
            gained -= before
            if SPREAD:
                squares -= before * before
        gains += gained
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
    if SWAP:
        each_place = (1 + places)[:, None].to(tl.int64) * n
        tl.store(out[None, :] + each_place, more, mask=there[None, :])
    if SPREAD:
        tl.store(out + (1 + CLUSTERS) * n, tl.sum(squares, axis=0), mask=there)


def carried(
    rows: Tensor, scale: float, now: Payments, swap: bool, k: int, weights: Tensor | None,
    spread: bool = False, changed: Changed | None = None, before: Payments | None = None,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """Sums over all points, or how they change where some points paid something else `before`.

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
    spread : bool, default=False
        Squares are asked for, too.
    changed : Changed, default=None
        Who pays something else than before.
    before : Payments, default=None
        What all paid.

    Returns
    -------
    array of shape (1 + k, n), or (1, n)
        For each arm, in float64: the sum of its rewards with all medoids staying, and in SWAP what
        is added where each medoid goes.
    array of shape (n,) or None
        The sum of the rewards' squares.
    """
    n = rows.shape[0]
    clusters = padded(k) if swap else 16
    found = torch.empty((_PARTS, clusters + 2, n), dtype=torch.float32, device=rows.device)
    old, listed = before or now, changed or Changed(now.owner, now.owner)
    _carry[(_PARTS, triton.cdiv(n, _ARMS))](
        rows, rows.stride(0), scale, *listed, *now, *old,
        now.nearest if weights is None else weights, found, n,
        SWAP=swap, WEIGHTS=weights is not None, PAID=k > 0, ALL=changed is None, SPREAD=spread,
        CLUSTERS=clusters, PARTS=_PARTS, POINTS=_POINTS, ARMS=_ARMS, num_warps=4, num_stages=3,
    )  # fmt: skip
    sums = found[:, : 1 + (k if swap else 0), :].sum(dim=0, dtype=torch.float64)
    return sums, found[:, 1 + clusters, :].sum(dim=0, dtype=torch.float64) if spread else None


@triton.jit
def _conclude(
    sums_, nearest_, second_, owner_, share_, by_, values_, n, fixed, k,
    SWAP: tl.constexpr, PAID: tl.constexpr, WEIGHTS: tl.constexpr, ARMS: tl.constexpr,
):  # fmt: skip
    """What some arms are worth, in the mean over all points."""
    arm = tl.program_id(0) * ARMS + tl.arange(0, ARMS)
    there = arm < n
    by = tl.load(by_)
    value = tl.load(sums_ + arm, mask=there, other=0.0) * by
    if PAID:  # an arm itself pays nothing
        share = tl.load(share_ + arm, mask=there, other=0.0) if WEIGHTS else tl.load(share_)
        nearest = tl.load(nearest_ + arm, mask=there, other=0.0)
        value -= nearest * share
    if SWAP:
        owner = tl.load(owner_ + arm, mask=there, other=-1)
        own = (nearest - tl.load(second_ + arm, mask=there, other=0.0)) * share
        best = tl.full((ARMS,), float("inf"), tl.float64)
        for place in range(fixed, k):
            more = tl.load(sums_ + (1 + place) * n + arm, mask=there, other=0.0) * by
            best = tl.minimum(best, more + tl.where(owner == place, own, 0.0))
        value += best
    tl.store(values_ + arm, value, mask=there)


def concluded(
    sums: Tensor, state: Any, swap: bool, fixed: int, share: Tensor, by: Tensor
) -> Tensor:
    """The values of all arms, of sums that were carried, times a number, in float64.

    `share` is what of the mean an arm's own reward is, for each arm or (of shape (1,)) for any.
    """
    n = sums.shape[1]
    values = torch.empty(n, dtype=torch.float64, device=sums.device)
    _conclude[(triton.cdiv(n, _CONCLUDED),)](
        sums, state.nearest, state.second, state.owner, share, by, values, n, fixed, state.k,
        SWAP=swap, PAID=state.k > 0, WEIGHTS=share.shape[0] > 1, ARMS=_CONCLUDED,
    )  # fmt: skip
    return values
