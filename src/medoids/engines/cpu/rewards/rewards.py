"""Rewards, reduced to an estimate and a lower bound for each arm.

In SWAP an arm stands for the best of its k swaps. Nothing but these numbers leaves
this stage: the search never sees a distance.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ...._tuning import Tuning
from ...._types import Indices
from ...protocol import Values
from .. import kernels
from ..cache.cache import Cache
from ..kernels.tuples import Clips, Estimates, Homes, Lines, Weights
from ..step import SLACK, Step
from .bounds import Bounds
from .guard import SPAN, Guard, sums_of_sizes, usual_size
from .regions import Regions
from .regression import Regression
from .sample import Sample, first_sample
from .screened import Known, Screened
from .sums import Seen, Sums

# Arms that are valued at a time where all distances are kept; and that a thread screens.
_ARMS, _SCREENED = 512, 4096


class Rewards:
    """The rewards of one BUILD or SWAP step, all arms of which are screened.

    Parameters
    ----------
    cache : Cache
        Distances that are kept.
    step : Step
    z : float
        Half-width of a confidence interval, in standard errors.
    bounds, sums : Bounds, Sums
        What earlier steps know of this one; they learn what this one finds.
    tuning : Tuning

    Attributes
    ----------
    mean, lower : ndarray of shape (n,)
        Estimate and lower bound of every arm, from the first references.
    sigma : ndarray of shape (n,)
        The standard deviation of every arm's rewards.
    slack : float
        Values closer than this are the same to float32.
    depth : int
        Where `refine` begins to be of use.
    """

    def __init__(
        self, cache: Cache, step: Step, z: float, bounds: Bounds, sums: Sums, tuning: Tuning
    ) -> None:
        self.cache, self.step, self.bounds, self.tuning = cache, step, bounds, tuning
        workers = cache.points.workers
        own = _own(step, cache.points.own(), workers)
        bounds.carry(step, own, cache, z, tuning)
        facts = Known(step)
        sample = first_sample(step, cache, z, tuning, facts.members)
        seen = Seen(
            cache.columns.block, sample.lines, sample.ids, sample.parts,
            step.caps(sample.ids).astype(np.float32), cache.first,
        )  # fmt: skip
        room = tuning.sums * cache.memory_limit
        known = sums.carry(seen, step.k, step.swap, room, workers)
        found, usual = _screen(cache, step, sample, known, own, z, len(bounds.lower))
        mean, lower, sizes = found
        m = len(sample.ids)
        self.mean = mean.astype(float)
        self.slack = step.slack if step.state.k else SLACK * float(np.abs(mean).mean())
        self.sigma = np.sqrt(sizes[:, 2] * m) * (m < step.n)
        apart, weights = cache.columns.apart, cache.points.weights
        guard = Guard(step, sizes, m, z, apart, usual, weights, workers=workers)
        left = max(1 - m / step.n, 0.0)
        self.lower = np.empty(step.n)

        def bound(start: int, stop: int) -> None:
            some = slice(start, stop)
            part = lower[:, some]
            part -= (guard.term(left, some) + step.rough).astype(np.float32)
            guard.lower_at_home(sample, sample.strata.of, part, some)
            self.lower[some] = bounds.lift_span(some, part)

        workers.each(bound, step.n, SPAN)
        is_seen = np.zeros(step.n, dtype=bool)
        is_seen[sample.ids[cache.first :]] = True
        self.screened = Screened(
            step,
            cache,
            tuning,
            z,
            own,
            sample,
            guard,
            facts,
            {},
            len(bounds.lower),
            {},
            is_seen,
        )
        self.depth = _depth(cache.first, step, tuning)
        if step.state.k > 1 and cache.first < step.n:
            cache.members.follow(step.owner, step.state.other, step.k, workers)
        self._clips: dict[tuple[int, int], Clips] = {}

    def refine(
        self, arms: Indices, depth: int, leaders: Indices, regions: Regions
    ) -> tuple[Values, Values]:
        """Estimate and lower bound of some arms, from all references up to `depth`."""
        found = Regression(self.screened, depth, leaders, regions).estimate(arms)
        return found.mean, self.bounds.lift(arms, found.lower - self.step.rough)

    def value(self, arms: Indices) -> Values:
        """The value of each arm from its distances to all points, in float32."""
        values = np.empty(len(arms))
        for part in self._parts(arms):
            alone, found = self._totals(arms[part])
            values[part] = found.min(axis=1)
            self._remember(arms[part], alone, found)
            lines = [found, alone[:, None]] if self.step.swap else [found]
            self.bounds.lift(arms[part], np.concatenate(lines, axis=1).T - self.slack)
        return values

    def _remember(self, arms: Indices, alone: Values, values: Values) -> None:
        extra = np.zeros(len(arms))
        if self.step.swap:
            homes = self.step.owner[arms]
            extra = values[np.arange(len(arms)), homes] - alone - self.step.removal[homes]
        found = zip(alone.tolist(), extra.tolist(), strict=True)
        self.screened.worth.update(zip(arms.tolist(), found, strict=True))

    def _parts(self, arms: Indices) -> Iterable[Indices | slice]:
        if self.cache.keeps_all and self.cache.first < self.step.n:
            return [slice(at, at + _ARMS) for at in range(0, len(arms), _ARMS)]
        return self.cache.rows.parts(arms)

    def _totals(self, arms: Indices) -> tuple[Values, Values]:
        """What some arms are worth if no medoid goes; and their values."""
        cache, step, workers = self.cache, self.step, self.cache.points.workers
        if not cache.keeps_all or cache.first == step.n:
            return step.of_sums(*step.sums(*cache.rows.fetch(arms), workers, step.clips))
        shared, extra = np.zeros(len(arms)), np.zeros((len(arms), step.k))
        for level, block, slots in cache.levels.measure_all(arms):
            key = len(level.refs), int(level.refs[0])
            if key not in self._clips:
                self._clips[key] = step.at(level.refs)
            some, more = step.sums(block, slots, workers, self._clips[key])
            shared += some
            extra += more
        return step.of_sums(shared, extra)


def _own(step: Step, itself: Values, workers: Workers) -> NDArray[np.float32]:
    """What each arm gains at itself, its owner staying or going; `itself` is d(x, x)."""
    own = np.empty((step.n, 2), dtype=np.float32)

    def work(start: int, stop: int) -> None:
        some = slice(start, stop)
        own[some] = step.own(itself[some], some)

    workers.each(work, step.n, SPAN)
    return own


def _depth(first: int, step: Step, tuning: Tuning) -> int:
    # With many clusters there are few leaders in each at first: more references tell more.
    depth = min(first * (2 if step.k >= tuning.many else 1), step.n)
    while depth < min(tuning.fewest_regressed, step.n):
        depth = min(2 * depth, step.n)
    return depth


def _screen(
    cache: Cache,
    step: Step,
    sample: Sample,
    known: tuple[NDArray[np.float64], Lines],
    own: NDArray[np.float32],
    z: float,
    lines: int,
) -> tuple[Estimates, float]:
    """Estimate every arm from a sample; so many lines of lower bounds. And the usual reward's size.

    `known` are sums over some of its references, and the others.
    """
    carried, laid = known
    kinds = (sample.share, sample.spread, sample.counts)
    weights = Weights(*(each.astype(np.float32) for each in kinds))
    n, removal = step.n, step.removal.astype(np.float32)
    homes = Homes(own, step.owner, sample.strata.of, np.empty(n, np.float32))
    added = np.empty((-(-n // _SCREENED), 2))
    out = Estimates(
        np.empty(n, np.float32), np.empty((lines, n), np.float32), np.empty((n, 4), np.float32)
    )

    def work(start: int, stop: int) -> None:
        homes.factor[start:stop] = sample.without_itself(start, stop)
        kernels.screen(
            cache.columns.block, laid, carried, weights, homes, removal, step.swap, np.float32(z),
            (start, stop), out,
        )  # fmt: skip
        added[start // _SCREENED] = sums_of_sizes(out.sizes[start:stop])

    cache.points.workers.each(work, n, _SCREENED)
    if not np.isfinite(out.mean).all():
        arm = int(np.flatnonzero(~np.isfinite(out.mean))[0])
        raise ValueError(
            f"metric gives distances from row {arm} that are not finite: scale the data to"
            " moderate numbers, or mend the metric."
        )
    return out, usual_size(*added.sum(axis=0).tolist())
