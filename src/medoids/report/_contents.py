"""What a row is drawn as: an image, a tree, a text, the cells of a table, a curve, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from .._fitted import FittedKMedoids
from .._names import MEASURES
from .._types import Indices
from ..dissimilarities.trees import looks_like_tree
from ..plot._pixels import Pixels
from ..plot._things import text_of
from ._curves import Curves
from ._images import MEMBER, medoid_side, pngs
from ._mixed import Mixed
from ._pack import TEXT, clipped
from ._tables import Numbers
from ._trees import Trees


class Contents(Protocol):
    """How the rows of one kind of data are carried.

    Attributes
    ----------
    kind : str
        What the page's scripts draw: "image", "tree", "text", "row", "curve" or "none".
    """

    kind: str

    def members(self, rows: Indices) -> list[Any]:
        """What is drawn for each of these rows."""

    def medoid(self, label: int, row: int) -> dict[str, Any]:
        """What is drawn for the medoid of a cluster, in more detail."""

    def shared(self) -> dict[str, Any]:
        """What all of them need, once everything else was asked for."""


class Images:
    kind = "image"

    def __init__(self, X: Any, image_shape: tuple[int, ...], k: int) -> None:
        self.X, self.pixels, self.side = X, Pixels(X, image_shape), medoid_side(k)

    def members(self, rows: Indices) -> list[str]:
        return pngs(self.pixels, self.X[rows], MEMBER)

    def medoid(self, label: int, row: int) -> dict[str, Any]:
        return {"content": pngs(self.pixels, self.X[[row]], self.side)[0]}

    def shared(self) -> dict[str, Any]:
        high, wide = self.pixels.shape[:2]
        return {"ink": self.pixels.ink, "coarse": max(high, wide) <= MEMBER, "ratio": wide / high}


class Texts:
    kind = "text"

    def __init__(self, things: Sequence[Any]) -> None:
        self.things = things
        self.code = not all(isinstance(thing, str) for thing in things)

    def members(self, rows: Indices) -> list[str]:
        return [clipped(text_of(self.things[row]), TEXT // 4) for row in rows]

    def medoid(self, label: int, row: int) -> dict[str, Any]:
        return {"content": clipped(text_of(self.things[row]), TEXT)}

    def shared(self) -> dict[str, Any]:
        return {"code": self.code}


class Nothing:
    """Rows that are known by their distances, or by a text, alone."""

    kind = "none"

    def members(self, rows: Indices) -> list[Any]:
        return []

    def medoid(self, label: int, row: int) -> dict[str, Any]:
        return {}

    def shared(self) -> dict[str, Any]:
        return {}


def contents(
    km: FittedKMedoids,
    X: Any,
    values: Any,
    image_shape: tuple[int, ...] | None,
    feature_names: Sequence[Any] | None,
) -> Contents:
    """The contents that fit the data; or `values` in its place, if there are any."""
    own = values is None
    shown = X if own else values
    compared = MEASURES[km.metric].compares[0] if own and km.metric in MEASURES else ""
    if compared == "frames" or (compared == "bits" and not _are_columns(X)):
        return Nothing()
    if compared == "sequences" and image_shape is None:
        return Curves(*_series(km, X))
    table = None if own and km.metric == "precomputed" else _numbers(km, shown, own)
    if image_shape is not None:
        if table is None:
            raise ValueError("image_shape is given, but X is no array of numbers: leave it out.")
        return Images(table, image_shape, len(km.medoid_indices_))
    if own and km.metric == "precomputed":
        return Nothing()
    mixed = km.metric == "gower" if own else hasattr(shown, "columns") and table is None
    # Gower's metric takes holes, also in rows of numbers alone.
    if mixed or (table is not None and not issparse(table) and np.isnan(table).any()):
        return Mixed(shown, km.labels_, km.medoid_indices_, feature_names)
    if table is not None:
        names = feature_names
        if names is None:
            of, where = (km, "feature_names_in_") if own else (shown, "columns")
            names = getattr(of, where, None)
        return Numbers(table, km.labels_, km.medoid_indices_, names)
    things = list(shown.to_numpy() if hasattr(shown, "columns") else shown)
    if (own and km.metric == "tree_edit") or all(looks_like_tree(thing) for thing in things):
        return Trees(things)
    return Texts(things)


def _are_columns(X: Any) -> bool:
    """Whether bits are columns of a table: packed ones are not."""
    return hasattr(X, "columns") or (isinstance(X, np.ndarray) and X.dtype.kind != "u")


def _series(km: FittedKMedoids, X: Any) -> tuple[Any, bool]:
    """The series, and whether channels are their first axis."""
    axis = (km.metric_params or {}).get("channels")
    if hasattr(X, "columns") or hasattr(X, "to_numpy"):
        X = X.to_numpy()
    cube = isinstance(X, np.ndarray) and X.ndim == 3
    return X, axis == "first" or (axis is None and cube)


def _numbers(km: FittedKMedoids, X: Any, own: bool) -> NDArray[Any] | Any | None:
    """The rows as an array or a CSR matrix, if that is what they are."""
    if issparse(X):
        return X.tocsr()
    if hasattr(X, "shape"):
        values = np.asarray(X)
        if values.ndim == 2 and values.dtype.kind in "fiub":
            return values
    things = km.cluster_centers_
    is_array = own and isinstance(things, np.ndarray) and things.ndim == 2
    return np.asarray(X, dtype=np.float64) if is_array else None
