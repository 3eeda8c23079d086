"""What the rows on the map can be coloured by, besides their clusters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .._known import known
from .._mixed_columns import are_numbers, as_numbers, is_missing
from .._types import Indices
from ._pack import NAME, clipped, packed

# Columns that can be chosen, and the fewest distinct texts of a column that names its rows.
_MOST, _NAMES = 40, 30


def colourings(columns: Iterable[tuple[str, Any]], rows: Indices) -> list[dict[str, Any]]:
    """For each column its values in some rows: numbers, or the places of their categories."""
    found: list[dict[str, Any]] = []
    for name, values in columns:
        some = [_one(value) for value in _some(values, rows)]
        made = _numbers(some) if are_numbers(some) else _categories(some)
        if made is not None:
            found.append({"name": clipped(name, NAME)} | made)
        if len(found) == _MOST:
            break
    return found


def named_columns(frame: Any) -> Iterator[tuple[str, Any]]:
    """The columns of a data frame, or of a mapping."""
    for name in getattr(frame, "columns", frame):
        yield str(name), frame[name]


def _some(values: Any, rows: Indices) -> list[Any]:
    values = getattr(values, "iloc", values)
    if isinstance(values, list | tuple):
        return [values[row] for row in rows]
    some = values[rows]
    return list(some.to_list() if hasattr(some, "to_list") else some)


def _one(value: Any) -> Any:
    """A value as it is; a category of a frame comes wrapped."""
    return value[0] if isinstance(value, tuple) and len(value) == 1 else value


def _numbers(some: list[Any]) -> dict[str, Any] | None:
    values = as_numbers(some)
    finite = values[np.isfinite(values)]
    if not len(finite) or finite.min() == finite.max():
        return None
    # The ends of the scale: one row far out must not make all others one colour.
    low, high = np.quantile(finite, [0.01, 0.99]).tolist()
    if low == high:
        low, high = float(finite.min()), float(finite.max())
    return {"numbers": packed(values, "<f4"), "low": low, "high": high}


def _categories(some: list[Any]) -> dict[str, Any] | None:
    there = {str(value) for value in some if not is_missing(value)}
    if len(there) < 2 or (len(there) > _NAMES and 2 * len(there) > len(some)):
        return None  # which says nothing, or is the name of each row
    given = known([None if is_missing(value) else str(value) for value in some], len(some))
    levels = [clipped(level, NAME) for level in given.levels]
    return {"levels": levels, "codes": packed(given.codes, "<i2")}
