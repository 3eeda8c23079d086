"""Compiled loops over silhouettes: what swaps do to the sum of ratios, and to Rousseeuw's mean.

A row of a matrix is a medoid's distances to all points. The loss of a point is the ratio of its
nearest medoid's distance to the second's, 0 where both are 0: one less the medoid silhouette.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def _ratio(low, high):  # type: ignore[no-untyped-def]
    return low / high if high > 0 else 0.0


@njit(nogil=True, cache=True)
def _with(low, high, value):  # type: ignore[no-untyped-def]
    """The ratio of the two lowest of three, of which two are in order."""
    if value < low:
        return _ratio(value, low)
    return _ratio(low, min(value, high))


@njit(nogil=True, cache=True)
def nearest_three(matrix, medoids):  # type: ignore[no-untyped-def]
    """For every point the three nearest medoids' distances, and the positions of two of them.

    On a tie the lower position is the nearer one. Where there is no third it is infinitely far.
    """
    n = matrix.shape[1]
    values, places = np.full((3, n), np.inf), np.full((2, n), -1)
    for position in range(medoids.shape[0]):
        row = matrix[medoids[position]]
        for j in range(n):
            value = row[j]
            if value < values[0, j]:
                values[2, j], values[1, j], places[1, j] = values[1, j], values[0, j], places[0, j]
                values[0, j], places[0, j] = value, position
            elif value < values[1, j]:
                values[2, j] = values[1, j]
                values[1, j], places[1, j] = value, position
            elif value < values[2, j]:
                values[2, j] = value
    return values, places


@njit(nogil=True, cache=True)
def removals(values, places, k):  # type: ignore[no-untyped-def]
    """What the loss grows by where each medoid goes, and none comes."""
    out = np.zeros(k)
    for j in range(values.shape[1]):
        first, second, third = values[0, j], values[1, j], values[2, j]
        now = _ratio(first, second)
        out[places[0, j]] += _ratio(second, third) - now
        out[places[1, j]] += _ratio(first, third) - now
    return out


@njit(nogil=True, cache=True)
def _changes(row, values, places, swaps):  # type: ignore[no-untyped-def]
    """Add to `swaps`, which holds the removals, what a row brings where each medoid goes.

    Returned is what it brings wherever that is. Points that are nearer to their third medoid
    than to the arm have no part in it (Lenssen and Schubert 2022).
    """
    shared = 0.0
    for j in range(row.shape[0]):
        value, third = row[j], values[2, j]
        if value >= third:
            continue
        first, second = values[0, j], values[1, j]
        now, then = _ratio(first, second), _with(first, second, value)
        shared += then - now
        swaps[places[0, j]] += _with(second, third, value) - then - _ratio(second, third) + now
        swaps[places[1, j]] += _with(first, third, value) - then - _ratio(first, third) + now
    return shared


@njit(nogil=True, cache=True)
def best_swaps(matrix, arms, is_medoid, removal, values, places, out, positions):  # type: ignore[no-untyped-def]
    """For each arm the best medoid to replace, and how the loss changes; infinite for medoids."""
    for i in range(arms.shape[0]):
        if is_medoid[arms[i]]:
            out[i] = np.inf
            continue
        swaps = removal.copy()
        shared = _changes(matrix[arms[i]], values, places, swaps)
        positions[i] = swaps.argmin()
        out[i] = shared + swaps[positions[i]]


@njit(nogil=True, cache=True)
def first_better(matrix, start, stop, is_medoid, removal, values, places):  # type: ignore[no-untyped-def]
    """The first arm from `start` on with a swap that lowers the loss, and whom it replaces."""
    for arm in range(start, stop):
        if is_medoid[arm]:
            continue
        swaps = removal.copy()
        shared = _changes(matrix[arm], values, places, swaps)
        position = swaps.argmin()
        if shared + swaps[position] < 0:
            return arm, position
    return -1, -1


@njit(nogil=True, cache=True)
def silhouettes(sums, sizes, labels, out):  # type: ignore[no-untyped-def]
    """Rousseeuw's silhouette of each point, from the sums of its distances to each cluster."""
    for j in range(labels.shape[0]):
        own = labels[j]
        if sizes[own] < 2:
            out[j] = 0.0
            continue
        inside = sums[own, j] / (sizes[own] - 1)
        outside = np.inf
        for other in range(sizes.shape[0]):
            if other != own and sizes[other] > 0:
                outside = min(outside, sums[other, j] / sizes[other])
        widest = max(inside, outside)
        out[j] = (outside - inside) / widest if 0 < widest < np.inf else 0.0


@njit(nogil=True, cache=True)
def silhouettes_after(matrix, arm, values, places, sums, sizes, out):  # type: ignore[no-untyped-def]
    """The sum of silhouettes after each swap of an arm for one of the medoids.

    Only points that change their cluster move their distances from one sum to another.
    """
    row, n = matrix[arm], matrix.shape[1]
    labels, each = np.empty(n, np.int64), np.empty(n)
    for position in range(sizes.shape[0]):
        moved, count = sums.copy(), sizes.copy()
        for j in range(n):
            old = places[0, j]
            label = places[1, j] if old == position else old
            rest = values[1, j] if old == position else values[0, j]
            if row[j] < rest or (row[j] == rest and position < label):
                label = position
            labels[j] = label
            if label != old:
                moved[old] -= matrix[j]
                moved[label] += matrix[j]
                count[old] -= 1
                count[label] += 1
        silhouettes(moved, count, labels, each)
        out[position] = each.sum()
