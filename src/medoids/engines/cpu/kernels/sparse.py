"""Compiled loops over the non-zeros of sparse rows.

Rows are `Lists`, the others are named tuples too: see `medoids.engines.cpu.points.sparse`.
"""

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
def sparse_least(a: float, b: float) -> float:
    """(|a| + |b| - |a - b|) / 2 where nothing is negative."""
    return min(a, b)


@register_jitable
def sparse_overlap(a: float, b: float) -> float:
    """(|a| + |b| - |a - b|) / 2."""
    return max(min(a, b), 0) - min(max(a, b), 0)


@register_jitable
def sparse_product(a: float, b: float) -> float:
    return a * b


@njit(nogil=True, cache=True)
def sparse_describe(lists, width, metric, start, stop, form):  # type: ignore[no-untyped-def]
    """What a metric needs of each row: its size, and the shift, scale and pad of its form."""
    absolute, centred, scaled = metric.absolute, metric.centred, metric.angle
    for i in range(start, stop):
        values = lists.data[lists.starts[i] : lists.stops[i]]
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
def sparse_split(old, unit, place, n_common, start, stop, common):  # type: ignore[no-untyped-def]
    """Number the features of some rows anew, the common ones first, and divide by the unit.

    `place` keeps the order within the common and within the rare ones: each part of a row
    stays in order. `common` gets both parts, one after the other, and where the first stops.
    """
    indices, data = old.indices, old.data
    for i in range(start, stop):
        first = old.starts[i]
        for s in range(old.starts[i], old.stops[i]):
            first += place[indices[s]] < n_common
        common.stops[i] = first
        one, two = old.starts[i], first
        for s in range(old.starts[i], old.stops[i]):
            feature = place[indices[s]]
            at = one if feature < n_common else two
            one += feature < n_common
            two += feature >= n_common
            common.indices[at], common.data[at] = feature, data[s] / unit


@njit(nogil=True, cache=True)
def sparse_lay_out(lists, chosen, panel):  # type: ignore[no-untyped-def]
    """Lay some rows out as columns of a panel of zeros."""
    indices, data = lists.indices, lists.data
    for r in range(chosen.shape[0]):
        for s in range(lists.starts[chosen[r]], lists.stops[chosen[r]]):
            panel[indices[s], r] = data[s]


@njit(nogil=True, cache=True)
def sparse_post(rare, chosen, n_common, postings):  # type: ignore[no-untyped-def]
    """For each rare feature, list the rows that have it: up to `ends[feature]`."""
    starts, stops, indices, data = rare
    ends, where, values = postings
    ends[:] = 0
    for r in range(chosen.shape[0]):
        for s in range(starts[chosen[r]], stops[chosen[r]]):
            ends[indices[s] - n_common + 1] += 1
    for f in range(1, ends.shape[0]):
        ends[f] += ends[f - 1]
    for r in range(chosen.shape[0]):
        for s in range(starts[chosen[r]], stops[chosen[r]]):
            at = ends[indices[s] - n_common]
            where[at], values[at] = r, data[s]
            ends[indices[s] - n_common] = at + 1


@cache
def sparse_over_panel(term: Callable[..., float], width: int) -> Callable[..., None]:
    """The kernel for panels of one width, which is known when it is compiled."""

    @njit(nogil=True, cache=True, fastmath=_REORDER)
    def kernel(lists, chosen, panel, first, sums):  # type: ignore[no-untyped-def]
        """Sums of the term over some features, for each row and each column of the panel.

        They are put into the columns of `sums` from the `first` on.
        Four non-zeros at a time, so that a sum is loaded and stored a quarter as often.
        Unsigned numbers, since a signed index is checked for its sign.
        """
        starts, stops, indices, data = lists
        real = panel.dtype.type
        for x in range(chosen.shape[0]):
            s, stop = np.uintp(starts[chosen[x]]), np.uintp(stops[chosen[x]])
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
def sparse_over_lists(term: Callable[..., float]) -> Callable[..., None]:
    """The kernel for features that few rows have."""

    @njit(nogil=True, cache=True, fastmath=_REORDER)
    def kernel(rare, chosen, n_common, postings, sums):  # type: ignore[no-untyped-def]
        """Add the term over the rare features to the sums of each row and each listed one."""
        starts, stops, indices, data = rare
        ends, where, values = postings
        real = sums.dtype.type
        for x in range(chosen.shape[0]):
            mine = sums[x]
            for s in range(starts[chosen[x]], stops[chosen[x]]):
                feature = np.uintp(indices[s] - n_common)
                a = real(data[s])
                first = ends[feature - _ONE] if feature else ends.dtype.type(0)
                for t in range(np.uintp(first), np.uintp(ends[feature])):
                    r = np.uintp(where[t])
                    mine[r] += term(a, values[t])

    compiled: Callable[..., None] = kernel
    return compiled


@njit(nogil=True, cache=True)
def _apart(left, i, right, j, width, absolute):  # type: ignore[no-untyped-def]
    """The sum of absolute, or of squared, differences of a pair of rows."""
    indices, data, indices2, data2 = left.indices, left.data, right.indices, right.data
    shift, scale, pad = left.form[i, 1], left.form[i, 2], left.form[i, 3]
    shift2, scale2, pad2 = right.form[j, 1], right.form[j, 2], right.form[j, 3]
    s, stop = left.starts[i], left.stops[i]
    t, stop2 = right.starts[j], right.stops[j]
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
def sparse_finish(left, right, width, metric, small, sums, out):  # type: ignore[no-untyped-def]
    """Distances from the sums of what the chosen rows of two sides have in common.

    One that is small beside the sums it comes from has lost digits: it is computed again
    from the differences.
    """
    rows, rows2, form2, angle = left.chosen, right.chosen, right.form, metric.angle
    for x in range(rows.shape[0]):
        i = rows[x]
        size, mean = left.form[i, 0], left.form[i, 1]
        factor, pad = left.form[i, 2], left.form[i, 3]
        shift = width * mean
        for y in range(rows2.shape[0]):
            j = rows2[y]
            if angle:
                # The squared distance of the scaled rows: twice the cosine distance.
                both = sums[x, y] - shift * form2[j, 1]
                scale = 2.0
                value = 2 - 2 * (both * factor * form2[j, 2] + pad * form2[j, 3])
            else:
                scale = size + form2[j, 0]
                value = scale - 2.0 * sums[x, y]
            if value < small * scale:
                value = _apart(left, i, right, j, width, metric.absolute)
            if metric.root:
                value = np.sqrt(value)
            out[x, y] = value / 2 if angle else value
