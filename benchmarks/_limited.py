"""A measurement in a process of its own, which ends it when it takes too long.

The program calls itself: `measured(__file__, arguments, limit)` is the last line that the child
prints, as JSON; or an entry "failed" that says why there is none. Nothing that a child does keeps
the others from running, and the results file has all that is known so far at any time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

STAT = Path("/proc/stat")


def busy_seconds() -> tuple[float, float]:
    """Processor time so far: of the whole machine, and of our own children."""
    times = os.times()
    own = times.children_user + times.children_system
    if not STAT.is_file():
        return own, own
    user, nice, system, _, _, *rest = map(float, STAT.read_text().split()[1:9])
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK"), own


def measured(program: str, arguments: list[str], limit: float) -> dict[str, Any]:
    """What a child measured; `other_cores` is how many cores were busy with something else."""
    command = [sys.executable, program, *arguments]
    began, (all_before, own_before) = time.perf_counter(), busy_seconds()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"failed": f"over {limit:.0f} s"}
    all_after, own_after = busy_seconds()
    others = max(all_after - all_before - own_after + own_before, 0.0)
    said = done.stdout.splitlines()
    if done.returncode or not said:
        return {"failed": f"exit {done.returncode}"}
    found: dict[str, Any] = json.loads(said[-1])
    return found | {"other_cores": round(others / (time.perf_counter() - began), 2)}


def peak_gb() -> float | None:
    """The most memory that this process has had, in GB."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    found = [float(line.split()[1]) * 1024 / 1e9 for line in lines if line.startswith("VmHWM")]
    return round(found[0], 2) if found else None


class Results:
    """Measurements by key, in a file of JSON lines; a new one replaces that of the same key."""

    def __init__(self, path: Path) -> None:
        self.path, self.found = path, {}
        path.parent.mkdir(exist_ok=True)
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                self.found[tuple(entry.pop("key"))] = entry

    def add(self, key: tuple[str, ...], entry: dict[str, Any]) -> None:
        self.found[key] = entry
        text = "".join(json.dumps({"key": k, **e}) + "\n" for k, e in self.found.items())
        other = self.path.with_suffix(".part")  # so that nothing is ever half written
        other.write_text(text, encoding="utf-8")
        other.replace(self.path)
