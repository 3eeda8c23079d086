"""Compiled loops over the points around a cluster: who they are, and what its arms win there."""

from __future__ import annotations

import numpy as np
from numba import njit

from .reward import reward


@njit(nogil=True, cache=True)
def pick_below(rows, limits, first, counts, found):  # type: ignore[no-untyped-def]
    """Append to each line of `found` the points from `first` on that are below their limits."""
    for i in range(rows.shape[0]):
        row, line, count = rows[i], found[i], counts[i]
        for j in range(limits.shape[0]):
            line[count] = first + j
            count += row[j] < limits[j]
        counts[i] = count


@njit(nogil=True, cache=True)
def number(ids, owner, numbers, owners):  # type: ignore[no-untyped-def]
    """Number the owners of points that are sorted by owner from 0 on; how many there are."""
    count, last = 0, -1
    for j in range(ids.shape[0]):
        each = owner[ids[j]]
        if each != last:
            owners[count], last = each, each
            count += 1
        numbers[j] = count - 1
    return count


@njit(nogil=True, cache=True)
def add_nearby(block, cap, cap2, owner, shared, extra):  # type: ignore[no-untyped-def]
    """Add what arms win at some points: in all swaps, and where the owner of a point goes.

    The rewards are those of `total_rewards`. Most are zero: the others are picked out first.
    """
    near = np.empty(cap.shape[0] + 1, dtype=np.int32)
    for i in range(block.shape[0]):
        row, more, count = block[i], extra[i], 0
        for j in range(cap.shape[0]):
            near[count] = j
            count += row[j] < cap2[j]
        total = 0.0
        for place in range(count):
            j = near[place]
            value = float(row[j])
            stays = reward(value, cap[j], cap[j])
            total += stays
            more[owner[j]] += reward(value, cap2[j], cap2[j]) - stays
        shared[i] += total


@njit(nogil=True, cache=True)
def best_swaps(shared, extra, removal, least):  # type: ignore[no-untyped-def]
    """The value of each arm's best swap: with one of some medoids, or with the least missed."""
    values = np.empty(shared.shape[0])
    for i in range(shared.shape[0]):
        lowest = least
        for m in range(removal.shape[0]):
            lowest = min(lowest, removal[m] + extra[i, m])
        values[i] = shared[i] + lowest
    return values
