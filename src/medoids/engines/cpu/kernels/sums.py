"""Compiled sums that do not depend on how points are divided among partitions."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

# So many bits of a number go into each part of a sum: 2**32 of them add up without rounding.
_BITS = 20


@njit(nogil=True, cache=True)
def split_sums(row, nearest, second, owner, out):  # type: ignore[no-untyped-def]
    """What points pay if an arm at distances `row` comes, by owner, in sums of three parts.

    The high and the middle bits of all numbers are added without rounding, and what is left is
    far below the last bit of the sum. So the parts of several sums, added up well, are the sum
    over all their points, correctly rounded: the same however these are divided.

    Parameters
    ----------
    row : ndarray of float64
    nearest, second, owner : ndarray
        What each point pays now, and without its medoid; and the position of the latter.
    out : ndarray of shape (1 or 2, owners, 3), added to
        Of each owner, if it stays; and if it goes.
    """
    kinds, largest = out.shape[0], 0.0
    for j in range(row.shape[0]):
        largest = max(largest, abs(min(row[j], nearest[j])))
        if kinds > 1:
            largest = max(largest, abs(min(row[j], second[j])))
    if largest == 0:
        return
    power = math.frexp(largest)[1]
    # What is added to such a number and taken away again leaves its high bits.
    high = math.ldexp(1.5, 52 + power - _BITS)
    middle = math.ldexp(1.5, 52 + power - 2 * _BITS)
    for j in range(row.shape[0]):
        for i in range(kinds):
            value = min(row[j], second[j] if i else nearest[j])
            top = (value + high) - high
            rest = value - top
            part = (rest + middle) - middle
            sums = out[i, owner[j]]
            sums[0] += top
            sums[1] += part
            sums[2] += rest - part


@njit(nogil=True, cache=True)
def mixed(rows, seed):  # type: ignore[no-untyped-def]
    """A random number of 64 bits for each row, that follows from the row and the seed."""
    out = np.empty(rows.shape[0], np.uint64)
    for i in range(rows.shape[0]):
        # The generator "splitmix64" (Steele, Lea and Flood 2014).
        z = np.uint64(rows[i]) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
        for _ in range(2):
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z = z ^ (z >> np.uint64(31))
            z += np.uint64(seed)
        out[i] = z
    return out
