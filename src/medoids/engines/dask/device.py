"""Distances of a shard on its worker's GPU: what is estimated from; decisions stay in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._arrays import to_device
from ..._threads import Workers
from ..._types import Indices
from ...data.elsewhere import ARRAY_METRICS
from ...data.kinds import DenseData
from ..array.between import DIRECTIONS, Between
from ..array.namespace import Array
from ..array.namespace import Side as There
from ..array.namespace import Space as Device
from ..cpu.points.across import DenseSpace, Described, Side
from ..cpu.points.frame import Frame, frame_within

METRICS = tuple(name for name in ARRAY_METRICS if name != "precomputed")
# Rows that take more than this share of what is free on the device stay on the host.
_HELD = 0.5
# A squared distance below this share of the two squared lengths has lost its digits in float32,
# and is summed again from the differences.
_LOST = 1e-3


class DeviceSpace(DenseSpace):
    """Rows of floats, whose distances in float32 a device computes.

    Rows are there once, in float32, as the metric compares them, and in the frame that all shards
    have in common; those that do not fit are brought there for every block. Distances in float64,
    which decide, are the CPU's: so medoids are the same.

    Parameters
    ----------
    data : DenseData
        Some of the rows.
    frame : Frame
        Of all rows.
    workers : Workers
    copy_limit : float
        Bytes that a copy of a set in float32 may take on the host.
    like : array
        On the device.
    """

    # Of sets apart, some are held on the device where there is no room for all.
    stacks = False

    def __init__(
        self, data: DenseData, frame: Frame, workers: Workers, copy_limit: float, like: Array
    ) -> None:
        super().__init__(data.metric, data.p, frame, workers, copy_limit)
        self._device = Device(like)
        self._padded = data.name in DIRECTIONS  # one more column, for rows without a direction
        width = 3 if data.name == "haversine" else data.things.shape[1] + self._padded
        self._how = Between(self._device, data.name, width)

    def side(self, data: Any) -> Side:
        found = super().side(data)
        if 4.0 * data.n * self._how.width <= _HELD * self._device.free_bytes():
            parts = [
                self._move(found.laid, np.arange(a, b))
                for a, b in self._device.chunks(data.n, self._how.width)
            ]
            there = parts[0] if len(parts) == 1 else self._joined(parts)
            found = found._replace(laid=found.laid._replace(there=there))
        return found

    def _joined(self, parts: list[There]) -> There:
        xp = self._device.xp
        squares = [part.squares for part in parts if part.squares is not None]
        rows = xp.concat([part.rows for part in parts])
        return There(rows, xp.concat(squares) if squares else None)

    def _move(self, laid: Any, ids: Indices) -> There:
        """Some rows, brought there."""
        panel = laid.panels.of(ids)
        if self._padded:
            panel = np.concatenate([panel, laid.pad[ids, None]], axis=1)
        rows = self._device.array(panel)
        xp = self._device.xp
        return There(rows, xp.sum(rows * rows, axis=1) if self._how.by_product else None)

    def _some(self, laid: Any, ids: Indices) -> There:
        if laid.there is None:
            return self._move(laid, ids)
        if len(ids) and ids[-1] - ids[0] == len(ids) - 1 and (np.diff(ids) == 1).all():
            some = slice(int(ids[0]), int(ids[-1]) + 1)
            squares = None if laid.there.squares is None else laid.there.squares[some]
            return There(laid.there.rows[some, :], squares)
        there, take = self._device.ids(ids), self._device.take
        squares = None if laid.there.squares is None else take(laid.there.squares, there)
        return There(take(laid.there.rows, there), squares)

    def _fill(
        self, few: Any, short: Indices, many: Any, long: Indices, out: NDArray[np.float32],
        along: int,
    ) -> None:  # fmt: skip
        device = self._device
        with device.exact_products():
            held = self._some(few, short)
            width = max(len(short) * self._how.held, self._how.width)
            for a, b in device.chunks(len(long), width):
                moving = self._some(many, long[a:b])
                if along:
                    out[:, a:b] = device.host(self._compare(held, moving))
                else:
                    out[a:b] = device.host(self._compare(moving, held))

    def _compare(self, left: There, right: There) -> Array:
        how, device, xp = self._how, self._device, self._device.xp
        if not how.by_product:
            return how.compare(left, right)
        squares = device.squares_between(left, right)
        norms = left.squares[:, None] + right.squares[None, :]
        rows, columns = xp.nonzero(squares < _LOST * norms)
        for a, b in device.chunks(rows.shape[0], how.width):
            i, j = rows[a:b], columns[a:b]
            apart = device.take(left.rows, i) - device.take(right.rows, j)
            squares[i, j] = xp.sum(apart * apart, axis=1)
        return how.finish(squares)


def device_space(
    data: Any, whole: Described, workers: Workers, copy_limit: float, device: Any
) -> DeviceSpace:
    """The space of rows like these on a worker's device."""
    if whole.kind != "dense":
        raise TypeError(
            f"device={str(device)!r} takes dense rows of numbers: leave device out for other data."
        )
    assert whole.extent is not None
    rows = data.dense()
    frame = frame_within(whole.extent, whole.dtype, rows.metric, rows.p)
    like = to_device(np.zeros((1, 1), dtype=np.float32), device)
    return DeviceSpace(rows, frame, workers, copy_limit, like)
