"""What arms change at points that changed: for bounds that are carried between searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl

from .sums import Tensor

# Arms, and points of one owner, of a tile.
_ARMS, TILE = 32, 32


@triton.jit
def _won(far, pays):
    """Nothing from an arm to itself, where it is infinitely far."""
    return tl.minimum(far, pays[None, :]) - pays[None, :]


@triton.jit
def _shift(
    far_, stride, before_, before2_, now_, now2_, was_, is_, once_, weight_, unsure_, owner_,
    alone_, each_, each_wide_, arms, tiles, k, ARMS: tl.constexpr, POINTS: tl.constexpr,
):  # fmt: skip
    """Sums over tiles of points, which follow each other by owner: a sum for each owner."""
    at = tl.program_id(0) * ARMS + tl.arange(0, ARMS)
    inside = at < arms
    row = at.to(tl.int64)
    gains = tl.zeros((ARMS, POINTS), tl.float32)
    wide = tl.zeros((ARMS, POINTS), tl.float32)
    sizes = tl.zeros((ARMS, POINTS), tl.float32)
    more = tl.zeros((ARMS, POINTS), tl.float32)
    more2 = tl.zeros((ARMS, POINTS), tl.float32)
    for tile in range(tiles):
        point = tile * POINTS + tl.arange(0, POINTS)
        far = tl.load(
            far_ + (row * stride)[:, None] + point[None, :], mask=inside[:, None], other=0.0
        )
        weight, unsure = tl.load(weight_ + point)[None, :], tl.load(unsure_ + point)[None, :]
        stays0, stays = _won(far, tl.load(before_ + point)), _won(far, tl.load(now_ + point))
        added = (_won(far, tl.load(now2_ + point)) - stays) * tl.load(is_ + point)[None, :]
        added -= (_won(far, tl.load(before2_ + point)) - stays0) * tl.load(was_ + point)[None, :]
        gained = (stays - stays0) * tl.load(once_ + point)[None, :]
        gains += gained * weight
        wide += gained * gained * unsure
        sizes += (tl.abs(gained) + tl.abs(added)) * unsure
        more += added * weight
        more2 += added * added * unsure
        owner = tl.load(owner_ + tile)
        if tl.load(owner_ + tile + 1) != owner:
            tl.store(each_ + row * k + owner, tl.sum(more, axis=1), mask=inside)
            tl.store(each_wide_ + row * k + owner, tl.sum(more2, axis=1), mask=inside)
            more = tl.zeros((ARMS, POINTS), tl.float32)
            more2 = tl.zeros((ARMS, POINTS), tl.float32)
    tl.store(alone_ + at, tl.sum(gains, axis=1), mask=inside)
    tl.store(alone_ + arms + at, tl.sum(wide, axis=1), mask=inside)
    tl.store(alone_ + 2 * arms + at, tl.sum(sizes, axis=1), mask=inside)


def shifted(far: Tensor, points: Any, k: int) -> tuple[Tensor, ...]:
    """`bounds._summed`: each owner has whole tiles of points."""
    (arms, count), device = far.shape, far.device
    alone = torch.empty((3, arms), dtype=torch.float32, device=device)
    each = torch.zeros((2, arms, k), dtype=torch.float32, device=device)
    # One more, whom nobody belongs to, ends the last one's.
    owner = torch.from_numpy(np.append(points.owner[::TILE], -1)).to(device, non_blocking=True)
    _shift[(triton.cdiv(arms, _ARMS),)](
        far, far.stride(0), points.before, points.before2, points.now, points.now2, points.was,
        points.is_, points.once, points.weight, points.unsure, owner, alone, each[0], each[1],
        arms, count // TILE, k, ARMS=_ARMS, POINTS=TILE, num_warps=4,
    )  # fmt: skip
    return alone[0], alone[1], alone[2], each[0], each[1]
