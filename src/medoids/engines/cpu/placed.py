"""Medoids that are placed, and what all points pay: what both engines of the CPU share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._types import Floats, Indices
from ..protocol import Values
from ..sites import Sites
from .points.base import Points
from .points.weighted import WeightedPoints
from .state import State
from .step import Step


class _Confirmed(NamedTuple):
    """An arm with its value and its row: the lowest since a medoid was placed."""

    value: float = np.inf
    arm: int = -1
    row: NDArray[np.float64] = np.empty(0)


class Placed(ABC):
    """The part of `Medoids` that needs no more than rows of distances in float64.

    Parameters
    ----------
    n, n_rows, n_clusters : int
        Points, rows of which some or all may be medoids, and medoids.
    counter : Points
        Where distances are counted.
    sites : Sites
        Which points may be medoids.
    room : float
        Bytes that rows of medoids may take; else some of their distances are computed anew for
        each swap.
    """

    def __init__(
        self, n: int, n_rows: int, n_clusters: int, counter: Points, sites: Sites, room: float
    ) -> None:
        self.n, self.n_rows, self.n_clusters, self.sites = n, n_rows, n_clusters, sites
        self.n_arms = n_rows if sites.allowed is None else int(sites.allowed.sum())
        self._counter, self.workers = counter, counter.workers
        self.nonnegative = counter.nonnegative
        kept = n_clusters if 8 * n * n_clusters <= room else 0
        self.state = State(n, kept, len(sites.fixed), self.workers)
        self._confirmed = _Confirmed()
        self._step: Step | None = None

    @property
    def unit(self) -> float:
        return self._counter.unit

    @property
    def n_distances(self) -> int:
        return self._counter.n_distances

    @property
    def medoids(self) -> list[int]:
        return self.state.medoids

    @property
    def fixed(self) -> list[int]:
        return list(self.sites.fixed)

    @property
    def loss(self) -> float:
        return self.state.loss

    @abstractmethod
    def rows(self, arms: Indices) -> NDArray[np.float64]:
        """Distances from each arm to every point, in float64."""

    @abstractmethod
    def between(self, refs: Indices) -> Floats:
        """Distances from each medoid to some points, in float64."""

    @abstractmethod
    def block(self, arms: Indices, refs: Indices) -> Floats:
        """Distances from some arms to some points."""

    def start(self, medoids: Sequence[int]) -> None:
        rows = np.array(medoids, dtype=np.int64)
        for some in (rows[at : at + 64] for at in range(0, len(rows), 64)):
            for medoid, row in zip(some, self.rows(some), strict=True):
                self.state.add(int(medoid), row)

    def place(self, position: int, medoid: int) -> None:
        row = self._row(medoid)
        if position == self.state.k:
            self.state.add(medoid, row)
        else:
            self.state.replace(position, medoid, row, self.between)
        self._confirmed = _Confirmed()

    def loss_after(self, position: int, medoid: int) -> float:
        return self.state.loss_after(position, self._row(medoid))

    def _row(self, arm: int) -> NDArray[np.float64]:
        if arm != self._confirmed.arm:
            self.pin(arm, self.rows(np.array([arm]))[0])
        return self._confirmed.row

    def pin(self, arm: int, row: NDArray[np.float64]) -> None:
        """Remember the row of an arm that is about to be placed."""
        self._confirmed = _Confirmed(-np.inf, arm, row)

    def confirm(self, arms: Indices, swap: bool) -> tuple[Values, Indices]:
        rows = self.rows(arms)
        values = self.step(swap).values(rows, np.arange(len(rows)), self.workers)
        lowest = values.min(axis=1)
        i = int(lowest.argmin())
        if lowest[i] < self._confirmed.value:
            self._confirmed = _Confirmed(float(lowest[i]), int(arms[i]), rows[i].copy())
        return lowest, values.argmin(axis=1)

    def step(self, swap: bool) -> Step:
        """What arms would change; the same as long as the medoids are."""
        if (
            self._step is None
            or self._step.swap != swap
            or self._step.version != self.state.version
        ):
            self._step = Step(self.state, swap)
        return self._step

    def labels(self) -> NDArray[np.int32]:
        counter, owner = self._counter, self.state.owner
        if isinstance(counter, WeightedPoints):
            # To those that weigh nothing all medoids are equally near, until it is taken away.
            nothing = np.flatnonzero(counter.weights == 0)
            owner = owner[: counter.n].copy()  # without copies of heavy points
            owner[nothing] = counter.points.exact(np.array(self.medoids), nothing).argmin(axis=0)
            return owner
        return owner.copy()

    def draw(self, rng: np.random.Generator) -> int:
        state = self.state
        weight = np.maximum(state.nearest, 0.0) if state.k else np.ones(self.n)
        if self.sites.weights is not None:  # a heavy point may be split into several
            alone = weight / self._multiplied_by(np.arange(self.n)) if state.k else weight
            weight = alone * self.sites.weights
        open_ = self.sites.of_rows(self.n)
        open_[state.medoids] = False
        weight = np.where(open_, weight, 0.0)
        if not weight.sum() > 0:  # only copies of medoids are left
            weight = open_.astype(float)
        return int(rng.choice(self.n, p=weight / weight.sum()))

    def draw_some(self, count: int, rng: np.random.Generator) -> Indices:
        return self.sites.draw(self.medoids, self.n_rows, count, rng)

    def free(self) -> int:
        open_ = self.sites.of_rows(self.n_rows)
        open_[self.medoids] = False
        return int(open_.argmax())

    def missed_least(self) -> int:
        removal = self.step(True).removal
        return int(removal.argmin())

    def silhouette(self) -> float | None:
        nearest, second = self.state.nearest, self.state.second
        if self.state.k < 2 or nearest.min() < 0:
            return None
        # 0 / 0 counts as 0. Weights cancel in the ratio.
        ratio = np.divide(nearest, second, out=np.zeros(self.n), where=second > 0)
        return float(np.average(1 - ratio, weights=self.multipliers()))

    def best_among(self, some: Indices) -> int:
        block, nearest = self.block(some, some), self.state.nearest[some]
        if self.sites.weights is not None:  # they were drawn by weight: now each counts the same
            weights = self._multiplied_by(some)
            block, nearest = block / weights, nearest / weights
        pays = np.minimum(block, nearest)
        return int(some[pays.sum(axis=1, dtype=np.float64).argmin()])

    def _multiplied_by(self, some: Indices) -> Values:
        """What the distances to some points are multiplied by; 1 where that is nothing."""
        all_of_them = self.multipliers()
        if all_of_them is None:
            return np.ones(len(some))
        return np.where(all_of_them[some] > 0, all_of_them[some], 1.0)

    def multipliers(self) -> Values | None:
        """What the distances to each point are multiplied by: its weight."""
        return self._counter.weights
