"""`medoids metrics`: what can be compared, and how."""

from __future__ import annotations

from inspect import signature
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from ..._names import MEASURES, METRICS, SPARSE, SYNONYMS
from ..output.screen import Screen
from .choose import KINDS, suits


def table_of_metrics() -> list[dict[str, Any]]:
    """A row for each metric, from the library's own tables."""
    rows = []
    for name in [*METRICS, *MEASURES, "precomputed"]:
        kinds = suits(name)
        rows.append(
            {
                "name": name,
                "synonyms": [other for other, known in SYNONYMS.items() if known == name],
                "data": kinds,
                "parameters": _parameters(name),
                "sparse": name in SPARSE,
                "default_for": [
                    kind
                    for kind, each in KINDS.items()
                    if SYNONYMS.get(each.metric, each.metric) == name
                ],
                "extra": MEASURES[name].extra if name in MEASURES else None,
            }
        )
    return rows


def _parameters(name: str) -> list[str]:
    if name in METRICS:
        return ["p"] if METRICS[name].term == "power" else []
    return list(signature(MEASURES[name].make).parameters) if name in MEASURES else []


def metrics(screen: Screen) -> int:
    """Show the table."""
    rows = table_of_metrics()
    screen.json(rows)
    table = Table(
        box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold", show_edge=False
    )
    for heading in ("metric", "for", "parameters", "extra"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "metric")
    for row in rows:
        also = f" ({', '.join(row['synonyms'])})" if row["synonyms"] else ""
        table.add_row(
            Text.assemble((row["name"], "bold" if row["default_for"] else ""), also),
            ", ".join(_short(row)), ", ".join(row["parameters"]), row["extra"] or "",
        )  # fmt: skip
    screen.show(table)
    screen.show("\nUnless --metric says otherwise: " + _defaults() + ".")
    return 0


def _short(row: dict[str, Any]) -> list[str]:
    """The kinds of data in few words; `sparse` only where no zero is looked at."""
    if row["name"] == "precomputed":
        return ["distances"]
    seldom = {"cells", "tokens"} | (set() if row["sparse"] else {"sparse"})
    return [kind for kind in row["data"] if kind not in seldom]


def _defaults() -> str:
    """Which metric is taken for which kind of data."""
    chosen: dict[str, list[str]] = {}
    for kind, each in KINDS.items():
        chosen.setdefault(each.metric, []).append(kind)
    return "; ".join(f"{metric} for {' and '.join(kinds)}" for metric, kinds in chosen.items())
