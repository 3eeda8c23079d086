"""A thing a line: plain text, and JSON lines."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

from ...dissimilarities.trees import records_are_trees
from ..problem import Problem, few, need, unknown
from .inputs import Input, Reading, only_for_tables
from .source import Source
from .tables import from_frame, identifies
from .values import from_values

# Levels of lists and objects in one value.
_DEEPEST = 400


def read_text(source: Source, reading: Reading) -> Input:
    """A string a line. The name of a row is the number of its line; empty lines are left out."""
    only_for_tables(reading, "plain text")
    ends = re.split(r"\r\n?|\n", source.text)  # splitlines knows seven more
    lines = [(at, line) for at, line in enumerate(ends, 1) if line.strip()]
    return Input([line for _, line in lines], "strings", [str(at) for at, _ in lines])


def read_json_lines(source: Source, reading: Reading) -> Input:
    """Trees, strings, rows or sequences of numbers; or the records of a table."""
    places, values = _parse(source)
    if not all(isinstance(value, dict) for value in values):
        if any(isinstance(value, dict) for value in values):
            raise Problem(f"{source.name} has objects in some lines only: give one kind.")
        if reading.field is not None:
            raise Problem(f"--field is for objects, but {source.name} has none: leave it out.")
        only_for_tables(reading, "JSON lines without fields")
        return from_values(values, places, source.name)
    field = reading.field
    if field is None and (reading.columns is not None or reading.exclude or reading.mixed):
        return _records(values, source.name, reading)
    only_for_tables(
        reading._replace(names=None, weights=None, labels=None),
        f"the field {field!r} of JSON lines",
    )
    if field is None and all("ast" in value for value in values):
        field = "ast"
    if field is None and not records_are_trees(values):
        return _records(values, source.name, reading)
    name, notes = reading.names, []
    if name is None and _identify(values):
        name = next(iter(values[0]))
        notes = [f"row names from the field {name!r}"]
    things = values if field is None else _held(values, field, "--field", places)
    made = from_values(things, places, source.name)
    made.notes += notes
    if name is not None:
        made.names = [str(each) for each in _held(values, name, "--names", places)]
    if reading.weights is not None:
        weights = _held(values, reading.weights, "--weights", places)
        made.weigh(reading.weights, weights, source.name)
    if reading.labels is not None:
        made.know(reading.labels, _held(values, reading.labels, "--labels", places), source.name)
    return made


def _parse(source: Source) -> tuple[list[str], list[Any]]:
    """The numbers of the lines, and what they hold."""
    places, values = [], []
    for at, line in enumerate(source.text.split("\n"), 1):
        if line.strip():
            try:
                values.append(_shallow(json.loads(line), line))
            except (json.JSONDecodeError, RecursionError) as error:
                said = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deep"
                raise Problem(
                    f"{source.name} is not JSON lines: line {at}: {said}; give a value a line."
                ) from None
            places.append(str(at))
    return places, values


def _shallow(value: Any, line: str) -> Any:
    """The value, if Python can write it again: that takes two calls for a level."""
    if line.count("[") + line.count("{") <= _DEEPEST:
        return value
    depth, level = 0, [value]
    while level:
        depth += 1
        held = (each.values() if isinstance(each, dict) else each for each in level)
        level = [each for some in held for each in some if isinstance(each, (list, dict))]
    if depth > _DEEPEST:
        raise RecursionError
    return value


def _held(values: list[Any], field: str, option: str, places: list[str]) -> list[Any]:
    """What each object has in a field."""
    for at, value in zip(places, values, strict=True):
        if field not in value:
            raise unknown(option, field, value, f" line {at} has {few(value)}.")
    return [value[field] for value in values]


def _identify(values: list[Any]) -> bool:
    """Whether the first field names the objects: it is called so, and is different in each."""
    first = next(iter(values[0]), "")
    held = [value.get(first) for value in values]
    plain = all(isinstance(each, (str, int)) for each in held)
    return bool(first) and identifies(first) and plain and len(set(held)) == len(held)


def _records(values: list[Any], file: str, reading: Reading) -> Input:
    """Flat objects are the rows of a table."""
    nested = [name for name, each in values[0].items() if isinstance(each, (list, dict))]
    chosen = [name for name in nested if name not in (reading.exclude or ())]
    if chosen and reading.columns is None:
        raise Problem(
            f"{file} has nested objects: say what to cluster with --field, such as"
            f" --field {shlex.quote(chosen[0])}."
        )
    frame = need("pandas", "cli", "a table").DataFrame.from_records(values)
    return from_frame(frame, file, reading)
