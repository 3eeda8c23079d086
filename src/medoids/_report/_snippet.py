"""The code that fits the same medoids again."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._estimator import KMedoids


def snippet(km: KMedoids) -> str:
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
    return (
        "from medoids import KMedoids\n\n"
        f"km = KMedoids({', '.join([first, *rest])})\n"
        "km.fit(X)\n"
        'km.report(X, "report.html")'
    )


def _written(value: Any) -> str:
    return getattr(value, "__name__", None) or repr(value)
