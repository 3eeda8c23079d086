"""Appendix figure 1: the spread of the rewards, as estimated for each arm at each BUILD step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _data
from ._records import Record, Run, chosen
from ._scale import BANDITS, Scale
from ._style import LOOKS, QUIET, panels, quiet, save
from ._tables import table

TITLE = "Sigma at each BUILD step, full MNIST"
NOTES = {
    "banditpam_original": "each arm's own spread, from 100 references",
    "banditpam": "what is left within the clusters, from about 1,000",
}
EXACT = "steps were computed exactly, without a sigma"
K = 10


def runs(scale: Scale) -> list[Run]:
    n = scale.pick(400, 8000, 70_000)
    return [Run("mnist", n, K, "l2", method) for method in BANDITS]


def draw(records: list[Record], path: Path) -> None:
    figure, axes = panels(1, 2, 11, 4, sharey=True)
    for ax, method in zip(axes[0], BANDITS, strict=True):
        for record in chosen(records, method=method):
            _draw_boxes(ax, record)
    save(figure, path, "Boxes: quartiles over the arms; whiskers: least and greatest.")


def sigmas(record: Record) -> list[Any]:
    """Five numbers for each step; none at all if a step was exact, and the rest have no place."""
    return record["sigma"] if len(record["sigma"]) == record["k"] else []


def _draw_boxes(ax: Any, record: Record) -> None:
    names = ("whislo", "q1", "med", "q3", "whishi")
    boxes = [dict(zip(names, five, strict=True)) for five in sigmas(record)]
    colour = LOOKS[record["method"]].colour
    line = {"color": colour}
    if boxes:  # of none, matplotlib cannot tell how wide the axis is
        ax.bxp(
            boxes, showfliers=False, widths=0.5, boxprops=line, whiskerprops=line, capprops=line,
            medianprops=line | {"lw": 2.5},
        )  # fmt: skip
    where = f"{_data.title('mnist', record['synthetic'])}, n = {record['n']:,}"
    title = f"{record['method']}: {NOTES[record['method']]}\n{where}"
    quiet(ax, title, "BUILD step", "sigma of the rewards (unit: distance)")
    if not boxes:
        ax.set_xticks([])
        ax.text(0.5, 0.5, EXACT, transform=ax.transAxes, ha="center", fontsize=9, color=QUIET)
    ax.set_ylim(bottom=0)


def tables(records: list[Record]) -> str:
    """The median at each step."""
    rows = [
        [f"`{one['method']}`", *([f"{five[2]:.3g}" for five in sigmas(one)] or ["–"] * K)]
        for one in records
    ]
    return table(["median sigma at BUILD step", *map(str, range(1, K + 1))], rows)
