"""The rows that the page knows, and the sample of them that it can draw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._fitted import FittedKMedoids
from .._silhouette import nearest_two
from .._types import Indices
from ..plot._projection import Plane, choose, ranks
from ._colourings import colourings
from ._contents import Contents
from ._pack import NAME, TEXT, as_json, clipped, packed

# Up to so many rows and bytes of names, each can be found even if it is not drawn.
_KNOWN, _NAMES = 100_000, 5_000_000


class PageRows:
    """Each row's place in its cluster and on the map.

    Attributes
    ----------
    drawn : ndarray of int
        The sample: all medoids, and of each cluster some rows, evenly by rank.
    known : ndarray of int
        The rows that can be found by name; the sample is among them.
    plane : Plane
        The map of the sample; `place` makes it.
    """

    def __init__(
        self,
        km: FittedKMedoids,
        distances: NDArray[np.float64],
        names: Sequence[Any] | None,
        texts: Sequence[Any] | None,
        max_members: int,
        place: Callable[[Indices], Plane],
    ) -> None:
        self.labels, self.texts = km.labels_, texts
        self.names = None if names is None else [clipped(name, NAME) for name in names]
        self.near = nearest_two(distances, self.labels)
        self.rank = ranks(self.labels, self.near.first, km.medoid_indices_)
        self.drawn = choose(self.labels, self.rank, km.medoid_indices_, max_members)
        n = len(self.labels)
        small = n <= _KNOWN and len(as_json(self.names).encode()) <= _NAMES
        self.known = np.arange(n) if small else self.drawn
        self.plane = place(self.drawn)

    def index(self) -> dict[str, Any]:
        """All rows that can be found: names, clusters and distances."""
        near, known = self.near, self.known
        return {
            "rows": packed(known, "<u4"),
            "names": None if self.names is None else [self.names[row] for row in known],
            "label": packed(self.labels[known], "<i4"),
            "rank": packed(self.rank[known], "<u4"),
            "first": packed(near.first[known], "<f4"),
            "second": packed(near.second[known], "<i4"),
            "far": packed(near.second_distance[known], "<f4"),
        }

    def sample(self, contents: Contents, columns: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        """The rows that are drawn: where they are in the index and on the map, and what."""
        texts = None
        if self.texts is not None:
            texts = [clipped(self.texts[row], TEXT // 4) for row in self.drawn]
        return {
            "at": packed(np.searchsorted(self.known, self.drawn), "<u4"),
            "x": packed(self.plane.points[:, 0], "<f8"),
            "y": packed(self.plane.points[:, 1], "<f8"),
            "contents": contents.members(self.drawn),
            "texts": texts,
            "colourings": colourings(columns, self.drawn),
        }
