"""The set-up of a regression: references in cells, features, and their orthonormal basis.

Features are made orthonormal by the products that they have with each other in each cell (Gram and
Schmidt on these, in float64). So what is as long as the references is passed over few times, and
most of it are zeros: a leader rewards few of them.

Only loops are compiled, and as few lines as will do: each takes a hundredth of a second of the
first fit. What is no longer than there are cells is left to NumPy, and so is all memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from .reward import reward
from .vectors import LANES as COLUMNS
from .vectors import add_scaled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .tuples import Cluster, Led, Refs

# Directions in which features differ by rounding alone are left out.
_RANK = 1e-6
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
def _describe(refs, leaders, lines, rules, local, features, means):  # type: ignore[no-untyped-def]
    """Fill in the features of references, and their products with each other in each cell.

    First are leaders. One whose rewards rest on few references is none. In SWAP one of the arms'
    own cluster is two: what it gains with the medoid staying, and what is added where it goes.
    Then come the constant and what is known, as far as a cell's references afford it (`local`),
    and for the own cluster what is added.

    How many leaders there are, and how many additions.
    """
    caps, known, offset = refs
    distances, alone, extra, mine = leaders
    segment, weight = lines
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
            means[1, others] = extra[i]
            others += 1
        if square > 0 and total * total / square >= support:
            means[0, p] = alone[i]
            p += 1
    others = others if local[g] > slopes else np.int64(0)
    for s in range(m):
        h = segment[s] if segment[s] < k else k
        if p < COLUMNS:  # where the last one was no feature
            f[s, p] = 0.0 if h < 0 else 1.0
        if h < 0:
            continue
        if local[h] > 1:
            for i in range(slopes):
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
def _orthonormal(gram, turn, t, local, p, amounts):  # type: ignore[no-untyped-def]
    """Make each cell's local features orthonormal, and then the global ones over all cells.

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
def _move(f, segment, weight, by, moved):  # type: ignore[no-untyped-def]
    """Of each cell, the squares of what its references move an estimate by."""
    k = moved.shape[0] - 1
    for s in range(segment.shape[0]):
        if segment[s] >= 0:
            cell = segment[s] if segment[s] < k else k
            one = 0.0
            for a in range(COLUMNS):
                one += by[cell, a] * f[s, a]
            moved[cell] += (weight[s] * one) ** 2


@njit(nogil=True, cache=True, error_model="numpy")
def _turn(f, segment, weight, by, k, q):  # type: ignore[no-untyped-def]
    """Turn the weighted features of each reference by its cell's square of `by`."""
    line = np.zeros(COLUMNS)
    for s in range(segment.shape[0]):
        if segment[s] < 0:
            continue
        cell = segment[s] if segment[s] < k else k
        for a in range(COLUMNS):
            line[a] = 0.0
        for a in range(COLUMNS):
            value = weight[s] * f[s, a]
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
    cells = np.zeros((6, k + 1))
    _arrange(
        (owners, others, heavy, common, weights), (g, beside, sizes, fewest, n),
        (segment, weight, near), tuple(cells),
    )  # fmt: skip
    _, share, unseen, seen, full, _ = cells
    # Slopes where a cell's references afford them.
    local = np.where(full >= per_feature * (1 + slopes), 1 + slopes, np.minimum(seen, 1))
    local = local.astype(np.int64)
    room = COLUMNS - 1 - slopes
    f, goes = np.zeros((m, COLUMNS)), np.zeros((m if swap else 0, COLUMNS))
    of_leaders = np.zeros((2, COLUMNS))
    # The last square, and the last line of means, are those of the global features.
    gram, turn = np.zeros((2, k + 2, COLUMNS, COLUMNS))
    p, added = _describe(
        (caps, known, offset), tuple(leaders), (segment, weight),
        (g, swap, min(int(full[g] / per_feature), room), room, support), local,
        (f, goes, f.reshape(-1), gram.reshape(-1)), of_leaders,
    )  # fmt: skip
    local[g] += added
    t = _means(means, near, local, p, of_leaders[0])
    t[g, p + 1 + slopes : p + 1 + slopes + added] = of_leaders[1, :added]
    _orthonormal(gram.reshape(-1), turn.reshape(-1), t.reshape(-1), local, p, np.zeros(_SQUARE))
    turn, of_all, globally = turn[:-1], t[-1, :p].copy(), turn[-1, :p, :p].copy()
    t = t[:-1]
    # √w Qt is how much each reference's residual moves the estimate.
    t[:, :p] = of_all @ globally
    weighing = (t[:, None, :] @ turn)[:, 0]
    moved = np.zeros(k + 1)
    _move(f, segment, weight, weighing, moved)
    inside = globally @ gram[:-1, :p, :p] @ globally.T
    ranks = (turn[:, range(p, COLUMNS), range(p, COLUMNS)] > 0).sum(axis=1)
    freedom = np.maximum(full - ranks - inside.trace(axis1=1, axis2=2), 1.0)
    each = np.maximum(seen, 1) / np.maximum(full, 1.0)
    scale = moved / (each * freedom) * unseen / np.where(share > 0, share, 1.0)
    scale *= wider[np.minimum(freedom.astype(np.int64), len(wider) - 1)]
    # Turned so that the global columns' products with each other, so weighted, are zero.
    squares = np.zeros(COLUMNS)
    squares[:p], last = np.linalg.eigh((scale @ inside.reshape(k + 1, p * p)).reshape(p, p))
    t[:, :p] = of_all @ last
    turn[:, :p] = (last.T @ globally) @ turn[:, :p]
    q, root = np.zeros((m, COLUMNS), np.float32), np.sqrt(weight)
    _turn(f, segment, root, turn.transpose(0, 2, 1).reshape(-1), k, q)
    laid = np.empty((m, 5), np.float32)
    laid[:, :4], laid[:, 4] = caps, root
    clipped = (laid[:, 0] == laid[:, 1]) & (laid[:, 2] == laid[:, 3]) & (offset == 0)
    limit = np.maximum(laid[:, 0], laid[:, 2]) if swap else laid[:, 0].copy()
    limit[~clipped], limit[segment < 0] = np.nan, -np.inf
    laid[:, 1] += offset
    shares = (share[g], share[g] * unseen[g], share[k] * unseen[k], int(seen[g]))
    return q, laid, segment, t, scale, squares, p, limit, shares


def _means(
    means: tuple[NDArray[np.float64], NDArray[np.float64]],
    near: NDArray[np.bool_],
    local: NDArray[np.int64],
    p: int,
    of_leaders: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The means of features: a line for each cell has those of its own, the last line leaders'."""
    k, width = means[0].shape
    t = np.zeros((k + 2, COLUMNS))
    beside = means[1] * near[:, None]
    has = np.arange(width) < local[:, None]
    t[:k, p : p + width] = (means[0] - beside) * has[:k]
    t[k, p : p + width] = beside.sum(axis=0) * has[k]
    t[k + 1, :p] = of_leaders[:p]
    return t
