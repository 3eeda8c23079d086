"""The set-up of a regression: references in cells, features, and their orthonormal basis.

Features are made orthonormal by the products that they have with each other in each cell (Gram and
Schmidt on these, in float64). So what is as long as the references is passed over few times, and
most of it are zeros: a leader rewards few of them.

All memory is NumPy's, and so are the eigenvectors: each line that is compiled takes a hundredth of
a second of the first fit, and one that makes an array ten times as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from .reward import reward
from .tuples import LANES as COLUMNS
from .vectors import add_scaled, larger

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .tuples import Cluster, Led, Refs

# Directions in which features differ by rounding alone are left out.
_RANK = 1e-6
# The square of a feature's mean is about the share of all points that a reference stands for, if
# the references show what all points are. Beyond so many times that they do not.
_LIKELY = 10.0
# Then a feature is left out if it differs from others by less than this share of its squares.
_ALIKE = 1e-3
_SQUARE = COLUMNS * COLUMNS


@njit(nogil=True, cache=True, error_model="numpy")
def _arrange(refs, cluster, lines, cells):  # type: ignore[no-untyped-def]
    """Sort references into segments, and weigh them.

    Of each reference: its segment, -1 if it is of no use; and the share of all points that it
    stands for. Of each owner: whether its points next to the cluster are a cell of their own. Of
    each cell: how many references are left to chance; the share of all points that one stands for,
    and the part that is not seen; how many there are, and how many would tell as much if all
    weighed the same. All arrays of `cells` come as zeros.
    """
    owners, others, heavy, common, weights = refs
    g, beside, sizes, fewest, n = cluster
    segment, weight, near = lines
    counts, share, unseen, seen, full, square = cells
    k, weighted = sizes.shape[0], weights.shape[0] > 0
    # Owners whose points next to the cluster are sampled apart: the rest of them must be seen too.
    for s in range(common):
        if others[s] != g:
            counts[owners[s]] += 1
    left_over = 0
    for h in range(k):
        rest = sizes[h] - beside[h]
        near[h] = h != g and (rest == 0 or counts[h] >= fewest or counts[h] >= rest)
        left_over += beside[h] if near[h] else 0
        counts[h] = 0
    for s in range(owners.shape[0]):
        h = owners[s]
        cell = k if others[s] == g and near[h] else h
        segment[s] = h + k if cell == k else h
        if s >= common and cell != k and h != g:
            segment[s] = -1  # such are not sampled more than others
            continue
        counts[cell] += not heavy[s]
        one = weights[s] if weighted else 1.0
        seen[cell] += 1
        full[cell] += one
        square[cell] += one * one
    for h in range(k + 1):
        size = left_over if h == k else sizes[h] - (beside[h] if near[h] else 0)
        share[h] = size / (counts[h] if counts[h] > 1 else 1) / n
        unseen[h] = 1 - counts[h] / size if counts[h] < size else 0.0 if size > 0 else 1.0
        full[h] *= full[h] / square[h] if square[h] > 0 else 0.0
    for s in range(owners.shape[0]):
        cell = segment[s] if 0 <= segment[s] < k else k if segment[s] >= k else 0
        weight[s] = 1 / n if heavy[s] else share[cell]


@njit(nogil=True, cache=True, error_model="numpy")
def _describe(refs, leaders, lines, rules, means, local, features, t):  # type: ignore[no-untyped-def]
    """Fill in the features of references, their products with each other in each cell, and means.

    First are leaders. One whose rewards rest on few references is none. In SWAP one of the arms'
    own cluster is two: what it gains with the medoid staying, and what is added where it goes.
    Then come the constant and what is known, as far as a cell's references afford it (`local`),
    and for the own cluster what is added.

    A line of `t` for each cell has the means of its own, and the last line those of leaders.

    How many leaders there are, and how many additions.
    """
    caps, known, offset = refs
    distances, alone, extra, mine = leaders
    segment, weight, near = lines
    sums, beside = means
    g, swap, most, room, support = rules
    f, goes, flat, gram = features
    k, m, slopes = local.shape[0] - 1, segment.shape[0], known.shape[0]
    p, others = np.int64(0), np.int64(0)  # a literal would be compiled twice
    for i in range(distances.shape[0]):
        both = swap and i < mine
        if p + others + (2 if both else 1) > room or p >= most:
            break
        total = square = added = added_square = 0.0
        for s in range(m):
            if segment[s] < 0:
                continue
            value = reward(distances[i, s], caps[s, 0], caps[s, 1]) - offset[s]
            f[s, p] = value
            total += abs(value)
            square += value * value
            if both and segment[s] == g:
                value = reward(distances[i, s], caps[s, 2], caps[s, 3]) - value
                goes[s, others] = value
                added += abs(value)
                added_square += value * value
        # So many references carry the sum: all if they are equal, one if one has it all.
        if added_square > 0 and added * added / added_square >= support:
            t[g, others] = extra[i]  # for now
            others += 1
        if square > 0 and total * total / square >= support:
            t[k + 1, p] = alone[i]
            p += 1
    others = others if local[g] > slopes else np.int64(0)
    for i in range(room - 1, -1, -1):
        added = t[g, i]
        t[g, i] = 0.0
        if i < others:
            t[g, p + 1 + slopes + i] = added
    for i in range(1 + slopes):
        for h in range(k):
            part = beside[h, i] if near[h] else 0.0
            if i < local[h]:
                t[h, p + i] = sums[h, i] - part
            if i < local[k]:
                t[k, p + i] += part
    local[g] += others
    for s in range(m):
        h = segment[s] if segment[s] < k else k
        if p < COLUMNS:  # where the last one was no feature
            f[s, p] = 0.0 if h < 0 else 1.0
        if h < 0:
            continue
        for i in range(slopes if local[h] > 1 else 0):
            f[s, p + 1 + i] = known[i, s]
        if segment[s] == g:
            for i in range(others):
                f[s, p + 1 + slopes + i] = goes[s, i]
        for a in range(COLUMNS):
            value = weight[s] * f[s, a]
            if value != 0:
                add_scaled(gram, _SQUARE * h + COLUMNS * a, flat, COLUMNS * s, value)
    return p, others


@njit(nogil=True, cache=True, error_model="numpy")
def _orthonormal(gram, turn, t, local, p, likely, beyond, amounts):  # type: ignore[no-untyped-def]
    """Make each cell's local features orthonormal, and then the global ones over all cells.

    In each cell, and in all: how many times what is `likely` the square of a feature's mean is.

    The global ones are first freed of what a cell's local ones tell; their products over all cells
    are then the last cell's. A feature's line of `turn` says what it is made of; its mean, in `t`,
    follows. Arrays are flat, a square of products or a line for each cell.
    """
    last, size = local.shape[0], np.zeros(COLUMNS)
    for h in range(last + 1):
        at, count = _SQUARE * h, local[h] if h < last else 0
        for x in range(count + p):
            # Each is freed of those from `low` on: of local ones alone, but in the last cell.
            is_local = x < count
            j = p + x if is_local else x - count
            low, high = (p, j if is_local else p + count) if h < last else (0, j)
            to = COLUMNS * (h if is_local else last) + j
            left = gram[at + COLUMNS * j + j]
            whole = left if h < last else size[j]
            if left == 0 and not is_local:
                continue
            turn[at + COLUMNS * j + j] = 1.0
            for i in range(low, high):
                amount = 0.0
                for b in range(COLUMNS):
                    amount += turn[at + COLUMNS * i + b] * gram[at + COLUMNS * j + b]
                add_scaled(turn, at + COLUMNS * j, turn, at + COLUMNS * i, -amount)
                t[to] -= amount * t[COLUMNS * h + i]
                left -= amount * amount
                amounts[COLUMNS * i + j] = amount
            if is_local or h == last:
                factor = 1 / np.sqrt(left) if left > _RANK * whole else 0.0
                t[to] *= factor
                odd = t[to] * t[to] / likely[h] if likely[h] > 0 else 0.0
                if odd > 1 and left < _ALIKE * whole:
                    t[to] = factor = 0.0
                elif x > 0 or h == last:  # the first is the constant
                    beyond[h] = larger(beyond[h], odd)
                add_scaled(turn, at + COLUMNS * j, turn, at + COLUMNS * j, factor - 1)
            else:
                size[j] += whole
        for j in range(p if h < last else 0):
            line = at + COLUMNS * j
            if gram[line + j] == 0:
                continue
            for i in range(p, p + count):
                add_scaled(gram, line, amounts, COLUMNS * i, -amounts[COLUMNS * i + j])
            add_scaled(gram, _SQUARE * last + COLUMNS * j, gram, line, 1.0)
        for i in range(COLUMNS * COLUMNS):
            amounts[i] = 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _scale(features, lines, squares, cells, wider, p, out):  # type: ignore[no-untyped-def]
    """What is left of the squares, to each cell's part of the variance.

    And the products of the global features with each other, so weighted. `line` and `square` are
    memory for a few numbers.
    """
    f, t = features
    segment, weight = lines
    gram, turn = squares
    share, unseen, seen, full, beyond = cells
    scale, hidden, scaled, weighing, line, square = out
    k = scale.shape[0] - 1
    last = _SQUARE * (k + 1)
    for i in range(p):
        add_scaled(line, 0, turn, last + COLUMNS * i, t[k + 1, i])
    # √w Qt is how much each reference's residual moves the estimate; by w it moves what is to be
    # estimated, as far as the cell is seen.
    for h in range(k + 1):
        for c in range(COLUMNS):
            one = line[c] if c < p else t[h, c]
            add_scaled(weighing, COLUMNS * h, turn, _SQUARE * h + COLUMNS * c, one)
    for s in range(segment.shape[0]):
        if segment[s] >= 0:
            h = segment[s] if segment[s] < k else k
            one = 0.0
            for c in range(COLUMNS):
                one += weighing[COLUMNS * h + c] * f[s, c]
            hidden[h] += unseen[h] * (weight[s] * one) ** 2
            scale[h] += (1 - unseen[h]) * (weight[s] * (one - 1)) ** 2
    for h in range(k + 1):
        rank = 0.0
        for j in range(p, COLUMNS):
            rank += 1.0 if turn[_SQUARE * h + COLUMNS * j + j] > 0 else 0.0
        for i in range(_SQUARE):
            square[i] = 0.0
        for i in range(p):
            for c in range(COLUMNS):
                line[c] = 0.0
            for b in range(p):
                one = turn[last + COLUMNS * i + b]
                add_scaled(line, 0, gram, _SQUARE * h + COLUMNS * b, one)
            for j in range(p):
                one = 0.0
                for c in range(p):
                    one += line[c] * turn[last + COLUMNS * j + c]
                square[COLUMNS * i + j] = one
                rank += one if i == j else 0.0
        freedom = full[h] - rank if full[h] - rank > 1 else 1.0
        each = (seen[h] if seen[h] > 1 else 1.0) / (full[h] if full[h] > 1 else 1.0)
        widening = wider[int(freedom) if freedom < wider.shape[0] else wider.shape[0] - 1]
        widening /= each * freedom * (share[h] if share[h] > 0 else 1.0)
        scale[h] = (scale[h] + hidden[h]) * widening * beyond[h] * beyond[k + 1]
        hidden[h] *= widening
        for i in range(p):
            add_scaled(scaled, COLUMNS * i, square, COLUMNS * i, scale[h])


@njit(nogil=True, cache=True, error_model="numpy")
def _turn(refs, lines, by, swap, out):  # type: ignore[no-untyped-def]
    """Turn the weighted features of each reference by its cell's square of `by`; lay out the rest.

    What clips rewards, the weight by which they are multiplied, and the distance from which on
    there is none.
    """
    f, caps, offset = refs
    segment, weight = lines
    q, laid, limit, line = out
    k = by.shape[0] // _SQUARE - 1
    for s in range(segment.shape[0]):
        root = np.sqrt(weight[s])
        for c in range(4):
            laid[s, 2 * (c % 2) + c // 2] = caps[s, c]
        laid[s, 4] = root
        limit[s] = -np.inf
        if segment[s] < 0:
            continue
        bounded = laid[s, 0] == laid[s, 2] and laid[s, 1] == laid[s, 3] and offset[s] == 0
        limit[s] = laid[s, 1] if swap and laid[s, 1] > laid[s, 0] else laid[s, 0]
        limit[s] = limit[s] if bounded else np.nan
        laid[s, 2] += offset[s]
        cell = segment[s] if segment[s] < k else k
        for a in range(COLUMNS):
            line[a] = 0.0
        for a in range(COLUMNS):
            value = root * f[s, a]
            if value != 0:
                add_scaled(line, 0, by, _SQUARE * cell + COLUMNS * a, value)
        for a in range(COLUMNS):
            q[s, a] = line[a]


def regress(
    refs: Refs,
    leaders: Led,
    cluster: Cluster,
    means: tuple[NDArray[np.float64], NDArray[np.float64]],
    rules: tuple[int, float, NDArray[np.float64]],
) -> tuple[Any, ...]:
    """The regression for the arms of one cluster.

    Parameters
    ----------
    refs : Refs
    leaders : Led
    cluster : Cluster
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
    owners, others, heavy, common, caps, known, offset, weights = refs
    g, beside, sizes, fewest, n, swap = cluster
    per_feature, support, wider = rules
    k, slopes, m = len(sizes), len(known), len(owners)
    segment, weight, near = np.empty(m, np.int32), np.empty(m), np.empty(k, np.bool_)
    counts, share, unseen, seen, full, rest = np.zeros((6, k + 1))
    _arrange(
        (owners, others, heavy, common, weights), (g, beside, sizes, fewest, n),
        (segment, weight, near), (counts, share, unseen, seen, full, rest),
    )  # fmt: skip
    # Slopes where a cell's references afford them.
    local = np.where(full >= per_feature * (1 + slopes), 1.0 + slopes, np.minimum(seen, 1))
    local = local.astype(np.int64)
    room = COLUMNS - 1 - slopes
    f, goes = np.zeros((m, COLUMNS)), np.zeros((m if swap else 0, COLUMNS))
    # The last square, and the last line of means, are those of the global features.
    squares, t = np.zeros((2, (k + 2) * _SQUARE)), np.zeros((k + 2, COLUMNS))
    gram, turn = squares
    p, _ = _describe(
        (caps, known, offset), tuple(leaders), (segment, weight, near),
        (g, swap, min(int(full[g] / per_feature), room), room, support), means, local,
        (f, goes, f.reshape(-1), gram), t,
    )  # fmt: skip
    few, likely, beyond = np.zeros((3, _SQUARE)), np.empty(k + 2), np.ones(k + 2)
    likely[:-1], likely[-1] = share, share.max(where=seen > 1, initial=0)
    _orthonormal(gram, turn, t.reshape(-1), local, p, _LIKELY * likely, beyond, few[0])
    scale, hidden = np.zeros((2, k + 1))
    weighing, line = np.zeros((k + 1) * COLUMNS), np.zeros(COLUMNS)
    _scale(
        (f, t), (segment, weight), (gram, turn), (share, unseen, seen, full, beyond), wider, p,
        (scale, hidden, few[1], weighing, line, few[2]),
    )  # fmt: skip
    # Turned so that the global columns' products with each other, so weighted, are zero.
    by = turn.reshape(k + 2, COLUMNS, COLUMNS)
    sizes_of = np.zeros(COLUMNS)
    sizes_of[:p], last = np.linalg.eigh(few[1].reshape(COLUMNS, COLUMNS)[:p, :p])
    by[:-1, :p] = (last.T @ by[-1, :p, :p]) @ by[:-1, :p]
    t[:-1, :p] = t[-1, :p] @ last
    q, laid = np.zeros((m, COLUMNS), np.float32), np.zeros((m, 8), np.float32)
    limit = np.empty(m, np.float32)
    _turn(
        (f, caps, offset), (segment, weight), by[:-1].transpose(0, 2, 1).reshape(-1), swap,
        (q, laid, limit, line),
    )  # fmt: skip
    shares = (share[g], share[g] * unseen[g], int(seen[g]))
    return q, laid, segment, t[:-1], scale, hidden, sizes_of, p, limit, shares
