"""Rows of a table, and the columns that set a cluster apart."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from .._types import Indices
from ..plot._columns import columns
from ._pack import NAME, clipped, number

# Columns that set a cluster apart, of these the ones that members show, and the most values
# of a medoid that are carried.
_APART, _SHOWN, _VALUES = 12, 5, 120
# Up to so many columns, members show them all; and rows can be coloured by all.
_FEW, _COLOURED = 8, 30


class Table(ABC):
    """Cells of a table.

    Attributes
    ----------
    apart : ndarray of shape (n_clusters, n_columns)
        How many standard deviations a cluster's mean is from the mean of all rows.
    """

    kind = "row"
    apart: NDArray[np.float64]

    def __init__(
        self, names: Sequence[Any] | None, own: Sequence[Any], labels: NDArray[np.int32]
    ) -> None:
        given = own if names is None else list(names)
        if len(given) != len(own):
            raise ValueError(
                f"feature_names has {len(given)} names, but X has {len(own)} columns: give"
                f" {len(own)}."
            )
        self.labels = labels
        self.names = [
            clipped(name if isinstance(name, str) else f"column {name}", NAME) for name in given
        ]

    @abstractmethod
    def cells(self, rows: Indices, chosen: Indices) -> list[list[str]]:
        """What some columns hold in some rows."""

    @abstractmethod
    def means(self, label: int, column: int) -> tuple[str, str]:
        """What is usual in a column, in a cluster and in all rows."""

    def order(self, label: int) -> NDArray[np.int64]:
        """The columns that set the cluster apart most, first."""
        return np.argsort(-np.abs(self.apart[label]), kind="stable")

    def shown(self, label: int) -> NDArray[np.int64]:
        """The columns that members of a cluster show."""
        few = len(self.names) <= _FEW
        return np.arange(len(self.names)) if few else self.order(label)[:_SHOWN]

    @abstractmethod
    def column(self, at: int) -> Any:
        """The values of a column."""

    def named(self) -> Iterator[tuple[str, Any]]:
        """Columns to colour rows by; of many, those that set clusters apart most."""
        if len(self.names) <= _COLOURED:
            chosen = list(range(len(self.names)))
        else:
            each = max(_COLOURED // len(self.apart), 1)
            first = [self.order(label)[:each] for label in range(len(self.apart))]
            chosen = np.unique(np.concatenate(first)).tolist()[:_COLOURED]
        return ((self.names[at], self.column(at)) for at in chosen)

    def members(self, rows: Indices) -> list[list[str]]:
        found: list[list[str]] = [[]] * len(rows)
        for label in np.unique(self.labels[rows]):
            own = np.flatnonzero(self.labels[rows] == label)
            for at, cells in zip(own, self.cells(rows[own], self.shown(label)), strict=True):
                found[at] = cells
        return found

    def medoid(self, label: int, row: int) -> dict[str, Any]:
        order = self.order(label)[:_APART]
        carried = np.arange(len(self.names))
        if len(carried) > _VALUES:
            carried = self.order(label)[:_VALUES]
        here = np.array([row])
        return {
            "columns": [self.names[at] for at in self.shown(label)],
            "apart": [
                [self.names[at], cell, *self.means(label, at), number(self.apart[label, at])]
                for at, cell in zip(order, self.cells(here, order)[0], strict=True)
            ],
            "values": [
                [self.names[at], cell]
                for at, cell in zip(carried, self.cells(here, carried)[0], strict=True)
            ],
            "more": len(self.names) - len(carried),
        }

    def shared(self) -> dict[str, Any]:
        return {}


class Numbers(Table):
    """Rows of numbers, dense or sparse."""

    def __init__(
        self, X: Any, labels: NDArray[np.int32], medoids: Indices, names: Sequence[Any] | None
    ) -> None:
        super().__init__(names, range(X.shape[1]), labels)
        self.X, self.medoids, self.known = X, medoids, columns(X, labels, len(medoids))
        self.apart = self.known.apart()

    def order(self, label: int) -> NDArray[np.int64]:
        if not issparse(self.X):
            return super().order(label)
        # Most cells are zero: what counts is what the medoid has, and more so its cluster.
        lacks = self.X[[self.medoids[label]]].toarray()[0] <= 0
        return np.lexsort((-self.apart[label], lacks))

    def column(self, at: int) -> Any:
        part = self.X[:, [at]]
        return np.asarray(part.toarray() if issparse(part) else part)[:, 0]

    def cells(self, rows: Indices, chosen: Indices) -> list[list[str]]:
        part = self.X[rows][:, chosen]
        values = part.toarray() if issparse(part) else part
        text = self.known.text
        return [[text(at, value) for at, value in zip(chosen, row, strict=True)] for row in values]

    def means(self, label: int, column: int) -> tuple[str, str]:
        inside, mean = self.known.inside[label, column], self.known.mean[column]
        return self.known.text(column, inside), self.known.text(column, mean)
