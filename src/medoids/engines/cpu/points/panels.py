"""Dense rows in float32, as the kernels of a search want them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ...._types import Floats, Indices, RowReader
from ....data.rows import as_slice
from ....dissimilarities.metrics import Metric
from .frame import Frame
from .shaped import ShapedRows

# Rows that a thread shapes at a time.
_SLICE = 1024


class Panels:
    """Rows as they are where float32 loses nothing by it, and else centred and scaled.

    All at once if they take no more than `copy_limit` bytes, or those that are asked for.
    """

    def __init__(
        self, rows: ShapedRows, metric: Metric, frame: Frame, workers: Workers, copy_limit: float
    ) -> None:
        self._rows, self._frame = rows, frame
        self._scaled = metric.form.endswith("unit")
        self._ready = self._held(workers, copy_limit)

    def _held(self, workers: Workers, copy_limit: float) -> RowReader | None:
        """All rows in their float32 form where that is small enough."""
        array = self._rows.array
        shaped = self._frame.centre is not None or self._scaled
        if array.dtype == np.float32 and not shaped:
            return array
        if array.size * 4 > copy_limit or self._frame.beyond_float32:
            return None
        ready = np.empty(array.shape, dtype=np.float32)

        def fill(start: int, stop: int) -> None:
            ready[start:stop] = self._shape(slice(start, stop))

        workers.each(fill, len(array), _SLICE)
        return ready

    def _shape(self, some: slice | Indices) -> Floats:
        part, form = self._rows.array[some], self._rows.form
        if self._scaled:
            return (part - form[some, :1]) * form[some, 1:2]
        if self._frame.centre is not None:
            return (part - self._frame.centre) / self._frame.unit
        return part

    def of(self, rows: Indices) -> NDArray[np.float32]:
        """These rows."""
        where = as_slice(rows)
        part = self._shape(where) if self._ready is None else self._ready[where]
        with np.errstate(over="ignore"):  # then blocks are computed in float64
            return np.ascontiguousarray(part, dtype=np.float32)
