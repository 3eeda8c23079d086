"""The table of metrics: a row each, and the names that users know them by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from .._checks import is_real
from .._spelling import unknown
from . import kernels
from .kernels.tuples import SumMetric

Leaf = Callable[..., Any]


class Metric(NamedTuple):
    """A dissimilarity of two rows, in the words of `kernels.terms`.

    Parameters
    ----------
    term, finish : str
        Names of the leaf functions. A `term` of "square" is computed by one BLAS
        product a block.
    degree : int
        How a distance grows when the rows are scaled: by the factor to this power.
    form : str
        What is done to a row first: nothing (""), "unit" (scale to length one),
        "centred unit" (subtract its mean, then scale) or "sphere" (latitude and
        longitude to a point on the unit sphere).
    largest : bool
        Take the largest term, not the sum.
    frame : str
        What may be done to all rows alike, so that float32 loses no digits: "shift" them and
        scale them (where only their differences matter), "scale" them alone, or nothing ("").
    triangle : bool
        It obeys the triangle inequality, whatever its exponent.
    """

    term: str
    finish: str
    degree: int = 1
    form: str = ""
    largest: bool = False
    frame: str = "shift"
    triangle: bool = False


METRICS: dict[str, Metric] = {
    "euclidean": Metric("square", "root", triangle=True),
    "sqeuclidean": Metric("square", "total_", degree=2),
    "cosine": Metric("square", "half", degree=0, form="unit"),
    "correlation": Metric("square", "half", degree=0, form="centred unit"),
    "manhattan": Metric("absolute", "total_", triangle=True),
    "chebyshev": Metric("absolute", "total_", largest=True, triangle=True),
    "minkowski": Metric("power", "root_p"),
    "canberra": Metric("relative", "total_", degree=0, frame="scale", triangle=True),
    "braycurtis": Metric("shares", "ratio", degree=0, frame="scale"),
    "hamming": Metric("differs", "per_size", degree=0, frame="", triangle=True),
    "jaccard": Metric("differs_of_any", "ratio", degree=0, frame=""),
    "haversine": Metric("square", "chord_angle", degree=0, form="sphere", triangle=True),
}

# Those that sums over non-zeros give: sparse rows are never laid out for them.
SPARSE: dict[str, SumMetric] = {
    "manhattan": SumMetric(absolute=True),
    "euclidean": SumMetric(root=True),
    "sqeuclidean": SumMetric(),
    "cosine": SumMetric(angle=True),
    "correlation": SumMetric(angle=True, centred=True),
}

# Powers of moderate numbers stay within float64.
_LEAST_P, _MOST_P = 0.01, 100

SYNONYMS: dict[str, str] = {
    "l2": "euclidean",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "infinity": "chebyshev",
    "p": "minkowski",
    "matching": "hamming",
}


def resolve(
    name: str, params: Mapping[str, Any] | None, others: Iterable[str] = ()
) -> tuple[str, Metric, float]:
    """The metric called `name`, and its exponent p (2 unless given).

    `others` are names that an error mentions besides.
    """
    key = SYNONYMS.get(name, name)
    if key not in METRICS:
        raise ValueError(
            unknown("metric", name, sorted([*METRICS, *SYNONYMS, *others, "precomputed"]))
        )
    if params is not None and not isinstance(params, Mapping):
        raise TypeError(f"metric_params must be a dict or None, got {type(params).__name__}.")
    given = dict(params or {})
    p = given.pop("p", 2.0) if key == "minkowski" else 2.0
    if given:
        allowed = "only 'p'" if key == "minkowski" else "none"
        raise ValueError(
            f"metric_params has unknown keys {sorted(given)} for metric={name!r}, which"
            f" takes {allowed}: remove them."
        )
    if not is_real(p) or not 0 < p < float("inf"):
        raise ValueError(f"metric_params['p'] must be a positive finite number, got {p!r}.")
    if not _LEAST_P <= p <= _MOST_P:
        raise ValueError(
            f"metric_params['p']={p} is out of {_LEAST_P} to {_MOST_P}, beyond which powers"
            " vanish or overflow: for a large p use metric='chebyshev', its limit."
        )
    if key == "minkowski" and p in (1, 2):
        key = "manhattan" if p == 1 else "euclidean"
    return key, METRICS[key], float(p)


def leaves(metric: Metric, rough: bool = False) -> tuple[Leaf, Leaf]:
    """What a coordinate adds, and what the sums mean: functions that Numba compiles into loops.

    If `rough`, of float32, and as exact as that.
    """
    finish = getattr(kernels.terms, metric.finish)
    if rough:
        finish = getattr(kernels.terms, f"rough_{metric.finish}", finish)
    return getattr(kernels.terms, metric.term), finish
