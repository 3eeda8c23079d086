"""Distances between things of several sets, made apart but alike: those of a part, and references.

A `Space` is the dissimilarity with all that the sets have in common: a frame, a unit, and whether
float32 serves. A `Side` is one set, laid out for it. The candidate medoid is on the left.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ...._types import Floats, Indices
from ....data.kinds import Data, DenseData, ObjectData, SparseData
from ....data.rows import Stacked, at_once
from ....dissimilarities.base import Measure
from ....dissimilarities.metrics import METRICS, SPARSE, Metric
from ....dissimilarities.precision import SMALL, loses_digits
from ...scale import log2_of, moderate, unit_of
from .byte_rows import ByteRows, Marks, byte_rows_of, compares_bytes
from .dense import cross, is_product, product, rough_kernels, sums_of_squares, thin
from .frame import Extent, Frame, extent_of, frame_within
from .panels import Panels
from .shaped import ShapedRows
from .sparse import sparse_block
from .sparse_rows import SparseRows, rows_of

# Rows of the long side that a thread takes at a time, and of the short side that are held as one
# panel; with so few there, BLAS would copy more than it computes.
_SLICE, _PANEL, _THIN = 512, 512, 8


class Side(NamedTuple):
    """One set of things, laid out.

    Attributes
    ----------
    n : int
        How many there are.
    laid : Any
        As the space wants them.
    """

    n: int
    laid: Any


class Space(ABC):
    """A dissimilarity, and all that things of several sets under it have in common.

    Attributes
    ----------
    unit : float
        What a distance of 1 here is to the user: a power of two.
    nonnegative : bool
        No distance is below zero.
    n_distances : int
        How many were computed.
    stacks : bool
        Several sets can be laid out as one, without a copy of them.
    """

    unit: float = 1.0
    nonnegative: bool = True
    n_distances: int = 0
    stacks: bool = False

    def __init__(self, workers: Workers) -> None:
        self.workers = workers

    def rough(
        self, left: Side, arms: Indices, right: Side, refs: Indices, out: NDArray[np.float32]
    ) -> None:
        """Fill `out[i, j]` with the distance from left[arms[i]] to right[refs[j]], in float32."""
        if len(arms) and len(refs):
            self._rough(left, arms, right, refs, out)
            self.n_distances += len(arms) * len(refs)

    def exact(
        self, left: Side, arms: Indices, right: Side, refs: Indices | None = None
    ) -> NDArray[np.float64]:
        """The same in float64, to some of the right or to all: the same bits always."""
        count = right.n if refs is None else len(refs)
        if not len(arms) or not count:
            return np.empty((len(arms), count))
        found = self._exact(left, arms, right, refs)
        self.n_distances += found.size
        if not np.isfinite(found).all():
            value = found[~np.isfinite(found)][0]
            raise ValueError(
                f"metric gives {value}: scale the data to moderate numbers, or mend the metric."
            )
        return found

    def itself(self, side: Side) -> NDArray[np.float64]:
        """The distance from each to itself."""
        return np.zeros(side.n)

    def settle(self, some: Side, n: int) -> None:  # noqa: B027
        """Find out what all sets have in common from some of the n things, the same everywhere."""

    def stacked(self, sets: Sequence[Any]) -> Any:
        """Several sets as one, where the space stacks them; or the only one."""
        (only,) = sets
        return only

    @abstractmethod
    def side(self, data: Any) -> Side:
        """Lay out a set of things."""

    @abstractmethod
    def _rough(
        self, left: Side, arms: Indices, right: Side, refs: Indices, out: NDArray[np.float32]
    ) -> None: ...

    @abstractmethod
    def _exact(
        self, left: Side, arms: Indices, right: Side, refs: Indices | None
    ) -> NDArray[np.float64]: ...


class _Laid(NamedTuple):
    """Dense rows: as the metric shapes them, in float32, with their squared lengths and pads.

    Or as bytes, where all are such. And on a device, where a space computes there and has room.
    """

    rows: ShapedRows
    panels: Panels
    squares: NDArray[np.float32]
    pad: NDArray[np.float32]
    plain: bool
    bytes: ByteRows | None = None
    there: Any = None


class DenseSpace(Space):
    """Rows of floats under a metric of the table.

    Parameters
    ----------
    metric, p : Metric, float
    frame : Frame
        Of all rows.
    workers : Workers
    copy_limit : float
        Bytes that a copy of a set in float32 may take.
    marks : Marks, default=None
        What the numbers of all rows are, if a byte holds each.
    """

    stacks = True

    def __init__(
        self,
        metric: Metric,
        p: float,
        frame: Frame,
        workers: Workers,
        copy_limit: float,
        marks: Marks | None = None,
    ) -> None:
        super().__init__(workers)
        # A processor that cannot compare bytes has the same distances from float32.
        self._marks = marks if marks is not None and compares_bytes(metric) else None
        self.metric, self.p, self.frame, self._copy_limit = metric, p, frame, copy_limit
        self.unit = frame.unit**metric.degree
        self._kernel, self._thin_kernel = rough_kernels(metric)
        self._coarse = True  # until it is settled

    def stacked(self, sets: Sequence[DenseData | SparseData]) -> DenseData | SparseData:
        one = sets[0]
        if len(sets) == 1:
            return one
        rows = Stacked([each.dense().things for each in sets])
        return DenseData(rows, one.name, one.metric, one.p)

    def side(self, data: DenseData | SparseData) -> Side:
        rows = ShapedRows(data.dense().things, self.metric, self.frame.unit)
        marks, limit = self._marks, self._copy_limit
        panels = Panels(rows, self.metric, self.frame, self.workers, 0 if marks else limit)
        squares = np.empty(0, dtype=np.float32)
        if is_product(self.metric) and not marks:
            squares = sums_of_squares(panels, rows.array, self.workers)
        pad = rows.form[:, 2].astype(np.float32)
        in_bytes = None
        if marks is not None:
            in_bytes = ByteRows(rows, self.metric, marks, self.frame.unit, self.workers)
        return Side(data.n, _Laid(rows, panels, squares, pad, not pad.any(), in_bytes))

    def settle(self, some: Side, n: int) -> None:
        self._coarse = self.frame.beyond_float32 or n <= SMALL
        if self._coarse:
            return

        def rough(left: Indices, right: Indices) -> Floats:
            out = np.empty((len(left), len(right)), dtype=np.float32)
            self.rough(some, left, some, right, out)
            return out

        self._coarse = loses_digits(some.n, rough, lambda a, b: self.exact(some, a, some, b))

    def _rough(
        self, left: Side, arms: Indices, right: Side, refs: Indices, out: NDArray[np.float32]
    ) -> None:
        # Every metric of the table is symmetric: lay the block along its memory.
        if abs(out.strides[0]) < abs(out.strides[1]):
            left, arms, right, refs, out = right, refs, left, arms, out.T
        if self._coarse:
            out[:] = self._exact(left, arms, right, refs)
        elif len(arms) > len(refs):
            self._fill(right.laid, refs, left.laid, arms, out, along=0)
        else:
            self._fill(left.laid, arms, right.laid, refs, out, along=1)

    def _fill(
        self, few: _Laid, short: Indices, many: _Laid, long: Indices, out: NDArray[np.float32],
        along: int,
    ) -> None:  # fmt: skip
        """Fill `out`, whose axis `along` belongs to the long side, by slices of that side."""
        most = at_once(few.rows.array, _PANEL)
        for first in range(0, len(short), most):
            held = short[first : first + most]
            panel = None if few.bytes else few.panels.of(held)
            target = out[first : first + most] if along else out[:, first : first + most]

            def work(
                start: int,
                stop: int,
                held: Indices = held,
                panel: Any = panel,
                target: Any = target,
            ) -> None:
                moving = long[start:stop]
                other = None if many.bytes else many.panels.of(moving)
                if along:
                    sides = ((few, held, panel), (many, moving, other))
                    self._single(*sides, target[:, start:stop])
                else:
                    sides = ((many, moving, other), (few, held, panel))
                    self._single(*sides, target[start:stop])

            size = at_once(many.rows.array, max(_SLICE * _PANEL // len(held), _SLICE))
            array = many.rows.array
            cuts = array.apart(long, size) if isinstance(array, Stacked) else []
            for begin, end in pairwise([0, *cuts, len(long)]):
                self.workers.each(
                    lambda start, stop, begin=begin, work=work: work(begin + start, begin + stop),  # type: ignore[misc]
                    end - begin,
                    size,
                )

    def _single(
        self, left: tuple[_Laid, Indices, Any], right: tuple[_Laid, Indices, Any], out: Floats
    ) -> None:
        (some, rows, panel), (others, columns, other) = left, right
        if some.bytes is not None and others.bytes is not None:
            out[:] = some.bytes.between(rows, others.bytes, columns)
            return
        plain = some.plain and others.plain
        if not len(some.squares) or (plain and min(out.shape) < _THIN):
            thin(self._thin_kernel, panel, other, self.p, out)
            return
        found = product(panel, other)
        self._kernel(
            found, panel, other, some.squares[rows], others.squares[columns],
            some.pad[rows], others.pad[columns],
        )  # fmt: skip
        out[:] = found

    def _exact(
        self, left: Side, arms: Indices, right: Side, refs: Indices | None
    ) -> NDArray[np.float64]:
        first, second = left.laid.rows, right.laid.rows
        return cross(first, arms, second, self.metric, self.p, self.workers, refs)


class SparseSpace(Space):
    """Rows of CSR matrices under one of the `SPARSE` metrics.

    Parameters
    ----------
    name : str
        The metric.
    largest : float
        The size of the largest number of all rows;
    longest : int
        and the most that a row has.
    n : int
        How many rows there are.
    workers : Workers
    """

    def __init__(self, name: str, largest: float, longest: int, n: int, workers: Workers) -> None:
        super().__init__(workers)
        self._metric, degree = SPARSE[name], METRICS[name].degree
        power = log2_of(largest) + 1
        self._scale = moderate(power, 1)
        if degree:
            self._scale = moderate(power + float(np.log2(max(longest, 1))), n, degree)
        self.unit = self._scale**degree

    def side(self, data: DenseData | SparseData) -> Side:
        matrix = data.sparse().things
        matrix = matrix if self._scale == 1 else matrix / self._scale
        return Side(data.n, rows_of(matrix, self._metric, self.workers))

    def _rough(
        self, left: Side, arms: Indices, right: Side, refs: Indices, out: NDArray[np.float32]
    ) -> None:
        self._block((left.laid, arms), (right.laid, refs), out)

    def _block(
        self, left: tuple[SparseRows, Indices], right: tuple[SparseRows, Indices], out: Floats
    ) -> None:
        # All of these metrics are symmetric: hold the shorter side.
        if len(left[1]) < len(right[1]):
            sparse_block(left, right, self._metric, out.T, self.workers)
        else:
            sparse_block(right, left, self._metric, out, self.workers)

    def _exact(
        self, left: Side, arms: Indices, right: Side, refs: Indices | None
    ) -> NDArray[np.float64]:
        refs = np.arange(right.n) if refs is None else refs
        out = np.empty((len(arms), len(refs)))
        # The arms are held, as where the rows are all in one place: so are the bits the same.
        sparse_block((left.laid, arms), (right.laid, refs), self._metric, out.T, self.workers)
        return out


class ObjectSpace(Space):
    """Objects under a measure."""

    def __init__(self, measure: Measure, workers: Workers) -> None:
        super().__init__(workers)
        self._measure, self.nonnegative = measure, measure.distance

    def side(self, data: ObjectData) -> Side:
        return Side(data.n, data.packed)

    def settle(self, some: Side, n: int) -> None:
        few = np.arange(min(some.n, 16))
        self.unit = unit_of(self.exact(some, few, some, few), n)

    def itself(self, side: Side) -> NDArray[np.float64]:
        return self._measure.own(side.laid, side.n) / self.unit

    def _rough(
        self, left: Side, arms: Indices, right: Side, refs: Indices, out: NDArray[np.float32]
    ) -> None:
        out[:] = self._exact(left, arms, right, refs)

    def _exact(
        self, left: Side, arms: Indices, right: Side, refs: Indices | None
    ) -> NDArray[np.float64]:
        refs = np.arange(right.n) if refs is None else refs
        out = np.empty((len(arms), len(refs)))
        self._measure.fill(left.laid, arms, right.laid, refs, out, self.workers)
        return out / self.unit


class Described(NamedTuple):
    """Of a set of things, what its space follows from.

    Attributes
    ----------
    n : int
        How many there are.
    kind : str
        "dense", "sparse" or "objects".
    extent : Extent or None
        How far dense rows reach.
    dtype : Any
        Their type.
    largest, longest : float
        Of sparse rows, as in `SparseSpace`.
    width : int
        Columns; 0 of objects.
    marks : Marks or None
        Of dense rows, what their numbers are, if a byte holds each.
    """

    n: int
    kind: str
    extent: Extent | None
    dtype: Any
    largest: float
    longest: int
    width: int
    marks: Marks | None = None

    def joined(self, other: Described) -> Described:
        """That of both sets together."""
        if (self.kind, self.width) != (other.kind, other.width):
            raise ValueError(
                f"X has partitions of {self.width} columns ({self.kind}) and of {other.width}"
                f" ({other.kind}): let them be alike."
            )
        extent = self.extent
        if extent is not None and other.extent is not None:
            extent = extent.joined(other.extent)
        marks = self.marks
        if marks is not None:
            marks = marks.joined(other.marks) if other.marks is not None else None
        return Described(
            self.n + other.n, self.kind, extent, np.promote_types(self.dtype, other.dtype),
            max(self.largest, other.largest), max(self.longest, other.longest), self.width,
            marks,
        )  # fmt: skip


def describe(data: Data, workers: Workers) -> Described:
    """What the space of these things follows from."""
    match data:
        case SparseData() if data.name in SPARSE:
            matrix = data.things
            largest = float(np.abs(matrix.data).max(initial=0.0))
            longest = int(np.diff(matrix.indptr).max(initial=1))
            kind = "sparse", None, matrix.dtype, largest, longest, matrix.shape[1]
            return Described(data.n, *kind)
        case DenseData() | SparseData():
            rows = data.dense()
            extent = extent_of(rows.things, rows.metric, workers)
            width, dtype = rows.things.shape[1], rows.things.dtype
            shaped = ShapedRows(rows.things, rows.metric)
            found = byte_rows_of(shaped, rows.metric, 1.0, workers, math.inf)
            marks = found.marks if found is not None else None
            return Described(data.n, "dense", extent, dtype, 0.0, 1, width, marks)
        case ObjectData():
            return Described(data.n, "objects", None, np.dtype(bool), 0.0, 1, 0)
    raise TypeError(f"no distances can be computed from {type(data).__name__}.")


def space_of(data: Any, whole: Described, workers: Workers, copy_limit: float) -> Space:
    """The space of things like these, which are some of those that are described."""
    if whole.kind == "objects":
        return ObjectSpace(data.measure, workers)
    if whole.kind == "sparse":
        return SparseSpace(data.name, whole.largest, whole.longest, whole.n, workers)
    assert whole.extent is not None
    frame = frame_within(whole.extent, whole.dtype, data.metric, data.p)
    return DenseSpace(data.metric, data.p, frame, workers, copy_limit, whole.marks)
