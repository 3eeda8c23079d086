"""Collections of Dask as lists of partitions; and results that are as lazy as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from dask import delayed

_TAKES = "a dask array of rows, a dask data frame, or a dask bag of objects"


class Partitions:
    """A collection as the engine sees it: partitions, each a delayed value.

    Parameters
    ----------
    X : dask array, data frame or bag

    Attributes
    ----------
    delayed : list of Delayed
        What each partition holds: an array or a sparse matrix, a data frame, or a list.
    sizes : list of int or None
        How many rows each has; None if that is not known.
    columns : list of str or None
        The names of the columns.
    """

    def __init__(self, X: Any) -> None:
        self._kind = kind_of(X)
        self.columns: list[str] | None = None
        self.sizes: list[int] | None = None
        if self._kind == "array":
            if X.ndim != 2:
                raise ValueError(
                    f"X has {X.ndim} dimensions: give a dask array of rows and columns."
                )
            if X.numblocks[1] > 1:
                X = X.rechunk({1: -1})
            self.delayed = list(X.to_delayed()[:, 0])
            if not any(np.isnan(size) for size in X.chunks[0]):
                self.sizes = [int(size) for size in X.chunks[0]]
        else:
            self.delayed = list(X.to_delayed())
            if self._kind == "frame" and all(isinstance(name, str) for name in X.columns):
                self.columns = list(X.columns)
        self.n_columns = len(X.columns) if self._kind == "frame" else None

    def each(self, work: Callable[..., Any], *args: Any, columns: int | None, dtype: Any) -> Any:
        """A lazy dask array, of what a function makes of each partition.

        Parameters
        ----------
        work : callable
            Of a partition and the arguments.
        columns : int or None
            Of the result; None: it has a single number for each row.
        dtype : dtype
        """
        import dask.array as da

        call = delayed(work)
        sizes: Sequence[Any] = self.sizes or [np.nan] * len(self.delayed)
        tail = () if columns is None else (columns,)
        meta = np.empty((0,) * (1 + len(tail)), dtype=dtype)
        parts = [
            da.from_delayed(call(part, *args), (size, *tail), dtype, meta)
            for part, size in zip(self.delayed, sizes, strict=True)
        ]
        return da.concatenate(parts, axis=0, allow_unknown_chunksizes=True)


def kind_of(X: Any) -> str:
    """ "array", "frame" or "bag"; an error for anything else."""
    import dask.array as da
    import dask.bag as db

    if isinstance(X, da.Array):
        return "array"
    if isinstance(X, db.Bag):
        return "bag"
    if hasattr(X, "to_delayed") and hasattr(X, "columns"):
        return "frame"
    raise TypeError(
        f"X is {type(X).__module__.partition('.')[0]}'s {type(X).__name__}: give {_TAKES}; or use"
        " medoids.KMedoids, which takes what is in memory."
    )


def is_lazy(X: Any) -> bool:
    """Whether this is a collection of Dask."""
    return hasattr(X, "__dask_graph__")


def weights_of(sample_weight: Any, parts: Partitions) -> list[Any] | None:
    """The weights of each partition's rows, delayed."""
    if sample_weight is None:
        return None
    import dask.array as da

    if not is_lazy(sample_weight):
        if parts.sizes is None:
            raise TypeError(
                "sample_weight must be a dask array or series chunked like X, since the sizes of"
                " X's chunks are not known (X.compute_chunk_sizes() makes them known)."
            )
        given = np.asarray(sample_weight, dtype=np.float64)
        if given.shape != (sum(parts.sizes),):
            raise ValueError(
                f"sample_weight.shape == {given.shape}, expected {(sum(parts.sizes),)}: give a"
                " number for each row."
            )
        ends = np.cumsum(parts.sizes)
        return [delayed(part) for part in np.split(given, ends[:-1])]
    if isinstance(sample_weight, da.Array):
        if sample_weight.ndim != 1:
            raise ValueError("sample_weight has rows and columns: give a number for each row.")
        known = parts.sizes is not None and not any(np.isnan(c) for c in sample_weight.chunks[0])
        if known and sample_weight.shape[0] == sum(parts.sizes or []):
            sample_weight = sample_weight.rechunk((tuple(parts.sizes or []),))
        found = list(sample_weight.to_delayed())
    else:
        found = list(sample_weight.to_delayed())
    if len(found) != len(parts.delayed):
        raise ValueError(
            f"sample_weight has {len(found)} partitions, but X has {len(parts.delayed)}: chunk them"
            " alike."
        )
    return found
