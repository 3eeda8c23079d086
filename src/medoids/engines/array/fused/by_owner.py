"""Estimates of arms and references that are in the order of their owners.

A tile of references has one owner then. So what each medoid's points add is a sum over tiles,
rather than a product with marks; and what an arm's own cluster adds is in a few of them.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from .estimates import Scalars, _half_width, _reward
from .sums import Tensor

# References of a tile; arms beside them, warps and stages.
SORTED = 64
_SHAPE = 64, 8, 3


@triton.jit
def _estimate_by_owner(
    block, stride, scale_, cap_, base_, cap2_, base2_, owner_, begins_, q, shift_,
    home_, stays_, goes_, share_, cost_, estimate_, lower_, sigma_, each_,
    arms, tiles, count, k, spent, chance, apart, factor, z, rough,
    EACH: tl.constexpr, FEATURES: tl.constexpr, ARMS: tl.constexpr, REFS: tl.constexpr,
):  # fmt: skip
    """`estimates._estimate`, of swaps with a basis."""
    at = tl.program_id(0) * ARMS + tl.arange(0, ARMS)
    there = at < arms
    at = tl.minimum(at, arms - 1)
    row = at.to(tl.int64)
    columns = tl.arange(0, FEATURES)
    scale = tl.load(scale_)
    home = tl.load(home_ + at)
    far_ = block + (row * stride)[:, None]
    sums = tl.zeros((ARMS, REFS), tl.float32)
    more = tl.zeros((ARMS, REFS), tl.float32)
    more2 = tl.zeros((ARMS, REFS), tl.float32)
    added = tl.zeros((ARMS,), tl.float32)
    best = tl.full((ARMS,), float("inf"), tl.float32)
    low = tl.full((ARMS,), float("inf"), tl.float32)
    along = tl.zeros((ARMS, FEATURES), tl.float32)
    for tile in range(tiles):
        ref = tile * REFS + tl.arange(0, REFS)
        far = tl.load(far_ + ref[None, :])
        stays = _reward(far, tl.load(cap_ + ref)[None, :], tl.load(base_ + ref)[None, :])
        goes = _reward(far, tl.load(cap2_ + ref)[None, :], tl.load(base2_ + ref)[None, :])
        basis = tl.load(q + ref[:, None] * FEATURES + columns[None, :])
        along = tl.dot((stays * scale).to(tl.float16), basis, along)
        goes -= stays
        sums += stays
        more += goes
        more2 += goes * goes
        owner = tl.load(owner_ + tile)
        if tl.load(owner_ + tile + 1) != owner:
            total = tl.sum(more, axis=1)
            part, part2 = total / count, tl.sum(more2, axis=1) / count
            usual = part2 / tl.maximum(tl.abs(part), 1e-30)
            spread = tl.sqrt(tl.maximum(part2 - part * part, 0.0) * chance)
            unsure = (z * spread + z * z / 2.0 * usual * chance) * factor
            value = part * factor + tl.load(cost_ + owner).to(tl.float32)
            if EACH:
                tl.store(each_ + row * (k + 1) + owner, value - unsure, mask=there)
            mine = home == owner
            added = tl.where(mine, total, added)
            best = tl.where(mine, best, tl.minimum(best, value))
            low = tl.where(mine, low, tl.minimum(low, value - unsure))
            more = tl.zeros((ARMS, REFS), tl.float32)
            more2 = tl.zeros((ARMS, REFS), tl.float32)
    shift = tl.load(shift_ + columns)
    total = tl.sum(sums, axis=1)
    mean = total.to(tl.float64) / count
    mean += tl.sum(along * shift[None, :], axis=1).to(tl.float64) / count / scale
    # What is added where the own medoid goes: in the tiles of the arms' owners alone.
    along2 = along
    first, last = (
        tl.load(begins_ + tl.min(home, axis=0)),
        tl.load(begins_ + tl.max(home, axis=0) + 1),
    )
    for tile in range(first, last):
        ref = tile * REFS + tl.arange(0, REFS)
        far = tl.load(far_ + ref[None, :])
        stays = _reward(far, tl.load(cap_ + ref)[None, :], tl.load(base_ + ref)[None, :])
        goes = _reward(far, tl.load(cap2_ + ref)[None, :], tl.load(base2_ + ref)[None, :])
        mine = tl.load(owner_ + tile) == home
        goes = tl.where(mine[:, None], goes - stays, 0.0)
        basis = tl.load(q + ref[:, None] * FEATURES + columns[None, :])
        along2 = tl.dot((goes * scale).to(tl.float16), basis, along2)
    total2 = total + added
    mean2 = total2.to(tl.float64) / count
    mean2 += tl.sum(along2 * shift[None, :], axis=1).to(tl.float64) / count / scale
    weights, weights2 = (along / count).to(tl.float16), (along2 / count).to(tl.float16)
    squares = tl.zeros((ARMS,), tl.float32)
    squares2 = tl.zeros((ARMS,), tl.float32)
    sizes = tl.zeros((ARMS,), tl.float32)
    sizes2 = tl.zeros((ARMS,), tl.float32)
    for tile in range(tiles):
        ref = tile * REFS + tl.arange(0, REFS)
        far = tl.load(far_ + ref[None, :])
        stays = _reward(far, tl.load(cap_ + ref)[None, :], tl.load(base_ + ref)[None, :])
        goes = _reward(far, tl.load(cap2_ + ref)[None, :], tl.load(base2_ + ref)[None, :])
        basis = tl.load(q + ref[None, :] * FEATURES + columns[:, None])
        rest = stays - tl.dot(weights, basis) / scale
        squares += tl.sum(rest * rest, axis=1)
        sizes += tl.sum(tl.abs(rest), axis=1)
        mine = tl.load(owner_ + tile) == home
        rest = tl.where(mine[:, None], goes, stays) - tl.dot(weights2, basis) / scale
        squares2 += tl.sum(rest * rest, axis=1)
        sizes2 += tl.sum(tl.abs(rest), axis=1)
    share = tl.load(share_)
    own = tl.load(stays_ + at)
    wide, variance = _half_width(
        squares.to(tl.float64), sizes.to(tl.float64), total.to(tl.float64), own,
        count, spent, chance, apart, z, True,
    )  # fmt: skip
    alone = mean * factor + own * share
    sure = alone - wide * factor - rough
    own = tl.load(goes_ + at)
    wide, variance = _half_width(
        squares2.to(tl.float64), sizes2.to(tl.float64), total2.to(tl.float64), own,
        count, spent, chance, apart, z, True,
    )  # fmt: skip
    here = mean2 * factor + own * share + tl.load(cost_ + home)
    lower = here - wide * factor - rough
    if EACH:
        tl.store(each_ + row * (k + 1) + k, sure.to(tl.float32), mask=there)
    tl.store(estimate_ + at, tl.minimum(here, alone + best), mask=there)
    tl.store(lower_ + at, tl.minimum(lower, sure + low), mask=there)
    tl.store(sigma_ + at, lower, mask=there)
    tl.store(sigma_ + arms + at, tl.sqrt(variance) * factor, mask=there)


def estimated_by_owner(
    block: Tensor,
    far: Tensor,
    clips: Any,
    basis: Any,
    arms: Any,
    cost: Tensor,
    k: int,
    numbers: Scalars,
    each: bool,
    tiles: Any,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """`estimates.estimated`, where tiles of references have one owner each.

    Owners without references are not seen: what they add is nothing then.
    """
    (count, width), device, features = block.shape, block.device, basis.q.shape[1]
    found = torch.empty((4, count), dtype=torch.float64, device=device)
    # Features whose mean square is 1: within the range of float16, as rewards by `far` are.
    wide = float(tiles.references) ** 0.5
    q, shift = (basis.q * wide).to(torch.float16), basis.shift * wide
    bounds = None
    if each:
        bounds = cost.to(torch.float32).repeat(count, 1)
        bounds = torch.cat([bounds, bounds[:, :1]], dim=1)
    share = torch.full((1,), arms.share, device=device, dtype=torch.float64)
    size, warps, stages = _SHAPE
    _estimate_by_owner[(triton.cdiv(count, size),)](
        block, block.stride(0), 1 / far,
        clips.cap, clips.base, clips.cap2, clips.base2, tiles.owner, tiles.begins, q, shift,
        arms.home, arms.stays, arms.goes, share, cost, found[0], found[1], found[2],
        bounds if each else found, count, width // SORTED, tiles.references, k, *numbers,
        EACH=each, FEATURES=features, ARMS=size, REFS=SORTED, num_warps=warps, num_stages=stages,
    )  # fmt: skip
    if bounds is not None:
        bounds[:, :k] += bounds[:, k:]
        bounds.scatter_(1, arms.home[:, None], found[2].to(torch.float32)[:, None])
    return found[0], found[1], found[3], bounds
