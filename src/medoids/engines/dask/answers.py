"""What shards answer: plain values, all of them short, that join in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._types import Indices
from ..cpu.points.across import Described
from ..protocol import Values

# So many arms of each cluster are told of: the best ones, and some others.
BEST, SOME = 16, 32


def join(first: Any, second: Any) -> Any:
    """Two answers to the same order as one; None is that of a shard that has no points."""
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, dict):
        return {**first, **second}
    return first.joined(second)


class Pairs(NamedTuple):
    """Of points with the same nearest and the same second medoid: how many, and what they pay.

    Attributes
    ----------
    codes : ndarray of int
        owner * k + other.
    sums : ndarray of shape (codes, 3)
        How many points, and the sums of their nearest and second distances.
    """

    codes: Indices
    sums: Values

    def joined(self, other: Pairs) -> Pairs:
        codes, at = np.unique(np.concatenate([self.codes, other.codes]), return_inverse=True)
        sums = np.zeros((len(codes), 3))
        np.add.at(sums, at, np.concatenate([self.sums, other.sums]))
        return Pairs(codes, sums)


class Loaded(NamedTuple):
    """What shards know of their partitions.

    Attributes
    ----------
    sizes : dict of int to int
        How many rows each partition has, by its number.
    described : Described or None
        None where all are empty.
    weights : tuple of float or None
        The smallest weight, the largest, and how many are above zero.
    row_bytes : float
        How much a row takes, about.
    cost : float
        How many nanoseconds a distance takes, about.
    room : float
        Bytes for distances that they would keep together.
    """

    sizes: dict[int, int]
    described: Described | None
    weights: tuple[float, float, int] | None
    row_bytes: float
    cost: float
    room: float

    def joined(self, other: Loaded) -> Loaded:
        first, second, weights = self.described, other.described, self.weights
        described = first if second is None else second if first is None else first.joined(second)
        if weights is None:
            weights = other.weights
        elif other.weights is not None:
            (low, high, some), (low2, high2, more) = weights, other.weights
            weights = min(low, low2), max(high, high2), some + more
        row_bytes = max(self.row_bytes, other.row_bytes)
        cost, room = max(self.cost, other.cost), self.room + other.room
        return Loaded({**self.sizes, **other.sizes}, described, weights, row_bytes, cost, room)


class Keyed(NamedTuple):
    """Rows with a key each, of which the lowest are wanted; `groups` tells of which kind each is.

    Attributes
    ----------
    keys : ndarray
    ids, groups : ndarray of int
    values : ndarray of float64
        What is told of each.
    """

    keys: NDArray[Any]
    ids: Indices
    groups: Indices
    values: Values

    def lowest(self, count: int) -> Keyed:
        """The lowest so many of each group; the lower id on a tie."""
        order = np.lexsort((self.ids, self.keys, self.groups))
        groups = self.groups[order]
        rank = np.arange(len(order)) - np.searchsorted(groups, groups)
        return self.at(order[rank < count])

    def at(self, places: Indices) -> Keyed:
        """Some of them."""
        keys, ids, groups, values = self
        return Keyed(keys[places], ids[places], groups[places], values[places])

    def joined(self, other: Keyed) -> Keyed:
        return Keyed.together([each for each in (self, other) if len(each.ids)] or [self])

    @staticmethod
    def together(parts: Sequence[Keyed]) -> Keyed:
        """Those of several parts."""
        if not parts:
            none: Indices = np.empty(0, dtype=np.int64)
            return Keyed(none.astype(float), none, none, none.astype(float))
        return Keyed(*(np.concatenate(each) for each in zip(*parts, strict=True)))


class Paid(NamedTuple):
    """What all points pay at the medoids of an order.

    Attributes
    ----------
    loss : ndarray of shape (k, 3)
        Of each owner's points, in parts as `split_sums` makes them.
    members : ndarray of int
        How many points each owns.
    near, second : ndarray
        Sums of their nearest and second distances.
    sizes : ndarray of shape (2,)
        Sums of the sizes of these over all points.
    lowest : float
        The least that a point pays.
    spread : Spread or None
        What a step asks besides; None if that was not asked for.
    """

    loss: Values
    members: Indices
    near: Values
    second: Values
    sizes: Values
    lowest: float
    spread: Spread | None

    def joined(self, other: Paid) -> Paid:
        return Paid(
            add_parts(self.loss, other.loss), self.members + other.members, self.near + other.near,
            self.second + other.second, self.sizes + other.sizes, min(self.lowest, other.lowest),
            join(self.spread, other.spread),
        )  # fmt: skip


class Spread(NamedTuple):
    """How what all points pay is spread over them.

    Attributes
    ----------
    pairs : Pairs
    heavy : Keyed
        Those that pay most; the key is minus that, the value the position of the second medoid.
    firsts : Keyed
        The first members of each owner in the order of the references.
    ratio : ndarray of shape (2,)
        The sum of weight * nearest / second, and of the weights.
    most, seen : int
        How many of `heavy` are told in all, and of `firsts` for each owner.
    changed : tuple of int or None
        The number of the step before, and of points whose rewards have changed since; None where a
        shard does not know.
    """

    pairs: Pairs
    heavy: Keyed
    firsts: Keyed
    ratio: Values
    most: int
    seen: int
    changed: tuple[int, int] | None

    def joined(self, other: Spread) -> Spread:
        changed, mine, others = None, self.changed, other.changed
        if mine is not None and others is not None and mine[0] == others[0]:
            changed = mine[0], mine[1] + others[1]
        return Spread(
            self.pairs.joined(other.pairs), _most(self.heavy.joined(other.heavy), self.most),
            self.firsts.joined(other.firsts).lowest(self.seen), self.ratio + other.ratio,
            self.most, self.seen, changed,
        )  # fmt: skip


class Standing(NamedTuple):
    """How a step stands: of the arms of a view.

    Attributes
    ----------
    left : ndarray of int of shape (owners,)
        How many are left, by owner.
    best : Keyed
        Those with the lowest estimates of each owner; the key is the estimate.
    some : Keyed
        Some of each owner, the first in the order of the references; the value is the estimate.
    known : Keyed
        The best of those whose distances to all points are kept; the key is the estimate.
    """

    left: Indices
    best: Keyed
    some: Keyed
    known: Keyed

    @property
    def is_whole(self) -> bool:
        """Whether all that are left are among the best."""
        return len(self.best.ids) == int(self.left.sum())

    def joined(self, other: Standing) -> Standing:
        return Standing(
            self.left + other.left, self.best.joined(other.best).lowest(BEST),
            self.some.joined(other.some).lowest(SOME),
            self.known.joined(other.known).lowest(BEST),
        )  # fmt: skip


class Sums(NamedTuple):
    """Of some arms: sums of their rewards as in `Step.sums`; and their owners, -1 if elsewhere."""

    shared: Values
    extra: Values
    homes: Indices

    def joined(self, other: Sums) -> Sums:
        shared, extra = self.shared + other.shared, self.extra + other.extra
        return Sums(shared, extra, np.maximum(self.homes, other.homes))


class Parts(NamedTuple):
    """Sums in three parts, as `split_sums` makes them."""

    sums: Values

    def joined(self, other: Parts) -> Parts:
        return Parts(add_parts(self.sums, other.sums))


def _most(keyed: Keyed, count: int) -> Keyed:
    """The lowest of all groups together."""
    return keyed.at(np.lexsort((keyed.ids, keyed.keys))[:count])


def add_parts(first: Values, second: Values) -> Values:
    """The sum of two sums in three parts: what is rounded is far below its last bit."""
    high, lost = _two_sum(first[..., 0], second[..., 0])
    middle, lost2 = _two_sum(first[..., 1], second[..., 1])
    middle, lost3 = _two_sum(middle, lost)
    low = first[..., 2] + second[..., 2] + (lost2 + lost3)
    return np.stack([high, middle, low], axis=-1)


def _two_sum(a: Values, b: Values) -> tuple[Values, Values]:
    """a + b, and what is lost of it (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)
