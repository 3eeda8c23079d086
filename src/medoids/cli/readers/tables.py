"""Tables, as frames: rows of numbers, mixed rows, or a column of strings."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np

from ..problem import Problem, few, need, pasted, said, unknown
from .inputs import Input, Reading, chosen_columns, left_columns, numbered, unique_names
from .source import Source

_IDENTIFIES = re.compile(
    r"|(?i:unnamed: 0|(.*[_ .-])?(index|id|names?|key|barcode))|.*[a-z](Id|ID|Name)"
)


def read_parquet(source: Source, reading: Reading) -> Input:
    pandas, parquet = need("pandas", "cli", "a table"), need("pyarrow.parquet", "cli", "Parquet")
    arrow = need("pyarrow", "cli", "Parquet")
    try:
        table = parquet.ParquetFile(source.plain_path or io.BytesIO(source.content)).read()
    except (arrow.ArrowException, OSError) as error:
        raise Problem(f"{source.name} is damaged or cut short: {said(error)}.") from None
    frame = table.to_pandas()
    index = frame.index
    if reading.names is not None and reading.names in index.names:
        frame = frame.reset_index(level=reading.names)
    elif reading.names is None and not isinstance(index, pandas.RangeIndex):
        if index.nlevels > 1:
            frame.index = index.map(lambda levels: " ".join(map(str, levels)))
        name = frame.index.name or "index"
        frame = frame.reset_index(names=name, allow_duplicates=True)
        reading = reading._replace(names=name)
    return from_frame(frame, source.name, reading)


def from_frame(frame: Any, file: str, reading: Reading) -> Input:
    """Rows of numbers; or, as the user wishes, mixed rows, or strings."""
    notes: list[str] = []
    frame.columns = unique_names([str(name).strip() for name in frame.columns])
    if not len(frame) or not len(frame.columns):
        raise Problem(f"{file} has no rows of data: give at least one.")
    if reading.coordinates is not None and len(reading.coordinates) != 2:
        raise Problem("--coordinates takes two columns of a table, such as x,y.")
    whole, frame = frame, _features(frame, file, reading)
    name, names, frame = _row_names(frame, file, reading, notes)
    if not len(frame.columns):
        raise Problem(f"{file} has no column besides the row names: leave out --names.")
    made = _things(frame, names, file, reading)
    made.notes += notes
    if reading.weights is not None:
        made.weigh(reading.weights, whole[reading.weights].tolist(), file)
    if reading.labels is not None:
        made.know(reading.labels, whole[reading.labels].tolist(), file)
    if reading.coordinates is not None:
        made.coordinates = _places(whole, reading.coordinates, names, file)
    used = {*(made.features or ()), *(reading.columns or ()), reading.labels, name}
    made.annotations = whole[[each for each in whole.columns if each not in used]]
    return made


def _things(frame: Any, names: list[str], file: str, reading: Reading) -> Input:
    """What the chosen columns hold."""
    places = chosen_columns(list(frame.columns), reading._replace(exclude=None), file)
    frame = frame.iloc[:, places]
    features = list(frame.columns)
    texts = [name for name in features if not _numeric(frame[name])]
    if not texts and not reading.mixed:
        values = frame.to_numpy(dtype=_dtype(frame), na_value=np.nan)
        _no_holes(values, names, features, file)
        return Input(values, "rows", names, features)
    if reading.columns is None and not reading.mixed:
        raise _has_text(frame, texts, file)
    if len(features) == 1 and not reading.mixed:
        return Input(_strings(frame[features[0]], names, file), "strings", names)
    return Input(_mixed(frame, texts, file), "table", names, features)


def _features(frame: Any, file: str, reading: Reading) -> Any:
    """The frame without the columns that are something else."""
    columns = list(frame.columns)
    out = left_columns(columns, reading, file)
    for option, names in reading.aside.items():
        for name in names:
            if name not in columns:
                raise unknown(f"{option} column", name, columns, f" {file} has {few(columns)}.")
        out |= set(names).difference(reading.columns or ())
    left = [name for name in columns if name not in out]
    if not left:
        what = "the weights" if list(reading.aside) == ["--weights"] else "those of options"
        raise Problem(
            f"{file} has no column besides {what}: leave out {' and '.join(reading.aside)}."
        )
    return frame[left]


def _places(frame: Any, columns: list[str], names: list[str], file: str) -> Any:
    """Two columns of numbers, which say where rows are."""
    for name in columns:
        if not _numeric(frame[name]):
            raise Problem(f"{file} has text in column {name!r}: --coordinates takes numbers.")
    places = frame[columns].astype(np.float64)
    _no_holes(places.to_numpy(), names, columns, file)
    return places


def _row_names(
    frame: Any, file: str, reading: Reading, notes: list[str]
) -> tuple[str | None, list[str], Any]:
    """The column that names the rows, their names, and the frame without them."""
    columns = list(frame.columns)
    name = reading.names
    if name is not None and name not in columns:
        raise unknown("--names column", name, columns, f" {file} has {few(columns)}.")
    first = columns[0]
    wanted = reading.columns is not None and first in reading.columns
    distinct = not frame[first].duplicated().any()
    if name is None and len(columns) > 1 and not wanted and identifies(first) and distinct:
        name = first
        notes.append(f"row names from the first column{first and f', {first!r}'}")
    if name is None:
        return None, numbered(len(frame)), frame
    names = [str(value) for value in frame[name].tolist()]
    return name, names, frame.drop(columns=name)


def identifies(name: str) -> bool:
    """A column is called as one that names or numbers the rows is."""
    return bool(_IDENTIFIES.fullmatch(name))


def _numeric(column: Any) -> bool:
    return str(column.dtype) != "category" and column.dtype.kind in "biuf"


def _dtype(frame: Any) -> Any:
    """Float32 where all columns are that; else float64."""
    single = all(str(dtype) in ("float32", "float16") for dtype in frame.dtypes)
    return np.float32 if single else np.float64


def _no_holes(values: Any, names: list[str], features: list[str], file: str) -> None:
    if np.isfinite(values).all():
        return
    row, column = np.argwhere(~np.isfinite(values))[0]
    where = f"at row {names[row]!r}, column {features[column]!r}"
    if np.isnan(values[row, column]):
        raise Problem(
            f"{file} has no value {where}: fill it in, leave the column out with --exclude"
            f" {pasted([features[column]])}, or use --metric gower."
        )
    raise Problem(f"{file} has an infinite value {where}: put a number there.")


def _has_text(frame: Any, texts: list[str], file: str) -> Problem:
    name = texts[0]
    values = frame[name].dropna()
    example = f" (such as {str(values.iloc[0])[:30]!r})" if len(values) else ""
    numbers = [each for each in frame.columns if each not in texts]
    others = f" and {len(texts) - 1} more" if len(texts) > 1 else ""
    # Whichever is shorter to say: the columns to leave out, or those to take.
    ways = [f"leave out text with --exclude {pasted(texts)}"]
    ways.append(f"choose columns of numbers with --columns {pasted(numbers)}")
    advice = f"{min(ways, key=len)}, or use" if numbers else "use"
    return Problem(
        f"{file} has text in column {name!r}{example}{others}: {advice} --metric gower for"
        f" all, or --columns {pasted([name])} for its strings."
    )


def _strings(column: Any, names: list[str], file: str) -> list[str]:
    empty = column.isna().to_numpy()
    if empty.any():
        raise Problem(f"{file} has no text at row {names[int(empty.argmax())]!r}: fill it in.")
    return [str(value) for value in column]


def _mixed(frame: Any, texts: list[str], file: str) -> Any:
    """The frame with its texts as strings, so that a new file gives the same categories."""
    frame = frame.copy()
    for name in texts:
        column = frame[name]
        if column.dtype.kind in "mM":
            raise Problem(
                f"{file} has dates in column {name!r}: leave it out with --exclude"
                f" {pasted([name])}."
            )
        values = column.astype(object).where(column.notna(), None)
        # As objects: pandas would make strings of all, and NaN of what is missing.
        frame[name] = type(column)([*map(_category, values)], index=frame.index, dtype=object)
    return frame


def _category(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, np.bool_)) else str(value)
