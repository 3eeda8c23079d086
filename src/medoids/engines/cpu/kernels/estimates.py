"""Compiled loops over distances to some references: estimates of rewards, and their bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from .reward import gain, reward
from .vectors import larger, smaller

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .tuples import Changed, Estimates, Homes, Lines, Moved, Removed, Weights

# Arms that one pass of `screen` keeps sums for; they stay in the first-level cache.
_TILE = 1024
# Lines that are added up in float32 before they go into sums of float64.
_LINES = 64
_REORDER = {"reassoc", "nsz", "contract"}


@njit(nogil=True, cache=True, fastmath=_REORDER)
def _add_lines(columns, lines, swap, sign, span, few, sums, there):  # type: ignore[no-untyped-def]
    """Add to the sums of a span of arms its rewards at some references; see `carry_sums`.

    `few` is memory for a tile of arms, and `there` where the span begins in the sums.
    """
    at, ids, bounds, caps = lines
    kinds = 2 if swap else 1
    for first in range(span[0], span[1], _TILE):
        width, begin = smaller(_TILE, span[1] - first), there + first - span[0]
        for h in range(bounds.shape[0] - 1):
            # Float32 adds up few lines at a time: over thousands its errors would show.
            for low in range(bounds[h], bounds[h + 1], _LINES):
                for i in range(2 * kinds):
                    for x in range(width):
                        few[_TILE * i + x] = 0
                for s in range(low, smaller(low + _LINES, bounds[h + 1]), 4):
                    # Rows by name, and sums in one array: of more the compiler cannot tell that
                    # what is written is none of what is read.
                    row_a, row_b = columns[at[s], first:], columns[at[s + 1], first:]
                    row_c, row_d = columns[at[s + 2], first:], columns[at[s + 3], first:]
                    for i in range(kinds):
                        once, squared = _TILE * 2 * i, _TILE * (2 * i + 1)
                        cap_a, base_a = caps[s, 2 * i], caps[s, 2 * i + 1]
                        cap_b, base_b = caps[s + 1, 2 * i], caps[s + 1, 2 * i + 1]
                        cap_c, base_c = caps[s + 2, 2 * i], caps[s + 2, 2 * i + 1]
                        cap_d, base_d = caps[s + 3, 2 * i], caps[s + 3, 2 * i + 1]
                        for x in range(width):
                            a, b = reward(row_a[x], cap_a, base_a), reward(row_b[x], cap_b, base_b)
                            c, d = reward(row_c[x], cap_c, base_c), reward(row_d[x], cap_d, base_d)
                            few[once + x] += (a + b) + (c + d)
                            few[squared + x] += (a * a + b * b) + (c * c + d * d)
                    # What an arm gains at itself is known and is added later, exactly.
                    for e in range(s, s + 4):
                        x = ids[e] - first
                        for i in range(kinds if 0 <= x < width else 0):
                            a = reward(columns[at[e], ids[e]], caps[e, 2 * i], caps[e, 2 * i + 1])
                            few[_TILE * 2 * i + x] -= a
                            few[_TILE * (2 * i + 1) + x] -= a * a
                for i in range(2 * kinds):
                    line = sums[h, i, begin : begin + width]
                    for x in range(width):
                        line[x] += sign * few[_TILE * i + x]


def carry_sums(
    columns: NDArray[np.float32],
    gone: Lines,
    come: Lines,
    swap: bool,
    span: tuple[int, int],
    sums: NDArray[np.float64],
) -> None:
    """Take rewards at some references out of the sums of a span of arms, and add those at others.

    Parameters
    ----------
    columns : ndarray of float32 of shape (references, arms)
    gone, come : Lines
    swap : bool
    span : tuple of int
        The first arm, and the one after the last.
    sums : ndarray of float64 of shape (strata, 2 or 4, arms), changed
        Sums of rewards with the owner staying, of their squares, and the same with it going.
    """
    few = np.empty(4 * _TILE, np.float32)
    _add_lines(columns, gone, swap, -1.0, span, few, sums, span[0])
    _add_lines(columns, come, swap, 1.0, span, few, sums, span[0])


@njit(nogil=True, cache=True, fastmath=_REORDER)
def _screen_tile(sums, there, weights, homes, removal, swap, z, first, width, scratch, out):  # type: ignore[no-untyped-def]
    share, spread, counts = weights
    own, owner, part, home = homes
    # What is known of an arm: sums of rewards, squares, variance, rewards at home. And of its
    # swaps.
    found, estimate, moved, widened = scratch
    mean, lower, sizes = out
    k, kinds, each = removal.shape[0], 2 if swap else 1, lower.shape[0] > 1
    for x in range(width):
        estimate[x] = 0
        for i in range(4):
            found[_TILE * i + x] = 0
    for g in range(k if swap else 0):
        for x in range(width):
            moved[g, x] = widened[g, x] = 0
    for h in range(2 * k):
        if counts[h] == 0:
            continue
        g = h if h < k else h - k
        weight, factor, count = share[h], spread[h], counts[h]
        stay, stay2 = sums[h, 0, there : there + width], sums[h, 1, there : there + width]
        go = sums[h, kinds, there : there + width]
        go2 = sums[h, 2 * kinds - 1, there : there + width]
        for x in range(width):
            scale = weight * (home[first + x] if part[first + x] == h else np.float32(1))
            stays, goes = stay[x], go[x]
            found[x] += stays
            found[_TILE + x] += stay2[x]
            estimate[x] += scale * stays
            inside = factor * larger(stay2[x] - stays * stays / count, 0.0)
            found[2 * _TILE + x] += inside
            if swap:
                found[3 * _TILE + x] += goes if owner[first + x] == g else 0.0
                moved[g, x] += scale * (goes - stays)
                other = larger(go2[x] - goes * goes / count, 0.0)
                widened[g, x] += factor * other - inside
    for x in range(width):
        arm = first + x
        for i in range(4):
            sizes[arm, i] = found[_TILE * i + x]
        alone = estimate[x] + own[arm, 0]
        mean[arm] = np.inf if swap else alone
        lower[0, arm] = np.inf
        if each or not swap:
            lower[k if swap else 0, arm] = alone - z * np.sqrt(found[2 * _TILE + x])
    for g in range(k if swap else 0):
        line = g if each else 0
        for x in range(width):
            arm = first + x
            value = estimate[x] + moved[g, x] + removal[g]
            value += own[arm, 1] if owner[arm] == g else own[arm, 0]
            wide = larger(found[2 * _TILE + x] + widened[g, x], np.float32(0))
            sizes[arm, 2] = wide if value < mean[arm] else sizes[arm, 2]
            mean[arm] = smaller(mean[arm], value)
            bound = value - z * np.sqrt(wide)
            lower[line, arm] = bound if each else smaller(lower[line, arm], bound)


@njit(nogil=True, cache=True, fastmath=_REORDER)
def _screen(sums, there, weights, homes, removal, swap, z, span, scratch, out):  # type: ignore[no-untyped-def]
    """See `screen`: estimate a span of arms, tile by tile. It begins in the sums at `there`."""
    for first in range(span[0], span[1], _TILE):
        width, at = smaller(_TILE, span[1] - first), there + first - span[0]
        _screen_tile(sums, at, weights, homes, removal, swap, z, first, width, scratch, out)


def screen(
    columns: NDArray[np.float32],
    lines: Lines,
    carried: NDArray[np.float64],
    weights: Weights,
    homes: Homes,
    removal: NDArray[np.float32],
    swap: bool,
    z: np.float32,
    span: tuple[int, int],
    out: Estimates,
) -> None:
    """Estimate the arms of a span (start, stop) from the same references, stratified by owner.

    Parameters
    ----------
    columns : ndarray of float32 of shape (references, arms)
    lines : Lines
        The references that are not in `carried`.
    carried : ndarray of float64 of shape (k, 2 or 4, arms)
        Sums over references of the first k strata, as in `carry_sums`; of length 0 if there are
        none.
    weights : Weights
    homes : Homes
    removal : ndarray of float32
        What taking each medoid away costs, per point.
    out : Estimates
    """
    k, kinds = len(removal), 2 if swap else 1
    moved, widened = np.empty((2, k if swap else 0, _TILE), np.float32)
    scratch = np.empty(4 * _TILE, np.float32), np.empty(_TILE), moved, widened
    as_it_is = len(carried) > 0 and not len(lines.at)
    if as_it_is:
        _screen(carried, span[0], weights, homes, removal, swap, z, span, scratch, out)
        return
    sums, few = np.empty((2 * k, 2 * kinds, _TILE)), np.empty(4 * _TILE, np.float32)
    for first in range(*span, _TILE):
        part = first, min(first + _TILE, span[1])
        if len(carried):
            sums[:k, :, : part[1] - first] = carried[:, :, first : part[1]]
        sums[len(carried) :] = 0.0
        _add_lines(columns, lines, swap, 1.0, part, few, sums, 0)
        _screen(sums, 0, weights, homes, removal, swap, z, part, scratch, out)


@njit(nogil=True, cache=True, fastmath=_REORDER)
def _carry(columns, changed, moved_arms, removed, weights, span, scratch, lower, sizes):  # type: ignore[no-untyped-def]
    """See `carry`; `scratch` is memory for a tile of arms."""
    lines, ids, old, new, old_owners, new_owners = changed
    old_own, new_own, old_home, new_home = moved_arms
    removal, replaced = removed
    share, spread, z = weights
    total, squares, moved, widened = scratch
    zero, k = np.float32(0), lower.shape[0] - 1
    for first in range(span[0], span[1], _TILE):
        width = smaller(_TILE, span[1] - first)
        for x in range(width):
            total[x] = squares[x] = 0
        for m in range(k):
            for x in range(width):
                moved[m, x] = widened[m, x] = 0
        for s in range(lines.shape[0]):
            row = columns[lines[s], first : first + width]
            near, second, near2, second2 = old[s, 0], old[s, 1], new[s, 0], new[s, 1]
            left, right = old_owners[s], new_owners[s]
            me = ids[s] - first
            same = left == right and not replaced[right]
            # Nothing is kept of the medoid that went; a new one starts from nothing.
            keep = zero if replaced[left] else np.float32(1)
            both = zero if replaced[right] else np.float32(2)
            mine = row[me] if 0 <= me < width else zero
            if 0 <= me < width:  # what an arm gains at itself is known
                row[me] = np.inf
            for x in range(width):
                before, after = gain(row[x], near), gain(row[x], near2)
                change = after - before
                total[x] += change
                squares[x] += change * change
                goes = gain(row[x], second) - before
                comes = gain(row[x], second2) - after
                if same:
                    more = comes - goes
                    moved[left, x] += more
                    widened[left, x] += more * (more + change + change)
                else:
                    moved[left, x] -= keep * goes
                    widened[left, x] += keep * goes * (goes - change - change)
                    moved[right, x] += comes
                    widened[right, x] += comes * (comes + both * change)
            if 0 <= me < width:
                row[me] = mine
        for x in range(width):
            arm = first + x
            sizes[arm, 0] += abs(total[x])
            sizes[arm, 1] += squares[x]
            own = new_own[arm, 0] - old_own[arm, 0]
            lower[k, arm] += share * total[x] + own - z * np.sqrt(spread * squares[x])
        for m in range(k):
            for x in range(width):
                arm = first + x
                own = new_own[arm, 1 if new_home[arm] == m else 0]
                if replaced[m]:
                    change = share * moved[m, x] + own - new_own[arm, 0] + removal[m]
                    wide = spread * larger(widened[m, x], zero)
                    lower[m, arm] = lower[k, arm] + change - z * np.sqrt(wide)
                else:
                    own -= old_own[arm, 1 if old_home[arm] == m else 0]
                    wide = spread * larger(squares[x] + widened[m, x], zero)
                    change = share * (total[x] + moved[m, x]) + own + removal[m]
                    lower[m, arm] += change - z * np.sqrt(wide)


def carry(
    columns: NDArray[np.float32],
    changed: Changed,
    moved_arms: Moved,
    removed: Removed,
    weights: tuple[np.float32, np.float32, np.float32],
    span: tuple[int, int],
    lower: NDArray[np.float32],
    sizes: NDArray[np.float32],
) -> None:
    """Bring lower bounds up to date with what changed at some references.

    A swap with a new medoid is bounded by the addition, and by what the medoid's points say,
    which are all among the references that changed.

    Parameters
    ----------
    columns : ndarray of float32 of shape (references, arms)
    changed : Changed
    moved_arms : Moved
    removed : Removed
    weights : tuple of float32
        The share of all points that a line stands for, the factor from a sum of squares to a
        variance, and z.
    span : tuple of int
        The first arm, and the one after the last.
    lower : ndarray of float32 of shape (k + 1, arms), changed
    sizes : ndarray of float32 of shape (arms, 2), added to
        Sums of the changes' sizes, and of their squares.
    """
    total, squares = np.empty((2, _TILE), np.float32)
    moved, widened = np.empty((2, len(lower) - 1, _TILE), np.float32)
    scratch = total, squares, moved, widened
    _carry(columns, changed, moved_arms, removed, weights, span, scratch, lower, sizes)


@njit(nogil=True, cache=True, fastmath=_REORDER)
def add_gains(columns, lines, old, new, sums, first):  # type: ignore[no-untyped-def]
    """Add to the arms' sums what they gain where references pay `new`, not `old`."""
    width = sums.shape[0]
    change = np.zeros(width, dtype=np.float32)
    for s in range(lines.shape[0]):
        row = columns[lines[s], first : first + width]
        before, after = old[s], new[s]
        for x in range(width):
            change[x] += gain(row[x], after) - gain(row[x], before)
    for x in range(width):
        sums[x] += change[x]


@njit(nogil=True, cache=True)
def turn(columns, arms, out):  # type: ignore[no-untyped-def]
    """Copy some arms' columns to rows.

    Eight references at a time: what is not in the cache is waited for eight times at once.
    """
    width, height = arms.shape[0], columns.shape[0]
    for first in range(0, height - 7, 8):
        a, b, c, d = columns[first], columns[first + 1], columns[first + 2], columns[first + 3]
        e, f, g, h = columns[first + 4], columns[first + 5], columns[first + 6], columns[first + 7]
        for x in range(width):
            arm, row = arms[x], out[x, first : first + 8]
            row[0], row[1], row[2], row[3] = a[arm], b[arm], c[arm], d[arm]
            row[4], row[5], row[6], row[7] = e[arm], f[arm], g[arm], h[arm]
    for s in range(height - height % 8, height):
        for x in range(width):
            out[x, s] = columns[s, arms[x]]
