"""The medoids, as what they are: images, rows of numbers, or text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from .._fitted import FittedKMedoids, on_host
from .._names import MEASURES
from ._curves import curves
from ._pixels import Pixels
from ._style import INK, QUIET, RULE, axes, by_size, colour, headline, title
from ._table import table
from ._things import short, text_of


def medoids(
    km: FittedKMedoids,
    X: Any = None,
    image_shape: tuple[int, ...] | None = None,
    ax: Any = None,
) -> Any:
    """The medoids, that of the largest cluster first, with the size of each cluster.

    Images are drawn in a grid. Rows of numbers are a table, coloured by how far each value
    is from the mean of its column, in standard deviations; of many columns, those in which
    the medoids differ most. Series are curves. Objects are short texts.

    Parameters
    ----------
    km : KMedoids
        Fitted.
    X : array-like, default=None
        What it was fitted on: gives the means and deviations of the columns, and the scale of
        the pixels. None takes them from the medoids alone.
    image_shape : tuple of int, default=None
        Height and width (and 3, for colours) of rows that are images.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from medoids import KMedoids, plot
    >>> X, _ = load_digits(return_X_y=True)
    >>> ax = plot.medoids(KMedoids(10, random_state=0).fit(X), X, image_shape=(8, 8))
    >>> len(ax.images)
    10
    """
    km, X = on_host(km, X)
    sizes = np.bincount(km.labels_, minlength=len(km.medoid_indices_))
    things = km.cluster_centers_
    if image_shape is not None:
        pixels = Pixels(things if X is None else X, image_shape)
        return _images(pixels.images(things), sizes, ax)
    compared = MEASURES[km.metric].compares[0] if km.metric in MEASURES else ""
    if compared == "sequences":
        return curves(km, sizes, ax)
    unseen = compared == "frames" or (compared == "bits" and _are_packed(things))
    if _is_table(things) and not unseen:
        return table(km, things, X, sizes, ax)
    if things is None or unseen:
        texts = [f"row {row:,}" for row in km.medoid_indices_]
    elif hasattr(things, "columns"):
        texts = [
            ", ".join(f"{name} {value}" for name, value in zip(things.columns, row, strict=True))
            for row in np.asarray(things, dtype=object).tolist()
        ]
    else:
        texts = [text_of(thing) for thing in things]
    return _texts(texts, sizes, ax)


def _are_packed(things: Any) -> bool:
    return isinstance(things, list) or things.dtype.kind == "u"


def _is_table(things: Any) -> bool:
    return issparse(things) or (isinstance(things, np.ndarray) and things.ndim == 2)


def _images(images: NDArray[np.uint8], sizes: NDArray[np.int64], ax: Any) -> Any:
    """A grid, as wide as high; each image over a bar for the size of its cluster."""
    columns = _columns(len(images))
    high, wide = images.shape[1] / max(images.shape[1:3]), images.shape[2] / max(images.shape[1:3])
    across, down = wide + 0.28, high + 0.42
    rows = -(-len(images) // columns)
    cell = float(np.clip(9 / columns, 0.8, 1.4))
    ax = axes(ax, cell * across * columns, cell * down * rows + 0.5)
    frame = {"linewidth": 0, "height": 0.04}
    font = 5.5 + 2.5 * cell
    for place, label in enumerate(by_size(sizes)):
        x, y = place % columns * across, -(place // columns) * down
        box = (x, x + wide, y - high, y)
        ax.imshow(images[label], extent=box, cmap="gray", vmin=0, vmax=255, zorder=1)
        ax.add_patch(_patch((x, y - high), wide, height=high, fill=False, edgecolor=RULE))
        ax.add_patch(_patch((x, y - high - 0.07), wide, facecolor=RULE, **frame))
        part = wide * sizes[label] / sizes.max()
        ax.add_patch(_patch((x, y - high - 0.07), part, facecolor=colour(label), **frame))
        words = {"va": "top", "fontsize": font}
        ax.text(x, y - high - 0.11, str(label), color=INK, fontweight="bold", **words)
        ax.text(x + wide, y - high - 0.11, f"{sizes[label]:,}", color=QUIET, ha="right", **words)
    ax.set(xlim=(-0.05, columns * across - 0.23), ylim=(-rows * down + 0.12, 0.05))
    ax.set_aspect("equal")
    ax.set_axis_off()
    title(ax, headline(sizes))
    return ax


def _columns(count: int) -> int:
    """About as wide as a page, with few empty places in the last row."""
    wide = int(np.ceil(np.sqrt(1.8 * count)))
    return min(range(max(wide - 1, 1), wide + 3), key=lambda columns: (-count % columns, -columns))


def _patch(corner: tuple[float, float], width: float, height: float, **style: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(corner, width, height, zorder=2, **style)


def _texts(texts: list[str], sizes: NDArray[np.int64], ax: Any) -> Any:
    """A line for each medoid."""
    order = by_size(sizes)
    lines = [short(texts[label], 84) for label in order]
    # Along x, characters: a square, the cluster, its size, the text.
    width = 20 + max(max(map(len, lines)), 30)
    ax = axes(ax, 0.085 * width, 0.7 + 0.26 * len(order))
    font = 9 if len(order) <= 40 else 6.5
    for place, (label, line) in enumerate(zip(order, lines, strict=True)):
        words = {"va": "center", "fontsize": font}
        ax.plot(1, place, "s", color=colour(label), markersize=font * 0.8)
        ax.text(6, place, str(label), color=INK, fontweight="bold", ha="right", **words)
        ax.text(14, place, f"{sizes[label]:,}", color=QUIET, ha="right", **words)
        ax.text(17, place, line, color=INK, family="monospace", **words)
    ax.set(xlim=(0, width), ylim=(len(order) - 0.4, -0.6))
    ax.set_axis_off()
    title(ax, headline(sizes))
    return ax
