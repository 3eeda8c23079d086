"""Compiled loops of the regression over rewards: its basis, rewards laid out, and bounds."""

from __future__ import annotations

import numpy as np
from numba import njit

from .reward import reward

# Columns of a basis: the global ones first, then an owner's local ones, then zeros.
COLUMNS = 16
# Lines that are turned at a time, so that they stay in the cache.
_LINES = 64
# Directions in which features differ by rounding alone are left out,
_RANK = 1e-6
# and what a regression leaves is never less than this share of the squares, as float32 tells them.
_ROUNDED = 2e-7
_REORDER = {"reassoc", "nsz", "contract"}


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_REORDER)
def _dot(a, b):  # type: ignore[no-untyped-def]
    total = 0.0
    for s in range(a.shape[0]):
        total += a[s] * b[s]
    return total


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_REORDER)
def _clear(along, line):  # type: ignore[no-untyped-def]
    """Take from a line what lies along another, which is of length 1; how much that was."""
    amount = _dot(along, line)
    for s in range(line.shape[0]):
        line[s] -= amount * along[s]
    return amount


@njit(nogil=True, cache=True, error_model="numpy")
def _shrink(line, factor):  # type: ignore[no-untyped-def]
    for s in range(line.shape[0]):
        line[s] *= factor


@njit(nogil=True, cache=True, error_model="numpy")
def _orthonormal(f, bounds, shared, local, t, t_shared, ranks):  # type: ignore[no-untyped-def]
    """Make features orthonormal over references that are sorted by cell (Gram and Schmidt).

    Parameters
    ----------
    f : ndarray of float64 of shape (COLUMNS, m), changed
        Weighted features; then the columns of Q. The first `shared` are global, the next
        `local[h]` those of cell h.
    bounds : ndarray of int of shape (cells + 1,)
        Where each cell's references start.
    t : ndarray of shape (cells, COLUMNS), changed
        Means of local features, each cell's part of them; then t of docs/algorithm.md.
    t_shared : ndarray of shape (shared,), changed
        The same of the global ones.
    ranks : ndarray of shape (cells,), written
        How many columns each cell's references have to themselves: a global one is divided.
    """
    size = np.empty(shared)
    for j in range(shared):
        size[j] = _dot(f[j], f[j])
    for h in range(local.shape[0]):
        low, high = bounds[h], bounds[h + 1]
        ranks[h] = 0.0
        if local[h] == 0:
            continue
        for j in range(shared, shared + local[h]):
            mine = f[j, low:high]
            whole = left = _dot(mine, mine)
            for i in range(shared, j):
                t[h, j] -= _clear(f[i, low:high], mine) * t[h, i]
            left = _dot(mine, mine)
            if left < 0.01 * whole:  # once more, for what rounding has left
                for i in range(shared, j):
                    t[h, j] -= _clear(f[i, low:high], mine) * t[h, i]
                left = _dot(mine, mine)
            keep = left > _RANK * whole
            factor = 1 / np.sqrt(left) if keep else 0.0
            _shrink(mine, factor)
            t[h, j] *= factor
            ranks[h] += 1.0 if keep else 0.0
        for j in range(shared):
            for i in range(shared, shared + local[h]):
                t_shared[j] -= _clear(f[i, low:high], f[j, low:high]) * t[h, i]
    for j in range(shared):
        for _ in range(2):
            for i in range(j):
                t_shared[j] -= _clear(f[i], f[j]) * t_shared[i]
        left = _dot(f[j], f[j])
        factor = 1 / np.sqrt(left) if left > _RANK * size[j] else 0.0
        _shrink(f[j], factor)
        t_shared[j] *= factor
    for h in range(local.shape[0]):
        for j in range(shared):
            mine = f[j, bounds[h] : bounds[h + 1]]
            ranks[h] += _dot(mine, mine)


@njit(nogil=True, cache=True, error_model="numpy")
def _arrange(refs, cluster):  # type: ignore[no-untyped-def]
    """Sort references into segments, and weigh them.

    The order in which they are; where each segment starts, and the end; the weight of each; and of
    every cell the share of all points that a reference stands for, and the part that is not seen.
    """
    owners, others, heavy, common = refs[:4]
    g, beside, sizes, fewest, n = cluster[:5]
    k, m = sizes.shape[0], owners.shape[0]
    # Owners whose points next to the cluster are sampled apart: the rest of them must be seen too.
    seen = np.zeros(k, np.int64)
    for s in range(common):
        if others[s] != g:
            seen[owners[s]] += 1
    near = np.empty(k, np.bool_)
    left_over = 0
    for h in range(k):
        rest = sizes[h] - beside[h]
        near[h] = h != g and (rest == 0 or seen[h] >= min(rest, fewest))
        left_over += beside[h] if near[h] else 0
    segment = np.empty(m, np.int64)
    starts = np.zeros(2 * k + 1, np.int64)
    counts = np.zeros(k + 1, np.int64)
    for s in range(m):
        h = owners[s]
        is_next = others[s] == g and near[h]
        segment[s] = h + k if is_next else h
        if s >= common and not is_next and h != g:
            segment[s] = -1  # such are not sampled more than others
            continue
        starts[segment[s] + 1] += 1
        if not heavy[s]:
            counts[min(segment[s], k)] += 1
    for h in range(2 * k):
        starts[h + 1] += starts[h]
    place, order = np.empty(2 * k, np.int64), np.empty(starts[2 * k], np.int64)
    for h in range(2 * k):
        place[h] = starts[h]
    for s in range(m):
        if segment[s] >= 0:
            order[place[segment[s]]] = s
            place[segment[s]] += 1
    share, unseen = np.empty(k + 1), np.empty(k + 1)
    for h in range(k + 1):
        size = left_over if h == k else sizes[h] - (beside[h] if near[h] else 0)
        share[h] = size / max(counts[h], 1) / n
        unseen[h] = max(1 - counts[h] / max(size, 1), 0.0)
    root = np.empty(order.shape[0])
    for i in range(order.shape[0]):
        s = order[i]
        root[i] = np.sqrt(1 / n if heavy[s] else share[min(segment[s], k)])
    return order, starts, root, share, unseen, near


@njit(nogil=True, cache=True, error_model="numpy")
def _support(values):  # type: ignore[no-untyped-def]
    """How many references carry the sum: all if they are equal, one if one has it all."""
    total = square = 0.0
    for value in values:
        total += abs(value)
        square += value * value
    return total * total / square if square > 0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def regress(refs, leaders, cluster, means, rules):  # type: ignore[no-untyped-def]
    """The regression for the arms of one cluster.

    Parameters
    ----------
    refs : Refs
    leaders : Led
    cluster : tuple
        The cluster; how many points of each owner are next to it, and how many each has, but for
        the heavy ones; how many of an owner's must be seen; all points; and whether it is SWAP.
    means : tuple of ndarrays of shape (owners, 1 + known)
        Of each owner's points, and of those next to the cluster: their share of all points, and
        their part of the means of what is known.
    rules : tuple
        References for each feature, on which a leader's rewards rest; and for each number of
        degrees of freedom, how much wider an interval is.
    """
    caps, known, offset = refs[4], refs[5], refs[6]
    distances, alone, extra, mine = leaders
    g, swap = cluster[0], cluster[5]
    sums, beside_sums = means
    per_feature, support, wider = rules
    order, starts, root, share, unseen, near = _arrange(refs, cluster)
    k, slopes, m = sums.shape[0], known.shape[0], order.shape[0]
    bounds, seen = np.empty(k + 2, np.int64), np.empty(k + 1, np.int64)
    bounds[k + 1] = m
    for h in range(k + 1):
        bounds[h] = starts[h]
    for h in range(k + 1):
        seen[h] = bounds[h + 1] - bounds[h]
    # Of references that weigh differently, so many would tell as much if they were alike.
    weights, full = refs[8], np.empty(k + 1)
    for h in range(k + 1):
        full[h] = seen[h]
        if weights.shape[0] > 0:
            total = square = 0.0
            for j in range(bounds[h], bounds[h + 1]):
                total += weights[order[j]]
                square += weights[order[j]] ** 2
            full[h] = total * total / square if square > 0 else 0.0
    low, high = bounds[g], bounds[g + 1]
    room = COLUMNS - 1 - slopes
    most = min(int(full[g] / per_feature), room)
    f = np.zeros((COLUMNS, m))
    goes = np.zeros((COLUMNS, high - low))
    p = others = np.int64(0)  # a literal would be compiled twice
    t_shared, extras = np.empty(COLUMNS), np.empty(COLUMNS)
    for i in range(distances.shape[0]):
        kinds = 2 if swap and i < mine else 1
        if p + others + kinds > room or p >= most:
            break
        for j in range(m):
            s = order[j]
            f[p, j] = reward(distances[i, s], caps[s, 0], caps[s, 1]) - offset[s]
        if kinds == 2:
            for j in range(high - low):
                s = order[low + j]
                goes[others, j] = reward(distances[i, s], caps[s, 2], caps[s, 3]) - f[p, low + j]
            if _support(goes[others]) >= support:
                extras[others] = extra[i]
                others += 1
        if _support(f[p]) >= support:
            t_shared[p] = alone[i]
            p += 1
    for j in range(m):  # where the last one was no feature
        for c in range(p, COLUMNS):
            f[c, j] = 0.0
    local = np.empty(k + 1, np.int64)
    for h in range(k + 1):
        # Slopes where a cell's references afford them.
        affords = full[h] >= per_feature * (1 + slopes)
        local[h] = 1 + slopes if affords else min(seen[h], 1)
        for j in range(bounds[h], bounds[h + 1]):
            f[p, j] = 1.0
            if affords:
                for i in range(slopes):
                    f[p + 1 + i, j] = known[i, order[j]]
    if others > 0 and local[g] > slopes:
        for i in range(others):
            for j in range(high - low):
                f[p + 1 + slopes + i, low + j] = goes[i, j]
        local[g] += others
    for c in range(COLUMNS):
        for j in range(m):
            f[c, j] *= root[j]
    t = np.zeros((k + 1, COLUMNS))
    for i in range(1 + slopes):
        for h in range(k):
            part = beside_sums[h, i] if near[h] else 0.0
            if i < local[h]:
                t[h, p + i] = sums[h, i] - part
            if i < local[k]:
                t[k, p + i] += part
    for i in range(1 + slopes, local[g]):
        t[g, p + i] = extras[i - 1 - slopes]
    ranks = np.empty(k + 1)
    _orthonormal(f, bounds, p, local, t, t_shared, ranks)
    used = p
    for h in range(k + 1):
        used = max(used, p + local[h])
    scale = np.empty(k + 1)
    gram = np.zeros((p, p))
    for h in range(k + 1):
        # √w Qt is how much each reference's residual moves the estimate.
        moved = 0.0
        for j in range(bounds[h], bounds[h + 1]):
            one = 0.0
            for c in range(p):
                one += t_shared[c] * f[c, j]
            for c in range(p, p + local[h]):
                one += t[h, c] * f[c, j]
            moved += (root[j] * one) ** 2
        freedom = max(full[h] - ranks[h], 1.0)
        each = max(seen[h], 1) / max(full[h], 1.0)
        scale[h] = moved / (each * freedom) * unseen[h] / (share[h] if share[h] > 0 else 1.0)
        scale[h] *= wider[min(int(freedom), wider.shape[0] - 1)]
        for c in range(p):
            for d in range(p):
                gram[c, d] += scale[h] * _dot(
                    f[c, bounds[h] : bounds[h + 1]], f[d, bounds[h] : bounds[h + 1]]
                )
    # By part, and in each part by segment as before.
    ends, parts = refs[7], refs[7].shape[0]
    limits = np.zeros((parts, starts.shape[0]), np.int64)
    part, segment = np.zeros(m, np.int64), 0
    for j in range(m):
        while j >= starts[segment + 1]:
            segment += 1
        while order[j] >= ends[part[j]]:
            part[j] += 1
        limits[part[j], segment + 1] += 1
    place, at = np.empty(parts, np.int64), 0
    for i in range(parts):
        place[i] = at
        for h in range(starts.shape[0] - 1):
            limits[i, h + 1] += limits[i, h]
        at += limits[i, -1]
    q = np.empty((m, used), np.float32)
    laid = np.empty((m, 5), np.float32)
    which = np.empty(m, np.int64)
    for j in range(m):
        s, to = order[j], place[part[j]]
        place[part[j]] += 1
        which[to] = s
        for c in range(used):
            q[to, c] = f[c, j]
        for c in range(4):
            laid[to, c] = caps[s, c]
        laid[to, 1] += offset[s]
        laid[to, 4] = root[j]
    shares = (share[g], share[g] * unseen[g], share[k] * unseen[k], seen[g])
    return which, limits, laid, q, t, t_shared, p, scale, gram, shares


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_REORDER)
def _add_lines(r, q, start, out):  # type: ignore[no-untyped-def]
    """Add four lines of rewards along the columns of q, whose lines begin at `start`."""
    a, b, c, d = r[0], r[1], r[2], r[3]
    for j in range(q.shape[1]):
        u, v, w, z = q[start, j], q[start + 1, j], q[start + 2, j], q[start + 3, j]
        line = out[j]
        for x in range(line.shape[0]):
            line[x] += (u * a[x] + v * b[x]) + (w * c[x] + z * d[x])


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_REORDER)
def _add_squares(r, squares, around):  # type: ignore[no-untyped-def]
    a, b, c, d = r[0], r[1], r[2], r[3]
    for x in range(squares.shape[0]):
        squares[x] += (a[x] * a[x] + b[x] * b[x]) + (c[x] * c[x] + d[x] * d[x])
        around[x] += (a[x] + b[x]) + (c[x] + d[x])


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_REORDER)
def project(panel, caps, q, itself, home, sums):  # type: ignore[no-untyped-def]
    """Add up the weighted rewards of one cluster's arms along the columns of a basis.

    What an arm gains at itself is known, and is left out.

    Parameters
    ----------
    panel : Panel
    caps : ndarray of float32 of shape (lines, 5)
        cap, base, cap2, base2; and the weight by which every reward is multiplied.
    q : ndarray of float32 of shape (lines, columns)
    itself : ndarray of int
        For each arm, where it is among the lines (-1 if it is not).
    home : int
        The cluster.
    sums : Along
    """
    block, slots, lines, bounds = panel
    along, squares, around = sums
    width, columns, size = itself.shape[0], q.shape[1], lines.shape[0]
    swap = along.shape[1] > 1
    whose = np.full(size, -1)
    for x in range(width):
        if itself[x] >= 0:
            whose[itself[x]] = x
    # A length that is no power of two keeps lines from sharing places in the cache.
    turned = np.empty((min(_LINES, size), width + 16), np.float32)
    stays, goes = np.zeros((4, width), np.float32), np.zeros((4, width), np.float32)
    aside = np.zeros(width, np.float32)
    tail = np.zeros((4, columns), np.float32)
    for start in range(0, size, _LINES):
        stop = min(start + _LINES, size)
        for x in range(width):
            row = block[slots[x]]
            for s in range(start, stop):
                turned[s - start, x] = row[lines[s]]
        for h in range(bounds.shape[0] - 1):
            high = min(bounds[h + 1], stop)
            for first in range(max(bounds[h], start), high, 4):
                count = min(4, high - first)
                for i in range(count):
                    s = first + i
                    row, stay, go = turned[s - start], stays[i], goes[i]
                    cap, base, cap2, base2, weight = caps[s]
                    if swap:
                        for x in range(width):
                            stay[x] = reward(row[x], cap, base) * weight
                            go[x] = reward(row[x], cap2, base2) * weight
                    else:
                        for x in range(width):
                            stay[x] = reward(row[x], cap, base) * weight
                    if whose[s] >= 0:
                        stay[whose[s]] = 0
                        go[whose[s]] = 0
                some, at = q, first
                if count < 4:
                    for i in range(4):
                        for c in range(columns):
                            tail[i, c] = q[first + i, c] if i < count else 0
                        if i >= count:
                            for x in range(width):
                                stays[i, x] = goes[i, x] = 0
                    some, at = tail, 0
                _add_lines(stays, some, at, along[h, 0])
                _add_squares(stays, squares[h, 0], around[0] if h == home else aside)
                if swap:
                    _add_lines(goes, some, at, along[h, 1])
                    _add_squares(goes, squares[h, 1], around[1] if h == home else aside)


@njit(nogil=True, cache=True, error_model="numpy")
def _any(line):  # type: ignore[no-untyped-def]
    found = False
    for x in range(line.shape[0]):
        found |= line[x] != 0
    return found


@njit(nogil=True, cache=True, error_model="numpy", fastmath=_REORDER)
def conclude(sums, basis, arms, removal, z, start, out):  # type: ignore[no-untyped-def]
    """Estimates and lower bounds of one cluster's arms, from their rewards along a basis.

    Parameters
    ----------
    sums : Along
        Changed: where an arm is itself among the references, it is filled in.
    basis : Basis
    arms : Inside
    removal : ndarray of float64
    start : int
        Where these arms are in what is written.
    out : tuple of ndarrays
        The lowest estimate of each arm's swaps; lower bounds of all of them and of the addition,
        or of the lowest, a line for each.
    """
    along, squares, around = sums
    q, t, t_shared, scale, gram = basis
    me, home, own, guard, share, seen, n = arms
    mean, lower = out[0][start : start + me.shape[0]], out[1][:, start : start + me.shape[0]]
    k, shared, columns = t.shape[0] - 1, t_shared.shape[0], q.shape[1]
    width, lines, kinds = me.shape[0], lower.shape[0], along.shape[1]
    swap = kinds > 1
    root = np.sqrt(share) * n
    gain = np.empty((2, width))
    for x in range(width):
        # Among the references, the mean of its owner's others stands for the arm itself.
        inside = me[x] >= 0
        count = max(seen - (1 if inside else 0), 1)
        for i in range(kinds):
            near = around[i, x] / count
            gain[i, x] = own[x, i] - near / root
            if inside:
                squares[home, i, x] += near * near
                for c in range(columns):
                    along[home, i, c, x] += near * q[me[x], c]
    total, weighted = np.zeros((shared, width)), np.zeros((shared, width))
    beside = np.zeros((columns, width))
    value, whole, left = np.zeros(width), np.zeros(width), np.zeros(width)
    for s in range(2 * k):
        if not _any(squares[s, 0]):
            continue
        cell = min(s, k)
        factor = scale[cell]
        square = squares[s, 0]
        for x in range(width):
            whole[x] += factor * square[x]
        for c in range(shared):
            one, all_, some = along[s, 0, c], total[c], weighted[c]
            for x in range(width):
                all_[x] += one[x]
                some[x] += factor * one[x]
        for c in range(shared, columns):
            one, mean_of, all_ = along[s, 0, c], t[cell, c], beside[c]
            for x in range(width):
                value[x] += mean_of * one[x]
            if s < k:
                for x in range(width):
                    left[x] -= factor * one[x] * one[x]
            else:
                for x in range(width):
                    all_[x] += one[x]
    for c in range(shared, columns):
        for x in range(width):
            left[x] -= scale[k] * beside[c, x] * beside[c, x]
    for x in range(width):
        left[x] += whole[x]  # of the squares, without what all swaps share
    alone = np.empty(width)
    rest = np.empty(width)
    for x in range(width):
        rest[x] = left[x]
    for c in range(shared):
        for x in range(width):
            value[x] += t_shared[c] * total[c, x]
            rest[x] += total[c, x] * (gram[c] * total[c, x] - 2 * weighted[c, x])
    for x in range(width):
        value[x] += gain[0, x]
        rest[x] = max(rest[x], 0.0) + _ROUNDED * whole[x]
        chance = min(np.sqrt(rest[x] / whole[x]), 1.0) if whole[x] > 0 else 1.0
        alone[x] = value[x] - z * np.sqrt(rest[x]) - guard[x, 0] * chance - guard[x, 1]
    for x in range(width):
        mean[x] = np.inf if swap else value[x]
        lower[lines - 1, x] = np.inf if swap and lines == 1 else alone[x]
    if not swap:
        return
    one, wide = np.empty(width), np.empty(width)
    for j in range(k):
        low = lower[j if lines > 1 else 0]
        if _any(squares[j, 1]) or _any(squares[k + j, 1]):
            factor, factor2 = scale[j], scale[k]
            for x in range(width):
                more = factor * (squares[j, 1, x] - squares[j, 0, x])
                more += factor2 * (squares[k + j, 1, x] - squares[k + j, 0, x])
                wide[x], rest[x], one[x] = whole[x] + more, left[x] + more, value[x]
            for c in range(shared, columns):
                stay, go = along[j, 0, c], along[j, 1, c]
                stay2, go2, all_ = along[k + j, 0, c], along[k + j, 1, c], beside[c]
                for x in range(width):
                    change, change2 = go[x] - stay[x], go2[x] - stay2[x]
                    one[x] += t[j, c] * change + t[k, c] * change2
                    rest[x] -= factor * change * (go[x] + stay[x])
                    rest[x] -= factor2 * change2 * (change2 + 2 * all_[x])
            for c in range(shared):
                stay, go = along[j, 0, c], along[j, 1, c]
                stay2, go2, all_, some = (
                    along[k + j, 0, c],
                    along[k + j, 1, c],
                    total[c],
                    weighted[c],
                )
                for x in range(width):
                    change, change2 = go[x] - stay[x], go2[x] - stay2[x]
                    one[x] += t_shared[c] * (change + change2)
                    moved = all_[x] + change + change2
                    weight = some[x] + factor * change + factor2 * change2
                    rest[x] += moved * (gram[c] * moved - 2 * weight)
            for x in range(width):
                rest[x] = max(rest[x], 0.0) + _ROUNDED * wide[x]
                chance = min(np.sqrt(rest[x] / wide[x]), 1.0) if wide[x] > 0 else 1.0
                one[x] += removal[j]
                bound = one[x] - z * np.sqrt(rest[x]) - guard[x, 0] * chance - guard[x, 1]
                if j == home:
                    one[x] += gain[1, x] - gain[0, x]
                    bound += gain[1, x] - gain[0, x] - guard[x, 2]
                mean[x] = min(mean[x], one[x])
                low[x] = bound if lines > 1 else min(low[x], bound)
        else:
            for x in range(width):
                more = gain[1, x] - gain[0, x] if j == home else 0.0
                mean[x] = min(mean[x], value[x] + removal[j] + more)
                bound = alone[x] + removal[j] + more - (guard[x, 2] if j == home else 0.0)
                low[x] = bound if lines > 1 else min(low[x], bound)
