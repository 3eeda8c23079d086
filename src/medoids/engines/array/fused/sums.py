"""Sums over all points: what arms change, what medoids cost, squares of differences."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

# Points of one part of a sum, and rows that are summed together: few, and many.
_PART, _FEW, _MANY = 2048, 16, 64
Tensor = Any


def padded(count: int, least: int = 16) -> int:
    """A power of two, as Triton's tiles need it."""
    return max(int(triton.next_power_of_2(count)), least)


@triton.jit
def _sum(
    rows, stride, nearest_, second_, base2_, owner_, weight_, home_, parts_, count, n,
    SWAP: tl.constexpr, WEIGHTS: tl.constexpr, PAID: tl.constexpr,
    CLUSTERS: tl.constexpr, PART: tl.constexpr, TOGETHER: tl.constexpr, POINTS: tl.constexpr,
):  # fmt: skip
    """What some arms change at some points: in all, at their owner's, at each medoid's."""
    part = tl.program_id(0)
    at = tl.program_id(1) * TOGETHER + tl.arange(0, TOGETHER)
    there = at < count
    row = at.to(tl.int64) * stride
    places = tl.arange(0, CLUSTERS)
    home = tl.load(home_ + at, mask=there, other=-1)
    # Summed up in the end alone: to do it for every tile takes longer than all else.
    gains = tl.zeros((TOGETHER, POINTS), tl.float32)
    own = tl.zeros((TOGETHER, POINTS), tl.float32)
    squares = tl.zeros((TOGETHER, POINTS), tl.float32)
    more = tl.zeros((TOGETHER, CLUSTERS), tl.float32)
    for first in range(0, PART, POINTS):
        point = part * PART + first + tl.arange(0, POINTS)
        seen = point < n
        far = tl.load(
            rows + row[:, None] + point[None, :], mask=there[:, None] & seen[None, :], other=0.0
        ).to(tl.float32)
        nearest = tl.load(nearest_ + point, mask=seen, other=0.0).to(tl.float32)
        known = seen[None, :] & (far < float("inf"))
        now = tl.minimum(far, nearest[None, :])
        gained = tl.where(known, (now - nearest[None, :]) if PAID else now, 0.0)
        weight = tl.load(weight_ + point, mask=seen, other=0.0) if WEIGHTS else 1.0
        if WEIGHTS:
            weight = weight[None, :].to(tl.float32)
        gained *= weight
        gains += gained
        squares += gained * gained
        if SWAP:
            second = tl.load(second_ + point, mask=seen, other=0.0).to(tl.float32)
            base2 = tl.load(base2_ + point, mask=seen, other=0.0).to(tl.float32)
            owner = tl.load(owner_ + point, mask=seen, other=-2)
            goes = tl.minimum(far, second[None, :])
            mine = known & (owner[None, :] == home[:, None])
            own += tl.where(mine, goes - base2[None, :], 0.0) * weight
            # What its owner's going costs an arm itself is counted, where another is left.
            added = tl.where(seen[None, :] & (goes < float("inf")), goes - now, 0.0) * weight
            marks = (owner[:, None] == places[None, :]).to(tl.float32)
            more += tl.dot(added, marks, input_precision="tf32x3")
    out = parts_ + (part.to(tl.int64) * count + at) * (CLUSTERS + 3)
    tl.store(out, tl.sum(gains, axis=1), mask=there)
    tl.store(out + 1, tl.sum(own, axis=1), mask=there)
    tl.store(out + 2, tl.sum(squares, axis=1), mask=there)
    tl.store(out[:, None] + 3 + places[None, :], more, mask=there[:, None])


@triton.jit
def _add(
    parts_, changes_, rewards_, count, k, parts,
    SWAP: tl.constexpr, CLUSTERS: tl.constexpr, WIDE: tl.constexpr, TOGETHER: tl.constexpr,
):  # fmt: skip
    """The sums of all parts, of an arm."""
    arm = tl.program_id(0)
    column, places = tl.arange(0, WIDE), tl.arange(0, CLUSTERS)
    few = tl.zeros((TOGETHER, WIDE), tl.float64)
    more = tl.zeros((TOGETHER, CLUSTERS), tl.float64)
    for first in range(0, parts, TOGETHER):
        part = first + tl.arange(0, TOGETHER)
        each = parts_ + ((part * count + arm).to(tl.int64) * (CLUSTERS + 3))[:, None]
        there = (part < parts)[:, None]
        mask = there & (column < 3)[None, :]
        few += tl.load(each + column[None, :], mask=mask, other=0.0).to(tl.float64)
        if SWAP:
            mask = there & (places < k)[None, :]
            more += tl.load(each + 3 + places[None, :], mask=mask, other=0.0).to(tl.float64)
    rewards = tl.sum(few, axis=0)
    tl.store(rewards_ + arm * 3 + column, rewards, mask=column < 3)
    gains = tl.sum(tl.where(column == 0, rewards, 0.0), axis=0)
    # In BUILD there is one place, where nothing is added.
    tl.store(changes_ + arm * k + places, gains + tl.sum(more, axis=0), mask=places < k)


class Summed(NamedTuple):
    """What arms change, summed over all points, in float64.

    Attributes
    ----------
    changes : array of shape (arms, k)
        With each medoid gone; of shape (arms, 1) in BUILD.
    rewards : array of shape (arms, 3)
        With the owner staying; at the owner's points where it goes; and the first, squared.
    """

    changes: Tensor
    rewards: Tensor


def summed(
    rows: Tensor, state: Any, base2: Tensor, home: Tensor, swap: bool, weights: Tensor | None
) -> Summed:
    """Of arms at these distances; nothing changes where one is infinitely far."""
    count, n, device = rows.shape[0], rows.shape[1], rows.device
    k = max(state.k, 1) if swap else 1
    clusters = padded(k)
    parts = triton.cdiv(n, _PART)
    found = torch.empty((parts, count, clusters + 3), dtype=torch.float32, device=device)
    together = _MANY if count > 4096 else _FEW
    _sum[(parts, triton.cdiv(count, together))](
        rows, rows.stride(0), state.nearest, state.second, base2, state.owner,
        rows if weights is None else weights, home, found, count, n,
        SWAP=swap, WEIGHTS=weights is not None, PAID=state.k > 0, CLUSTERS=clusters, PART=_PART,
        TOGETHER=together, POINTS=64, num_warps=4,
    )  # fmt: skip
    changes = torch.empty((count, k), dtype=torch.float64, device=device)
    rewards = torch.empty((count, 3), dtype=torch.float64, device=device)
    _add[(count,)](
        found, changes, rewards, count, k, parts,
        SWAP=swap, CLUSTERS=clusters, WIDE=4, TOGETHER=16,
    )  # fmt: skip
    return Summed(changes, rewards)


@triton.jit
def _pay(
    rows, stride, weight_, row_, weighed_, position_, nearest_, second_, owner_, other_, parts_, n,
    k, fixed, WEIGHTS: tl.constexpr, COMES: tl.constexpr, SWAP: tl.constexpr,
    CLUSTERS: tl.constexpr, POINTS: tl.constexpr,
):  # fmt: skip
    """The two nearest medoids of some points, and what these pay in all and for each."""
    part = tl.program_id(0)
    point = part * POINTS + tl.arange(0, POINTS)
    seen = point < n
    nearest = tl.full((POINTS,), float("inf"), tl.float64)
    second = tl.full((POINTS,), float("inf"), tl.float64)
    owner = tl.zeros((POINTS,), tl.int64)
    other = tl.full((POINTS,), -1, tl.int64)
    row = rows + point
    if COMES:  # one more, or instead of that which it is best to replace
        comes = k - 1
        if SWAP:
            place = tl.arange(0, CLUSTERS)
            open_ = (place >= fixed) & (place < k)
            more = tl.load(weighed_ + 1 + place, mask=open_, other=float("inf"))
            comes = tl.argmin(more, axis=0)
        if part == 0:
            tl.store(position_, comes)
    for i in range(k):
        far = tl.load(row, mask=seen, other=0.0)
        if COMES:
            far = tl.where(i == comes, tl.load(row_ + point, mask=seen, other=0.0), far)
        row += stride
        first = (far < nearest) | (i == 0)
        between = (far < second) & (first == 0)
        second = tl.where(first, nearest, tl.where(between, far, second))
        other = tl.where(first & (i > 0), owner, tl.where(between, i, other))
        nearest = tl.where(first, far, nearest)
        owner = tl.where(first, i, owner)
    tl.store(nearest_ + point, nearest, mask=seen)
    tl.store(second_ + point, second, mask=seen)
    tl.store(owner_ + point, owner, mask=seen)
    tl.store(other_ + point, other, mask=seen)
    weight = tl.load(weight_ + point, mask=seen, other=0.0) if WEIGHTS else seen.to(tl.float64)
    out = parts_ + part.to(tl.int64) * (2 * k + 5)
    pays = tl.where(seen, nearest * weight, 0.0)
    last = tl.where(seen & (second < float("inf")), second * weight, 0.0)
    tl.store(out, tl.sum(pays, axis=0))
    tl.store(out + 1, tl.sum(tl.abs(pays), axis=0))
    tl.store(out + 2, tl.sum(last, axis=0))
    tl.store(out + 3, tl.sum(pays * pays, axis=0))
    tl.store(out + 4, tl.sum(last * last, axis=0))
    for i in range(k):
        mine = seen & (owner == i)
        tl.store(out + 5 + i, tl.sum(tl.where(mine, last - pays, 0.0), axis=0))
        tl.store(out + 5 + k + i, tl.sum(tl.where(mine, weight, 0.0), axis=0))


class Paid(NamedTuple):
    """What points pay to the medoids that are nearest to them.

    Attributes
    ----------
    nearest, second : array of float64
    owner, other : array of int64
        Who is nearest, and second-nearest.
    sums : array of float64
        What all pay, the same without signs, to the second-nearest; the squares of the first and
        the last; what each medoid's removal costs; and the weight of its points.
    """

    nearest: Tensor
    owner: Tensor
    second: Tensor
    other: Tensor
    sums: Tensor


def paid(rows: Tensor, weights: Tensor | None) -> Paid:
    """Of medoids at these distances (float64, a row each)."""
    found, parts = pay(rows, weights)
    return found._replace(sums=parts.sum(dim=0))


def pay(
    rows: Tensor, weights: Tensor | None, row: Any = None, weighed: Any = None,
    position: Any = None, swap: bool = False, fixed: int = 0,
) -> tuple[Paid, Tensor]:  # fmt: skip
    """The same, the sums in parts.

    Another medoid may be at distances `row`, the last of them; or if `swap` instead of the one, of
    those that are not `fixed`, where least is `weighed`. Its `position` is told.
    """
    k, n, device = rows.shape[0], rows.shape[1], rows.device
    near = torch.empty((2, n), dtype=torch.float64, device=device)
    who = torch.empty((2, n), dtype=torch.int64, device=device)
    parts = torch.empty((triton.cdiv(n, 1024), 2 * k + 5), dtype=torch.float64, device=device)
    comes = row is not None
    about = (row, weighed, position) if comes else (rows, rows, rows)
    _pay[(parts.shape[0],)](
        rows, rows.stride(0), rows if weights is None else weights, *about, near[0], near[1],
        who[0], who[1], parts, n, k, fixed, WEIGHTS=weights is not None, COMES=comes, SWAP=swap,
        CLUSTERS=padded(k, 2), POINTS=1024,
    )  # fmt: skip
    return Paid(near[0], who[0], near[1], who[1], None), parts


@triton.jit
def _weigh(
    row_, nearest_, second_, owner_, weight_, parts_, n, k,
    SWAP: tl.constexpr, WEIGHTS: tl.constexpr, PAID: tl.constexpr, POINTS: tl.constexpr,
):  # fmt: skip
    """What an arm changes at some points: in all, and more where each medoid goes."""
    part = tl.program_id(0)
    point = part * POINTS + tl.arange(0, POINTS)
    seen = point < n
    far = tl.load(row_ + point, mask=seen, other=0.0)
    nearest = tl.load(nearest_ + point, mask=seen, other=0.0)
    weight = tl.load(weight_ + point, mask=seen, other=0.0) if WEIGHTS else seen.to(tl.float64)
    now = tl.minimum(far, nearest)
    gained = now - nearest if PAID else now
    out = parts_ + part.to(tl.int64) * (k + 1)
    tl.store(out, tl.sum(tl.where(seen, gained * weight, 0.0), axis=0))
    if SWAP:
        owner = tl.load(owner_ + point, mask=seen, other=-1)
        more = (tl.minimum(far, tl.load(second_ + point, mask=seen, other=0.0)) - now) * weight
        for i in range(k):
            tl.store(out + 1 + i, tl.sum(tl.where(owner == i, more, 0.0), axis=0))


def weigh(row: Tensor, state: Any, swap: bool, weights: Tensor | None) -> Tensor:
    """What an arm at these distances (float64) changes in parts: in all; in SWAP for each medoid.

    These are what is added where that goes.
    """
    n, k = row.shape[0], state.k if swap else 0
    parts = torch.empty((triton.cdiv(n, 1024), k + 1), dtype=torch.float64, device=row.device)
    _weigh[(parts.shape[0],)](
        row, state.nearest, state.second, state.owner, row if weights is None else weights, parts,
        n, k, SWAP=swap, WEIGHTS=weights is not None, PAID=state.k > 0, POINTS=1024,
    )  # fmt: skip
    return parts


def weighed(row: Tensor, state: Any, swap: bool, weights: Tensor | None) -> Tensor:
    """What an arm at these distances (float64) changes in all, with each medoid gone.

    In BUILD with none.
    """
    sums = weigh(row, state, swap, weights).sum(dim=0)
    return sums[:1] + sums[1:] if swap else sums


@triton.jit
def _square(
    rows, stride, centre_, scale_, left_, found_, n, width, FRAMED: tl.constexpr,
    AMONG: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """The squared distances from a row (or that of them, `AMONG` them) to some, in float64."""
    at = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    there = at < n
    row = at.to(tl.int64) * stride
    total = tl.zeros((ROWS,), tl.float64)
    for first in range(0, width, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        seen = column < width
        both = there[:, None] & seen[None, :]
        value = tl.load(rows + row[:, None] + column[None, :], mask=both, other=0).to(tl.float64)
        if FRAMED:
            centre = tl.load(centre_ + column, mask=seen, other=0.0)
            value = (value - centre[None, :]) * tl.load(scale_)
        if AMONG:
            mine = rows + tl.load(left_).to(tl.int64) * stride
            left = tl.load(mine + column, mask=seen, other=0).to(tl.float64)
            if FRAMED:
                left = (left - centre) * tl.load(scale_)
        else:
            left = tl.load(left_ + column, mask=seen, other=0.0)
        apart = value - left[None, :]
        total += tl.sum(tl.where(both, apart * apart, 0.0), axis=1)
    tl.store(found_ + at, total, mask=there)


def squares_from(
    rows: Tensor, left: Tensor, centre: Tensor | None, scale: float, among: bool = False
) -> Tensor:
    """From one row (float64, in the frame) to all rows as they lie, in float64.

    Or, if it is `among` them, from that whose number this is, which only the device knows.
    """
    n, width = rows.shape
    found = torch.empty(n, dtype=torch.float64, device=rows.device)
    framed = centre is not None
    # As an array: a number would be rounded to float32.
    by = torch.full((1,), scale, dtype=torch.float64, device=rows.device) if framed else left
    _square[(triton.cdiv(n, 32),)](
        rows, rows.stride(0), centre if framed else left, by, left, found, n, width,
        FRAMED=framed, AMONG=among, ROWS=32, COLUMNS=64, num_warps=4,
    )  # fmt: skip
    return found
