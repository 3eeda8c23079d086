"""Units: powers of two that bring distances into the range of float32."""

from __future__ import annotations

import math

import numpy as np

from .._types import Floats

# Powers of two between which the largest distance is left as it is, or brought below: so its
# square, summed, is in the range of float32, and so are those of far smaller ones.
_LOW, _HIGH = -20, 30


def moderate(power: float, n: int, degree: int = 1) -> float:
    """A power of two to divide numbers by, so that their distances suit float32.

    Parameters
    ----------
    power : float
        The logarithm (base 2) of a number that no distance exceeds, or of its root, where
        distances grow with the square of the numbers (a degree of 2).
    n : int
        How many distances are added up.
    degree : int, default=1
    """
    if degree * power + math.log2(n) > 1023:
        raise ValueError(
            f"X has numbers so large that {'their squares' if degree > 1 else 'sums of distances'}"
            f" are beyond 1e308: scale it down."
        )
    if not math.isfinite(power) or _LOW < degree * power < _HIGH:
        return 1.0
    exponent = max(math.floor((degree * power - _HIGH) / degree), -1000)
    if degree * exponent < -1021:
        raise ValueError("X has numbers so small that their squares are below 1e-308: scale it up.")
    return 2.0**exponent


def log2_of(value: float) -> float:
    return math.log2(value) if value > 0 else -math.inf


def unit_of(distances: Floats, n: int) -> float:
    """A power of two to divide distances like these by, so that they suit float32."""
    largest = float(np.abs(distances).max(initial=0.0))
    return moderate(log2_of(largest), n) if math.isfinite(largest) else 1.0
