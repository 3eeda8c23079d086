"""The data in the plane, by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._fitted import FittedKMedoids, on_host
from .._known import known
from .._mixed_columns import are_numbers, as_numbers
from .._silhouette import fit_distances, nearest_two
from .._types import Indices
from ._projection import choose, project, ranks
from ._style import INK, PAPER, QUIET, RULE, axes, colour, quiet, symbol, title


def map(
    km: FittedKMedoids,
    X: ArrayLike,
    ax: Any = None,
    *,
    coordinates: ArrayLike | None = None,
    by: Sequence[Any] | None = None,
    max_points: int = 4000,
    random_state: int | np.random.RandomState | None = 0,
) -> Any:
    """Rows in the plane, coloured by cluster; medoids carry the number of their cluster.

    Each cluster has its own colour and symbol together, for up to 110 clusters. Where there
    are more rows than `max_points`, a sample is shown: of each cluster by its size, evenly
    from the most typical row to the least.

    Rows of numbers are projected on two principal components. Two columns are shown as they
    are, with axes; points on a sphere as on a map, in degrees. Where the metric is no norm of
    a difference (cosine, trees, strings, a matrix of distances), rows are placed by landmark
    multidimensional scaling. A line below says which.

    Parameters
    ----------
    km : KMedoids
        Fitted.
    X : array-like
        What it was fitted on.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a figure.
    coordinates : array-like of shape (n_samples, 2), default=None
        Where to put each row, such as a UMAP of your own (`adata.obsm["X_umap"]`). The names
        of a data frame's columns are those of the axes.
    by : sequence, default=None
        What to colour by in place of the clusters: a label or a number for each row. Symbols
        are still those of the clusters.
    max_points : int, default=4000
        The most rows to show, beside the medoids.
    random_state : int, RandomState instance or None, default=0
        For the projection.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from medoids import KMedoids, plot
    >>> X, _ = load_iris(return_X_y=True)
    >>> ax = plot.map(KMedoids(3).fit(X), X)
    >>> [text.get_text() for text in ax.texts if text.get_text().isdigit()]
    ['0', '1', '2']
    """
    km, X = on_host(km, X)
    labels, medoids = km.labels_, km.medoid_indices_
    near = nearest_two(fit_distances(km, X), labels).first
    rows = choose(labels, ranks(labels, near, medoids), medoids, max_points)
    made = project(km, X, rows, random_state, coordinates=coordinates)
    plane = made.points
    height, earth = 6.0, made.axes == ("longitude", "latitude")
    if earth and made.ratio is not None:
        # It does not go on beyond the poles, so it is as high as its points ask for.
        wide, high = np.ptp(plane, axis=0)
        height = float(np.clip(6.3 * made.ratio * high / max(wide, 1e-9) + 1.4, 3, 6))
    ax = axes(ax, 7, height)
    size = float(np.clip(40_000 / len(rows), 9, 40))
    shades = [colour(label) for label in labels[rows]]
    if by is not None:
        shades = _coloured(ax, by, rows, len(labels))
    for label in range(len(medoids)):
        own = np.flatnonzero(labels[rows] == label)
        ax.scatter(
            *plane[own].T, s=size, color=[shades[at] for at in own], marker=symbol(label),
            alpha=0.65, linewidth=0,
        )  # fmt: skip
    many = len(medoids) > 30
    for label, medoid in enumerate(medoids):
        at = plane[np.searchsorted(rows, medoid)]
        ax.text(
            *at, str(label), ha="center", va="center", fontsize=6.5 if many else 8.5,
            fontweight="bold", color=INK, zorder=5,
            bbox={
                "boxstyle": "circle,pad=0.25", "facecolor": PAPER, "edgecolor": colour(label),
                "linewidth": 1 if many else 1.8, "alpha": 0.92,
            },
        )  # fmt: skip
    if made.ratio is not None:
        ax.set_aspect(made.ratio, "box" if earth else "datalim")
    quiet(ax, "both" if made.axes else "")
    if made.axes:
        across, up = (name.replace("$", r"\$") for name in made.axes)  # which begins a formula
        ax.set(xlabel=across, ylabel=up)
    if not (made.axes and made.axes[0]):
        ax.set_xticks([])
    if not (made.axes and made.axes[1]):
        ax.set_yticks([])
    n = len(labels)
    shown = f"{n:,} rows" if len(rows) == n else f"{len(rows):,} of {n:,} rows"
    title(ax, f"{len(medoids)} clusters: {shown}")
    ax.annotate(
        f"{made.how} Numbers mark the medoids.", (0, 0), (0, -36 if made.axes else -4),
        xycoords="axes fraction", textcoords="offset points", va="top", fontsize=8.5, color=QUIET,
    )  # fmt: skip
    return ax


def _coloured(ax: Any, by: Any, rows: Indices, n: int) -> list[Any]:
    """The colour of each row by what it has, and a key to them beside the map."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.lines import Line2D

    given = known(by, n, "by")
    name = "" if given.name == "by" else given.name.replace("$", r"\$")
    values = list(by)
    if are_numbers(values):
        numbers = as_numbers(values)
        finite = numbers[np.isfinite(numbers)]
        scale = ScalarMappable(Normalize(finite.min(), finite.max()), colormaps["viridis"])
        bar = ax.figure.colorbar(scale, ax=ax, shrink=0.6, label=name)
        bar.outline.set_visible(False)
        return [scale.to_rgba(each) if np.isfinite(each) else RULE for each in numbers[rows]]
    shades = [RULE if code < 0 else colour(int(code)) for code in given.codes[rows]]
    key = [
        Line2D([], [], color=colour(at), marker="o", linestyle="", label=level.replace("$", r"\$"))
        for at, level in enumerate(given.levels)
    ]
    ax.legend(
        handles=key, title=name, frameon=False, fontsize=8.5, loc="upper left",
        bbox_to_anchor=(1, 1),
    )  # fmt: skip
    return shades
