"""Rewards of arms along a basis, an arm at a time, and the bounds that they give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from .reward import reward
from .vectors import LANES, add_scaled, larger, lowest_bit, smaller, which_below

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .tuples import Basis, Hits, Inside

# What a regression leaves is never less than this share of the squares, as float32 tells them.
_ROUNDED = 2e-7
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
    line : ndarray of int
        Which reference each column is; -1 if it is none.
    me : ndarray of int
        Which reference each arm is: what it gains at itself is known, and is left out.
    hits : Hits
        To which they are added.
    """
    at, distances, counts = hits
    width = limit.shape[0]
    one = np.uint64(1)
    for x in range(slots.shape[0]):
        row, mine, kept = block[slots[x]], me[x], counts[x]
        places, values = at[x], distances[x]
        for j in range(0, width - LANES + 1, LANES):
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
    q, laid, segments, t, scale, gram, _ = basis
    me, home, own, guard, share, seen, n, swap = arms
    # c = Q'r over each segment's references, the owner staying and going; and |r|² likewise.
    along, squares, is_met, met, total, weighted, beside, local = scratch
    sums, columns = along.reshape(-1), q.reshape(-1)
    mean, lower = out
    k, lines, kinds, root = scale.shape[0] - 1, lower.shape[0], 2 if swap else 1, np.sqrt(share) * n
    for x in range(me.shape[0]):
        count, stayed, gone = 0, 0.0, 0.0
        for i in range(counts[x]):
            s, d = at[x, i], distances[x, i]
            h = segments[s]
            if not is_met[h]:
                is_met[h] = True
                met[count] = h
                count += 1
            stays = np.float64(reward(d, laid[s, 0], laid[s, 1]) * laid[s, 4])
            add_scaled(sums, 2 * LANES * h, columns, LANES * s, stays)
            squares[2 * h] += stays * stays
            goes = 0.0
            if swap:
                goes = np.float64(reward(d, laid[s, 2], laid[s, 3]) * laid[s, 4])
                add_scaled(sums, 2 * LANES * h + LANES, columns, LANES * s, goes)
                squares[2 * h + 1] += goes * goes
            if h == home:
                stayed += stays
                gone += goes
        # Among the references, the mean of its owner's others stands for the arm itself.
        others = larger(seen - (1 if me[x] >= 0 else 0), 1)
        for i in range(kinds if me[x] >= 0 else 0):
            near = (gone if i else stayed) / others
            if near != 0:  # then that segment was met
                squares[2 * home + i] += near * near
                add_scaled(sums, (2 * home + i) * LANES, columns, LANES * me[x], near)
        gain = own[x, 0] - stayed / others / root
        for c in range(LANES):
            total[c] = weighted[c] = beside[c] = 0.0
        value = whole = left = 0.0
        for i in range(count):
            s = met[i]
            cell = s if s < k else k
            stay, mean_of, squared = along[s, 0], t[cell], 0.0
            add_scaled(total, 0, sums, 2 * LANES * s, 1.0)
            add_scaled(weighted, 0, sums, 2 * LANES * s, scale[cell])
            for c in range(LANES):
                value += mean_of[c] * stay[c]
                squared += local[c] * stay[c] * stay[c]
            whole += scale[cell] * squares[2 * s]
            if s < k:
                left -= scale[cell] * squared
            else:
                add_scaled(beside, 0, sums, 2 * LANES * s, 1.0)
        squared = rest = 0.0
        for c in range(LANES):
            squared += local[c] * beside[c] * beside[c]
            rest += (1 - local[c]) * total[c] * (gram[c] * total[c] - 2 * weighted[c])
        left += whole - scale[k] * squared  # of the squares, without what all swaps share
        value += gain
        rest = larger(left + rest, 0.0) + _ROUNDED * whole
        chance = smaller(np.sqrt(rest / whole), 1.0) if whole > 0 else 1.0
        alone = value - z * np.sqrt(rest) - guard[x, 0] * chance - guard[x, 1]
        lower[lines - 1, start + x] = alone
        best = value
        least = alone
        for j in range(k if swap else 0):
            one, bound = value, alone
            if is_met[j] or is_met[k + j]:
                factor, factor2, mean_of, mean_of2 = scale[j], scale[k], t[j], t[k]
                stay, go, stay2, go2 = along[j, 0], along[j, 1], along[k + j, 0], along[k + j, 1]
                more = factor * (squares[2 * j + 1] - squares[2 * j])
                more += factor2 * (squares[2 * (k + j) + 1] - squares[2 * (k + j)])
                wide, rest = whole + more, left + more
                for c in range(LANES):
                    change, change2 = go[c] - stay[c], go2[c] - stay2[c]
                    one += mean_of[c] * change + mean_of2[c] * change2
                    moved = total[c] + change + change2
                    weight = weighted[c] + factor * change + factor2 * change2
                    rest += (1 - local[c]) * moved * (gram[c] * moved - 2 * weight)
                    here = factor * change * (go[c] + stay[c])
                    rest -= local[c] * (here + factor2 * change2 * (change2 + 2 * beside[c]))
                rest = larger(rest, 0.0) + _ROUNDED * wide
                chance = smaller(np.sqrt(rest / wide), 1.0) if wide > 0 else 1.0
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
            is_met[met[i]] = False
            squares[2 * met[i]] = squares[2 * met[i] + 1] = 0.0
            for c in range(LANES):
                along[met[i], 0, c] = along[met[i], 1, c] = 0.0


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
    scratch = (
        np.zeros((count, 2, LANES)), np.zeros(2 * count), np.zeros(count, np.bool_),
        np.empty(count, np.int64), np.empty(LANES), np.empty(LANES), np.empty(LANES),
        (np.arange(LANES) >= basis.shared).astype(float),
    )  # fmt: skip
    _conclude(hits, basis, arms, removal, z, start, scratch, out)
