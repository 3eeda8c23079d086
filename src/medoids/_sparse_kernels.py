"""Compiled loops over the non-zeros of sparse rows."""

from __future__ import annotations

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


@njit(nogil=True, cache=True, fastmath=_REORDER)
def over_nonzeros(indptr, indices, data, rows, unit, panel, absolute, positive, sums):  # type: ignore[no-untyped-def]
    """For each row a and each column b of the panel, the sum of |a - b| - |b|, or of a b.

    Where nothing is negative, |a - b| - |b| is a - 2 min(a, b).
    """
    width, two = panel.shape[1], panel.dtype.type(2)
    for x in range(rows.shape[0]):
        mine = sums[x]
        mine[:] = 0
        for s in range(indptr[rows[x]], indptr[rows[x] + 1]):
            value = panel.dtype.type(data[s] / unit)
            line = panel[indices[s]]
            if absolute and positive:
                for r in range(width):
                    mine[r] += value - two * min(value, line[r])
            elif absolute:
                for r in range(width):
                    mine[r] += abs(value - line[r]) - abs(line[r])
            else:
                for r in range(width):
                    mine[r] += value * line[r]


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
