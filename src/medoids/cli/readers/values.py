"""Values of JSON as things to cluster: strings, trees, rows and sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dissimilarities.trees import looks_like_tree
from ..problem import Problem
from .inputs import Input, numbered

_WHAT = {
    "string": "a string",
    "number": "a number",
    "tree": "a tree",
    "numbers": "a list of numbers",
    "channels": "a list of rows of numbers",
    "tokens": "a list of strings",
    "empty": "an empty list",
}


def from_values(values: list[Any], places: list[str], file: str) -> Input:
    """Things of one kind; `places` are their lines."""
    forms = [_form(value) for value in values]
    form = next((each for each in forms if each != "empty"), "empty")
    for at, each in zip(places, forms, strict=True):
        if each != form and (each, form) != ("empty", "tokens"):
            raise Problem(
                f"{file} has {_WHAT[form]} at line {places[forms.index(form)]} and"
                f" {_WHAT.get(each, each)} at line {at}: give one kind of thing."
            )
    if form not in _WHAT or form == "empty":
        raise Problem(
            f"{file} has {_WHAT.get(form, form)} at line {places[0]}, which cannot be clustered:"
            " give strings, trees or lists of numbers, or name a field of them with --field."
        )
    if form in ("numbers", "channels", "number"):
        _finite(values, places, file)
    if form == "number" or (form == "numbers" and len({len(value) for value in values}) == 1):
        rows = np.array(values, dtype=np.float64).reshape(len(values), -1)
        return Input(rows, "rows", places, numbered(rows.shape[1]))
    kinds = {"string": "strings", "tree": "trees", "tokens": "tokens"}
    return Input(values, kinds.get(form, "sequences"), places)


def _form(value: Any) -> str:
    """A key of _WHAT; or, for what cannot be clustered, words for it."""
    if isinstance(value, str):
        return "string"
    if _is_number(value):
        return "number"
    if looks_like_tree(value, childless=True):
        return "tree"
    if not isinstance(value, list):
        return "nothing (null)" if value is None else f"something else ({str(value)[:20]})"
    if not value:
        return "empty"
    if all(map(_is_number, value)):
        return "numbers"
    if all(isinstance(each, (str, int, float)) for each in value):
        return "tokens"
    rows = all(isinstance(each, list) and each and all(map(_is_number, each)) for each in value)
    return "channels" if rows else "a nested list"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _finite(values: list[Any], places: list[str], file: str) -> None:
    for at, value in zip(places, values, strict=True):
        try:
            fine = np.isfinite(np.array(value, dtype=np.float64)).all()
        except ValueError:
            raise Problem(f"{file} has rows of different lengths at line {at}.") from None
        except OverflowError:
            raise Problem(f"{file} has a number too large at line {at}.") from None
        if not fine:
            raise Problem(f"{file} has NaN or infinity at line {at}: fill it in.")
