"""AnnData files (.h5ad): cells by genes (extra `anndata`)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from ..problem import Problem, few, need, said, unknown
from .inputs import Input, Reading, numbered, unique_names
from .matrices import from_array
from .source import Source


def read_h5ad(source: Source, reading: Reading) -> Input:
    """The counts of the cells; with `--field`, a layer or a representation such as X_pca."""
    anndata = need("anndata", "anndata", f"{source.name} (.h5ad)")
    if reading.names is not None and reading.names != "obs_names":
        raise Problem("--names is for tables: cells are called by their obs_names. Leave it out.")
    if reading.weights is not None and reading.transpose:
        raise Problem("--weights is for cells, but --transpose clusters genes: leave one out.")
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
    plain = reading._replace(names=None, weights=None)
    made = from_array(values, source.name, plain, features)
    made.names = names
    if reading.weights is not None:
        _weigh(made, cells.obs, reading.weights, source.name)
    if counts and not reading.transpose:
        made.kind = "cells"
    return made


def _weigh(made: Input, obs: Any, column: str, file: str) -> None:
    if column not in obs:
        there = [str(name) for name in obs.columns]
        has = f" the obs of {file} has {few(there) or 'no column'}."
        raise unknown("--weights column", column, there, has)
    made.weigh(column, obs[column].tolist(), file)


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
