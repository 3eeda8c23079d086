"""The loss, the silhouette and more for several numbers of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..choice.table import Scan
from ._style import BLUE, COLOURS, INK, RED, axes, quiet, title

_GREEN, _VIOLET = COLOURS[4], COLOURS[6]


class _Series(NamedTuple):
    """What a panel shows: a value for each k, and perhaps its error."""

    name: str
    values: Sequence[float]
    shade: str
    errors: Sequence[float] | None = None


def scan(
    ks: Scan | Sequence[int],
    losses: Sequence[float] | None = None,
    silhouettes: Sequence[float] | None = None,
    best: int | None = None,
    ax: Any = None,
) -> Any:
    """Loss, and mean medoid silhouette below it, against the number of clusters.

    Of a `Scan` also stability and the gap, each with its standard error, where there are any.

    Parameters
    ----------
    ks : Scan or sequence of int
        What `medoids.scan` has found; or numbers of clusters.
    losses : sequence of float, default=None
        The loss for each; not for a `Scan`, which has its own.
    silhouettes : sequence of float, default=None
        The mean medoid silhouette for each; NaN where there is none. Not for a `Scan`.
    best : int, default=None
        The number of clusters to mark; None marks what a `Scan` suggests.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a figure. Its lower part is cut off for what is below the losses.

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
    if isinstance(ks, Scan):
        if losses is not None or silhouettes is not None:
            raise TypeError("losses and silhouettes are those of the Scan: leave them out.")
        best = ks.suggestion if best is None else best
        series, ks = _found(ks), ks.n_clusters
    elif losses is None:
        raise TypeError("losses is missing: give one for each number of clusters, or a Scan.")
    else:
        series = [_Series("loss", losses, BLUE)]
        if silhouettes is not None:
            series.append(_Series("mean medoid silhouette", silhouettes, RED))
    ax = axes(ax, 7, 1.5 + 2 * len(series))
    for panel, each in zip(_panels(ax, len(series)), series, strict=True):
        _draw(panel, ks, each, best)
        last = panel
    last.set_xlabel("clusters")
    if best is not None:
        ax.annotate(
            f"k = {best}", (best, 1), xycoords=("data", "axes fraction"), xytext=(5, -2),
            textcoords="offset points", va="top", fontsize=9, color=INK,
        )  # fmt: skip
    title(ax, f"{min(ks)} to {max(ks)} clusters")
    return ax


def _found(found: Scan) -> list[_Series]:
    """What there is of a scan: the losses, and each criterion that has any value."""
    series = [_Series("loss", found.losses.tolist(), BLUE)]
    shades = {"silhouette": RED, "stability": _GREEN, "gap": _VIOLET}
    for name, shade in shades.items():
        values = [_known(getattr(each, name)) for each in found]
        if np.isfinite(values).any():
            errors = [_known(getattr(each, f"{name}_error", None)) for each in found]
            shown = "mean medoid silhouette" if name == "silhouette" else name
            series.append(_Series(shown, values, shade, errors))
    return series


def _known(value: float | None) -> float:
    return np.nan if value is None else value


def _panels(ax: Any, count: int) -> list[Any]:
    """The Axes, and others below it that share its clusters."""
    if count == 1:
        return [ax]
    from mpl_toolkits.axes_grid1 import make_axes_locatable

    divider = make_axes_locatable(ax)
    lower = [divider.append_axes("bottom", "85%", pad=0.3, sharex=ax) for _ in range(count - 1)]
    for panel in [ax, *lower[:-1]]:
        panel.tick_params(labelbottom=False)
    return [ax, *lower]


def _draw(panel: Any, ks: Sequence[int], series: _Series, best: int | None) -> None:
    """A line through the values, and the best of them marked."""
    name, values, shade, errors = series
    panel.plot(ks, values, "o-", color=shade, linewidth=1.6, markersize=4.5)
    if errors is not None:
        low, high = np.subtract(values, errors), np.add(values, errors)
        panel.fill_between(ks, low, high, color=shade, alpha=0.18, linewidth=0)
    panel.set_ylabel(name)
    panel.xaxis.get_major_locator().set_params(integer=True)
    panel.yaxis.set_major_formatter("{x:,.10g}")
    quiet(panel, "both")
    if best is None:
        return
    panel.axvline(best, color=INK, linewidth=1, linestyle=(0, (4, 3)), zorder=0.5)
    value = values[list(ks).index(best)]
    if np.isfinite(value):
        panel.plot(best, value, "o", color=shade, markersize=9, markeredgecolor=INK)
