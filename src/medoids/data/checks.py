"""Checks of data that the user gives, each error in one line that says what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_array

from .._types import Floats, RowReader
from .rows import AsFloats, to_float


def as_floats(X: Any, name: str = "X", estimator: object = None) -> Floats:
    """A dense, finite, two-dimensional array, float32 where that holds all of it."""
    return to_float(_as_numbers(X, name, estimator))


def as_rows(X: Any, name: str = "X", estimator: object = None) -> RowReader:
    """The same, made a few rows at a time where the numbers are of another type."""
    array = _as_numbers(X, name, estimator)
    return array if array.dtype in (np.float32, np.float64) else AsFloats(array)


def _as_numbers(X: Any, name: str, estimator: object) -> NDArray[Any]:
    if isinstance(X, (list, tuple)) and len({np.size(row) for row in X}) > 1:
        raise ValueError(
            f"{name} is ragged, its rows have different lengths: give rows of one length,"
            " or a distance matrix with metric='precomputed'."
        )
    check_unmasked(X, name)
    if _are_texts(X):
        raise ValueError(
            f"{name} is a list of texts, but this metric compares rows of numbers: use"
            " metric='levenshtein', or a function of two texts."
        )
    array: NDArray[Any] = _checked(X, name, estimator)
    if array.dtype == np.longdouble:
        with np.errstate(over="ignore"):
            array = array.astype(np.float64)
    return finite(array, name)


def _are_texts(X: Any) -> bool:
    flat = isinstance(X, (list, tuple)) or getattr(X, "ndim", 0) == 1
    return flat and len(X) > 0 and all(isinstance(each, (str, bytes)) for each in X)


def _checked(X: Any, name: str, estimator: object, **options: Any) -> Any:
    """What scikit-learn makes of X, and what it says against it in one line."""
    try:
        array = check_array(
            X, dtype="numeric", ensure_all_finite=False, estimator=estimator, input_name=name,
            **options,
        )  # fmt: skip
        if array.dtype.kind == "O":  # of a list of rows
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        first, *rest = str(error).splitlines()
        advice = next((line for line in rest if line.startswith("Reshape")), "")
        if isinstance(error, TypeError | OverflowError):
            first = f"{name} cannot be read as rows of numbers: {first}"
        raise _same_kind(error)(f"{first} {advice}".strip()) from None
    if array.dtype.kind not in "fiub":
        raise TypeError(
            f"{name} holds values of type {array.dtype}, but this metric needs numbers: convert"
            " them (of times, the days since one of them), or use metric='gower'."
        )
    return array


def _same_kind(error: Exception) -> type[Exception]:
    return TypeError if isinstance(error, TypeError) else ValueError


def check_unmasked(X: Any, name: str) -> None:
    if np.ma.is_masked(X):
        row = int(np.argwhere(np.ma.getmaskarray(X))[0][0])
        raise ValueError(
            f"{name} is masked at row {row}: remove such rows, or fill them in (X.filled)."
        )


def as_objects(X: Any, name: str = "X") -> list[Any]:
    """Objects of any kind: the items of a list, of an array along its first axis, or a Series."""
    no_list = isinstance(X, (str, bytes, Mapping)) or not hasattr(X, "__len__")
    if no_list or (isinstance(X, np.ndarray) and X.ndim == 0):
        raise TypeError(
            f"{name} is {type(X).__name__}, but this metric needs a list of objects: give a list,"
            " an array or a Series."
        )
    check_unmasked(X, name)
    if issparse(X):
        check_places(X, name)
    if hasattr(X, "columns"):  # a frame, whose items are its columns
        X = X.to_numpy()
    if isinstance(X, np.ndarray) and X.ndim > 1:
        X = X.view()
        X.flags.writeable = False  # a function that changes a row would change the user's data
    objects = list(X)
    if not objects:
        raise ValueError(f"{name} is empty: give at least one object.")
    return objects


def as_table(X: Any, name: str = "X") -> Any:
    """A data frame, or rows of anything."""
    if hasattr(X, "columns"):
        table, width = X, len(X.columns)
    else:
        table = as_objects(X, name)
        if any(isinstance(row, (str, bytes)) or not hasattr(row, "__len__") for row in table):
            raise TypeError(f"{name} is no table: give a data frame, or a list of rows.")
        width = len(table[0])
    if not len(table) or not width:
        raise ValueError(f"{name} is empty: give at least one row and one column.")
    return table


def is_array_of_numbers(X: Any) -> bool:
    """Whether this is an array, or a frame, of numbers in rows and columns."""
    if getattr(X, "ndim", getattr(X, "shape", ()) and 2) != 2 or issparse(X):
        return False
    try:
        return np.asarray(X).dtype.kind in "fiub"
    except (TypeError, ValueError):
        return False


def as_sparse(X: Any, name: str = "X", estimator: object = None) -> Any:
    """A CSR matrix of finite numbers, its columns in order in each row."""
    check_places(X, name)
    matrix = _checked(X, name, estimator, accept_sparse="csr")
    check_places(matrix, name)
    # A new one, since the old one may remember an order that its arrays no longer have.
    used = slice(0, matrix.indptr[-1])
    arrays = matrix.data[used], matrix.indices[used], matrix.indptr
    matrix = type(matrix)(arrays, shape=matrix.shape)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    data = to_float(matrix.data)
    with np.errstate(over="ignore", invalid="ignore"):
        doubtful = not np.isfinite(data.sum(dtype=np.float64))
    if doubtful and not np.isfinite(data).all():
        at = int(np.flatnonzero(~np.isfinite(data))[0])
        row = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
        kind = "NaN" if np.isnan(data[at]) else "infinity"
        raise ValueError(
            f"{name} contains {kind} at row {row}, column {matrix.indices[at]}: remove such"
            " rows, or fill them in (sklearn.impute)."
        )
    # Places in 32 bits where that is enough: kernels are compiled once, and half as much is read.
    wide = max(*matrix.shape, len(data)) > np.iinfo(np.int32).max
    places = [
        each.astype(np.int64 if wide else np.int32, copy=False)
        for each in (matrix.indices, matrix.indptr)
    ]
    return type(matrix)((data, *places), shape=matrix.shape)


def check_places(X: Any, name: str = "X") -> None:
    """Refuse a sparse matrix whose arrays contradict its shape: compiled code trusts them."""
    if len(X.shape) != 2:
        raise ValueError(f"{name} has shape {X.shape}: give a sparse matrix of rows and columns.")
    if X.format == "coo":
        wrong = _wrong_places(X.row, X.shape[0]) or _wrong_places(X.col, X.shape[1])
        if not len(X.row) == len(X.col) == len(X.data):
            wrong = f"{len(X.row)} rows and {len(X.col)} columns for {len(X.data)} values"
    elif X.format in ("csr", "csc", "bsr"):
        wrong = _wrong_lists(X)
    else:
        return
    if wrong:
        raise ValueError(
            f"{name} is a damaged {X.format.upper()} matrix of shape {X.shape}, it has {wrong}:"
            " build it again from its rows, columns and values."
        )


def _wrong_lists(X: Any) -> str:
    """What is wrong with the starts and the places of compressed lists; empty if nothing is."""
    block = X.blocksize if X.format == "bsr" else (1, 1)
    lists, length = (size // side for size, side in zip(X.shape, block, strict=True))
    if X.format == "csc":
        lists, length = length, lists
    starts, places = X.indptr, X.indices
    if starts.ndim != 1 or starts.dtype.kind not in "iu" or len(starts) != lists + 1:
        return f"an indptr of shape {starts.shape} and type {starts.dtype}, not {lists + 1} numbers"
    if starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        return "an indptr that does not rise from 0"
    flat = places.ndim == 1 and X.data.ndim == (3 if X.format == "bsr" else 1)
    if not flat or starts[-1] > min(len(places), len(X.data)):
        shapes = f"indices of shape {places.shape} and values of shape {X.data.shape}"
        return f"{starts[-1]} entries but {shapes}"
    return _wrong_places(places[: starts[-1]], length)


def _wrong_places(places: NDArray[Any], size: int) -> str:
    if places.dtype.kind not in "iu":
        return f"indices of type {places.dtype}"
    if len(places) and (places.min() < 0 or places.max() >= size):
        wrong = places[(places < 0) | (places >= size)][0]
        return f"the index {wrong}, out of 0 to {size - 1}"
    return ""


def finite(array: Floats, name: str) -> Floats:
    """The array, unless it holds NaN or infinity."""
    # A sum is not finite where a number is not, or where it is too large: then each is looked at.
    # To convert float32 first would take three times as long.
    wide = None if array.dtype == np.float32 else np.float64
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(array.sum(dtype=wide)):
            return array
    for start in range(0, len(array), 4096):
        bad = ~np.isfinite(array[start : start + 4096])
        if bad.any():
            row, column = np.argwhere(bad)[0]
            value = array[start + row, column]
            kind = "NaN" if np.isnan(value) else "infinity"
            raise ValueError(
                f"{name} contains {kind} at row {start + row}, column {column}: remove such"
                " rows, or fill them in (sklearn.impute)."
            )
    return array


def as_distances(X: Any, estimator: object = None) -> Floats:
    """A matrix of distances: a row for each candidate, a column for each point."""
    return as_floats(X, estimator=estimator)


def check_sphere(array: RowReader, name: str = "X") -> None:
    if array.shape[1] != 2:
        raise ValueError(
            f"{name} has {array.shape[1]} columns, but metric='haversine' needs two, latitude"
            " and longitude in radians: select them."
        )
