"""`medoids predict`: the clusters of new rows, from the medoids of an earlier result."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from .._threads import Workers
from ..engines.cpu.points import distances_between
from .earlier import medoids_of, read_alike
from .fitting import of_rows
from .folder import check_file, new_file, new_text, read_result
from .inputs import Reading
from .problem import Problem, in_options, one_line
from .results import write_labels
from .screen import Screen
from .source import Source


def predict(
    folder: Path,
    source: Source,
    given: Reading,
    out: Path | None,
    force: bool,
    jobs: int | None,
    screen: Screen,
) -> int:
    """Write a line for each new row: its name, cluster, medoid, and distance from it."""
    if out is not None:
        check_file(out, force)
    result = read_result(folder)
    made = read_alike(source, given, result)
    medoids = medoids_of(result)
    try:
        new = medoids.like(made.X)
    except (TypeError, ValueError) as error:
        raise Problem(of_rows(in_options(one_line(error)), made.names)) from error
    screen.notes(made.notes)
    with Workers(jobs) as workers:
        distances = distances_between(medoids, new, workers)
    labels = distances.argmin(axis=0)
    own = distances[labels, np.arange(made.n)]
    names = [each["name"] for each in result["medoids"]]
    if out is not None:
        with new_file(out, force) as path, new_text(path) as file:
            write_labels(file, made.names, labels, names, own)
        screen.notes([f"written to {out}"])
    elif not screen.as_json:
        write_labels(sys.stdout, made.names, labels, names, own)
    screen.json(
        [
            {"name": name, "cluster": label, "medoid": names[label], "distance": distance}
            for name, label, distance in zip(made.names, labels.tolist(), own.tolist(), strict=True)
        ]
    )
    return 0
