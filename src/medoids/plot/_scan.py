"""The loss and the silhouette for several numbers of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._style import BLUE, INK, RED, axes, quiet, title


def scan(
    ks: Sequence[int],
    losses: Sequence[float],
    silhouettes: Sequence[float] | None = None,
    best: int | None = None,
    ax: Any = None,
) -> Any:
    """Loss, and mean medoid silhouette below it, against the number of clusters.

    Parameters
    ----------
    ks : sequence of int
        Numbers of clusters.
    losses : sequence of float
        The loss for each.
    silhouettes : sequence of float, default=None
        The mean medoid silhouette for each; NaN where there is none.
    best : int, default=None
        The number of clusters to mark.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a figure. Its lower half is cut off for the silhouettes.

    Returns
    -------
    matplotlib Axes
        That of the losses.

    Examples
    --------
    >>> from medoids import plot
    >>> plot.scan([2, 3, 4], [9.0, 5.0, 4.5], [0.4, 0.6, 0.5], best=3).get_ylabel()
    'loss'
    """
    ax = axes(ax, 7, 5.5)
    series = [(ax, "loss", losses, BLUE)]
    if silhouettes is not None:
        from mpl_toolkits.axes_grid1 import make_axes_locatable

        lower = make_axes_locatable(ax).append_axes("bottom", "85%", pad=0.3, sharex=ax)
        series.append((lower, "mean medoid silhouette", silhouettes, RED))
        ax.tick_params(labelbottom=False)
    for panel, name, values, shade in series:
        panel.plot(ks, values, "o-", color=shade, linewidth=1.6, markersize=4.5)
        panel.set_ylabel(name)
        panel.xaxis.get_major_locator().set_params(integer=True)
        panel.yaxis.set_major_formatter("{x:,.10g}")
        quiet(panel, "both")
        if best is not None:
            panel.axvline(best, color=INK, linewidth=1, linestyle=(0, (4, 3)), zorder=0.5)
            value = values[list(ks).index(best)]
            if np.isfinite(value):
                panel.plot(best, value, "o", color=shade, markersize=9, markeredgecolor=INK)
    series[-1][0].set_xlabel("clusters")
    if best is not None:
        ax.annotate(
            f"k = {best}", (best, 1), xycoords=("data", "axes fraction"), xytext=(5, -2),
            textcoords="offset points", va="top", fontsize=9, color=INK,
        )  # fmt: skip
    title(ax, f"{min(ks)} to {max(ks)} clusters")
    return ax
