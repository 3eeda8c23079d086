"""Appendix figure 2: the true means of the arms in the first BUILD step."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from . import _data
from ._records import Record, Run, chosen
from ._scale import Scale
from ._style import INK, LOOKS, QUIET, panels, quiet, save
from ._tables import table

TITLE = "True means of the arms"
CASES = [("mnist", "l2"), ("mnist", "cosine"), ("scrna", "l1"), ("scrna-pca", "l2")]


def runs(scale: Scale) -> list[Run]:
    found = []
    for data, metric in CASES:
        n = scale.pick(300, 5000, 70_000 if data == "mnist" else 40_000)
        options = {"arms": scale.pick(50, 500, 1000)}
        found.append(Run(data, n, 1, metric, "exact means", 0, options, "means"))
    return found


def draw(records: list[Record], path: Path) -> None:
    figure, axes = panels(2, 2, 10, 6)
    for ax, (data, metric) in zip(axes.flat, CASES, strict=True):
        for record in chosen(records, data=data, metric=metric):
            means = record["means"]
            colour = LOOKS["banditpam"].colour
            ax.hist(means, bins=40, density=True, color=colour, alpha=0.35, ec=colour, lw=0.5)
            ax.plot(min(means), 0, marker="^", color=INK, ms=8, clip_on=False, zorder=3)
            text = f"least mean: {min(means):.3g}"
            ax.text(0.98, 0.93, text, transform=ax.transAxes, ha="right", fontsize=8, color=QUIET)
            name = f"{_data.title(data, record['synthetic'])}, {metric}"
            quiet(ax, name, "mean distance to all points", "density")
    save(
        figure,
        path,
        f"{len(records[0]['means']):,} random arms, measured on all points. Triangle: the least.",
    )


def tables(records: list[Record]) -> str:
    """How close to the least mean the arms are, on the scale of all means."""
    rows = []
    for one in records:
        least, low, middle, high = np.quantile(one["means"], [0, 0.05, 0.5, 0.95])
        name = f"{_data.title(one['data'], one['synthetic'])}, {one['metric']}"
        share = (low - least) / (high - least)
        skew = (high - middle) / (middle - least)
        rows.append(
            [name, *(f"{x:.4g}" for x in (least, middle, high)), f"{share:.2f}", f"{skew:.2f}"]
        )
    head = [
        "", "least mean", "median", "95%", "(5% − least) / (95% − least)",
        "(95% − median) / (median − least)",
    ]  # fmt: skip
    return table(head, rows)
