"""Points that are rows of a dense array, under a metric of the table."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ...._types import Floats, Indices, RowReader
from ....data.rows import as_slice, at_once
from ....dissimilarities.metrics import Metric, leaves
from ....dissimilarities.precision import SMALL, loses_digits
from .. import kernels
from ..kernels.few import by_products, epilogue, exact, has, is_few
from .base import Points
from .byte_rows import byte_rows_of
from .frame import frame_of, unit_between
from .panels import Panels
from .scratch import scratch
from .shaped import ShapedRows

# Rows of the long side that a thread takes at a time, and of the short side that are
# held as one panel; with so few there, BLAS would copy more than it computes.
_SLICE, _PANEL, _THIN = 512, 512, 8
# Where there are more, they are in at least four slices.
_SHARED = 16_384
# Rows that are compared with all at a time, where there are few.
_FEW = 128
# Numbers that a thread takes at a time in float64.
_EXACT = 2**17


def dense_between(
    left: RowReader,
    right: RowReader,
    metric: Metric,
    p: float,
    workers: Workers,
    fitted: int | None = None,
) -> NDArray[np.float64]:
    """Exact distances from every row of one array to every row of another.

    So many `fitted` rows led to the first, if that is known: what the fit did without a kernel is
    done so here.
    """
    few = fitted is not None and is_few(max(fitted, len(right)), left.shape[1], metric)
    unit = unit_between(left, right, metric, p)
    first, second = (ShapedRows(each, metric, unit) for each in (left, right))
    with np.errstate(over="ignore"):
        found = cross(first, np.arange(len(left)), second, metric, p, workers, few=few)
        found *= unit**metric.degree
    if not np.isfinite(found).all():
        raise ValueError("X has numbers so large that distances are beyond 1e308: scale it down.")
    return found


def cross(
    left: ShapedRows, arms: Indices, right: ShapedRows, metric: Metric, p: float, workers: Workers,
    refs: Indices | None = None, few: bool = False,
) -> NDArray[np.float64]:  # fmt: skip
    """Exact distances from the rows `arms` of `left` to every row of `right`, or to some.

    If they are of a fit on `few` rows, without a kernel.
    """
    kernel = exact_kernel(metric, few)
    count = len(right.array) if refs is None else len(refs)
    out = np.empty((len(arms), count))
    chosen = np.ascontiguousarray(left.array[arms], dtype=np.float64)
    form = left.form[arms]

    def fill(start: int, stop: int) -> None:
        some = slice(start, stop) if refs is None else refs[start:stop]
        rows = np.ascontiguousarray(right.array[some])
        kernel(chosen, form, rows, right.form[some], p, out, start)

    wide = max(_EXACT // left.array.shape[1], 2 * _SLICE)
    workers.each(fill, count, at_once(right.array, wide))
    return out


class _DenseSide(NamedTuple):
    """One side of a block.

    Attributes
    ----------
    rows : ndarray of int
    panel : ndarray or None
        The same rows in float32; None where float32 cannot tell them apart, or they are bytes.
    """

    rows: Indices
    panel: Any


class DensePoints(Points):
    """Rows of floats under a metric of the table.

    The search computes in float32, unless that cannot tell the rows apart.

    Parameters
    ----------
    array : RowReader
    metric : Metric
    p : float
        The exponent of a metric that has one.
    workers : Workers
    copy_limit : float, default=0
        Bytes that a copy of the rows in float32 may take.
    """

    slow_exact = symmetric = True

    def __init__(
        self, array: RowReader, metric: Metric, p: float, workers: Workers, copy_limit: float = 0
    ) -> None:
        super().__init__(len(array), workers)
        frame = frame_of(array, metric, p, workers)
        self.metric, self.p, self.unit = metric, p, frame.unit**metric.degree
        self.rows = ShapedRows(array, metric, frame.unit)
        always = frame.beyond_float32 or self.n <= SMALL
        self._bytes = None
        if not always and not self.few:
            self._bytes = byte_rows_of(self.rows, metric, frame.unit, workers, copy_limit)
        self.in_bytes, self.triangle = self._bytes is not None, metric.triangle
        self.cost = 2 + array.shape[1] / (20 if metric.term == "square" else 8)
        if self._bytes is not None:
            self.cost = 2 + array.shape[1] / 150
        elif metric.term == "square":  # a product of large blocks
            self.cost_of_many = 2 + array.shape[1] / 45
        limit = copy_limit if self._bytes is None else 0.0
        self._panels = Panels(self.rows, metric, frame, workers, limit)
        self._pad = self.rows.form[:, 2].astype(np.float32)
        self._plain = not self._pad.any()
        # Of metrics that a BLAS product gives.
        self._squares = None
        if is_product(metric) and self._bytes is None:
            self._squares = sums_of_squares(self._panels, array, workers)
        # Whether blocks are computed in float64; not known before the first is asked for. Of few
        # rows they are, since it costs less than to find out.
        always = always or (self.few and not by_products(metric, array.shape[1]))
        self._coarse: bool | None = True if always else None

    def _is_coarse(self) -> bool:
        """Whether float32 cannot tell the rows apart. The distances that show it are counted."""
        if self._coarse is None:
            self._coarse = loses_digits(self.n, self._rough, self._fine)
        return self._coarse

    def _rough(self, left: Indices, right: Indices) -> Floats:
        out = np.empty((len(left), len(right)), dtype=np.float32)
        first, second = (_DenseSide(rows, self._panel(rows)) for rows in (left, right))
        self._single(first, second, out)
        self._count(out.size)
        return out

    def _fine(self, left: Indices, right: Indices) -> Floats:
        out = np.empty((len(left), len(right)))
        self._double(left, right, out)
        self._count(out.size)
        return out

    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        # Every metric of the table is symmetric: lay the block along its memory.
        if abs(out.strides[0]) < abs(out.strides[1]):
            arms, refs, out = refs, arms, out.T
        if len(arms) > len(refs):
            self._fill(refs, arms, out, along=0)
        else:
            self._fill(arms, refs, out, along=1)

    def _fill(self, short: Indices, long: Indices, out: NDArray[np.float32], along: int) -> None:
        """Fill `out`, whose axis `along` belongs to the long side, by slices of that side."""
        most = at_once(self.rows.array, _PANEL)
        for first in range(0, len(short), most):
            held = self._side(short[first : first + most])
            target = out[first : first + most] if along else out[:, first : first + most]

            def work(
                start: int, stop: int, held: _DenseSide = held, target: NDArray[np.float32] = target
            ) -> None:
                moving = self._side(long[start:stop])
                if along:
                    self._distances(held, moving, target[:, start:stop])
                else:
                    self._distances(moving, held, target[start:stop])

            # Wide slices where the panel is thin, or BLAS has too little to do.
            size = max(_SLICE * _PANEL // len(held.rows), _SLICE)
            size = even(len(long), size, 4 if len(long) > _SHARED else 1)
            self.workers.each(work, len(long), at_once(self.rows.array, size))

    @property
    def few(self) -> bool:
        return is_few(self.n, self.rows.array.shape[1], self.metric)

    @property
    def in_float32(self) -> bool:
        return not self._is_coarse()

    @property
    def threadable(self) -> bool:  # type: ignore[override]
        self._is_coarse()  # what tells it uses threads itself
        return True

    def tile(self, arms: Indices, refs: Indices) -> NDArray[np.float32]:
        most = at_once(self.rows.array, max(len(arms), len(refs)))
        whole = max(len(arms), len(refs)) <= most
        if whole and not self._is_coarse() and self._by_product(len(arms), len(refs)):
            return self._product(self._side(arms), self._side(refs))
        out = np.empty((len(arms), len(refs)), dtype=np.float32)
        for top in range(0, len(arms), most):
            left = self._side(arms[top : top + most])
            for at in range(0, len(refs), most):
                part = out[top : top + most, at : at + most]
                self._distances(left, self._side(refs[at : at + most]), part)
        return out

    def _by_product(self, left: int, right: int) -> bool:
        if self._bytes is not None:
            return True
        # With few rows on a side BLAS would copy more than it computes.
        thin = self._plain and min(left, right) < _THIN and not self.few
        return self._squares is not None and not thin

    def _product(self, left: _DenseSide, right: _DenseSide) -> NDArray[np.float32]:
        """Distances by a product, of BLAS or of bytes, in memory that the thread keeps."""
        if self._bytes is not None:
            return self._bytes.between(left.rows, self._bytes, right.rows)
        squares, pad = self._squares, self._pad
        assert squares is not None
        found = product(left.panel, right.panel)
        finish = epilogue(self.metric) if self.few else rough_kernels(self.metric)[0]
        finish(
            found, left.panel, right.panel, squares[left.rows], squares[right.rows],
            pad[left.rows], pad[right.rows],
        )  # fmt: skip
        return found

    def _side(self, rows: Indices) -> _DenseSide:
        return _DenseSide(rows, None if self._is_coarse() else self._panel(rows))

    def _panel(self, rows: Indices) -> NDArray[np.float32] | None:
        return self._panels.of(rows) if self._bytes is None else None

    def _distances(self, left: _DenseSide, right: _DenseSide, out: NDArray[np.float32]) -> None:
        if self._is_coarse():
            self._double(left.rows, right.rows, out)
        else:
            self._single(left, right, out)

    def _single(self, left: _DenseSide, right: _DenseSide, out: NDArray[np.float32]) -> None:
        """Fill `out` with distances computed in float32."""
        if self._by_product(*out.shape):
            out[:] = self._product(left, right)
        else:
            thin(rough_kernels(self.metric)[1], left.panel, right.panel, self.p, out)

    def _double(self, left: Indices, right: Indices, out: Floats) -> None:
        """Fill `out` with distances computed in float64."""
        array, form = self.rows.array, self.rows.form
        first = np.ascontiguousarray(array[left], dtype=np.float64)
        other = np.ascontiguousarray(array[as_slice(right)])
        kernel = exact_kernel(self.metric, self.few)
        kernel(first, form[left], other, form[right], self.p, out, 0)

    def _exact(self, arms: Indices, refs: Indices | None, out: NDArray[np.float64]) -> int | None:
        every = np.arange(self.n)
        if not self.few or refs is not None or not np.array_equal(arms, every):
            out[:] = self._cross(arms, refs)
            return None
        computed = 0
        for start in range(0, self.n, _FEW):  # both ways round they are the same
            stop = start + _FEW
            part = self._cross(every[start:stop], every[start:])
            out[start:stop, start:], out[start:, start:stop] = part, part.T
            computed += part.size
        return computed

    def _cross(self, arms: Indices, refs: Indices | None) -> NDArray[np.float64]:
        rows = self.rows
        return cross(rows, arms, rows, self.metric, self.p, self.workers, refs, self.few)


def even(total: int, size: int, least: int = 1) -> int:
    """At most that size, so that slices are about as large, and an even number of them, or one.

    No thread waits for the last one then. There are so many at the `least`.
    """
    count = max(-(-total // size), least)
    return -(-total // (count + count % 2)) if count > 1 else size


def is_product(metric: Metric) -> bool:
    """Whether inner products give its distances."""
    return metric.term == "square"


def sums_of_squares(panels: Panels, array: RowReader, workers: Workers) -> NDArray[np.float32]:
    """The squared length of each row, as float32 has it."""
    squares = np.empty(len(array), dtype=np.float32)

    def fill(start: int, stop: int) -> None:
        panel = panels.of(np.arange(start, stop))
        squares[start:stop] = np.einsum("ij,ij->i", panel, panel)

    workers.each(fill, len(array), at_once(array, 2 * _SLICE))
    return squares


def product(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """`left @ right.T`, in memory that the thread keeps."""
    out = scratch(len(left), len(right))
    np.dot(left, right.T, out=out)
    return out


def thin(
    kernel: Callable[..., None],
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    p: float,
    out: Floats,
) -> None:
    """Fill `out` by a kernel without a product, which needs a layout: else it is compiled twice."""
    found = scratch(len(left), len(right))
    kernel(left, right, np.float32(p), found)
    out[:] = found


@cache
def rough_kernels(metric: Metric) -> tuple[Callable[..., None], Callable[..., None]]:
    """The float32 kernels of a metric: with a BLAS product, and without."""
    term, finish = leaves(metric, rough=True)
    thin = kernels.largest_kernel if metric.largest else kernels.block_kernel
    return kernels.epilogue_kernel(finish), thin(term, finish)


def exact_kernel(metric: Metric, few: bool) -> Callable[..., None]:
    """The float64 kernel of a metric; where there are few rows, what does the same without one."""
    if few and has(metric):
        return exact(metric)
    kernel: Callable[..., None] = kernels.exact_kernel(*leaves(metric), metric.largest)
    return kernel
