"""What `methods.py` measured: a line of JSON for each fit, kept as soon as it is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

Record = dict[str, Any]


class Case(NamedTuple):
    data: str
    n: int
    k: int

    @property
    def name(self) -> str:
        return f"{self.data}-n{self.n}-k{self.k}"


class Records:
    """The last record of each fit, and the machine of the last run.

    A record has the seconds and the loss; or `over`, a budget in seconds that the fit
    outlasted, or would have (`ran` is False).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.machine: dict[str, Any] = {}
        self.fits: dict[tuple[Case, str, int], Record] = {}
        for line in path.read_text().splitlines() if path.is_file() else []:
            self._take(json.loads(line))

    def _take(self, record: Record) -> None:
        if "machine" in record:
            self.machine = record["machine"]
        else:
            case = Case(record["data"], record["n"], record["k"])
            self.fits[case, record["method"], record["seed"]] = record

    def add(self, record: Record) -> None:
        self._take(record)
        self.path.parent.mkdir(exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(record) + "\n")

    def forget(self, cases: list[Case]) -> None:
        self.fits = {key: one for key, one in self.fits.items() if key[0] not in cases}
        if self.path.is_file():
            lines = [{"machine": self.machine}, *self.fits.values()]
            self.path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def of(self, case: Case, method: str) -> list[Record]:
        """Every seed of a method."""
        return [one for key, one in self.fits.items() if key[:2] == (case, method)]

    def over(self, case: Case, method: str) -> float:
        """The longest budget that was too short here, or for fewer points; else 0."""
        return max(
            (
                one["over"]
                for (other, name, _), one in self.fits.items()
                if one.get("ran") and name == method and other.n <= case.n
                if (other.data, other.k) == (case.data, case.k)
            ),
            default=0,
        )
