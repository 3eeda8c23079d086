"""The code that fits the same medoids again."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np

from .._fitted import FittedKMedoids


def snippet(km: FittedKMedoids, image_shape: tuple[int, ...] | None = None) -> str:
    """Python code with all parameters that are not the default ones."""
    defaults = signature(type(km)).parameters
    given = {
        name: value
        for name, value in km.get_params(deep=False).items()
        if name not in ("n_jobs", "verbose") and repr(value) != repr(defaults[name].default)
    }
    given.setdefault("n_clusters", km.n_clusters)
    first = f"n_clusters={given.pop('n_clusters')}"
    rest = [f"{name}={_written(value)}" for name, value in given.items()]
    own = [name for name, value in given.items() if _written(value) == "..."]
    shape = "" if image_shape is None else f", image_shape={tuple(map(int, image_shape))}"
    comment = f"  # with your {' and '.join(own)}" if own else ""
    return (
        "from medoids import KMedoids\n\n"
        f"km = KMedoids({', '.join([first, *rest])}){comment}\n"
        "km.fit(X)\n"
        f'km.report(X, "report.html"{shape})'
    )


def _written(value: Any) -> str:
    """A value as code; "..." where it has none."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    text = getattr(value, "__name__", None) or repr(value)
    try:
        compile(text, "", "eval")
    except SyntaxError:  # "<lambda>", "<object at 0x...>"
        return "..."
    return text
