"""Compiled loops over the non-zeros of sparse rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numba import njit

_REORDER = {"reassoc", "nsz", "contract"}


@njit(nogil=True, cache=True)
def describe(indptr, data, unit, width, absolute, centred, scaled, start, stop, form):  # type: ignore[no-untyped-def]
    """What a metric needs of each row: its size, and the shift, scale and pad of its form."""
    for i in range(start, stop):
        values = data[indptr[i] : indptr[i + 1]]
        largest, total = 0.0, 0.0
        for s in range(values.shape[0]):
            value = float(values[s]) / unit
            largest = max(largest, abs(value))
            total += abs(value) if absolute else value
        if absolute:
            form[i, 0] = total
            continue
        mean = total / width if centred else 0.0
        squares, spread = 0.0, (abs(mean) if values.shape[0] < width else 0.0)
        safe = largest if largest > 0 else 1.0
        for s in range(values.shape[0]):
            rest = float(values[s]) / unit - mean
            spread = max(spread, abs(rest))
            squares += (rest / safe) ** 2
        squares += (width - values.shape[0]) * (mean / safe) ** 2
        if not scaled:
            form[i, 0] = squares * safe * safe
            continue
        # What is left of a constant row is rounding, not a direction.
        alive = spread > 1e-13 * largest if centred else largest > 0
        form[i, 1] = mean
        form[i, 2] = 1 / (np.sqrt(squares) * safe) if alive else 0.0
        form[i, 3] = 0.0 if alive else 1.0


@njit(nogil=True, cache=True)
def fill(indptr, indices, data, rows, unit, panel):  # type: ignore[no-untyped-def]
    """Lay some rows out as columns of a panel of zeros."""
    for r in range(rows.shape[0]):
        for s in range(indptr[rows[r]], indptr[rows[r] + 1]):
            panel[indices[s], r] = float(data[s]) / unit


@cache
def over_nonzeros(width: int) -> Callable[..., None]:
    """The kernel for panels of one width, which is known when it is compiled."""

    @njit(nogil=True, cache=True, fastmath=_REORDER)
    def kernel(indptr, indices, data, rows, unit, panel, absolute, positive, sums):  # type: ignore[no-untyped-def]
        """For each row a and each column b of the panel, the sum of |a - b| - |b|, or of a b.

        Four non-zeros at a time, so that a sum is loaded and stored a quarter as often. Where
        nothing is negative, |a - b| - |b| is a - 2 min(a, b).
        """
        kind = panel.dtype.type
        for x in range(rows.shape[0]):
            start, stop = indptr[rows[x]], indptr[rows[x] + 1]
            mine, total = sums[x], kind(0)
            mine[:] = 0
            for s in range(start, stop, 4):
                # Beyond the end a zero, which adds nothing.
                second, third = min(s + 1, stop - 1), min(s + 2, stop - 1)
                fourth = min(s + 3, stop - 1)
                a = kind(data[s] / unit)
                b = kind(data[second] / unit) if s + 1 < stop else kind(0)
                c = kind(data[third] / unit) if s + 2 < stop else kind(0)
                d = kind(data[fourth] / unit) if s + 3 < stop else kind(0)
                one, two = panel[indices[s]], panel[indices[second]]
                three, four = panel[indices[third]], panel[indices[fourth]]
                if absolute and positive:
                    total += (a + b) + (c + d)
                    for r in range(width):
                        mine[r] += (min(a, one[r]) + min(b, two[r])) + (
                            min(c, three[r]) + min(d, four[r])
                        )
                elif absolute:
                    for r in range(width):
                        mine[r] += (abs(a - one[r]) - abs(one[r])) + (abs(b - two[r]) - abs(two[r]))
                        mine[r] += (abs(c - three[r]) - abs(three[r])) + (
                            abs(d - four[r]) - abs(four[r])
                        )
                else:
                    for r in range(width):
                        mine[r] += (a * one[r] + b * two[r]) + (c * three[r] + d * four[r])
            if absolute and positive:
                for r in range(width):
                    mine[r] = total - kind(2) * mine[r]

    compiled: Callable[..., None] = kernel
    return compiled


@njit(nogil=True, cache=True)
def near_pairs(  # type: ignore[no-untyped-def]
    indptr, indices, data, unit, form, rows,
    indptr2, indices2, data2, unit2, form2, rows2,
    left, right, width, absolute, values,
):  # fmt: skip
    """Put the sums of absolute, or of squared, differences of some pairs into `values`."""
    for pair in range(left.shape[0]):
        a, b = left[pair], right[pair]
        shift, scale, pad = form[a, 1], form[a, 2], form[a, 3]
        shift2, scale2, pad2 = form2[b, 1], form2[b, 2], form2[b, 3]
        s, stop = indptr[rows[a]], indptr[rows[a] + 1]
        t, stop2 = indptr2[rows2[b]], indptr2[rows2[b] + 1]
        total, met = 0.0, 0
        while s < stop or t < stop2:
            first = indices[s] if s < stop else width
            second = indices2[t] if t < stop2 else width
            one = two = 0.0
            if first <= second:
                one = float(data[s]) / unit
                s += 1
            if second <= first:
                two = float(data2[t]) / unit2
                t += 1
            gap = (one - shift) * scale - (two - shift2) * scale2
            total += abs(gap) if absolute else gap * gap
            met += 1
        gap = shift2 * scale2 - shift * scale
        total += (width - met) * (abs(gap) if absolute else gap * gap)
        total += (pad - pad2) ** 2
        values[a, b] = total
