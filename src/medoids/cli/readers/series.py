"""Time series in the .ts files of the UCR and UEA archives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..problem import Problem
from .inputs import Input, Reading, numbered, only_for_tables
from .source import Source


def read_series(source: Source, reading: Reading) -> Input:
    """A series a line: channels between colons, the label last if the head says that there is one.

    Series are lists of times, each a list of channels, or a number if there is one channel.
    """
    only_for_tables(reading, "a file of time series")
    labelled, stamped, lines = False, False, []
    body = False
    for at, line in enumerate(source.text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if body:
            lines.append((at, line))
        elif line.startswith("@"):
            word, *rest = line.lower().split()
            labelled |= word in ("@classlabel", "@targetlabel") and rest[:1] == ["true"]
            stamped |= word == "@timestamps" and rest[:1] == ["true"]
            body = word == "@data"
        else:
            raise Problem(f"{source.name} has no @data before line {at}: give a .ts file.")
    if stamped:
        raise Problem(f"{source.name} has time stamps: give series of evenly spaced values.")
    if not lines:
        raise Problem(f"{source.name} has no series behind @data: give at least one.")
    series = [_series(line, at, labelled, source.name) for at, line in lines]
    widths = {each.shape[1] for each in series}
    if len(widths) > 1:
        raise Problem(f"{source.name} has series of {sorted(widths)} channels: give one number.")
    values = [(each[:, 0] if each.shape[1] == 1 else each).tolist() for each in series]
    made = Input(values, "sequences", numbered(len(values)))
    if labelled:
        made.notes.append("the labels of the file are left out")
    return made


def _series(line: str, at: int, labelled: bool, file: str) -> NDArray[np.float64]:
    """A row for each time."""
    channels = line.split(":")
    if labelled:
        channels = channels[:-1]
    try:
        rows = [np.array(channel.split(","), dtype=np.float64) for channel in channels]
    except ValueError:
        raise Problem(f"{file} has what is no number at line {at}: fill it in.") from None
    if not rows or len({len(row) for row in rows}) > 1:
        raise Problem(f"{file} has channels of different lengths at line {at}: cut them alike.")
    if not all(np.isfinite(row).all() for row in rows):
        raise Problem(f"{file} has NaN or infinity at line {at}: fill it in.")
    return np.stack(rows, axis=1)
