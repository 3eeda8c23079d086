"""Compiled loops over distances to some references: estimates of rewards, and their bounds."""

from __future__ import annotations

import numpy as np
from numba import njit

from .reward import gain, reward

# Arms that one pass of `screen` keeps sums for; they stay in the first-level cache.
_TILE = 512
# Lines that are added up in float32 before they go into sums of float64.
_LINES = 64
_REORDER = {"reassoc", "nsz", "contract"}


@njit(nogil=True, cache=True, fastmath=_REORDER)
def screen(columns, lines, weights, homes, removal, swap, z, span, out):  # type: ignore[no-untyped-def]
    """Estimate the arms of a span (start, stop) from the same references, stratified by owner.

    Parameters
    ----------
    columns : ndarray of float32 of shape (references, arms)
    lines : Lines
    weights : Weights
    homes : Homes
    removal : ndarray of float32
        What taking each medoid away costs, per point.
    out : Estimates
    """
    at, ids, bounds, caps = lines
    share, spread, counts = weights
    own, owner, part, home = homes
    start, stop = span
    mean, lower, sizes = out
    k = (bounds.shape[0] - 1) // 2
    for first in range(start, stop, _TILE):
        width = min(_TILE, stop - first)
        t1 = np.empty(width, dtype=np.float32)
        t2 = np.empty(width, dtype=np.float32)
        u1 = np.empty(width, dtype=np.float32)
        u2 = np.empty(width, dtype=np.float32)
        sums = np.empty((4, width))
        total = np.zeros(width, dtype=np.float32)
        squares = np.zeros(width, dtype=np.float32)
        estimate = np.zeros(width)
        variance = np.zeros(width, dtype=np.float32)
        moved = np.zeros((k if swap else 0, width), dtype=np.float32)
        widened = np.zeros((k if swap else 0, width), dtype=np.float32)
        home_total = np.zeros(width, dtype=np.float32)
        for h in range(2 * k):
            if bounds[h] == bounds[h + 1]:
                continue
            g = h if h < k else h - k
            sums[:] = 0
            # Float32 adds up few lines at a time: over thousands its errors would show.
            for low in range(bounds[h], bounds[h + 1], _LINES):
                t1[:] = 0
                t2[:] = 0
                u1[:] = 0
                u2[:] = 0
                for s in range(low, min(low + _LINES, bounds[h + 1]), 4):
                    a = columns[at[s], first : first + width]
                    b = columns[at[s + 1], first : first + width]
                    c = columns[at[s + 2], first : first + width]
                    d = columns[at[s + 3], first : first + width]
                    cap_a, base_a = caps[s, 0], caps[s, 1]
                    cap_b, base_b = caps[s + 1, 0], caps[s + 1, 1]
                    cap_c, base_c = caps[s + 2, 0], caps[s + 2, 1]
                    cap_d, base_d = caps[s + 3, 0], caps[s + 3, 1]
                    for x in range(width):
                        ta = reward(a[x], cap_a, base_a)
                        tb = reward(b[x], cap_b, base_b)
                        tc = reward(c[x], cap_c, base_c)
                        td = reward(d[x], cap_d, base_d)
                        t1[x] += (ta + tb) + (tc + td)
                        t2[x] += (ta * ta + tb * tb) + (tc * tc + td * td)
                    if swap:
                        cap_a, base_a = caps[s, 2], caps[s, 3]
                        cap_b, base_b = caps[s + 1, 2], caps[s + 1, 3]
                        cap_c, base_c = caps[s + 2, 2], caps[s + 2, 3]
                        cap_d, base_d = caps[s + 3, 2], caps[s + 3, 3]
                        for x in range(width):
                            ta = reward(a[x], cap_a, base_a)
                            tb = reward(b[x], cap_b, base_b)
                            tc = reward(c[x], cap_c, base_c)
                            td = reward(d[x], cap_d, base_d)
                            u1[x] += (ta + tb) + (tc + td)
                            u2[x] += (ta * ta + tb * tb) + (tc * tc + td * td)
                    # What an arm gains at itself is known and is added later, exactly.
                    for e in range(s, s + 4):
                        x = ids[e] - first
                        if 0 <= x < width:
                            value = columns[at[e], first + x]
                            mine = reward(value, caps[e, 0], caps[e, 1])
                            t1[x] -= mine
                            t2[x] -= mine * mine
                            mine = reward(value, caps[e, 2], caps[e, 3])
                            u1[x] -= mine
                            u2[x] -= mine * mine
                for x in range(width):
                    sums[0, x] += t1[x]
                    sums[1, x] += t2[x]
                if swap:
                    for x in range(width):
                        sums[2, x] += u1[x]
                        sums[3, x] += u2[x]
            weight, factor = share[h], spread[h]
            count = max(counts[h], np.float32(1))
            for x in range(width):
                scale = weight * (home[first + x] if part[first + x] == h else np.float32(1))
                stays = sums[0, x]
                total[x] += stays
                squares[x] += sums[1, x]
                estimate[x] += scale * stays
                inside = factor * max(sums[1, x] - stays * stays / count, 0.0)
                variance[x] += inside
                if swap:
                    goes = sums[2, x]
                    home_total[x] += goes if owner[first + x] == g else 0.0
                    moved[g, x] += scale * (goes - stays)
                    other = factor * max(sums[3, x] - goes * goes / count, 0.0)
                    widened[g, x] += other - inside
        for x in range(width):
            arm = first + x
            sizes[arm, 0] = total[x]
            sizes[arm, 1] = squares[x]
            sizes[arm, 3] = home_total[x]
            if not swap:
                mean[arm] = estimate[x] + own[arm, 0]
                lower[0, arm] = mean[arm] - z * np.sqrt(variance[x])
                sizes[arm, 2] = variance[x]
        if swap:
            for x in range(width):
                mean[first + x] = np.inf
            lower[:, first : first + width] = np.inf
            if lower.shape[0] > 1:
                for x in range(width):
                    alone = estimate[x] + own[first + x, 0]
                    lower[k, first + x] = alone - z * np.sqrt(variance[x])
            for g in range(k):
                low = lower[g if lower.shape[0] > 1 else 0, first : first + width]
                for x in range(width):
                    arm = first + x
                    value = estimate[x] + moved[g, x] + removal[g]
                    value += own[arm, 1] if owner[arm] == g else own[arm, 0]
                    wide = max(variance[x] + widened[g, x], np.float32(0))
                    better = value < mean[arm]
                    sizes[arm, 2] = wide if better else sizes[arm, 2]
                    mean[arm] = value if better else mean[arm]
                    low[x] = min(low[x], value - z * np.sqrt(wide))


@njit(nogil=True, cache=True, fastmath=_REORDER)
def carry(columns, changed, moved_arms, removed, weights, span, lower, sizes):  # type: ignore[no-untyped-def]
    """Bring lower bounds up to date with what changed at some references.

    A swap with a new medoid is bounded by the addition, and by what the medoid's points say,
    which are all among the references that changed.

    Parameters
    ----------
    columns : ndarray of float32 of shape (references, arms)
    changed : Changed
    moved_arms : Moved
    removed : Removed
    weights : tuple of float32
        The share of all points that a line stands for, the factor from a sum of squares to a
        variance, and z.
    span : tuple of int
        The first arm, and the one after the last.
    lower : ndarray of float32 of shape (k + 1, arms), changed
    sizes : ndarray of float32 of shape (arms, 2), added to
        Sums of the changes' sizes, and of their squares.
    """
    lines, ids, old, new, old_owners, new_owners = changed
    old_own, new_own, old_home, new_home = moved_arms
    removal, replaced = removed
    share, spread, z = weights
    start, stop = span
    zero = np.float32(0)
    k = lower.shape[0] - 1
    for first in range(start, stop, _TILE):
        width = min(_TILE, stop - first)
        total = np.zeros(width, dtype=np.float32)
        squares = np.zeros(width, dtype=np.float32)
        moved = np.zeros((k, width), dtype=np.float32)
        widened = np.zeros((k, width), dtype=np.float32)
        for s in range(lines.shape[0]):
            row = columns[lines[s], first : first + width]
            near, second, near2, second2 = old[s, 0], old[s, 1], new[s, 0], new[s, 1]
            left, wide_left = moved[old_owners[s]], widened[old_owners[s]]
            right, wide_right = moved[new_owners[s]], widened[new_owners[s]]
            me = ids[s] - first
            same = old_owners[s] == new_owners[s] and not replaced[new_owners[s]]
            # Nothing is kept of the medoid that went; a new one starts from nothing.
            keep = zero if replaced[old_owners[s]] else np.float32(1)
            both = zero if replaced[new_owners[s]] else np.float32(2)
            mine = row[me] if 0 <= me < width else zero
            if 0 <= me < width:  # what an arm gains at itself is known
                row[me] = np.inf
            for x in range(width):
                before, after = gain(row[x], near), gain(row[x], near2)
                change = after - before
                total[x] += change
                squares[x] += change * change
                goes = gain(row[x], second) - before
                comes = gain(row[x], second2) - after
                if same:
                    more = comes - goes
                    left[x] += more
                    wide_left[x] += more * (more + change + change)
                else:
                    left[x] -= keep * goes
                    wide_left[x] += keep * goes * (goes - change - change)
                    right[x] += comes
                    wide_right[x] += comes * (comes + both * change)
            if 0 <= me < width:
                row[me] = mine
        for x in range(width):
            sizes[first + x, 0] += abs(total[x])
            sizes[first + x, 1] += squares[x]
        alone = lower[k, first : first + width]
        for x in range(width):
            own = new_own[first + x, 0] - old_own[first + x, 0]
            alone[x] += share * total[x] + own - z * np.sqrt(spread * squares[x])
        for m in range(k):
            mine = lower[m, first : first + width]
            for x in range(width):
                arm = first + x
                own = new_own[arm, 1 if new_home[arm] == m else 0]
                if replaced[m]:
                    change = share * moved[m, x] + own - new_own[arm, 0] + removal[m]
                    wide = spread * max(widened[m, x], zero)
                    mine[x] = alone[x] + change - z * np.sqrt(wide)
                else:
                    own -= old_own[arm, 1 if old_home[arm] == m else 0]
                    wide = spread * max(squares[x] + widened[m, x], zero)
                    change = share * (total[x] + moved[m, x]) + own + removal[m]
                    mine[x] += change - z * np.sqrt(wide)


@njit(nogil=True, cache=True, fastmath=_REORDER)
def add_gains(columns, lines, old, new, sums, first):  # type: ignore[no-untyped-def]
    """Add to the arms' sums what they gain where references pay `new`, not `old`."""
    width = sums.shape[0]
    change = np.zeros(width, dtype=np.float32)
    for s in range(lines.shape[0]):
        row = columns[lines[s], first : first + width]
        before, after = old[s], new[s]
        for x in range(width):
            change[x] += gain(row[x], after) - gain(row[x], before)
    for x in range(width):
        sums[x] += change[x]


@njit(nogil=True, cache=True)
def turn(columns, arms, out):  # type: ignore[no-untyped-def]
    """Copy some arms' columns to rows, sixteen references at a time."""
    width = arms.shape[0]
    lines = np.empty((16, width), dtype=np.float32)
    for first in range(0, columns.shape[0], 16):
        count = min(16, columns.shape[0] - first)
        for s in range(count):
            for x in range(width):
                lines[s, x] = columns[first + s, arms[x]]
        for x in range(width):
            for s in range(count):
                out[x, first + s] = lines[s, x]
