"""An earlier result: its medoids, and new rows that can be compared with them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from ... import KMedoids
from ...chemistry import bit_vectors
from ..problem import Problem, few, need
from ..readers.inputs import Input, Reading, Scaling, numbered
from ..readers.read import read
from ..readers.source import Source
from .choose import KINDS

_NUMBERS = ("rows", "sparse", "cells")


def read_alike(source: Source, given: Reading, result: dict[str, Any]) -> Input:
    """New rows, read as those of the result were."""
    facts = result["data"]
    before = Reading(**facts["reading"])
    columns = before.columns
    stored = [column["name"] for column in facts.get("columns", [])]
    aside = [name for names in before.aside.values() for name in names]
    left_out = [*(before.exclude or ()), *aside]
    unnamed = not left_out and stored == numbered(len(stored))
    if columns is None and stored and not unnamed:
        columns = stored
    fields = source.format != "jsonl" or source.text.lstrip()[:1] == "{"
    if source.format == "text" or not fields:  # which has no columns to choose from
        columns = None
    reading = before._replace(
        columns=columns, field=given.field or before.field, names=given.names or before.names,
        texts=[each["name"] for each in facts.get("columns", []) if each.get("type") == "category"],
        weights=None, labels=None, coordinates=None, exclude=None, scale=None, left_out=left_out,
    )  # fmt: skip
    made = read(source, reading)
    _check_kind(made, facts, source.name)
    if stored and made.features != stored:
        there = made.features or []
        has, had = f"{len(there)} columns", f"{len(stored)}"
        if len(there) == len(stored):
            has, had = f"the columns {few(there)}", few(stored)
        raise Problem(
            f"{source.name} has {has}, but the result was found on {had}: give the same ones."
        )
    if made.kind == "table":
        _as_before(made, facts["columns"])
    scaling = _scaling(facts)
    if scaling is not None:
        made.rescale(scaling)
    return made


def _scaling(facts: dict[str, Any]) -> Scaling | None:
    """What was done to the columns; nothing in results of before there was a way to."""
    return Scaling(**facts["scaling"]) if facts.get("scaling") else None


def distances_from(result: dict[str, Any], X: Any, jobs: int | None) -> NDArray[np.float64]:
    """The distance from each medoid of the result to each new row, a column for each medoid."""
    if result["parameters"]["metric"] == "precomputed":
        # A row has the distances from all rows of the fit, the medoids among them.
        rows = [each["row"] for each in result["medoids"]]
        return np.asarray(check_array(X, dtype="numeric")[:, rows], dtype=np.float64)
    return np.asarray(_fitted_again(result, jobs).transform(X))


def _fitted_again(result: dict[str, Any], jobs: int | None) -> KMedoids:
    """An estimator with the medoids of the result."""
    facts, params = result["data"], result["parameters"]
    held, k = result["centers"], len(result["medoids"])
    things: Any = held
    if facts["kind"] == "table":
        things = _frame(held, facts["columns"])
    elif facts["kind"] == "bits":
        things = bit_vectors(held)
    elif held and isinstance(held[0], dict) and facts["kind"] in _NUMBERS:
        things = _sparse(held, facts)
    elif facts["kind"] in _NUMBERS:
        things = np.array(held, dtype=facts["dtype"])
    scaling = _scaling(facts)
    if scaling is not None:
        things = scaling.of(things)
    alike = {"metric": params["metric"], "metric_params": params["metric_params"], "n_jobs": jobs}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # some medoids may coincide
        return KMedoids(k, init=list(range(k)), max_iter=0, **alike).fit(things)


def _check_kind(made: Input, facts: dict[str, Any], file: str) -> None:
    same = made.kind == facts["kind"] or {made.kind, facts["kind"]} <= set(_NUMBERS)
    if not same:
        raise Problem(
            f"{file} holds {KINDS[made.kind].what}, but the result was found on"
            f" {KINDS[facts['kind']].what}: give such a file."
        )


def _as_before(made: Input, columns: list[dict[str, Any]]) -> None:
    """Categories that happen to read as numbers are categories all the same."""
    for column in columns:
        values = made.X[column["name"]]
        if column["type"] == "category" and values.dtype.kind in "iuf":
            made.X[column["name"]] = [_category(value) for value in values.tolist()]


def _category(value: float) -> str | None:
    if value != value:
        return None
    return str(int(value)) if float(value).is_integer() else str(value)


def _frame(held: list[Any], columns: list[dict[str, Any]]) -> Any:
    """The medoids, and two rows more that span the range of each column in the fit."""
    spans = [[column.get(end) for column in columns] for end in ("low", "high")]
    names = [column["name"] for column in columns]
    return need("pandas", "cli", "a table").DataFrame([*held, *spans], columns=names)


def _sparse(held: list[dict[str, float]], facts: dict[str, Any]) -> Any:
    place = {column["name"]: at for at, column in enumerate(facts["columns"])}
    cells = [
        (row, place[key], value) for row, each in enumerate(held) for key, value in each.items()
    ]
    rows, columns, values = zip(*cells, strict=True) if cells else ((), (), ())
    data = np.array(values, dtype=facts["dtype"])
    return sparse.csr_array((data, (rows, columns)), shape=(len(held), len(place)))
