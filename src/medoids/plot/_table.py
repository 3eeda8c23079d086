"""Medoids that are rows of numbers, as a table in colours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from .._fitted import FittedKMedoids
from ._columns import columns
from ._style import BLUE, INK, PAPER, RED, axes, by_size, headline, quiet, title
from ._things import short

# Columns that are shown at most, and cells that have room for a number.
_COLUMNS, _CELLS = 20, 240
# Deviations from the mean at which a colour is at its strongest.
_FAR = 3.0


def table(km: FittedKMedoids, things: Any, X: Any, sizes: NDArray[np.int64], ax: Any) -> Any:
    """A row for each medoid, a column for each feature."""
    values = things.toarray() if issparse(things) else np.asarray(things, dtype=np.float64)
    labels = np.arange(len(sizes), dtype=np.int32) if X is None else km.labels_
    known = columns(values if X is None else X, labels, len(sizes))
    # By the clusters' means: one medoid alone can be far from the mean by chance.
    chosen = np.sort(np.argsort(-known.apart().std(axis=0), kind="stable")[:_COLUMNS])
    order = by_size(sizes)
    values, deviation = values[order][:, chosen], known.deviation[chosen]
    scaled = (values - known.mean[chosen]) / np.where(deviation > 0, deviation, np.inf)
    ax = axes(ax, 2 + 0.5 * len(chosen), float(np.clip(1.6 + 0.3 * len(order), 2.5, 11)))
    limit = float(np.clip(np.abs(scaled).max(), 1e-9, _FAR))
    ax.imshow(scaled, cmap=_diverging(), vmin=-limit, vmax=limit, aspect="auto")
    for (row, column), value in np.ndenumerate(values) if values.size <= _CELLS else ():
        text = known.text(int(chosen[column]), value)
        ax.text(column, row, text, ha="center", va="center", fontsize=7.5, color=INK)
    _label(ax, km, chosen, [f"{label} ({sizes[label]:,})" for label in order])
    for at in range(1, len(order)):
        ax.axhline(at - 0.5, color=PAPER, linewidth=1)
    for at in range(1, len(chosen)):
        ax.axvline(at - 0.5, color=PAPER, linewidth=1)
    title(ax, headline(sizes))
    return ax


def _label(ax: Any, km: FittedKMedoids, chosen: NDArray[np.int64], rows: list[str]) -> None:
    """Name the columns below and the rows on the left."""
    names = getattr(km, "feature_names_in_", None)
    ax.set_yticks(range(len(rows)), rows)
    if names is None:
        ax.set_xticks(range(len(chosen)), [str(at) for at in chosen])
        ax.set_xlabel("column")
    else:
        ax.set_xticks(
            range(len(chosen)), [short(str(names[at]), 18) for at in chosen], rotation=45,
            ha="right", rotation_mode="anchor",
        )  # fmt: skip
    ax.set(ylabel="cluster (rows)")
    quiet(ax)
    if len(rows) > 50:
        ax.tick_params(axis="y", labelsize=5)


def _diverging() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("medoids", [BLUE, "#f4f5f6", RED])
