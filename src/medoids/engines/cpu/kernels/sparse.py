"""Compiled loops over the non-zeros of sparse rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numba import njit
from numba.extending import register_jitable

_REORDER = {"reassoc", "nsz", "contract"}
_ONE, _FOUR = np.uintp(1), np.uintp(4)


# What two values of a feature have in common. All are 0 where one of the values is, so
# that only features count which both rows have.


@register_jitable
def least(a: float, b: float) -> float:
    """(|a| + |b| - |a - b|) / 2 where nothing is negative."""
    return min(a, b)


@register_jitable
def overlap(a: float, b: float) -> float:
    """(|a| + |b| - |a - b|) / 2."""
    return max(min(a, b), 0) - min(max(a, b), 0)


@register_jitable
def product(a: float, b: float) -> float:
    return a * b


@njit(nogil=True, cache=True)
def describe(indptr, data, width, absolute, centred, scaled, start, stop, form):  # type: ignore[no-untyped-def]
    """What a metric needs of each row: its size, and the shift, scale and pad of its form."""
    for i in range(start, stop):
        values = data[indptr[i] : indptr[i + 1]]
        largest, total = 0.0, 0.0
        for s in range(values.shape[0]):
            value = float(values[s])
            largest = max(largest, abs(value))
            total += abs(value) if absolute else value
        if absolute:
            form[i, 0] = total
            continue
        mean = total / width if centred else 0.0
        squares, spread = 0.0, (abs(mean) if values.shape[0] < width else 0.0)
        safe = largest if largest > 0 else 1.0
        for s in range(values.shape[0]):
            rest = float(values[s]) - mean
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
def split(indptr, indices, data, unit, place, common, start, stop, middle, into, values):  # type: ignore[no-untyped-def]
    """Number the features of some rows anew, the common ones first, and divide by the unit.

    `place` keeps the order within the common and within the rare ones: each part of a row
    stays in order.
    """
    for i in range(start, stop):
        first = indptr[i]
        for s in range(indptr[i], indptr[i + 1]):
            first += place[indices[s]] < common
        middle[i] = first
        one, two = indptr[i], first
        for s in range(indptr[i], indptr[i + 1]):
            feature = place[indices[s]]
            at = one if feature < common else two
            one += feature < common
            two += feature >= common
            into[at], values[at] = feature, data[s] / unit


@njit(nogil=True, cache=True)
def fill(indptr, stops, indices, data, rows, panel):  # type: ignore[no-untyped-def]
    """Lay some rows out as columns of a panel of zeros."""
    for r in range(rows.shape[0]):
        for s in range(indptr[rows[r]], stops[rows[r]]):
            panel[indices[s], r] = data[s]


@njit(nogil=True, cache=True)
def post(starts, stops, indices, data, rows, common, ends, where, values):  # type: ignore[no-untyped-def]
    """For each rare feature, list the rows that have it: up to `ends[feature]`."""
    ends[:] = 0
    for r in range(rows.shape[0]):
        for s in range(starts[rows[r]], stops[rows[r]]):
            ends[indices[s] - common + 1] += 1
    for f in range(1, ends.shape[0]):
        ends[f] += ends[f - 1]
    for r in range(rows.shape[0]):
        for s in range(starts[rows[r]], stops[rows[r]]):
            at = ends[indices[s] - common]
            where[at], values[at] = r, data[s]
            ends[indices[s] - common] = at + 1


@cache
def over_panel(term: Callable[..., float], width: int) -> Callable[..., None]:
    """The kernel for panels of one width, which is known when it is compiled."""

    @njit(nogil=True, cache=True, fastmath=_REORDER)
    def kernel(indptr, stops, indices, data, rows, panel, first, sums):  # type: ignore[no-untyped-def]
        """Sums of the term over some features, for each row and each column of the panel.

        They are put into the columns of `sums` from the `first` on.
        Four non-zeros at a time, so that a sum is loaded and stored a quarter as often.
        Unsigned numbers, since a signed index is checked for its sign.
        """
        real = panel.dtype.type
        for x in range(rows.shape[0]):
            s, stop = np.uintp(indptr[rows[x]]), np.uintp(stops[rows[x]])
            mine = sums[x][first : first + width]
            mine[:] = 0
            while s + _FOUR <= stop:
                t, u, v = s + _ONE, s + _ONE + _ONE, s + _FOUR - _ONE
                a, b, c, d = real(data[s]), real(data[t]), real(data[u]), real(data[v])
                one, two = panel[np.uintp(indices[s])], panel[np.uintp(indices[t])]
                three, four = panel[np.uintp(indices[u])], panel[np.uintp(indices[v])]
                for r in range(width):
                    mine[r] += (term(a, one[r]) + term(b, two[r])) + (
                        term(c, three[r]) + term(d, four[r])
                    )
                s += _FOUR
            while s < stop:
                a, one = real(data[s]), panel[np.uintp(indices[s])]
                for r in range(width):
                    mine[r] += term(a, one[r])
                s += _ONE

    compiled: Callable[..., None] = kernel
    return compiled


@cache
def over_lists(term: Callable[..., float]) -> Callable[..., None]:
    """The kernel for features that few rows have."""

    @njit(nogil=True, cache=True, fastmath=_REORDER)
    def kernel(starts, stops, indices, data, rows, common, ends, where, values, sums):  # type: ignore[no-untyped-def]
        """Add the term over the rare features to the sums of each row and each listed one."""
        real = sums.dtype.type
        for x in range(rows.shape[0]):
            mine = sums[x]
            for s in range(starts[rows[x]], stops[rows[x]]):
                feature = np.uintp(indices[s] - common)
                a = real(data[s])
                first = ends[feature - _ONE] if feature else ends.dtype.type(0)
                for t in range(np.uintp(first), np.uintp(ends[feature])):
                    r = np.uintp(where[t])
                    mine[r] += term(a, values[t])

    compiled: Callable[..., None] = kernel
    return compiled


@njit(nogil=True, cache=True)
def apart(left, i, right, j, width, absolute):  # type: ignore[no-untyped-def]
    """The sum of absolute, or of squared, differences of a pair of rows."""
    indptr, indices, data, form = left
    indptr2, indices2, data2, form2 = right
    shift, scale, pad = form[i, 1], form[i, 2], form[i, 3]
    shift2, scale2, pad2 = form2[j, 1], form2[j, 2], form2[j, 3]
    s, stop = indptr[i], indptr[i + 1]
    t, stop2 = indptr2[j], indptr2[j + 1]
    total, met = 0.0, 0
    while s < stop or t < stop2:
        first = indices[s] if s < stop else width
        second = indices2[t] if t < stop2 else width
        one = two = 0.0
        if first <= second:
            one = float(data[s])
            s += 1
        if second <= first:
            two = float(data2[t])
            t += 1
        gap = (one - shift) * scale - (two - shift2) * scale2
        total += abs(gap) if absolute else gap * gap
        met += 1
    gap = shift2 * scale2 - shift * scale
    total += (width - met) * (abs(gap) if absolute else gap * gap)
    return total + (pad - pad2) ** 2


@njit(nogil=True, cache=True)
def finish(left, rows, right, rows2, width, absolute, angle, root, small, sums, out):  # type: ignore[no-untyped-def]
    """Distances from the sums of what rows have in common.

    One that is small beside the sums it comes from has lost digits: it is computed again
    from the differences.
    """
    form, form2 = left[3], right[3]
    for x in range(rows.shape[0]):
        i = rows[x]
        for y in range(rows2.shape[0]):
            j = rows2[y]
            if angle:
                # The squared distance of the scaled rows: twice the cosine distance.
                both = sums[x, y] - width * form[i, 1] * form2[j, 1]
                scale = 2.0
                value = 2 - 2 * (both * form[i, 2] * form2[j, 2] + form[i, 3] * form2[j, 3])
            else:
                scale = form[i, 0] + form2[j, 0]
                value = scale - 2.0 * sums[x, y]
            if value < small * scale:
                value = apart(left, i, right, j, width, absolute)
            if root:
                value = np.sqrt(value)
            out[x, y] = value / 2 if angle else value
