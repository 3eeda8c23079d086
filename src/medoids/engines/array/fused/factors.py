"""Distances by products of rows that are split: the digits of float32, by tensor cores.

A row is the sum of two rows in float16, and a product of rows that of three; or it is one, where
rows are multiples of whole numbers (pixels, counts, marks) or in float16 already. Whole numbers of
a byte take half of the memory, and their products are exact. Where all
distances are held in float16 themselves, they are rounded up or down by chance, so that the mean is
the distance: sums of many are much closer than any of them (docs/performance.md, "On a GPU").
"""

from __future__ import annotations

from copy import copy
from typing import Any

import torch
import triton
import triton.language as tl

from .numbers import to_bytes

Tensor = Any
# How distances are made of squared differences.
KINDS = {"sqeuclidean": 0, "euclidean": 1, "cosine": 2, "correlation": 2}
# Columns are multiplied so many at a time.
_DEPTH, _BYTES, _TILE = 64, 128, 128
# Rows of bytes are compared in tiles of so many, at least.
_FEW = 16
# All distances are made in tiles of so many rows, and in bands of so many tiles: those that are
# made at a time have much of what they read in common.
_ROWS, _BAND = 128, 8


@triton.jit
def _mixed(number):
    """32 bits that depend on a number, as if by chance."""
    mixed = number.to(tl.uint32) * 0x9E3779B1
    mixed = (mixed ^ (mixed >> 15)) * 0x2C1B3C6D
    mixed = (mixed ^ (mixed >> 12)) * 0x297A2D39
    return mixed ^ (mixed >> 15)


@triton.jit
def _rounded(far, row, column):
    """Numbers that are not negative, rounded to float16: up as often as they are nearer to it.

    Thirteen bits of the pair decide, whichever way round: from one row, those of others are
    independent of each other.
    """
    chance = ((_mixed(row) ^ _mixed(column)) >> 19).to(tl.int32)
    bits = far.to(tl.int32, bitcast=True) + chance
    return (bits & -8192).to(tl.float32, bitcast=True).to(tl.float16)


@triton.jit
def _distance(squares, KIND: tl.constexpr):
    """What squared differences amount to."""
    squares = tl.maximum(squares, 0.0)
    if KIND == 1:
        squares = tl.sqrt(squares)
    elif KIND == 2:
        squares = squares * 0.5
    return squares


@triton.jit
def _place(at, tiles, BAND: tl.constexpr):
    """Which tile: band after band of rows of tiles from the diagonal on, column by column."""
    across = tiles + 0.5 * BAND
    left = tl.maximum(across * across - 2.0 * at.to(tl.float32), 0.0)
    band = ((across - tl.sqrt_rn(left)) / BAND).to(tl.int32)
    # Where that was rounded to the next one.
    begins = BAND * (band * tiles - BAND * (band * (band - 1) // 2))
    band = tl.where(at < begins, band - 1, band)
    ends = BAND * ((band + 1) * tiles - BAND * ((band + 1) * band // 2))
    band = tl.where(at >= ends, band + 1, band)
    within = at - BAND * (band * tiles - BAND * (band * (band - 1) // 2))
    return band * BAND + within % BAND, band * BAND + within // BAND


@triton.jit
def _fill(
    high_, low_, squares_, found_, sums_, n, stride, width, product, scale, tiles,
    KIND: tl.constexpr, SPLIT: tl.constexpr, BYTES: tl.constexpr, ROWS: tl.constexpr,
    TILE: tl.constexpr, DEPTH: tl.constexpr, BAND: tl.constexpr,
):  # fmt: skip
    """Some rows of a tile of distances, and the same the other way round."""
    PARTS: tl.constexpr = TILE // ROWS
    part = tl.program_id(0) % PARTS
    i, j = _place(tl.program_id(0) // PARTS, tiles, BAND)
    if (i > j) | (i >= tiles):
        return
    rows = i * TILE + part * ROWS + tl.arange(0, ROWS)
    columns = j * TILE + tl.arange(0, TILE)
    of_row, of_column = (rows % n).to(tl.int64) * width, (columns % n).to(tl.int64) * width
    total = tl.zeros((ROWS, TILE), tl.int32 if BYTES else tl.float32)
    for first in range(0, width, DEPTH):
        step = first + tl.arange(0, DEPTH)
        left, right = of_row[:, None] + step[None, :], of_column[None, :] + step[:, None]
        high, high_too = tl.load(high_ + left), tl.load(high_ + right)
        total = tl.dot(high, high_too, total, out_dtype=tl.int32 if BYTES else tl.float32)
        if SPLIT:
            low, low_too = tl.load(low_ + left), tl.load(low_ + right)
            total = tl.dot(high, low_too, total)
            total = tl.dot(low, high_too, total)
    mine = tl.load(squares_ + rows, mask=rows < n, other=0.0)
    theirs = tl.load(squares_ + columns, mask=columns < n, other=0.0)
    shared = product * total.to(tl.float32)
    far = _distance(mine[:, None] + theirs[None, :] - shared, KIND) * scale
    there = (rows < n)[:, None] & (columns < n)[None, :]
    same = rows[:, None] == columns[None, :]
    far = tl.where(there & (same == 0), far, 0.0)
    half = tl.where(same, float("inf"), _rounded(far, rows[:, None], columns[None, :]))
    tl.store(found_ + rows.to(tl.int64)[:, None] * stride + columns[None, :], half, mask=there)
    # Sums have as many places as there are parts of rows: a row takes the first of its tile's.
    total_of_row = tl.sum(far, axis=1)
    for other in tl.static_range(PARTS):
        place = sums_ + (j * PARTS + other).to(tl.int64) * n
        tl.store(place + rows, total_of_row if other == 0 else 0.0, mask=rows < n)
    if i != j:
        back = found_ + columns.to(tl.int64)[:, None] * stride + rows[None, :]
        tl.store(back, tl.trans(half), mask=tl.trans(there))
        place = sums_ + (i * PARTS + part).to(tl.int64) * n
        tl.store(place + columns, tl.sum(far, axis=0), mask=columns < n)


@triton.jit
def _total(parts_, sums_, n, count, PARTS: tl.constexpr, WIDE: tl.constexpr):
    """The sums of parts, in float64."""
    column = tl.program_id(0) * WIDE + tl.arange(0, WIDE)
    total = tl.zeros((PARTS, WIDE), tl.float64)
    for first in range(0, count, PARTS):
        part = first + tl.arange(0, PARTS)
        there = (part < count)[:, None] & (column < n)[None, :]
        at = part.to(tl.int64)[:, None] * n + column[None, :]
        total += tl.load(parts_ + at, mask=there, other=0.0).to(tl.float64)
    tl.store(sums_ + column, tl.sum(total, axis=0), mask=column < n)


class Factors:
    """Rows as sums of two float16, the large part and the rest; and their squared lengths.

    Parameters
    ----------
    n, width : int
    by : float
        What rows are multiplied by: float16 ends at 65,504.
    split : bool
        There is a rest: else the rows, multiplied, are whole numbers of up to 2,048 but for
        rounding, or have no more digits than float16.
    device : Any
    """

    def __init__(self, n: int, width: int, by: float, split: bool, device: Any) -> None:
        shape = (n, triton.cdiv(width, _DEPTH) * _DEPTH)
        self.high = torch.zeros(shape, dtype=torch.float16, device=device)
        self.low = torch.zeros(shape, dtype=torch.float16, device=device) if split else self.high
        self.squares = torch.empty(n, dtype=torch.float32, device=device)
        self.by, self._split = by, split

    def put(self, start: int, rows: Tensor, squares: Tensor) -> None:
        """Rows (float32) that follow each other."""
        stop, width = start + rows.shape[0], rows.shape[1]
        scaled = rows * self.by
        high = scaled.half()
        self.high[start:stop, :width] = high
        if self._split:
            self.low[start:stop, :width] = scaled.sub_(high)
        self.squares[start:stop] = squares

    def compare(self, rows: Tensor, squares: Tensor, kind: str, found: Tensor) -> None:
        """Distances of a kind from rows (float32) to these, in float32."""
        (count, width), (n, deep) = rows.shape, self.high.shape
        tiles = triton.cdiv(count, _TILE) * triton.cdiv(n, _TILE)
        _compare[(tiles,)](
            rows, rows.stride(0), squares, self.high, self.low, self.squares, found,
            found.stride(0), count, n, width, deep, self.by, 2.0 / self.by**2,
            KIND=KINDS[kind], SPLIT=self._split, TILE=_TILE, DEPTH=32, TOGETHER=8,
            num_warps=8, num_stages=3,
        )  # fmt: skip

    def fill(self, found: Tensor, kind: str, scale: float) -> Tensor:
        """All distances of a kind, times a scale, in float16; and what they sum to, in float64."""
        about, depth = (self.high, self.low, self.squares, self.by), _DEPTH
        return _filled(*about, found, kind, scale, split=self._split, depth=depth)


class Bytes:
    """Rows as whole numbers of a byte; and their squared lengths.

    Squared differences are whole numbers too, so no digit is lost before they are divided.

    Parameters
    ----------
    n, width : int
    by : float
        What rows are multiplied by, to be whole numbers;
    less : float
        and what is taken from these, to be between -128 and 127.
    device : Any
    """

    def __init__(self, n: int, width: int, by: float, less: float, device: Any) -> None:
        shape = (n, triton.cdiv(width, _BYTES) * _BYTES)
        self.rows = torch.zeros(shape, dtype=torch.int8, device=device)
        self.squares = torch.empty(n, dtype=torch.int32, device=device)
        self.n, self.by, self._less = n, by, less

    def put(self, start: int, rows: Tensor) -> None:
        """Rows (float32) that follow each other."""
        to_bytes(rows, self.by, self._less, self.rows[start:], self.squares[start:])

    def some(self, ids: Tensor) -> Bytes:
        """Some of the rows."""
        found = copy(self)
        found.rows, found.squares = (
            self.rows.index_select(0, ids),
            self.squares.index_select(0, ids),
        )
        found.n = ids.shape[0]
        return found

    def compare(self, which: Tensor | slice, others: Bytes, kind: str, found: Tensor) -> None:
        """Distances of a kind from some of these, or some that follow each other, to others."""
        listed = not isinstance(which, slice)
        count, first = found.shape[0], 0 if listed else which.start
        size = min(max(int(triton.next_power_of_2(count)), _FEW), _TILE)
        tiles = triton.cdiv(count, size) * triton.cdiv(others.n, _TILE)
        _compare_bytes[(tiles,)](
            self.rows, self.squares, which if listed else self.squares, first, others.rows,
            others.squares, found, found.stride(0), count, others.n, self.rows.shape[1],
            1.0 / self.by**2,
            LISTED=listed, KIND=KINDS[kind], ROWS=size, TILE=_TILE, DEPTH=_BYTES, TOGETHER=8,
            num_warps=4, num_stages=3,
        )  # fmt: skip

    def fill(self, found: Tensor, kind: str, scale: float) -> Tensor:
        """All distances of a kind, times a scale, in float16; and what they sum to, in float64."""
        # In whole numbers it takes 7% longer, and float16 is to be had.
        squares = self.squares.to(torch.float32) / self.by**2
        about = self.rows, self.rows, squares, self.by
        return _filled(*about, found, kind, scale, split=False, depth=_BYTES)


def _filled(
    high: Tensor, low: Tensor, squares: Tensor, by: float, found: Tensor, kind: str, scale: float,
    *, split: bool, depth: int,
) -> Tensor:  # fmt: skip
    n, width = high.shape
    tiles, parts = triton.cdiv(n, _TILE), _TILE // _ROWS
    sums = torch.empty((parts * tiles, n), dtype=torch.float32, device=found.device)
    count = sum(_BAND * (tiles - first) for first in range(0, tiles, _BAND))
    _fill[(parts * count,)](
        high, low, squares, found, sums, n, found.stride(0), width, 2.0 / by**2, scale, tiles,
        KIND=KINDS[kind], SPLIT=split, BYTES=high.dtype == torch.int8, ROWS=_ROWS, TILE=_TILE,
        DEPTH=depth, BAND=_BAND, num_warps=8 if split else 4, num_stages=3,
    )  # fmt: skip
    total = torch.empty(n, dtype=torch.float64, device=found.device)
    _total[(triton.cdiv(n, 64),)](sums, total, n, parts * tiles, PARTS=32, WIDE=64)
    return total


@triton.jit
def _tile(
    at, tiles, wide, ROWS: tl.constexpr, COLUMNS: tl.constexpr, TOGETHER: tl.constexpr
):  # fmt: skip
    """Some tiles of rows with all columns, one after the other: what they read is near then."""
    group = at // (TOGETHER * wide)
    height = tl.minimum(tiles - group * TOGETHER, TOGETHER)
    within = at - group * TOGETHER * wide
    rows = (group * TOGETHER + within % height) * ROWS + tl.arange(0, ROWS)
    return rows, (within // height) * COLUMNS + tl.arange(0, COLUMNS)


@triton.jit
def _compare(
    left_, stride, mine_, high_, low_, theirs_, found_, across, count, n, width, deep, by, product,
    KIND: tl.constexpr, SPLIT: tl.constexpr, TILE: tl.constexpr, DEPTH: tl.constexpr,
    TOGETHER: tl.constexpr,
):  # fmt: skip
    """A tile of distances, of rows as they are from rows that were split; in float32."""
    tiles, wide = tl.cdiv(count, TILE), tl.cdiv(n, TILE)
    rows, columns = _tile(tl.program_id(0), tiles, wide, TILE, TILE, TOGETHER)
    of_row, of_column = (rows % count).to(tl.int64) * stride, (columns % n).to(tl.int64) * deep
    total = tl.zeros((TILE, TILE), tl.float32)
    for first in range(0, deep, DEPTH):
        step = first + tl.arange(0, DEPTH)
        given = left_ + of_row[:, None] + step[None, :]
        fine = tl.load(given, mask=step[None, :] < width, other=0.0) * by
        high = fine.to(tl.float16)
        right = of_column[None, :] + step[:, None]
        high_too = tl.load(high_ + right)
        total = tl.dot(high, high_too, total)
        if SPLIT:
            low, low_too = (fine - high.to(tl.float32)).to(tl.float16), tl.load(low_ + right)
            total = tl.dot(high, low_too, total)
            total = tl.dot(low, high_too, total)
    mine = tl.load(mine_ + rows, mask=rows < count, other=0.0)
    theirs = tl.load(theirs_ + columns, mask=columns < n, other=0.0)
    far = _distance(mine[:, None] + theirs[None, :] - product * total, KIND)
    there = (rows < count)[:, None] & (columns < n)[None, :]
    tl.store(found_ + rows.to(tl.int64)[:, None] * across + columns[None, :], far, mask=there)


@triton.jit
def _compare_bytes(
    left_, mine_, which_, start, right_, theirs_, found_, across, count, n, width, product,
    LISTED: tl.constexpr, KIND: tl.constexpr, ROWS: tl.constexpr, TILE: tl.constexpr,
    DEPTH: tl.constexpr, TOGETHER: tl.constexpr,
):  # fmt: skip
    """A tile of distances, of rows of bytes from others; in float32."""
    tiles, wide = tl.cdiv(count, ROWS), tl.cdiv(n, TILE)
    rows, columns = _tile(tl.program_id(0), tiles, wide, ROWS, TILE, TOGETHER)
    which = start + rows % count
    if LISTED:
        which = tl.load(which_ + rows % count)
    of_row, of_column = which.to(tl.int64) * width, (columns % n).to(tl.int64) * width
    total = tl.zeros((ROWS, TILE), tl.int32)
    for first in range(0, width, DEPTH):
        step = first + tl.arange(0, DEPTH)
        left = tl.load(left_ + of_row[:, None] + step[None, :])
        right = tl.load(right_ + of_column[None, :] + step[:, None])
        total = tl.dot(left, right, total, out_dtype=tl.int32)
    mine = tl.load(mine_ + which)
    theirs = tl.load(theirs_ + columns, mask=columns < n, other=0)
    apart = (mine[:, None] + theirs[None, :] - 2 * total).to(tl.float32) * product
    there = (rows < count)[:, None] & (columns < n)[None, :]
    to = found_ + rows.to(tl.int64)[:, None] * across + columns[None, :]
    tl.store(to, _distance(apart, KIND), mask=there)


@triton.jit
def _halve(rows, found_, stride, start, n, scale, WIDE: tl.constexpr):
    """Distances, rounded."""
    row, column = start + tl.program_id(0), tl.program_id(1) * WIDE + tl.arange(0, WIDE)
    far = tl.load(rows + tl.program_id(0).to(tl.int64) * n + column, mask=column < n, other=0.0)
    half = _rounded(far * scale, tl.full((WIDE,), row, tl.int32), column)
    half = tl.where(column == row, float("inf"), half)
    tl.store(found_ + row.to(tl.int64) * stride + column, half, mask=column < n)


def halve(found: Tensor, rows: Tensor, start: int, scale: float) -> None:
    """Rows of distances that follow each other, rounded into where all are held."""
    count, n = rows.shape
    _halve[(count, triton.cdiv(n, 1024))](
        rows, found, found.stride(0), start, n, scale, WIDE=1024
    )  # fmt: skip
