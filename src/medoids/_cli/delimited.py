"""Text tables: cells between commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from .formats import is_number
from .inputs import Input, Reading, numbered, unique_names
from .problem import Problem, need, said
from .source import Source
from .tables import from_frame, identifies


class _Layout(NamedTuple):
    """What is between cells, the mark in numbers, the names of columns, if line one has them."""

    separator: str
    decimal: str
    columns: list[str]
    headed: bool


def read_delimited(source: Source, reading: Reading) -> Input:
    """CSV, or a table with tabs. A first line of numbers only is no header."""
    layout = _layout(source)
    columns = layout.columns
    likely = reading.names or (columns[0] if layout.headed and identifies(columns[0]) else None)
    frame = _parse(source, layout, likely)
    if likely != reading.names and frame[likely].duplicated().any():
        frame = _parse(source, layout, None)  # values after all
    if columns[-1] == "" and frame[""].isna().all():  # lines end with a separator
        frame = frame.drop(columns="")
    _no_short_rows(frame, source, layout)
    made = from_frame(frame, source.name, reading)
    if not layout.headed:
        made.notes.append("the first line has numbers only: columns are numbered from 0")
    if layout.separator == ";":
        made.notes.append("cells are separated by semicolons")
    return made


def _layout(source: Source) -> _Layout:
    separator = "\t" if source.format == "tsv" else ","
    first = next((line for line in source.text.splitlines() if line.strip()), "")
    if separator == "," and "," not in first and ";" in first:
        separator = ";"
    top = list(islice(_rows(source, separator), 2))
    if not top:
        raise Problem(f"{source.name} has no rows of data: give at least one.")
    header = [cell.strip() for cell in top[0]]
    decimal = "," if separator == ";" and any("," in cell for cell in top[-1]) else "."
    if all(is_number(cell.replace(decimal, ".")) for cell in header):
        return _Layout(separator, decimal, numbered(len(header)), False)
    if len(top) > 1 and len(top[1]) == len(header) + 1:  # R writes no name above row names
        header = ["", *header]
    return _Layout(separator, decimal, unique_names(header), True)


def _rows(source: Source, separator: str) -> Iterator[list[str]]:
    """The cells of each line that has any."""
    lines = csv.reader(io.StringIO(source.text, newline=""), delimiter=separator)
    try:
        yield from (row for row in lines if row)
    except csv.Error as error:
        raise Problem(f"{source.name} is not a clean table: {error}.") from None


def _parse(source: Source, layout: _Layout, verbatim: str | None) -> Any:
    """The table; the column `verbatim` as it is written, such as 007."""
    pandas = need("pandas", "cli", "a table")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            return pandas.read_csv(
                io.StringIO(source.text), sep=layout.separator, decimal=layout.decimal,
                header=0 if layout.headed else None, names=layout.columns, index_col=False,
                converters={verbatim: str} if verbatim in layout.columns else None,
                skipinitialspace=True, low_memory=False,
            )  # fmt: skip
    except (ValueError, pandas.errors.ParserWarning) as error:
        what = said(error).removeprefix("Error tokenizing data. C error: ")
        if isinstance(error, pandas.errors.ParserWarning):
            what = f"rows have more than the {len(layout.columns)} cells of the first line"
        raise Problem(
            f"{source.name} is not a clean table ({what}): give every row the same columns."
        ) from None


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
