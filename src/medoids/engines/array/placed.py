"""Medoids that are placed on a device, and what all points pay."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ..protocol import Ids, Values
from ..sites import Sites
from .carried import Ahead
from .namespace import Array
from .rows import ArrayPoints
from .state import State
from .step import Step


class Placed(ABC):
    """The part of `Medoids` that needs no more than rows of distances in float64.

    Parameters
    ----------
    points : ArrayPoints
        Where distances are counted.
    n_clusters : int
        How many medoids there will be.
    sites : Sites
        Which points may be medoids, which are, and how much each counts.
    room : float
        Bytes that rows of medoids may take.
    n : int, default=None
        How many pay, if these are not the points.
    """

    def __init__(
        self, points: ArrayPoints, n_clusters: int, sites: Sites, room: float, n: int | None = None
    ) -> None:
        self.points, self.n_clusters, self.sites = points, n_clusters, sites
        self.space, self.n, self.n_rows = points.space, n or points.n, points.n_rows
        self.n_arms = self.n_rows if sites.allowed is None else int(sites.allowed.sum())
        self.nonnegative, self.unit = points.nonnegative, points.unit
        weights = None if sites.weights is None else self.space.array(sites.weights)
        rows = n_clusters if 8 * self.n * n_clusters <= room else 0
        self.state = State(self.space, self.n, rows, weights)
        self._step: Step | None = None
        self._exact: dict[int, Array] = {}  # rows of arms since a medoid was placed
        self._ahead: Ahead | None = None  # what one of them leads to

    # --- the medoids so far

    @property
    def n_distances(self) -> int:
        return self.points.n_distances

    @property
    def medoids(self) -> list[int]:
        return self.state.medoids

    @property
    def fixed(self) -> list[int]:
        return list(self.sites.fixed)

    @property
    def loss(self) -> float:
        return self.state.loss

    def start(self, medoids: Sequence[int]) -> None:
        for left, medoid in zip(range(len(medoids) - 1, -1, -1), medoids, strict=True):
            self.state.add(medoid, self._exact_row(int(medoid)), last=not left)
        self._exact.clear()

    def place(self, position: int, medoid: int) -> None:
        row, ahead = self._row(int(medoid)), self._foreseen(medoid)
        if ahead is not None and ahead.position == position:
            self.state.adopt(position, medoid, row, ahead.found, ahead.sums)
        elif position == self.state.k:
            self.state.add(medoid, row)
        else:
            self.state.replace(position, medoid, row, self._between)
        self._exact.clear()

    def loss_after(self, position: int, medoid: int) -> float:
        ahead = self._foreseen(medoid)
        if ahead is not None and ahead.position == position:
            return float(ahead.sums[0])
        return self.state.loss_after(position, self._row(int(medoid)))

    def _foresee(self, ahead: Ahead | None) -> None:
        """Know what an arm leads to, before it is placed."""
        self._ahead = ahead
        if ahead is not None:
            self._exact[ahead.arm] = ahead.row

    def _foreseen(self, arm: int) -> Ahead | None:
        """What an arm leads to, where that is known."""
        ahead, now = self._ahead, self._step
        if ahead is None or ahead.step is not now or now.version != self.state.version:
            return None
        return ahead if ahead.arm == arm else None

    def _row(self, arm: int) -> Array:
        if arm not in self._exact:
            self._exact[arm] = self._exact_row(arm)
        return self._exact[arm]

    @abstractmethod
    def _exact_row(self, arm: int) -> Array:
        """From an arm to every point, in float64."""

    @abstractmethod
    def _between(self, refs: Array) -> Array:
        """From each medoid to some points, in float64."""

    @abstractmethod
    def _block(self, arms: Array, refs: Array) -> Array:
        """From some arms to some points."""

    def confirm(self, arms: Ids, swap: bool) -> tuple[Values, Ids]:
        step, best = self.step(swap), -1
        values, replaces = np.empty(len(arms)), np.empty(len(arms), dtype=np.int64)
        for i, arm in enumerate(arms.tolist()):
            row, ahead = self._row(arm), self._foreseen(arm)
            found = step.values(row) if ahead is None else step.best_of(ahead.changes)
            values[i], replaces[i] = found
            # The row of the best is kept, for it may be placed.
            if best >= 0 and values[i] >= values[best]:
                self._exact.pop(arm)
            else:
                if best >= 0:
                    self._exact.pop(int(arms[best]))
                best = i
        return values, replaces

    def step(self, swap: bool) -> Step:
        """What arms would change; the same as long as the medoids are."""
        now = self._step
        if now is None or now.swap != swap or now.version != self.state.version:
            self._step = now = Step(self.state, swap, len(self.sites.fixed))
        return now

    def labels(self) -> Array:
        """For each point the position of its medoid, on the device."""
        return self.space.cast(self.state.owner, self.space.xp.int32)

    # --- chance

    def _open(self) -> Array:
        """Which rows may be medoids and are none: 1.0 or 0.0."""
        space = self.space
        open_ = space.full(self.n_rows, 1.0)
        if self.sites.allowed is not None:
            open_ = space.array(self.sites.allowed.astype(np.float64))
        return space.put(open_, space.ids(sorted(self.medoids)), 0.0)

    def candidates(self) -> Array:
        """The arms of a step, in ascending order."""
        return self.space.flat(self._open() > 0)

    def draw(self, rng: np.random.Generator) -> int:
        space, xp, state = self.space, self.space.xp, self.state
        weight = xp.clip(state.nearest, min=0.0) if state.k else space.full(self.n, 1.0)
        if state.weights is not None:
            weight = weight * state.weights
        open_ = self._open()
        sums = xp.cumulative_sum(weight * open_)
        if not float(sums[-1]) > 0:  # only copies of medoids are left
            sums = xp.cumulative_sum(open_)
        drawn = space.array(np.array([rng.random() * float(sums[-1])]))
        return int(xp.searchsorted(sums, drawn, side="right")[0])

    def draw_some(self, count: int, rng: np.random.Generator) -> Ids:
        return self.sites.draw(self.medoids, self.n_rows, count, rng)

    def free(self) -> int:
        return int(self.candidates()[0])

    def missed_least(self) -> int:
        step = self.step(True)
        return int((step.removal + step.stays).argmin())

    def silhouette(self) -> float | None:
        xp, state = self.space.xp, self.state
        if state.k < 2 or bool(xp.any(state.nearest < 0)):
            return None
        ratio = xp.where(state.second > 0, state.nearest / state.second, 0.0)
        if state.weights is None:
            return 1 - float(xp.mean(ratio))
        return 1 - float(xp.sum(ratio * state.weights) / xp.sum(state.weights))

    def best_among(self, some: Ids) -> int:
        xp, ids = self.space.xp, self.space.ids(some)
        near = self.space.cast(self.space.take(self.state.nearest, ids), xp.float32)
        pays = xp.minimum(self._block(ids, ids), near[None, :])
        return int(some[int(xp.argmin(xp.sum(pays, axis=1, dtype=xp.float64)))])
