"""Elastic dissimilarities from their definitions: slow, and in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

Point = tuple[float, ...]


def points(series: Any) -> list[Point]:
    """A tuple for each time."""
    array = np.asarray(series, dtype=float)
    return [tuple(row) for row in array.reshape(len(array), -1).tolist()]


def length(a: Point, b: Point) -> float:
    return math.dist(a, b)


def square(a: Point, b: Point) -> float:
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def aligned(
    n: int, m: int, window: int | None, cell: Callable[..., float], border: Callable[..., float]
) -> float:
    """The cost of the last cell, where `cell(i, j, diagonal, up, left)` gives each from 1 on."""
    band = max(n, m) if window is None else max(window, abs(n - m))

    @cache
    def cost(i: int, j: int) -> float:
        if i == 0 or j == 0:
            return border(i, j)
        if abs(i - j) > band:
            return border(1, 0) if border(1, 0) == 0 else math.inf
        return cell(i, j, cost(i - 1, j - 1), cost(i - 1, j), cost(i, j - 1))

    for i in range(n):  # row by row, so that no call goes deep
        for j in range(m):
            cost(i, j)
    return cost(n, m)


def corner(i: int, j: int) -> float:
    return 0.0 if i == j == 0 else math.inf


def dtw(a: Any, b: Any, window: int | None = None) -> float:
    x, y = points(a), points(b)

    def cell(i: int, j: int, diagonal: float, up: float, left: float) -> float:
        return length(x[i - 1], y[j - 1]) + min(diagonal, up, left)

    return aligned(len(x), len(y), window, cell, corner)


def wdtw(a: Any, b: Any, window: int | None = None, g: float = 0.05) -> float:
    x, y = points(a), points(b)
    half = max(len(x), len(y)) / 2

    def cell(i: int, j: int, diagonal: float, up: float, left: float) -> float:
        weight = 1 / (1 + math.exp(-g * (abs(i - j) - half)))
        return weight * square(x[i - 1], y[j - 1]) + min(diagonal, up, left)

    return aligned(len(x), len(y), window, cell, corner)


def erp(a: Any, b: Any, window: int | None = None, g: float = 0.0) -> float:
    x, y = points(a), points(b)
    ground = (g,) * len(x[0])
    sums = sum(length(p, ground) for p in x), sum(length(p, ground) for p in y)

    def border(i: int, j: int) -> float:
        return 0.0 if i == j == 0 else (sums[0] if i else sums[1])

    def cell(i: int, j: int, diagonal: float, up: float, left: float) -> float:
        return min(
            diagonal + length(x[i - 1], y[j - 1]),
            up + length(x[i - 1], ground),
            left + length(y[j - 1], ground),
        )

    return aligned(len(x), len(y), window, cell, border)


def lcss(a: Any, b: Any, window: int | None = None, epsilon: float = 1.0) -> float:
    x, y = points(a), points(b)

    def cell(i: int, j: int, diagonal: float, up: float, left: float) -> float:
        return diagonal + 1 if length(x[i - 1], y[j - 1]) <= epsilon else max(up, left)

    common = aligned(len(x), len(y), window, cell, lambda i, j: 0.0)
    return 1 - common / min(len(x), len(y))


def twe(a: Any, b: Any, window: int | None = None, nu: float = 0.001, lmbda: float = 1.0) -> float:
    x, y = points(a), points(b)
    n, m = len(x), len(y)
    start = (0.0,) * len(x[0])
    x, y = [start, *x], [start, *y]

    def cell(i: int, j: int, diagonal: float, up: float, left: float) -> float:
        same = length(x[i], y[j]) + length(x[i - 1], y[j - 1]) + 2 * nu * abs(i - j)
        return min(
            diagonal + same,
            up + length(x[i], x[i - 1]) + nu + lmbda,
            left + length(y[j], y[j - 1]) + nu + lmbda,
        )

    return aligned(n, m, window, cell, corner)


def msm(
    a: Any, b: Any, window: int | None = None, c: float = 1.0, independent: bool = True
) -> float:
    x, y = points(a), points(b)
    if independent:
        each = zip(zip(*x, strict=True), zip(*y, strict=True), strict=True)
        return sum(_msm([(v,) for v in p], [(v,) for v in q], window, c, length) for p, q in each)
    return _msm(x, y, window, c, square)


def _msm(
    x: list[Point], y: list[Point], window: int | None, c: float, gap: Callable[..., float]
) -> float:
    def change(value: Point, one: Point, other: Point) -> float:
        middle = tuple((p + q) / 2 for p, q in zip(one, other, strict=True))
        if length(value, middle) <= length(one, other) / 2:
            return c
        return c + min(gap(value, one), gap(value, other))

    def cell(i: int, j: int, diagonal: float, up: float, left: float) -> float:
        now, there = x[i - 1], y[j - 1]
        ways = [diagonal + gap(now, there)]
        if i > 1:
            ways.append(up + change(now, x[i - 2], there))
        if j > 1:
            ways.append(left + change(there, now, y[j - 2]))
        return min(ways)

    return aligned(len(x), len(y), window, cell, corner)


BY_FORCE = {"dtw": dtw, "wdtw": wdtw, "erp": erp, "lcss": lcss, "twe": twe, "msm": msm}
