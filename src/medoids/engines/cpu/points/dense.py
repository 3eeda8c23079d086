"""Points that are rows of a dense array."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ....dissimilarities.digits import loses_digits
from ....dissimilarities.metrics import Metric
from .base import SMALL, Floats, Indices, Points, log2_of, moderate

# Rows of the long side that a thread takes at a time, and of the short side that are
# held as one panel; with so few there, BLAS would copy more than it computes.
_SLICE, _PANEL, _THIN = 256, 1024, 48
_BYTES = 2**23
# The inverse of any smaller length is infinite.
_SMALLEST = 1e-307
# The sizes of numbers that float32 holds with all its digits.
_LEAST, _MOST = 1e-37, 1e37
# Terms that rows may be scaled for, but not shifted.
_RATIOS = ("relative", "shares")
# A row may be so much farther out than the others are apart: beyond, their squares vanish.
_FARTHEST = 1e140


class Rows:
    """Rows of an array, and what the metric does to each before it compares them.

    A row x is read as `(x - shift) * scale`, and has one more coordinate, `pad`: 1 for
    a row that has no direction (under cosine), so that it is at distance 1 from all
    that have one and at 0 from its like. `unit` is what all rows are divided by.
    """

    def __init__(self, array: Floats, metric: Metric, unit: float = 1.0) -> None:
        self.array = _on_sphere(array) if metric.form == "sphere" else array
        n = len(array)
        # Columns: shift, scale, pad.
        self.form = np.zeros((n, 3))
        self.form[:, 1] = 1.0 / unit
        if metric.form.endswith("unit"):
            size = _at_once(self.array, 4096)
            for start in range(0, n, size):
                self._scale(slice(start, start + size), metric.form.startswith("centred"))

    def _scale(self, rows: slice, centred: bool) -> None:
        part = np.asarray(self.array[rows], dtype=np.float64)
        # Dividing by the largest entry first keeps the squares in range.
        size = np.abs(part).max(axis=1)
        if centred:
            usual = np.where(size > 0, size, 1.0)
            self.form[rows, 0] = (part / usual[:, None]).mean(axis=1) * usual
            part = part - self.form[rows, :1]
        largest = np.abs(part).max(axis=1)
        # What is left of a constant row is rounding, not a direction.
        alive = largest > 1e-13 * size if centred else largest > 0
        safe = np.where(alive, largest, 1.0)
        length = np.sqrt(np.square(part / safe[:, None]).sum(axis=1)) * safe
        lost = alive & ((length < _SMALLEST) | ~np.isfinite(length))
        if lost.any():
            row = rows.start + int(lost.argmax())
            raise ValueError(
                f"X[{row}] has numbers of {largest[lost.argmax()]:.0e}, whose direction float64"
                " cannot hold: scale the row, or remove it."
            )
        self.form[rows, 1] = np.divide(1.0, length, out=np.zeros_like(length), where=alive)
        self.form[rows, 2] = ~alive


def _on_sphere(array: Floats) -> Floats:
    latitude, longitude = array[:].astype(np.float64).T
    return np.stack(
        [
            np.cos(latitude) * np.cos(longitude),
            np.cos(latitude) * np.sin(longitude),
            np.sin(latitude),
        ],
        axis=1,
    )


def cross(
    left: Rows, arms: Indices, right: Rows, metric: Metric, p: float, workers: Workers
) -> NDArray[np.float64]:
    """Exact distances from the rows `arms` of `left` to every row of `right`."""
    kernel = _exact_kernel(metric)
    out = np.empty((len(arms), len(right.array)))
    chosen = np.ascontiguousarray(left.array[arms], dtype=np.float64)
    form = left.form[arms]

    def fill(start: int, stop: int) -> None:
        rows = np.ascontiguousarray(right.array[start:stop])
        kernel(chosen, form, rows, right.form[start:stop], p, out[:, start:stop])

    workers.each(fill, len(right.array), _at_once(right.array, 4 * _SLICE))
    return out


def between(
    left: Floats, right: Floats, metric: Metric, p: float, workers: Workers
) -> NDArray[np.float64]:
    """Exact distances from every row of one array to every row of another."""
    unit = 1.0
    if not metric.form:
        largest = max(_largest(left), _largest(right))
        if metric.degree:
            unit = _unit(metric, p, largest, left.shape[1], 1)
        elif metric.term in _RATIOS:
            unit = _large_unit(largest)
    rows = (Rows(each, metric, unit) for each in (left, right))
    with np.errstate(over="ignore"):
        found = cross(next(rows), np.arange(len(left)), next(rows), metric, p, workers)
        found *= unit**metric.degree
    if not np.isfinite(found).all():
        raise ValueError("X has numbers so large that distances are beyond 1e308: scale it down.")
    return found


def _largest(array: Floats) -> float:
    size = _at_once(array, 4096)
    return max(float(np.abs(array[at : at + size]).max()) for at in range(0, len(array), size))


def _large_unit(largest: float) -> float:
    """What to divide rows by whose ratios alone matter."""
    if largest == 0 or _LEAST < largest < _MOST:
        return 1.0
    return 2.0 ** max(math.floor(math.log2(largest)), -1000)


def _unit(metric: Metric, p: float, largest: float, width: int, n: int) -> float:
    """What to divide rows by whose numbers differ by up to twice `largest`."""
    power = log2_of(largest) + 1
    if metric.term == "power" and math.isfinite(power):
        # The p-th power of a difference of 1 or less is in range, however large p is.
        moderate(power + math.log2(width), n)
        return 2.0 ** max(math.ceil(power), -1000) if p * abs(power) > 30 else 1.0
    widths = 0.5 if metric.term == "square" else 0 if metric.largest else 1
    return moderate(power + widths * math.log2(width), n, metric.degree)


class DensePoints(Points):
    """Rows of a float32 or float64 array under a metric of the table.

    The search computes in float32, on the rows as they are where that loses nothing, and
    else on rows that are centred and scaled: all at once if they take no more than
    `copy_limit` bytes, or a slice at a time.
    """

    def __init__(
        self, array: Floats, metric: Metric, p: float, workers: Workers, copy_limit: float = 0
    ) -> None:
        super().__init__(len(array), workers)
        self.metric, self.p, self.slow_exact = metric, p, True
        self.cost = 2 + array.shape[1] / (20 if metric.term == "square" else 8)
        self.rows = Rows(array, metric)
        self._pad = self.rows.form[:, 2].astype(np.float32)
        self._product = metric.term == "square"
        self._plain = not self._pad.any()
        self._kernel, self._thin_kernel = _kernels(metric)
        self._exact_kernel = _exact_kernel(metric)
        self._centre, self._scale = self._frame()
        self._ready: NDArray[np.float32] | None = None
        self._prepare(copy_limit)
        self._squares = np.empty(self.n if self._product else 0, dtype=np.float32)
        if self._product:
            self.workers.each(self._sum_squares, self.n, _at_once(array, 4 * _SLICE))
        # Whether blocks are computed in float64; not known before the first is asked for. Of few
        # rows they are, since it costs less than to find out.
        always = self._beyond_float32 or self.n <= SMALL
        self._coarse: bool | None = True if always else None

    def _is_coarse(self) -> bool:
        """Whether float32 cannot tell the rows apart. The distances that show it are counted."""
        if self._coarse is None:
            self._coarse = False
            self._coarse = loses_digits(self.n, self._rough, self._fine)
        return self._coarse

    def _rough(self, left: Indices, right: Indices) -> Floats:
        out = np.empty((len(left), len(right)), dtype=np.float32)
        self._distances(left, self.panel(left), right, self.panel(right), out)
        self._count(out.size)
        return out

    def _fine(self, left: Indices, right: Indices) -> Floats:
        out = np.empty((len(left), len(right)))
        self._exact_block(left, right, out)
        self._count(out.size)
        return out

    def _exact_block(self, left: Indices, right: Indices, out: Floats) -> None:
        array, form = self.rows.array, self.rows.form
        first = np.ascontiguousarray(array[left], dtype=np.float64)
        other = np.ascontiguousarray(array[_as_slice(right)])
        self._exact_kernel(first, form[left], other, form[right], self.p, out)

    def _frame(self) -> tuple[Floats | None, float]:
        """A shift and a scale that keep float32 from losing digits or overflowing.

        None where the rows can be used as they are, which saves a copy of each panel.
        """
        array = self.rows.array
        self._beyond_float32 = False
        if self.metric.form:  # scaled rows need no frame
            return None, 1.0
        if self.metric.degree == 0:
            return self._span()
        low, high, centre = self._extent()
        with np.errstate(over="ignore"):
            largest = float(np.max([high - centre, centre - low]))
        unit = _unit(self.metric, self.p, largest, array.shape[1], self.n)
        self.unit = unit**self.metric.degree
        self.rows.form[:, 1] = 1 / unit
        if unit != 1:
            self._look_for_farthest(largest)
        far = float(np.abs(centre).max()) > 2 * largest
        if array.dtype == np.float32 and not far and unit == 1:
            return None, 1.0
        return centre, unit

    def _extent(self) -> tuple[Floats, Floats, Floats]:
        """The smallest and the largest number of each column, and their mean."""
        array = self.rows.array
        size = _at_once(array, 4096)
        low, high, total = (np.empty((-(-self.n // size), array.shape[1])) for _ in range(3))

        def look(start: int, stop: int) -> None:
            part, at = array[start:stop], start // size
            low[at], high[at] = part.min(axis=0), part.max(axis=0)
            with np.errstate(over="ignore", invalid="ignore"):
                total[at] = part.sum(axis=0, dtype=np.float64)

        self.workers.each(look, self.n, size)
        lowest, highest = low.min(axis=0), high.max(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            centre = total.sum(axis=0) / self.n
        return lowest, highest, np.where(np.isfinite(centre), centre, lowest / 2 + highest / 2)

    def _span(self) -> tuple[Floats | None, float]:
        """The frame of rows that may not be shifted: canberra's and its kin's."""
        array = self.rows.array
        size = _at_once(array, 4096)
        least, most = (np.empty(-(-self.n // size)) for _ in range(2))

        def look(start: int, stop: int) -> None:
            part = np.abs(array[start:stop])
            least[start // size] = part.min(initial=np.inf, where=part > 0)
            most[start // size] = part.max()

        self.workers.each(look, self.n, size)
        smallest, largest = float(least.min()), float(most.max())
        unit = _large_unit(largest) if self.metric.term in _RATIOS else 1.0
        self.rows.form[:, 1] = 1 / unit
        self._beyond_float32 = smallest / unit < _LEAST or largest / unit > _MOST
        return (None, 1.0) if unit == 1 else (np.zeros(array.shape[1]), unit)

    def _look_for_farthest(self, largest: float) -> None:
        """Refuse a row that is so far out that all other distances vanish beside it."""
        array = self.rows.array
        some = np.unique(np.linspace(0, self.n - 1, 1024).astype(np.int64))
        rows = np.asarray(array[some], dtype=np.float64)
        with np.errstate(over="ignore"):
            apart = float(np.median(np.abs(rows - np.median(rows, axis=0)).max(axis=1)))
        if 0 < apart < largest / _FARTHEST:
            size = _at_once(array, 4096)
            each = [np.abs(array[at : at + size]).max(axis=1) for at in range(0, self.n, size)]
            row = int(np.concatenate(each).argmax())
            raise ValueError(
                f"X[{row}] has a number of {largest:.0e} where others differ by {apart:.0e}: beside"
                " it their distances vanish: remove that row, or scale it."
            )

    def _prepare(self, copy_limit: float) -> None:
        """Hold all rows in their float32 form where that is small enough."""
        array = self.rows.array
        shaped = self._centre is not None or self.metric.form.endswith("unit")
        if array.dtype == np.float32 and not shaped:
            self._ready = array
        elif array.size * 4 <= copy_limit and not self._beyond_float32:
            ready = np.empty(array.shape, dtype=np.float32)

            def fill(start: int, stop: int) -> None:
                ready[start:stop] = self._shape(slice(start, stop))

            self.workers.each(fill, self.n, 4 * _SLICE)
            self._ready = ready

    def _shape(self, rows: slice | Indices) -> Floats:
        part, form = self.rows.array[rows], self.rows.form
        if self.metric.form.endswith("unit"):
            return (part - form[rows, :1]) * form[rows, 1:2]
        if self._centre is not None:
            return (part - self._centre) / self._scale
        return part

    def panel(self, rows: Indices) -> NDArray[np.float32]:
        """These rows as the float32 kernels want them."""
        where = _as_slice(rows)
        part = self._shape(where) if self._ready is None else self._ready[where]
        with np.errstate(over="ignore"):  # then blocks are computed in float64
            return np.ascontiguousarray(part, dtype=np.float32)

    def _sum_squares(self, start: int, stop: int) -> None:
        panel = self.panel(np.arange(start, stop))
        self._squares[start:stop] = np.einsum("ij,ij->i", panel, panel)

    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        self._is_coarse()
        # Every metric of the table is symmetric: lay the block along its memory.
        if abs(out.strides[0]) < abs(out.strides[1]):
            arms, refs, out = refs, arms, out.T
        if len(arms) > len(refs):
            self._fill(refs, arms, out, along=0)
        else:
            self._fill(arms, refs, out, along=1)

    def _fill(self, short: Indices, long: Indices, out: NDArray[np.float32], along: int) -> None:
        """Fill `out`, whose axis `along` belongs to the long side, by slices of that side."""
        most = _at_once(self.rows.array, _PANEL)
        for first in range(0, len(short), most):
            held = short[first : first + most]
            panel = self.panel(held)
            target = out[first : first + most] if along else out[:, first : first + most]

            def work(
                start: int,
                stop: int,
                held: Indices = held,
                panel: NDArray[np.float32] = panel,
                target: NDArray[np.float32] = target,
            ) -> None:
                moving = long[start:stop]
                rows = self.panel(moving)
                if along:
                    self._distances(held, panel, moving, rows, target[:, start:stop])
                else:
                    self._distances(moving, rows, held, panel, target[start:stop])

            # Wide slices where the panel is thin, or BLAS has too little to do.
            size = _at_once(panel, max(_SLICE * _PANEL // len(held), _SLICE))
            self.workers.each(work, len(long), size)

    def _distances(
        self,
        left: Indices,
        left_panel: NDArray[np.float32],
        right: Indices,
        right_panel: NDArray[np.float32],
        out: NDArray[np.float32],
    ) -> None:
        if self._coarse:
            self._exact_block(left, right, out)
            return
        if not self._product or (self._plain and min(len(left), len(right)) < _THIN):
            self._thin_kernel(left_panel, right_panel, np.float32(self.p), out)
            return
        squares, pad = self._squares, self._pad
        product = _product(left_panel, right_panel)
        self._kernel(
            product, left_panel, right_panel, squares[left], squares[right], pad[left], pad[right]
        )
        out[:] = product

    def _exact(self, arms: Indices, out: NDArray[np.float64]) -> None:
        out[:] = cross(self.rows, arms, self.rows, self.metric, self.p, self.workers)


_scratch = threading.local()


def _product(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """`left @ right.T` into memory that the thread keeps: fresh pages cost more."""
    size = len(left) * len(right)
    if getattr(_scratch, "size", 0) < size:
        _scratch.size, _scratch.memory = size, np.empty(size, dtype=np.float32)
    out: NDArray[np.float32] = _scratch.memory[:size].reshape(len(left), len(right))
    np.dot(left, right.T, out=out)
    return out


def _kernels(metric: Metric) -> tuple[Callable[..., None], Callable[..., None]]:
    """The float32 kernels of a metric: with a BLAS product, and without."""
    from ....dissimilarities import terms as _leaves
    from ..kernels.products import epilogue_kernel
    from ..kernels.tiles import block_kernel, largest_kernel

    term, finish = getattr(_leaves, metric.term), getattr(_leaves, metric.finish)
    thin = largest_kernel if metric.largest else block_kernel
    return epilogue_kernel(finish), thin(term, finish)


def _exact_kernel(metric: Metric) -> Callable[..., None]:
    from ....dissimilarities import terms as _leaves
    from ..kernels.products import exact_kernel

    term, finish = getattr(_leaves, metric.term), getattr(_leaves, metric.finish)
    kernel: Callable[..., None] = exact_kernel(term, finish, metric.largest)
    return kernel


def _at_once(array: Floats, most: int) -> int:
    """Rows that are read at a time, so that they and what is made of them take little memory."""
    return max(1, min(most, _BYTES // (4 * int(array.shape[1]))))


def _as_slice(rows: Indices) -> slice | Indices:
    """Consecutive rows as a slice, which reads them without a copy."""
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all():
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows
