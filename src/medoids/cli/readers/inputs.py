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
    left_out : sequence of str
        Columns to leave out if they are there: those that were no features of an earlier file.
    exclude : list of str or None
        The columns to leave out.
    labels : str or None
        The column, or JSON field, with labels that were known before.
    coordinates : list of str or None
        Two columns, or one of obsm, with the places of the rows on the map.
    scale : str or None
        How to scale the columns; "none" means that they are as they should be.
    """

    columns: list[str] | None = None
    field: str | None = None
    names: str | None = None
    transpose: bool = False
    normalize: bool = False
    mixed: bool = False
    texts: Sequence[str] = ()
    weights: str | None = None
    left_out: Sequence[str] = ()
    exclude: list[str] | None = None
    labels: str | None = None
    coordinates: list[str] | None = None
    scale: str | None = None

    @property
    def aside(self) -> dict[str, list[str]]:
        """The columns that are no features, by the option that names them."""
        given = {"--weights": self.weights, "--labels": self.labels}
        named = {option: [name] for option, name in given.items() if name is not None}
        return named | ({"--coordinates": self.coordinates} if self.coordinates else {})


class Scaling(NamedTuple):
    """What was done to each column: (value - centre) / unit.

    Attributes
    ----------
    way : str
        "standard", "robust" or "degrees".
    centre, unit : list of float
        A number for each column.
    """

    way: str
    centre: list[float]
    unit: list[float]

    def of(self, rows: Any) -> Any:
        """Rows, scaled; sparse ones are only divided, which leaves their differences the same."""
        import numpy as np  # help needs none of it
        from scipy import sparse

        if sparse.issparse(rows):
            return sparse.csr_array(rows @ sparse.diags(1 / np.array(self.unit)))
        return (np.asarray(rows, dtype=np.float64) - self.centre) / self.unit


class Weights(NamedTuple):
    """How much each row counts, and the column that says so."""

    column: str
    values: list[float]


class Labels(NamedTuple):
    """The label that each row is known to have, and the column that says so."""

    column: str
    values: list[Any]


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
    labels : Labels or None
    coordinates : Any
        Where the rows are on the map: a frame of two columns; or None.
    annotations : Any
        A frame of columns that are no features, for the map to be coloured by; or None.
    scaling : Scaling or None
        What was done to the columns, if anything was.
    unscaled : Any
        The rows before that.
    warnings : list of str
        What is likely to be a mistake.
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
    labels: Labels | None = None
    coordinates: Any = None
    annotations: Any = None
    scaling: Scaling | None = None
    unscaled: Any = None
    warnings: list[str] = field(default_factory=list)

    @property
    def shown(self) -> Any:
        """The rows as the file has them."""
        return self.X if self.scaling is None else self.unscaled

    def rescale(self, scaling: Scaling) -> None:
        """Scale the columns; the rows as they were are still shown."""
        self.scaling, self.unscaled, self.X = scaling, self.X, scaling.of(self.X)

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

    def know(self, column: str, values: Sequence[Any], file: str) -> None:
        """These are the labels of the rows."""
        if len(values) != self.n:
            raise Problem(
                f"--labels {column!r} has {len(values)} values, but {file} has {self.n} rows: name"
                " another."
            )
        self.labels = Labels(column, list(values))

    def set_image_shape(self, shape: tuple[int, ...], file: str) -> None:
        """Rows are images of this shape."""
        wide = len(self.features or [])
        if self.kind != "rows" or math.prod(shape) != wide:
            what = f"rows of {wide} numbers" if self.kind == "rows" else self.kind
            given = "x".join(map(str, shape))
            raise Problem(f"--image-shape {given} does not fit {file}, which holds {what}.")
        self.image_shape = shape


def chosen_columns(there: list[str], reading: Reading, file: str) -> list[int]:
    """The places of the columns that the user wants; all by default."""
    out = left_columns(there, reading, file)
    wanted = reading.columns
    if wanted is None:
        return [at for at, name in enumerate(there) if name not in out]
    places = {name: at for at, name in reversed(list(enumerate(there)))}
    for name in wanted:
        if name not in places:
            raise unknown("column", name, there, f" {file} has {few(there)}.")
    return [places[name] for name in wanted]


def left_columns(there: list[str], reading: Reading, file: str) -> set[str]:
    """The names of the columns that are to be left out."""
    wanted = reading.exclude or []
    for name in wanted:
        if name not in there:
            raise unknown("--exclude column", name, there, f" {file} has {few(there)}.")
    out = {*wanted, *reading.left_out}
    if there and out.issuperset(there):
        raise Problem(f"{file} has no column besides those of --exclude: leave out fewer.")
    return out


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
    """What names a column has no meaning here."""
    for given, option in (
        (reading.columns, "--columns"), (reading.exclude, "--exclude"), (reading.names, "--names"),
        (reading.weights, "--weights"), (reading.labels, "--labels"),
        (reading.coordinates, "--coordinates"),
    ):  # fmt: skip
        if given is not None:
            raise Problem(f"{option} is for tables, but this is {what}: leave it out.")
