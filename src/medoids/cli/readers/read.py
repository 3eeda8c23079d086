"""Read a file of any format."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from ..problem import Problem
from .cells import read_h5ad
from .counts import normalize
from .delimited import read_delimited
from .inputs import Input, Reading
from .lines import read_json_lines, read_text
from .matrices import read_mtx, read_npy, read_npz
from .molecules import read_smiles
from .scaling import scale
from .series import read_series
from .source import Source
from .tables import read_parquet

READERS: dict[str, Callable[[Source, Reading], Input]] = {
    "csv": read_delimited,
    "tsv": read_delimited,
    "parquet": read_parquet,
    "npy": read_npy,
    "npz": read_npz,
    "mtx": read_mtx,
    "h5ad": read_h5ad,
    "text": read_text,
    "jsonl": read_json_lines,
    "smi": read_smiles,
    "ts": read_series,
}
# What an option is good for, for those that not all formats have.
_FIELDS, _MATRICES = ("npz", "h5ad", "jsonl"), ("npy", "npz", "mtx", "h5ad")


def read(source: Source, reading: Reading) -> Input:
    """What the source holds, ready to be clustered."""
    format = source.format
    if reading.field is not None and format not in _FIELDS:
        raise Problem(f"--field is for {', '.join(_FIELDS)}, but {source.name} is {format}.")
    if reading.transpose and format not in _MATRICES:
        raise Problem(f"--transpose is for {', '.join(_MATRICES)}, but {source.name} is {format}.")
    _check_columns(reading)
    with warnings.catch_warnings():
        # What libraries say to programmers is nothing that a user of a command can act on.
        warnings.simplefilter("ignore")
        made = READERS[format](source, reading)
    if reading.normalize:
        normalize(made)
    scale(made, reading.scale)
    if source.guessed:
        made.notes.insert(0, f"{source.name} read as {format} (--format says otherwise)")
    return made


def _check_columns(reading: Reading) -> None:
    """A column that is something is nothing else."""
    if reading.coordinates is not None and len(reading.coordinates) > 2:
        raise Problem("--coordinates takes two columns, such as x,y, or one of obsm.")
    what = {"--weights": "the weights", "--labels": "the labels", "--coordinates": "coordinates"}
    for option, names in reading.aside.items():
        for name in names:
            if name == reading.names and option == "--weights":
                raise Problem(f"--weights and --names are both {name!r}: name two columns.")
            if name in (reading.columns or []) and option != "--coordinates":
                raise Problem(f"column {name!r} has {what[option]}: leave it out of --columns.")
    for name in reading.exclude or []:
        if name in (reading.names, reading.weights, *(reading.columns or [])):
            raise Problem(f"column {name!r} is wanted, and left out: take it from --exclude.")
