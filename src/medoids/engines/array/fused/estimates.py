"""Estimates and bounds of arms, from their distances to a sample."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

from .sums import Tensor, padded

# Clusters that an estimate takes at most, and the numbers of features that are compiled.
MOST_CLUSTERS = 128
_WIDTHS = (64, 128, 256)
# Columns of a tile that are summed together at once.
_TOGETHER = 4


class Scalars(NamedTuple):
    """The numbers of a regression: see `estimates._regressed`."""

    spent: int
    chance: float
    apart: float
    factor: float
    z: float
    rough: float


def width_of(features: int) -> int:
    """The columns of a basis of so many features: those beyond are zero.

    As many as there are, where no kernel takes them.
    """
    return next((each for each in _WIDTHS if each >= features), features)


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
def _clipped(far, cap, base, CAPPED: tl.constexpr):
    """The same; less is to be done where `base` is `cap`."""
    return tl.minimum(far, cap) - cap if CAPPED else _reward(far, cap, base)


@triton.jit
def _partly(each, ROWS: tl.constexpr, COLUMNS: tl.constexpr, TOGETHER: tl.constexpr):
    """Sums of columns that a thread has: the others take longer, and are left for the end."""
    return tl.sum(tl.reshape(each, (ROWS, COLUMNS // TOGETHER, TOGETHER)), axis=2)


@triton.jit
def _by_owner(added, marks, scale, more, more2):
    """More of what is added where each owner goes, and of its squares; of the scale of `far`.

    Squares may be so small that float16 has none.
    """
    added *= scale
    more = tl.dot(added.to(tl.float16), marks.to(tl.float16), more)
    squares = (added * added).to(tl.bfloat16)
    return more, tl.dot(squares, marks.to(tl.bfloat16), more2)


@triton.jit
def _far(block, row, ref, there, seen):
    """Distances of a tile; infinite where there are none."""
    both = there[:, None] & seen[None, :]
    return tl.load(block + row[:, None] + ref[None, :], mask=both, other=float("inf"))


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
    home_, stays_, goes_, share_, cost_, estimate_, lower_, sigma_, each_,
    arms, count, k, spent, chance, apart, factor, z, rough,
    SWAP: tl.constexpr, BASIS: tl.constexpr, SHARES: tl.constexpr, APART: tl.constexpr,
    EACH: tl.constexpr, FEATURES: tl.constexpr, CLUSTERS: tl.constexpr,
    ARMS: tl.constexpr, REFS: tl.constexpr, TOGETHER: tl.constexpr, CAPPED: tl.constexpr,
):  # fmt: skip
    """Estimates and bounds of some arms: their rewards are read twice, and never written.

    Or three times (`APART`), where registers would not hold all sums at once.
    """
    at = tl.program_id(0) * ARMS + tl.arange(0, ARMS)
    there = at < arms
    row = at.to(tl.int64) * stride
    columns, places = tl.arange(0, FEATURES), tl.arange(0, CLUSTERS)
    scale = tl.load(scale_)
    home = tl.load(home_ + at, mask=there, other=-1)
    WIDE: tl.constexpr = REFS // TOGETHER
    totals = tl.zeros((ARMS, WIDE), tl.float32)
    totals2 = tl.zeros((ARMS, WIDE), tl.float32)
    along = tl.zeros((ARMS, FEATURES), tl.float32)
    along2 = tl.zeros((ARMS, FEATURES), tl.float32)
    more = tl.zeros((ARMS, CLUSTERS), tl.float32)
    more2 = tl.zeros((ARMS, CLUSTERS), tl.float32)
    squares = tl.zeros((ARMS, WIDE), tl.float32)
    squares2 = tl.zeros((ARMS, WIDE), tl.float32)
    sizes = tl.zeros((ARMS, WIDE), tl.float32)
    sizes2 = tl.zeros((ARMS, WIDE), tl.float32)
    for first in range(0, count, REFS):
        ref = first + tl.arange(0, REFS)
        seen = ref < count
        far = _far(block, row, ref, there, seen)
        cap, base = tl.load(cap_ + ref, mask=seen), tl.load(base_ + ref, mask=seen)
        stays = _clipped(far, cap[None, :], base[None, :], CAPPED)
        totals += _partly(stays, ARMS, REFS, TOGETHER)
        if BASIS:
            basis = tl.load(
                q + ref[:, None] * FEATURES + columns[None, :], mask=seen[:, None], other=0.0
            )
            along = tl.dot((stays * scale).to(tl.float16), basis, along)
        else:
            squares += _partly(stays * stays, ARMS, REFS, TOGETHER)
            sizes += _partly(tl.abs(stays), ARMS, REFS, TOGETHER)
        if SWAP:
            cap2, base2 = tl.load(cap2_ + ref, mask=seen), tl.load(base2_ + ref, mask=seen)
            owner = tl.load(owner_ + ref, mask=seen, other=-2)
            goes = _clipped(far, cap2[None, :], base2[None, :], CAPPED)
            leaves = tl.where(owner[None, :] == home[:, None], goes, stays)
            totals2 += _partly(leaves, ARMS, REFS, TOGETHER)
            if BASIS:
                along2 = tl.dot((leaves * scale).to(tl.float16), basis, along2)
            else:
                squares2 += _partly(leaves * leaves, ARMS, REFS, TOGETHER)
                sizes2 += _partly(tl.abs(leaves), ARMS, REFS, TOGETHER)
            if not APART:
                marks = owner[:, None] == places[None, :]
                more, more2 = _by_owner(goes - stays, marks, scale, more, more2)
    total, total2 = tl.sum(totals, axis=1), tl.sum(totals2, axis=1)
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
            far = _far(block, row, ref, there, seen)
            cap, base = tl.load(cap_ + ref, mask=seen), tl.load(base_ + ref, mask=seen)
            stays = _clipped(far, cap[None, :], base[None, :], CAPPED)
            basis = tl.load(
                q + ref[None, :] * FEATURES + columns[:, None], mask=seen[None, :], other=0.0
            )
            rest = stays - tl.dot(weights, basis) / scale
            squares += _partly(rest * rest, ARMS, REFS, TOGETHER)
            sizes += _partly(tl.abs(rest), ARMS, REFS, TOGETHER)
            if SWAP:
                cap2, base2 = tl.load(cap2_ + ref, mask=seen), tl.load(base2_ + ref, mask=seen)
                owner = tl.load(owner_ + ref, mask=seen, other=-2)
                goes = _clipped(far, cap2[None, :], base2[None, :], CAPPED)
                rest = tl.where(owner[None, :] == home[:, None], goes, stays)
                rest -= tl.dot(weights2, basis) / scale
                squares2 += _partly(rest * rest, ARMS, REFS, TOGETHER)
                sizes2 += _partly(tl.abs(rest), ARMS, REFS, TOGETHER)
    if SWAP and APART:
        for first in range(0, count, REFS):
            ref = first + tl.arange(0, REFS)
            seen = ref < count
            far = _far(block, row, ref, there, seen)
            cap, base = tl.load(cap_ + ref, mask=seen), tl.load(base_ + ref, mask=seen)
            cap2, base2 = tl.load(cap2_ + ref, mask=seen), tl.load(base2_ + ref, mask=seen)
            owner = tl.load(owner_ + ref, mask=seen, other=-2)
            added = _clipped(far, cap2[None, :], base2[None, :], CAPPED)
            added -= _clipped(far, cap[None, :], base[None, :], CAPPED)
            marks = owner[:, None] == places[None, :]
            more, more2 = _by_owner(added, marks, scale, more, more2)
    own = tl.load(stays_ + at, mask=there, other=0.0)
    share = tl.load(share_ + at, mask=there, other=0.0) if SHARES else tl.load(share_)
    wide, variance = _half_width(
        tl.sum(squares, axis=1).to(tl.float64), tl.sum(sizes, axis=1).to(tl.float64),
        total.to(tl.float64), own, count, spent, chance, apart, z, BASIS,
    )  # fmt: skip
    alone = mean * factor + own * share
    wide = wide * factor
    estimate, lower = alone, alone - wide
    if SWAP:
        own = tl.load(goes_ + at, mask=there, other=0.0)
        wide2, variance = _half_width(
            tl.sum(squares2, axis=1).to(tl.float64), tl.sum(sizes2, axis=1).to(tl.float64),
            total2.to(tl.float64), own, count, spent, chance, apart, z, BASIS,
        )  # fmt: skip
        estimate = mean2 * factor + own * share + tl.load(cost_ + home, mask=there, other=0.0)
        lower = estimate - wide2 * factor
        part = (more / scale).to(tl.float64) / count
        part2 = (more2 / (scale * scale)).to(tl.float64) / count
        usual = part2 / tl.maximum(tl.abs(part), 1e-150)
        spread = tl.sqrt(tl.maximum(part2 - part * part, 0.0) * chance)
        unsure = (z * spread + z * z / 2.0 * usual * chance) * factor
        cost = tl.load(cost_ + places, mask=places < k, other=float("inf"))
        others = alone[:, None] + part * factor + cost[None, :]
        others = tl.where(places[None, :] == home[:, None], float("inf"), others)
        unsure = tl.where(others < float("inf"), unsure, 0.0)
        estimate = tl.minimum(estimate, tl.min(others, axis=1))
        low = others - unsure - wide[:, None]
        if EACH:
            bounds = tl.where(places[None, :] == home[:, None], lower[:, None], low) - rough
            out = each_ + at.to(tl.int64) * (k + 1)
            seen = there[:, None] & (places < k)[None, :]
            tl.store(out[:, None] + places[None, :], bounds.to(tl.float32), mask=seen)
            tl.store(out + k, (alone - wide - rough).to(tl.float32), mask=there)
        lower = tl.minimum(lower, tl.min(low, axis=1))
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
    each: bool = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
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
    clusters = padded(k) if swap else 16
    bounds = torch.empty((count, k + 1), dtype=torch.float32, device=device) if each else None
    shares = not isinstance(arms.share, float)
    share = (
        arms.share if shares else torch.full((1,), arms.share, device=device, dtype=torch.float64)
    )
    # Arms of a program: as many as its registers hold, unless processors would stand idle.
    size, refs, warps, stages = (64, 64, 8, 3) if features > 128 else (64, 32, 4, 2 + swap)
    busy = count // _processors(device)
    if busy < 32:
        size, refs, warps, stages = 32 if busy >= 16 else 16, 32, 4, 2
    _estimate[(triton.cdiv(count, size),)](
        block, block.stride(0), 1 / far,
        clips.cap, clips.base, clips.cap2, clips.base2, clips.owner, q, shift,
        arms.home, arms.stays, arms.goes, share, share if cost is None else cost,
        found[0], found[1], found[2], bounds if each else found, count, block.shape[1], k, *numbers,
        SWAP=swap, BASIS=with_basis, SHARES=shares, APART=features + clusters > 192, EACH=each,
        FEATURES=features, CLUSTERS=clusters,
        ARMS=size, REFS=refs, TOGETHER=refs if features > 128 else _TOGETHER,
        CAPPED=clips.capped and (clips.capped2 or not swap), num_warps=warps, num_stages=stages,
    )  # fmt: skip
    return found[0], found[1], found[2], bounds
