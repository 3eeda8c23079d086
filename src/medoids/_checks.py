"""Checks of parameters that the user gives, each error in one line that says what to do.

Those of data are in `medoids.data.checks`.
"""

from __future__ import annotations

import math
import numbers
import re
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._memory import default_limit

_UNITS = {"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
# All memory that there can be: what an infinite limit stands for.
_ADDRESSES = 2.0**63
# Starts, and how many of each are tried if nobody says. PAM's BUILD is always the same. The others
# end at a local optimum that depends on them.
AUTO_STARTS = {"build": 1, "random": 1, "k-medoids++": 1, "lab": 1}
_STARTS = tuple(AUTO_STARTS)


def is_real(value: Any) -> bool:
    """Whether this is one real number."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def whole(value: Any, name: str, least: int) -> int:
    """A whole number that is not too small."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r} ({type(value).__name__}).")
    number = max(min(int(value), sys.maxsize), -sys.maxsize)
    if number < least:
        raise ValueError(f"{name}={number} is too small: give at least {least}.")
    return number


def mapping(value: Any, name: str) -> dict[str, Any]:
    """A copy of a dict of parameters; empty for None."""
    if value is not None and not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dict or None, got {type(value).__name__}.")
    return dict(value or {})


def no_setting(y: Any) -> None:
    """Refuse what is no target for each row: other packages name the metric there."""
    if isinstance(y, (str, bytes, numbers.Number)) or callable(y):
        raise TypeError(
            f"fit(X, y) has no use for y={str(y)[:60]!r}, and takes no setting: give it to"
            " KMedoids, as in KMedoids(5, metric='l2').fit(X)."
        )


def clusters(value: Any, n: int, what: str = "n_samples") -> int:
    k = whole(value, "n_clusters", 1)
    if k > n:
        raise ValueError(
            f"n_clusters={k} is more than the {what}={n} there are: ask for at most {n}."
        )
    return k


def starts(n_init: Any, init: Any, deterministic: bool) -> int:
    """How many starts to try; `deterministic` starts are all the same."""
    if isinstance(n_init, str):
        if n_init != "auto":
            raise ValueError(f"n_init={n_init!r} is unknown: give a whole number or 'auto'.")
        return 1 if deterministic or not isinstance(init, str) else AUTO_STARTS[init]
    asked = whole(n_init, "n_init", 1)
    return 1 if deterministic else asked


def farthest(max_distance: Any) -> float | None:
    """The distance beyond which a row is of no cluster; None stays None."""
    if max_distance is None:
        return None
    real = isinstance(max_distance, numbers.Real) and not isinstance(max_distance, bool)
    if not real or max_distance != max_distance:
        raise ValueError(f"max_distance={max_distance!r} is no distance: give a number, or None.")
    return float(max_distance)


def weights(sample_weight: Any, n: int) -> NDArray[np.float64] | None:
    """How much each row counts; None stays None."""
    if sample_weight is None:
        return None
    try:
        found = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError("sample_weight must be numbers, one for each row.") from None
    if found.ndim == 0:
        found = np.full(n, float(found))
    if found.shape != (n,):
        raise ValueError(
            f"sample_weight.shape == {found.shape}, expected {(n,)}: give a number for each row."
        )
    if not np.isfinite(found).all():
        row = int(np.argmin(np.isfinite(found)))
        raise ValueError(f"sample_weight has {found[row]} at row {row}: give finite numbers.")
    if found.min() < 0:
        row = int(found.argmin())
        raise ValueError(f"sample_weight has {found[row]} at row {row}: give no negative weight.")
    if not found.any():
        raise ValueError("sample_weight is zero everywhere: give some row a weight above 0.")
    return found


def rows(value: Any, name: str, n: int) -> list[int]:
    """Different rows, in the order given: indices, or a mask with an entry for each."""
    try:
        found = np.asarray(value)
    except ValueError:
        found = np.empty((0, 0))
    if found.ndim == 1 and found.dtype == bool:
        if len(found) != n:
            raise ValueError(f"{name} is a mask of {len(found)} for {n} rows: give {n}.")
        return [int(row) for row in np.flatnonzero(found)]
    if found.ndim == 1 and not found.size:
        return []
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise TypeError(
            f"{name} must be row indices or a mask, got {type(value).__name__} of shape"
            f" {found.shape} and type {found.dtype}."
        )
    if found.min() < 0 or found.max() >= n:
        wrong = found[(found < 0) | (found >= n)][0]
        raise ValueError(f"{name} has row {wrong}, out of range: rows go from 0 to {n - 1}.")
    if len(np.unique(found)) < len(found):
        values, counts = np.unique(found, return_counts=True)
        raise ValueError(f"{name} has row {values[counts > 1][0]} twice: give different rows.")
    return [int(row) for row in found]


def sites(
    fixed: Any, candidates: Any, k: int, n: int
) -> tuple[list[int], NDArray[np.bool_] | None]:
    """Rows that are medoids and stay; and a mask of those that may be, these among them."""
    stay = [] if fixed is None else rows(fixed, "fixed", n)
    if len(stay) > k:
        raise ValueError(
            f"fixed has {len(stay)} rows, more than n_clusters={k}, in which they are counted:"
            f" ask for {len(stay)} clusters or more."
        )
    if candidates is None:
        return stay, None
    allowed = np.zeros(n, dtype=bool)
    allowed[rows(candidates, "candidates", n)] = True
    allowed[stay] = True
    if allowed.sum() < k:
        raise ValueError(
            f"candidates has {int(allowed.sum())} rows (those that are fixed among them) for"
            f" n_clusters={k}: give at least {k}."
        )
    return stay, allowed


def starting(init: Any, k: int, n: int) -> str | list[int]:
    """A name, or the indices of k different points."""
    if isinstance(init, str):
        if init not in _STARTS:
            known = ", ".join(map(repr, _STARTS))
            raise ValueError(f"init={init!r} is unknown: choose one of {known} or row indices.")
        return init
    try:
        indices = np.asarray(init)
    except ValueError:  # lists of different lengths
        indices = np.empty((0, 0))
    if indices.ndim != 1 or indices.dtype.kind not in "iu":
        raise TypeError(
            "init must be a name, a flat list of row indices, an array of centres or a fitted"
            f" KMedoids, got {type(init).__name__} of shape {indices.shape} and type"
            f" {indices.dtype}."
        )
    if len(indices) != k:
        raise ValueError(f"init has {len(indices)} row indices for n_clusters={k}: give {k}.")
    return rows(indices, "init", n)


def generator(random_state: Any) -> np.random.RandomState:
    from sklearn.utils import check_random_state  # takes long, and names alone need no seed

    try:
        found: np.random.RandomState = check_random_state(random_state)
        return found
    except ValueError:
        raise ValueError(
            f"random_state={str(random_state)[:60]!r} is no seed: give a whole number, a"
            " numpy.random.RandomState or None."
        ) from None


def chance(delta: Any) -> float | None:
    if delta is None:
        return None
    if not is_real(delta):
        raise TypeError(f"delta must be a number between 0 and 1 or None, got {delta!r}.")
    if not 0 < delta < 1:
        raise ValueError(f"delta={_float(delta)} must be above 0 and below 1; smaller is safer.")
    return max(_float(delta), sys.float_info.min)  # 1 / delta is finite


def memory(limit: Any, n: int, k: int, free: float | None = None) -> float:
    """Bytes, from a number or from a text like "300MB"; enough to work with.

    Of no limit it is what is `free`, or a share of the machine's memory.
    """
    if limit is None:
        size = default_limit() if free is None else free
    elif isinstance(limit, str):
        match = re.fullmatch(r"\s*(\d+\.?\d*)\s*([A-Za-z]*)\s*", limit)
        if not match or match[2].upper() not in _UNITS:
            raise ValueError(f"memory_limit={limit!r} is not a size: write it like '300MB'.")
        size = _float(match[1]) * _UNITS[match[2].upper()]
    elif not is_real(limit):
        raise TypeError(f"memory_limit must be bytes or a text like '300MB', got {limit!r}.")
    else:
        size = _float(limit)
    # 64 references for every point, and the medoids' distances to all.
    least = 4.0 * n * 2 * min(n, 64) + 8.0 * n * (k + 8)
    if math.isnan(size) or size < least:
        if limit is None:
            return least
        raise ValueError(
            f"memory_limit={limit!r} is too small for {n} points and n_clusters={k}: allow at"
            f" least {math.ceil(least / 1e6)} MB."
        )
    return min(size, _ADDRESSES)


def _float(value: Any) -> float:
    """The float, infinite where there is none so large."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
