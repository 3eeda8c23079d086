"""What columns of numbers are likely to be, judged by their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._names import SYNONYMS
from ..problem import Problem
from ..readers.inputs import Input
from ..readers.scaling import degrees

# The part of the distances at which one column decides nearly alone.
_MOST = 0.9
# Rows that are looked at.
_LOOK = 20_000
# Metrics that are sums of powers of differences, and these powers.
_POWERS = {"euclidean": 2.0, "sqeuclidean": 2.0, "manhattan": 1.0, "chebyshev": 2.0}


def warn_of_one_column(made: Input, metric: str, params: Mapping[str, Any]) -> None:
    """A warning if one column makes up most of the distances, as one in other units does."""
    name = SYNONYMS.get(metric, metric)
    power = params.get("p") if name == "minkowski" else _POWERS.get(name)
    if made.kind != "rows" or made.image_shape is not None or power is None:
        return
    parts = _parts(made.X, power)
    at = int(parts.argmax())
    if len(parts) > 1 and parts[at] > _MOST:
        assert made.features is not None
        made.warnings.append(
            f"column {made.features[at]!r} makes up {_percent(parts[at])} of the distances: --scale"
            " standard lets all columns count alike (--scale none: it is meant so)"
        )


def _parts(rows: Any, power: float) -> NDArray[np.float64]:
    """How much of the distances each column makes up; zeros where there is none."""
    some = np.asarray(rows[:: max(len(rows) // _LOOK, 1)], dtype=np.float64)
    apart = np.abs(some - np.median(some, axis=0))
    sums = ((apart / (apart.max() or 1.0)) ** power).sum(axis=0)
    total = sums.sum()
    return np.asarray(sums / total if 0 < total < np.inf else np.zeros_like(sums))


def _percent(part: float) -> str:
    return f"{part:.1%}" if part < 0.9995 else "nearly all"


def in_radians(made: Input, file: str) -> None:
    """Latitudes and longitudes that can only be degrees are taken as such."""
    if made.kind != "rows" or made.X.shape[1] != 2:
        return  # the library says what is wrong
    assert made.features is not None
    latitude, longitude = (float(np.abs(column).max()) for column in made.X.T)
    if max(latitude, longitude) <= 2 * np.pi:
        return
    if latitude > 90:
        raise Problem(
            f"{file} has {latitude:g} in column {made.features[0]!r}, which is no latitude: name"
            " latitude first, then longitude, with --columns."
        )
    made.rescale(degrees(2))
    made.notes.append("latitude and longitude are taken as degrees")
