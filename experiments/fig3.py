"""Figures 3a and 3b: seconds an iteration against n, MNIST under cosine and scRNA under l1."""

from __future__ import annotations

from pathlib import Path

from ._records import Record, Run
from ._scale import Scale
from ._scaling import Panel, draw_panel, scaling_table
from ._style import panels, save
from .fig2 import NOTE_OF_SECONDS

TITLE = "Seconds an iteration, MNIST under cosine and scRNA under l1"
MNIST, SCRNA = Panel("mnist", "cosine", 5, 1.007), Panel("scrna", "l1", 5, 1.011)


def runs(scale: Scale) -> list[Run]:
    images = scale.pick((300, 400), (2000, 4000, 8000), tuple(range(10_000, 70_001, 10_000)))
    cells = scale.pick((300, 400), (1500, 3000, 6000), tuple(range(10_000, 40_001, 5000)))
    once, seeds = scale.seeds(1, 1, 1), scale.seeds(1, 1, 3)
    return [
        *MNIST.exact_runs(images, 30_000, once),
        *MNIST.runs(images, seeds),
        *SCRNA.exact_runs(cells, 20_000, once),
        *SCRNA.runs(cells, seeds),
    ]


def draw(records: list[Record], path: Path) -> None:
    figure, axes = panels(1, 2, 11, 4.2)
    for ax, panel in zip(axes[0], (MNIST, SCRNA), strict=True):
        draw_panel(ax, panel, records, "seconds")
    save(figure, path, NOTE_OF_SECONDS)


def tables(records: list[Record]) -> str:
    return scaling_table([MNIST, SCRNA], records, "seconds")
