"""Compiled loops over distances to some references: estimates of rewards, and their bounds."""

from __future__ import annotations

import numpy as np
from numba import njit

# Arms that one pass of `screen` keeps sums for; they stay in the first-level cache.
_TILE = 512
# Lines that are added up in float32 before they go into sums of float64.
_LINES = 64
_REORDER = {"reassoc", "nsz", "contract"}


@njit(nogil=True, cache=True, fastmath=_REORDER)
def screen(  # type: ignore[no-untyped-def]
    columns,  # float32 (references, arms)
    lines,  # rows of `columns`, by stratum, each one's padded to a multiple of 4
    bounds,  # where each stratum's lines start, and the end; two strata for each owner
    ids,  # the point that each line is; -1 for padding
    caps,  # float32 (lines, 4): cap, base, cap2, base2
    share,  # share of all points that a line of each stratum stands for
    spread,  # factor from a stratum's sum of squares to its part of the variance
    counts,  # lines of each stratum, without padding
    removal,  # loss of taking each medoid away, per point
    own,  # float32 (arms, 2): what an arm gains at itself, its owner staying or going
    owner,
    part,  # the stratum of each arm
    home,  # float32 (arms,): factor on the share of the arm's own stratum, which lacks the arm
    swap,
    z,
    start,
    stop,
    mean,  # out, per arm: the lowest estimate of its swaps
    lower,  # out (k + 1, arms): their lower bounds, and without removing; or (1, arms)
    sizes,  # out (arms, 4): sum of rewards, of their squares, variance of the mean; and the
    # sum of rewards in the arm's own cluster if its owner goes
):
    """Estimate every arm from the same references, stratified by owner."""
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
                    a = columns[lines[s], first : first + width]
                    b = columns[lines[s + 1], first : first + width]
                    c = columns[lines[s + 2], first : first + width]
                    d = columns[lines[s + 3], first : first + width]
                    cap_a, base_a = caps[s, 0], caps[s, 1]
                    cap_b, base_b = caps[s + 1, 0], caps[s + 1, 1]
                    cap_c, base_c = caps[s + 2, 0], caps[s + 2, 1]
                    cap_d, base_d = caps[s + 3, 0], caps[s + 3, 1]
                    for x in range(width):
                        ta = min(a[x], cap_a) - base_a
                        tb = min(b[x], cap_b) - base_b
                        tc = min(c[x], cap_c) - base_c
                        td = min(d[x], cap_d) - base_d
                        t1[x] += (ta + tb) + (tc + td)
                        t2[x] += (ta * ta + tb * tb) + (tc * tc + td * td)
                    if swap:
                        cap_a, base_a = caps[s, 2], caps[s, 3]
                        cap_b, base_b = caps[s + 1, 2], caps[s + 1, 3]
                        cap_c, base_c = caps[s + 2, 2], caps[s + 2, 3]
                        cap_d, base_d = caps[s + 3, 2], caps[s + 3, 3]
                        for x in range(width):
                            ta = min(a[x], cap_a) - base_a
                            tb = min(b[x], cap_b) - base_b
                            tc = min(c[x], cap_c) - base_c
                            td = min(d[x], cap_d) - base_d
                            u1[x] += (ta + tb) + (tc + td)
                            u2[x] += (ta * ta + tb * tb) + (tc * tc + td * td)
                    # What an arm gains at itself is known and is added later, exactly.
                    for e in range(s, s + 4):
                        x = ids[e] - first
                        if 0 <= x < width:
                            value = columns[lines[e], first + x]
                            gain = min(value, caps[e, 0]) - caps[e, 1]
                            t1[x] -= gain
                            t2[x] -= gain * gain
                            gain = min(value, caps[e, 2]) - caps[e, 3]
                            u1[x] -= gain
                            u2[x] -= gain * gain
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
def carry(  # type: ignore[no-untyped-def]
    columns,  # float32 (references, arms)
    lines,  # the references at which something changed
    ids,  # as points
    old,  # float32 (lines, 2): distances to the nearest and the second medoid before
    new,  # and now
    old_owners,  # of the lines
    new_owners,
    old_own,  # float32 (arms, 2): what an arm gains at itself, its owner staying or going
    new_own,
    old_home,  # the owner of each arm
    new_home,
    removal,  # change of what taking each medoid away costs; all of it for a new medoid
    replaced,  # which medoids are new
    share,  # share of all points that a line stands for
    spread,  # factor from a sum of squares to a variance
    z,
    start,
    stop,
    lower,  # float32 (k + 1, arms), changed: lower bounds of the swaps, and of additions
    sizes,  # out (arms, 2): sum of the changes' sizes, and of their squares
):
    """Bring lower bounds up to date with what changed at some references.

    A swap with a new medoid is bounded by the addition, and by what the medoid's points say,
    which are all among the references that changed.
    """
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
                before, after = min(row[x] - near, zero), min(row[x] - near2, zero)
                change = after - before
                total[x] += change
                squares[x] += change * change
                goes = min(row[x] - second, zero) - before
                comes = min(row[x] - second2, zero) - after
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


@njit(nogil=True, cache=True)
def add_by_part(block, slots, itself, caps, parts, swap, sums):  # type: ignore[no-untyped-def]
    """Add up rewards and their squares by stratum: the owner staying (0, 1) and going (2, 3).

    `itself` is where each arm is among the references, -1 if it is not: that one is left
    out. The caps are as in `lay_out`.
    """
    reach = caps[2] if swap else caps[0]
    near = np.empty(block.shape[1] + 1, dtype=np.int32)
    for i in range(slots.shape[0]):
        row, count = block[slots[i]], 0
        for j in range(reach.shape[0]):
            near[count] = j
            count += row[j] < reach[j]
        for c in range(count):
            j = near[c]
            if j == itself[i]:
                continue
            g, reward = parts[j], min(row[j], caps[0, j]) - caps[1, j]
            sums[0, i, g] += reward
            sums[1, i, g] += reward * reward
            if swap:
                reward = min(row[j], caps[2, j]) - caps[3, j]
                sums[2, i, g] += reward
                sums[3, i, g] += reward * reward


@njit(nogil=True, cache=True, fastmath=_REORDER)
def add_gains(columns, lines, old, new, sums, first):  # type: ignore[no-untyped-def]
    """Add to the arms' sums what they gain where references pay `new`, not `old`."""
    width = sums.shape[0]
    change = np.zeros(width, dtype=np.float32)
    for s in range(lines.shape[0]):
        row = columns[lines[s], first : first + width]
        before, after = old[s], new[s]
        for x in range(width):
            change[x] += min(row[x] - after, np.float32(0)) - min(row[x] - before, np.float32(0))
    for x in range(width):
        sums[x] += change[x]


@njit(nogil=True, cache=True, fastmath=_REORDER)
def lay_out(  # type: ignore[no-untyped-def]
    block,  # float32 (arms, references): distances
    slots,  # rows of the block, one for each arm
    lines,  # columns of the block, by owner
    bounds,  # where each owner's lines start, and the end
    itself,  # for each arm, where it is among the lines; -1 if it is not
    homes,  # for each arm, its owner
    caps,  # float32 (4, lines)
    weights,  # float32: every reward is multiplied by its reference's
    swap,
    shared,  # out (arms, lines): rewards
    extra,  # out (arms, lines): what is added where the reference's owner goes
    squares,  # added to (arms,)
    widened,  # added to (arms, owners)
    around,  # added to (arms, 3): sums over the arm's own owner, staying and going; count
    filled,  # added to (arms, 2): what stands for the arm itself, staying and going
):
    """Lay out the weighted rewards of some arms, and add up their squares.

    What an arm gains at itself is known, and is added elsewhere. Among the references
    the mean of its owner's others stands in its place.
    """
    size = lines.shape[0]
    cap, base, cap2, base2 = caps[0], caps[1], caps[2], caps[3]
    values = np.empty(size, dtype=np.float32)
    for x in range(slots.shape[0]):
        row, stay, more, me = block[slots[x]], shared[x], extra[x], itself[x]
        for s in range(size):
            values[s] = row[lines[s]]
        for s in range(size):
            stay[s] = (min(values[s], cap[s]) - base[s]) * weights[s]
        if swap:
            for s in range(size):
                more[s] = (min(values[s], cap2[s]) - base2[s]) * weights[s]
        low, high = bounds[homes[x]], bounds[homes[x] + 1]
        count = high - low - (1 if me >= 0 else 0)
        if me >= 0:
            stay[me] = 0
            more[me] = 0
        near = near2 = np.float32(0)
        for s in range(low, high):
            near += stay[s]
            near2 += more[s] if swap else np.float32(0)
        around[x, 0] += near
        around[x, 1] += near2
        around[x, 2] += count
        if me >= 0 and count > 0:
            stay[me] = near / count
            more[me] = near2 / count
            filled[x, 0] += stay[me]
            filled[x, 1] += more[me]
        total = np.float32(0)
        for s in range(size):
            total += stay[s] * stay[s]
        squares[x] += total
        if swap:
            for s in range(size):
                values[s] = more[s] * more[s] - stay[s] * stay[s]
                more[s] -= stay[s]
            for g in range(bounds.shape[0] - 1):
                # A slice, whose indices are plainly not negative, vectorises.
                mine = values[bounds[g] : bounds[g + 1]]
                total = np.float32(0)
                for s in range(mine.shape[0]):
                    total += mine[s]
                widened[x, g] += total


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
