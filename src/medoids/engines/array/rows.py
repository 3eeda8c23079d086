"""Rows on a device, and the dissimilarities between them, a block at a time."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from ..._arrays import Streamed, rows_between
from ...dissimilarities.precision import loses_digits
from ..scale import log2_of, moderate
from .between import DIRECTIONS, SQUARES, Between
from .digits import Digits
from .namespace import Array, Side, Space

# What is left of a constant row is rounding, not a direction.
_DEAD = 1e-13
# Types whose numbers float32 has.
_SHORT = ("float32", "float16", "bfloat16", "uint8", "int8", "int16", "uint16", "bool")


class ArrayPoints(ABC):
    """Points on a device; `Points` of the CPU for arrays.

    Attributes
    ----------
    n, n_rows : int
        Points, and rows that may be medoids.
    unit : float
        What a distance of 1 is to the user: a power of two.
    nonnegative : bool
    itself : array or None
        From each point to itself; None where that is zero.
    n_distances : int
    """

    unit = 1.0
    nonnegative = True
    itself: Array = None

    def __init__(self, space: Space, n: int) -> None:
        self.space, self.n, self.n_rows = space, n, n
        self._counted = [0]  # for some of the points too

    @property
    def n_distances(self) -> int:
        return self._counted[0]

    @n_distances.setter
    def n_distances(self, count: int) -> None:
        self._counted[0] = count

    @property
    def bytes(self) -> Any:
        """The points as rows of bytes, to be compared all at once; or None."""
        return None

    @abstractmethod
    def block(self, arms: Array, refs: Array, rough: bool = False) -> Array:
        """From each arm to each reference, in float32; both are arrays of ids.

        If `rough`, for estimates alone, perhaps with some more rounding.
        """

    @abstractmethod
    def rows(self, start: int, stop: int, refs: Array, rough: bool = False) -> Array:
        """The same for arms that follow each other."""

    @abstractmethod
    def whole(self, arms: Array) -> Array:
        """From each arm to all points, in float32."""

    @abstractmethod
    def exact(self, arms: Array, refs: Array | None = None) -> Array:
        """From each arm to each reference (None: to all points), in float64."""

    def exact_row(self, arm: int) -> Array:
        """From an arm to all points, in float64."""
        return self.exact(self.space.ids([arm]))[0, :]

    def exact_at(self, arm: Array) -> Array:
        """The same of an arm that only the device knows: an array of one number, of any type."""
        return self.exact(self.space.cast(arm, self.space.xp.int64))[0, :]


class GivenDistances(ArrayPoints):
    """A matrix of distances: the row is the medoid, the column the point."""

    def __init__(self, matrix: Array) -> None:
        space = Space(matrix)
        super().__init__(space, matrix.shape[1])
        xp = space.xp
        largest = float(xp.max(xp.abs(matrix)))
        self.unit = moderate(log2_of(largest), self.n) if math.isfinite(largest) else 1.0
        self.n_rows, self.matrix = matrix.shape[0], matrix
        self.nonnegative = bool(xp.all(matrix >= 0))
        every = space.arange(0, min(self.n, self.n_rows))
        itself = _pairs(space, matrix, every) if self.n == self.n_rows else None
        if itself is not None and bool(xp.any(itself != 0)):
            self.itself = space.cast(itself, xp.float64) / self.unit

    def _of(self, rows: Array, refs: Array | None, dtype: Any) -> Array:
        xp = self.space.xp
        found = rows if refs is None else self.space.take(rows, refs, axis=1)
        self.n_distances += found.shape[0] * found.shape[1]
        return self.space.cast(self.space.cast(found, xp.float64) / self.unit, dtype)

    def block(self, arms: Array, refs: Array, rough: bool = False) -> Array:
        xp = self.space.xp
        return self._of(self.space.take(self.matrix, arms, axis=0), refs, xp.float32)

    def whole(self, arms: Array) -> Array:
        return self._of(self.space.take(self.matrix, arms), None, self.space.xp.float32)

    def rows(self, start: int, stop: int, refs: Array, rough: bool = False) -> Array:
        return self._of(self.matrix[start:stop, ...], refs, self.space.xp.float32)

    def exact(self, arms: Array, refs: Array | None = None) -> Array:
        xp = self.space.xp
        return self._of(self.space.take(self.matrix, arms, axis=0), refs, xp.float64)


def _pairs(space: Space, matrix: Array, every: Array) -> Array:
    """The diagonal."""
    xp = space.xp
    parts = []
    for start, stop in space.chunks(every.shape[0], matrix.shape[1]):
        columns = every[start:stop]
        parts.append(xp.take_along_axis(matrix[start:stop, ...], columns[:, None], axis=1)[:, 0])
    return xp.concat(parts)


class ArrayRows(ArrayPoints):
    """Rows of numbers, under a metric of `METRICS`.

    They are not copied, except as `bytes`: what a metric makes of a row (its direction, a point on
    the sphere) is made for a few rows at a time.

    Parameters
    ----------
    array : array or Streamed of shape (n, width)
        On the device, of any real type; or on the host, and brought there in parts.
    metric : str

    Attributes
    ----------
    room : float
        How many bytes a copy of the rows may take.
    """

    room = math.inf

    def __init__(self, array: Array, metric: str) -> None:
        space = Space(array.like if isinstance(array, Streamed) else array)
        super().__init__(space, array.shape[0])
        if space.fused is not None and not isinstance(array, Streamed):
            array = array if array.stride(1) == 1 else array.contiguous()  # kernels read along rows
        self.array, self.metric = array, metric
        self.width = 3 if metric == "haversine" else array.shape[1]
        self._centre: Array = None
        self._power = 0  # rows are divided by two to this power
        if metric in ("euclidean", "sqeuclidean", "manhattan", "chebyshev"):
            self._find_frame()
        self.how = Between(space, metric, self.width)
        self._lengths: dict[Any, Array] = {}  # of every row, squared
        self._padded = metric in DIRECTIONS and self._has_dead_rows()
        self._coarse: bool | None = None

    def some(self, ids: Array) -> ArrayRows:
        """A copy of some of the rows, with what is known of all; its distances are counted here."""
        found = copy(self)
        streamed = isinstance(self.array, Streamed)
        found.array = self.array.take(ids) if streamed else self.space.take(self.array, ids)
        found.n = found.n_rows = ids.shape[0]
        found._lengths = {}
        found.__dict__.pop("bytes", None)
        return found

    # --- rows as the metric compares them

    def _find_frame(self) -> None:
        """A shift and a unit that keep float32 from losing digits."""
        space, xp = self.space, self.space.xp
        lowest, highest, centre = self._outline()
        extent = xp.max(xp.maximum(highest - centre, centre - lowest))
        largest, away = space.host(xp.stack([extent, xp.max(xp.abs(centre))])).tolist()
        degree = 2 if self.metric == "sqeuclidean" else 1
        across = 0.5 if self.metric in SQUARES else 0 if self.metric == "chebyshev" else 1
        power = log2_of(largest) + 1 + across * math.log2(self.width)
        unit = moderate(power, self.n, degree)
        self._power, self.unit = round(math.log2(unit)), unit**degree
        far, kind = away > 2 * largest, str(self.array.dtype).rpartition(".")[2]
        if far or unit != 1 or kind not in _SHORT:
            self._centre = centre

    def _outline(self) -> tuple[Array, Array, Array]:
        """The lowest and the largest number of each column, and the mean; in float64."""
        space, xp = self.space, self.space.xp
        if space.fused is not None and not isinstance(self.array, Streamed):
            found: tuple[Array, Array, Array] = space.fused.outline(self.array)
            return found
        low, high, total = [], [], []
        for start, stop in space.chunks(self.n, self.width):
            part = space.cast(rows_between(self.array, start, stop), xp.float64)
            low.append(xp.min(part, axis=0))
            high.append(xp.max(part, axis=0))
            total.append(xp.sum(part / self.n, axis=0))
        lowest, highest = xp.min(xp.stack(low), axis=0), xp.max(xp.stack(high), axis=0)
        return lowest, highest, xp.sum(xp.stack(total), axis=0)

    def _shape(self, rows: Array, dtype: Any) -> Array:
        """Some rows, in float32 or float64, as the metric compares them."""
        space, xp = self.space, self.space.xp
        fine = space.cast(rows, xp.float64) if self._centre is not None else None
        if fine is not None:
            return space.cast((fine - self._centre) * 2.0**-self._power, dtype)
        if self.metric == "haversine":
            fine = space.cast(rows, xp.float64)
            latitude, longitude = fine[:, 0], fine[:, 1]
            level = xp.cos(latitude)
            point = (level * xp.cos(longitude), level * xp.sin(longitude), xp.sin(latitude))
            return space.cast(xp.stack(point, axis=1), dtype)
        if self.metric in DIRECTIONS:
            fine = space.cast(rows, xp.float64)
            # So large or small numbers that their squares are none have directions too.
            largest = xp.max(xp.abs(fine), axis=1, keepdims=True)
            fine = fine / xp.where(largest > 0, largest, 1.0)
            if self.metric == "correlation":
                fine = fine - xp.mean(fine, axis=1, keepdims=True)
            length = xp.sqrt(xp.sum(fine * fine, axis=1, keepdims=True))
            alive = length > _DEAD * math.sqrt(self.width)
            fine = fine * xp.where(alive, 1 / xp.where(alive, length, 1.0), 0.0)
            if self._padded:
                fine = xp.concat([fine, space.cast(~alive, xp.float64)], axis=1)
            return space.cast(fine, dtype)
        return space.cast(rows, dtype)

    def _has_dead_rows(self) -> bool:
        """Whether some rows have no direction.

        One more coordinate sets them at distance 1 from those that have one, and at 0 from their
        like.
        """
        self._padded, xp = False, self.space.xp
        for start, stop in self.space.chunks(self.n, self.width):
            part = self._between(start, stop, xp.float64)
            if bool(xp.any(xp.max(xp.abs(part), axis=1) == 0)):
                return True
        return False

    def _squares_of(self, kind: Any) -> Array:
        """The squared length of every row."""
        if kind not in self._lengths:
            xp, parts = self.space.xp, []
            for start, stop in self.space.chunks(self.n, self.width):
                part = self._between(start, stop, kind)
                parts.append(xp.sum(part * part, axis=1))
            self._lengths[kind] = xp.concat(parts)
        return self._lengths[kind]

    def _some(self, ids: Array, dtype: Any) -> Array:
        streamed = isinstance(self.array, Streamed)
        rows = self.array.take(ids) if streamed else self.space.take(self.array, ids)
        return self._shape(rows, dtype)

    def _between(self, start: int, stop: int, dtype: Any) -> Array:
        return self._shape(rows_between(self.array, start, stop), dtype)

    # --- distances

    def block(self, arms: Array, refs: Array, rough: bool = False) -> Array:
        if self.bytes is not None:
            return self._compared(arms, arms.shape[0], self.bytes.some(refs))

        def panel(a: int, b: int, kind: Any) -> Side:
            return self._side(arms[a:b], kind)

        return self._filled(arms.shape[0], panel, refs, rough)

    def rows(self, start: int, stop: int, refs: Array, rough: bool = False) -> Array:
        if self.bytes is not None:
            return self._compared(slice(start, stop), stop - start, self.bytes.some(refs))

        def panel(a: int, b: int, kind: Any) -> Side:
            return self.side(start + a, start + b, kind)

        return self._filled(stop - start, panel, refs, rough)

    def whole(self, arms: Array) -> Array:
        if self.bytes is not None:
            return self._compared(arms, arms.shape[0], self.bytes)
        space, xp, count = self.space, self.space.xp, arms.shape[0]
        kind = xp.float64 if self.is_coarse() else xp.float32
        self.n_distances += count * self.n
        left = self._side(arms, kind)
        # The rows as they lie, some at a time: they are many, and not to be copied.
        width = count * self.how.held
        parts = list(space.chunks(self.n, max(width, self.width)))
        if len(parts) == 1:
            return space.cast(self.how.compare(left, self.side(0, self.n, kind)), xp.float32)
        found = xp.empty((count, self.n), dtype=xp.float32, device=space.device)
        for a, b in parts:
            block = self.how.compare(left, self.side(a, b, kind))
            found[:, a:b] = space.cast(block, xp.float32)
        return found

    def side(self, start: int, stop: int, kind: Any) -> Side:
        """Rows that follow each other, as they are compared."""
        squares = self._squares_of(kind)[start:stop] if self.by_product else None
        return Side(self._between(start, stop, kind), squares)

    @property
    def columns(self) -> int:
        """Of rows as they are compared."""
        return self.width + self._padded

    @property
    def _in_one_pass(self) -> bool:
        """A kernel takes the rows as they lie."""
        plain = self.metric in ("euclidean", "sqeuclidean") and not isinstance(self.array, Streamed)
        return plain and self.space.fused is not None

    @property
    def by_product(self) -> bool:
        """Squared differences are those of lengths and products."""
        return self.how.by_product

    def _side(self, ids: Array, kind: Any) -> Side:
        squares = self._squares_of(kind) if self.by_product else None
        some = None if squares is None else self.space.take(squares, ids)
        return Side(self._some(ids, kind), some)

    @property
    def splits(self) -> bool:
        """A kernel takes products of rows that are split, as exact as float32."""
        return self.by_product and self.space.fused is not None and not self.is_coarse()

    @cached_property
    def bytes(self) -> Any:
        """The rows again, where they are whole numbers of a byte and there is room; else None.

        They take a quarter of the memory or less, and distances from them are those of the rows.
        """
        plain = self.space.fused is not None and not isinstance(self.array, Streamed)
        if not plain or not self.by_product or self.n * self.columns > self.room:
            return None
        found, kind = self.digits.bytes(self.n, self.columns), self.space.xp.float32
        for start, stop in self.space.chunks(self.n, self.width) if found is not None else ():
            found.put(start, self._between(start, stop, kind))
        return found

    def _compared(self, which: Any, count: int, others: Any) -> Array:
        """From some rows of bytes to others."""
        space, shape = self.space, (count, others.n)
        self.n_distances += count * others.n
        found = space.xp.empty(shape, dtype=space.xp.float32, device=space.device)
        self.bytes.compare(which, others, self.metric, found)
        return found

    def factors(self, n: int, sides: Iterable[Side]) -> Any:
        """So many rows, to be multiplied by others; they come in parts."""
        start, found = 0, self.digits.factors(n, self.columns)
        for side in sides:
            found.put(start, side.rows, side.squares)
            start += side.rows.shape[0]
        return found

    @cached_property
    def digits(self) -> Digits:
        """How many digits the rows have, as they are compared; of some of them as of all."""
        parts = list(self.space.chunks(self.n, self.width))
        about = self.metric in DIRECTIONS, isinstance(self.array, Streamed)
        return Digits(self.space, parts, self._between, *about)

    def _filled(
        self, count: int, panel: Callable[[int, int, Any], Side], refs: Array, rough: bool
    ) -> Array:
        space, xp = self.space, self.space.xp
        kind = xp.float64 if self.is_coarse() else xp.float32
        self.n_distances += count * refs.shape[0]
        if rough and self.splits:
            shape = (count, refs.shape[0])
            found = xp.empty(shape, dtype=xp.float32, device=space.device)
            factors = self.factors(shape[1], [self._side(refs, kind)])
            for a, b in space.chunks(count, self.width):
                side = panel(a, b, kind)
                factors.compare(side.rows, side.squares, self.metric, found[a:b, :])
            return found
        right, parts = self._side(refs, kind), []
        width = refs.shape[0] * self.how.held
        for a, b in space.chunks(count, max(width, self.width)):
            parts.append(space.cast(self.how.compare(panel(a, b, kind), right), xp.float32))
        return parts[0] if len(parts) == 1 else xp.concat(parts)

    def exact(self, arms: Array, refs: Array | None = None) -> Array:
        return self._from(self._some(arms, self.space.xp.float64), refs)

    def exact_row(self, arm: int) -> Array:
        return self._from(self._between(arm, arm + 1, self.space.xp.float64), None)[0, :]

    def exact_at(self, arm: Array) -> Array:
        if not self._in_one_pass:
            return super().exact_at(arm)
        self.n_distances += self.n
        frame = self._centre, 2.0**-self._power
        return self.how.finish(self.space.fused.squares_from(self.array, arm, *frame, True))

    def exact_from(self, others: Array) -> Array:
        """From rows of the user's, that are none of these, to each of these; in the user's unit."""
        self._padded = self.metric in DIRECTIONS
        return self._from(self._shape(others, self.space.xp.float64), None) * self.unit

    def _from(self, left: Array, refs: Array | None) -> Array:
        space, xp, parts = self.space, self.space.xp, []
        count = self.n if refs is None else refs.shape[0]
        self.n_distances += left.shape[0] * count
        if refs is None and self._in_one_pass:
            each = [
                space.fused.squares_from(self.array, left[i, ...], self._centre, 2.0**-self._power)
                for i in range(left.shape[0])
            ]
            return self.how.finish(xp.stack(each))
        for a, b in space.chunks(count, self.width):
            if refs is None:
                right = self._between(a, b, xp.float64)
            else:
                right = self._some(refs[a:b], xp.float64)
            # One arm after the other: so an arm's distances are the same whoever is with it.
            each = [self.how.norm(right - left[i, ...][None, :]) for i in range(left.shape[0])]
            parts.append(xp.stack(each))
        return parts[0] if len(parts) == 1 else xp.concat(parts, axis=1)

    def is_coarse(self) -> bool:
        """Whether float32 cannot tell the rows apart."""
        if self._coarse is None and self.bytes is not None:
            self._coarse = False
        if self._coarse is None:
            self._coarse, float64 = False, self.space.xp.float64
            known: dict[bytes, Any] = {}

            def both(left: Any, right: Any) -> Any:
                """In float32 and in float64: one copy to the host, which waits for the device."""
                pairs = left.tobytes() + right.tobytes()
                if pairs not in known:
                    here, there = self.space.ids(left), self.space.ids(right)
                    found = self.space.cast(self.block(here, there), float64)
                    some, others = self._some(here, float64), self._some(there, float64)
                    exact = self.how.norm(some[:, None, :] - others[None, :, :])
                    known[pairs] = self.space.host(self.space.xp.stack([found, exact]))
                return known[pairs]

            def rough(left: Any, right: Any) -> Any:
                # From a row to itself is known.
                return np.where(left[:, None] == right[None, :], 0.0, both(left, right)[0])

            def fine(left: Any, right: Any) -> Any:
                return both(left, right)[1]

            self._coarse = loses_digits(self.n, rough, fine, parts=1)
        return self._coarse


def points_on(array: Array, metric: str) -> ArrayPoints:
    """The points of a fit on the device that an array is on."""
    return GivenDistances(array) if metric == "precomputed" else ArrayRows(array, metric)
