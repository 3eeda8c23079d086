"""Medoids that are series, each a small chart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._fitted import FittedKMedoids
from ._style import INK, QUIET, RULE, axes, by_size, colour, headline, title

# The space that a chart has: of 1 by _HIGH, with room for words below.
_HIGH, _ACROSS, _DOWN = 0.5, 1.12, 0.74


def series_of(km: FittedKMedoids, thing: Any) -> NDArray[np.float64]:
    """A series with a line for each channel."""
    values = np.asarray(thing, dtype=np.float64)
    axis = (km.metric_params or {}).get("channels")
    first = axis == "first" or (axis is None and isinstance(km.cluster_centers_, np.ndarray))
    return np.atleast_2d(values if first or values.ndim == 1 else values.T)


def curves(km: FittedKMedoids, sizes: NDArray[np.int64], ax: Any) -> Any:
    """A grid of charts on one scale, that of the largest cluster first."""
    series = [series_of(km, thing) for thing in km.cluster_centers_]
    low = min(float(each.min()) for each in series)
    high = max(float(each.max()) for each in series)
    longest = max(each.shape[1] for each in series)
    columns = min(len(series), max(2, int(np.ceil(np.sqrt(len(series))))))
    rows = -(-len(series) // columns)
    cell = float(np.clip(9 / columns, 1.2, 3.0))
    ax = axes(ax, cell * _ACROSS * columns, cell * _DOWN * rows + 0.5)
    for place, label in enumerate(by_size(sizes)):
        x, y = place % columns * _ACROSS, -(place // columns) * _DOWN
        for channel, line in enumerate(series[label]):
            times = x + np.arange(len(line)) / max(longest - 1, 1)
            heights = y - _HIGH + _HIGH * (line - low) / ((high - low) or 1.0)
            fade = 1 / (1 + 0.6 * channel)
            ax.plot(times, heights, color=colour(label), linewidth=1.4, alpha=fade)
        ax.plot([x, x + 1], [y - _HIGH - 0.03] * 2, color=RULE, linewidth=0.8)
        words = {"va": "top", "fontsize": 9}
        ax.text(x, y - _HIGH - 0.06, str(label), color=INK, fontweight="bold", **words)
        ax.text(x + 1, y - _HIGH - 0.06, f"{sizes[label]:,}", color=QUIET, ha="right", **words)
    ax.set(xlim=(-0.03, columns * _ACROSS - 0.09), ylim=(-rows * _DOWN + 0.05, 0.05))
    ax.set_axis_off()
    title(ax, headline(sizes))
    return ax
