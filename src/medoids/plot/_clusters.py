"""How large the clusters are, and how clearly rows belong to them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._fitted import FittedKMedoids, on_host
from .._silhouette import fit_distances, medoid_silhouette
from ._style import INK, QUIET, axes, by_size, colour, quiet, title

# More clusters than these have bars without words.
_NAMED = 40
# Points along the outline of one cluster's silhouette.
_OUTLINE = 400


def sizes(km: FittedKMedoids, ax: Any = None) -> Any:
    """The size and the share of each cluster, the largest first.

    Parameters
    ----------
    km : KMedoids
        Fitted.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from medoids import KMedoids, plot
    >>> km = KMedoids(2).fit([[1.0], [2.0], [3.0], [10.0], [11.0]])
    >>> [int(bar.get_width()) for bar in plot.sizes(km).patches]
    [3, 2]
    """
    km, _ = on_host(km)
    counts = np.bincount(km.labels_, minlength=len(km.medoid_indices_))
    order = by_size(counts)
    named = len(order) <= _NAMED
    ax = axes(ax, 7, min(1 + 0.28 * len(order), 8))
    ax.barh(
        range(len(order)), counts[order], color=[colour(label) for label in order],
        height=0.72 if named else 1,
    )  # fmt: skip
    ax.invert_yaxis()
    ax.margins(x=0.16 if named else 0.02, y=0.02)
    quiet(ax, "" if named else "x")
    if named:
        ax.set_yticks(range(len(order)), [f"cluster {label}" for label in order])
        ax.set_xticks([])
        for place, label in enumerate(order):
            share = f" {counts[label]:,}  ({counts[label] / counts.sum():.1%})"
            ax.text(counts[label], place, share, va="center", fontsize=9, color=INK)
    else:
        ax.set_yticks([])
        ax.set(xlabel="rows", ylabel="clusters, the largest first")
    title(ax, f"Sizes of {len(order)} clusters of {counts.sum():,} rows")
    return ax


def silhouette(km: FittedKMedoids, X: ArrayLike, ax: Any = None) -> Any:
    """The medoid silhouette of all rows, sorted inside each cluster.

    A wide, full shape is a cluster well apart from the others; a thin tail are rows halfway
    to another medoid. The clusters with the highest mean come first.

    Parameters
    ----------
    km : KMedoids
        Fitted, with at least two clusters.
    X : array-like
        What it was fitted on.
    ax : matplotlib Axes, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from medoids import KMedoids, plot
    >>> X = [[1.0], [2.0], [3.0], [10.0], [11.0]]
    >>> plot.silhouette(KMedoids(2).fit(X), X).get_xlabel()
    'medoid silhouette: 1 − nearest / second nearest'
    """
    km, X = on_host(km, X)
    values = medoid_silhouette(fit_distances(km, X))
    labels = km.labels_
    own = [np.sort(values[labels == label])[::-1] for label in range(len(km.medoid_indices_))]
    means = [inside.mean() if len(inside) else 0.0 for inside in own]
    order = sorted(range(len(own)), key=lambda label: -means[label])
    ax = axes(ax, 7, min(2.5 + 0.3 * len(order), 8))
    gap, top = 0.006 * len(values), 0.0
    for label in order:
        inside = own[label]
        if not len(inside):
            continue
        at = np.linspace(0, len(inside) - 1, min(len(inside), _OUTLINE)).astype(int)
        # One step past the end, so that a cluster of one row has a height.
        below = np.append(top + at, top + len(inside))
        edge = np.append(inside[at], inside[-1])
        ax.fill_betweenx(below, 0, edge, color=colour(label), linewidth=0)
        if len(order) <= _NAMED:
            middle = top + len(inside) / 2
            ax.text(-0.01, middle, str(label), ha="right", va="center", fontsize=9, color=QUIET)
        top += len(inside) + (gap if len(order) <= _NAMED else 0)
    ax.axvline(values.mean(), color=INK, linewidth=1, linestyle=(0, (4, 3)))
    ax.set(xlim=(0, 1), ylim=(top, 0), yticks=[])
    ax.set_xlabel("medoid silhouette: 1 − nearest / second nearest")
    ax.set_ylabel("clusters" if len(order) > _NAMED else "cluster", labelpad=18)
    quiet(ax, "x")
    title(ax, f"{len(values):,} rows in {len(order)} clusters: mean silhouette {values.mean():.3f}")
    return ax
