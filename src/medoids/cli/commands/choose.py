"""Which metric fits which kind of data."""

from __future__ import annotations

from typing import NamedTuple

from ..._names import MEASURES, METHODS, METRIC_NAMES, SYNONYMS
from ..problem import Problem, unknown
from ..readers.counts import are_raw
from ..readers.inputs import Input


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


def suits(metric: str) -> list[str]:
    """The kinds of data that a metric can compare."""
    if metric == "precomputed":
        return ["rows"]
    if metric in MEASURES:
        return MEASURES[metric].compares
    return ["rows"] if SYNONYMS.get(metric, metric) == "haversine" else _NUMBERS


def check_names(metric: str | None, method: str) -> None:
    """Both are known, before any work is done."""
    if metric is not None and metric not in METRIC_NAMES:
        raise unknown("--metric", metric, METRIC_NAMES, " 'medoids metrics' lists all.")
    if method not in METHODS:
        raise unknown("--method", method, METHODS)


def choose(metric: str | None, made: Input, file: str) -> str:
    """The metric; a note in `made` says so if it was chosen here."""
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
    if are_raw(made):
        made.notes.append("raw counts, taken as they are (--normalize scales and logs them)")
    return metric
