"""Compiled loops over all distances, held as whole numbers: to fill them in, and to sum them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from .vectors import larger, smaller, turn_eight

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .tuples import Fours

# Points of a side of a tile.
_SIDE = 256
# Sums are in float32 for so many points, and in float64 beyond.
_TOGETHER = 64


@njit(nogil=True, cache=True)
def round_by_chance(block, top, left, scale, noise, out, least):  # type: ignore[no-untyped-def]
    """Round distances times a scale up or down, so that the mean is right; the largest of them.

    Parameters
    ----------
    block : ndarray of float32
    top, left : int
        Where in it the tile begins.
    scale : float
    noise : ndarray of float32
        Random numbers from 0 to 1. Those of a row begin one after those of the row before, so that
        no row and no column has the same twice.
    out : ndarray of uint16, a tile
        Where they go. What is too large ends at 65,535; where there is no distance, nothing is
        written.
    least : ndarray of uint16 of shape (2, side)
        The lowest of each row, and of each column.
    """
    by, most = np.float32(scale), np.float32(65535.0)
    height = smaller(_SIDE, block.shape[0] - top)
    width = smaller(_SIDE, block.shape[1] - left)
    largest, lowest = np.int32(0), np.full(_SIDE, 65535, np.int32)  # `larger` knows signs
    for i in range(height):
        row, chance, there = block[top + i, left : left + width], noise[i:], out[i]
        for j in range(width):
            far = row[j] * by + chance[j]
            there[j] = np.uint16(np.int32(far if far < most else most))
        low, high = np.int32(65535), np.int32(0)
        for j in range(width):
            low = smaller(low, np.int32(there[j]))
            high = larger(high, np.int32(there[j]))
            lowest[j] = smaller(lowest[j], np.int32(there[j]))
        least[0, i] = low
        largest = larger(largest, high)
    for j in range(width):
        least[1, j] = lowest[j]
    return largest


@njit(nogil=True, cache=True)
def _add_payments(tiles, least, fours, swap, span, turned, part, sums, more):  # type: ignore[no-untyped-def]
    """See `add_payments`. `turned` is memory for a tile, and `part` for three sums of a block."""
    lines, clips, owner, sign, bounds = fours
    one, none = np.float32(1.0), np.float32(0.0)
    flat, blocks = turned.reshape(-1), bounds.shape[0] - 1
    kinds = 1 if swap else 0
    for arms in range(span[0], span[1]):
        start = arms * _SIDE
        stop = smaller(start + _SIDE, sums.shape[1])
        for i in range(blocks):
            first, last = (i, arms) if i < arms else (arms, i)
            tile = first * blocks - first * (first - 1) // 2 + last - first
            # Of the tiles beyond the first block arms are rows: eight points at a time are turned.
            rows, low, is_turned = tiles[tile], least[tile, 1 if i > arms else 0], i > arms
            square, ready, since = rows.reshape(-1), np.uint64(0), 0
            for t in range(bounds[i], bounds[i + 1], 4):
                p, q, r, s = lines[t], lines[t + 1], lines[t + 2], lines[t + 3]
                near_a, near_b = clips[t, 0], clips[t + 1, 0]
                near_c, near_d = clips[t + 2, 0], clips[t + 3, 0]
                far_a, far_b = clips[t, 1], clips[t + 1, 1]
                far_c, far_d = clips[t + 2, 1], clips[t + 3, 1]
                reach_a, reach_b = clips[t, kinds] + one, clips[t + 1, kinds] + one
                reach_c, reach_d = clips[t + 2, kinds] + one, clips[t + 3, kinds] + one
                counts = low[p] < reach_a or low[q] < reach_b
                counts = counts or low[r] < reach_c or low[s] < reach_d
                if counts and is_turned:
                    for e in range(t, t + 4):
                        eight = lines[e] // 8
                        bit = np.uint64(1) << np.uint64(eight)
                        if not ready & bit:
                            ready |= bit
                            for j in range(0, _SIDE, 8):
                                turn_eight(
                                    square,
                                    _SIDE * j + 8 * eight,
                                    flat,
                                    8 * _SIDE * eight + j,
                                    _SIDE,
                                )
                if counts:
                    if is_turned:
                        a, b, c, d = turned[p], turned[q], turned[r], turned[s]
                    else:
                        a, b, c, d = rows[p], rows[q], rows[r], rows[s]
                    near, far = near_a + near_b + near_c + near_d, far_a + far_b + far_c + far_d
                    since += 4
                    for j in range(_SIDE if swap else 0):
                        at_a, at_b = np.float32(a[j]), np.float32(b[j])
                        at_c, at_d = np.float32(c[j]), np.float32(d[j])
                        stays = smaller(at_a, near_a) + smaller(at_b, near_b)
                        stays += smaller(at_c, near_c) + smaller(at_d, near_d)
                        goes = smaller(at_a, far_a) + smaller(at_b, far_b)
                        goes += smaller(at_c, far_c) + smaller(at_d, far_d)
                        part[j] += stays - near
                        part[_SIDE + j] += (goes - far) - (stays - near)
                        seen = (one if at_a < reach_a else none) + (one if at_b < reach_b else none)
                        seen += (one if at_c < reach_c else none) + (
                            one if at_d < reach_d else none
                        )
                        part[2 * _SIDE + j] += seen
                    for j in range(0 if swap else _SIDE):
                        at_a, at_b = np.float32(a[j]), np.float32(b[j])
                        at_c, at_d = np.float32(c[j]), np.float32(d[j])
                        paid = smaller(at_a, near_a) + smaller(at_b, near_b)
                        paid += smaller(at_c, near_c) + smaller(at_d, near_d)
                        part[j] += paid - far
                        seen = (one if at_a < reach_a else none) + (one if at_b < reach_b else none)
                        seen += (one if at_c < reach_c else none) + (
                            one if at_d < reach_d else none
                        )
                        part[2 * _SIDE + j] += seen
                four = t // 4
                mine, now = owner[four], sign[four]
                is_last = since >= _TOGETHER or t + 4 == bounds[i + 1] or sign[four + 1] != now
                if since > 0 and is_last:
                    _flush(part[:_SIDE], now, sums[0, start:stop])
                    _flush(part[2 * _SIDE :], now, sums[1, start:stop])
                if since > 0 and swap and (is_last or owner[four + 1] != mine):
                    _flush(part[_SIDE : 2 * _SIDE], now, more[mine, start:stop])
                since = 0 if is_last else since


@njit(nogil=True, cache=True)
def _flush(part, sign, total):  # type: ignore[no-untyped-def]
    """Add sums of a few points to those of all."""
    for j in range(total.shape[0]):
        total[j] += sign * np.float64(part[j])
    for j in range(part.shape[0]):
        part[j] = np.float32(0.0)


def add_payments(
    tiles: NDArray[np.uint16],
    least: NDArray[np.uint16],
    fours: Fours,
    swap: bool,
    span: tuple[int, int],
    sums: NDArray[np.float64],
    more: NDArray[np.float64],
) -> None:
    """Add up what arms change at some points.

    Parameters
    ----------
    tiles, least : ndarray of uint16
        See `Held`. Where all distances of a point are beyond what it pays, they are not read.
    fours : Fours
    swap : bool
    span : tuple of int
        The first block of arms, and the one after the last.
    sums : ndarray of float64 of shape (2, n), changed
        Of all arms: the changes, and at how many points a distance was not cut.
    more : ndarray of float64 of shape (k, n), changed
        In SWAP, what an arm wins besides where each medoid goes: what that costs without it is
        left out.
    """
    turned = np.zeros((_SIDE, _SIDE), np.uint16)
    part = np.zeros(3 * _SIDE, np.float32)
    _add_payments(tiles, least, tuple(fours), swap, span, turned, part, sums, more)
