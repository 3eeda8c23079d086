"""Rewards of arms along a basis, an arm at a time, and the bounds that they give."""

from __future__ import annotations

import numpy as np
from numba import njit

from .reward import reward
from .vectors import LANES, add_scaled

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
    for x in range(slots.shape[0]):
        row, first = block[slots[x]], counts[x]
        places, values = at[x, first:], distances[x, first:]
        count = np.uint64(0)
        for j in range(limit.shape[0]):
            places[count], values[count] = j, row[j]
            count += np.uint64(0 if row[j] >= limit[j] else 1)
        kept = 0
        for i in range(count):
            s = line[places[i]]
            places[kept], values[kept] = s, values[i]
            kept += 1 if s >= 0 and s != me[x] else 0
        counts[x] = first + kept


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_REORDER)
def conclude(hits, basis, arms, removal, z, start, out):  # type: ignore[no-untyped-def]
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
    at, distances, counts = hits
    q, laid, segments, t, scale, gram, shared = basis
    me, home, own, guard, share, seen, n, swap = arms
    width, k = me.shape[0], t.shape[0] - 1
    mean, lower = out[0][start : start + width], out[1][:, start : start + width]
    lines, kinds = lower.shape[0], 2 if swap else 1
    root = np.sqrt(share) * n
    # c = Q'r over each segment's references, the owner staying and going; and |r|² likewise.
    along, squares = np.zeros((2 * k, 2, LANES)), np.zeros((2 * k, 2))
    sums, columns = along.reshape(-1), q.reshape(-1)
    is_met, met = np.zeros(2 * k, np.bool_), np.empty(2 * k, np.int64)
    total, weighted, beside = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    local = np.ones(LANES)
    local[:shared] = 0.0
    gain, around = np.zeros(2), np.zeros(2)
    for x in range(width):
        count = 0
        around[:] = 0.0
        for i in range(counts[x]):
            s, d = at[x, i], distances[x, i]
            h = segments[s]
            if not is_met[h]:
                is_met[h] = True
                met[count] = h
                count += 1
            stays = np.float64(reward(d, laid[s, 0], laid[s, 1]) * laid[s, 4])
            add_scaled(sums, 2 * LANES * h, columns, LANES * s, stays)
            squares[h, 0] += stays * stays
            goes = 0.0
            if swap:
                goes = np.float64(reward(d, laid[s, 2], laid[s, 3]) * laid[s, 4])
                add_scaled(sums, 2 * LANES * h + LANES, columns, LANES * s, goes)
                squares[h, 1] += goes * goes
            if h == home:
                around[0] += stays
                around[1] += goes
        # Among the references, the mean of its owner's others stands for the arm itself.
        inside = me[x] >= 0
        others = max(seen - (1 if inside else 0), 1)
        for i in range(kinds):
            near = around[i] / others
            gain[i] = own[x, i] - near / root
            if inside and near != 0:  # then that segment was met
                squares[home, i] += near * near
                add_scaled(sums, (2 * home + i) * LANES, columns, LANES * me[x], near)
        total[:] = 0.0
        weighted[:] = 0.0
        beside[:] = 0.0
        value = whole = left = 0.0
        for i in range(count):
            s = met[i]
            cell = min(s, k)
            stay, mean_of, squared = along[s, 0], t[cell], 0.0
            add_scaled(total, 0, sums, 2 * LANES * s, 1.0)
            add_scaled(weighted, 0, sums, 2 * LANES * s, scale[cell])
            for c in range(LANES):
                value += mean_of[c] * stay[c]
                squared += local[c] * stay[c] * stay[c]
            whole += scale[cell] * squares[s, 0]
            if s < k:
                left -= scale[cell] * squared
            else:
                add_scaled(beside, 0, sums, 2 * LANES * s, 1.0)
        squared = rest = 0.0
        for c in range(LANES):
            squared += local[c] * beside[c] * beside[c]
            rest += (1 - local[c]) * total[c] * (gram[c] * total[c] - 2 * weighted[c])
        left += whole - scale[k] * squared  # of the squares, without what all swaps share
        value += gain[0]
        rest = max(left + rest, 0.0) + _ROUNDED * whole
        chance = min(np.sqrt(rest / whole), 1.0) if whole > 0 else 1.0
        alone = value - z * np.sqrt(rest) - guard[x, 0] * chance - guard[x, 1]
        lower[lines - 1, x] = alone
        if not swap:
            mean[x] = value
        best = least = np.inf
        for j in range(k if swap else 0):
            one, bound = value, alone
            if is_met[j] or is_met[k + j]:
                factor, factor2, mean_of, mean_of2 = scale[j], scale[k], t[j], t[k]
                stay, go, stay2, go2 = along[j, 0], along[j, 1], along[k + j, 0], along[k + j, 1]
                more = factor * (squares[j, 1] - squares[j, 0])
                more += factor2 * (squares[k + j, 1] - squares[k + j, 0])
                wide, rest = whole + more, left + more
                for c in range(LANES):
                    change, change2 = go[c] - stay[c], go2[c] - stay2[c]
                    one += mean_of[c] * change + mean_of2[c] * change2
                    moved = total[c] + change + change2
                    weight = weighted[c] + factor * change + factor2 * change2
                    rest += (1 - local[c]) * moved * (gram[c] * moved - 2 * weight)
                    here = factor * change * (go[c] + stay[c])
                    rest -= local[c] * (here + factor2 * change2 * (change2 + 2 * beside[c]))
                rest = max(rest, 0.0) + _ROUNDED * wide
                chance = min(np.sqrt(rest / wide), 1.0) if wide > 0 else 1.0
                bound = one - z * np.sqrt(rest) - guard[x, 0] * chance - guard[x, 1]
            one += removal[j]
            bound += removal[j]
            if j == home:
                one += gain[1] - gain[0]
                bound += gain[1] - gain[0] - guard[x, 2]
            best, least = min(best, one), min(least, bound)
            if lines > 1:
                lower[j, x] = bound
        if swap:
            mean[x] = best
            if lines == 1:
                lower[0, x] = least
        for i in range(count):
            is_met[met[i]] = False
            squares[met[i]] = 0.0
            along[met[i]] = 0.0
