"""What kernels are given together: arrays with names, in tuples that Numba takes apart.

Numba's cache on disk names these classes: so this module stays where it is, and a name that is no
more still finds something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._lazy import no_more

if not TYPE_CHECKING:
    __getattr__ = no_more(__name__)


class Packed(NamedTuple):
    """Trees, one after the other.

    Attributes
    ----------
    starts : ndarray of int
        Where the nodes of each tree start, and the end.
    labels : ndarray of int
        The label of each node, as a number.
    leftmost : ndarray of int
        The first leaf below each node, counted from the start of its tree.
    root_starts, roots : ndarray of int
        The key roots of each tree: nodes that have a left sibling, and the root; in order.
    """

    starts: NDArray[np.int64]
    labels: NDArray[np.int32]
    leftmost: NDArray[np.int32]
    root_starts: NDArray[np.int64]
    roots: NDArray[np.int32]


class Tree(NamedTuple):
    """One of the packed trees."""

    labels: NDArray[np.int32]
    leaves: NDArray[np.int32]
    roots: NDArray[np.int32]


class Costs(NamedTuple):
    """What an edit of one node costs."""

    insert: float
    delete: float
    rename: float


class Sequences(NamedTuple):
    """Sequences, one after the other.

    Attributes
    ----------
    starts : ndarray of int
        Where each starts, and the end.
    values : ndarray of float64
        A row for each time, a column for each channel.
    """

    starts: NDArray[np.int64]
    values: NDArray[np.float64]


class Alignment(NamedTuple):
    """How series are aligned.

    Attributes
    ----------
    window : int
        How far from the diagonal a path may go, at least the difference of the lengths; -1 is
        no limit.
    p, q : float
        What `cells` says.
    squared : bool
        Gaps are squares of lengths.
    apart : bool
        Each channel is aligned alone, and the costs are summed.
    weighted : bool
        Cells have weights; p is how steep these are.
    sides, ground : bool
        Cells need `own` and `side`; those are gaps from the constant p.
    sums, free : bool
        The beginning of a series can be left out at the sum of all its gaps from the constant; or
        for nothing, and so can be all beyond the window. Else neither can be.
    """

    window: int
    p: float
    q: float
    squared: bool
    apart: bool
    weighted: bool
    sides: bool
    ground: bool
    sums: bool
    free: bool


class Near(NamedTuple):
    """What is near a cell of an alignment, at time x of one series and y of the other.

    Attributes
    ----------
    diagonal, up, left : float
        The costs up to the times before: of both, of x, of y.
    gap, gap_diagonal, gap_up, gap_left : float
        The gaps between values at these times, and at the times of those cells.
    own, side : float
        Gaps of the values at x and at y from the ones before, or from a constant.
    now, earlier, there, back : float
        The values at x and before, at y and before.
    away, weight : float
        How far x and y are from each other, and the weight of that.
    """

    diagonal: float
    up: float
    left: float
    gap: float
    gap_diagonal: float
    gap_up: float
    gap_left: float
    own: float
    side: float
    now: float
    earlier: float
    there: float
    back: float
    away: float
    weight: float


class Bits(NamedTuple):
    """Rows of bits, all as long.

    Attributes
    ----------
    words : ndarray of uint64
        A row each, and zeros at its end: a whole number of `PASS` words.
    counts : ndarray of int32
        How many bits of each row are set.
    """

    words: NDArray[np.uint64]
    counts: NDArray[np.int32]


class BitRatio(NamedTuple):
    """Bits that differ, over `either` of all that are set, less `both` of the common, plus `rest`.

    The whole is `either * (a + b) - both * common + rest`, with a and b bits set on each side.
    """

    either: int
    both: int
    rest: int


class SumMetric(NamedTuple):
    """A metric that sums over non-zeros give.

    Attributes
    ----------
    absolute : bool
        Of absolute differences; else of squared ones.
    centred : bool
        The mean of a row is subtracted first.
    angle : bool
        Rows are scaled to length one.
    root : bool
        The distance is the root of the sum.
    """

    absolute: bool = False
    centred: bool = False
    angle: bool = False
    root: bool = False
