"""The page as a whole: gathered, filled into its template, written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._fitted import FittedKMedoids, on_host
from .._known import Known, agreement, contingency, known
from .._silhouette import fit_distances
from ..plot._projection import project
from ..plot._style import COLOURS
from ._clusters import clusters, silhouettes
from ._colourings import named_columns
from ._contents import Contents, contents
from ._pack import NAME, as_json, clipped, number
from ._render import Template
from ._rows import PageRows
from ._snippet import snippet
from ._tables import Table

# What the charts need of each step.
_STEP = ("phase", "step", "arms", "rounds", "loss")
# Bytes at which a page has fewer members, so that it can be sent and opens at once.
_LARGEST = 15_000_000


def write(
    km: FittedKMedoids,
    X: Any,
    path: str | os.PathLike[str],
    *,
    names: Sequence[Any] | None,
    title: str | None,
    image_shape: tuple[int, ...] | None,
    feature_names: Sequence[Any] | None,
    texts: Sequence[Any] | None,
    coordinates: Any,
    values: Any,
    labels: Any,
    annotations: Any,
    command: str | None,
    max_members: int,
    random_state: Any,
) -> Path:
    """Write the page; the parameters are those of `KMedoids.report`."""
    km, X = on_host(km, X)
    template = Template()
    _check_place(Path(path))
    distances = fit_distances(km, X)
    n, k = distances.shape
    if n != len(km.labels_):
        raise ValueError(
            f"X has {n} rows, but the fit had {len(km.labels_)}: give the X of the fit."
        )
    if names is None and hasattr(X, "iloc") and not np.array_equal(X.index, range(n)):
        names = X.index
    names, texts = _for_each(names, "names", n), _for_each(texts, "texts", n)
    if values is not None and _length(values) != n:
        raise ValueError(f"values has {_length(values)} rows for {n} rows: give one for each.")
    given = None if labels is None else known(labels, n)
    beside = _beside(given, annotations, n)
    silhouette = silhouettes(distances)
    facts = {
        "title": title or f"{k:,} medoids of {n:,} rows",
        "km": km,
        "n": n,
        "k": k,
        "mean": number(km.inertia_ / n),
        "silhouette": None if silhouette is None else number(silhouette.mean()),
        "agreement": None if labels is None else agreement(km.labels_, labels),
        "known": given,
        "share": _share(km.n_distances_, n),
        "metric": getattr(km.metric, "__name__", km.metric),
        "code": command or snippet(km, image_shape),
        "versions": _versions(),
    }
    place = partial(
        project, km, X, random_state=random_state, coordinates=coordinates, values=values,
        names=feature_names,
    )  # fmt: skip
    most = max_members
    while True:
        drawn = contents(km, X, values, image_shape, feature_names)
        rows = PageRows(km, distances, names, texts, most, place)
        payload = _payload(km, rows, drawn, silhouette, beside) | {"known": _known(km, given)}
        page = template.filled(
            payload=payload, drawn=len(rows.drawn), found=len(rows.known), cut=most < max_members,
            plane=rows.plane, **facts,
        ).encode("utf-8", "replace")  # fmt: skip
        over = len(page) - _LARGEST
        if over < 0 or most == 0:
            return _save(page, Path(path))
        part = len(as_json([payload["sample"], drawn.shared()]).encode())
        most = max(min(int(len(rows.drawn) * (1 - 1.05 * over / part)), most - 1), 0)


def _payload(
    km: FittedKMedoids,
    rows: PageRows,
    drawn: Contents,
    silhouette: NDArray[np.float64] | None,
    beside: list[tuple[str, Any]],
) -> dict[str, Any]:
    """What the scripts read; `beside` are columns that are no features."""
    columns = [*beside, *(drawn.named() if isinstance(drawn, Table) else ())]
    return {
        "n": len(rows.labels),
        "k": len(km.medoid_indices_),
        "kind": drawn.kind,
        "colours": COLOURS,
        "clusters": clusters(km, rows, drawn, silhouette),
        "index": rows.index(),
        "sample": rows.sample(drawn, columns),
        "axes": rows.plane.axes,
        "ratio": rows.plane.ratio,
        "steps": [
            {name: value for name, value in step.items() if name in _STEP} for step in km.history_
        ],
    } | drawn.shared()


def _known(km: FittedKMedoids, given: Known | None) -> dict[str, Any] | None:
    """The known labels, and how many of each are in each cluster."""
    if given is None:
        return None
    counts = contingency(km.labels_, given, len(km.medoid_indices_))
    levels = [clipped(level, NAME) for level in given.levels]
    return {"name": clipped(given.name, NAME), "levels": levels, "counts": counts.tolist()}


def _beside(given: Known | None, annotations: Any, n: int) -> list[tuple[str, Any]]:
    """The columns that came besides X, the known labels first."""
    found: list[tuple[str, Any]] = []
    if given is not None:
        levels = [*given.levels, None]
        found.append((given.name, [levels[code] for code in given.codes]))
    table = isinstance(annotations, Mapping) or hasattr(annotations, "columns")
    if annotations is not None and not table:
        raise ValueError("annotations is no table: give a data frame, or a dict of columns.")
    for name, values in () if annotations is None else named_columns(annotations):
        if len(values) != n:
            raise ValueError(
                f"annotations has {len(values)} entries in {name!r} for {n} rows: give one for"
                " each."
            )
        if not any(name == other for other, _ in found):
            found.append((name, values))
    return found


def _for_each(given: Sequence[Any] | None, name: str, n: int) -> list[Any] | None:
    if given is not None and len(given) != n:
        raise ValueError(f"{name} has {len(given)} entries for {n} rows: give one for each.")
    return None if given is None else list(given)


def _length(rows: Any) -> int:
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)


def _share(distances: int, n: int) -> str:
    """Which part of all n² distances this is; those that only were a trial may be beyond."""
    return "all" if distances >= n**2 else f"{distances / n**2:.1%}"


def _versions() -> dict[str, str]:
    return {name: version(name) for name in ("medoids", "numpy", "scikit-learn")}


def _check_place(path: Path) -> None:
    """Before any work is done: there is a place to write to."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path.parent} is no folder: make it, or name another.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a file.")
    try:
        tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent).cleanup()
    except OSError as error:
        raise PermissionError(
            f"{path.parent} cannot be written to ({error.strerror}): choose another place."
        ) from None


def _save(page: bytes, path: Path) -> Path:
    """Write beside it, then rename, so that nobody finds half a page."""
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as staged:
        made = Path(staged) / path.name
        made.write_bytes(page)
        os.replace(made, path)
    return path
