"""`medoids predict`: the clusters of new rows, from the medoids of an earlier result."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from ..output.folder import check_file, new_file, new_text, read_result
from ..output.results import write_labels
from ..output.screen import Screen
from ..problem import Problem, in_options, one_line
from ..readers.inputs import Reading
from ..readers.source import Source
from .earlier import distances_from, read_alike
from .fitting import of_rows


def predict(
    folder: Path,
    source: Source,
    given: Reading,
    out: Path | None,
    force: bool,
    jobs: int | None,
    max_distance: float | None,
    screen: Screen,
) -> int:
    """Write a line for each new row: its name, cluster, medoid, and distance from it."""
    if out is not None:
        check_file(out, force)
    result = read_result(folder)
    made = read_alike(source, given, result)
    try:
        distances = distances_from(result, made.X, jobs)
    except (TypeError, ValueError) as error:
        raise Problem(of_rows(in_options(one_line(error)), made.names)) from error
    screen.notes(made.notes)
    labels = distances.argmin(axis=1)
    own = distances[np.arange(made.n), labels]
    if max_distance is not None:
        labels[own > max_distance] = -1
        screen.notes([f"{int((labels < 0).sum()):,} of {made.n:,} rows are of no cluster"])
    names = [each["name"] for each in result["medoids"]]
    if out is not None:
        with new_file(out, force) as path, new_text(path) as file:
            write_labels(file, made.names, labels, names, own)
        screen.notes([f"written to {out}"])
    elif not screen.as_json:
        write_labels(sys.stdout, made.names, labels, names, own)
    screen.json(
        [
            {
                "name": name,
                "cluster": label,
                "medoid": names[label] if label >= 0 else None,
                "distance": distance,
            }
            for name, label, distance in zip(made.names, labels.tolist(), own.tolist(), strict=True)
        ]
    )
    return 0
