"""Compiled loops over the points around a cluster: who they are, and what its arms win there."""

from __future__ import annotations

import numpy as np
from numba import njit

from .reward import reward

# Distances that are compared at once.
_STRETCH = 64


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
def _pick(row, limits, found):  # type: ignore[no-untyped-def]
    """The columns whose distance is below its limit; how many. Most stretches have none."""
    count, size = 0, row.shape[0]
    for start in range(0, size, _STRETCH):
        part, bar = row[start : start + _STRETCH], limits[start : start + _STRETCH]
        some = False
        for j in range(part.shape[0]):
            some |= part[j] < bar[j]
        if some:
            for j in range(part.shape[0]):
                found[count] = start + j
                count += part[j] < bar[j]
    return count


@njit(nogil=True, cache=True)
def add_nearby(block, cap, cap2, owner, shared, extra):  # type: ignore[no-untyped-def]
    """Add what arms win at some points: in all swaps, and where the owner of a point goes.

    The rewards are those of `total_rewards`. Most are zero: the others are picked out first.
    """
    near = np.empty(cap.shape[0] + 1, dtype=np.int32)
    for i in range(block.shape[0]):
        row, more = block[i], extra[i]
        count = _pick(row, cap2, near)
        total = 0.0
        for place in range(count):
            j = near[place]
            value = float(row[j])
            stays = reward(value, cap[j], cap[j])
            total += stays
            more[owner[j]] += reward(value, cap2[j], cap2[j]) - stays
        shared[i] += total


@njit(nogil=True, cache=True)
def add_changes(block, before, after, shared, extra):  # type: ignore[no-untyped-def]
    """Add by how much what arms win at some points has changed, as in `add_nearby`.

    `before` and `after` are caps, second caps and owners of the points.
    """
    old, old2, was = before
    new, new2, owner = after
    near, most = np.empty(old.shape[0] + 1, dtype=np.int32), np.maximum(old2, new2)
    for i in range(block.shape[0]):
        row, more = block[i], extra[i]
        count = _pick(row, most, near)
        total = 0.0
        for place in range(count):
            j = near[place]
            value = float(row[j])
            stayed, stays = reward(value, old[j], old[j]), reward(value, new[j], new[j])
            total += stays - stayed
            more[was[j]] -= reward(value, old2[j], old2[j]) - stayed
            more[owner[j]] += reward(value, new2[j], new2[j]) - stays
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


@njit(nogil=True, cache=True)
def lowest_swaps(shared, extra, removal, values, replaced):  # type: ignore[no-untyped-def]
    """The values of each arm's two best swaps and the medoids that go; of the others the lowest.

    And the most that an arm wins besides where one of the others goes.
    """
    for i in range(shared.shape[0]):
        first = second = third = np.inf
        one = two = -1
        for m in range(removal.shape[0]):
            value = shared[i] + removal[m] + extra[i, m]
            if value < first:
                first, second, third = value, first, second
                one, two = m, one
            elif value < second:
                second, third, two = value, second, m
            elif value < third:
                third = value
        most = 0.0
        for m in range(removal.shape[0]):
            if m != one and m != two:
                most = min(most, extra[i, m])
        values[i, 0], values[i, 1], values[i, 2], values[i, 3] = first, second, third, most
        replaced[i, 0], replaced[i, 1] = one, two


@njit(nogil=True, cache=True)
def carry_swaps(values, replaced, alone, shared, extra, change):  # type: ignore[no-untyped-def]
    """Bring lower bounds that are as `lowest_swaps` gives values to other medoids.

    `change` is: the medoids that are touched; which of them are new; what the removal of each
    costs, and by how much more than before; and the slot of each medoid in `extra`, or -1.
    """
    owners, is_new, removal, rises, slot = change
    for i in range(values.shape[0]):
        for place in range(2):
            m = replaced[i, place]
            if m >= 0 and slot[m] >= 0:
                at = slot[m]
                if is_new[at]:
                    values[i, place] = alone[i] + removal[at] + extra[i, at]
                else:
                    values[i, place] += shared[i] + rises[at] + extra[i, at]
            else:
                values[i, place] += shared[i]
        lowest = rest = values[i, 2] + shared[i]
        most = besides = values[i, 3]
        for at in range(owners.shape[0]):
            if owners[at] == replaced[i, 0] or owners[at] == replaced[i, 1]:
                continue
            value = alone[i] + removal[at] + extra[i, at]
            if is_new[at]:
                most = min(most, extra[i, at])
            else:
                most = min(most, besides + extra[i, at])
                value = max(value + besides, rest + rises[at] + extra[i, at])
            lowest = min(lowest, value)
        values[i, 2], values[i, 3] = lowest, most
