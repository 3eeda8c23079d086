"""What torch computes on a GPU in one pass: Triton kernels for the work of a step.

The same as the array API does in many passes, each over all distances. The products of a regression
take the tensor cores, with factors in float16 and sums in float32: whatever its coefficients
are, its residuals are measured with the same. Sums that values are made of are in float32 within a
part, and in float64 beyond it. No sum depends on the order in which parts are done.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

# Features, and clusters, that an estimate takes at most; the widths that are compiled.
MOST_FEATURES, MOST_CLUSTERS = 256, 128
_WIDTHS = (64, 128, 256)
# Points of one part of a sum, and rows that are summed together: few, and many.
_PART, _FEW, _MANY = 2048, 16, 64
Tensor = Any


class Scalars(NamedTuple):
    """The numbers of a regression: see `estimates._regressed`."""

    spent: int
    chance: float
    apart: float
    factor: float
    z: float
    rough: float


def width_of(features: int) -> int:
    """The columns of a basis of so many features: those beyond are zero."""
    return next(each for each in _WIDTHS if each >= features)


def _padded(count: int, least: int = 16) -> int:
    return max(int(triton.next_power_of_2(count)), least)


@cache
def _processors(device: Any) -> int:
    if device.type != "cuda":
        return 1
    return int(torch.cuda.get_device_properties(device).multi_processor_count)


@triton.jit
def _reward(distances, cap, base):
    """Nothing from an arm to itself, where it is infinitely far."""
    return tl.where(distances < float("inf"), tl.minimum(distances, cap) - base, 0.0)


@triton.jit
def _half_width(squares, sizes, total, own, count, spent, chance, apart, z, BASIS: tl.constexpr):
    """Half an interval, and the variance of rewards: "Rare rewards" in docs/algorithm.md."""
    free = tl.maximum(count - spent, 1).to(tl.float64)
    variance = squares / free
    if not BASIS:
        mean = total / count
        variance = tl.maximum(squares / count - mean * mean, 0.0) * (count / free)
    usual = (squares + own * own) / tl.maximum(sizes + tl.abs(own), 1e-150)
    student = z * (1.0 + (z * z + 1.0) / (4.0 * free))
    wide = student * tl.sqrt(variance * chance * (1.0 + count * apart))
    return wide + z * z / 2.0 * usual * chance, variance


@triton.jit
def _estimate(
    block, stride, scale_, cap_, base_, cap2_, base2_, owner_, q, shift_,
    home_, stays_, goes_, share_, cost_, estimate_, lower_, sigma_,
    arms, count, k, spent, chance, apart, factor, z, rough,
    SWAP: tl.constexpr, BASIS: tl.constexpr, SHARES: tl.constexpr,
    FEATURES: tl.constexpr, CLUSTERS: tl.constexpr, ARMS: tl.constexpr, REFS: tl.constexpr,
):  # fmt: skip
    """Estimates and bounds of some arms: their rewards are read twice, and never written."""
    at = tl.program_id(0) * ARMS + tl.arange(0, ARMS)
    there = at < arms
    row = at.to(tl.int64) * stride
    columns, places = tl.arange(0, FEATURES), tl.arange(0, CLUSTERS)
    scale = tl.load(scale_)
    home = tl.load(home_ + at, mask=there, other=-1)
    total = tl.zeros((ARMS,), tl.float32)
    total2 = tl.zeros((ARMS,), tl.float32)
    along = tl.zeros((ARMS, FEATURES), tl.float32)
    along2 = tl.zeros((ARMS, FEATURES), tl.float32)
    more = tl.zeros((ARMS, CLUSTERS), tl.float32)
    more2 = tl.zeros((ARMS, CLUSTERS), tl.float32)
    squares = tl.zeros((ARMS,), tl.float32)
    squares2 = tl.zeros((ARMS,), tl.float32)
    sizes = tl.zeros((ARMS,), tl.float32)
    sizes2 = tl.zeros((ARMS,), tl.float32)
    for first in range(0, count, REFS):
        ref = first + tl.arange(0, REFS)
        seen = ref < count
        far = tl.load(
            block + row[:, None] + ref[None, :], mask=there[:, None] & seen[None, :],
            other=float("inf"),
        )  # fmt: skip
        cap, base = tl.load(cap_ + ref, mask=seen), tl.load(base_ + ref, mask=seen)
        stays = _reward(far, cap[None, :], base[None, :])
        total += tl.sum(stays, axis=1)
        if BASIS:
            basis = tl.load(
                q + ref[:, None] * FEATURES + columns[None, :], mask=seen[:, None], other=0.0
            )
            along += tl.dot((stays * scale).to(tl.float16), basis)
        else:
            squares += tl.sum(stays * stays, axis=1)
            sizes += tl.sum(tl.abs(stays), axis=1)
        if SWAP:
            cap2, base2 = tl.load(cap2_ + ref, mask=seen), tl.load(base2_ + ref, mask=seen)
            owner = tl.load(owner_ + ref, mask=seen, other=-2)
            goes = _reward(far, cap2[None, :], base2[None, :])
            leaves = tl.where(owner[None, :] == home[:, None], goes, stays)
            total2 += tl.sum(leaves, axis=1)
            if BASIS:
                along2 += tl.dot((leaves * scale).to(tl.float16), basis)
            else:
                squares2 += tl.sum(leaves * leaves, axis=1)
                sizes2 += tl.sum(tl.abs(leaves), axis=1)
            marks = (owner[:, None] == places[None, :]).to(tl.float32)
            added = goes - stays
            more += tl.dot(added, marks)
            more2 += tl.dot(added * added, marks)
    mean = total.to(tl.float64) / count
    mean2 = total2.to(tl.float64) / count
    if BASIS:
        shift = tl.load(shift_ + columns)
        along = along / count
        along2 = along2 / count
        mean += tl.sum(along * shift[None, :], axis=1).to(tl.float64) / scale
        mean2 += tl.sum(along2 * shift[None, :], axis=1).to(tl.float64) / scale
        weights, weights2 = along.to(tl.float16), along2.to(tl.float16)
        for first in range(0, count, REFS):
            ref = first + tl.arange(0, REFS)
            seen = ref < count
            far = tl.load(
                block + row[:, None] + ref[None, :], mask=there[:, None] & seen[None, :],
                other=float("inf"),
            )  # fmt: skip
            cap, base = tl.load(cap_ + ref, mask=seen), tl.load(base_ + ref, mask=seen)
            stays = _reward(far, cap[None, :], base[None, :])
            basis = tl.load(
                q + ref[None, :] * FEATURES + columns[:, None], mask=seen[None, :], other=0.0
            )
            rest = stays - tl.dot(weights, basis) / scale
            squares += tl.sum(rest * rest, axis=1)
            sizes += tl.sum(tl.abs(rest), axis=1)
            if SWAP:
                cap2, base2 = tl.load(cap2_ + ref, mask=seen), tl.load(base2_ + ref, mask=seen)
                owner = tl.load(owner_ + ref, mask=seen, other=-2)
                goes = _reward(far, cap2[None, :], base2[None, :])
                rest = tl.where(owner[None, :] == home[:, None], goes, stays)
                rest -= tl.dot(weights2, basis) / scale
                squares2 += tl.sum(rest * rest, axis=1)
                sizes2 += tl.sum(tl.abs(rest), axis=1)
    own = tl.load(stays_ + at, mask=there, other=0.0)
    share = tl.load(share_ + at, mask=there, other=0.0) if SHARES else tl.load(share_)
    wide, variance = _half_width(
        squares.to(tl.float64), sizes.to(tl.float64), total.to(tl.float64), own,
        count, spent, chance, apart, z, BASIS,
    )  # fmt: skip
    alone = mean * factor + own * share
    wide = wide * factor
    estimate, lower = alone, alone - wide
    if SWAP:
        own = tl.load(goes_ + at, mask=there, other=0.0)
        wide2, variance = _half_width(
            squares2.to(tl.float64), sizes2.to(tl.float64), total2.to(tl.float64), own,
            count, spent, chance, apart, z, BASIS,
        )  # fmt: skip
        estimate = mean2 * factor + own * share + tl.load(cost_ + home, mask=there, other=0.0)
        lower = estimate - wide2 * factor
        part, part2 = more.to(tl.float64) / count, more2.to(tl.float64) / count
        usual = part2 / tl.maximum(tl.abs(part), 1e-150)
        spread = tl.sqrt(tl.maximum(part2 - part * part, 0.0) * chance)
        unsure = (z * spread + z * z / 2.0 * usual * chance) * factor
        cost = tl.load(cost_ + places, mask=places < k, other=float("inf"))
        others = alone[:, None] + part * factor + cost[None, :]
        others = tl.where(places[None, :] == home[:, None], float("inf"), others)
        unsure = tl.where(others < float("inf"), unsure, 0.0)
        estimate = tl.minimum(estimate, tl.min(others, axis=1))
        lower = tl.minimum(lower, tl.min(others - unsure, axis=1) - wide)
    tl.store(estimate_ + at, estimate, mask=there)
    tl.store(lower_ + at, lower - rough, mask=there)
    tl.store(sigma_ + at, tl.sqrt(variance) * factor, mask=there)


def estimated(
    block: Tensor,
    far: Tensor,
    clips: Any,
    basis: Any,
    arms: Any,
    cost: Tensor | None,
    k: int,
    numbers: Scalars,
) -> tuple[Tensor, Tensor, Tensor]:
    """`estimates.estimated`, of a sample that is not all points.

    `far` is about the largest distance, of shape (1,).
    """
    count, device = block.shape[0], block.device
    found = torch.empty((3, count), dtype=torch.float64, device=device)
    swap, with_basis = cost is not None, basis is not None
    q = shift = clips.cap
    features = 16
    if with_basis:
        q, shift, features = basis.q, basis.shift, basis.q.shape[1]
        # Features whose mean square is 1: within the range of float16, as rewards by `far` are.
        wide = float(block.shape[1]) ** 0.5
        q, shift = (q * wide).to(torch.float16), shift * wide
    clusters = _padded(k) if swap else 16
    shares = not isinstance(arms.share, float)
    share = (
        arms.share if shares else torch.full((1,), arms.share, device=device, dtype=torch.float64)
    )
    # Arms of a program: as many as its registers hold, unless processors would stand idle.
    size = 64 if features + clusters <= 192 else 32
    if size == 32 and count < 4 * size * _processors(device):
        size = 16
    _estimate[(triton.cdiv(count, size),)](
        block, block.stride(0), 1 / far,
        clips.cap, clips.base, clips.cap2, clips.base2, clips.owner, q, shift,
        arms.home, arms.stays, arms.goes, share, share if cost is None else cost,
        found[0], found[1], found[2], count, block.shape[1], k, *numbers,
        SWAP=swap, BASIS=with_basis, SHARES=shares, FEATURES=features, CLUSTERS=clusters,
        ARMS=size, REFS=32, num_warps=4, num_stages=2,
    )  # fmt: skip
    return found[0], found[1], found[2]


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
    gains = tl.zeros((TOGETHER,), tl.float32)
    own = tl.zeros((TOGETHER,), tl.float32)
    squares = tl.zeros((TOGETHER,), tl.float32)
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
        gains += tl.sum(gained, axis=1)
        squares += tl.sum(gained * gained, axis=1)
        if SWAP:
            second = tl.load(second_ + point, mask=seen, other=0.0).to(tl.float32)
            base2 = tl.load(base2_ + point, mask=seen, other=0.0).to(tl.float32)
            owner = tl.load(owner_ + point, mask=seen, other=-2)
            goes = tl.minimum(far, second[None, :])
            mine = known & (owner[None, :] == home[:, None])
            own += tl.sum(tl.where(mine, goes - base2[None, :], 0.0) * weight, axis=1)
            # What its owner's going costs an arm itself is counted, where another is left.
            added = tl.where(seen[None, :] & (goes < float("inf")), goes - now, 0.0) * weight
            marks = (owner[:, None] == places[None, :]).to(tl.float32)
            more += tl.dot(added, marks, input_precision="tf32x3")
    out = parts_ + (part.to(tl.int64) * count + at) * (CLUSTERS + 3)
    tl.store(out, gains, mask=there)
    tl.store(out + 1, own, mask=there)
    tl.store(out + 2, squares, mask=there)
    tl.store(out[:, None] + 3 + places[None, :], more, mask=there[:, None])


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
    clusters = _padded(k)
    parts = triton.cdiv(n, _PART)
    found = torch.empty((parts, count, clusters + 3), dtype=torch.float32, device=device)
    together = _MANY if count > 4096 else _FEW
    _sum[(parts, triton.cdiv(count, together))](
        rows, rows.stride(0), state.nearest, state.second, base2, state.owner,
        rows if weights is None else weights, home, found, count, n,
        SWAP=swap, WEIGHTS=weights is not None, PAID=state.k > 0, CLUSTERS=clusters, PART=_PART,
        TOGETHER=together, POINTS=64, num_warps=4,
    )  # fmt: skip
    sums = found.sum(dim=0, dtype=torch.float64)
    gains = sums[:, :1]
    return Summed(gains + sums[:, 3 : 3 + k] if swap else gains, sums[:, :3])


@triton.jit
def _pay(
    rows, stride, weight_, nearest_, second_, owner_, other_, parts_, n, k,
    WEIGHTS: tl.constexpr, POINTS: tl.constexpr,
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
    for i in range(k):
        far = tl.load(row, mask=seen, other=0.0)
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
    out = parts_ + part.to(tl.int64) * (2 * k + 3)
    pays = tl.where(seen, nearest * weight, 0.0)
    last = tl.where(seen & (second < float("inf")), second * weight, 0.0)
    tl.store(out, tl.sum(pays, axis=0))
    tl.store(out + 1, tl.sum(tl.abs(pays), axis=0))
    tl.store(out + 2, tl.sum(last, axis=0))
    for i in range(k):
        mine = seen & (owner == i)
        tl.store(out + 3 + i, tl.sum(tl.where(mine, last - pays, 0.0), axis=0))
        tl.store(out + 3 + k + i, tl.sum(tl.where(mine, weight, 0.0), axis=0))


def paid(rows: Tensor, weights: Tensor | None) -> tuple[Tensor, Tensor, Tensor, Tensor, Any]:
    """Of medoids at these distances (float64, a row each) the two that are nearest to each point.

    Nearest, owner, second, other; and on the host what all pay, the same without signs, to the
    second-nearest; what each medoid's removal costs; and the weight of its points.
    """
    k, n, device = rows.shape[0], rows.shape[1], rows.device
    near = torch.empty((2, n), dtype=torch.float64, device=device)
    who = torch.empty((2, n), dtype=torch.int64, device=device)
    parts = torch.empty((triton.cdiv(n, 1024), 2 * k + 3), dtype=torch.float64, device=device)
    _pay[(parts.shape[0],)](
        rows, rows.stride(0), rows if weights is None else weights, near[0], near[1], who[0],
        who[1], parts, n, k, WEIGHTS=weights is not None, POINTS=1024,
    )  # fmt: skip
    return near[0], who[0], near[1], who[1], parts.sum(dim=0).cpu().numpy()


@triton.jit
def _square(
    rows, stride, centre_, scale_, left_, found_, n, width, FRAMED: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """The squared distances from a row to some others, in float64."""
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
        apart = value - tl.load(left_ + column, mask=seen, other=0.0)[None, :]
        total += tl.sum(tl.where(both, apart * apart, 0.0), axis=1)
    tl.store(found_ + at, total, mask=there)


def squares_from(rows: Tensor, left: Tensor, centre: Tensor | None, scale: float) -> Tensor:
    """From one row (float64, in the frame) to all rows as they lie, in float64."""
    n, width = rows.shape
    found = torch.empty(n, dtype=torch.float64, device=rows.device)
    framed = centre is not None
    # As an array: a number would be rounded to float32.
    by = torch.full((1,), scale, dtype=torch.float64, device=rows.device) if framed else left
    _square[(triton.cdiv(n, 32),)](
        rows, rows.stride(0), centre if framed else left, by, left, found, n, width,
        FRAMED=framed, ROWS=32, COLUMNS=64, num_warps=4,
    )  # fmt: skip
    return found
