"""Metrics as leaf functions: what one coordinate adds, and what the sums mean.

`term(a, b, p)` gives two numbers, each summed over the coordinates;
`finish(total, other, size, p)` turns the two sums into a distance. The table of metrics,
`medoids.dissimilarities.metrics`, names them.
"""

from __future__ import annotations

import math

import numpy as np
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


@register_jitable
def rough_chord_angle(total: float, other: float, size: int, p: float) -> float:
    """The same to float32's last digit or two, without a branch: loops over it vectorise.

    The polynomial is (asin(y) - y) / y³ in y², up to y = 1/2, within 2e-8; beyond,
    asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)).
    """
    half, one = np.float32(0.5), np.float32(1.0)
    x = half * math.sqrt(total)
    x = x if x < one else one
    near = x <= half
    s = x * x if near else half * (one - x)
    y = x if near else math.sqrt(s)
    bend = np.float32(0.026554498) + s * np.float32(0.038085103)
    bend = np.float32(0.07498855) + s * (np.float32(0.045001388) + s * bend)
    angle = y + y * s * (np.float32(0.16666672) + s * bend)
    two, four = np.float32(2.0), np.float32(4.0)
    return two * angle if near else np.float32(3.1415927) - four * angle  # type: ignore[return-value]
