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


class Clips(NamedTuple):
    """Of some references, what clips an arm's rewards there (see `Step`)."""

    cap: Floats
    base: Floats
    cap2: Floats
    base2: Floats
    owner: Indices


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


class Panel(NamedTuple):
    """Distances from some arms to some references, by owner.

    Attributes
    ----------
    block : ndarray of float32 of shape (arms, references)
    slots : ndarray of int
        The row of each arm in it.
    lines : ndarray of int
        The columns in it, by owner.
    bounds : ndarray of int
        Where each owner's lines start, and the end.
    """

    block: NDArray[np.float32]
    slots: Indices
    lines: Indices
    bounds: Indices


class Sums(NamedTuple):
    """What `lay_out` adds to, for each arm.

    Attributes
    ----------
    squares : ndarray of shape (arms,)
        Squares of its rewards.
    widened : ndarray of shape (arms, owners)
        What is added to them where each owner goes.
    around : ndarray of shape (arms, 3)
        Sums over the arm's own owner, staying and going; and their count.
    filled : ndarray of shape (arms, 2)
        What stands for the arm itself, staying and going.
    """

    squares: NDArray[np.float32]
    widened: NDArray[np.float32]
    around: NDArray[np.float32]
    filled: NDArray[np.float32]


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
