"""Appendix figure 5: distances an iteration where the assumptions on the data fail."""

from __future__ import annotations

from pathlib import Path

from ._records import Record, Run
from ._scale import Scale
from ._scaling import NOTE, Panel, draw_panel, scaling_table
from ._style import panels, save

TITLE = "Distances an iteration, scRNA-PCA, l2"
PANEL = Panel("scrna-pca", "l2", 5, 1.204)


def runs(scale: Scale) -> list[Run]:
    sizes = scale.pick((300, 400), (1500, 3000, 6000), tuple(range(10_000, 40_001, 5000)))
    return PANEL.runs(sizes, scale.seeds(1, 2, 3))


def draw(records: list[Record], path: Path) -> None:
    figure, axes = panels(1, 1, 7, 4.2)
    draw_panel(axes[0, 0], PANEL, records, "distances")
    save(figure, path, NOTE)


def tables(records: list[Record]) -> str:
    return scaling_table([PANEL], records, "distances")
