"""Text tables: cells between commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from ..problem import Problem, need, said
from .formats import cells, evenly_cut, is_number
from .inputs import Input, Reading, numbered, unique_names
from .source import Source
from .tables import from_frame, identifies

_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d*,\d+([eE][-+]?\d+)?\s*")
# Rows that are searched for such a number.
_SEARCHED = 1000


class _Layout(NamedTuple):
    """How a table is written.

    Attributes
    ----------
    separator, decimal : str
        What is between cells, and the mark in numbers.
    columns : list of str
        Their names.
    headed, open_ended : bool
        The first line has the names; it ends with a separator.
    """

    separator: str
    decimal: str
    columns: list[str]
    headed: bool
    open_ended: bool


def read_delimited(source: Source, reading: Reading) -> Input:
    """CSV, or a table with tabs. A first line of numbers, or of some and holes, is no header."""
    layout = _layout(source)
    likely = reading.names or _likely_names(layout, reading)
    frame = _parse(source, layout, likely)
    if likely != reading.names and frame[likely].duplicated().any():
        likely, frame = None, _parse(source, layout, None)  # values after all
    if layout.open_ended and frame.iloc[:, -1].isna().all():
        frame = frame.iloc[:, :-1]
    _no_short_rows(frame, source, layout)
    notes = _keep_texts(frame, source, layout, likely, reading)
    made = from_frame(frame, source.name, reading)
    made.notes += notes
    if not layout.headed:
        made.notes.append("the first line has no names: columns are numbered from 0")
    if layout.separator == ";":
        made.notes.append("cells are separated by semicolons")
    return made


def _likely_names(layout: _Layout, reading: Reading) -> str | None:
    """The first column, if it is called as one that names the rows."""
    apart = {*(reading.exclude or ()), *reading.left_out}.union(*reading.aside.values())
    first = next((name for name in layout.columns if name not in apart), "")
    named = layout.headed and first in layout.columns and identifies(first)
    return first if named else None


def _layout(source: Source) -> _Layout:
    separator = "\t" if source.format == "tsv" else _separator(source)
    top = list(islice(_rows(source, separator), _SEARCHED))
    if not top:
        raise Problem(f"{source.name} has no rows of data: give at least one.")
    header = [cell.strip() for cell in top[0]]
    open_ended = header[-1] == ""
    commas = separator == ";" and any(_DECIMAL_COMMA.fullmatch(cell) for row in top for cell in row)
    decimal = "," if commas else "."
    # Nothing above the first column is what pandas writes above row names.
    if header[0] and all(is_number(cell.replace(decimal, ".")) for cell in header if cell):
        return _Layout(separator, decimal, numbered(len(header)), False, open_ended)
    if len(top) > 1 and len(top[1]) == len(header) + 1:  # R writes no name above row names
        header = ["", *header]
    return _Layout(separator, decimal, unique_names(header), True, open_ended)


def _separator(source: Source) -> str:
    """A semicolon or a comma."""
    for mark in ";,":
        if evenly_cut(_rows(source, mark)):
            return mark
    first = next(_rows(source, ","), [])
    return ";" if len(first) == 1 and ";" in first[0] else ","


def _rows(source: Source, separator: str) -> Iterator[list[str]]:
    """The cells of each line that has any."""
    try:
        yield from cells(io.StringIO(source.text, newline=""), separator)
    except csv.Error as error:
        raise Problem(f"{source.name} is not a clean table: {error}.") from None


def _parse(source: Source, layout: _Layout, verbatim: str | None) -> Any:
    """The table; the column `verbatim` as it is written, such as 007."""
    frame = _table(source, layout)
    if verbatim in layout.columns:
        names = _table(source, layout, usecols=[verbatim], dtype=str, keep_default_na=False)
        frame[verbatim] = names[verbatim].astype(object)
    return frame


def _table(source: Source, layout: _Layout, **more: Any) -> Any:
    """The table as pandas reads it."""
    pandas = need("pandas", "cli", "a table")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            return pandas.read_csv(
                io.StringIO(source.text), sep=layout.separator, decimal=layout.decimal,
                header=0 if layout.headed else None, names=layout.columns, index_col=False,
                skipinitialspace=True, low_memory=False, **more,
            )  # fmt: skip
    except (ValueError, pandas.errors.ParserWarning) as error:
        what = said(error).removeprefix("Error tokenizing data. C error: ")
        if isinstance(error, pandas.errors.ParserWarning):
            what = f"rows have more than the {len(layout.columns)} cells of the first line"
        raise Problem(
            f"{source.name} is not a clean table ({what}): give every row the same columns."
        ) from None


def _keep_texts(
    frame: Any, source: Source, layout: _Layout, likely: str | None, reading: Reading
) -> list[str]:
    """Put texts as they are written into the frame; pandas takes NA and null for missing."""
    texts = [name for name in frame.columns if name != likely and _is_text(frame[name], reading)]
    if not texts:
        return []
    written = {"usecols": texts, "dtype": str, "keep_default_na": False, "na_values": [""]}
    kept = _table(source, layout, **written)
    notes = []
    for name in texts:
        words = kept[name][frame[name].isna() & kept[name].notna()]
        frame[name] = kept[name]
        if len(words):
            notes.append(
                f"{words.iloc[0]!r} in column {name!r} is taken as text: a missing one is empty"
            )
    return notes


def _is_text(column: Any, reading: Reading) -> bool:
    """It has some text; or it had, and what it has now reads as numbers."""
    if column.dtype.kind in "iuf":
        return column.name in reading.texts
    return column.dtype.kind == "O" and any(isinstance(value, str) for value in column)


def _no_short_rows(frame: Any, source: Source, layout: _Layout) -> None:
    """A short row is filled up by pandas in silence; its last cell is missing then."""
    if not frame.iloc[:, -1].isna().any():
        return
    width = len(layout.columns)
    for at, row in enumerate(_rows(source, layout.separator)):
        if len(row) != width and not (at == 0 and layout.headed):
            raise Problem(
                f"{source.name} is not a clean table (expected {width} cells in row {at}, found"
                f" {len(row)}): give every row the same columns."
            )
