"""The formats that files come in, and how to tell them apart."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple


class Format(NamedTuple):
    """What it is called in a sentence, and how the names of its files end."""

    what: str
    suffixes: tuple[str, ...]


FORMATS: dict[str, Format] = {
    "csv": Format("a CSV table", (".csv",)),
    "tsv": Format("a table with tabs", (".tsv", ".tab")),
    "parquet": Format("a Parquet table", (".parquet", ".pq")),
    "npy": Format("a NumPy array (.npy)", (".npy",)),
    "npz": Format("a NumPy archive (.npz)", (".npz",)),
    "mtx": Format("a Matrix Market file", (".mtx",)),
    "h5ad": Format("an AnnData file (.h5ad)", (".h5ad",)),
    "text": Format("plain text", (".txt",)),
    "jsonl": Format("JSON lines", (".jsonl", ".ndjson")),
    "smi": Format("molecules in SMILES", (".smi", ".smiles")),
    "ts": Format("time series (.ts)", (".ts",)),
}
SUFFIXES = {suffix: name for name, each in FORMATS.items() for suffix in each.suffixes}
MAGIC = {
    b"\x93NUMPY": "npy",
    b"PK\x03\x04": "npz",
    b"PAR1": "parquet",
    b"\x89HDF\r\n\x1a\n": "h5ad",
    b"%%MatrixMarket": "mtx",
}


def sniff(head: bytes) -> str:
    """The text format that these first bytes look like."""
    text = head.decode("utf-8-sig", "replace")
    # The last line may be cut short.
    whole = text.splitlines()[:-1] or [text]
    lines = [line for line in whole if line.strip()]
    if lines and lines[0].lstrip()[0] in "{[":
        return "jsonl"
    for mark, format in (("\t", "tsv"), (",", "csv"), (";", "csv")):
        if evenly_cut(cells(lines, mark)):
            return format
    return "csv" if all(is_number(line) for line in lines[:20]) else "text"


def cells(lines: Iterable[str], mark: str) -> Iterable[list[str]]:
    """The cells of each line that has any."""
    csv.field_size_limit(sys.maxsize)
    return (row for row in csv.reader(lines, delimiter=mark, skipinitialspace=True) if row)


def evenly_cut(rows: Iterable[list[str]]) -> bool:
    """The first rows have equally many cells, two or more.

    The very first may have one less: R writes no name above row names.
    """
    first, *others = [len(row) for row in islice(rows, 20)] or [0]
    width = others[0] if others else first
    return first > 1 and set(others) <= {width} and width - first in (0, 1)


def is_number(text: str) -> bool:
    """Whether this reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
