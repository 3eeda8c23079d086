"""The table of the dissimilarities of objects: a row each.

A new one is a class that is a `Measure`, in a file of its own, and a row here. The keywords of
the class are the keys that `metric_params` may have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from .base import Measure
from .gower import Gower
from .strings import EditDistance
from .tree_edit import TreeEdit
from .warping import DynamicTimeWarping

MEASURES: dict[str, Callable[..., Measure]] = {
    "tree_edit": TreeEdit,
    "dtw": DynamicTimeWarping,
    "gower": Gower,
    "levenshtein": lambda: EditDistance("Levenshtein", False),
    "normalized_levenshtein": lambda: EditDistance("Levenshtein", True),
    "damerau_levenshtein": lambda: EditDistance("DamerauLevenshtein", False),
    "normalized_damerau_levenshtein": lambda: EditDistance("DamerauLevenshtein", True),
}


def measure(name: str, params: Mapping[str, Any]) -> Measure:
    """The measure of objects called `name`."""
    known = list(signature(MEASURES[name]).parameters)
    for key in params:
        if key not in known:
            there = f"it has {', '.join(known)}" if known else "it has none"
            raise ValueError(f"metric={name!r} has no parameter {key!r} in metric_params: {there}.")
    return MEASURES[name](**params)
