"""Whether float32 can tell the rows of some data apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._types import Floats, Indices

# Of so few rows, distances in float64 cost less than to find out whether float32 would do.
SMALL = 256
Block = Callable[[Indices, Indices], Floats]
# Errors of float32 blocks that are borne, as a share of the mean distance.
_ROUGH = 2e-4
# And of the distance to the nearest rows.
_BLUR = 1e-4


def loses_digits(n: int, rough: Block, fine: Block, parts: int = 16) -> bool:
    """Whether blocks in float32 are too far from those in float64, as some of n rows show.

    Rows that have to be made from sparse ones are made in so many `parts`, to take less memory.
    Codes above 2**24 under hamming, say, or directions that are all but the same under
    cosine; or tight clusters, far apart, whose rows have the wrong nearest ones.
    """
    some, few, many = (_spread(n, size) for size in (24, 8, min(512, n // 4 + 8)))
    right = fine(some, some)
    error = float(np.abs(rough(some, some) - right).max())
    if not error <= _ROUGH * float(np.abs(right).mean()):
        return True
    right = _in_parts(fine, few, many, parts)
    nearest = np.where(right > 0, right, np.inf).argmin(axis=1)[:, None]
    near = np.take_along_axis(right, nearest, axis=1)
    errors = np.abs(np.take_along_axis(_in_parts(rough, few, many, parts), nearest, axis=1) - near)
    return not np.median(errors - _BLUR * near) <= 0


def _in_parts(block: Block, few: Indices, many: Indices, parts: int) -> Floats:
    """A block, without all its rows in memory at once."""
    return np.concatenate([block(few, part) for part in np.array_split(many, parts)], axis=1)


def _spread(n: int, size: int) -> Indices:
    return np.unique(np.linspace(0, n - 1, size).astype(np.int64))
