"""Which metric fits which kind of data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..._names import MEASURES, METHODS, METRIC_NAMES, SYNONYMS
from ..problem import Problem, unknown
from ..readers.counts import are_raw
from ..readers.inputs import Input
from ..readers.scaling import WAYS
from .columns import in_radians, warn_of_one_column


class Kind(NamedTuple):
    """What it is called, and the metric it is given unless the user names one."""

    what: str
    metric: str


KINDS: dict[str, Kind] = {
    "rows": Kind("rows of numbers", "l2"),
    "sparse": Kind("rows of a sparse matrix", "l1"),
    "cells": Kind("cells by genes", "l1"),
    "strings": Kind("strings", "levenshtein"),
    "tokens": Kind("lists of strings", "levenshtein"),
    "trees": Kind("trees", "tree_edit"),
    "sequences": Kind("sequences of numbers", "dtw"),
    "table": Kind("rows of mixed columns", "gower"),
    "bits": Kind("fingerprints", "tanimoto"),
    "frames": Kind("frames of atoms", "rmsd"),
}
_NUMBERS = ["rows", "sparse", "cells"]
# Methods that draw at random wherever they start, and starts that are drawn.
_DRAWING = ("clara", "clarans", "onebatch", "banditpam_original")
_DRAWN = ("k-medoids++", "random", "lab")
# Metrics whose values are what they are.
_OWN_SCALE = {
    "gower": "which scales each column by its range",
    "precomputed": "whose numbers are distances",
    "haversine": "whose columns are angles",
    "hamming": "which compares for equality",
    "matching": "which compares for equality",
    "jaccard": "which compares for equality",
}


def suits(metric: str) -> list[str]:
    """The kinds of data that a metric can compare."""
    if metric == "precomputed":
        return ["rows"]
    if metric in MEASURES:
        return MEASURES[metric].compares
    return ["rows"] if SYNONYMS.get(metric, metric) == "haversine" else _NUMBERS


def check_names(metric: str | None, method: str, scale: str | None) -> None:
    """All are known, before any work is done."""
    if metric is not None and metric not in METRIC_NAMES:
        raise unknown("--metric", metric, METRIC_NAMES, " 'medoids metrics' lists all.")
    if method not in METHODS:
        raise unknown("--method", method, METHODS)
    if scale is not None and scale not in WAYS:
        raise unknown("--scale", scale, WAYS)
    if scale in ("standard", "robust") and metric in _OWN_SCALE:
        raise Problem(f"--scale is not for --metric {metric}, {_OWN_SCALE[metric]}: leave it out.")


def first_rows(init: Any, method: str, seeds: int) -> Any:
    """Where to start; with several seeds at rows that are drawn, unless the user says where."""
    same = method not in _DRAWING
    if init is None:
        return "k-medoids++" if seeds > 1 and same else "build"
    if seeds > 1 and same and init not in _DRAWN:
        raise Problem(
            f"--seeds {seeds} would be the same start each time: choose --init"
            f" {' or '.join(_DRAWN)}."
        )
    return init


def choose(params: Mapping[str, Any], made: Input, scale: str | None, file: str) -> str:
    """The metric; a note in `made` says so if it was chosen here."""
    metric: str | None = params["metric"]
    kind = KINDS[made.kind]
    if metric is None:
        metric = kind.metric
        made.notes.append(f"{kind.what}: taking metric {metric} (--metric chooses another)")
    elif made.kind not in suits(metric):
        wanted = KINDS[suits(metric)[0]].what
        raise Problem(
            f"--metric {metric} is for {wanted}, but {file} holds {kind.what}: use"
            f" {kind.metric}, or another of 'medoids metrics'."
        )
    if metric == "precomputed" and made.X.shape[0] != made.X.shape[1]:
        raise Problem(
            f"--metric precomputed needs a square matrix, but {file} has {made.X.shape[0]} rows and"
            f" {made.X.shape[1]} columns: name the metric if these are features."
        )
    if SYNONYMS.get(metric, metric) == "haversine":
        in_radians(made, file)
    if scale is None:
        warn_of_one_column(made, metric, params["metric_params"])
    if are_raw(made):
        made.notes.append("raw counts, taken as they are (--normalize scales and logs them)")
    return metric
