"""Metrics as leaf functions: what one coordinate adds, and what the sums mean.

`term(a, b, p)` gives two numbers, each summed over the coordinates;
`finish(total, other, size, p)` turns the two sums into a distance. The table of metrics,
`medoids.dissimilarities.metrics`, names them.
"""

from __future__ import annotations

import math

from numba.extending import register_jitable

# The plain functions stay plain: Numba reaches them through `register_jitable`,
# so a kernel that closes over them has a stable key in the disk cache.


@register_jitable
def square(a: float, b: float, p: float) -> tuple[float, float]:
    return (a - b) * (a - b), 0


@register_jitable
def absolute(a: float, b: float, p: float) -> tuple[float, float]:
    return abs(a - b), 0


@register_jitable
def power(a: float, b: float, p: float) -> tuple[float, float]:
    return abs(a - b) ** p, 0


@register_jitable
def relative(a: float, b: float, p: float) -> tuple[float, float]:
    size = abs(a) + abs(b)
    return (abs(a - b) / size if size > 0 else size), 0


@register_jitable
def shares(a: float, b: float, p: float) -> tuple[float, float]:
    return abs(a - b), abs(a + b)


@register_jitable
def differs(a: float, b: float, p: float) -> tuple[float, float]:
    return (1 if a != b else 0), 0


@register_jitable
def differs_of_any(a: float, b: float, p: float) -> tuple[float, float]:
    return (1 if a != b else 0), (1 if a != 0 or b != 0 else 0)


@register_jitable
def total_(total: float, other: float, size: int, p: float) -> float:
    return total


@register_jitable
def half(total: float, other: float, size: int, p: float) -> float:
    return 0.5 * total


@register_jitable
def root(total: float, other: float, size: int, p: float) -> float:
    return math.sqrt(total)


@register_jitable
def root_p(total: float, other: float, size: int, p: float) -> float:
    return float(total ** (1.0 / p))


@register_jitable
def per_size(total: float, other: float, size: int, p: float) -> float:
    return total / size


@register_jitable
def ratio(total: float, other: float, size: int, p: float) -> float:
    return total / other if other > 0 else 0.0 * total


@register_jitable
def chord_angle(total: float, other: float, size: int, p: float) -> float:
    # Rows are points on the unit sphere; the chord gives the angle.
    return 2.0 * math.asin(min(0.5 * math.sqrt(total), 1.0))
