"""Arrays of other namespaces than NumPy's (torch, CuPy): what they are, and the way to a device."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Rows that take more than this share of what is free on a device stay on the host.
_STREAMED = 0.5
# Extras and what they install, for those who lack them.
_TORCH = "device={device!r} needs torch: pip install 'medoids[gpu]'."


def namespaces() -> Any:
    """The package that makes torch and CuPy speak the array API standard."""
    try:  # scikit-learn ships it from 1.7 on
        from sklearn.externals import array_api_compat
    except ImportError:  # pragma: no cover
        import array_api_compat
    return array_api_compat


def is_elsewhere(X: Any) -> bool:
    """Whether this is an array that an array engine computes with, where it lives."""
    if isinstance(X, (np.ndarray, list, tuple)) or hasattr(X, "iloc"):
        return False
    known = ("torch", "cupy", "array_api_strict")
    return type(X).__module__.partition(".")[0] in known and hasattr(X, "shape")


class Streamed:
    """Rows on the host that a device computes with, some at a time: more than it can hold.

    Parameters
    ----------
    host : ndarray of shape (n, width)
    like : array
        Of the namespace, on the device.
    """

    def __init__(self, host: NDArray[Any], like: Any) -> None:
        compat = namespaces()
        self.host, self.like, self.shape, self.ndim = host, like, host.shape, host.ndim
        self._xp, self._device = compat.array_namespace(like), compat.device(like)
        self._pins = bool(compat.is_torch_array(like)) and "cuda" in str(self._device)
        self.dtype = self._there(host[:1]).dtype

    def _there(self, rows: NDArray[Any]) -> Any:
        rows = np.ascontiguousarray(rows)
        if not self._pins:
            return self._xp.asarray(rows, device=self._device)
        pinned = self._xp.asarray(rows).pin_memory()
        return pinned.to(self._device, non_blocking=True)

    def part(self, start: int, stop: int) -> Any:
        """Rows that follow each other, on the device."""
        return self._there(self.host[start:stop])

    def take(self, ids: Any) -> Any:
        """Some rows, on the device."""
        return self._there(self.host[to_host(ids)])


def rows_between(array: Any, start: int, stop: int) -> Any:
    """Rows that follow each other, where an engine computes with them."""
    if isinstance(array, Streamed):
        return array.part(start, stop)
    return array[start:stop, ...]


def to_host(array: Any) -> NDArray[Any]:
    """The same in NumPy."""
    if not is_elsewhere(array):
        return np.asarray(array)
    compat = namespaces()
    if compat.is_torch_array(array):
        return np.asarray(array.detach().cpu())
    return array.get() if compat.is_cupy_array(array) else np.asarray(np.from_dlpack(array))


def to_device(X: Any, device: Any) -> Any:
    """Rows on a device, or as they are where that is None."""
    if device is None or (not is_elsewhere(X) and str(device) == "cpu"):
        return X
    if is_elsewhere(X) and not namespaces().is_torch_array(X):
        return namespaces().to_device(X, device)
    if "torch" not in sys.modules:
        try:
            import torch
        except ImportError:
            raise ImportError(_TORCH.format(device=device)) from None
    torch = sys.modules["torch"]
    try:
        there = torch.device(device)
    except (RuntimeError, TypeError):
        raise ValueError(
            f"device={device!r} is unknown: use 'cuda', 'cuda:1', ... or None."
        ) from None
    if there.type == "cuda" and not torch.cuda.is_available():
        raise ValueError(f"device={device!r}, but torch sees no GPU here: leave device out.")
    if there.type == "cuda" and (there.index or 0) >= torch.cuda.device_count():
        raise ValueError(
            f"device={device!r}, but there are {torch.cuda.device_count()} GPUs: use 'cuda:0'."
        )
    if there.type == "cuda" and X.nbytes > _STREAMED * torch.cuda.mem_get_info(there)[0]:
        return Streamed(X, torch.empty((0, 1), device=there))
    return torch.as_tensor(X, device=there)


def like(X: Any, array: Any) -> Any:
    """X in the namespace of another array, and on its device."""
    compat = namespaces()
    xp = compat.array_namespace(array)
    if is_elsewhere(X) and compat.array_namespace(X) is xp:
        return compat.to_device(X, compat.device(array))
    return xp.asarray(to_host(X), device=compat.device(array))


def distinct(values: Any) -> int:
    """How many different values there are."""
    if not is_elsewhere(values):
        return len(np.unique(values))
    return int(namespaces().array_namespace(values).unique_values(values).shape[0])


def nearest_of(distances: Any) -> tuple[Any, Any]:
    """The lowest of each column, and which row it is in, of int32; the first on a tie."""
    if not is_elsewhere(distances):
        return distances.min(axis=0), distances.argmin(axis=0).astype(np.int32)
    xp = namespaces().array_namespace(distances)
    return xp.min(distances, axis=0), xp.astype(xp.argmin(distances, axis=0), xp.int32)


def where(X: Any, result: Any) -> Any:
    """A result in NumPy, unless X is elsewhere too."""
    return result if is_elsewhere(X) else to_host(result)
