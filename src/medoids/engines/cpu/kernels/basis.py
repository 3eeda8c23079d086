"""The set-up of a regression: references in cells, features, and their orthonormal basis.

Features are made orthonormal by the products that they have with each other in each cell (Gram and
Schmidt on these, in float64). So what is as long as the references is passed over few times, and
most of it are zeros: a leader rewards few of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .reward import reward
from .vectors import LANES as COLUMNS
from .vectors import add_scaled

# Directions in which features differ by rounding alone are left out.
_RANK = 1e-6


@njit(nogil=True, cache=True, error_model="numpy")
def _arrange(refs, cluster):  # type: ignore[no-untyped-def]
    """Sort references into segments, and weigh them.

    The segment of each, -1 if it is of no use; of every cell the share of all points that a
    reference stands for, and the part that is not seen; and the owners whose points next to the
    cluster are a cell of their own.
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
    segment = np.empty(m, np.int32)
    counts = np.zeros(k + 1, np.int64)
    for s in range(m):
        h = owners[s]
        is_next = others[s] == g and near[h]
        segment[s] = h + k if is_next else h
        if s >= common and not is_next and h != g:
            segment[s] = -1  # such are not sampled more than others
        elif not heavy[s]:
            counts[min(segment[s], k)] += 1
    share, unseen = np.empty(k + 1), np.empty(k + 1)
    for h in range(k + 1):
        size = left_over if h == k else sizes[h] - (beside[h] if near[h] else 0)
        share[h] = size / max(counts[h], 1) / n
        unseen[h] = max(1 - counts[h] / max(size, 1), 0.0)
    return segment, share, unseen, near


@njit(nogil=True, cache=True, error_model="numpy")
def _count(segment, weights, k):  # type: ignore[no-untyped-def]
    """How many references each cell has; how many would tell as much if all weighed the same."""
    seen = np.zeros(k + 1, np.int64)
    total, square = np.zeros(k + 1), np.zeros(k + 1)
    for s in range(segment.shape[0]):
        if segment[s] >= 0:
            h = min(segment[s], k)
            weight = weights[s] if weights.shape[0] > 0 else 1.0
            seen[h] += 1
            total[h] += weight
            square[h] += weight * weight
    full = np.zeros(k + 1)
    for h in range(k + 1):
        if square[h] > 0:
            full[h] = total[h] * total[h] / square[h]
    return seen, full


@njit(nogil=True, cache=True, error_model="numpy")
def _lead(refs, leaders, segment, g, swap, most, room, support, f, goes, means):  # type: ignore[no-untyped-def]
    """Fill in the features of leaders; how many there are of each kind.

    A leader whose rewards rest on few references is none. In SWAP one of the arms' own cluster is
    two: what it gains with the medoid staying, and what is added (in `goes`) where it goes.
    """
    caps, offset = refs[4], refs[6]
    distances, alone, extra, mine = leaders
    m, p, others = segment.shape[0], np.int64(0), np.int64(0)  # a literal would be compiled twice
    for i in range(distances.shape[0]):
        both = swap and i < mine
        if p + others + (2 if both else 1) > room or p >= most:
            break
        total = square = added = added_square = 0.0
        for s in range(m):
            if segment[s] < 0:
                continue
            d = distances[i, s]
            value = reward(d, caps[s, 0], caps[s, 1]) - offset[s]
            f[s, p] = value
            total += abs(value)
            square += value * value
            if both and segment[s] == g:
                value = reward(d, caps[s, 2], caps[s, 3]) - value
                goes[s, others] = value
                added += abs(value)
                added_square += value * value
        # So many references carry the sum: all if they are equal, one if one has it all.
        if added_square > 0 and added * added / added_square >= support:
            means[1, others] = extra[i]
            others += 1
        if square > 0 and total * total / square >= support:
            means[0, p] = alone[i]
            p += 1
    return p, others


@njit(nogil=True, cache=True, error_model="numpy")
def _products(f, segment, weight, k):  # type: ignore[no-untyped-def]
    """The weighted products of all features with each other, in each cell."""
    gram = np.zeros((k + 1, COLUMNS, COLUMNS))
    into, lines = gram.reshape(-1), f.reshape(-1)
    for s in range(segment.shape[0]):
        if segment[s] >= 0:
            to = COLUMNS * COLUMNS * min(segment[s], k)
            for a in range(COLUMNS):
                value = weight[s] * f[s, a]
                if value != 0:
                    add_scaled(into, to + COLUMNS * a, lines, COLUMNS * s, value)
    return gram


@njit(nogil=True, cache=True, error_model="numpy")
def _within(gram, turn, t, first, local):  # type: ignore[no-untyped-def]
    """Make a cell's local features orthonormal (columns of `turn`); how many are left."""
    rank = 0.0
    for j in range(first, first + local):
        whole = left = gram[j, j]
        turn[j, j] = 1.0
        for i in range(first, j):
            amount = 0.0
            for b in range(first, j):
                amount += turn[b, i] * gram[b, j]
            for b in range(first, j):
                turn[b, j] -= amount * turn[b, i]
            t[j] -= amount * t[i]
            left -= amount * amount
        keep = left > _RANK * whole
        factor = 1 / np.sqrt(left) if keep else 0.0
        for b in range(first, j + 1):
            turn[b, j] *= factor
        t[j] *= factor
        rank += 1.0 if keep else 0.0
    return rank


@njit(nogil=True, cache=True, error_model="numpy")
def _without(gram, turn, t, t_shared, shared, local):  # type: ignore[no-untyped-def]
    """Take from the global features what a cell's local ones tell.

    What is left of their products replaces these.
    """
    amounts = np.zeros((shared, COLUMNS))
    for j in range(shared):
        if gram[j, j] == 0:
            continue
        turn[j, j] = 1.0
        for i in range(shared, shared + local):
            amount = 0.0
            for b in range(shared, i + 1):
                amount += turn[b, i] * gram[b, j]
            amounts[j, i] = amount
            for b in range(shared, i + 1):
                turn[b, j] -= amount * turn[b, i]
            t_shared[j] -= amount * t[i]
    for j in range(shared):
        for c in range(shared):
            for i in range(shared, shared + local):
                gram[j, c] -= amounts[j, i] * amounts[c, i]


@njit(nogil=True, cache=True, error_model="numpy")
def _across(gram, size, t_shared, shared):  # type: ignore[no-untyped-def]
    """Make the global features orthonormal over all cells: the matrix that does it."""
    products = gram[:, :shared, :shared].sum(axis=0)
    turn = np.zeros((shared, shared))
    for j in range(shared):
        turn[j, j] = 1.0
        left = products[j, j]
        for i in range(j):
            amount = 0.0
            for b in range(i + 1):
                amount += turn[b, i] * products[b, j]
            for b in range(i + 1):
                turn[b, j] -= amount * turn[b, i]
            t_shared[j] -= amount * t_shared[i]
            left -= amount * amount
        factor = 1 / np.sqrt(left) if left > _RANK * size[j] else 0.0
        for b in range(j + 1):
            turn[b, j] *= factor
        t_shared[j] *= factor
    return turn


@njit(nogil=True, cache=True, error_model="numpy")
def _multiply(a, b):  # type: ignore[no-untyped-def]
    out = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for c in range(b.shape[1]):
                out[i, c] += a[i, j] * b[j, c]
    return out


@njit(nogil=True, cache=True, error_model="numpy")
def _diagonal(a):  # type: ignore[no-untyped-def]
    """Make a symmetric matrix diagonal (Jacobi's rotations); the columns that do it."""
    size = a.shape[0]
    turn = np.zeros((size, size))
    for i in range(size):
        turn[i, i] = 1.0
    for _ in range(30):
        off = whole = 0.0
        for i in range(size):
            whole += a[i, i] * a[i, i]
            for j in range(i):
                off += a[i, j] * a[i, j]
        if off <= 1e-24 * whole:
            break
        for i in range(size):
            for j in range(i + 1, size):
                if a[i, j] == 0:
                    continue
                theta = (a[j, j] - a[i, i]) / (2 * a[i, j])
                tangent = 1 / (abs(theta) + np.sqrt(theta * theta + 1))
                tangent = tangent if theta >= 0 else -tangent
                cosine = 1 / np.sqrt(tangent * tangent + 1)
                sine = tangent * cosine
                for b in range(size):
                    one, other = a[b, i], a[b, j]
                    a[b, i], a[b, j] = cosine * one - sine * other, sine * one + cosine * other
                for b in range(size):
                    one, other = a[i, b], a[j, b]
                    a[i, b], a[j, b] = cosine * one - sine * other, sine * one + cosine * other
                    one, other = turn[b, i], turn[b, j]
                    turn[b, i] = cosine * one - sine * other
                    turn[b, j] = sine * one + cosine * other
    return turn


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

    Returns
    -------
    tuple
        The fields of `Basis`; the largest distance at which each reference rewards an arm; and
        the shares that are left to chance, and references, as in `Inside`.
    """
    heavy, caps, known, offset, weights = refs[2], refs[4], refs[5], refs[6], refs[7]
    g, n, swap = cluster[0], cluster[4], cluster[5]
    sums, beside_sums = means
    per_feature, support, wider = rules
    segment, share, unseen, near = _arrange(refs, cluster)
    k, slopes, m = sums.shape[0], known.shape[0], segment.shape[0]
    seen, full = _count(segment, weights, k)
    weight = np.empty(m)
    for s in range(m):
        weight[s] = 1 / n if heavy[s] else share[min(max(segment[s], 0), k)]
    room = COLUMNS - 1 - slopes
    f, goes = np.zeros((m, COLUMNS)), np.zeros((m if swap else 0, COLUMNS))
    of_leaders = np.zeros((2, COLUMNS))
    most = min(int(full[g] / per_feature), room)
    p, others = _lead(refs, leaders, segment, g, swap, most, room, support, f, goes, of_leaders)
    local = np.empty(k + 1, np.int64)
    for h in range(k + 1):
        # Slopes where a cell's references afford them.
        local[h] = 1 + slopes if full[h] >= per_feature * (1 + slopes) else min(seen[h], 1)
    added = others if local[g] > slopes else 0
    for s in range(m):
        for c in range(p, COLUMNS):  # where the last one was no feature
            f[s, c] = 0.0
        if segment[s] < 0:
            continue
        f[s, p] = 1.0
        if local[min(segment[s], k)] > 1:
            for i in range(slopes):
                f[s, p + 1 + i] = known[i, s]
        if segment[s] == g:
            for i in range(added):
                f[s, p + 1 + slopes + i] = goes[s, i]
    local[g] += added
    t = np.zeros((k + 1, COLUMNS))
    for i in range(1 + slopes):
        for h in range(k):
            part = beside_sums[h, i] if near[h] else 0.0
            if i < local[h]:
                t[h, p + i] = sums[h, i] - part
            if i < local[k]:
                t[k, p + i] += part
    for i in range(added):
        t[g, p + 1 + slopes + i] = of_leaders[1, i]
    t_shared = of_leaders[0, :p].copy()
    gram = _products(f, segment, weight, k)
    size, is_led = np.zeros(p), np.zeros(k + 1, np.bool_)
    for h in range(k + 1):
        for j in range(p):
            size[j] += gram[h, j, j]
            is_led[h] |= gram[h, j, j] > 0
    turn, ranks = np.zeros((k + 1, COLUMNS, COLUMNS)), np.zeros(k + 1)
    for h in range(k + 1):
        if seen[h] > 0:
            ranks[h] = _within(gram[h], turn[h], t[h], p, local[h])
            if is_led[h]:
                _without(gram[h], turn[h], t[h], t_shared, p, local[h])
    globally = _across(gram, size, t_shared, p)
    # √w Qt is how much each reference's residual moves the estimate.
    weighing, moved = np.zeros((k + 1, COLUMNS)), np.zeros(k + 1)
    coefficients = np.zeros(COLUMNS)
    for j in range(p):
        for i in range(p):
            coefficients[j] += globally[j, i] * t_shared[i]
    for h in range(k + 1):
        for c in range(p, COLUMNS):
            coefficients[c] = t[h, c]
        for a in range(COLUMNS):
            for c in range(COLUMNS):
                weighing[h, a] += turn[h, a, c] * coefficients[c]
    for s in range(m):
        if segment[s] >= 0:
            h, one = min(segment[s], k), 0.0
            for c in range(COLUMNS):
                one += weighing[h, c] * f[s, c]
            moved[h] += (weight[s] * one) ** 2
    scale, scaled, inside = np.zeros(k + 1), np.zeros((p, p)), np.zeros((p, p))
    for h in range(k + 1):
        if is_led[h]:
            inside = _multiply(globally.T, _multiply(gram[h, :p, :p], globally))
            for j in range(p):
                ranks[h] += inside[j, j]
        freedom = max(full[h] - ranks[h], 1.0)
        each = max(seen[h], 1) / max(full[h], 1.0)
        scale[h] = moved[h] / (each * freedom) * unseen[h] / (share[h] if share[h] > 0 else 1.0)
        scale[h] *= wider[min(int(freedom), wider.shape[0] - 1)]
        if is_led[h]:
            scaled += scale[h] * inside
    # Turned so that the global columns' products with each other, so weighted, are zero.
    last = _diagonal(scaled)
    globally = _multiply(globally, last)
    squares = np.zeros(COLUMNS)
    for j in range(p):
        squares[j] = scaled[j, j]
    for h in range(k + 1):
        if is_led[h]:
            turn[h, :, :p] = _multiply(turn[h, :, :p], globally)
        for j in range(p):
            for i in range(p):
                t[h, j] += last[i, j] * t_shared[i]
    q, laid = np.zeros((m, COLUMNS), np.float32), np.empty((m, 5), np.float32)
    limit, line, by = np.empty(m, np.float32), np.zeros(COLUMNS), turn.reshape(-1)
    for s in range(m):
        for c in range(4):
            laid[s, c] = caps[s, c]
        root = np.sqrt(weight[s])
        laid[s, 4] = root
        limit[s] = -np.inf
        if segment[s] < 0:
            continue
        stays, goes_on = laid[s, 0] == laid[s, 1], laid[s, 2] == laid[s, 3]
        bounded = stays and goes_on and offset[s] == 0
        limit[s] = max(laid[s, 0], laid[s, 2] if swap else laid[s, 0]) if bounded else np.nan
        laid[s, 1] += offset[s]
        line[:] = 0.0
        for a in range(COLUMNS):
            value = root * f[s, a]
            if value != 0:
                to = COLUMNS * (COLUMNS * min(segment[s], k) + a)
                add_scaled(line, 0, by, to, value)
        for c in range(COLUMNS):
            q[s, c] = line[c]
    shares = (share[g], share[g] * unseen[g], share[k] * unseen[k], seen[g])
    return q, laid, segment, t, scale, squares, p, limit, shares
