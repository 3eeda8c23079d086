"""Where Numba keeps what it compiles, on machines that leave it no place."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def give_it_a_place() -> None:
    """Give Numba a private folder for as long as this process lives, if there is no other.

    Numba keeps what it compiles beside the code or, where it may not write there, in the user's
    home. With neither, as in many containers, it refuses to compile at all. A folder that
    outlives the process would have to be shared, and whoever can write there can run code as us.
    """
    home = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    if os.environ.get("NUMBA_CACHE_DIR") or _writable(Path(__file__).parent) or _writable(home):
        return
    try:
        folder = tempfile.mkdtemp(prefix="medoids-numba-")
    except OSError:  # no place at all: Numba says so
        return
    atexit.register(_remove, folder, os.getpid())
    os.environ["NUMBA_CACHE_DIR"] = folder
    if "numba" in sys.modules:  # which has read its settings already
        sys.modules["numba"].config.reload_config()


def _writable(folder: Path) -> bool:
    """Whether the folder, or else the one that it would be made in, may be written to."""
    try:
        folder = folder.expanduser()
    except RuntimeError:  # there is no home
        return False
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK)


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # and not a fork of it
        shutil.rmtree(folder, ignore_errors=True)
