"""What kernels are given together: arrays with names, in tuples that Numba takes apart.

Numba's cache on disk names these classes: so this module stays where it is, and a name that is no
more still finds something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...._lazy import no_more
from ...._types import Floats, Indices

if not TYPE_CHECKING:
    __getattr__ = no_more(__name__)

# Numbers that a line has, which are added as one vector.
LANES = 16


class Clips(NamedTuple):
    """Of some references, what clips an arm's rewards there (see `Step`)."""

    cap: Floats
    base: Floats
    cap2: Floats
    base2: Floats
    owner: Indices


class Bytes(NamedTuple):
    """Rows of bytes.

    Attributes
    ----------
    rows : ndarray of uint8
        Padded with zeros to whole lines.
    sums, squares : ndarray of int32
        Sums over each row, of its bytes and of their squares.
    factor : ndarray of float64
        What makes a row's length one, where directions are compared; 0 of a row that has none.
    alive, pad : ndarray of float64
        The square of that length, and the further coordinate of `ShapedRows`.
    """

    rows: NDArray[np.uint8]
    sums: NDArray[np.int32]
    squares: NDArray[np.int32]
    factor: NDArray[np.float64]
    alive: NDArray[np.float64]
    pad: NDArray[np.float64]


class Lines(NamedTuple):
    """References of a sample by stratum, each stratum's padded to a multiple of 4.

    Attributes
    ----------
    at : ndarray of int
        The line of each in the block of distances.
    ids : ndarray of int
        Which point each is; -1 for padding.
    bounds : ndarray of int
        Where each stratum starts, and the end; two strata for each owner.
    caps : ndarray of float32 of shape (lines, 4)
        cap, base, cap2, base2.
    """

    at: Indices
    ids: Indices
    bounds: Indices
    caps: NDArray[np.float32]


class Weights(NamedTuple):
    """Of each stratum, in float32: as in `Sample`."""

    share: NDArray[np.float32]
    spread: NDArray[np.float32]
    counts: NDArray[np.float32]


class Homes(NamedTuple):
    """Of each arm: what it gains at itself, and the stratum that it is in.

    Attributes
    ----------
    own : ndarray of float32 of shape (arms, 2)
        What it gains at itself, its owner staying or going.
    owner, part : ndarray of int
        The position of its medoid, and its stratum.
    factor : ndarray of float32
        On the share of its own stratum, which lacks the arm.
    """

    own: NDArray[np.float32]
    owner: Indices
    part: Indices
    factor: NDArray[np.float32]


class Estimates(NamedTuple):
    """What `screen` fills in.

    Attributes
    ----------
    mean : ndarray of float32 of shape (arms,)
        The lowest estimate of each arm's swaps.
    lower : ndarray of float32 of shape (k + 1, arms) or (1, arms)
        Lower bounds of its swaps, and of its addition; or the lowest of them.
    sizes : ndarray of float32 of shape (arms, 4)
        Sum of its rewards, of their squares, variance of the mean; and the sum of rewards in
        its own cluster if its owner goes.
    """

    mean: NDArray[np.float32]
    lower: NDArray[np.float32]
    sizes: NDArray[np.float32]


class Changed(NamedTuple):
    """References at which something changed, from one step to the next.

    Attributes
    ----------
    lines, ids : ndarray of int
        Their lines in the block of distances, and which points they are.
    old, new : ndarray of float32 of shape (lines, 2)
        Distances to the nearest and the second medoid, before and now.
    old_owner, new_owner : ndarray of int
    """

    lines: Indices
    ids: Indices
    old: NDArray[np.float32]
    new: NDArray[np.float32]
    old_owner: Indices
    new_owner: Indices


class Moved(NamedTuple):
    """Of each arm, what it gains at itself (as in `Homes`) and its owner, before and now."""

    old_own: NDArray[np.float32]
    new_own: NDArray[np.float32]
    old_owner: Indices
    new_owner: Indices


class Removed(NamedTuple):
    """Of each medoid: how the cost of its removal changed (all of it, if it is new); is it new?"""

    change: NDArray[np.float32]
    replaced: NDArray[np.bool_]


class Tally(NamedTuple):
    """What all points pay, added up.

    Attributes
    ----------
    members : ndarray of int of shape (k,)
        How many points each medoid owns.
    sums : ndarray of shape (3, k)
        Over these: the nearest distance, the second one, and what the second is more.
    sizes : ndarray of shape (2,)
        The sums over all points of the sizes of the nearest and the second.
    """

    members: Indices
    sums: NDArray[np.float64]
    sizes: NDArray[np.float64]


class Hits(NamedTuple):
    """The references that reward some arms, and the arms' distances to them.

    Attributes
    ----------
    at : ndarray of int32 of shape (arms, most)
    distances : ndarray of float32 of shape (arms, most)
    counts : ndarray of int
        How many each arm has.
    """

    at: NDArray[np.int32]
    distances: NDArray[np.float32]
    counts: Indices


class Refs(NamedTuple):
    """References of a regression, and what they are to all clusters.

    Attributes
    ----------
    owners, others : ndarray of int
        The positions of their nearest medoid and of the second.
    heavy : ndarray of bool
        They pay far more than others, and stand for themselves alone.
    common : int
        So many are of all clusters; the others are further ones of a cluster and next to it.
    caps : ndarray of float64 of shape (references, 4)
        cap, base, cap2, base2.
    known : ndarray of shape (values, references)
        Values that are known of all points.
    offset : ndarray of float32
        What rewards are taken against.
    weights : ndarray
        How much each counts; empty, if all do the same.
    """

    owners: Indices
    others: Indices
    heavy: NDArray[np.bool_]
    common: int
    caps: NDArray[np.float64]
    known: NDArray[np.float64]
    offset: NDArray[np.float32]
    weights: NDArray[np.float64]


class Led(NamedTuple):
    """Leaders of a regression.

    Attributes
    ----------
    distances : ndarray of float32 of shape (leaders, references)
    alone : ndarray
        What each is worth if no medoid goes.
    extra : ndarray
        What is added where its own goes.
    mine : int
        So many are of the arms' own cluster: these come first.
    """

    distances: NDArray[np.float32]
    alone: NDArray[np.float64]
    extra: NDArray[np.float64]
    mine: int


class Cluster(NamedTuple):
    """What a regression knows of a cluster, as `regress` takes it.

    Attributes
    ----------
    g : int
        Its position.
    beside, sizes : ndarray of int of shape (k,)
        How many points of each owner are next to it, and how many each has, but for the heavy ones.
    fewest : int
        So many of an owner's must be seen.
    n : int
        All points.
    swap : bool
    """

    g: int
    beside: Indices
    sizes: Indices
    fewest: int
    n: int
    swap: bool


class Basis(NamedTuple):
    """Columns that are orthonormal over a sample, and what they say of the mean.

    Attributes
    ----------
    q : ndarray of float32 of shape (m, columns)
        For each reference the global columns of Q, then its cell's local ones.
    laid : ndarray of float32 of shape (m, 8)
        cap, cap2, base, base2 of each; the weight by which every reward is multiplied; nothing.
    segments : ndarray of int32 of shape (m,)
        By owner, and again by owner those next to the cluster: these together are the last cell.
    t : ndarray of shape (cells, columns)
        The estimate of the mean over all points is t'c.
    scale : ndarray of shape (cells,)
        The factor from what is left of the squares to each cell's part of the variance.
    unseen : ndarray of shape (cells,)
        The part of it that is due to points that are not seen.
    gram : ndarray of shape (columns,)
        Squares of the global columns, each cell's times its scale; these columns are turned so
        that their products with each other are zero.
    shared : int
        How many are global.
    """

    q: NDArray[np.float32]
    laid: NDArray[np.float32]
    segments: NDArray[np.int32]
    t: NDArray[np.float64]
    scale: NDArray[np.float64]
    unseen: NDArray[np.float64]
    gram: NDArray[np.float64]
    shared: int


class Inside(NamedTuple):
    """Of each arm, what its bounds need besides.

    Attributes
    ----------
    me : ndarray of int
        Where it is among the references; -1 if it is not.
    home : int
        The owner of all.
    own : ndarray of shape (arms, 2)
        What it gains at itself, its owner staying or going.
    guard : ndarray of shape (arms, 3)
        By how much its bounds fall: for each share of the rewards that is left to chance, in any
        case, and with its own medoid going.
    share : float
        The share of all points that a reference of its cluster stands for,
    seen : int
        and how many these are.
    n : int
        All points.
    swap : bool
        An arm replaces a medoid.
    """

    me: Indices
    home: int
    own: NDArray[np.float64]
    guard: NDArray[np.float64]
    share: float
    seen: int
    n: int
    swap: bool


class Fours(NamedTuple):
    """What some points pay, block by block, four of one owner at a time.

    Attributes
    ----------
    lines : ndarray of int
        Where each point is in its block.
    clips : ndarray of float32 of shape (lines, 2)
        Of each the distances of its nearest medoid and of the second-nearest; in BUILD what an
        arm's distance is cut at, and what is taken from it. At one that only fills up, -1 twice.
    owner : ndarray of int
        Of each four.
    sign : ndarray of float64
        Of each four: 1, or -1 to take away what was added.
    bounds : ndarray of int
        Where each block starts, and the end.
    """

    lines: Indices
    clips: NDArray[np.float32]
    owner: Indices
    sign: NDArray[np.float64]
    bounds: Indices


class Postings(NamedTuple):
    """For each rare feature, the held rows that have it and their values: up to its end."""

    ends: NDArray[np.int64]
    rows: NDArray[np.uint16]
    values: Floats


class SparseSide(NamedTuple):
    """Some of the rows, as the last kernel wants them.

    Their `Lists`, unpacked: a tuple in a tuple takes Numba four times as long to accept.
    """

    starts: Indices
    stops: Indices
    indices: Indices
    data: Floats
    form: NDArray[np.float64]
    chosen: Indices


class Lists(NamedTuple):
    """The features of each row i, and their values: from `starts[i]` to `stops[i]`."""

    starts: Indices
    stops: Indices
    indices: Indices
    data: Floats
