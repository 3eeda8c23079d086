"""The edit distance of ordered labelled trees."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._checks import is_real
from .._threads import Workers
from .._types import Floats, Indices
from . import kernels
from .base import Measure, in_slices
from .kernels.tuples import Costs, Packed
from .trees import pack


class TreeEdit(Measure):
    """The least cost of inserting, deleting and renaming nodes (Zhang and Shasha 1989)."""

    def __init__(self, insert: float = 1.0, delete: float = 1.0, rename: float = 1.0) -> None:
        self.costs = Costs(
            _cost(insert, "insert"), _cost(delete, "delete"), _cost(rename, "rename")
        )
        self.symmetric = self.costs.insert == self.costs.delete
        self._numbers: dict[Hashable, int] = {}

    def pack(self, objects: Sequence[Any]) -> Packed:
        return pack(objects, self._numbers)

    def fill(
        self, left: Any, arms: Indices, right: Any, refs: Indices, out: Floats, workers: Workers
    ) -> None:
        def work(some: slice, others: slice, part: NDArray[np.float64]) -> None:
            kernels.tree_block(left, right, arms[some], refs[others], self.costs, part)

        in_slices(work, out, workers)


def _cost(value: Any, name: str) -> float:
    if not is_real(value):
        raise TypeError(f"metric_params[{name!r}] must be a number, got {value!r}.")
    if not 0.0 <= value <= sys.float_info.max:
        raise ValueError(f"metric_params[{name!r}]={value} must be at least 0.0 and finite.")
    return float(value)
