"""Points: the data with its dissimilarity. What is above this seam sees distances only."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers

# The whole matrix of so many points is small enough for float64.
SMALL = 256
# Powers of two between which the largest distance is left as it is, or brought below: so its
# square, summed, is in the range of float32, and so are those of far smaller ones.
_LOW, _HIGH = -20, 30

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
    cost : float
        About how many nanoseconds a distance takes.
    slow_exact : bool
        A distance in float64 takes several times as long.
    unit : float
        What a distance of 1 here is to the user: a power of two, other than 1 only where
        the user's numbers are too large or too small for float32.
    """

    n: int
    n_distances: int = 0
    nonnegative: bool = True
    cost: float = 1.0
    slow_exact: bool = False
    unit: float = 1.0

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

    def exact(self, arms: Indices) -> NDArray[np.float64]:
        """Distances from each arm to every point, in float64."""
        arms = np.asarray(arms)
        out = np.empty((len(arms), self.n))
        if len(arms):
            self._exact(arms, out)
            self._count(out.size)
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
        largest = max(abs(float(matrix.min())), abs(float(matrix.max())))
        self.unit = moderate(log2_of(largest), self.n)
        self.nonnegative = bool(matrix.min() >= 0)

    def whole(self) -> Floats:
        self._count(self.n**2)
        return self.matrix if self.unit == 1 else self.matrix / self.unit

    @property
    def whole_bytes(self) -> int:
        return 0 if self.unit == 1 else self.matrix.nbytes

    @property
    def is_exact(self) -> bool:
        """Whether the matrix can be used as it is where float64 is asked for."""
        return self.matrix.dtype == np.float64 and self.unit == 1

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
    """Points whose distances are all computed once, and held: in float64 if `exact`."""

    def __init__(self, points: Points, exact: bool = False) -> None:
        Points.__init__(self, points.n, points.workers)
        if exact and not (isinstance(points, PrecomputedPoints) and points.is_exact):
            self.matrix: Floats = points.exact(np.arange(points.n))
        else:
            self.matrix = points.whole()
        self.nonnegative = points.nonnegative


class PointsAmong(Points):
    """Some of other points. What they compute is counted there."""

    def __init__(self, points: Points, chosen: Indices) -> None:
        super().__init__(len(chosen), points.workers)
        self.points, self.chosen = points, chosen
        self.nonnegative, self.cost = points.nonnegative, points.cost

    def _count(self, pairs: int) -> None:
        pass

    def own(self) -> NDArray[np.float64]:
        return self.points.own()[self.chosen]

    def _block(self, arms: Indices, refs: Indices, out: NDArray[np.float32]) -> None:
        self.points.block(self.chosen[arms], self.chosen[refs], out)

    def _exact(self, arms: Indices, out: NDArray[np.float64]) -> None:
        out[:] = self.points.exact(self.chosen[arms])[:, self.chosen]


def moderate(power: float, n: int, degree: int = 1) -> float:
    """A power of two to divide numbers by, so that their distances suit float32.

    Parameters
    ----------
    power : float
        The logarithm (base 2) of a number that no distance exceeds, or of its root, where
        distances grow with the square of the numbers (a degree of 2).
    n : int
        How many distances are added up.
    degree : int, default=1
    """
    if degree * power + math.log2(n) > 1023:
        raise ValueError(
            f"X has numbers so large that {'their squares' if degree > 1 else 'sums of distances'}"
            f" are beyond 1e308: scale it down."
        )
    if not math.isfinite(power) or _LOW < degree * power < _HIGH:
        return 1.0
    exponent = max(math.floor((degree * power - _HIGH) / degree), -1000)
    if degree * exponent < -1021:
        raise ValueError("X has numbers so small that their squares are below 1e-308: scale it up.")
    return 2.0**exponent


def log2_of(value: float) -> float:
    return math.log2(value) if value > 0 else -math.inf
