"""The table of the dissimilarities of objects: a row each.

A new one is a class that is a `Measure`, in a file of its own, and a row here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, NamedTuple

from .base import Measure
from .bits import SharedBits
from .elastic import dtw, erp, lcss, msm, twe, wdtw
from .gower import Gower
from .strings import EditDistance
from .superposition import RootMeanSquare
from .tree_edit import TreeEdit


class ObjectMetric(NamedTuple):
    """A dissimilarity of objects.

    Attributes
    ----------
    make : callable
        The class, or a function that gives an instance. Its keywords are the keys that
        `metric_params` may have.
    compares : list of str
        The kinds of objects, the usual one first: "strings", "tokens" (lists of strings),
        "trees", "sequences" (of numbers), "rows" of numbers, rows of a mixed "table", "bits",
        "frames" (of atoms).
    extra : str or None
        What has to be installed for it.
    """

    make: Callable[..., Measure]
    compares: list[str]
    extra: str | None = None


def _edits(kind: str, normalised: bool = False) -> ObjectMetric:
    return ObjectMetric(
        lambda: EditDistance(kind, normalised), ["strings", "tokens"], extra="objects"
    )


def _shared_bits(name: str) -> ObjectMetric:
    return ObjectMetric(lambda: SharedBits(name), ["bits", "rows"])


_ELASTIC: tuple[Callable[..., Measure], ...] = (dtw, wdtw, erp, lcss, msm, twe)
MEASURES: dict[str, ObjectMetric] = {
    "tree_edit": ObjectMetric(TreeEdit, ["trees"]),
    **{make.__name__: ObjectMetric(make, ["sequences", "rows"]) for make in _ELASTIC},
    "gower": ObjectMetric(Gower, ["table"]),
    "tanimoto": _shared_bits("tanimoto"),
    "dice": _shared_bits("dice"),
    "bit_hamming": _shared_bits("bit_hamming"),
    "rmsd": ObjectMetric(RootMeanSquare, ["frames"]),
    "levenshtein": _edits("Levenshtein"),
    "normalized_levenshtein": _edits("Levenshtein", normalised=True),
    "damerau_levenshtein": _edits("DamerauLevenshtein"),
    "normalized_damerau_levenshtein": _edits("DamerauLevenshtein", normalised=True),
}


def measure(name: str, params: Mapping[str, Any]) -> Measure:
    """The measure of objects called `name`."""
    known = list(signature(MEASURES[name].make).parameters)
    for key in params:
        if key not in known:
            there = f"it has {', '.join(known)}" if known else "it has none"
            raise ValueError(f"metric={name!r} has no parameter {key!r} in metric_params: {there}.")
    return MEASURES[name].make(**params)
