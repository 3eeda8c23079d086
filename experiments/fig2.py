"""Figures 2a and 2b: seconds an iteration against n, MNIST under l2."""

from __future__ import annotations

from pathlib import Path

from ._records import Record, Run
from ._scale import Scale
from ._scaling import NOTE, Panel, draw_panel, scaling_table
from ._style import panels, save

TITLE = "Seconds an iteration, MNIST, l2"
PANELS = [Panel("mnist", "l2", 5, 0.984), Panel("mnist", "l2", 10, 0.922)]


def runs(scale: Scale) -> list[Run]:
    sizes = scale.pick((300, 400), (2000, 4000, 8000), tuple(range(10_000, 70_001, 10_000)))
    found = []
    for panel in PANELS:
        found += panel.exact_runs(sizes, 30_000, scale.seeds(1, 1, 2))
        found += panel.runs(sizes, scale.seeds(1, 1, 3))
    return found


def draw(records: list[Record], path: Path) -> None:
    figure, axes = panels(1, 2, 11, 4.2, sharey=True)
    for ax, panel in zip(axes[0], PANELS, strict=True):
        draw_panel(ax, panel, records, "seconds")
    save(figure, path, NOTE_OF_SECONDS)


NOTE_OF_SECONDS = (
    NOTE + "\nSquares: our FastPAM1, as far as its matrix fits; the lines of FastPAM1 and PAM have"
    " slope 2 by definition."
)


def tables(records: list[Record]) -> str:
    return scaling_table(PANELS, records, "seconds")
