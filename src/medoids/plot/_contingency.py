"""Clusters against labels that were known before."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._fitted import FittedKMedoids, on_host
from .._known import agreement, known
from .._known import contingency as count
from ._style import BLUE, INK, PAPER, axes, quiet, title
from ._things import short

# Cells that have room for a number.
_CELLS = 600


def contingency(km: FittedKMedoids, labels: Any, ax: Any = None) -> Any:
    """How many rows of each cluster have each known label.

    A cell is the darker, the larger its part of the cluster. Above stands the adjusted Rand
    index: 1 where clusters and labels are the same, about 0 where they have nothing to do with
    each other. Rows without a label are left out.

    Parameters
    ----------
    km : KMedoids
        Fitted.
    labels : sequence
        The known label of each row; a Series brings its name. Of more than 40 labels, the rarest
        are counted together.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from medoids import KMedoids, plot
    >>> X, y = load_iris(return_X_y=True)
    >>> plot.contingency(KMedoids(3, random_state=0).fit(X), y).get_title(loc="left")
    'Clusters and labels: adjusted Rand index 0.730'
    """
    km, _ = on_host(km)
    k = len(km.medoid_indices_)
    given = known(labels, len(km.labels_))
    counts = count(km.labels_, given, k)
    parts = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    wide = max(len(given.levels), 1)
    ax = axes(ax, 2.2 + 0.62 * max(wide, 4), float(np.clip(1.6 + 0.34 * k, 2.6, 11)))
    ax.imshow(parts.reshape(k, -1) if parts.size else np.zeros((k, 1)), cmap=_shades(), vmin=0,
              vmax=1, aspect="auto")  # fmt: skip
    for (row, column), value in np.ndenumerate(counts) if counts.size <= _CELLS else ():
        ink = PAPER if parts[row, column] > 0.6 else INK
        ax.text(column, row, f"{value:,}" if value else "·", ha="center", va="center", color=ink,
                fontsize=8.5)  # fmt: skip
    ax.set_yticks(range(k), [str(label) for label in range(k)])
    names = [short(level, 18).replace("$", r"\$") for level in given.levels]
    turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    long = sum(map(len, names)) > 7 * len(names)
    ax.set_xticks(range(len(names)), names, **(turned if long else {}))
    ax.set(ylabel="cluster", xlabel=given.name.replace("$", r"\$"))
    quiet(ax)
    if k > 50:
        ax.tick_params(axis="y", labelsize=5)
    index = agreement(km.labels_, labels)
    title(ax, "Clusters and labels" + (
        "" if index is None else f": adjusted Rand index {index:.3f}"))  # fmt: skip
    return ax


def _shades() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("medoids-parts", ["#f4f5f6", BLUE])
