"""What a fit frees on a worker it takes again in the next round: meanwhile it is kept.

Dask's nanny tells the C library (glibc) to give freed memory back at once, which also ends its
habit of keeping blocks of a size that is freed often. That is right between tasks. In a fit with
hundreds of rounds all temporary arrays would be fresh pages every time: an eighth of a worker's
time. So as long as a shard is there, the library does as it would without a nanny.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Any

# What glibc calls them, and what they are where nobody says.
_TRIM, _MMAP, _USUAL = -1, -3, 2**17
# As much as it comes to by itself at most: larger blocks are always given back.
_KEPT = 2**25


def keep() -> None:
    """Freed memory stays with this process from now on."""
    library = _library()
    if library is not None:
        library.mallopt(_MMAP, _KEPT)
        library.mallopt(_TRIM, 2 * _KEPT)


def give_back() -> None:
    """Freed memory is given back again, and what was kept."""
    library = _library()
    if library is not None:
        for which, name in ((_MMAP, "MALLOC_MMAP_THRESHOLD_"), (_TRIM, "MALLOC_TRIM_THRESHOLD_")):
            given = os.environ.get(name, "")
            library.mallopt(which, int(given) if given.isdecimal() else _USUAL)
        library.malloc_trim(0)


@cache
def _library() -> Any:
    """The C library, where it was told when to give memory back, and can be told otherwise."""
    if not os.environ.get("MALLOC_TRIM_THRESHOLD_", "").isdecimal():
        return None
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):
        return None
    return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None
