"""What all arms change, summed over all points; or what that changes by, where some points did.

All distances are at hand, the same both ways round: the row of a point has its distances from all
arms. So when a medoid comes or goes, only the rows of the points that pay another one are read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

from .in_order import carried_in_order
from .sums import padded

Tensor = Any
# The sizes of tiles.
_POINTS, _ARMS = 16, 128
_NOTED, _CONCLUDED = 1024, 256
# Parts of the points, for as many programs to work at once, with few clusters (or in BUILD) and
# with many; and for BUILD and for SWAP the share of the points from which on all are summed anew,
# since that takes less than to add and to take away.
_PARTS, _MANY = (8, 4), (0.8, 0.5)


class Payments(NamedTuple):
    """What points pay: the nearest and the second-nearest distance (float32), and the owner."""

    nearest: Tensor
    second: Tensor
    owner: Tensor


@triton.jit
def _note(
    nearest_, second_, owner_, unit, nearest0_, second0_, owner0_, weighed_, position_, pays_,
    pays2_, who_, marks_, n, k,
    SWAP: tl.constexpr, FIRST: tl.constexpr, GATED: tl.constexpr, POINTS: tl.constexpr,
):  # fmt: skip
    """What some points pay, to be summed; which pay something else than before, and to whom."""
    point = tl.program_id(0) * POINTS + tl.arange(0, POINTS)
    seen = point < n
    nearest = (tl.load(nearest_ + point, mask=seen, other=0.0) * unit).to(tl.float32)
    second = (tl.load(second_ + point, mask=seen, other=0.0) * unit).to(tl.float32)
    owner = tl.load(owner_ + point, mask=seen, other=0).to(tl.int32)
    tl.store(pays_ + point, nearest, mask=seen)
    tl.store(pays2_ + point, second, mask=seen)
    tl.store(who_ + point, owner, mask=seen)
    if SWAP:
        for i in range(k):
            tl.store(marks_ + (1 + i) * n + point, (owner == i).to(tl.int32), mask=seen)
    if FIRST:
        if SWAP:
            tl.store(marks_ + point, tl.zeros((POINTS,), tl.int32), mask=seen)
    else:
        differs = nearest != tl.load(nearest0_ + point, mask=seen, other=0.0)
        if SWAP:
            differs |= second != tl.load(second0_ + point, mask=seen, other=0.0)
            differs |= owner != tl.load(owner0_ + point, mask=seen, other=0)
        marks = differs.to(tl.int32)
        if GATED:
            at = tl.load(position_).to(tl.int32)
            marks = tl.where(tl.load(weighed_) + tl.load(weighed_ + 1 + at) < 0, marks, 0)
        tl.store(marks_ + point, marks, mask=seen)


@triton.jit
def _list(marks_, ends_, points_, n, total, POINTS: tl.constexpr):
    """The points that are marked, in order."""
    at = tl.program_id(0) * POINTS + tl.arange(0, POINTS)
    seen = at < total
    marked = tl.load(marks_ + at, mask=seen, other=0) > 0
    end = tl.load(ends_ + at, mask=seen, other=1)
    tl.store(points_ + end - 1, at % n, mask=marked)


class Listed(NamedTuple):
    """Points that pay something else than before, in order; in SWAP then all, by their owners.

    Both are as long as there are marks: nobody waits for the device to know how many points it are.

    Attributes
    ----------
    points : array
    ends : array
        How many there are up to each mark: one for each point that differs, and one for each that a
        medoid owns, medoid by medoid.
    """

    points: Tensor
    ends: Tensor


def noted(
    state: Any, unit: float, swap: bool, before: Payments | None, k: int, gate: Any = None
) -> tuple[Payments, Listed | None]:
    """What points pay to k medoids, multiplied by a unit; and who pays something else than before.

    With a `gate` (see `Told`) nobody does, unless the swap that it tells of is good.
    """
    n, device = state.nearest.shape[0], state.nearest.device
    pays = torch.empty((2, n), dtype=torch.float32, device=device)
    rows = k if swap else 0
    whole = torch.empty((2 + rows, n), dtype=torch.int32, device=device)
    now, marks = Payments(pays[0], pays[1], whole[0]), whole[1:].view(-1)
    grid, old = (triton.cdiv(n, _NOTED),), before or now
    about = (state.nearest, state.nearest) if gate is None else (gate.weighed, gate.position)
    _note[grid](
        state.nearest, state.second, state.owner, unit, *old, *about, *now, marks, n, rows,
        SWAP=swap, FIRST=before is None, GATED=gate is not None, POINTS=_NOTED,
    )  # fmt: skip
    if before is None and not swap:
        return now, None
    ends, points = torch.cumsum(marks, 0, dtype=torch.int32), torch.empty_like(marks)
    total = (1 + rows) * n
    _list[(triton.cdiv(total, _NOTED),)](marks, ends, points, n, total, POINTS=_NOTED)
    return now, Listed(points, ends)


@triton.jit
def _carry(
    rows, stride, scale, points_, ends_, nearest_, second_, owner_, nearest0_, second0_, owner0_,
    weight_, parts_, n, many,
    SWAP: tl.constexpr, WEIGHTS: tl.constexpr, PAID: tl.constexpr, ALL: tl.constexpr,
    GATED: tl.constexpr, SCALED: tl.constexpr, SPREAD: tl.constexpr, CLUSTERS: tl.constexpr,
    PARTS: tl.constexpr, POINTS: tl.constexpr, ARMS: tl.constexpr,
):  # fmt: skip
    """Sums over a part of the points: all rewards, more where an owner goes, and squares."""
    if GATED:  # how many have changed is known here alone
        changed = tl.load(ends_ + n - 1)
        if (changed > many) != ALL:
            return
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
        far = tl.load(row + arm[None, :], mask=both, other=float("inf")).to(tl.float32)
        if SCALED:
            far *= scale
        nearest = tl.load(nearest_ + point, mask=seen, other=0.0)[:, None]
        weight = tl.load(weight_ + point, mask=seen, other=0.0)[:, None] if WEIGHTS else 1.0
        # Nothing changes from an arm to itself, where it is infinitely far: that is known.
        now = tl.minimum(far, nearest)
        if ALL:
            gained = now - nearest if PAID else tl.where(far < float("inf"), far, 0.0)
            if WEIGHTS:
                gained *= weight
            if SPREAD:
                squares += gained * gained
        else:
            nearest0 = tl.load(nearest0_ + point, mask=seen, other=0.0)[:, None]
            now0 = tl.minimum(far, nearest0)
            # In this order it is nothing where an arm is farther than what was and is paid.
            gained = (now - now0) - (nearest - nearest0)
            if WEIGHTS:
                gained *= weight
            if SPREAD:
                after, before = (now - nearest) * weight, (now0 - nearest0) * weight
                squares += after * after - before * before
        gains += gained
        if SWAP:  # there are two medoids at least, so that what is second is finite
            second = tl.load(second_ + point, mask=seen, other=0.0)[:, None]
            owner = tl.load(owner_ + point, mask=seen, other=-1)
            added = tl.minimum(far, second) - now
            if WEIGHTS:
                added *= weight
            mine = (places[:, None] == owner[None, :]).to(tl.float16)
            more = tl.dot(mine, added.to(tl.float16), more)
            if not ALL:
                second0 = tl.load(second0_ + point, mask=seen, other=0.0)[:, None]
                owner0 = tl.load(owner0_ + point, mask=seen, other=-1)
                # The very numbers that were added are taken away.
                less = now0 - tl.minimum(far, second0)
                if WEIGHTS:
                    less *= weight
                mine0 = (places[:, None] == owner0[None, :]).to(tl.float16)
                more = tl.dot(mine0, less.to(tl.float16), more)
    out = parts_ + part.to(tl.int64) * (CLUSTERS + 2) * n + arm
    tl.store(out, tl.sum(gains, axis=0), mask=there)
    if SWAP:
        each_place = (1 + places)[:, None].to(tl.int64) * n
        tl.store(out[None, :] + each_place, more, mask=there[None, :])
    if SPREAD:
        tl.store(out + (1 + CLUSTERS) * n, tl.sum(squares, axis=0), mask=there)


@triton.jit
def _fold(
    parts_, sums0_, squares0_, ends_, sums_, squares_, n, many, last,
    CHANGED: tl.constexpr, CLUSTERS: tl.constexpr, PARTS: tl.constexpr, ARMS: tl.constexpr,
):  # fmt: skip
    """The sums of parts, in float64; and what was there before, where some points changed."""
    place = tl.program_id(1)
    arm = tl.program_id(0) * ARMS + tl.arange(0, ARMS)
    there = arm < n
    squares = place == last
    of = tl.where(squares, 1 + CLUSTERS, place).to(tl.int64) * n + arm
    total = tl.zeros((ARMS,), tl.float64)
    for part in range(PARTS):
        each = parts_ + part * (CLUSTERS + 2) * n.to(tl.int64)
        total += tl.load(each + of, mask=there, other=0.0).to(tl.float64)
    to = place.to(tl.int64) * n + arm
    if CHANGED:
        adds = tl.load(ends_ + n - 1) <= many
    if squares:
        if CHANGED:
            total += tl.where(adds, tl.load(squares0_ + arm, mask=there, other=0.0), 0.0)
        tl.store(squares_ + arm, total, mask=there)
    else:
        if CHANGED:
            total += tl.where(adds, tl.load(sums0_ + to, mask=there, other=0.0), 0.0)
        tl.store(sums_ + to, total, mask=there)


class Partial(NamedTuple):
    """Sums over parts of the points.

    Attributes
    ----------
    found : array of shape (parts, clusters + 2, n)
        For each arm, in float32: the sum of its rewards with all medoids staying; in SWAP what is
        added where each medoid goes; and last, where they were asked for, squares of the first.
    rows : int
        How many of these there are, but for squares.
    ends : array
        See `Listed`.
    many : int
        Where more points have changed than this, all were summed anew.
    known : array of shape (rows, n) or None
        What is to be added, unless all points were summed anew.
    """

    found: Tensor
    rows: int
    ends: Tensor
    many: int
    known: Tensor | None


def carried(
    rows: Tensor, scale: float, now: Payments, swap: bool, k: int, weights: Tensor | None,
    spread: bool = False, listed: Listed | None = None, before: Payments | None = None,
    known: Tensor | None = None,
) -> Partial:  # fmt: skip
    """Sums over all points, from what is `known` of them where some points paid something else.

    Parameters
    ----------
    rows : array of shape (n, n)
        Distances, infinite from a point to itself.
    scale : float
        What they are to be multiplied by: no distance is to be above 65,504 then.
    now : Payments
        Multiplied by the same.
    swap : bool
        There are two medoids at least then.
    k : int
        How many medoids there are.
    weights : array or None
        How much each point counts, in float32: 1 at most.
    spread : bool, default=False
        Squares are asked for, too.
    listed : Listed, default=None
        Who pays something else than before, and to whom all do.
    before : Payments, default=None
        What all paid.
    known : array, default=None
        The sums then.
    """
    n, device, count = rows.shape[0], rows.device, 1 + (k if swap else 0)
    clusters = padded(k) if swap else 16
    count_parts = _PARTS[swap and clusters > 16]
    parts = torch.empty((count_parts, clusters + 2, n), dtype=torch.float32, device=device)
    old, given = before or now, listed or Listed(now.owner, now.owner)
    many, gated = int(_MANY[swap] * n), before is not None
    for whole in (False, True) if gated else (True,):
        if whole and swap and not spread:
            carried_in_order(rows, scale, now, given, weights, parts, k, many if gated else None)
            continue
        _carry[(count_parts, triton.cdiv(n, _ARMS))](
            rows, rows.stride(0), scale, *given, *now, *old,
            now.nearest if weights is None else weights, parts, n, many,
            SWAP=swap, WEIGHTS=weights is not None, PAID=k > 0, ALL=whole, GATED=gated,
            SCALED=scale != 1, SPREAD=spread, CLUSTERS=clusters, PARTS=count_parts, POINTS=_POINTS,
            ARMS=_ARMS, num_warps=4, num_stages=3,
        )  # fmt: skip
    return Partial(parts, count, given.ends, many, known)


def folded(parts: Partial, squares: Tensor | None) -> tuple[Tensor, Tensor]:
    """All sums and those of squares, of parts; from what was known of the `squares`."""
    (count, clusters, n), device = parts.found.shape, parts.found.device
    sums = torch.empty((parts.rows, n), dtype=torch.float64, device=device)
    found = torch.empty(n, dtype=torch.float64, device=device)
    changed = parts.known is not None
    _fold[(triton.cdiv(n, _NOTED), parts.rows + 1)](
        parts.found, parts.known if changed else sums, squares if changed else found, parts.ends,
        sums, found, n, parts.many, parts.rows, CHANGED=changed, CLUSTERS=clusters - 2,
        PARTS=count, ARMS=_NOTED,
    )  # fmt: skip
    return sums, found


@triton.jit
def _conclude(
    sums_, parts_, sums0_, ends_, many, nearest_, second_, owner_, share_, by_, values_, lowest_,
    which_, n, fixed, k,
    FOLD: tl.constexpr, CHANGED: tl.constexpr, CLUSTERS: tl.constexpr, PARTS: tl.constexpr,
    SWAP: tl.constexpr, PAID: tl.constexpr, WEIGHTS: tl.constexpr, ARMS: tl.constexpr,
):  # fmt: skip
    """What some arms are worth, in the mean over all points; and which is the best of them."""
    arm = tl.program_id(0) * ARMS + tl.arange(0, ARMS)
    there = arm < n
    by = tl.load(by_)
    if CHANGED:
        adds = tl.load(ends_ + n - 1) <= many
    value = tl.zeros((ARMS,), tl.float64)
    best = tl.full((ARMS,), float("inf"), tl.float64)
    if PAID:  # an arm itself pays nothing
        share = tl.load(share_ + arm, mask=there, other=0.0) if WEIGHTS else tl.load(share_)
        nearest = tl.load(nearest_ + arm, mask=there, other=0.0)
        value = -nearest * share
    if SWAP:
        owner = tl.load(owner_ + arm, mask=there, other=-1)
        own = (nearest - tl.load(second_ + arm, mask=there, other=0.0)) * share
    wide = n.to(tl.int64)
    for row in range(1 + (k if SWAP else 0)):
        at = row * wide + arm
        if FOLD:
            total = tl.zeros((ARMS,), tl.float64)
            for part in tl.static_range(PARTS):
                each = parts_ + part * (CLUSTERS + 2) * wide + at
                total += tl.load(each, mask=there, other=0.0).to(tl.float64)
            if CHANGED:
                total += tl.where(adds, tl.load(sums0_ + at, mask=there, other=0.0), 0.0)
            tl.store(sums_ + at, total, mask=there)
        else:
            total = tl.load(sums_ + at, mask=there, other=0.0)
        value += tl.where(row == 0, total * by, 0.0)
        if SWAP:
            goes = total * by + tl.where(owner == row - 1, own, 0.0)
            best = tl.where(row > fixed, tl.minimum(best, goes), best)
    if SWAP:
        value += best
    tl.store(values_ + arm, value, mask=there)
    lowest, first = tl.min(tl.where(there, value, float("inf")), axis=0, return_indices=True)
    tl.store(lowest_ + tl.program_id(0), lowest)
    tl.store(which_ + tl.program_id(0), tl.program_id(0) * ARMS + first)


class Concluded(NamedTuple):
    """What arms are worth, in float64.

    Attributes
    ----------
    values : array
        Of all arms.
    lowest : array
        The lowest, of some arms after the other;
    which : array of int64
        and the arm that has it.
    """

    values: Tensor
    lowest: Tensor
    which: Tensor


@triton.jit
def _best(
    lowest_, which_, seems_, seem_, n, few, FEW: tl.constexpr, PARTS: tl.constexpr
):  # fmt: skip
    """The few lowest of some values, one after the other: the first of equals."""
    part, i = tl.arange(0, PARTS), tl.arange(0, FEW)
    left = tl.load(lowest_ + part, mask=part < n, other=float("inf"))
    taken = (part >= n).to(tl.int32)
    seems, seem = tl.zeros((FEW,), tl.float64), tl.zeros((FEW,), tl.int64)
    for place in range(few):
        lowest = tl.min(left, axis=0)
        # Infinite ones are taken once each, too.
        at = tl.min(tl.where((left == lowest) & (taken == 0), part, n - 1), axis=0)
        seems = tl.where(i == place, lowest, seems)
        seem = tl.where(i == place, tl.load(which_ + at), seem)
        left = tl.where(part == at, float("inf"), left)
        taken = tl.where(part == at, 1, taken)
    tl.store(seems_ + i, seems, mask=i < few)
    tl.store(seem_ + i, seem, mask=i < few)


def best_of(found: Concluded, few: int) -> tuple[Tensor, Tensor]:
    """The few lowest values of parts, and the arms that have them."""
    count, device = found.lowest.shape[0], found.lowest.device
    seems = torch.empty(few, dtype=torch.float64, device=device)
    seem = torch.empty(few, dtype=torch.int64, device=device)
    _best[(1,)](
        found.lowest, found.which, seems, seem, count, few, FEW=padded(few, 2),
        PARTS=padded(count, 2),
    )  # fmt: skip
    return seems, seem


def concluded(
    sums: Tensor, state: Any, swap: bool, fixed: int, share: Tensor, by: Tensor
) -> tuple[Concluded, Tensor]:
    """The values of all arms, of sums that were carried (or `Partial` ones); and the sums.

    They are multiplied `by` a number; `share` is what of the mean an arm's own reward is, for each
    arm or (of shape (1,)) for any.
    """
    parts: Any = sums if isinstance(sums, Partial) else None
    if parts is not None:
        shape = (parts.rows, parts.found.shape[2])
        sums = torch.empty(shape, dtype=torch.float64, device=parts.found.device)
    n = sums.shape[1]
    values = torch.empty(n, dtype=torch.float64, device=sums.device)
    blocks = triton.cdiv(n, _CONCLUDED)
    lowest = torch.empty(blocks, dtype=torch.float64, device=sums.device)
    which = torch.empty(blocks, dtype=torch.int64, device=sums.device)
    changed = parts is not None and parts.known is not None
    _conclude[(blocks,)](
        sums, sums if parts is None else parts.found, parts.known if changed else sums,
        parts.ends if changed else which, parts.many if changed else 0, state.nearest,
        state.second, state.owner, share, by, values, lowest, which, n, fixed, state.k,
        FOLD=parts is not None, CHANGED=changed,
        CLUSTERS=16 if parts is None else parts.found.shape[1] - 2,
        PARTS=1 if parts is None else parts.found.shape[0],
        SWAP=swap, PAID=state.k > 0, WEIGHTS=share.shape[0] > 1, ARMS=_CONCLUDED,
    )  # fmt: skip
    return Concluded(values, lowest, which), sums
