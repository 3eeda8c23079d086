"""All distances at hand on a GPU: in float32, or in float16 where they are many."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .namespace import Array, Space
from .rows import ArrayPoints, ArrayRows

# So many pairs are held in float32, and so many in float16.
_PAIRS, _PAIRS_IN_HALF = 1_000_000_000, 12_000_000_000
# Numbers to compute, where all pairs are; of metrics that take a product, and of others.
_PRODUCTS, _DIFFERENCES = 5e13, 1e11
# The largest distance is made at most this: float16 ends at 65,504.
LARGEST = 2.0**15
# A point that weighs more than so many others would leave no digits to these.
_HEAVIEST = 1e4


class Held(NamedTuple):
    """All distances.

    Attributes
    ----------
    rows : array of shape (n, n)
        Infinite from a point to itself.
    scale : float
        What they are to be multiplied by, for the largest to be moderate.
    stored : float
        What they were multiplied by.
    exact : bool
        They are in float32, not rounded to float16.
    sums : array or None
        Of the distances from each point, multiplied by both, where that is known; in float64.
    """

    rows: Array
    scale: float
    stored: float
    exact: bool
    sums: Array = None

    def some(self, space: Space, rows: Array) -> Array:
        """Rows of `rows` as distances in float32."""
        found = space.cast(rows, space.xp.float32)
        return found if self.stored == 1 else found * (1 / self.stored)


def precision(
    points: ArrayPoints, n_clusters: int, room: float, weights: Any, some: int | None = None
) -> int | None:
    """The bytes of a distance, if all are to be held (and fit into the room); else None.

    Or those between `some` of the points.
    """
    n, fused = some or points.n, points.space.fused
    if fused is None or not isinstance(points, ArrayRows) or n_clusters > fused.MOST_CLUSTERS:
        return None
    if weights is not None and float(weights.max()) > _HEAVIEST * float(weights.mean()):
        return None
    most = _PRODUCTS if points.by_product else _DIFFERENCES
    for size, pairs in ((4, _PAIRS), (2, _PAIRS_IN_HALF)):
        if n**2 <= pairs and size * n**2 <= room and n**2 * points.width <= most:
            return size
    return None


def hold(points: ArrayRows, size: int) -> Held:
    """All distances, with so many bytes each."""
    space, n = points.space, points.n
    xp, fused = space.xp, space.fused
    # No distance is more than twice the longest from one point; no square more than four times.
    longest = 4 * float(xp.max(points.whole(space.ids([0]))))
    scale = 2.0 ** math.floor(math.log2(LARGEST / longest)) if longest > 0 else 1.0
    exact = size == 4
    dtype = xp.float32 if exact else xp.float16
    found = xp.empty((n, n), dtype=dtype, device=space.device)
    if not exact and points.splits:
        sides = (points.side(*part, xp.float32) for part in space.chunks(n, points.width))
        factors = points.factors(n, sides) if points.bytes is None else points.bytes
        sums = factors.fill(found, points.metric, scale)
        points.n_distances += n**2
        return Held(found, 1.0, scale, exact, sums)
    every = space.arange(0, n)
    for start, stop in space.chunks(n, n):
        rows = points.rows(start, stop, every)
        if exact:
            found[start:stop, :] = rows
        else:
            fused.halve(found, rows, start, scale)
    if exact:
        found.fill_diagonal_(math.inf)
        return Held(found, scale, 1.0, exact)
    return Held(found, 1.0, scale, exact)
