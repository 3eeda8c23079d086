"""The engine of the CPU: points of any kind, a cache of distances, and threads."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..._tuning import Tuning
from ..._types import Floats, Indices
from ..protocol import Changes, Values
from ..sites import Sites
from . import kernels
from .arms import CPUArms
from .cache.cache import Cache
from .cache.rows import ExactRows
from .carried import CarriedMatrix
from .held import Held, bytes_held, hold
from .matrix import CPUMatrix, weigh
from .points.among import PointsAmong
from .points.base import Points
from .points.matrix import HeldPoints, PrecomputedPoints
from .points.weighted import WeightedPoints
from .references import References
from .rewards.bounds import Bounds
from .rewards.rewards import Rewards
from .rewards.sums import Sums
from .small import SmallMatrix
from .swaps import EagerSwaps
from .targets import CPUTargets


class CPUEngine(EagerSwaps):
    """Points, and a search for medoids among them; see `FullEngine` for what each method promises.

    Parameters
    ----------
    points : Points
    n_clusters : int
        How many medoids there will be.
    room : float
        The memory limit, in bytes.
    rng : Generator
        Draws the order of the references.
    tuning : Tuning
    counter : Points, default=None
        Where distances are counted, if the points are made of others.
    sites : Sites, default=Sites()
        Which points may be medoids, which are, and how much each counts: in `points` it does.
    """

    def __init__(
        self,
        points: Points,
        n_clusters: int,
        room: float,
        rng: np.random.Generator,
        tuning: Tuning,
        counter: Points | None = None,
        sites: Sites = Sites(),  # noqa: B008
    ) -> None:
        counted = points if counter is None else counter
        super().__init__(points.n, points.n, n_clusters, counted, sites, tuning.medoid_rows * room)
        self.points, self.room, self.rng, self.tuning = points, room, rng, tuning
        self._exact = ExactRows(points, max(int(tuning.exact_rows * room // (8 * points.n)), 1))
        self._cache: Cache | None = None
        self._order: Indices | None = None
        self._drawn = _DrawnRows(points, room)
        self._bounds, self._first_sums = Bounds(), Sums(n_clusters)
        # What searches have cost beyond the matrix; and what refining arms did in each, since the
        # first references doubled.
        self._regret, self._searches = 0.0, 0
        self._refined: list[float] = []
        self._references: dict[Changes, References] = {}
        # All distances, in float64 or not, and points that hold them: for every start the same.
        self._matrices: dict[bool, Floats] = {}
        self._held: dict[str, HeldPoints] = {}
        self._carried: dict[str, Held | None] = {}

    # Not `cached_property`, whose lock all engines of a process would share in Python 3.11.
    @property
    def order(self) -> Indices:
        """One random order of the references."""
        if self._order is None:
            self._order = self.rng.permutation(self.n)
        return self._order

    @property
    def cache(self) -> Cache:
        """The distances that searches keep, along that order."""
        if self._cache is None:
            first = self.wanted
            self._cache = Cache(self.points, self.order, self.room, first, self.tuning)
        return self._cache

    def rows(self, arms: Indices) -> NDArray[np.float64]:
        return self._exact.of(arms)

    def between(self, refs: Indices) -> Floats:
        return self.points.exact(np.array(self.medoids), refs)

    def multipliers(self) -> Values | None:
        held = isinstance(self.points, HeldPoints)  # as they were when they were computed
        return super().multipliers() if held else self.points.weights

    @property
    def _plain(self) -> Points:
        """The points without their weights."""
        return self.points.points if isinstance(self.points, WeightedPoints) else self.points

    def block(self, arms: Indices, refs: Indices) -> Floats:
        return self.points.block_array(arms, refs)

    @property
    def first(self) -> int:
        return self.n if self._hold_all() is not None else self.cache.first

    # --- searches

    @property
    def wanted(self) -> int:
        """How many references every arm is measured on at once; all, where that is hardly more."""
        n, points, tuning = self.n, self.points, self.tuning
        if tuning.first_block is not None:
            return min(tuning.first_block, n)
        each = tuning.per_cluster_bytes if points.in_bytes else tuning.per_cluster
        first = max(tuning.fewest_first, each * self.n_clusters)
        small = n**2 <= tuning.small_pairs and n**2 * points.cost <= tuning.small_cost
        return n if small or 2 * first >= n else first

    def screen(self, swap: bool, z: float) -> CPUArms:
        known = self._bounds, self._first_sums
        rewards = Rewards(self.cache, self.step(swap), z, *known, self.tuning)
        candidates = self.sites.of_rows(self.n)
        candidates[self.medoids] = False
        return CPUArms(rewards, self._learn, np.flatnonzero(candidates))

    def _learn(self, work: float, refined: float) -> None:
        """Compute more distances at once, where searches have cost as much.

        All that are left, once searches have cost more than that; or those to twice as many first
        references, once so much was spent on arms that these would have dropped. The costs
        are counted, not measured, so that the result stays the same.
        """
        cache, tuning = self.cache, self.tuning
        if cache.fits and cache.first < self.n and tuning.completes:
            excess = work - tuning.screened * self.n**2
            self._regret = max(self._regret + excess, 0.0)
            if self._regret > cache.levels.missing() * self.points.cost:
                cache.complete()
        self._refined.append(refined)
        self._searches += 1
        spent = sum(self._refined)
        if 2 * self._searches >= self.n_clusters:
            # SWAP is taken to have as many steps as BUILD, and those to come to be as the last are.
            last = self._refined[-tuning.foreseen :]
            spent += sum(last) / len(last) * max(2 * self.n_clusters - self._searches, 0)
        each = (self.points.cost_of_many or self.points.cost) + tuning.summed
        if cache.may_double and spent > tuning.growing * each * self.n * cache.first:
            cache.double()
            self._refined.clear()

    def forget(self) -> None:
        self._bounds = Bounds()

    def _split(self) -> CPUEngine:
        """An engine on which no point weighs far more than others: a sample would miss those."""
        points, n, tuning = self.points, self.n, self.tuning
        if not isinstance(points, WeightedPoints) or self.wanted >= n:
            return self
        most = tuning.heaviest_weight * float(points.weights.mean())
        if points.weights.max() <= most:
            return self
        parts = points.split(most)
        allowed = np.zeros(parts.n, dtype=bool)
        allowed[:n] = self.sites.of_rows(n)
        # Rows are drawn by their whole weight, copies never.
        weights = np.concatenate([points.weights, np.zeros(parts.n - n)])
        sites = Sites(self.sites.fixed, allowed, weights)
        return CPUEngine(parts, self.n_clusters, self.room, self.rng, tuning, self._counter, sites)

    def prepared(self, rough: bool = False) -> CPUEngine:
        other = self._split()
        return other if other is not self else self._with_all(rough)

    def _with_all(self, rough: bool) -> CPUEngine:
        # All distances are held in float64 where a search would compute them twice: where all are
        # computed anyway, and so many arms have to be confirmed in float64 that it comes to much
        # of them, with many clusters or with many ties.
        points, tuning, n = self.points, self.tuning, self.n
        if not rough and self._is_small:
            return self
        slow = points.slow_exact and n**2 * points.cost > tuning.slow_exact
        if slow or self.wanted < n or 12 * n**2 > tuning.all_exact * self.room:
            return self
        each = tuning.confirmed_last if rough else tuning.confirmed
        few = n > tuning.few_points and each * self.n_clusters < tuning.twice * n
        if few and not _tied(points):
            return self
        return self._on(HeldPoints(points, exact=True))

    def carrying(self) -> CarriedMatrix | SmallMatrix | None:
        if self._is_small:
            rough = self.points.in_float32
            return SmallMatrix(
                self._all(exact=not rough), self.n_clusters, self._counter,
                self.points if rough else None, self.sites,
            )  # fmt: skip
        held = self._hold_all(rough=False)
        if held is None:
            return None
        room = self.tuning.medoid_rows * self.room
        return CarriedMatrix(held, self.points, self.n_clusters, self._counter, self.sites, room)

    def _hold_all(self, rough: bool = True) -> Held | None:
        if "held" not in self._carried:
            if not self._worth_carrying(rough):
                return None
            self._carried["held"] = hold(self.points, self.n_clusters)
        return self._carried["held"]

    @property
    def _is_small(self) -> bool:
        """PAM's steps on all distances take less time than to compile a search."""
        n, tuning = self.n, self.tuning
        fits = 16 * n**2 <= tuning.all_exact * self.room and tuning.first_block is None
        return fits and self.points.few and self.wanted >= n

    def _worth_carrying(self, rough: bool) -> bool:
        """Searches would take longer than all distances do, and these fit into memory."""
        points, tuning, n = self.points, self.tuning, self.n
        forced = tuning.first_block is not None
        if forced or self.wanted >= n or not (points.symmetric and points.nonnegative):
            return False
        # With a sum for each arm and medoid.
        takes = bytes_held(n) + 8 * n * self.n_clusters
        fits = takes <= tuning.carried * self.room and 8 * self.n_clusters <= n
        each = (points.cost_of_many or points.cost) / 2 + tuning.carrying
        searching = tuning.searching_eager if rough else tuning.searching
        searches = searching * (1 + points.cost / tuning.dear) * self.n_clusters
        return fits and n * each <= searches and points.threadable

    # --- other engines on the same points

    def some_points(self, count: int, which: int) -> tuple[CPUEngine, Indices] | None:
        k = self.n_clusters
        size = min(count, self.n)
        if not self.near:  # distances between them are kept, and a copy
            size = min(size, int(math.sqrt(self.tuning.levels * self.room / 8)))
        # From the end of the order, as long as there are such.
        places = np.arange(-(which + 1) * size, -which * size) % self.n
        rows = np.sort(self.order[places])
        allowed = None if self.sites.allowed is None else self.sites.allowed[rows]
        arms = len(rows) if allowed is None else int(allowed.sum())
        if arms < self.tuning.fewest_each * k:
            return None
        sites = Sites((), allowed)
        if self.near:
            among = PointsAmong(self.points, rows)
            few = CPUEngine(among, k, self.room, self.rng, self.tuning, self._counter, sites)
            return few, rows
        cache = self.cache
        if cache.first == self.n:
            block = np.ascontiguousarray(cache.columns.block[cache.position[rows]][:, rows].T)
        else:
            block = self.block(rows, rows)
        points = PrecomputedPoints(block, self.workers)
        return CPUEngine(points, k, self.room, self.rng, self.tuning, sites=sites), rows

    def _on(self, points: Points, n_clusters: int | None = None) -> CPUEngine:
        """The same with other distances."""
        k, counter = n_clusters or self.n_clusters, self._counter
        return CPUEngine(points, k, self.room, self.rng, self.tuning, counter, self.sites)

    def fresh(self, n_clusters: int | None = None) -> CPUEngine:
        other = self._on(self.points, n_clusters)
        other._drawn = self._drawn  # rows that are kept serve both
        other._matrices, other._held = self._matrices, self._held
        other._carried = self._carried
        other._exact, other._cache, other._order = self._exact, self._cache, self._order
        if self._cache is not None:
            self._cache.forget()
        return other

    def again(self, n_clusters: int | None = None) -> CPUEngine:
        other = self.fresh(n_clusters)
        other._references = self._references
        return other

    def bytes_held(self, exact: bool = False) -> float:
        return 8 * self.n**2 if exact else self.points.whole_bytes

    def holding(self) -> CPUEngine:
        if "held" not in self._held:
            self._held["held"] = HeldPoints(self.points)
        return self._on(self._held["held"])

    def draw_sample(
        self, size: int, medoids: Sequence[int], rng: np.random.Generator
    ) -> tuple[Indices, Indices | None]:
        kept = np.array(medoids, dtype=np.int64)
        drawn = self.sites.draw(list(medoids), self.n, size - len(kept), rng)
        if self.sites.weights is None:
            return np.concatenate([kept, drawn]), None
        # As if each row were there as often as it weighs: so a heavy one is drawn again and again.
        p = self.sites.weights / self.sites.weights.sum()
        counts = np.bincount(rng.choice(self.n, size, p=p), minlength=self.n)
        seen = np.setdiff1d(np.flatnonzero(counts), kept)
        missing = self.n_clusters - len(kept) - len(seen)
        if missing > 0:  # too few to be medoids
            others = drawn[~np.isin(drawn, seen)][:missing]
            seen = np.concatenate([seen, others])
        chosen = np.concatenate([kept, seen])
        return chosen, np.maximum(counts[chosen], self.sites.weights[chosen] > 0)

    def sample(self, chosen: Indices, counts: Indices | None = None) -> CPUEngine:
        block = self._plain.block_array(chosen, chosen)
        if counts is not None:
            block *= counts.astype(np.float32)
        points = PrecomputedPoints(block, self.workers)
        return CPUEngine(points, self.n_clusters, self.room, self.rng, self.tuning)

    def matrix(self, *, exact: bool = False, confirmed: bool = False) -> CPUMatrix:
        truth = self.points if confirmed else None
        return CPUMatrix(self._all(exact), self.n_clusters, self._counter, truth, self.sites)

    def _all(self, exact: bool) -> Floats:
        """All distances, in float64 or not: computed once for all starts."""
        if exact not in self._matrices:
            every = np.arange(self.n)
            self._matrices[exact] = self.points.exact(every) if exact else self.points.whole()
        return self._matrices[exact]

    def draw_references(self, count: int, rng: np.random.Generator) -> Indices:
        return self.sites._replace(allowed=None).draw([], self.n, count, rng)

    def batch(self, chosen: Indices, weighting: bool) -> CPUMatrix:
        rows = self._plain.block_array(np.arange(self.n), chosen)
        weigh(rows, weighting, self.workers, self.sites.weights)
        return CPUMatrix(rows, self.n_clusters, self._counter, sites=self.sites)

    # --- what other methods ask

    def rough_loss(self, medoids: Sequence[int]) -> float:
        rows = self.block(np.array(medoids), np.arange(self.n))
        return float(rows.min(axis=0).sum(dtype=np.float64))

    def sizes(self) -> Indices:
        return np.bincount(self.state.owner, minlength=self.state.k)

    def centre(self, position: int, held: CPUEngine) -> int:
        members, medoid = np.flatnonzero(self.state.owner == position), self.medoids[position]
        size = max(int(self.tuning.centres * self.room // (4 * len(members))), 1)
        parts = [members[at : at + size] for at in range(0, len(members), size)]
        sums = np.concatenate(
            [held.block(part, members).sum(axis=1, dtype=np.float64) for part in parts]
        )
        best = int(sums.argmin())
        mine = sums[members == medoid]
        return medoid if len(mine) and mine[0] <= sums[best] else int(members[best])

    def members(self, position: int, held: CPUEngine) -> tuple[CPUEngine, int]:
        chosen = np.flatnonzero(self.state.owner == position)
        mine = np.flatnonzero(chosen == self.medoids[position])
        among = PointsAmong(held.points, chosen)
        some = CPUEngine(among, 1, self.room, self.rng, self.tuning, self._counter)
        return some, int(mine[0]) if len(mine) else -1

    def row_of(self, arm: int) -> int:
        return int(self.points.chosen[arm]) if isinstance(self.points, PointsAmong) else arm

    def farthest(self, apart_from: Sequence[int]) -> int | None:
        pays = self.state.nearest.copy()
        pays[list(apart_from)] = 0.0
        return int(pays.argmax()) if pays.max() > 0 else None

    def draw_arms(self, count: int, rng: np.random.Generator) -> Indices:
        if self.sites.allowed is None:
            return rng.integers(self.n, size=count)
        return rng.choice(np.flatnonzero(self.sites.allowed), count)

    def changes(self, arms: Indices, positions: Indices) -> Values:
        state, rows = self.state, self._drawn.of(arms)
        out = np.empty(len(arms))

        def work(start: int, stop: int) -> None:
            part = slice(start, stop)
            kernels.changes(
                rows[part], positions[part], state.nearest, state.second, state.owner, out[part]
            )

        self.workers.each(work, len(arms), 8)
        return out

    def targets(self, swap: bool, delta: float | None, changes: Changes) -> CPUTargets:
        references = self._references.get(changes)
        if references is None:
            room = self.room if changes.cache else 0.0
            references = References(self.points, self.rng, changes.replacement, room)
        if changes.cache:  # for all searches
            self._references[changes] = references
        return CPUTargets(self, self.step(swap), references, delta, changes)


def _tied(points: Points) -> bool:
    """Whether many distances, or many sums of them, are the same to float32, as a few rows tell."""
    some = points.exact(np.unique(np.linspace(0, points.n - 1, 3).astype(np.int64)))
    same = any(len(np.unique(row)) < 0.9 * points.n for row in some)
    # Rows that are near each other, but far from most.
    return same or any(np.quantile(row, 0.05) < 1e-3 * np.abs(row).mean() for row in some)


class _DrawnRows:
    """Rows of arms that are drawn at random: kept where all fit into memory, else the last ones."""

    def __init__(self, points: Points, room: float) -> None:
        self.points, self._keeps = points, 4 * points.n**2 <= room
        self._kept = np.empty((0, points.n), dtype=np.float32)
        self._have = np.zeros(points.n, dtype=bool)
        self._last: Indices = np.empty(0, dtype=np.int64)
        self._block = np.empty((0, points.n), dtype=np.float32)

    def of(self, arms: Indices) -> NDArray[np.float32]:
        every = np.arange(self.points.n)
        if not self._keeps:
            if not np.isin(arms, self._last).all():
                self._last, self._block = arms, self.points.block_array(arms, every)
            order = np.argsort(self._last, kind="stable")
            return self._block[order[np.searchsorted(self._last, arms, sorter=order)]]
        if not len(self._kept):  # this takes address space alone until rows are written
            self._kept = np.empty((self.points.n, self.points.n), dtype=np.float32)
        missing = np.unique(arms[~self._have[arms]])
        self._kept[missing] = self.points.block_array(missing, every)
        self._have[missing] = True
        return self._kept[arms]
