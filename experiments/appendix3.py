"""Appendix figure 3: the rewards of four arms in the first BUILD step, MNIST."""

from __future__ import annotations

from pathlib import Path

from . import _data
from ._records import Record, Run
from ._scale import Scale
from ._style import INK, LOOKS, QUIET, panels, quiet, save
from ._tables import table

TITLE = "Rewards of four arms, MNIST, l2"


def runs(scale: Scale) -> list[Run]:
    return runs_on("mnist", scale.pick(300, 5000, 70_000))


def runs_on(data: str, n: int) -> list[Run]:
    return [Run(data, n, 1, "l2", "exact rewards", 0, {"arms": 4}, "rewards")]


def draw(records: list[Record], path: Path) -> None:
    figure, axes = panels(2, 2, 10, 6, sharex=True)
    colour = LOOKS["banditpam"].colour
    for ax, arm in zip(axes.flat, records[0]["histograms"], strict=True):
        low, high, counts = arm["low"], arm["high"], arm["counts"]
        edges = [low + (high - low) * i / len(counts) for i in range(len(counts) + 1)]
        ax.stairs(counts, edges, fill=True, color=colour, alpha=0.35)
        ax.stairs(counts, edges, color=colour, lw=0.8)
        ax.plot([low, high], [0, 0], ls="", marker="^", color=INK, ms=8, clip_on=False, zorder=3)
        text = (
            f"mean {arm['mean']:.3g}, sigma {arm['sigma']:.3g}\n"
            f"skewness {arm['skewness']:.2f}, excess kurtosis {arm['kurtosis']:.2f}"
        )
        ax.text(
            0.98, 0.95, text, transform=ax.transAxes, ha="right", va="top", fontsize=8, color=QUIET
        )
        name = _data.title(records[0]["data"], records[0]["synthetic"])
        quiet(
            ax, f"{name}, l2: arm {arm['arm']:,}", "reward: distance to a reference", "references"
        )
        ax.set_ylim(0, 1.35 * max(counts))
    save(
        figure,
        path,
        "Triangles: least and greatest. A normal distribution has skewness and kurtosis 0.",
    )


def tables(records: list[Record]) -> str:
    rows = [
        [f"arm {arm['arm']:,}", *(f"{arm[name]:.3g}" for name in COLUMNS)]
        for arm in records[0]["histograms"]
    ]
    return table(["", *COLUMNS], rows)


COLUMNS = ["low", "mean", "high", "sigma", "skewness", "kurtosis"]
