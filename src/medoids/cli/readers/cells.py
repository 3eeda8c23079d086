"""AnnData files (.h5ad): cells by genes (extra `anndata`)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ..problem import Problem, few, need, said, unknown
from .inputs import Input, Reading, numbered, unique_names
from .matrices import from_array
from .source import Source


def read_h5ad(source: Source, reading: Reading) -> Input:
    """The counts of the cells; with `--field`, a layer or a representation such as X_pca."""
    anndata = need("anndata", "anndata", f"{source.name} (.h5ad)")
    if reading.names is not None and reading.names != "obs_names":
        raise Problem("--names is for tables: cells are called by their obs_names. Leave it out.")
    if reading.transpose:
        for option in reading.aside:
            raise Problem(f"{option} is for cells, but --transpose clusters genes: leave one out.")
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = source.plain_path
            if path is None:
                path = Path(folder) / "stdin.h5ad"
                path.write_bytes(source.content)
            cells = anndata.read_h5ad(path)
    except Exception as error:  # of h5py, or any of a file that is not as anndata writes it
        raise Problem(f"{source.name} is damaged or no .h5ad: {said(error)}.") from None
    values, features, counts = _values(cells, reading.field, source.name)
    names = [str(name) for name in cells.obs_names]
    if reading.transpose:
        names, features = features, unique_names(names)
    plain = reading._replace(names=None, weights=None, labels=None, coordinates=None)
    made = from_array(values, source.name, plain, features)
    made.names = names
    if not reading.transpose:
        _annotate(made, cells, reading, source.name)
    if counts and not reading.transpose:
        made.kind = "cells"
    return made


def _annotate(made: Input, cells: Any, reading: Reading, file: str) -> None:
    """What is known of the cells besides their counts."""
    made.annotations = cells.obs
    if reading.weights is not None:
        made.weigh(reading.weights, _obs(cells, reading.weights, "--weights", file).tolist(), file)
    if reading.labels is not None:
        made.know(reading.labels, _obs(cells, reading.labels, "--labels", file).tolist(), file)
    if reading.coordinates is not None:
        made.coordinates = _places(cells, reading.coordinates, file)


def _obs(cells: Any, column: str, option: str, file: str) -> Any:
    if column not in cells.obs:
        there = [str(name) for name in cells.obs.columns]
        has = f" the obs of {file} has {few(there) or 'no column'}."
        raise unknown(f"{option} column", column, there, has)
    return cells.obs[column]


def _places(cells: Any, names: list[str], file: str) -> Any:
    """The first two columns of one of obsm, or two of obs."""
    pandas = need("pandas", "cli", "a table")
    if len(names) == 2:
        given = {name: _obs(cells, name, "--coordinates", file).to_numpy() for name in names}
        return pandas.DataFrame(given)
    name = next((each for each in (names[0], f"X_{names[0]}") if each in cells.obsm), None)
    if name is None:
        there = list(cells.obsm)
        raise unknown("--coordinates", names[0], there, f" {file} has {few(there) or 'no obsm'}.")
    places = np.asarray(cells.obsm[name])[:, :2]
    if places.shape[1] < 2:
        raise Problem(f"--coordinates {name} has one column in {file}: name another of obsm.")
    return pandas.DataFrame(places, columns=[f"{name} {at}" for at in (1, 2)])


def _values(cells: Any, field: str | None, file: str) -> tuple[Any, list[str], bool]:
    """Numbers, names of their columns, and whether these are genes."""
    genes = unique_names([str(name) for name in cells.var_names])
    if field in (None, "X"):
        if cells.X is None:
            raise Problem(f"{file} has no X: name a layer, or one of obsm, with --field.")
        return cells.X, genes, True
    if field in cells.layers:
        return cells.layers[field], genes, True
    if field in cells.obsm:
        values = cells.obsm[field]
        values = values.to_numpy() if hasattr(values, "to_numpy") else values
        return values, [f"{field} {at}" for at in numbered(values.shape[1], 1)], False
    there = ["X", *cells.layers, *cells.obsm]
    raise unknown("--field", str(field), there, f" {file} has {few(there)}.")
