"""Arrays and matrices: NumPy, SciPy, Matrix Market. Nothing that needs pickle is read."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import Any

import numpy as np
from scipy import sparse

from ..problem import Problem, few, said, unknown
from .inputs import Input, Reading, chosen_columns, numbered, only_for_tables
from .source import Source

_DAMAGED = (
    ValueError, OSError, EOFError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def read_npy(source: Source, reading: Reading) -> Input:
    """An array; from a file it stays on disk until it is used."""
    try:
        if source.plain_path is None:
            array = np.load(io.BytesIO(source.content), allow_pickle=False)
        else:
            array = np.load(source.plain_path, mmap_mode="r", allow_pickle=False)
    except _DAMAGED as error:
        raise _unreadable(source.name, error) from None
    return from_array(array, source.name, reading)


def read_npz(source: Source, reading: Reading) -> Input:
    """The one array of an archive, or that called `--field`, or X; or a sparse matrix."""
    file = source.plain_path or io.BytesIO(source.content)
    try:
        with np.load(file, allow_pickle=False) as archive:
            if not all(name.endswith(".npy") for name in archive.zip.namelist()):
                raise Problem(
                    f"{source.name} is a zip file, but not of NumPy arrays: unpack it; if it is an"
                    " Excel file, save the table as CSV."
                )
            there = list(archive.files)
            is_sparse = {"format", "shape", "data"} <= set(there)
            if is_sparse and reading.field is not None:
                raise Problem(f"{source.name} holds one sparse matrix: leave out --field.")
            if not is_sparse:
                array = archive[_which(there, reading.field, source.name)]
            labels = _labels(archive, reading.labels, source.name) if not is_sparse else None
        if is_sparse:
            array = sparse.load_npz(source.plain_path or io.BytesIO(source.content))
    except _DAMAGED as error:
        raise _unreadable(source.name, error) from None
    if labels is None:
        return from_array(array, source.name, reading)
    made = from_array(array, source.name, reading._replace(labels=None))
    made.know(str(reading.labels), labels.tolist(), source.name)
    return made


def _labels(archive: Any, name: str | None, file: str) -> Any:
    """The array of an archive that has the labels."""
    if name is None:
        return None
    there = list(archive.files)
    if name not in there:
        raise unknown("--labels", name, there, f" {file} has {few(there)}.")
    if archive[name].ndim != 1:
        raise Problem(f"--labels {name!r} has shape {archive[name].shape}: give one for each row.")
    return archive[name]


def read_mtx(source: Source, reading: Reading) -> Input:
    from scipy.io import mmread

    try:
        matrix = mmread(source.plain_path or io.BytesIO(source.content))
    except _DAMAGED as error:
        raise Problem(f"{source.name} is damaged or cut short: {said(error)}.") from None
    return from_array(matrix, source.name, reading)


def from_array(array: Any, file: str, reading: Reading, features: Any = None) -> Input:
    """Rows of numbers, dense or sparse; or strings."""
    if reading.names is not None:
        raise Problem(
            f"--names is for tables and JSON lines, but {file} is an array: leave it out."
        )
    for option in reading.aside:
        raise Problem(
            f"{option} names a column of a table, but {file} is an array: give a table, such as"
            " CSV."
        )
    kind = getattr(array.dtype, "kind", "O")
    if kind in "US" and array.ndim == 1:
        only_for_tables(reading, "a list of strings")
        texts = [_text(each) for each in array.tolist()]
        return Input(texts, "strings", numbered(len(texts)))
    if kind not in "biuf":
        raise Problem(f"{file} holds values of type {array.dtype}: give numbers.")
    shape = None
    if array.ndim in (3, 4):
        shape = _image_shape(array.shape[1:])
        array = array.reshape(len(array), -1)
    elif array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2 or 0 in array.shape:
        raise Problem(f"{file} holds an array of shape {array.shape}: give rows and columns.")
    if reading.transpose:
        array, shape = array.T, None
    if sparse.issparse(array):
        array = sparse.csr_array(array)
    named = numbered(array.shape[1]) if features is None else features
    if reading.columns is not None or reading.exclude:
        places = chosen_columns(named, reading, file)
        array, named = array[:, places], [named[at] for at in places]
        shape = None
    made = Input(array, "sparse" if sparse.issparse(array) else "rows", numbered(array.shape[0]))
    made.features, made.image_shape = named, shape
    _no_holes(made, file)
    return made


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def _image_shape(shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape of an image, grey or in colours; None if this is none."""
    if shape[2:] == (1,):
        return shape[:2]
    return shape if shape[2:] in ((), (3,)) else None


def _which(there: list[str], field: str | None, file: str) -> str:
    """The name of the array to take from an archive."""
    if not there:
        raise Problem(f"{file} holds no array: give a file with data.")
    if field is not None:
        if field not in there:
            raise unknown("--field", field, there, f" {file} has {few(there)}.")
        return field
    if len(there) > 1 and "X" not in there:
        raise Problem(f"{file} holds {few(there)}: say which with --field.")
    return there[0] if len(there) == 1 else "X"


def _unreadable(file: str, error: Exception) -> Problem:
    if "allow_pickle" in str(error) or "Python objects" in str(error):
        return Problem(
            f"{file} holds pickled Python objects, which are never loaded since they can run"
            " code: save numbers, or use JSON lines."
        )
    return Problem(f"{file} is damaged or cut short: {said(error)}.")


def _no_holes(made: Input, file: str) -> None:
    """Name the first value that is not a finite number."""
    values = made.X.data if sparse.issparse(made.X) else made.X
    # A block at a time: a file that is mapped may be larger than memory.
    for start in range(0, len(values), 4096):
        bad = ~np.isfinite(values[start : start + 4096])
        if bad.any():
            break
    else:
        return
    if sparse.issparse(made.X):
        at = start + int(bad.argmax())
        row = int(np.searchsorted(made.X.indptr, at, side="right")) - 1
        column, value = made.X.indices[at], values[at]
    else:
        row, column = (int(each) for each in np.argwhere(bad)[0])
        row, value = row + start, values[start + row, column]
    what = "no value (NaN)" if np.isnan(value) else "an infinite value"
    assert made.features is not None
    raise Problem(
        f"{file} has {what} at row {made.names[row]}, column {made.features[column]}: fill it in,"
        " or leave the row out."
    )
