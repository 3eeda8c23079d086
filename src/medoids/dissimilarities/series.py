"""Series: sequences of numbers, or of rows of numbers, one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .kernels.tuples import Sequences


def pack_series(things: Any, first: bool) -> Sequences:
    """Series of any lengths, and of one number of channels.

    Parameters
    ----------
    things : array of shape (series, channels, times) or iterable of arrays
        An array with one axis is a channel; with two, those of a series.
    first : bool
        In arrays with two axes, the first one is that of the channels.
    """
    if isinstance(things, np.ndarray) and things.ndim == 3:
        n, channels, times = things.shape
        values = things.transpose(0, 2, 1).reshape(-1, channels).astype(np.float64, copy=False)
        return Sequences(np.arange(n + 1) * times, np.ascontiguousarray(values))
    rows = [_series(each, index, first) for index, each in enumerate(things)]
    widths = {row.shape[1] for row in rows}
    if len(widths) > 1:
        raise ValueError(
            f"X has sequences of {_few(widths)} channels: give all the same number; if their first"
            " axis is that of the channels, say metric_params={'channels': 'first'}."
        )
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    # In the one layout for which kernels are compiled, also where channels came first.
    return Sequences(starts, np.ascontiguousarray(np.concatenate(rows)))


def _few(widths: Iterable[int]) -> str:
    some = sorted(widths)
    return ", ".join(map(str, some[:4])) + (", …" if len(some) > 4 else "")


def _series(value: Any, index: int, first: bool) -> NDArray[np.float64]:
    """A row for each time, a column for each channel."""
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
            f"X[{index}] has shape {row.shape}, but this metric needs a sequence of at least one"
            " number, or of rows of numbers."
        )
    if not np.isfinite(row).all():
        raise ValueError(f"X[{index}] contains NaN or infinity: remove or fill it in.")
    return row.T if first and row.ndim == 2 else row.reshape(len(row), -1)
