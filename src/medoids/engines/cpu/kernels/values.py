"""Compiled loops over distances to all points: the two nearest medoids, and exact values."""

from __future__ import annotations

import numpy as np
from numba import njit

from .reward import reward
from .tuples import LANES
from .vectors import PACKS, places_below, smaller

_REORDER = {"reassoc", "nsz", "contract"}


@njit(nogil=True, cache=True)
def reassign(row, k, position, rows, some, near, span):  # type: ignore[no-untyped-def]
    """Bring every column's lowest and second-lowest row up to date with a row at `position`.

    On a tie the lower row owns the column. Only columns that the old row had a part in are
    looked at anew: these are all that `rows` has, if there are `some` only. `span` are the first
    column, and the one after the last.
    """
    owner, other, nearest, second = near
    count = 0
    for j in range(span[0], span[1]):
        value = row[j]
        if owner[j] == position or other[j] == position:
            owner[j] = other[j] = -1
            nearest[j] = second[j] = np.inf
            at = count if some else j
            count += 1
            for i in range(k):
                each = value if i == position else rows[i, at]
                if each < nearest[j]:
                    second[j], other[j] = nearest[j], owner[j]
                    nearest[j], owner[j] = each, i
                elif each < second[j]:
                    second[j], other[j] = each, i
        elif value < nearest[j] or (value == nearest[j] and position < owner[j]):
            second[j], other[j] = nearest[j], owner[j]
            nearest[j], owner[j] = value, position
        elif value < second[j]:
            second[j], other[j] = value, position


@njit(nogil=True, cache=True)
def _below(row, limit, near):  # type: ignore[no-untyped-def]
    """Write to `near` where a row is below a limit; there is room for a line more. How many."""
    count, width, done = np.int64(0), limit.shape[0], 0
    if PACKS:
        done = width - width % LANES
        for j in range(0, done, LANES):
            count = places_below(row, limit, j, near, count)
    for j in range(done, width):
        near[count] = j
        count += row[j] < limit[j]
    return count


@njit(nogil=True, cache=True)
def _rewards_of(row, cap, base, cap2, base2, owner, near, extra):  # type: ignore[no-untyped-def]
    """The sum of an arm's rewards where no medoid goes; `extra` gets what each one adds.

    Most points are nearer to their second medoid than to the arm, and reward nothing:
    the others are picked out first, without a branch. (A tuple, passed on for each arm, would
    cost a tenth of the time.)
    """
    total = 0.0
    for i in range(_below(row, cap2, near)):
        j = near[i]
        value = float(row[j])
        stays = reward(value, cap[j], base[j])
        total += stays
        extra[owner[j]] += reward(value, cap2[j], base2[j]) - stays
    return total


@njit(nogil=True, cache=True)
def total_rewards(rows, slots, clips, swap, shared, extra):  # type: ignore[no-untyped-def]
    """Sum the rewards of the rows at `slots`, in float64 and in the order of the points.

    `shared[i]` is what all swaps of arm i have in common (equation 9), and
    `extra[i, m]` what is added where medoid m goes (the FastPAM1 form). Rows may be longer
    than there are points.
    """
    cap, base, cap2, base2, owner = clips
    near = np.empty(cap.shape[0] + LANES, dtype=np.int32)
    for i in range(slots.shape[0]):
        row = rows[slots[i]]
        if swap:
            shared[i] = _rewards_of(row, cap, base, cap2, base2, owner, near, extra[i])
            continue
        total = 0.0
        if cap[0] == np.inf:  # no medoid: an arm rewards all
            for j in range(cap.shape[0]):
                total += reward(float(row[j]), cap[j], base[j])
        else:
            for e in range(_below(row, cap, near)):
                j = near[e]
                total += reward(float(row[j]), cap[j], base[j])
        shared[i] = total


@njit(nogil=True, cache=True)
def carry_joins(rows, lines, old, new, sums):  # type: ignore[no-untyped-def]
    """Bring sums of rewards in BUILD up to date where the points `lines` pay `new`, not `old`."""
    for i in range(rows.shape[0]):
        row, total = rows[i], 0.0
        for s in range(lines.shape[0]):
            value = float(row[lines[s]])
            total += reward(value, new[s], new[s]) - reward(value, old[s], old[s])
        sums[i] += total


@njit(nogil=True, cache=True)
def total_changes(rows, slots, clips, swap, shared, extra):  # type: ignore[no-untyped-def]
    """The same in SWAP, but `extra[i, m]` has in it what the removal of medoid m costs.

    A point's loss and gain are added as one number, so that they cannot cancel in the sums.
    """
    cap, base, cap2, _, owner = clips
    for i in range(slots.shape[0]):
        row, total = rows[slots[i]], 0.0
        for j in range(cap.shape[0]):
            value = float(row[j])
            total += reward(value, cap[j], base[j])
            extra[i, owner[j]] += smaller(value, cap2[j]) - smaller(value, cap[j])
        shared[i] = total


@njit(nogil=True, cache=True)
def first_better(rows, slots, closed, clips, removal, bar):  # type: ignore[no-untyped-def]
    """The first of the arms at `slots` with a swap below `bar`, and whom it replaces.

    Those that are `closed` are passed over.
    """
    cap, base, cap2, base2, owner = clips
    near = np.empty(rows.shape[1] + LANES, dtype=np.int32)
    for i in range(slots.shape[0]):
        if closed[i]:
            continue
        swaps = removal.copy()
        total = _rewards_of(rows[slots[i]], cap, base, cap2, base2, owner, near, swaps)
        position = swaps.argmin()
        if total + swaps[position] < bar:
            return i, position
    return -1, -1


@njit(nogil=True, cache=True, fastmath=_REORDER)
def changes(rows, positions, nearest, second, owner, out):  # type: ignore[no-untyped-def]
    """How the loss changes where row i replaces the medoid at `positions[i]`."""
    for i in range(rows.shape[0]):
        row, position, total = rows[i], positions[i], 0.0
        for j in range(row.shape[0]):
            rest = second[j] if owner[j] == position else nearest[j]
            total += reward(float(row[j]), rest, nearest[j])
        out[i] = total
