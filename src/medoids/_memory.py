"""How much memory a fit may take, where nobody says: a share of what the machine has free."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path

_SHARE = 0.25
_LEAST = 2e9


def default_limit() -> float:
    """Bytes: a quarter of what is free, and at least 2 GB if there is as much.

    It is rounded down to steps of an eighth to a quarter, so that a fit finds the same from one
    run to the next.
    """
    free = available()
    size = max(_SHARE * free, min(_LEAST, free))
    step = 2.0 ** (math.floor(math.log2(size)) - 2) if size > 0 else 1.0
    return max(math.floor(size / step) * step, min(_LEAST, size))


def available() -> float:
    """Bytes that this process can still take: of the machine's memory, and of its container's."""
    return max(min([_of_machine(), *_of_containers()]), 0.0)


def _of_machine() -> float:
    for line in _lines(Path("/proc/meminfo")):
        if line.startswith("MemAvailable:"):
            return float(line.split()[1]) * 1024
    if sys.platform == "win32":
        return _of_windows()
    try:  # what is free is not known here: half of all
        return 0.5 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 4 * _LEAST


def _of_windows() -> float:
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ulong), ("load", ctypes.c_ulong)] + [
            (name, ctypes.c_ulonglong)
            for name in ("total", "available", "p1", "p2", "v1", "v2", "extended")
        ]

    status = Status(length=ctypes.sizeof(Status))
    windll = ctypes.windll  # type: ignore[attr-defined,unused-ignore]
    if not windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return 4 * _LEAST
    return float(status.available)


def _of_containers(root: Path = Path("/sys/fs/cgroup")) -> Iterator[float]:
    """What is left under each limit of the control groups that this process is in."""
    for line in _lines(Path("/proc/self/cgroup")):
        _, controllers, path = line.split(":", 2)
        if not controllers:  # version 2
            base, names = root, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            base = root / "memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        # In a container the group's path may be that of the host, and its root the group itself.
        group = Path(path.strip("/"))
        for part in (group, *group.parents):
            yield from _left(base / part, *names)


def _left(folder: Path, limit: str, usage: str, cached: str) -> Iterator[float]:
    most, used = _lines(folder / limit), _lines(folder / usage)
    if not most or not used or not most[0].isdecimal() or not used[0].isdecimal():
        return
    stat = dict(line.split(maxsplit=1) for line in _lines(folder / "memory.stat") if " " in line)
    yield float(most[0]) - float(used[0]) + float(stat.get(cached, 0))


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []
