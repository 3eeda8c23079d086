"""Compiled loops over all distances, held as whole numbers: to fill them in, and to sum them."""

from __future__ import annotations

import numpy as np
from numba import njit

# Sums are in float32 for so many points, and in float64 beyond.
_TOGETHER = 64


@njit(nogil=True, cache=True)
def round_by_chance(block, scale, noise, out):  # type: ignore[no-untyped-def]
    """Round distances times a scale up or down, so that the mean is right.

    Parameters
    ----------
    block : ndarray of float32
    scale : float
    noise : ndarray of float32
        Random numbers from 0 to 1: those of a row begin one after those of the row before, so that
        no row and no column has the same twice.
    out : ndarray of uint16
        What is too large ends at 65,535.
    """
    by, most = np.float32(scale), np.float32(65535.0)
    for i in range(block.shape[0]):
        row, chance, there = block[i], noise[i : i + block.shape[1]], out[i]
        for j in range(row.shape[0]):
            far = row[j] * by + chance[j]
            there[j] = np.uint16(np.int32(far if far < most else most))


@njit(nogil=True, cache=True)
def add_payments(rows, points, clips, start, stop, sums):  # type: ignore[no-untyped-def]
    """Add up what some arms change at points where they pay for nothing else.

    Parameters
    ----------
    rows : ndarray of uint16, of shape (n, n)
        The row of a point has its distances from all arms.
    points : ndarray of int
    clips : ndarray of float32, of shape (n, 2)
        Of each point what an arm's distance is cut at, and what is taken from it.
    start, stop : int
        The arms.
    sums : ndarray of float64, of shape (2, n)
        Of all arms: the changes, and at how many points a distance was not cut.
    """
    gain = np.zeros(stop - start, dtype=np.float32)
    seen = np.zeros(stop - start, dtype=np.float32)
    one = np.float32(1.0)
    for t in range(points.shape[0]):
        row = rows[points[t], start:stop]
        cap, base = clips[points[t], 0], clips[points[t], 1]
        for j in range(gain.shape[0]):
            far = np.float32(row[j])
            gain[j] += (far if far < cap else cap) - base
            seen[j] += one if far < cap + one else np.float32(0.0)
        if (t + 1) % _TOGETHER == 0 or t + 1 == points.shape[0]:
            _flush(gain, sums[0, start:stop])
            _flush(seen, sums[1, start:stop])


@njit(nogil=True, cache=True)
def change_payments(rows, points, before, clips, start, stop, sums):  # type: ignore[no-untyped-def]
    """The same, at points that paid something else `before`: for that, by what sums change."""
    gain = np.zeros(stop - start, dtype=np.float32)
    seen = np.zeros(stop - start, dtype=np.float32)
    one, none = np.float32(1.0), np.float32(0.0)
    for t in range(points.shape[0]):
        row = rows[points[t], start:stop]
        cap, base = clips[points[t], 0], clips[points[t], 1]
        cap0, base0 = before[points[t], 0], before[points[t], 1]
        for j in range(gain.shape[0]):
            far = np.float32(row[j])
            now = (far if far < cap else cap) - base
            gain[j] += now - ((far if far < cap0 else cap0) - base0)
            seen[j] += (one if far < cap + one else none) - (one if far < cap0 + one else none)
        if (t + 1) % _TOGETHER == 0 or t + 1 == points.shape[0]:
            _flush(gain, sums[0, start:stop])
            _flush(seen, sums[1, start:stop])


@njit(nogil=True, cache=True)
def add_swaps(rows, points, clips, owner, start, stop, sums, more):  # type: ignore[no-untyped-def]
    """Add up what some arms change in SWAP.

    Parameters
    ----------
    rows, start, stop, sums
        See `add_payments`.
    points : ndarray of int
        Those of one owner together.
    clips : ndarray of float32, of shape (n, 2)
        Of each point the distances of its nearest medoid and of the second-nearest.
    owner : ndarray of int
    more : ndarray of float64, of shape (k, n)
        What is added where each medoid goes.
    """
    gain = np.zeros(stop - start, dtype=np.float32)
    seen = np.zeros(stop - start, dtype=np.float32)
    added = np.zeros(stop - start, dtype=np.float32)
    one, none = np.float32(1.0), np.float32(0.0)
    count, since = points.shape[0], 0
    for t in range(count):
        row = rows[points[t], start:stop]
        near, second = clips[points[t], 0], clips[points[t], 1]
        for j in range(gain.shape[0]):
            far = np.float32(row[j])
            now = far if far < near else near
            gain[j] += now - near
            added[j] += (far if far < second else second) - now
            seen[j] += one if far < second + one else none
        since += 1
        mine = owner[points[t]]
        if since == _TOGETHER or t + 1 == count or owner[points[t + 1]] != mine:
            _flush(gain, sums[0, start:stop])
            _flush(seen, sums[1, start:stop])
            _flush(added, more[mine, start:stop])
            since = 0


@njit(nogil=True, cache=True)
def change_swaps(rows, points, before, owner0, clips, owner, start, stop, sums, more):  # type: ignore[no-untyped-def]
    """The same, at points that paid something else `before`, perhaps to another owner."""
    gain = np.zeros(stop - start, dtype=np.float32)
    seen = np.zeros(stop - start, dtype=np.float32)
    added = np.zeros(stop - start, dtype=np.float32)
    taken = np.zeros(stop - start, dtype=np.float32)
    one, none = np.float32(1.0), np.float32(0.0)
    count, since = points.shape[0], 0
    for t in range(count):
        row = rows[points[t], start:stop]
        near, second = clips[points[t], 0], clips[points[t], 1]
        near0, second0 = before[points[t], 0], before[points[t], 1]
        for j in range(gain.shape[0]):
            far = np.float32(row[j])
            now = far if far < near else near
            now0 = far if far < near0 else near0
            gain[j] += (now - near) - (now0 - near0)
            added[j] += (far if far < second else second) - now
            taken[j] += now0 - (far if far < second0 else second0)
            seen[j] += (one if far < second + one else none) - (
                one if far < second0 + one else none
            )
        since += 1
        mine, theirs = owner[points[t]], owner0[points[t]]
        last = since == _TOGETHER or t + 1 == count
        if last or owner[points[t + 1]] != mine or owner0[points[t + 1]] != theirs:
            _flush(gain, sums[0, start:stop])
            _flush(seen, sums[1, start:stop])
            _flush(added, more[mine, start:stop])
            _flush(taken, more[theirs, start:stop])
            since = 0


@njit(nogil=True, cache=True)
def _flush(part, total):  # type: ignore[no-untyped-def]
    """Add sums of a few points to those of all."""
    for j in range(part.shape[0]):
        total[j] += np.float64(part[j])
        part[j] = np.float32(0.0)
