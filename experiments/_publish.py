"""Put what a full run found into the documentation."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ._records import Record, Records
from ._scale import Scale
from ._tables import fill_in

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "paper.md"
PICTURES = ROOT / "docs" / "paper"
KEPT = ROOT / "experiments" / "records" / "full.jsonl"


def publish(figures: dict[str, Any], found: dict[str, list[Record]]) -> None:
    """The records, the figures drawn from them, and the tables of the page."""
    lines = {json.dumps(one): None for records in found.values() for one in records}
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text("".join(line + "\n" for line in lines))
    for name, records in found.items():
        figures[name].draw(records, PICTURES / f"{name}.png")
    PAGE.write_text(page(figures, found))
    print(PAGE)


def page(figures: dict[str, Any], found: dict[str, list[Record]]) -> str:
    """docs/paper.md with the tables of these records."""
    lines = {json.dumps(one): None for records in found.values() for one in records}
    text = fill_in(PAGE.read_text(), "machine", machine(json.loads(line) for line in lines))
    for name, records in found.items():
        text = fill_in(text, name, figures[name].tables(records))
    return text


def kept(figures: dict[str, Any]) -> dict[str, list[Record]]:
    """The records that were published, by figure."""
    records = Records(KEPT)
    wanted = {name: figure.runs(Scale("full")) for name, figure in figures.items()}
    unique = {name: {run.key: run for run in runs}.values() for name, runs in wanted.items()}
    return {
        name: [it for run in runs if (it := records.find(run))] for name, runs in unique.items()
    }


def machine(records: Iterable[Record]) -> str:
    """Where the runs were made, and how long they took."""
    fits = list(records)
    seconds = sum(one.get("seconds", 0) for one in fits)
    where = sorted({f"{one['machine']}, medoids {one['version']}" for one in fits})
    return f"{len(fits):,} runs, {seconds / 60:.0f} minutes of fits in all, on {'; '.join(where)}."
