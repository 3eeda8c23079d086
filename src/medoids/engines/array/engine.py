"""The engine of a device: rows where they live, and a search for medoids among them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._tuning import Tuning
from ..plain import WithoutNear
from ..protocol import Engine, Ids
from ..sites import Sites
from .arms import ArrayArms
from .bounds import Bounds
from .carried import Carried
from .held import precision
from .kept import KeptRows
from .matrix import ArrayMatrix
from .namespace import Array
from .placed import Placed
from .rows import ArrayPoints, ArrayRows, GivenDistances
from .sample import Sample

# References that every arm is measured on: so many, fewer of very many arms, and so many for each
# cluster.
_FIRST, _PAIRS, _FEWEST, _PER_CLUSTER = 2048, 1 << 32, 512, 32
# All of them, if there are no more pairs (and see `held`).
_SMALL = 100_000_000
# Shares of the memory limit: the first block, leaders' rows, medoids' rows, and rows as bytes.
_BLOCK, _KEPT, _MEDOIDS, _COPY = 0.4, 0.1, 0.1, 0.05
# Points that a start is rehearsed with on a GPU, if there are so many times as many.
_REHEARSED, _EACH = 65_536, 4


class ArrayEngine(Placed, WithoutNear):
    """Points, and a search for medoids among them; see `Engine` for what each method promises.

    It also serves the methods that look at all distances, where these fit into the device.

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
        super().__init__(points, n_clusters, sites, _MEDOIDS * room)
        self.room, self.rng, self.tuning = room, rng, tuning
        if isinstance(points, ArrayRows):
            points.room = _COPY * room
        # What of the mean over all points an arm's own reward is.
        weights = self.state.weights
        self.share: Any = 1 / self.n if weights is None else weights / self.n
        self.mean_weight = 1.0 if sites.weights is None else float(sites.weights.mean())
        self._sample: Sample | None = None
        self._kept: KeptRows | None = None
        self._carried: Carried | None = None
        self.led: Ids = np.empty(0, dtype=np.int64)  # arms that led the last search
        self.useful: dict[bool, int] = {}
        self.bounds: Bounds | None = None  # what earlier searches have shown
        # All distances, in float64 or not: for every start the same.
        self._matrices: dict[bool, Array] = {}

    def _exact_row(self, arm: int) -> Array:
        return self.points.exact_row(arm)

    def _between(self, refs: Array) -> Array:
        return self.points.exact(self.space.ids(self.medoids), refs)

    def _roughly_between(self, refs: Array) -> Array:
        return self.points.block(self.space.ids(self.medoids), refs)

    def _block(self, arms: Array, refs: Array) -> Array:
        return self.points.block(arms, refs)

    def homes(self, arms: Ids) -> Array:
        """Who owns each arm."""
        return self.space.take(self.state.owner, self.space.ids(arms))

    # --- searches

    @property
    def sample(self) -> Sample:
        """The references, in one random order."""
        if self._sample is None:
            size, given = None, self.tuning.first_block
            if given is None or given >= self.n:
                room, weights = _BLOCK * self.room, self.sites.weights
                size = precision(self.points, self.n_clusters, room, weights)
            first = self.n if size else self._first_block()
            self._sample = Sample(self.points, first, self.sites, self.rng, size)
        return self._sample

    @property
    def carried(self) -> Carried | None:
        """Sums over all points, where all distances are held."""
        held, fused = self.sample.held, self.space.fused
        if held is None or self.n_clusters > fused.MOST_CLUSTERS:
            return None
        if self._carried is None:
            about = self.state, len(self.sites.fixed), self.sites.allowed
            self._carried = Carried(held, self.points, *about)
        return self._carried

    @property
    def mean_weight_of_sample(self) -> float:
        """What the mean over references is multiplied by: those that weigh more are there more."""
        return self.mean_weight if self.sample.weighted else 1.0

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
        first = max(min(_FIRST, _PAIRS // n), _FEWEST, _PER_CLUSTER * self.n_clusters)
        fits = int(_BLOCK * self.room // (4 * self.n_rows))
        whole = (n**2 <= _SMALL or 2 * first >= n) and fits >= n
        return n if whole else max(min(first, fits, n), min(64, n))

    def screen(self, swap: bool, z: float) -> ArrayArms:
        return ArrayArms(self, swap, z)

    def carrying(self) -> ArrayEngine | None:
        return None if self.carried is None else self

    def close(self, swap: bool) -> Ids:
        """The best arm by sums that are carried: see `AllArms`."""
        carried: Any = self.carried
        found: Ids = carried.close(self.step(swap))
        self._foresee(carried.ahead)
        return found

    def forget(self) -> None:
        self.bounds = None

    def seem_best(self, count: int) -> Ids:
        space, xp, sample, step = self.space, self.space.xp, self.sample, self.step(False)
        clips, parts = step.at(sample.refs(self.first)), []
        for start, stop in space.chunks(self.n, self.first):
            rewards = clips.rewards(space, sample.part(start, stop))
            if sample.counts is not None:
                rewards = rewards * sample.counts
            parts.append(xp.mean(rewards, axis=1))
        estimate = space.cast(xp.concat(parts), xp.float64) * self.mean_weight_of_sample
        estimate = xp.where(
            self._open() > 0, estimate + step.own(self.points.itself)[0] * self.share, np.inf
        )
        order = xp.argsort(estimate, stable=True)
        few = min(count, self.n_arms - self.state.k)
        return np.sort(np.asarray(space.host(order[:few]), dtype=np.int64))

    def place_best(self, arms: Ids) -> int:
        xp, best = self.space.xp, (np.inf, -1)
        for part, rows in self.kept.parts(arms):
            values = self.step(False).judged(rows, self.homes(arms[part]))[0][:, 0]
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
                changes = step.judged(rows[at:stop, :], self.homes(some[at:stop]))[0] + step.stays
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

    def some_points(self, count: int, which: int) -> tuple[ArrayEngine, Ids] | None:
        size = self._rehearsed(count)
        rows = self.sample.from_the_end(size, which)
        allowed = None if self.sites.allowed is None else self.sites.allowed[rows]
        arms = len(rows) if allowed is None else int(allowed.sum())
        if arms < self.tuning.fewest_each * self.n_clusters:
            return None
        ids, tuning = self.space.ids(rows), self.tuning
        points: ArrayPoints
        if len(rows) > count and isinstance(self.points, ArrayRows):
            points = self.points.some(ids)
        else:
            points = GivenDistances(self.points.block(ids, ids))
            tuning = tuning._replace(first_block=len(rows))
        sites = Sites((), allowed)
        return ArrayEngine(points, self.n_clusters, self.room, self.rng, tuning, sites), rows

    def _rehearsed(self, count: int) -> int:
        """How many points a start is rehearsed with: on a GPU many cost as little as a few."""
        room, many = _BLOCK * self.room, _REHEARSED
        if _EACH * many <= self.n and precision(self.points, self.n_clusters, room, None, many):
            return max(count, many)
        return min(count, self.n, int(math.sqrt(_BLOCK * self.room / 8)))

    def prepared(self, rough: bool = False) -> ArrayEngine:
        return self

    def fresh(self, n_clusters: int | None = None) -> ArrayEngine:
        k = n_clusters or self.n_clusters
        other = ArrayEngine(self.points, k, self.room, self.rng, self.tuning, self.sites)
        other._sample, other._kept = self._sample, self._kept
        other._matrices = self._matrices
        return other

    def again(self, n_clusters: int | None = None) -> ArrayEngine:
        return self.fresh(n_clusters)

    # --- what the methods ask that look at all distances

    def bytes_held(self, exact: bool = False) -> float:
        return (8.0 if exact else 4.0) * self.n**2

    def matrix(self, *, exact: bool = False, confirmed: bool = False) -> ArrayMatrix:
        if exact not in self._matrices:
            xp, space, n = self.space.xp, self.space, self.n
            dtype = xp.float64 if exact else xp.float32
            found = xp.empty((n, n), dtype=dtype, device=space.device)
            for start, stop in space.chunks(n, n):
                arms = space.arange(start, stop)
                found[start:stop, ...] = (
                    self.points.exact(arms) if exact else self.points.whole(arms)
                )
            self._matrices[exact] = found
        truth = self.points if confirmed else None
        return ArrayMatrix(self._matrices[exact], self.points, self.n_clusters, self.sites, truth)

    def draw_references(self, count: int, rng: np.random.Generator) -> Ids:
        return self.sites._replace(allowed=None).draw([], self.n, count, rng)

    def batch(self, chosen: Ids, weighting: bool) -> ArrayMatrix:
        space, xp = self.space, self.space.xp
        rows = self.points.rows(0, self.n, space.ids(chosen))
        each = self.sites.weights
        counts = np.full(len(chosen), (self.n if each is None else each.sum()) / len(chosen))
        if weighting:  # a reference stands for the points that it is the nearest of
            nearest = space.host(xp.argmin(rows, axis=1))
            counts = np.bincount(nearest, each, minlength=len(chosen)).astype(np.float64)
        rows = rows * space.array(counts, xp.float32)[None, :]
        sites = self.sites._replace(weights=None)
        return ArrayMatrix(rows, self.points, self.n_clusters, sites)

    def rough_loss(self, medoids: Sequence[int]) -> float:
        xp, space = self.space.xp, self.space
        rows = self.points.whole(space.ids(medoids))
        return self.state.total(space.cast(xp.min(rows, axis=0), xp.float64))


if TYPE_CHECKING:
    _offers: type[Engine] = ArrayEngine
