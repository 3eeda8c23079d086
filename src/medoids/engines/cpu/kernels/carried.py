"""Compiled loops over all distances, held as whole numbers: to fill them in, and to sum them."""

from __future__ import annotations

import numpy as np
from numba import njit

from .vectors import larger, smaller

# Sums are in float32 for so many points, and in float64 beyond.
_TOGETHER = 64
# Arms whose sums stay near the core.
_TILE = 4096


@njit(nogil=True, cache=True)
def round_by_chance(block, scale, noise, top, left, scratch, rows):  # type: ignore[no-untyped-def]
    """Round distances times a scale up or down, so that the mean is right; the largest of them.

    Parameters
    ----------
    block : ndarray of float32
        Distances of points from `top` on and from `left` on.
    scale : float
    noise : ndarray of float32
        Random numbers from 0 to 1. Those of a row begin one after those of the row before, so that
        no row and no column has the same twice.
    top, left : int
    scratch : ndarray of uint16, at least of the shape of the block
    rows : ndarray of uint16, of shape (n, n)
        Where they go, both ways round. What is too large ends at 65,535.
    """
    by, most = np.float32(scale), np.float32(65535.0)
    height, width = block.shape
    largest = np.int32(0)  # `larger` knows signs
    for i in range(height):
        row, chance, there = block[i], noise[top + left + i :], scratch[i]
        for j in range(width):
            far = row[j] * by + chance[j]
            there[j] = np.uint16(np.int32(far if far < most else most))
        out = rows[top + i, left : left + width]
        for j in range(width):
            largest = larger(largest, np.int32(there[j]))
            out[j] = there[j]
    for j in range(width):
        line = rows[left + j, top : top + height]
        for i in range(height):
            line[i] = scratch[i, j]
    return largest


@njit(nogil=True, cache=True)
def add_payments(rows, points, clips, sign, start, stop, sums):  # type: ignore[no-untyped-def]
    """Add up what some arms change at points where they pay for nothing else.

    Parameters
    ----------
    rows : ndarray of uint16, of shape (n, n)
        The row of a point has its distances from all arms.
    points : ndarray of int
        A multiple of four.
    clips : ndarray of float32, of shape (points, 2)
        Of each what an arm's distance is cut at, and what is taken from it.
    sign : ndarray of float64
        Of each four: 1, or -1 to take away what was added.
    start, stop : int
        The arms.
    sums : ndarray of float64, of shape (2, n)
        Of all arms: the changes, and at how many points a distance was not cut.
    """
    # One array for both sums: of two the compiler cannot tell that they are apart.
    part = np.zeros(2 * _TILE, dtype=np.float32)
    one, none = np.float32(1.0), np.float32(0.0)
    count = points.shape[0]
    for first in range(start, stop, _TILE):
        last, since = smaller(first + _TILE, stop), 0
        for t in range(0, count, 4):
            a, b = rows[points[t], first:last], rows[points[t + 1], first:last]
            c, d = rows[points[t + 2], first:last], rows[points[t + 3], first:last]
            cap_a, cap_b = clips[t, 0], clips[t + 1, 0]
            cap_c, cap_d = clips[t + 2, 0], clips[t + 3, 0]
            base = clips[t, 1] + clips[t + 1, 1] + clips[t + 2, 1] + clips[t + 3, 1]
            for j in range(last - first):
                e, f, g, h = np.float32(a[j]), np.float32(b[j]), np.float32(c[j]), np.float32(d[j])
                paid = smaller(e, cap_a) + smaller(f, cap_b)
                paid += smaller(g, cap_c) + smaller(h, cap_d)
                part[j] += paid - base
                seen = (one if e < cap_a + one else none) + (one if f < cap_b + one else none)
                seen += (one if g < cap_c + one else none) + (one if h < cap_d + one else none)
                part[_TILE + j] += seen
            since += 4
            now = sign[t // 4]
            if since == _TOGETHER or t + 4 == count or sign[t // 4 + 1] != now:
                _flush(part[:_TILE], now, sums[0, first:last])
                _flush(part[_TILE:], now, sums[1, first:last])
                since = 0


@njit(nogil=True, cache=True)
def add_swaps(rows, points, clips, owner, sign, start, stop, sums, more):  # type: ignore[no-untyped-def]
    """Add up what some arms change in SWAP.

    Parameters
    ----------
    rows, sign, start, stop, sums
        See `add_payments`.
    points : ndarray of int
        Four of one owner at a time.
    clips : ndarray of float32, of shape (points, 2)
        Of each the distances of its nearest medoid and of the second-nearest.
    owner : ndarray of int
        Of each four.
    more : ndarray of float64, of shape (k, n)
        What is added where each medoid goes.
    """
    part = np.zeros(3 * _TILE, dtype=np.float32)
    one, none = np.float32(1.0), np.float32(0.0)
    count = points.shape[0]
    for first in range(start, stop, _TILE):
        last, since = smaller(first + _TILE, stop), 0
        for t in range(0, count, 4):
            a, b = rows[points[t], first:last], rows[points[t + 1], first:last]
            c, d = rows[points[t + 2], first:last], rows[points[t + 3], first:last]
            near_a, near_b = clips[t, 0], clips[t + 1, 0]
            near_c, near_d = clips[t + 2, 0], clips[t + 3, 0]
            far_a, far_b = clips[t, 1], clips[t + 1, 1]
            far_c, far_d = clips[t + 2, 1], clips[t + 3, 1]
            base = near_a + near_b + near_c + near_d
            for j in range(last - first):
                e, f, g, h = np.float32(a[j]), np.float32(b[j]), np.float32(c[j]), np.float32(d[j])
                stays = smaller(e, near_a) + smaller(f, near_b)
                stays += smaller(g, near_c) + smaller(h, near_d)
                goes = smaller(e, far_a) + smaller(f, far_b)
                goes += smaller(g, far_c) + smaller(h, far_d)
                part[j] += stays - base
                part[_TILE + j] += goes - stays
                seen = (one if e < far_a + one else none) + (one if f < far_b + one else none)
                seen += (one if g < far_c + one else none) + (one if h < far_d + one else none)
                part[2 * _TILE + j] += seen
            since += 4
            i = t // 4
            mine, now = owner[i], sign[i]
            over = since == _TOGETHER or t + 4 == count
            if over or owner[i + 1] != mine or sign[i + 1] != now:
                _flush(part[:_TILE], now, sums[0, first:last])
                _flush(part[_TILE:], now, more[mine, first:last])
                _flush(part[2 * _TILE :], now, sums[1, first:last])
                since = 0


@njit(nogil=True, cache=True)
def _flush(part, sign, total):  # type: ignore[no-untyped-def]
    """Add sums of a few points to those of all."""
    for j in range(total.shape[0]):
        total[j] += sign * np.float64(part[j])
        part[j] = np.float32(0.0)
