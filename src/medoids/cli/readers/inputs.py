"""What a file holds, ready to be clustered."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..problem import Problem, few, unknown


class Reading(NamedTuple):
    """What the user says about a file.

    Attributes
    ----------
    columns : list of str or None
        The columns to cluster by.
    field : str or None
        The array, layer or JSON field to take.
    names : str or None
        The column, or JSON field, with the names of the rows.
    transpose, normalize, mixed : bool
        Cluster the columns of a matrix; scale counts; take text columns as categories.
    texts : sequence of str
        The columns that held text in an earlier file, whatever is in this one.
    weights : str or None
        The column, or JSON field, that says how much each row counts.
    left_out : str or None
        A column to leave out if it is there: that with the weights of an earlier file.
    """

    columns: list[str] | None = None
    field: str | None = None
    names: str | None = None
    transpose: bool = False
    normalize: bool = False
    mixed: bool = False
    texts: Sequence[str] = ()
    weights: str | None = None
    left_out: str | None = None


class Weights(NamedTuple):
    """How much each row counts, and the column that says so."""

    column: str
    values: list[float]


@dataclass
class Input:
    """Things to cluster.

    Attributes
    ----------
    X : Any
        As `KMedoids.fit` takes it.
    kind : str
        A key of `KINDS` in `choose`.
    names : list of str
        A name for each row.
    features : list of str or None
        The names of the columns, where there are columns.
    notes : list of str
        What was decided on the way, for the user to know.
    image_shape : tuple of int or None
        Height and width (and channels), if each row is an image.
    weights : Weights or None
        None if all rows count the same.
    texts : list of str or None
        What each row is to a person, where X has only what it is compared by.
    """

    X: Any
    kind: str
    names: list[str]
    features: list[str] | None = None
    notes: list[str] = field(default_factory=list)
    image_shape: tuple[int, ...] | None = None
    weights: Weights | None = None
    texts: list[str] | None = None

    @property
    def n(self) -> int:
        return len(self.names)

    @property
    def sample_weight(self) -> list[float] | None:
        return None if self.weights is None else self.weights.values

    def weigh(self, column: str, values: Iterable[Any], file: str) -> None:
        """Let rows count as much as these values say."""
        weights = []
        for name, value in zip(self.names, values, strict=True):
            number = float(value) if isinstance(value, (int, float)) else None
            if number is None or not 0 <= number < math.inf:
                missing = value is None or value != value
                what = "no value" if missing is not False else repr(value)
                raise Problem(
                    f"{file} has {what} at row {name!r} in the weights column {column!r}: give"
                    " numbers, 0 or more."
                )
            weights.append(number)
        if not any(weights):
            raise Problem(
                f"{file} has only zeros in the weights column {column!r}: give some row a weight"
                " above 0."
            )
        self.weights = Weights(column, weights)
        self.notes.append(f"rows are weighted by {column!r}")

    def set_image_shape(self, shape: tuple[int, ...], file: str) -> None:
        """Rows are images of this shape."""
        wide = len(self.features or [])
        if self.kind != "rows" or math.prod(shape) != wide:
            what = f"rows of {wide} numbers" if self.kind == "rows" else self.kind
            given = "x".join(map(str, shape))
            raise Problem(f"--image-shape {given} does not fit {file}, which holds {what}.")
        self.image_shape = shape


def chosen_columns(there: list[str], wanted: list[str] | None, file: str) -> list[int]:
    """The places of the columns that the user wants; all by default."""
    if wanted is None:
        return list(range(len(there)))
    places = {name: at for at, name in reversed(list(enumerate(there)))}
    for name in wanted:
        if name not in places:
            raise unknown("column", name, there, f" {file} has {few(there)}.")
    return [places[name] for name in wanted]


def numbered(n: int, first: int = 0) -> list[str]:
    """Names for rows, or columns, that have none."""
    return [str(at) for at in range(first, first + n)]


def unique_names(names: list[str]) -> list[str]:
    """The same names, those that come again with a number behind."""
    seen: dict[str, int] = {}
    taken = set(names)
    out = []
    for name in names:
        again = seen.get(name, 0)
        seen[name] = again + 1
        while again and f"{name}-{again}" in taken:
            again += 1
        out.append(f"{name}-{again}" if again else name)
        taken.add(out[-1])
    return out


def only_for_tables(reading: Reading, what: str) -> None:
    """`--columns`, `--names` and `--weights` have no meaning here."""
    for given, option in (
        (reading.columns, "--columns"), (reading.names, "--names"), (reading.weights, "--weights"),
    ):  # fmt: skip
        if given is not None:
            raise Problem(f"{option} is for tables, but this is {what}: leave it out.")
