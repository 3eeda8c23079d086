"""Checks of things that come in arrays, but are no rows of numbers: bits, series, frames."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from .checks import as_objects, check_unmasked


def as_bits(X: Any, name: str = "X") -> Any:
    """Packed bits, booleans or zeros and ones in an array; or fingerprints of RDKit in a list."""
    if issparse(X):
        raise TypeError(
            f"{name} is sparse, but this metric needs rows of bits: give"
            " numpy.packbits(X.toarray() != 0, axis=1), or use metric='jaccard'."
        )
    if hasattr(X, "columns"):
        X = X.to_numpy()
    elif not isinstance(X, np.ndarray) or X.dtype == object:
        X = as_objects(X, name)
        if hasattr(X[0], "GetNumBits"):
            return _fingerprints(X, name)
    check_unmasked(X, name)
    try:
        array = np.asarray(X)
        if array.dtype == object:
            array = array.astype(np.float64)
    except (TypeError, ValueError):
        array = np.empty(0, dtype=object)
    if array.ndim != 2 or not array.size or array.dtype.kind not in "ubif":
        raise TypeError(
            f"{name} is no table of bits: give rows that are packed (numpy.packbits), booleans or"
            " zeros and ones, or a list of RDKit's bit vectors."
        )
    if array.dtype.kind in "if":
        _zeros_and_ones(array, name)
    return array


def _fingerprints(objects: list[Any], name: str) -> list[Any]:
    for index, each in enumerate(objects):
        if not hasattr(each, "GetNumBits"):
            raise TypeError(
                f"{name}[{index}] is {type(each).__name__}, but {name}[0] is a bit vector: give"
                " one kind of thing."
            )
    return objects


def _zeros_and_ones(array: NDArray[Any], name: str) -> None:
    for start in range(0, len(array), 4096):
        some = array[start : start + 4096]
        wrong = (some != 0) & (some != 1)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise ValueError(
                f"{name} has {some[row, column]} at row {start + row}, column {column}, which is no"
                " bit: give zeros and ones, or packed bits as unsigned integers (numpy.packbits)."
            )


def as_series(X: Any, name: str = "X") -> Any:
    """Series of one length in an array (series, channels, times); else a list of them."""
    if not isinstance(X, np.ndarray) or X.ndim != 3:
        return as_objects(X, name)
    check_unmasked(X, name)
    return _in_space(X, name)


def as_frames(X: Any, name: str = "X") -> NDArray[Any]:
    """Coordinates of shape (frame, atom, 3)."""
    check_unmasked(X, name)
    if hasattr(X, "xyz"):  # a trajectory of mdtraj, whose items are trajectories too
        raise TypeError(f"{name} is {type(X).__name__}: give its array, {name}.xyz.")
    try:
        array = np.asarray(X)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.ndim != 3 or array.shape[2] != 3:
        raise ValueError(
            f"{name} has shape {array.shape}, but metric='rmsd' needs (frames, atoms, 3): give the"
            " coordinates in such an array."
        )
    return _in_space(array, name)


def _in_space(array: NDArray[Any], name: str) -> NDArray[Any]:
    """An array of three axes that holds finite numbers."""
    if array.dtype.kind not in "fiub" or not array.size:
        raise TypeError(
            f"{name} has shape {array.shape} and type {array.dtype}: give numbers, and at least one"
            " along each axis."
        )
    for start in range(0, len(array), 4096):
        wrong = ~np.isfinite(array[start : start + 4096])
        if wrong.any():
            row = start + int(np.argwhere(wrong)[0][0])
            raise ValueError(f"{name}[{row}] contains NaN or infinity: remove or fill it in.")
    return array
