"""Rewards, reduced to an estimate and a lower bound for each arm.

In SWAP an arm stands for the best of its k swaps. Nothing but these numbers leaves
this stage: the search never sees a distance.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cache import Cache
from ..points.base import Indices
from ..state import State
from ..step import SLACK, Step, Values
from .bounds import Bounds
from .by_owner import MANY, ByOwner
from .regression import Regression
from .sample import Sample, Strata

# Every cluster is seen through at least this many of its points, or all of them.
_SEEN = 8
# Points that pay so many times the mean are all seen, up to this share of the first references.
_HEAVY, _HEAVIEST = 8.0, 1 / 8
# Fewer references than this are no ground for a regression.
_FEWEST = 512
# Arms that are valued at a time where all distances are kept.
_ARMS = 512


class Rewards(Step):
    """The rewards of one BUILD or SWAP step, from distances that are kept.

    Parameters
    ----------
    cache : Cache
    state : State
        The medoids so far; none before the first BUILD step.
    swap : bool
        An arm replaces a medoid (SWAP), rather than joining them (BUILD).
    z : float
        Half-width of a confidence interval, in standard errors.
    bounds : Bounds, default=None
        What earlier steps know of this one.
    """

    def __init__(
        self, cache: Cache, state: State, swap: bool, z: float, bounds: Bounds | None = None
    ) -> None:
        super().__init__(state, swap)
        self.cache, self.z, self.keeps_all = cache, z, cache.keeps_all
        self.bounds = Bounds() if bounds is None else bounds
        self.members = np.bincount(self.owner, minlength=self.k)
        itself = cache.points.own()
        # What an arm gains at itself, its owner staying or going.
        self.own = (
            np.stack(
                [
                    np.minimum(itself, self.cap) - self.base,
                    np.minimum(itself, self.cap2) - self.base2,
                ],
                axis=1,
            )
            / self.n
        ).astype(np.float32)
        # Where clusters are far apart, what a swap loses and what it wins all but cancel.
        self.rough = 4 * SLACK * float(self.removal.max())
        self.bounds.carry(self)
        self._skew = self._missed = self._missed_at_home = np.zeros(self.n)
        self._whole: dict[int, tuple[NDArray[np.float32], float]] = {}
        self._clips: dict[tuple[int, int], tuple[NDArray[Any], ...]] = {}
        # Known at every point, and its sum over each owner's members.
        self.known = [state.nearest] * bool(state.k) + [state.second] * (swap and self.k > 1)
        self.known_sums = [np.bincount(self.owner, v, self.k) for v in self.known]
        self.first_sample = self._first_sample()
        # By owner alone, the first references tell no more than the screen does.
        self.depth = min(cache.first * (2 if self.k >= MANY else 1), self.n)
        while self.depth < min(_FEWEST, self.n):
            self.depth = min(2 * self.depth, self.n)

    def caps(self, ids: Indices) -> NDArray[np.float32]:
        """What clips the rewards at these references, and what is taken off."""
        parts = [part[ids] for part in (self.cap, self.base, self.cap2, self.base2)]
        return np.stack(parts, axis=1).astype(np.float32)

    def _first_sample(self) -> Sample:
        """The first references, more of those clusters that they miss, and all heavy points."""
        cache = self.cache
        ids = cache.order[: cache.first]
        lines = np.arange(cache.first)
        heavy = self._heavy()
        seen = np.bincount(self.owner[ids], minlength=self.k)
        most = max(min(_SEEN, cache.first // (4 * self.k)), 2)
        more = [
            self._next_members(int(g), int(seen[g]), most)
            for g in np.flatnonzero(seen < np.minimum(most, self.members))
        ]
        new = heavy[cache.position[heavy] >= cache.first]
        if more or len(new):
            extra = np.unique(np.concatenate([*more, new]))
            found = cache.see(extra)
            ids = np.concatenate([ids, extra[: len(found)]])
            lines = np.concatenate([lines, found])
        return Sample(ids, lines, self._strata(np.intersect1d(heavy, ids)), self.z)

    def _heavy(self) -> Indices:
        """The few points that pay far more than others: by chance alone they would be missed."""
        if not self.state.k or self.cache.first == self.n:
            return np.empty(0, dtype=np.int64)
        pays = np.abs(self.state.nearest)
        heavy = np.flatnonzero(pays > _HEAVY * pays.mean())
        most = int(_HEAVIEST * self.cache.first)
        return heavy[np.argsort(-pays[heavy], kind="stable")[:most]]

    def _strata(self, heavy: Indices) -> Strata:
        """The points by owner, the heavy ones apart."""
        of = self.owner.astype(np.int64)
        of[heavy] += self.k
        return Strata(of, np.bincount(of, minlength=2 * self.k))

    def _next_members(self, g: int, seen: int, most: int) -> Indices:
        members = np.flatnonzero(self.owner == g)
        places = np.sort(self.cache.position[members])
        return self.cache.order[places[seen:most]]

    def screen(self) -> tuple[Values, Values, Values]:
        """Estimate, lower bound and sigma of every arm, from the first references."""
        from ..kernels.estimates import screen

        sample = self.first_sample
        mean, lower = np.empty(self.n, np.float32), np.empty_like(self.bounds.lower)
        sizes = np.empty((self.n, 4), np.float32)
        ids, lines, bounds = sample.by_part()
        caps = self.caps(ids)
        caps[ids < 0] = np.float32(-1e30)  # such a line rewards nothing
        share = sample.share.astype(np.float32)
        spread = sample.spread.astype(np.float32)
        counts = sample.counts.astype(np.float32)
        removal = self.removal.astype(np.float32)
        home = sample.without_itself().astype(np.float32)

        def work(start: int, stop: int) -> None:
            screen(
                self.cache.columns, lines, bounds, ids, caps, share, spread, counts,
                removal, self.own, self.owner, sample.strata.of, home, self.swap,
                np.float32(self.z), start, stop, mean, lower, sizes,
            )  # fmt: skip

        self.cache.points.workers.each(work, self.n, 1024)
        if not np.isfinite(mean).all():
            arm = int(np.flatnonzero(~np.isfinite(mean))[0])
            raise ValueError(
                f"metric gives distances from row {arm} that are not finite: scale the data to"
                " moderate numbers, or mend the metric."
            )
        m = len(sample.ids)
        if self.state.k:
            self._look_for_rare(sizes, m)
        else:
            self.slack = SLACK * float(np.abs(mean).mean())
        sigma = np.sqrt(sizes[:, 2] * m)
        if m >= self.n:
            sigma[:] = 0.0
        lower -= (self.guard(slice(None), m, 1.0) + self.rough).astype(np.float32)
        self.guard_at_home(np.arange(self.n), sample, lower)
        # Where float32 gives out, only what was known before is known.
        np.fmax(lower, self.bounds.lower, out=self.bounds.lower)
        return mean.astype(float), self.bounds.lowest(), sigma

    def _look_for_rare(self, sizes: NDArray[np.float32], m: int) -> None:
        """What a normal interval misses where rewards are few and skewed.

        Bernstein's term, with the usual size of an arm's rewards. An arm amid a small
        group that the sample missed has no reward at all; so each is given one more, of
        what a neighbour would gain: the arm's own distance to its medoid, less a usual
        distance between neighbours.
        """
        total, squares = np.maximum(-sizes[:, 0].astype(float), 0.0), sizes[:, 1].astype(float)
        overall = total.sum()
        usual = squares.sum() / overall if overall > 0 else 0.0
        one = np.maximum(self.base - self.cache.apart, usual / 3)
        total = np.maximum(total + one, np.finfo(float).tiny)
        self._skew = self.z**2 / 3 * squares / total / m
        self._missed = self.z**2 / 2 * one**2 / total / m
        if self.swap and self.k > 1:
            one = np.maximum(self.base2 - self.cache.apart, 0.0)
            total = np.maximum(one - sizes[:, 3], np.finfo(float).tiny)
            self._missed_at_home = self.z**2 / 2 * one**2 / total

    def _left(self, m: int) -> float:
        return max(1.0 - m / self.n, 0.0)

    def refine(self, arms: Indices, depth: int, leaders: Indices) -> tuple[Values, Values]:
        """Estimate and lower bound of some arms, from all references up to `depth`."""
        many = self.k >= MANY
        deeper = ByOwner(self, depth) if many else Regression(self, depth, leaders)
        mean, lower = deeper.estimate(arms)
        self.guard_at_home(arms, deeper.sample, lower)
        return mean, self.bounds.lift(arms, lower - self.rough)

    def guard(self, arms: Indices | slice, m: int, rest: Values | float) -> Values:
        """The term for rare and skewed rewards, at a sample of m.

        `rest` is the share of the rewards' size that is left to chance.
        """
        scale = len(self.first_sample.ids) / m * self._left(m)
        return (self._skew[arms] * rest + self._missed[arms]) * scale

    def guard_at_home(self, arms: Indices, sample: Sample, lower: NDArray[np.floating]) -> None:
        """Lower the bounds of each arm's swap with its own medoid, whose points may gain most.

        What the few references of a small cluster do not show is as much as its arms could
        gain at a point that pays the second medoid.
        """
        if self.swap:
            at = sample.strata.of[arms]
            left = 1 - sample.counts[at] / sample.strata.sizes[at]
            term = self._missed_at_home[arms] * sample.share[at] * left
            line = self.owner[arms] if len(lower) > 1 else 0
            lower[line, np.arange(len(arms))] -= term.astype(lower.dtype)

    def of(self, arm: int) -> tuple[NDArray[np.float32], float]:
        """The rewards of an arm at every point (no medoid going), and their mean."""
        if arm not in self._whole:
            rows, slots = self.cache.fetch(np.array([arm]))
            reward = np.minimum(rows[slots[0]], self.cap) - self.base
            self._whole[arm] = reward.astype(np.float32), float(reward.mean())
        return self._whole[arm]

    def exact(self, arms: Indices) -> Values:
        """The value of each arm from its distances to all points, in float32."""
        values = np.empty(len(arms))
        for part in self._parts(arms):
            alone, found = self._totals(arms[part])
            values[part] = found.min(axis=1)
            lines = [found, alone[:, None]] if self.swap else [found]
            self.bounds.lift(arms[part], np.concatenate(lines, axis=1).T - self.slack)
        return values

    def _parts(self, arms: Indices) -> Iterable[Indices | slice]:
        if self.cache.keeps_all and self.cache.first < self.n:
            return [slice(at, at + _ARMS) for at in range(0, len(arms), _ARMS)]
        return self.cache.parts(arms)

    def _totals(self, arms: Indices) -> tuple[Values, Values]:
        """What some arms are worth if no medoid goes; and their values."""
        cache, workers = self.cache, self.cache.points.workers
        if not cache.keeps_all or cache.first == self.n:
            return self.totals(*cache.fetch(arms), workers)
        shared, extra = np.zeros(len(arms)), np.zeros((len(arms), self.k))
        for level, block, slots in cache.measure_all(arms):
            key = len(level.refs), int(level.refs[0])
            if key not in self._clips:
                self._clips[key] = self.clips(level.refs)
            some, more = self.sums(block, slots, workers, self._clips[key])
            shared += some
            extra += more
        return self.of_sums(shared, extra)

    def confirm(self, arms: Indices) -> tuple[Values, Indices, Values]:
        """The same in float64: values, the medoid that each replaces, distances."""
        return self.exact_values(self.cache.exact(arms), self.cache.points.workers)
