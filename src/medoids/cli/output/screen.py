"""What the user sees: notes and progress on standard error, results on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..problem import printable

# Clusters that the table shows, the largest.
_SHOWN = 20


class Screen:
    """Where to write.

    Parameters
    ----------
    quiet : bool
        Say nothing but errors.
    as_json : bool
        Results go to standard output as JSON, and only they.
    """

    def __init__(self, quiet: bool = False, as_json: bool = False) -> None:
        self.quiet, self.as_json = quiet, as_json
        self.out = Console(highlight=False, markup=False, soft_wrap=False)
        self.err = Console(stderr=True, highlight=False, markup=False)

    @property
    def moving(self) -> bool:
        """Whether a progress bar can be drawn."""
        return not self.quiet and self.err.is_terminal and not self.err.is_dumb_terminal

    def notes(self, notes: Iterable[str]) -> None:
        """Lines about what was decided."""
        if not self.quiet:
            for note in notes:
                self.err.print(Text(f"medoids: {printable(note)}", style="dim"), soft_wrap=True)

    def warn(self, *texts: str) -> None:
        for text in () if self.quiet else texts:
            line = Text.assemble("medoids: ", ("warning: ", "yellow"), printable(text))
            self.err.print(line, soft_wrap=True)

    def doing(self, text: str) -> AbstractContextManager[Any]:
        """Show that something goes on, while it does."""
        return self.err.status(text) if self.moving else nullcontext()

    def show(self, thing: Any) -> None:
        """A table, or a line of the result."""
        if not self.quiet and not self.as_json:
            self.out.print(thing)

    def json(self, value: Any) -> None:
        if self.as_json:
            sys.stdout.write(
                json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
            )


def clusters_table(medoids: list[dict[str, Any]], texts: list[str] | None = None) -> Table:
    """Cluster, medoid, size, share, mean distance: the largest clusters if there are many.

    Medoids that are short texts are shown beside their names.
    """
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for name in ("cluster", "medoid", "size", "share", "mean distance"):
        text = name == "medoid"
        table.add_column(
            name, justify="left" if text else "right", no_wrap=True,
            overflow="ellipsis", max_width=36 if text else None,
        )  # fmt: skip
    largest = sorted(medoids, key=lambda each: -each["size"])[:_SHOWN]
    for each in sorted(largest, key=lambda each: each["cluster"]):
        name = printable(each["name"])
        if texts is not None:
            name += f"  {printable(texts[each['cluster']])}"
        table.add_row(
            str(each["cluster"]), Text(printable(name, 36)), f"{each['size']:,}",
            f"{each['share']:.1%}", number(each["mean_distance"]),
        )  # fmt: skip
    if len(medoids) > _SHOWN:
        table.add_row("…", Text(f"and {len(medoids) - _SHOWN} smaller clusters"), "", "", "")
    return table


def number(value: float) -> str:
    """A number to read: four digits, and thousands apart."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:#.4g}"


def saved(distances: int, n: int) -> str:
    """How many distances were computed, and how many that is of all."""
    return f"{short(distances)} distances, {of_all(distances, n)}"


def of_all(distances: int, n: int) -> str:
    """Which part of all n² distances this is."""
    share = distances / max(n, 1) ** 2
    if share >= 1:
        return "all of n²"
    return f"{share:.1%} of n²" if share >= 0.001 else f"{share:.2g} of n²"


def short(count: float) -> str:
    """A large number in few places."""
    for size, letter in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if count >= size:
            return f"{count / size:.3g}{letter}"
    return f"{count:,.0f}"
