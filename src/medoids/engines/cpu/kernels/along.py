"""Rewards of arms along a basis, an arm at a time, and the bounds that they give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from .lines import (
    added_up,
    line_of,
    minus,
    nothing,
    plus,
    pour_four,
    pour_lines,
    put,
    scaled,
    times,
)
from .tuples import LANES
from .vectors import (
    PACKS,
    add_reward,
    add_scaled,
    ask_for,
    keep_below,
    larger,
    lowest_bit,
    smaller,
    which_below,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .tuples import Basis, Hits, Inside

# What a regression leaves is never less than this share of the squares, as float32 tells them.
_ROUNDED = 1e-6
# Hits that are added up in float32 before they go into sums of float64.
_FEW = 512
_REORDER = {"reassoc", "nsz", "contract"}


@njit(nogil=True, cache=True, error_model="numpy")
def find(block, slots, limit, line, me, hits):  # type: ignore[no-untyped-def]
    """Find the references that reward each arm: most do not.

    Parameters
    ----------
    block : ndarray of float32 of shape (arms, columns)
        Distances,
    slots : ndarray of int
        and the row of each arm in them.
    limit : ndarray of float32
        The distance of each column from which on it rewards nothing; NaN, if it does at any.
    line : ndarray of int32
        Which reference each column is; -1 if it is none.
    me : ndarray of int
        Which reference each arm is: what it gains at itself is known, and is left out.
    hits : Hits
        To which they are added. There is room for all columns, and a line more.
    """
    at, distances, counts = hits
    width = limit.shape[0]
    one, arms = np.uint64(1), slots.shape[0]
    for x in range(arms):
        row, mine, kept = block[slots[x]], me[x], counts[x]
        places, values = at[x], distances[x]
        after = slots[x + 1 if x + 1 < arms else x]  # it is anywhere, and to wait takes long
        for j in range(0, width - LANES + 1, LANES):
            ask_for(block, after, j)
            if PACKS:
                kept = keep_below(row, limit, line, j, np.int32(mine), places, values, kept)
                continue
            bits = which_below(row, limit, j)
            while bits:
                column = j + lowest_bit(bits)
                bits &= bits - one
                s = line[column]
                places[kept], values[kept] = s, row[column]
                kept += 1 if s >= 0 and s != mine else 0
        for column in range(width - width % LANES, width):
            s = line[column]
            places[kept], values[kept] = s, row[column]
            kept += 0 if row[column] >= limit[column] or s < 0 or s == mine else 1
        counts[x] = kept


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_REORDER)
def _conclude(hits, basis, arms, removal, z, start, scratch, out):  # type: ignore[no-untyped-def]
    """See `conclude`. The first of `scratch` come as zeros, and are left so."""
    at, distances, counts = hits
    q, laid, segments, t, scale, unseen, gram, shared = basis
    me, home, own, guard, share, seen, n, swap = arms
    # c = Q'r over each segment's references, the owner staying and going; and sums of r and r²
    # likewise. In float32 are a few hits, every other one apart: an addition waits for the last.
    sums, squares, few, few_squares, is_met, met, is_local = scratch
    columns, clips, means = q.reshape(-1), laid.reshape(-1), t.reshape(-1)
    local, products = line_of(is_local, LANES - shared), line_of(gram, 0)
    common = line_of(is_local, 2 * LANES - shared)
    mean, lower = out
    k, lines, kinds, root = scale.shape[0] - 1, lower.shape[0], 2 if swap else 1, np.sqrt(share) * n
    for x in range(me.shape[0]):
        count = 0
        for low in range(0, counts[x], _FEW):
            high = smaller(low + _FEW, counts[x])
            for i in range(low, high - 1, 2):
                s, s2, d, d2 = at[x, i], at[x, i + 1], distances[x, i], distances[x, i + 1]
                h, h2 = 2 * segments[s], 2 * segments[s2] + 1
                add_reward(few, few_squares, h, columns, clips, s, d, swap)
                add_reward(few, few_squares, h2, columns, clips, s2, d2, swap)
            for i in range(high - (high - low) % 2, high):
                s = at[x, i]
                h = 2 * segments[s]
                add_reward(few, few_squares, h, columns, clips, s, distances[x, i], swap)
            for h in range(2 * k):
                if pour_four(squares, 4 * h, few_squares, 8 * h):
                    pour_lines(sums, 2 * LANES * h, few, 4 * LANES * h)
                    met[count] = h
                    count += 0 if is_met[h] else 1
                    is_met[h] = True
        stayed, gone = squares[4 * home], squares[4 * home + 1]
        # Among the references, the mean of its owner's others stands for the arm itself.
        others = larger(seen - (1 if me[x] >= 0 else 0), 1)
        for i in range(kinds if me[x] >= 0 else 0):
            near = (gone if i else stayed) / others
            if near != 0:  # then that segment was met
                squares[4 * home + 2 + i] += near * near
                add_scaled(sums, (2 * home + i) * LANES, columns, LANES * me[x], near)
        gain = own[x, 0] - stayed / others / root
        total = weighted = beside = along_mean = inside = nothing()
        whole = hidden = 0.0
        for i in range(count):
            s = met[i]
            cell = s if s < k else k
            stay = line_of(sums, 2 * LANES * s)
            part = scaled(stay, scale[cell])
            along_mean = plus(along_mean, times(line_of(means, LANES * cell), stay))
            total, weighted = plus(total, stay), plus(weighted, part)
            whole += scale[cell] * squares[4 * s + 2]
            hidden += unseen[cell] * squares[4 * s + 2]
            if s < k:
                inside = plus(inside, times(part, stay))
            else:
                beside = plus(beside, stay)
        value = gain + added_up(along_mean)
        # Of the squares, without what all swaps share.
        inside = plus(inside, scaled(times(beside, beside), scale[k]))
        left = whole - added_up(times(local, inside))
        rest = minus(times(products, total), plus(weighted, weighted))
        rest = left + added_up(times(times(common, total), rest))
        rest = larger(rest, 0.0) + _ROUNDED * whole
        chance = smaller(np.sqrt(rest / hidden), 1.0) if hidden > 0 else 1.0
        alone = value - z * np.sqrt(rest) - guard[x, 0] * chance - guard[x, 1]
        lower[lines - 1, start + x] = alone
        best = value
        least = alone
        for j in range(k if swap else 0):
            one, bound = value, alone
            if is_met[j] or is_met[k + j]:
                factor, factor2 = scale[j], scale[k]
                stay, go = line_of(sums, 2 * LANES * j), line_of(sums, 2 * LANES * j + LANES)
                at2 = 2 * LANES * (k + j)
                stay2, go2 = line_of(sums, at2), line_of(sums, at2 + LANES)
                change, change2 = minus(go, stay), minus(go2, stay2)
                part, part2 = scaled(change, factor), scaled(change2, factor2)
                moved = plus(total, plus(change, change2))
                weight = plus(weighted, plus(part, part2))
                more = times(line_of(means, LANES * j), change)
                one += added_up(plus(more, times(line_of(means, LANES * k), change2)))
                wide = whole + factor * (squares[4 * j + 3] - squares[4 * j + 2])
                wide += factor2 * (squares[4 * (k + j) + 3] - squares[4 * (k + j) + 2])
                bare = hidden + unseen[j] * (squares[4 * j + 3] - squares[4 * j + 2])
                bare += unseen[k] * (squares[4 * (k + j) + 3] - squares[4 * (k + j) + 2])
                rest = minus(times(products, moved), plus(weight, weight))
                rest = times(times(common, moved), rest)
                here = times(part, plus(go, stay))
                here = plus(here, times(part2, plus(change2, plus(beside, beside))))
                rest = left + wide - whole + added_up(minus(rest, times(local, here)))
                rest = larger(rest, 0.0) + _ROUNDED * wide
                chance = smaller(np.sqrt(rest / bare), 1.0) if bare > 0 else 1.0
                bound = one - z * np.sqrt(rest) - guard[x, 0] * chance - guard[x, 1]
            one += removal[j]
            bound += removal[j]
            if j == home:
                more = own[x, 1] - gone / others / root - gain
                one += more
                bound += more - guard[x, 2]
            best = one if j == 0 else smaller(best, one)
            least = bound if j == 0 else smaller(least, bound)
            if lines > 1:
                lower[j, start + x] = bound
        mean[start + x] = best
        if lines == 1:
            lower[0, start + x] = least
        for i in range(count):
            s = met[i]
            is_met[s] = False
            for c in range(4):
                squares[4 * s + c] = 0.0
            put(sums, 2 * LANES * s, nothing())
            put(sums, 2 * LANES * s + LANES, nothing())


def conclude(
    hits: Hits,
    basis: Basis,
    arms: Inside,
    removal: NDArray[np.float64],
    z: float,
    start: int,
    out: tuple[NDArray[np.float64], NDArray[np.float32]],
) -> None:
    """Estimates and lower bounds of one cluster's arms, from their rewards along a basis.

    Parameters
    ----------
    hits : Hits
    basis : Basis
    arms : Inside
    removal : ndarray of float64
    start : int
        Where these arms are in what is written.
    out : tuple of ndarrays
        The lowest estimate of each arm's swaps; lower bounds of all of them and of the addition,
        or of the lowest, a line for each.
    """
    count = 2 * (len(basis.scale) - 1)
    # Zeros, ones and zeros: which columns are local, or are not, begins at one place of it.
    is_local = np.repeat([0.0, 1.0, 0.0], LANES)
    scratch = (
        np.zeros(2 * count * LANES), np.zeros(4 * count),
        np.zeros(4 * count * LANES, np.float32), np.zeros(8 * count, np.float32),
        np.zeros(count, np.bool_), np.empty(count + 1, np.int64), is_local,
    )  # fmt: skip
    _conclude(hits, basis, arms, removal, z, start, scratch, out)
