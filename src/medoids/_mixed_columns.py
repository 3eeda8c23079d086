"""The columns of a mixed table: what each holds, and the numbers that stand for it."""

from __future__ import annotations

import datetime as dt
import decimal
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def columns_of(frame: Any) -> dict[Any, Sequence[Any]]:
    """The columns of a frame (pandas, polars), of an array or of a list of rows, by name."""
    if hasattr(frame, "columns") and hasattr(frame, "__getitem__"):
        return {name: _values(frame[name]) for name in frame.columns}
    rows = [list(row) for row in frame]
    widths = {len(row) for row in rows}
    if len(widths) != 1:
        raise ValueError(f"X has rows of {sorted(widths)} columns: give all the same number.")
    return {at: [row[at] for row in rows] for at in range(widths.pop())}


def _values(column: Any) -> list[Any]:
    values = list(column.to_list() if hasattr(column, "to_list") else column)
    if str(getattr(column, "dtype", "")) == "category":  # of numbers, perhaps
        return [None if is_missing(value) else (value,) for value in values]
    return values


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas calls missing: nothing else is different from itself."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA has no truth value
        return True
    except ValueError:  # an array has many
        return False


def codes_of(values: Sequence[Any], known: dict[Any, int]) -> list[int]:
    """A number for each category, those that are known among them; -1 where there is none."""
    return [-1 if is_missing(value) else known.setdefault(value, len(known)) for value in values]


def kind_of(values: Sequence[Any]) -> str:
    """What a column can be measured as: a key of `_MEASURED`, or "" for categories."""
    known = [value for value in values if not is_missing(value)]
    for kind, (types, _) in _MEASURED.items():
        if known and all(
            isinstance(value, types) and not isinstance(value, bool) for value in known
        ):
            return kind
    return ""


def are_numbers(values: Sequence[Any]) -> bool:
    """Whether a column holds plain numbers."""
    return kind_of(values) == "numbers"


def as_numbers(values: Sequence[Any], kind: str = "numbers") -> NDArray[np.float64]:
    """NaN stands for what is missing, infinity for what is no number."""
    return np.array([_as_number(value, kind) for value in values], dtype=np.float64)


def _as_number(value: Any, kind: str) -> float:
    if is_missing(value):
        return np.nan
    try:
        return _MEASURED[kind][1](value)
    except (TypeError, ValueError, OverflowError, AttributeError):
        return np.inf


def _plain(value: Any) -> float:
    if isinstance(value, np.timedelta64):  # which has a float, of whatever its unit is
        raise TypeError
    return float(value)


def _days(when: Any) -> float:
    """Days since 1970."""
    if isinstance(when, np.datetime64):
        return float((when - np.datetime64("1970-01-01")) / np.timedelta64(1, "D"))
    if not isinstance(when, dt.datetime):
        return float(when.toordinal() - dt.date(1970, 1, 1).toordinal())
    return (when - dt.datetime(1970, 1, 1, tzinfo=when.tzinfo and dt.UTC)) / dt.timedelta(1)


def _length(span: Any) -> float:
    """Days."""
    if isinstance(span, np.timedelta64):
        return float(span / np.timedelta64(1, "D"))
    return float(span / dt.timedelta(1))


# What can be measured: its types, and the number that stands for a value.
_MEASURED: dict[str, tuple[tuple[type, ...], Callable[[Any], float]]] = {
    "spans of time": ((dt.timedelta, np.timedelta64), _length),
    "times": ((dt.date, np.datetime64), _days),
    "numbers": ((numbers.Real, decimal.Decimal), _plain),
}
