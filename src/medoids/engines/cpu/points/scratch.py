"""Memory that a thread keeps for blocks of distances: fresh pages cost more."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

_memory = threading.local()


def scratch(rows: int, columns: int) -> NDArray[np.float32]:
    """A block of this shape, good until the thread asks for the next."""
    size = rows * columns
    if getattr(_memory, "size", 0) < size:
        _memory.size, _memory.floats = size, np.empty(size, dtype=np.float32)
    found: NDArray[np.float32] = _memory.floats[:size].reshape(rows, columns)
    return found
