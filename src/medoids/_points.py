"""Points: the data with its dissimilarity. What is above this seam sees distances only."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from ._threads import Workers

# The whole matrix of so many points is small enough for float64.
_SMALL = 256

Floats = NDArray[np.floating]
Indices = NDArray[np.integer]


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
    cheap : bool
        A distance costs as little as a few multiplications for each column.
    unit : float
        What a distance of 1 here is to the user: a power of two, other than 1 only where
        the user's numbers are too large or too small for float32.
    """

    n: int
    n_distances: int = 0
    nonnegative: bool = True
    cheap: bool = True
    unit: float = 1.0

    def __init__(self, n: int, workers: Workers) -> None:
        self.n = n
        self.workers = workers

    def block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        """Fill `out[i, j]` with d(arms[i], refs[j]) in float32; any memory order."""
        if len(arms) and len(refs):
            self._block(np.asarray(arms), np.asarray(refs), out)
            self.n_distances += len(arms) * len(refs)

    def block_array(self, arms: Indices, refs: Indices) -> NDArray[np.float32]:
        """The same as a new array."""
        out = np.empty((len(arms), len(refs)), dtype=np.float32)
        self.block(arms, refs, out)
        return out

    def exact(self, arms: Indices) -> NDArray[np.float64]:
        """Distances from each arm to every point, in float64."""
        arms = np.asarray(arms)
        out = np.empty((len(arms), self.n))
        if len(arms):
            self._exact(arms, out)
            self.n_distances += out.size
        if not np.isfinite(out).all():
            arm, point = np.argwhere(~np.isfinite(out))[0]
            raise ValueError(
                f"metric gives {out[arm, point]} between rows {arms[arm]} and {point}:"
                " scale the data to moderate numbers, or mend the metric."
            )
        return out

    def whole(self) -> Floats:
        """The distances between all points: float64 if they are few, else float32."""
        every = np.arange(self.n)
        return self.exact(every) if self.n <= _SMALL else self.block_array(every, every)

    @property
    def whole_bytes(self) -> int:
        """The memory that `whole` takes."""
        return self.n**2 * (8 if self.n <= _SMALL else 4)

    def own(self) -> NDArray[np.float64]:
        """d(x, x) of every point: zero, unless the dissimilarity says otherwise."""
        return np.zeros(self.n)

    @abstractmethod
    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None: ...

    @abstractmethod
    def _exact(self, arms: Indices, out: NDArray[np.float64]) -> None: ...


class PrecomputedPoints(Points):
    """A square matrix: the row is the medoid, the column the point.

    An entry that is read counts as a distance.
    """

    _SLICE = 256

    def __init__(self, matrix: Floats, workers: Workers) -> None:
        super().__init__(len(matrix), workers)
        self.matrix = matrix
        self.unit = moderate(max(abs(float(matrix.min())), abs(float(matrix.max()))))
        self.nonnegative = bool(matrix.min() >= 0)

    def whole(self) -> Floats:
        self.n_distances += self.n**2
        return self.matrix if self.unit == 1 else self.matrix / self.unit

    @property
    def whole_bytes(self) -> int:
        return 0 if self.unit == 1 else self.matrix.nbytes

    def own(self) -> NDArray[np.float64]:
        return np.diagonal(self.matrix).astype(np.float64) / self.unit

    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        def copy(start: int, stop: int) -> None:
            out[start:stop] = self.matrix[np.ix_(arms[start:stop], refs)] / self.unit

        self.workers.each(copy, len(arms), self._SLICE)

    def _exact(self, arms: Indices, out: NDArray[np.float64]) -> None:
        out[:] = self.matrix[arms]
        out /= self.unit


class HeldPoints(PrecomputedPoints):
    """Points whose distances are all computed once, and held."""

    def __init__(self, points: Points) -> None:
        Points.__init__(self, points.n, points.workers)
        self.matrix = points.whole()
        self.nonnegative = points.nonnegative


def moderate(largest: float) -> float:
    """A power of two to divide by, where the largest number is not moderate."""
    if largest == 0 or 1e-9 < largest < 1e9:
        return 1.0
    return float(2.0 ** np.floor(np.log2(largest)))
