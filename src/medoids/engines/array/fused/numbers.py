"""What numbers rows are made of, each found in one pass; and rows of bytes."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

Tensor = Any
# Rows and columns that are looked at together.
_ROWS, _COLUMNS = 32, 64
# Rows whose columns a program sums; and columns.
_LONG, _FEW = 1024, 32
# So much of a number is rounding, where it was divided and multiplied in float32.
_LAST = 2.0**-21


@triton.jit
def _outline(
    rows_, stride, parts_, n, width, LONG: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    """Of some rows: the lowest and the largest number of some columns, and a part of the mean."""
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    seen = column < width
    low = tl.full((ROWS, COLUMNS), float("inf"), tl.float64)
    high = tl.full((ROWS, COLUMNS), float("-inf"), tl.float64)
    total = tl.zeros((ROWS, COLUMNS), tl.float64)
    share = 1.0 / n.to(tl.float64)
    for first in range(0, LONG, ROWS):
        at = tl.program_id(0) * LONG + first + tl.arange(0, ROWS)
        there = (at < n)[:, None] & seen[None, :]
        from_ = rows_ + at.to(tl.int64)[:, None] * stride + column[None, :]
        value = tl.load(from_, mask=there, other=0).to(tl.float64)
        low = tl.minimum(low, tl.where(there, value, float("inf")))
        high = tl.maximum(high, tl.where(there, value, float("-inf")))
        total += value * share
    out = parts_ + tl.program_id(0).to(tl.int64) * 3 * width + column
    tl.store(out, tl.min(low, axis=0), mask=seen)
    tl.store(out + width, tl.max(high, axis=0), mask=seen)
    tl.store(out + 2 * width, tl.sum(total, axis=0), mask=seen)


def outline(rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The lowest and the largest number of each column, and the mean; in float64."""
    n, width = rows.shape
    parts = torch.empty((triton.cdiv(n, _LONG), 3, width), dtype=torch.float64, device=rows.device)
    _outline[(parts.shape[0], triton.cdiv(width, _FEW))](
        rows, rows.stride(0), parts, n, width, LONG=_LONG, ROWS=_ROWS, COLUMNS=_FEW
    )
    low, high, total = parts.unbind(1)
    return low.amin(dim=0), high.amax(dim=0), total.sum(dim=0)


@triton.jit
def _size(rows_, stride, parts_, n, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Of some rows: the lowest number; the least and the largest above 0, without signs."""
    at = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    low = tl.full((ROWS, COLUMNS), float("inf"), tl.float32)
    least = tl.full((ROWS, COLUMNS), float("inf"), tl.float32)
    largest = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(0, width, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        there = (at < n)[:, None] & (column < width)[None, :]
        from_ = rows_ + at.to(tl.int64)[:, None] * stride + column[None, :]
        value = tl.load(from_, mask=there, other=0.0)
        size = tl.abs(value)
        low = tl.minimum(low, tl.where(there, value, float("inf")))
        least = tl.minimum(least, tl.where(size > 0, size, float("inf")))
        largest = tl.maximum(largest, size)
    out = parts_ + tl.program_id(0) * 3
    tl.store(out, tl.min(tl.min(low, axis=1), axis=0))
    tl.store(out + 1, tl.min(tl.min(least, axis=1), axis=0))
    tl.store(out + 2, -tl.max(tl.max(largest, axis=1), axis=0))


def sizes(rows: Tensor) -> Tensor:
    """Of rows (float32) the lowest number, the least above 0 and minus the largest, without signs.

    The least is infinite, where all are 0.
    """
    n, width = rows.shape
    parts = torch.empty((triton.cdiv(n, _ROWS), 3), dtype=torch.float32, device=rows.device)
    _size[(parts.shape[0],)](rows, rows.stride(0), parts, n, width, ROWS=_ROWS, COLUMNS=_COLUMNS)
    return parts.amin(dim=0)


@triton.jit
def _round(
    rows_, stride, by_, parts_, n, width, LAST: tl.constexpr, ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
):  # fmt: skip
    """How many numbers of some rows, multiplied, have more digits than float16."""
    at = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    more = tl.zeros((ROWS, COLUMNS), tl.int32)
    by = tl.load(by_).to(tl.float32)
    for first in range(0, width, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        there = (at < n)[:, None] & (column < width)[None, :]
        from_ = rows_ + at.to(tl.int64)[:, None] * stride + column[None, :]
        scaled = tl.load(from_, mask=there, other=0.0) * by
        left = tl.abs(scaled - scaled.to(tl.float16).to(tl.float32))
        more += ((left <= LAST * tl.abs(scaled)) == 0).to(tl.int32)
    tl.store(parts_ + tl.program_id(0), tl.sum(tl.sum(more, axis=1), axis=0))


def has_few_digits(rows: Tensor, by: float) -> bool:
    """Whether rows (float32), multiplied by a number, are in float16 but for float32's rounding."""
    n, width = rows.shape
    parts = torch.empty(triton.cdiv(n, _ROWS), dtype=torch.int32, device=rows.device)
    factor = torch.full((1,), by, dtype=torch.float64, device=rows.device)
    _round[(parts.shape[0],)](
        rows, rows.stride(0), factor, parts, n, width, LAST=_LAST, ROWS=_ROWS, COLUMNS=_COLUMNS
    )
    return not bool(parts.any())


@triton.jit
def _to_bytes(
    rows_, stride, about_, to_, across, squares_, n, width,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Some rows as whole numbers of a byte; and the squares of their lengths."""
    at = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    by, less = tl.load(about_).to(tl.float32), tl.load(about_ + 1).to(tl.float32)
    squares = tl.zeros((ROWS, COLUMNS), tl.int32)
    for first in range(0, width, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        there = (at < n)[:, None] & (column < width)[None, :]
        from_ = rows_ + at.to(tl.int64)[:, None] * stride + column[None, :]
        value = tl.load(from_, mask=there, other=0.0) * by - less
        whole = tl.where(there, tl.floor(value + 0.5), 0.0).to(tl.int32)
        squares += whole * whole
        to = to_ + at.to(tl.int64)[:, None] * across + column[None, :]
        tl.store(to, whole.to(tl.int8), mask=there)
    tl.store(squares_ + at, tl.sum(squares, axis=1), mask=at < n)


def to_bytes(rows: Tensor, by: float, less: float, found: Tensor, squares: Tensor) -> None:
    """Rows (float32) times a number, less another, as bytes; and their squared lengths (int32)."""
    n, width = rows.shape
    about = torch.tensor([by, less], dtype=torch.float64).to(rows.device, non_blocking=True)
    _to_bytes[(triton.cdiv(n, _ROWS),)](
        rows, rows.stride(0), about, found, found.stride(0), squares, n, width,
        ROWS=_ROWS, COLUMNS=_COLUMNS,
    )  # fmt: skip
