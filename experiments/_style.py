"""One quiet look for all figures. Methods differ in marker and line too, not in colour alone."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator
from PIL import Image

INK, QUIET, FAINT = "#1b1f24", "#6e7781", "#d0d7de"
DPI = 120


class Look(NamedTuple):
    marker: str
    line: Any
    colour: str
    hollow: bool = False


LOOKS = {
    "banditpam": Look("D", "-", "#1f4e8c"),
    "banditpam_original": Look("o", (0, (5, 2)), "#b3541e", hollow=True),
    "pam": Look("x", ":", QUIET),
    "fastpam1": Look("s", "-.", QUIET, hollow=True),
    "fastpam": Look("p", "-.", "#4d7c3a"),
    "clarans": Look("^", (0, (1, 1)), "#7a3e9d", hollow=True),
    "alternate": Look("v", (0, (3, 1, 1, 1)), "#8a6d1d"),
    "fasterpam": Look("h", "-.", "#4d7c3a"),
    "clara": Look("s", (0, (1, 1)), "#7a3e9d", hollow=True),
    "onebatch": Look("*", (0, (3, 1, 1, 1)), "#8a6d1d"),
}


def panels(rows: int, columns: int, width: float, height: float, **options: Any) -> Any:
    """A figure, and its axes in an array of two dimensions."""
    return plt.subplots(
        rows, columns, figsize=(width, height), squeeze=False, layout="constrained", dpi=DPI,
        **options,
    )  # fmt: skip


def marks(method: str) -> dict[str, Any]:
    """Keywords of `plot` and `errorbar`."""
    look = LOOKS[method]
    return {
        "marker": look.marker,
        "color": look.colour,
        "markerfacecolor": "white" if look.hollow else look.colour,
        "markersize": 8 if look.marker == "*" else 6,
    }


def quiet(ax: Axes, title: str, x: str, y: str) -> None:
    """Title, labels with units, a faint grid and no frame."""
    ax.set_title(title, loc="left", fontsize=10, color=INK)
    ax.set_xlabel(x, fontsize=9)
    ax.set_ylabel(y, fontsize=9)
    ax.grid(which="major", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(which="both", length=0, labelsize=8, colors=INK)
    for spine in ax.spines.values():
        spine.set_visible(False)


def plain(ax: Axes, axis: str, unit: str = "") -> None:
    """Numbers that can be read at once on a logarithmic axis: 0.2, 5, 20 M."""
    side = ax.xaxis if axis == "x" else ax.yaxis
    low, high = side.get_view_interval()
    steps = (1, 2, 5) if high / low < 3000 else (1,)
    side.set_major_locator(LogLocator(subs=steps))
    side.set_minor_locator(NullLocator())
    side.set_major_formatter(lambda x, _: short_number(x) + unit)


def short_number(x: float) -> str:
    """20 M rather than 20000000."""
    for size, letter in ((1e9, " G"), (1e5, " M")):
        if x >= size:
            return f"{x / max(size, 1e6):g}{letter}"
    return f"{x:,.0f}" if x >= 1000 else f"{x:g}"


def label_ends(
    ax: Axes, ends: dict[Any, tuple[float, float, str]], colours: dict[Any, str] | None = None
) -> None:
    """Write a text beside the end (x, y) of each line, in its colour, none upon another.

    Call it last, when the limits of the axes are as they will be.
    """
    if not ends:
        return
    colours = colours or {name: look.colour for name, look in LOOKS.items()}
    figure = ax.figure
    figure.canvas.draw()
    gap = 4 / 72 * figure.dpi
    heights = {
        name: 11.5 * (1 + text.count("\n")) / 72 * DPI for name, (_, _, text) in ends.items()
    }
    order = sorted(ends, key=lambda name: ends[name][1])
    wanted = {name: ax.transData.transform((1, ends[name][1]))[1] for name in order}
    places = _apart([wanted[name] for name in order], [heights[name] for name in order])
    right = max(ax.transData.transform((x, 1))[0] for x, _, _ in ends.values()) + 3 * gap
    for name, place in zip(order, places, strict=True):
        x, y, text = ends[name]
        at = ax.transData.inverted().transform((right, place))
        ax.annotate(
            text, (x, y), at, va="center", ha="left", fontsize=8, color=colours[name],
            annotation_clip=False, linespacing=1.1,
            arrowprops={
                "arrowstyle": "-", "color": FAINT, "lw": 0.6, "shrinkA": 0, "shrinkB": 4,
                "relpos": (0, 0.5),
            },
        )  # fmt: skip


def _apart(wanted: list[float], heights: list[float]) -> list[float]:
    """Places in ascending order, near those wanted, that do not overlap."""
    groups: list[tuple[list[int], float, float]] = []  # members, middle, height
    for i, (place, height) in enumerate(zip(wanted, heights, strict=True)):
        group = ([i], place, height)
        while groups and groups[-1][1] + groups[-1][2] / 2 > group[1] - group[2] / 2:
            members, middle, tall = groups.pop()
            both = members + group[0]
            height = tall + group[2]
            middle = (len(members) * middle + len(group[0]) * group[1]) / len(both)
            group = (both, middle, height)
        groups.append(group)
    places = [0.0] * len(wanted)
    for members, middle, tall in groups:
        low = middle - tall / 2
        for i in members:
            places[i] = low + heights[i] / 2
            low += heights[i]
    return places


def save(figure: Figure, path: Path, note: str = "") -> None:
    """Write the picture, with a note below it; few colours make a small file."""
    if note:
        figure.supxlabel(note, x=0.01, ha="left", fontsize=8, color=QUIET)
    picture = BytesIO()
    figure.savefig(picture, facecolor="white")
    plt.close(figure)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.open(picture).convert("RGB").quantize(64).save(path, optimize=True)
