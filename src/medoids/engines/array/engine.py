"""The engine of a device: rows where they live, and a search for medoids among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..._tuning import Tuning
from ..protocol import Engine, Ids, Values
from ..sites import Sites
from .arms import ArrayArms
from .kept import KeptRows
from .namespace import Array
from .rows import ArrayPoints
from .sample import Sample
from .state import State
from .step import Step

# References that every arm is measured on: so many, and so many for each cluster.
_FIRST, _PER_CLUSTER = 2048, 32
# All of them, if there are no more pairs.
_SMALL = 100_000_000
# Shares of the memory limit: the first block, leaders' rows, medoids' rows.
_BLOCK, _KEPT, _MEDOIDS = 0.4, 0.1, 0.1


class ArrayEngine:
    """Points, and a search for medoids among them; see `Engine` for what each method promises.

    Parameters
    ----------
    points : ArrayPoints
    n_clusters : int
        How many medoids there will be.
    room : float
        The memory limit of the device, in bytes.
    rng : Generator
        Draws the order of the references.
    tuning : Tuning
    sites : Sites, default=Sites()
        Which points may be medoids, which are, and how much each counts.
    """

    def __init__(
        self,
        points: ArrayPoints,
        n_clusters: int,
        room: float,
        rng: np.random.Generator,
        tuning: Tuning,
        sites: Sites = Sites(),  # noqa: B008
    ) -> None:
        self.points, self.n_clusters, self.room = points, n_clusters, room
        self.rng, self.tuning, self.sites = rng, tuning, sites
        self.space, self.n, self.n_rows = points.space, points.n, points.n_rows
        self.n_arms = self.n_rows if sites.allowed is None else int(sites.allowed.sum())
        self.nonnegative, self.unit = points.nonnegative, points.unit
        weights = None if sites.weights is None else self.space.array(sites.weights)
        self.mean_weight = 1.0 if sites.weights is None else float(sites.weights.mean())
        rows = n_clusters if 8 * self.n * n_clusters <= _MEDOIDS * room else 0
        self.state = State(self.space, self.n, rows, weights)
        self._sample: Sample | None = None
        self._kept: KeptRows | None = None
        self._step: Step | None = None
        self.led: Ids = np.empty(0, dtype=np.int64)  # arms that led the last search
        self._exact: dict[int, Array] = {}  # rows of arms since a medoid was placed

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
        for medoid in medoids:
            self.place(len(self.medoids), medoid)

    def place(self, position: int, medoid: int) -> None:
        row = self._row(int(medoid))
        if position == self.state.k:
            self.state.add(medoid, row)
        else:
            self.state.replace(position, medoid, row, self._between)
        self._exact.clear()

    def loss_after(self, position: int, medoid: int) -> float:
        return self.state.loss_after(position, self._row(int(medoid)))

    def _row(self, arm: int) -> Array:
        """From an arm to every point, in float64."""
        if arm not in self._exact:
            self._exact[arm] = self.points.exact(self.space.ids([arm]))[0, :]
        return self._exact[arm]

    def _between(self, refs: Array) -> Array:
        return self.points.exact(self.space.ids(self.medoids), refs)

    def _roughly_between(self, refs: Array) -> Array:
        return self.points.block(self.space.ids(self.medoids), refs)

    def confirm(self, arms: Ids, swap: bool) -> tuple[Values, Ids]:
        step, best = self.step(swap), -1
        values, replaces = np.empty(len(arms)), np.empty(len(arms), dtype=np.int64)
        for i, arm in enumerate(arms.tolist()):
            row = self._row(arm)
            values[i], replaces[i] = step.values(row)
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
        pays = xp.minimum(self.points.block(ids, ids), near[None, :])
        return int(some[int(xp.argmin(xp.sum(pays, axis=1, dtype=xp.float64)))])

    # --- searches

    @property
    def sample(self) -> Sample:
        """The references, in one random order."""
        if self._sample is None:
            self._sample = Sample(self.points, self._first_block(), self.sites, self.rng)
        return self._sample

    @property
    def kept(self) -> KeptRows:
        if self._kept is None:
            self._kept = KeptRows(self.sample, _KEPT * self.room)
        return self._kept

    @property
    def first(self) -> int:
        return self.sample.first

    def _first_block(self) -> int:
        n, given = self.n, self.tuning.first_block
        if given is not None:
            return min(given, n)
        first = max(_FIRST, _PER_CLUSTER * self.n_clusters)
        fits = int(_BLOCK * self.room // (4 * self.n_rows))
        whole = (n**2 <= _SMALL or 2 * first >= n) and fits >= n
        return n if whole else max(min(first, fits, n), min(64, n))

    def screen(self, swap: bool, z: float) -> ArrayArms:
        return ArrayArms(self, swap, z)

    def forget(self) -> None:
        """Nothing is carried from step to step."""

    def seem_best(self, count: int) -> Ids:
        arms = ArrayArms(self, False, 0.0)
        return np.sort(arms.lowest(count))

    def place_best(self, arms: Ids) -> int:
        xp, best = self.space.xp, (np.inf, -1)
        for part, rows in self.kept.parts(arms):
            values = self.space.host(self.step(False).changes(rows))[:, 0]
            i = int(values.argmin())
            if (values[i], int(arms[part][i])) < best:
                best, row = (float(values[i]), int(arms[part][i])), rows[i, :]
        self.state.add(best[1], self.space.cast(row, xp.float64))
        return best[1]

    def swap_in(self, arms: Ids, margin: float) -> int:
        done, xp = 0, self.space.xp
        for part, rows in self.kept.parts(arms):
            some, at = arms[part], 0
            while at < len(some):
                step = self.step(True)
                stop = min(at + 32, len(some))
                changes = self.space.host(step.changes(rows[at:stop, :])) + step.stays
                taken = np.isin(some[at:stop], self.medoids)
                good = np.flatnonzero((changes.min(axis=1) < -margin) & ~taken)
                if not len(good):
                    at = stop
                    continue
                i = int(good[0])
                row = self.space.cast(rows[at + i, :], xp.float64)
                position = int(changes[i].argmin())
                self.state.replace(position, int(some[at + i]), row, self._roughly_between)
                done, at = done + 1, at + i + 1
        self._exact.clear()
        return done

    def sharpen(self) -> None:
        medoids = list(self.medoids)
        self.state.clear()
        self.start(medoids)

    # --- other engines on the same points

    def prepared(self) -> ArrayEngine:
        return self

    def fresh(self, n_clusters: int | None = None) -> ArrayEngine:
        k = n_clusters or self.n_clusters
        other = ArrayEngine(self.points, k, self.room, self.rng, self.tuning, self.sites)
        other._sample, other._kept = self._sample, self._kept
        return other

    def again(self, n_clusters: int | None = None) -> ArrayEngine:
        return self.fresh(n_clusters)


if TYPE_CHECKING:
    _offers: type[Engine] = ArrayEngine
