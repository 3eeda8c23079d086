"""All distances as whole numbers of two bytes, each pair once, in tiles.

Points that are near each other are neighbours in the order of the tiles: so in few dimensions, or
with many clusters, most tiles have no distance that is of any consequence, and are passed over.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from ..._types import Indices
from . import kernels
from .points.base import Points

# Points of a side of a tile; distances of so many by so many tiles are computed at a time.
SIDE, _ACROSS = 256, 2
# Sums of numbers that were rounded by chance are further off with a probability of 3e-14
# (Hoeffding's inequality, for errors of up to 1).
SURE = 4.0
_LARGEST = 65_535.0
# The largest distance may be so many times the largest that was seen: tried in turn.
_MARGINS = (1.2, 4.0)
# Means are to be off by no more than this share of what a point pays, as some of them tell.
_BLUR, _SOME = 5e-3, 256
# Points whose neighbourhoods are put one after the other, and how many are compared with them at
# a time.
_PIVOTS, _SLICE = 256, 16_384


class Held(NamedTuple):
    """Each is a distance times the scale, rounded by chance.

    Attributes
    ----------
    tiles : ndarray of uint16 of shape (tiles, SIDE, SIDE)
        Distances between the points of two blocks, the first before the second or the same:
        those of block 0 with 0, 1, 2, ..., then those of block 1 with 1, 2, ...
    least : ndarray of uint16 of shape (tiles, 2, SIDE)
        The lowest distance in each row of a tile, and in each column.
    scale : float
    order : ndarray of int
        The points, block by block.
    """

    tiles: NDArray[np.uint16]
    least: NDArray[np.uint16]
    scale: float
    order: Indices


def bytes_held(n: int) -> int:
    """The memory that the tiles of so many points take, with what is known of each."""
    blocks = -(-n // SIDE)
    return blocks * (blocks + 1) * (SIDE**2 + 2 * SIDE)


def hold(points: Points, n_clusters: int) -> Held | None:
    """All distances; None if some are so large that few digits are left to those that matter."""
    # From the point that is farthest from one, and from the farthest from that, it is about as far
    # as it gets. Nothing is more than twice as far as from one point, no square four times.
    across, at = 0.0, 0
    for _ in range(3):
        row = points.exact(np.array([at]))[0]
        at, across = int(row.argmax()), max(across, float(row.max()))
    if SURE * across / (_LARGEST * points.n**0.5) > _BLUR * _pays(points, n_clusters):
        return None
    order, farthest = _neighbours(points)
    across = max(across, farthest)
    for margin in _MARGINS:
        scale = (_LARGEST - 1) / (margin * across) if across > 0 else 1.0
        found = _rounded(points, scale, order)
        if found is not None:
            return found
    return None


def _pays(points: Points, n_clusters: int) -> float:
    """About what a point pays: from some to the nearest of some others, four for each cluster."""
    order = np.random.default_rng(0).permutation(points.n)
    some, others = order[:_SOME], order[_SOME : _SOME + 4 * n_clusters]
    far = np.sort(points.block_array(others, some).min(axis=0))
    # Without those in whose cluster there is none of the others.
    return float(far[: -(-9 * len(far) // 10)].mean())


def _neighbours(points: Points) -> tuple[Indices, float]:
    """The points in an order in which neighbours are near each other; the largest distance seen.

    Those nearest to one of some pivots come together, and these as in the tree of their clusters.
    """
    n = points.n
    pivots = np.random.default_rng(0).permutation(n)[: max(min(_PIVOTS, n // 64), 2)]
    nearest, farthest = np.empty(n, dtype=np.int64), 0.0
    for start in range(0, n, _SLICE):
        some = np.arange(start, min(start + _SLICE, n))
        block = points.block_array(pivots, some)
        nearest[some], farthest = block.argmin(axis=0), max(farthest, float(block.max()))
    between = points.block_array(pivots, pivots).astype(np.float64)
    np.fill_diagonal(between, 0.0)
    tree = linkage(squareform(between, checks=False), "average")
    place = np.empty(len(pivots), dtype=np.int64)
    place[leaves_list(tree)] = np.arange(len(pivots))
    return np.argsort(place[nearest], kind="stable"), farthest


def _rounded(points: Points, scale: float, order: Indices) -> Held | None:
    """All distances times a scale; None if one is too large."""
    n, blocks = points.n, -(-points.n // SIDE)
    tiles = np.empty((blocks * (blocks + 1) // 2, SIDE, SIDE), dtype=np.uint16)
    least = np.empty((len(tiles), 2, SIDE), dtype=np.uint16)
    noise = np.random.default_rng(0).random(2 * blocks * SIDE, dtype=np.float32)
    too_large: list[int] = []

    def fill(first: int, last: int) -> None:
        for j in range(first, blocks, _ACROSS):
            if too_large:
                return
            stop = min(j + _ACROSS, blocks)
            some = points.tile(order[first * SIDE : last * SIDE], order[j * SIDE : stop * SIDE])
            for i in range(first, last):
                for b in range(max(i, j), stop):
                    place = i * blocks - i * (i - 1) // 2 + b - i
                    largest = kernels.round_by_chance(
                        some, (i - first) * SIDE, (b - j) * SIDE, scale, noise[(i + b) * SIDE :],
                        tiles[place], least[place],
                    )  # fmt: skip
                    if largest >= _LARGEST:
                        too_large.append(i)

    points.in_tiles(fill, blocks, _ACROSS)
    ends = np.minimum(SIDE * _ACROSS * np.arange(1, -(-blocks // _ACROSS) + 1), n)
    tops = np.diff(ends, prepend=0)
    points.count_tiles(int((tops * (n - ends + tops)).sum()))
    return None if too_large else Held(tiles, least, scale, order)
