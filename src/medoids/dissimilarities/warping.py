"""Dynamic time warping of sequences of numbers."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._threads import Workers
from .._types import Floats, Indices
from . import kernels
from .base import Measure, in_slices
from .kernels.tuples import Sequences


class DynamicTimeWarping(Measure):
    """The least sum of distances along a path that aligns two sequences.

    Parameters
    ----------
    window : int, default=None
        How far from the diagonal the path may go (Sakoe and Chiba 1978), at least the
        difference of the lengths. None is no limit.
    """

    def __init__(self, window: int | None = None) -> None:
        if window is not None:
            if isinstance(window, bool) or not isinstance(window, numbers.Integral):
                raise TypeError(f"metric_params['window'] must be a whole number, got {window!r}.")
            if window < 0:
                raise ValueError(f"metric_params['window']={window} is below 0: give at least 0.")
        self._channels: int | None = None
        # None of the sequences is so long; and a place in one plus the window must not overflow.
        self.window = -1 if window is None else min(int(window), 2**31)

    def learned(self) -> dict[str, Any]:
        return {"channels": self._channels}

    def recall(self, learned: Mapping[str, Any]) -> None:
        self._channels = learned["channels"]

    def pack(self, objects: Sequence[Any]) -> Sequences:
        rows = [_sequence(each, index) for index, each in enumerate(objects)]
        channels = {row.shape[1] for row in rows}
        if len(channels) > 1:
            raise ValueError(
                f"X has sequences of {sorted(channels)} channels: give all the same number."
            )
        (found,) = channels
        if self._channels is None:
            self._channels = found
        if found != self._channels:
            raise ValueError(
                f"X has sequences of {found} channels, but the fit had {self._channels}: give"
                " as many."
            )
        starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        return Sequences(starts, np.concatenate(rows))

    def fill(
        self, left: Any, arms: Indices, right: Any, refs: Indices, out: Floats, workers: Workers
    ) -> None:
        def work(some: slice, others: slice, part: NDArray[np.float64]) -> None:
            kernels.dtw_block(left, right, arms[some], refs[others], self.window, part)

        in_slices(work, out, workers)


def _sequence(value: Any, index: int) -> NDArray[np.float64]:
    """A sequence of numbers, or of rows of numbers, one row a time."""
    try:
        row = np.asarray(value)
        if row.dtype.kind not in "fiubO":
            raise TypeError(f"it has values of type {row.dtype}")
        row = row.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        said = str(error).splitlines()[0]
        raise TypeError(f"X[{index}] is no sequence of numbers: {said}.") from None
    if row.ndim not in (1, 2) or not row.size:
        raise ValueError(
            f"X[{index}] has shape {row.shape}, but dtw needs a sequence of at least one number,"
            " or of rows of numbers."
        )
    if not np.isfinite(row).all():
        raise ValueError(f"X[{index}] contains NaN or infinity: remove or fill it in.")
    return row.reshape(len(row), -1)
