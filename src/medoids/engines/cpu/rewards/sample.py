"""A sample of references, stratified by the medoid that owns them, and by what they pay."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from ...._tuning import Tuning
from ...._types import Indices
from ..cache.cache import Cache
from ..step import Step


class Strata(NamedTuple):
    """Into which part of the points each belongs.

    There are two parts for each owner: those that pay as others do, and (owner + k) those few
    that pay far more, all of which are in the sample.

    Attributes
    ----------
    of : ndarray of int
        The part of each point.
    sizes : ndarray of int of shape (2k,)
        How many points each part has.
    """

    of: Indices
    sizes: Indices


class Sample:
    """References, where their distances are, and how much each stands for.

    Attributes
    ----------
    ids, lines : ndarray of int
        The references as points, and their lines in the block that holds them.
    parts : ndarray of int
        The stratum of each.
    counts : ndarray of int
        How many of the sample each stratum has.
    share : ndarray of float
        For each stratum, the share of all points that one of its references stands for.
    spread : ndarray of float
        For each stratum, the factor from the sum of squared deviations to its part of
        the variance of the mean; zero where all its points are in the sample. It is larger
        where the deviations of a few references have to tell it: as much as Student's
        quantile is above z.
    """

    def __init__(self, ids: Indices, lines: Indices, strata: Strata, z: float) -> None:
        sizes = strata.sizes
        n = sizes.sum()
        self.ids, self.lines, self.strata = ids, lines, strata
        self.parts = strata.of[ids]
        self.counts = np.bincount(self.parts, minlength=len(sizes))
        seen = np.maximum(self.counts, 1)
        self.share = sizes / seen / n
        left = np.maximum(1 - self.counts / np.maximum(sizes, 1), 0)
        self.spread = (sizes / n) ** 2 * left / (seen * np.maximum(seen - 1, 1))
        self.spread *= student(seen - 1, z)

    def without_itself(self, start: int, stop: int) -> NDArray[np.float32]:
        """For each point of a span, the factor on its stratum's share if the point is left out."""
        found = self._factors(0.0).astype(np.float32)[self.strata.of[start:stop]]
        mine = np.flatnonzero((self.ids >= start) & (self.ids < stop))
        found[self.ids[mine] - start] = self._factors(1.0)[self.parts[mine]]
        return found

    def without(self, of: Indices, inside: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same for points of these strata, those left out that are `inside` the sample (1)."""
        return np.where(inside > 0, self._factors(1.0)[of], self._factors(0.0)[of])

    def _factors(self, inside: float) -> NDArray[np.float64]:
        """The factor of each stratum, for points that are inside the sample or not."""
        sizes, seen = np.maximum(self.strata.sizes, 1), self.counts.astype(float)
        others = np.maximum(seen - inside, 1.0)
        return np.asarray((sizes - 1) / sizes * np.maximum(seen, 1.0) / others)

    def by_part(self) -> tuple[Indices, Indices, Indices]:
        """Ids, lines and bounds, stratum by stratum, each filled up to a multiple of 4."""
        where, bounds = padded_by_part(self.parts, len(self.counts))
        filled = where < 0
        ids, lines = np.where(filled, -1, self.ids[where]), np.where(filled, 0, self.lines[where])
        return ids, lines, bounds


def student(freedom: NDArray[np.integer] | float, z: float) -> NDArray[np.float64]:
    """The square of Student's quantile over the normal one, where z is taken for normal."""
    # z is wider than the normal quantile of the chance exp(-z²/2), which is the one promised.
    quantile = stdtrit(np.maximum(freedom, 1), 1 - max(np.exp(-(z**2) / 2), 1 - ndtr(8.0)))
    return np.asarray(np.maximum(quantile / z, 1.0) ** 2)


def padded_by_part(parts: Indices, count: int) -> tuple[Indices, Indices]:
    """Places of references, stratum by stratum, each filled up to a multiple of 4 with -1.

    And where each of so many strata begins, and the end.
    """
    order = sort_owners(parts)
    counts = np.bincount(parts, minlength=count)
    bounds = np.concatenate([[0], np.cumsum(-(-counts // 4) * 4)])
    starts = np.cumsum(counts) - counts
    where = np.full(bounds[-1], -1)
    where[np.arange(len(order)) + (bounds[:-1] - starts)[parts[order]]] = order
    return where, bounds


def sort_owners(owners: Indices) -> Indices:
    """The order that puts references owner by owner, each owner's as they came."""
    # NumPy sorts 16-bit integers in linear time.
    small = owners.astype(np.int16) if owners.max(initial=0) < 2**15 else owners
    return np.argsort(small, kind="stable")


def first_sample(step: Step, cache: Cache, z: float, tuning: Tuning, members: Indices) -> Sample:
    """The first references, more of those clusters that they miss, and all heavy points.

    `members` are how many points each medoid owns.
    """
    ids, lines = cache.order[: cache.first], np.arange(cache.first)
    heavy = _heavy(step, cache, tuning)
    seen = np.bincount(step.owner[ids], minlength=step.k)
    most = max(min(tuning.seen, cache.first // (4 * step.k)), 2)
    more = [
        _next_members(step, cache, int(g), int(seen[g]), most)
        for g in np.flatnonzero(seen < np.minimum(most, members))
    ]
    new = heavy[cache.position[heavy] >= cache.first]
    if more or len(new):
        extra = np.unique(np.concatenate([*more, new]))
        found = cache.columns.see(extra)
        ids = np.concatenate([ids, extra[: len(found)]])
        lines = np.concatenate([lines, found])
    return Sample(ids, lines, _strata(step, np.intersect1d(heavy, ids), members), z)


def _heavy(step: Step, cache: Cache, tuning: Tuning) -> Indices:
    """The few points that pay far more than others: by chance alone they would be missed."""
    if not step.state.k or cache.first == step.n:
        return np.empty(0, dtype=np.int64)
    pays = np.abs(step.state.nearest)
    heavy = np.flatnonzero(pays > tuning.heavy * pays.mean())
    most = int(tuning.heaviest * cache.first)
    return heavy[np.argsort(-pays[heavy], kind="stable")[:most]]


def _strata(step: Step, heavy: Indices, members: Indices) -> Strata:
    """The points by owner, the heavy ones apart."""
    of = step.owner.copy()
    apart = np.bincount(of[heavy], minlength=step.k)
    of[heavy] += np.int32(step.k)
    return Strata(of, np.concatenate([members - apart, apart]))


def _next_members(step: Step, cache: Cache, g: int, seen: int, most: int) -> Indices:
    members = np.flatnonzero(step.owner == g)
    places = np.sort(cache.position[members])
    return cache.order[places[seen:most]]
