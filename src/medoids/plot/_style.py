"""What all pictures share: colours, symbols, quiet axes."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

INK, QUIET, RULE, PAPER = "#1b1f24", "#6e7781", "#d8dee4", "#ffffff"
BLUE, RED = "#2f6db3", "#d1602c"
# Ten colours and eleven symbols: together they tell 110 clusters apart.
COLOURS = (
    "#4269d0", "#e8a90c", "#f2664f", "#5bbaa4", "#3ca951",
    "#f57fae", "#a463f2", "#7ea9ef", "#9c6b4e", "#8a9a2b",
)  # fmt: skip
SYMBOLS = ("o", "s", "^", "D", "v", "P", "X", "<", "p", ">", "h")


def colour(label: int) -> str:
    """The colour of a cluster, the same in all pictures and in the report."""
    return COLOURS[label % len(COLOURS)]


def symbol(label: int) -> str:
    return SYMBOLS[label % len(SYMBOLS)]


def axes(ax: Any, width: float, height: float) -> Any:
    """The caller's Axes; or one in a new figure of this size, in inches."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("medoids.plot needs matplotlib: pip install 'medoids[plot]'.") from error
    figure, ax = plt.subplots(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.15, h_pad=0.15)
    return ax


def quiet(ax: Any, grid: str = "") -> None:
    """Take away what carries no data; `grid` is the axis to rule: "x", "y" or "both"."""
    for side in ax.spines.values():
        side.set_visible(False)
    ax.tick_params(length=0, labelsize=9, labelcolor=QUIET, which="both")
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis=grid, color=RULE, linewidth=0.7)
    for label in (ax.xaxis.label, ax.yaxis.label):
        label.set(color=QUIET, fontsize=9)


def title(ax: Any, text: str) -> None:
    ax.set_title(text, loc="left", fontsize=11, color=INK, pad=12)


def by_size(sizes: NDArray[Any]) -> list[int]:
    """The clusters, the largest first."""
    return sorted(range(len(sizes)), key=lambda label: (-sizes[label], label))


def headline(sizes: NDArray[Any]) -> str:
    return f"The {len(sizes)} medoids of {int(sizes.sum()):,} rows"
