"""The result of a clustering, as result.json has it, and the files beside it."""

from __future__ import annotations

import csv
import json
import math
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ... import KMedoids, __version__
from ..._known import agreement
from ..readers.inputs import Input, Reading
from ..readers.source import Source
from .folder import MARK, new_text

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


class Fitted(NamedTuple):
    """What a fit gave.

    Attributes
    ----------
    km : KMedoids
    interrupted : bool
        Ctrl-C came before the end: these are the best medoids until then.
    seconds : float
    """

    km: KMedoids
    interrupted: bool
    seconds: float


class Membership(NamedTuple):
    """How each row belongs to its cluster.

    Attributes
    ----------
    distance : ndarray of float64
        From its medoid.
    silhouette : ndarray of float64
        The medoid silhouette; NaN where there is none.
    second : ndarray of int64
        The cluster that is second nearest; -1 if there is no other.
    outlier : ndarray of float64
        The distance over what is usual in the cluster; NaN where there is none.
    """

    distance: NDArray[np.float64]
    silhouette: NDArray[np.float64]
    second: NDArray[np.int64]
    outlier: NDArray[np.float64]


def summarise(
    made: Input, fitted: Fitted, own: NDArray[np.float64], params: dict[str, Any], command: str
) -> dict[str, Any]:
    """All that is known of a result but the data; means are weighted if rows are."""
    km = fitted.km
    weights = np.ones(made.n) if made.weights is None else np.array(made.weights.values)
    sizes = np.bincount(km.labels_, minlength=len(km.medoid_indices_))
    heavy = np.bincount(km.labels_, weights=weights, minlength=len(sizes))
    totals = np.bincount(km.labels_, weights=weights * own, minlength=len(sizes))
    means = np.divide(totals, heavy, out=np.zeros(len(sizes)), where=heavy > 0)
    medoids = [
        {
            "cluster": cluster,
            "row": int(row),
            "name": made.names[row],
            "size": int(sizes[cluster]),
            "share": float(sizes[cluster] / made.n),
            "weight": float(heavy[cluster]),
            "mean_distance": float(means[cluster]),
        }
        for cluster, row in enumerate(km.medoid_indices_)
    ]
    return MARK | {
        "status": "interrupted" if fitted.interrupted else "done",
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "parameters": params,
        "n": made.n,
        "loss": float(km.inertia_),
        "mean_loss": float(km.inertia_ / weights.sum()),
        "weights": None if made.weights is None else made.weights.column,
        "labels": _labels(made, km),
        "starts": _starts(km),
        "swaps": int(km.n_iter_),
        "distances": int(km.n_distances_),
        "distances_share": float(km.n_distances_ / made.n**2),
        "seconds": fitted.seconds,
        "medoids": medoids,
        "versions": {"python": platform.python_version(), "medoids": __version__}
        | {name: version(name) for name in _PACKAGES},
    }


def _starts(km: KMedoids) -> list[float] | None:
    """The loss at which each of several starts ended."""
    last = {entry["start"]: entry["loss"] for entry in km.history_ if "start" in entry}
    return list(last.values()) or None


def _labels(made: Input, km: KMedoids) -> dict[str, Any] | None:
    """The known labels, and how well the clusters agree with them."""
    if made.labels is None:
        return None
    index = agreement(km.labels_, made.labels.values)
    return {"column": made.labels.column, "adjusted_rand": index}


def describe(source: Source, made: Input, reading: Reading) -> dict[str, Any]:
    """What is known of the data, and what new rows need to be like it."""
    facts: dict[str, Any] = {
        "file": source.name,
        "sha256": source.sha256,
        "format": source.format,
        "kind": made.kind,
        "rows": made.n,
        "reading": reading._asdict(),
        "scaling": None if made.scaling is None else made.scaling._asdict(),
    }
    if made.kind == "table":
        facts["columns"] = [_column(name, made.X[name]) for name in made.X.columns]
    elif made.features is not None:
        facts["columns"] = [{"name": name} for name in made.features]
        facts["dtype"] = str(made.shown.dtype)
    return facts


def _column(name: str, values: Any) -> dict[str, Any]:
    """A column of a mixed table: new numbers are measured by the range of these."""
    if values.dtype.kind not in "iuf":
        return {"name": name, "type": "category"}
    known = values.dropna()
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    return {"name": name, "type": "number", "low": low, "high": high}


def centers(made: Input, rows: NDArray[np.int64]) -> list[Any]:
    """The medoids as the file has them, for JSON: values, the non-zero ones, or an object."""
    if made.texts is not None:
        return [made.texts[row] for row in rows]
    if made.kind == "table":
        return [[plain(value) for value in made.X.iloc[row].tolist()] for row in rows]
    if sparse.issparse(made.shown):
        return [_nonzero(made.shown[[row]], made.features or []) for row in rows]
    if made.features is not None:
        return [_numbers(made.shown[row]) for row in rows]
    return [made.X[row] for row in rows]


def _nonzero(row: Any, features: list[str]) -> dict[str, float]:
    row = sparse.csr_array(row)
    row.sum_duplicates()
    return {features[at]: value for at, value in zip(row.indices, _numbers(row.data), strict=True)}


def _numbers(values: NDArray[Any]) -> list[Any]:
    """Python's numbers; those of float32 in the few digits that tell them apart."""
    if values.dtype == np.float32:
        return [float(str(value)) for value in values]
    return list(values.tolist())


def plain(value: Any) -> Any:
    """As JSON has it: Python's own numbers, None for what is missing or not finite."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value if isinstance(value, (str, int, float, bool)) else None


def write_result(folder: Path, result: dict[str, Any]) -> None:
    text = json.dumps(plain(result), ensure_ascii=False, allow_nan=False, indent=1)
    with new_text(folder / "result.json") as file:
        file.write(text + "\n")


def write_labels(
    file: Any,
    names: list[str],
    labels: Any,
    medoids: list[str],
    own: NDArray[np.float64],
    more: dict[str, list[Any]] | None = None,
) -> None:
    """A line for each row: its name, cluster, medoid, distance from it, and more columns."""
    more = more or {}
    lines = csv.writer(file, lineterminator="\n")
    lines.writerow(["name", "cluster", "medoid", "distance", *more])
    for name, label, distance, *others in zip(
        names, labels.tolist(), own.tolist(), *more.values(), strict=True
    ):
        medoid = medoids[label] if label >= 0 else ""  # of no cluster
        lines.writerow([name, label, medoid, repr(distance), *others])


def beside(rows: Membership) -> dict[str, list[Any]]:
    """The columns that tell how clear the cluster of a row is; empty where nothing does."""
    return {
        "silhouette": [each if each == each else "" for each in rows.silhouette.tolist()],
        "second": [each if each >= 0 else "" for each in rows.second.tolist()],
        "outlier": [each if math.isfinite(each) else "" for each in rows.outlier.tolist()],
    }


def write_medoids(
    folder: Path, made: Input, medoids: list[dict[str, Any]], held: list[Any]
) -> None:
    """The medoids as a table, or, if they are sparse or have no columns, as JSON lines."""
    if made.features is None or sparse.issparse(made.X):
        with new_text(folder / "medoids.jsonl") as file:
            for each, center in zip(medoids, held, strict=True):
                line = plain(each | {"medoid": center})
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        return
    facts = ["name", "cluster", "row", "size"]
    with new_text(folder / "medoids.csv") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow([*facts, *made.features])
        for each, center in zip(medoids, held, strict=True):
            lines.writerow([*(each[fact] for fact in facts), *center])
