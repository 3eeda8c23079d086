"""Points: the data with its dissimilarity. What is above this seam sees distances only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ...._types import Floats, Indices
from ....dissimilarities.precision import SMALL
from ..kernels.few import is_few

__all__ = ["Floats", "Indices", "Points"]


class Points(ABC):
    """`n` points and the dissimilarity between them, wherever they live.

    Attributes
    ----------
    n : int
        How many points there are.
    n_distances : int
        How many distances were computed so far.
    nonnegative : bool
        No distance is below zero.
    cost : float
        About how many nanoseconds a distance takes.
    cost_of_many : float or None
        The same where all are computed, if that is less.
    slow_exact : bool
        A distance in float64 takes several times as long.
    few : bool
        They are so few that all distances are taken in float64 at once, without a kernel.
    in_float32 : bool
        And first in float32 all the same, since the rows are wide.
    unit : float
        What a distance of 1 here is to the user: a power of two, other than 1 only where
        the user's numbers are too large or too small for float32.
    weights : ndarray or None
        What distances to each point are multiplied by.
    symmetric : bool
        The dissimilarity is the same both ways round, and zero from a point to itself.
    triangle : bool
        It is a metric: nothing is farther by way of another point.
    in_bytes : bool
        Rows are bytes, and compared in a fraction of the time.
    threadable : bool
        `tile` may be called by several threads at once, and counts nothing.
    """

    n: int
    n_distances: int = 0
    nonnegative: bool = True
    cost: float = 1.0
    cost_of_many: float | None = None
    slow_exact: bool = False
    unit: float = 1.0
    weights: NDArray[np.float64] | None = None
    symmetric: bool = False
    triangle: bool = False
    in_bytes: bool = False
    threadable: bool = False

    def __init__(self, n: int, workers: Workers) -> None:
        self.n = n
        self.workers = workers

    def block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        """Fill `out[i, j]` with d(arms[i], refs[j]) in float32; any memory order."""
        if len(arms) and len(refs):
            self._block(np.asarray(arms), np.asarray(refs), out)
            self._count(len(arms) * len(refs))

    def block_array(self, arms: Indices, refs: Indices) -> NDArray[np.float32]:
        """The same as a new array."""
        out = np.empty((len(arms), len(refs)), dtype=np.float32)
        self.block(arms, refs, out)
        return out

    def tile(self, arms: Indices, refs: Indices) -> NDArray[np.float32]:
        """The same for a few of both, inside of `in_tiles`; good until the thread's next tile."""
        return self.block_array(arms, refs)

    def in_tiles(self, work: Callable[[int, int], None], total: int, size: int) -> None:
        """Call `work`, which asks for tiles, for every slice: in turn where threads must not."""
        if self.threadable:
            self.workers.each(work, total, size)
            return
        for start in range(0, total, size):
            work(start, min(start + size, total))

    def count_tiles(self, pairs: int) -> None:
        """Count the distances of tiles, once all are done."""
        if self.threadable:
            self._count(pairs)

    def exact(self, arms: Indices, refs: Indices | None = None) -> NDArray[np.float64]:
        """Distances from each arm to every point, or to some, in float64: the same bits always."""
        arms = np.asarray(arms)
        out = np.empty((len(arms), self.n if refs is None else len(refs)))
        if out.size:
            computed = self._exact(arms, refs, out)
            self._count(out.size if computed is None else computed)
        if not np.isfinite(out).all():
            arm, column = np.argwhere(~np.isfinite(out))[0]
            point = column if refs is None else refs[column]
            raise ValueError(
                f"metric gives {out[arm, column]} between rows {arms[arm]} and {point}:"
                " scale the data to moderate numbers, or mend the metric."
            )
        return out

    def whole(self) -> Floats:
        """The distances between all points: float64 if they are few, else float32."""
        every = np.arange(self.n)
        return self.exact(every) if self.n <= SMALL else self.block_array(every, every)

    @property
    def whole_bytes(self) -> int:
        """The memory that `whole` takes."""
        return self.n**2 * (8 if self.n <= SMALL else 4)

    def own(self) -> NDArray[np.float64]:
        """d(x, x) of every point: zero, unless the dissimilarity says otherwise."""
        return np.zeros(self.n)

    def _count(self, pairs: int) -> None:
        self.n_distances += pairs

    @property
    def few(self) -> bool:
        return is_few(self.n) and not self.slow_exact

    @property
    def in_float32(self) -> bool:
        return False

    @abstractmethod
    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None: ...

    @abstractmethod
    def _exact(self, arms: Indices, refs: Indices | None, out: NDArray[np.float64]) -> int | None:
        """Fill `out` with distances to some points, or to all; how many it took, if fewer."""
