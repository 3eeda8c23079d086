"""Alignments of series, compiled: eight side by side.

A cell of an alignment waits for the one before. So a series is aligned with eight others at a
time, whose cells do not wait for each other. Lanes are as long as the longest of the eight: what
is beyond the end of a shorter one is computed, and read by nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import njit

from .lanes import LANES, load, root, size, spread, store, where_at_most
from .tuples import Near


@cache
def elastic_kernel(cell: Callable[..., float]) -> Any:
    """The kernel that fills `out[i, places[j]]` with the cost of aligning two series.

    Of the `Sequences` on the two sides it takes the `few` and the `many`, which should be sorted
    by their lengths. `how` is an `Alignment`.
    """

    @njit(nogil=True, cache=True)
    def block(short, few, long, many, places, how, out):  # type: ignore[no-untyped-def]
        channels = short.values.shape[1]
        together = 1 if how.apart else channels
        outside = 0.0 if how.free else np.inf
        p, q, beyond = spread(how.p), spread(how.q), spread(outside)
        deep, widest = _longest(short, few), _longest(long, many)
        lanes = np.empty((channels, widest, LANES))
        lengths, found = np.zeros(LANES, dtype=np.int64), np.zeros(LANES)
        shape = (max(deep, widest) + 2, LANES)
        costs, gaps, side, weights = (
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(shape),
        )
        own, total, limits = np.zeros(deep), np.zeros(LANES), np.zeros(LANES)
        for first in range(0, many.shape[0], LANES):
            longest = _lay(long, many, first, lanes, lengths)
            if how.sides:
                _lane_sides(lanes, lengths, how, side, total)
            for i in range(few.shape[0]):
                a = short.values[short.starts[few[i]] : short.starts[few[i] + 1]]
                own_total = _own_sides(a, how, own) if how.sides else 0.0
                if how.weighted:
                    _weigh(how.p, lengths, a.shape[0], weights)
                band, uneven = _bands(how.window, lengths, a.shape[0], limits)
                found[:] = 0.0
                for c in range(0, channels, together):
                    costs[: longest + 2] = outside
                    if how.sums:
                        costs[: longest + 2] = total
                    costs[0], gaps[:] = 0.0, 0.0
                    for x in range(1, a.shape[0] + 1):
                        low, high = max(1, x - band), min(longest, x + band)
                        border = own_total if how.sums and low == 1 else outside
                        now, earlier = spread(a[x - 1, c]), spread(a[max(x - 2, 0), c])
                        own_side = spread(own[x - 1])
                        # The row above turns into this one, from the left on.
                        diagonal, left = load(costs, low - 1), spread(border)
                        gap_diagonal, gap_left = load(gaps, low - 1), spread(0.0)
                        back = load(lanes, c * widest + max(low - 2, 0))
                        store(costs, low - 1, left)
                        for y in range(low, high + 1):
                            there, gap_up = load(lanes, c * widest + y - 1), load(gaps, y)
                            gap = now - there
                            if together > 1 or how.squared:
                                gap = gap * gap
                                for other in range(c + 1, c + together):
                                    there_too = load(lanes, other * widest + y - 1)
                                    more = spread(a[x - 1, other]) - there_too
                                    gap = gap + more * more
                                if not how.squared:
                                    gap = root(gap)
                            else:
                                gap = size(gap)
                            up = load(costs, y)
                            near = Near(
                                diagonal, up, left, gap, gap_diagonal, gap_up, gap_left, own_side,
                                load(side, y - 1), now, earlier, there, back,
                                spread(float(abs(x - y))), load(weights, abs(x - y)),
                            )  # fmt: skip
                            left = cell(near, p, q)
                            if uneven:
                                left = where_at_most(near.away, load(limits, 0), left, beyond)
                            store(costs, y, left)
                            store(gaps, y, gap)
                            diagonal, gap_diagonal, gap_left, back = up, gap_up, gap, there
                        costs[high + 1] = outside
                    for lane in range(LANES):
                        found[lane] += costs[lengths[lane], lane]
                for lane in range(min(LANES, many.shape[0] - first)):
                    out[i, places[first + lane]] = found[lane]

    return block


@njit(nogil=True, cache=True)
def _longest(series, chosen):  # type: ignore[no-untyped-def]
    longest = 0
    for i in range(chosen.shape[0]):
        longest = max(longest, series.starts[chosen[i] + 1] - series.starts[chosen[i]])
    return longest


@njit(nogil=True, cache=True)
def _lay(series, chosen, first, lanes, lengths):  # type: ignore[no-untyped-def]
    """Put eight series side by side, the last one again where there are fewer; the longest."""
    for lane in range(LANES):
        at = chosen[min(first + lane, chosen.shape[0] - 1)]
        start, stop = series.starts[at], series.starts[at + 1]
        lengths[lane] = stop - start
        for c in range(lanes.shape[0]):
            lanes[c, : stop - start, lane] = series.values[start:stop, c]
            lanes[c, stop - start :, lane] = 0.0
    return lengths.max()


@njit(nogil=True, cache=True)
def _bands(window, lengths, n, limits):  # type: ignore[no-untyped-def]
    """How far from the diagonal a path may go in each lane; at most, and whether they differ."""
    for lane in range(LANES):
        most = max(n, lengths.max())
        limits[lane] = max(abs(lengths[lane] - n), window) if window >= 0 else most
    return int(limits.max()), limits.min() < limits.max()


@njit(nogil=True, cache=True)
def _own_sides(a, how, own):  # type: ignore[no-untyped-def]
    """The gap of each value from the constant, or from the value before; their sum."""
    total = 0.0
    for x in range(a.shape[0]):
        square = 0.0
        for c in range(a.shape[1]):
            other = how.p if how.ground else (a[x - 1, c] if x else 0.0)
            square += (a[x, c] - other) * (a[x, c] - other)
        own[x] = square if how.squared else np.sqrt(square)
        total += own[x]
    return total


@njit(nogil=True, cache=True)
def _lane_sides(lanes, lengths, how, side, total):  # type: ignore[no-untyped-def]
    """The same for lanes."""
    for lane in range(LANES):
        a = np.ascontiguousarray(lanes[:, : lengths[lane], lane].T)
        own = np.empty(a.shape[0])
        total[lane] = _own_sides(a, how, own)
        side[: a.shape[0], lane] = own


@njit(nogil=True, cache=True)
def _weigh(steep, lengths, n, weights):  # type: ignore[no-untyped-def]
    """The weight of a cell by its distance from the diagonal: logistic (Jeong et al. 2011)."""
    for lane in range(LANES):
        size = max(lengths[lane], n)
        if lane and size == max(lengths[lane - 1], n):
            weights[:size, lane] = weights[:size, lane - 1]
        else:
            for d in range(size):
                weights[d, lane] = 1.0 / (1.0 + np.exp(-steep * (d - size / 2)))
