"""What a worker makes of a partition: data that is checked, and the space it is in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..._checks import weights as checked_weights
from ..._threads import Workers
from ..._types import Indices
from ...data.kinds import Data, DenseData, ObjectData, SparseData, read
from ...dissimilarities.metrics import SPARSE
from ..cpu.points.across import Described, Space, describe, space_of
from ..cpu.points.dense import is_product


class Reader:
    """Reads partitions of one kind of data under one metric.

    Parameters
    ----------
    metric, metric_params, device
        As for `KMedoids`; the device is the worker's.
    """

    def __init__(
        self, metric: Any, metric_params: Mapping[str, Any] | None, device: Any = None
    ) -> None:
        self._metric, self._params, self._device = metric, metric_params, device
        self._model: Any = None  # one measure serves all of a shard

    def read(self, things: Any) -> Data:
        """Things, checked."""
        return read(things, self._metric, self._params, 1)

    def like(self, model: Any, things: Any) -> Any:
        """Other things, to be compared with those of a model."""
        return model.like(things)

    def read_partition(self, number: int, things: Any) -> Data | None:
        """A partition, checked; None if it is empty. An error names it."""
        if not self.count(things):
            return None
        try:
            if self._model is None:
                self._model = self.read(things)
                return self._model  # type: ignore[no-any-return]
            found: Data = self._model.like(things)
            return found
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"partition {number}: {error}") from None

    def weights(self, number: int, given: Any, n: int) -> NDArray[np.float64] | None:
        """The weights of a partition's rows, checked."""
        if given is None:
            return None
        try:
            some = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            some = np.empty((0, 0))
        try:
            if some.shape == (n,) and not some.any():  # as a whole they are not zero
                return some
            return checked_weights(given, n)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"partition {number}: {error}") from None

    def describe(self, data: Any, workers: Workers) -> Described:
        return describe(data, workers)

    def space(self, data: Any, whole: Described, workers: Workers, copy_limit: float) -> Space:
        if self._device is None:
            return space_of(data, whole, workers, copy_limit)
        from .device import device_space

        return device_space(data, whole, workers, copy_limit, self._device)

    def on_host(self) -> Reader:
        """The same for the client, which may have no such device."""
        found = copy(self)
        found._device = None
        return found

    def row_bytes(self, data: Any) -> float:
        """How much a row takes, about, on its way to another worker."""
        things = data.things
        if isinstance(data, ObjectData) and isinstance(things, list):
            some = things[:32]
            return float(np.mean([64 + 8 * len(str(each)) for each in some]))
        if sparse.issparse(things):
            return float(12.0 * things.nnz / things.shape[0])
        return float(things.shape[1] * things.dtype.itemsize)

    def cost(self, data: Any) -> float:
        """How many nanoseconds a distance takes where many are computed, as `Points` have it."""
        if isinstance(data, ObjectData):
            return data.measure.cost
        if isinstance(data, SparseData) and data.name in SPARSE:
            return float(2 + data.things.nnz / data.n / 4)
        if isinstance(data, DenseData | SparseData):
            return float(2 + data.things.shape[1] / (45 if is_product(data.metric) else 8))
        return 1.0

    @staticmethod
    def count(things: Any) -> int:
        """How many there are."""
        return int(things.shape[0]) if hasattr(things, "shape") else len(things)

    @staticmethod
    def pick(things: Any, chosen: Indices) -> Any:
        """Some of them."""
        if isinstance(things, list):
            return [things[i] for i in chosen]
        return getattr(things, "iloc", things)[chosen]

    @staticmethod
    def join(parts: Sequence[Any], order: Indices) -> Any:
        """Several sets as one, in another order."""
        first = parts[0]
        if isinstance(first, list):
            every = [each for part in parts for each in part]
            return [every[i] for i in order]
        if sparse.issparse(first):
            return sparse.vstack(parts, format="csr")[order]
        if hasattr(first, "iloc"):
            import pandas as pd

            return pd.concat(list(parts)).iloc[order]
        return np.concatenate(list(parts))[order]
