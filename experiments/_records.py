"""Raw records: a line of JSON for each run, kept as soon as it is known."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

Record = dict[str, Any]


class Run(NamedTuple):
    """All that a run depends on.

    `options` are further keywords of `k_medoids`, or of another task than a fit.
    `synthetic` tells that the data is a made stand-in.
    """

    data: str
    n: int
    k: int
    metric: str
    method: str
    seed: int = 0
    options: dict[str, Any] = {}  # noqa: RUF012 (never written to)
    task: str = "fit"
    synthetic: bool = False

    @property
    def key(self) -> str:
        return json.dumps(self._asdict(), sort_keys=True)

    def __str__(self) -> str:
        return f"{self.method}, {self.data}, n = {self.n:,}, k = {self.k}, seed {self.seed}"


class Records:
    """The records of a file, and of others that are only read."""

    def __init__(self, path: Path, others: Iterable[Path] = ()) -> None:
        self.path = path
        self._found: dict[str, Record] = {}
        for other in [*others, path]:
            for line in _whole_lines(other):
                self._take(json.loads(line))

    def _take(self, record: Record) -> None:
        run = Run(**{name: record[name] for name in Run._fields})
        self._found[run.key] = record

    def find(self, run: Run) -> Record | None:
        return self._found.get(run.key)

    def add(self, run: Run, result: Record) -> None:
        record = run._asdict() | result
        # What is found again must be the same as what was kept.
        line = json.dumps(record)
        self._take(json.loads(line))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._mend()
        with self.path.open("a") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _mend(self) -> None:
        """Drop a last line that was only half written."""
        if self.path.is_file():
            text = self.path.read_bytes()
            whole = text.rfind(b"\n") + 1
            if whole < len(text):
                os.truncate(self.path, whole)


def _whole_lines(path: Path) -> list[str]:
    """All lines but a last one that was only half written."""
    return path.read_text().split("\n")[:-1] if path.is_file() else []


def chosen(records: Iterable[Record], **fields: Any) -> list[Record]:
    """Those that have these values."""
    return [one for one in records if all(one[name] == fields[name] for name in fields)]


def values(records: Iterable[Record], name: str) -> list[Any]:
    """The different values of a field, in order."""
    return sorted({one[name] for one in records})
