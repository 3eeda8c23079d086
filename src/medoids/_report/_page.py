"""The page as a whole: gathered, filled into its template, written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn
from sklearn.utils.validation import check_is_fitted

from .. import _validation as check
from ..plot._style import COLOURS
from ._clusters import clusters, silhouettes
from ._contents import contents
from ._pack import number
from ._render import Template
from ._rows import Rows
from ._snippet import snippet

if TYPE_CHECKING:
    from .._estimator import KMedoids

# What the charts need of each step.
_STEP = ("phase", "step", "arms", "rounds", "loss")


def write(
    km: KMedoids,
    X: Any,
    path: str | os.PathLike[str],
    *,
    names: Sequence[Any] | None,
    title: str | None,
    image_shape: tuple[int, ...] | None,
    feature_names: Sequence[Any] | None,
    texts: Sequence[Any] | None,
    command: str | None,
    max_members: int,
    random_state: Any,
) -> Path:
    """Write the page; the parameters are those of `KMedoids.report`."""
    check_is_fitted(km)
    check.whole(max_members, "max_members", 1)
    template = Template()
    distances = np.asarray(km.transform(X))  # a frame, where set_output asks for one
    n, k = distances.shape
    if n != len(km.labels_):
        raise ValueError(
            f"X has {n} rows, but the fit had {len(km.labels_)}: give the X of the fit."
        )
    if names is None and hasattr(X, "iloc") and not np.array_equal(X.index, range(n)):
        names = X.index
    drawn = contents(km, X, image_shape, feature_names)
    rows = Rows(
        km, X, distances, _for_each(names, "names", n), _for_each(texts, "texts", n), max_members,
        random_state,
    )  # fmt: skip
    silhouette = silhouettes(distances)
    payload = {
        "n": n,
        "k": k,
        "kind": drawn.kind,
        "colours": COLOURS,
        "clusters": clusters(km, rows, drawn, silhouette),
        "index": rows.index(),
        "sample": rows.sample(drawn),
        "steps": [{name: step[name] for name in _STEP} for step in km.history_],
    }
    html = template.filled(
        title=title or f"{k:,} medoids of {n:,} rows",
        km=km,
        n=n,
        k=k,
        drawn=len(rows.drawn),
        known=len(rows.known),
        mean=number(km.inertia_ / n),
        silhouette=None if silhouette is None else number(silhouette.mean()),
        metric=getattr(km.metric, "__name__", km.metric),
        code=command or snippet(km),
        versions=_versions(),
        payload=payload | drawn.shared(),
    )
    return _save(html, Path(path))


def _for_each(given: Sequence[Any] | None, name: str, n: int) -> list[Any] | None:
    if given is not None and len(given) != n:
        raise ValueError(f"{name} has {len(given)} entries for {n} rows: give one for each.")
    return None if given is None else list(given)


def _versions() -> dict[str, str]:
    from .. import __version__

    return {"medoids": __version__, "numpy": np.__version__, "scikit-learn": sklearn.__version__}


def _save(html: str, path: Path) -> Path:
    """Write under a temporary name, so that nobody finds half a page."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{path.parent} is no folder: make it, or name another.") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(html.encode("utf-8", "replace"))
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    return path
