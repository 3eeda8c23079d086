"""Figure 1b: distances an iteration against n, for trees.

The published algorithm runs on the matrix of all tree edit distances, computed once: each
entry that it reads counts as a distance, so that the count is what it would be on the trees.
"""

from __future__ import annotations

from pathlib import Path

from ._records import Record, Run
from ._scale import Scale
from ._scaling import NOTE, Panel, draw_panel, scaling_table
from ._style import panels, save

TITLE = "Distances an iteration, HOC4, tree edit distance"
PANELS = [Panel("hoc4", "tree_edit", 2, 1.046), Panel("hoc4", "tree_edit", 3, 0)]


def runs(scale: Scale) -> list[Run]:
    sizes = scale.pick(
        (150, 250), (500, 1000, 1500, 2000), (500, 1000, 1500, 2000, 2500, 3000, 3629)
    )
    return [_quick(run) for panel in PANELS for run in panel.runs(sizes, scale.seeds(1, 2, 5))]


def _quick(run: Run) -> Run:
    if run.method != "banditpam_original":
        return run
    return run._replace(data="hoc4-matrix", metric="precomputed")


def draw(records: list[Record], path: Path) -> None:
    figure, axes = panels(1, 2, 11, 4.2, sharey=True)
    for ax, panel in zip(axes[0], PANELS, strict=True):
        draw_panel(ax, panel, records, "distances")
    save(figure, path, NOTE)


def tables(records: list[Record]) -> str:
    return scaling_table(PANELS, records, "distances")
