"""A namespace of the array API, the device that its arrays are on, and what the standard lacks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from ..._arrays import namespaces, to_host
from ..._memory import available

# An array of any namespace.
Array = Any
# Elements of what is computed at a time: much to do, but little to hold.
_CHUNK, _CHUNK_ON_GPU = 1 << 22, 1 << 27
# Of very many, no fewer parts than this.
_PARTS = 16


@cache
def _threads() -> ThreadpoolController:
    """The pools of threads of this process: to look for them takes as long as some steps."""
    return ThreadpoolController()


class Side(NamedTuple):
    """One side of a block: rows, and their squared lengths where a product is taken."""

    rows: Array
    squares: Array = None


class Space:
    """Where the arrays of an engine are.

    Parameters
    ----------
    like : array
        An array of the namespace, on the device.

    Attributes
    ----------
    xp : module
        Its namespace.
    device : Any
    """

    def __init__(self, like: Array) -> None:
        compat = namespaces()
        self.xp, self.device = compat.array_namespace(like), compat.device(like)
        self.is_torch = compat.is_torch_array(like)
        # Integer arrays may be assigned to, which the standard does not promise.
        self.assigns = self.is_torch or compat.is_cupy_array(like) or compat.is_numpy_array(like)
        self._is_cupy = compat.is_cupy_array(like)

    @property
    def on_gpu(self) -> bool:
        return bool(self._is_cupy or (self.is_torch and self.device.type == "cuda"))

    @cached_property
    def fused(self) -> Any:
        """The kernels that do a step's work in one pass; None where there are none."""
        interpreted = os.environ.get("TRITON_INTERPRET") == "1"  # to be tried without a GPU
        if not self.is_torch or not (self.on_gpu or interpreted):
            return None
        try:
            from . import fused
        except ImportError:  # torch without Triton
            return None
        return fused

    def array(self, values: Any, dtype: Any = None) -> Array:
        """An array of the host's, here."""
        if self.is_torch and dtype is None and self.on_gpu:  # others would wait for the device
            import torch

            there = torch.from_numpy(np.ascontiguousarray(values))
            return there.to(self.device, non_blocking=True)
        return self.xp.asarray(np.ascontiguousarray(values), dtype=dtype, device=self.device)

    def ids(self, values: Any) -> Array:
        return self.array(np.asarray(values, dtype=np.int64))

    def full(self, shape: int | tuple[int, ...], value: float, dtype: Any = None) -> Array:
        dtype = self.xp.float64 if dtype is None else dtype
        return self.xp.full(shape, value, dtype=dtype, device=self.device)

    def arange(self, start: int, stop: int) -> Array:
        return self.xp.arange(start, stop, dtype=self.xp.int64, device=self.device)

    def host(self, array: Array) -> NDArray[Any]:
        """A short array, on the host: all that was to be computed is done then."""
        return to_host(array)

    def told(self, array: Array) -> Callable[[], NDArray[Any]]:
        """The same for what is to be computed by now: what comes later is not waited for."""
        if not (self.is_torch and self.on_gpu):
            found = self.host(array)
            return lambda: found
        import torch

        there = torch.empty(array.shape, dtype=array.dtype, pin_memory=True)
        there.copy_(array, non_blocking=True)
        done = torch.cuda.Event()
        done.record()

        def wait() -> NDArray[Any]:
            done.synchronize()
            return np.asarray(there)

        return wait

    def cast(self, array: Array, dtype: Any) -> Array:
        return array if array.dtype == dtype else self.xp.astype(array, dtype)

    def put(self, array: Array, ids: Array, values: Array | float) -> Array:
        """The array (or rows of it) with other values at ids, which ascend and are all different.

        It is changed itself, where that can be.
        """
        if ids.shape[0] == 0:
            return array
        if self.is_torch and isinstance(values, (int, float)):  # the other way waits for the host
            return array.index_fill_(0, ids, values)
        if self.assigns:
            array[ids] = values
            return array
        xp, every = self.xp, self.arange(0, array.shape[0])
        place = xp.clip(xp.searchsorted(ids, every), 0, ids.shape[0] - 1)
        new = values if isinstance(values, (int, float)) else xp.take(values, place, axis=0)
        there = xp.take(ids, place) == every
        return xp.where(there if array.ndim == 1 else there[:, None], new, array)

    def squares_between(self, left: Side, right: Side) -> Array:
        """The squares of the distances from each row of one side to each of the other."""
        if self.is_torch:  # in one product, and in place
            import torch

            found = torch.addmm(right.squares[None, :], left.rows, right.rows.T, alpha=-2)
            return found.add_(left.squares[:, None]).clamp_(min=0.0)
        found = self.xp.matmul(left.rows, right.rows.T)
        found *= -2
        found += right.squares[None, :]
        found += left.squares[:, None]
        return self.xp.clip(found, min=0.0)

    def residuals(self, values: Array, weights: Array, q: Array) -> Array:
        """What is left of values without `weights` of the columns of q."""
        if self.is_torch:  # one pass over them
            import torch

            return torch.addmm(values, weights, q.T, alpha=-1)
        return values - self.xp.matmul(weights, q.T)

    def take(self, array: Array, ids: Array, axis: int = 0) -> Array:
        """Some of an array, by ids that are not negative."""
        if self.is_torch:
            return array.index_select(axis, ids)
        return self.xp.take(array, ids, axis=axis)

    def pairs(self, array: Array, rows: Array, columns: Array) -> Array:
        """Some rows of an array, and some columns of these."""
        if self.is_torch:
            return array[rows[:, None], columns[None, :]]
        return self.xp.take(self.xp.take(array, rows, axis=0), columns, axis=1)

    def put_rows(self, array: Array, rows: list[int], values: Array) -> None:
        """Assign some rows of an array."""
        if self.assigns:
            array[self.ids(rows)] = values
            return
        for i, row in enumerate(rows):
            array[row, :] = values[i, :]

    def put_one(self, array: Array, rows: Array, value: float) -> Array:
        """An array of torch's with a value at one row of each column, at none where that is -1."""
        at = rows.clip(min=0)[None, :]
        there = array.gather(0, at)
        return array.scatter_(0, at, there.masked_fill_(rows[None, :] >= 0, value))

    def lowest(self, array: Array, count: int) -> Array:
        """Where the so many lowest numbers are, the lowest first."""
        if self.is_torch:
            return array.topk(count, largest=False).indices
        return self.xp.argsort(array, stable=True)[:count]

    def flat(self, mask: Array) -> Array:
        """Where a mask is true, in ascending order."""
        return self.xp.nonzero(mask)[0]

    def chunks(self, count: int, width: int, most: int = 1) -> Iterator[tuple[int, int]]:
        """So many things in parts, each of moderate size when every thing is so wide.

        Of very many, parts are up to `most` times as large, but not fewer than some.
        """
        usual = _CHUNK_ON_GPU if self.on_gpu else _CHUNK
        elements = max(usual, min(most * usual, count * width // _PARTS))
        size = max(elements // max(width, 1), 1)
        for start in range(0, count, size):
            yield start, min(start + size, count)

    def free_bytes(self) -> float:
        """Memory that is free on the device."""
        if self.is_torch and self.on_gpu:
            from torch import cuda

            # As it is: the other ways put the same into words first, which takes a millisecond.
            about = cuda.memory.memory_stats_as_nested_dict(self.device)
            reserved, used = (
                about.get(name, {}).get("all", {}).get("current", 0)
                for name in ("reserved_bytes", "allocated_bytes")
            )
            return float(cuda.mem_get_info(self.device)[0] + reserved - used)
        if self._is_cupy:
            return float(self.device.mem_info[0])
        return available()

    @contextmanager
    def exact_products(self) -> Iterator[None]:
        """No product is rounded to fewer digits than float32 has, whatever the user allows."""
        if not self.is_torch:
            yield
            return
        import torch

        before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("highest")
        # What is left for the host is small: threads would wait for each other.
        alone = _threads().limit(limits=1, user_api="blas") if self.on_gpu else nullcontext()
        try:
            with torch.inference_mode(), alone:
                yield
        finally:
            torch.set_float32_matmul_precision(before)
