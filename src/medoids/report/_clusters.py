"""What the page says of each cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._fitted import FittedKMedoids
from .._outliers import usual_distances
from .._silhouette import medoid_silhouette
from ._contents import Contents
from ._pack import number
from ._rows import PageRows


def silhouettes(distances: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The medoid silhouette of each row, if these distances have one."""
    if distances.shape[1] < 2 or distances.min() < 0:
        return None
    return medoid_silhouette(distances)


def clusters(
    km: FittedKMedoids, rows: PageRows, contents: Contents, silhouette: NDArray[np.float64] | None
) -> list[dict[str, Any]]:
    """One record for each cluster, in the order of the labels."""
    near, k = rows.near.first, len(km.medoid_indices_)
    known = near.min() >= 0  # of a dissimilarity below 0, nothing is so many times as far
    usual = usual_distances(near, km.labels_, k) if known else np.full(k, np.nan)
    return [
        _cluster(km.labels_ == label, int(medoid), rows, silhouette)
        | {"usual": number(usual[label])}
        | contents.medoid(label, int(medoid))
        for label, medoid in enumerate(km.medoid_indices_)
    ]


def _cluster(
    own: NDArray[np.bool_], medoid: int, rows: PageRows, silhouette: NDArray[np.float64] | None
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "size": int(own.sum()),
        "medoid": int(np.searchsorted(rows.known, medoid)),
        "mean": None,
        "silhouette": None,
        "neighbour": -1,
    }
    if not own.any():  # another medoid is as near to all of them
        return found
    seconds = rows.near.second[own]
    found["mean"] = number(rows.near.first[own].mean())
    if seconds[0] >= 0:
        found["neighbour"] = int(np.bincount(seconds).argmax())
    if silhouette is not None:
        found["silhouette"] = number(silhouette[own].mean())
    return found
