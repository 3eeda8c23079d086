"""Medoids with the highest mean silhouette: two engines under the loops of `medoids.methods`.

The loss that they lower is one less the mean: of the medoid silhouette 1 - d1/d2 (Lenssen and
Schubert 2022), or of Rousseeuw's, which compares with all members of two clusters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._numba_cache import give_it_a_place
from ..._threads import Workers
from ...search.rounds import Choice, Round
from ._matrix import Matrix

# Arms that a thread looks at before it takes the next ones.
_SLICE = 64


class Seeking(ABC):
    """Medoids of a matrix, in the words of `engines.protocol.Matrix`, with a loss of its own.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        A row for each medoid.
    medoids : sequence of int
    workers : Workers
    """

    unit, nonnegative, n_distances = 1.0, True, 0

    def __init__(self, matrix: Matrix, medoids: Sequence[int], workers: Workers) -> None:
        self.matrix, self.workers = matrix, workers
        self.n = self.n_rows = self.n_arms = len(matrix)
        self.fixed: list[int] = []
        self.medoids = list(medoids)
        self._see()

    def _see(self) -> None:
        """Bring all that follows from the medoids up to date."""
        give_it_a_place()
        from . import kernels

        chosen = np.array(self.medoids)
        self.values, self.places = kernels.nearest_three(self.matrix, chosen)
        self.is_medoid = np.zeros(self.n, dtype=bool)
        self.is_medoid[chosen] = True
        self.loss = self._loss(self.values)

    @property
    def n_clusters(self) -> int:
        return len(self.medoids)

    @property
    def labels(self) -> NDArray[np.uint64]:
        return np.asarray(self.places[0], dtype=np.uint64)

    def place(self, position: int, medoid: int) -> None:
        self.medoids[position] = medoid
        self._see()

    def loss_after(self, position: int, medoid: int) -> float:
        then = [*self.medoids[:position], medoid, *self.medoids[position + 1 :]]
        return type(self)(self.matrix, then, self.workers).loss

    def best(self, swap: bool) -> Choice:
        """The best of all swaps."""
        values, positions = np.empty(self.n), np.empty(self.n, dtype=np.int64)

        def some(start: int, stop: int) -> None:
            self._look(np.arange(start, stop), values[start:stop], positions[start:stop])

        self.workers.each(some, self.n, _SLICE)
        arm = int(values.argmin())
        rounds = [Round(self.n - len(self.medoids), self.n, 1)]
        return Choice(rounds, None, arm, int(positions[arm]))

    @abstractmethod
    def _loss(self, values: NDArray[np.float64]) -> float: ...

    @abstractmethod
    def _look(self, arms: Any, values: Any, positions: Any) -> None:
        """For each arm how the best swap with it changes the loss, and whom it replaces."""


class MedoidSilhouette(Seeking):
    """One less the mean of 1 - d1/d2."""

    def _see(self) -> None:
        super()._see()
        from . import kernels

        self.removal = kernels.removals(self.values, self.places, len(self.medoids))

    def _loss(self, values: NDArray[np.float64]) -> float:
        first, second = values[:2]
        ratios = np.divide(first, second, out=np.zeros(self.n), where=second > 0)
        return float(ratios.mean())

    def _look(self, arms: Any, values: Any, positions: Any) -> None:
        from . import kernels

        now = self.is_medoid, self.removal, self.values, self.places
        kernels.best_swaps(self.matrix, arms, *now, values, positions)

    def first_better(self, start: int, stop: int) -> tuple[int, int]:
        from . import kernels

        now = self.is_medoid, self.removal, self.values, self.places
        arm, position = kernels.first_better(self.matrix, start, stop, *now)
        return int(arm), int(position)

    def drop(self) -> None:
        """Let a medoid go, for the last one: as there the one that is missed most.

        From there the search looks further, and ends a little higher in the mean, than where the
        one goes that is missed least.
        """
        gone, last = int(self.removal.argmax()), self.medoids.pop()
        if gone < len(self.medoids):
            self.medoids[gone] = last
        self._see()


class Silhouette(Seeking):
    """One less the mean of Rousseeuw's silhouette."""

    def _loss(self, values: NDArray[np.float64]) -> float:
        labels = self.places[0]
        self.sums, self.sizes = cluster_sums(self.matrix, labels, len(self.medoids))
        return 1 - float(silhouettes_of(self.sums, self.sizes, labels).mean())

    def _look(self, arms: Any, values: Any, positions: Any) -> None:
        from . import kernels

        totals = np.empty(len(self.medoids))
        for i, arm in enumerate(arms):
            values[i] = np.inf
            if not self.is_medoid[arm]:
                state = self.values, self.places, self.sums, self.sizes
                kernels.silhouettes_after(self.matrix, arm, *state, totals)
                positions[i] = totals.argmax()
                values[i] = -totals[positions[i]]


def cluster_sums(
    matrix: Matrix, labels: NDArray[Any], k: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The sum of each point's distances to each cluster, of shape (k, n); and their sizes."""
    sums = [matrix[labels == label].sum(axis=0, dtype=np.float64) for label in range(k)]
    return np.array(sums), np.bincount(labels, minlength=k)


def silhouettes_of(
    sums: NDArray[np.float64], sizes: NDArray[np.int64], labels: NDArray[Any]
) -> NDArray[np.float64]:
    """Rousseeuw's silhouette of each point; 0 in a cluster of one, and where there is one only."""
    from . import kernels

    out = np.empty(len(labels))
    kernels.silhouettes(sums, sizes, labels, out)
    return out
