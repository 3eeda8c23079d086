"""The reference engine: what a search asks of an engine, in plain NumPy. To write one, read this.

All follows from distances d(arm, reference), the candidate medoid first: those from each medoid to
all points are what every point pays; a *reward* is what an arm would change of that at one
reference; an *estimate* is its mean over a sample, a *value* that over all points.

What makes an engine fast is left out (threads, kernels, strata, a regression on leaders, bounds
that are carried from step to step): the protocol asks for none of it. Kept are the distances from
all arms to the first references, and the last whole rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .plain import WithoutNear
from .protocol import Engine, Ids, Values

Distances = Callable[[Ids, Ids], Values]

# Values closer than this share of what is paid may differ by rounding alone.
_SLACK = 1e-12
_TINY = np.finfo(float).tiny


def reward(distances: Values, rest: Values, base: Values) -> Values:
    """What an arm at these distances changes at references (equations 9 to 11).

    Without the arm they would pay `rest`; `base` is what the change counts from.
    """
    return np.minimum(distances, rest) - base


class _Swap(NamedTuple):
    """One way for an arm to become a medoid: the medoid at one position goes, or none does.

    `rest` is what each point pays before the arm has come, infinite if no medoid is left. Rewards
    count from `base`: from `rest` too, for what the `removal` costs (the mean over all points) is
    known, and only what arms gain is sampled.
    """

    rest: Values
    base: Values
    removal: float


class _Measured:
    """Distances, counted as they are computed, along one random order of the references."""

    def __init__(self, distances: Distances, n: int, first: int, rng: np.random.Generator) -> None:
        self._distances, self.n, self.first = distances, n, first
        self.order, self.count = rng.permutation(n), 0
        self.rows: dict[int, Values] = {}

    def block(self, arms: Ids, refs: Ids) -> Values:
        self.count += len(arms) * len(refs)
        return self._distances(arms, refs)

    def row(self, arm: int) -> Values:
        """From an arm to all points; as many rows are kept as there are first references."""
        if arm not in self.rows:
            if len(self.rows) >= self.first:
                self.rows.pop(next(iter(self.rows)))
            self.rows[arm] = self.block(np.array([arm]), np.arange(self.n))[0]
        return self.rows[arm]

    def sampled(self, arms: Ids, depth: int) -> Values:
        """From some arms to the references up to a depth, which is no less than the first ones."""
        return np.hstack([self._first[arms], self.block(arms, self.order[self.first : depth])])

    @cached_property
    def _first(self) -> Values:
        return self.block(np.arange(self.n), self.order[: self.first])

    @cached_property
    def itself(self) -> Values:
        """From each point to itself: not zero for every dissimilarity."""
        return np.concatenate([self.block(i, i)[0] for i in np.arange(self.n)[:, None]])


class ReferenceEngine(WithoutNear):
    """Points, and a search for medoids among them; see `Engine` for what each method promises.

    Parameters
    ----------
    distances : callable
        `distances(arms, references)` gives float64, a row for each arm. They may be asymmetric, and
        negative.
    n, n_clusters : int
        How many points there are, and how many medoids there will be.
    rng : Generator
        Draws the order of the references.
    first : int, default=512
        References that every arm is measured on.
    nonnegative : bool, default=False
        No distance is below zero: a loss of zero is the end.

    Examples
    --------
    >>> import numpy as np
    >>> from medoids.engines.reference import ReferenceEngine
    >>> x = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> rng = np.random.default_rng(0)
    >>> engine = ReferenceEngine(lambda arms, refs: abs(x[arms, None] - x[refs]), 6, 2, rng)
    >>> engine.start([0, 4])
    >>> engine.loss, engine.labels().tolist(), engine.loss_after(0, 1)
    (5.0, [0, 0, 0, 1, 1, 1], 4.0)
    """

    unit = 1.0

    def __init__(
        self,
        distances: Distances,
        n: int,
        n_clusters: int,
        rng: np.random.Generator,
        *,
        first: int = 512,
        nonnegative: bool = False,
    ) -> None:
        self.n = self.n_rows = self.n_arms = n
        self.n_clusters, self.nonnegative, self.first = n_clusters, nonnegative, min(first, n)
        self.measured = _Measured(distances, n, self.first, rng)
        self.fixed: list[int] = []
        self._begin()

    def _begin(self) -> None:
        self.medoids: list[int] = []
        self._rows = np.empty((0, self.n))  # from each medoid to all points
        self._owner = np.zeros(self.n, dtype=np.int32)
        self._nearest, self.loss = np.full(self.n, np.inf), np.inf

    # --- the medoids so far

    @property
    def n_distances(self) -> int:
        return self.measured.count

    def start(self, medoids: Sequence[int]) -> None:
        for medoid in medoids:
            self.place(len(self.medoids), medoid)

    def place(self, position: int, medoid: int) -> None:
        self.medoids[position : position + 1] = [int(medoid)]
        row = self.measured.row(medoid)
        self._rows = np.vstack([self._rows[:position], row, self._rows[position + 1 :]])
        self._owner = self._rows.argmin(axis=0).astype(np.int32)
        self._nearest = self._rows.min(axis=0)
        self.loss = float(self._nearest.sum())

    def loss_after(self, position: int, medoid: int) -> float:
        return float(np.minimum(self._without(position), self.measured.row(medoid)).sum())

    def _without(self, position: int) -> Values:
        """What each point pays if a medoid goes."""
        others = np.delete(self._rows, position, axis=0)
        return np.asarray(others.min(axis=0, initial=np.inf))

    def labels(self) -> NDArray[np.int32]:
        return self._owner

    def draw(self, rng: np.random.Generator) -> int:
        weight = np.maximum(self.pays(), 0.0)
        weight[self.medoids] = 0.0
        if not weight.any():  # there is no medoid yet, or only copies of them are left
            weight[:] = 1.0
            weight[self.medoids] = 0.0
        return int(rng.choice(self.n, p=weight / weight.sum()))

    def draw_some(self, count: int, rng: np.random.Generator) -> Ids:
        return rng.choice(np.setdiff1d(np.arange(self.n), self.medoids), count, replace=False)

    def free(self) -> int:
        return next(row for row in range(self.n) if row not in self.medoids)

    def missed_least(self) -> int:
        return int(np.argmin([self._without(i).sum() for i in range(len(self.medoids))]))

    def silhouette(self) -> float | None:
        if len(self.medoids) < 2 or self._nearest.min() < 0:
            return None
        nearest, second = np.partition(self._rows, 1, axis=0)[:2]
        ratio = np.divide(nearest, second, out=np.zeros(self.n), where=second > 0)
        return float(1 - ratio.mean())

    def best_among(self, some: Ids) -> int:
        pays = np.minimum(self.measured.block(some, some), self._nearest[some])
        return int(some[pays.sum(axis=1).argmin()])

    # --- what arms change

    def pays(self) -> Values:
        """What each point pays now: nothing, before there is a medoid."""
        return self._nearest if self.medoids else np.zeros(self.n)

    def swaps(self, swap: bool) -> list[_Swap]:
        """The ways for an arm to become a medoid: k of them in SWAP, one in BUILD."""
        positions = range(len(self.medoids))
        rests = [self._without(i) for i in positions] if swap else [self._nearest]
        bases = [np.where(np.isfinite(rest), rest, self.pays()) for rest in rests]
        removals = [float((base - self.pays()).mean()) for base in bases]
        return [_Swap(*each) for each in zip(rests, bases, removals, strict=True)]

    def confirm(self, arms: Ids, swap: bool) -> tuple[Values, Ids]:
        rows, pays = np.array([self.measured.row(int(arm)) for arm in arms]), self.pays()
        # Counted from what is paid now, what a point loses and wins cannot cancel in the sums.
        each = [reward(rows, rest, pays).mean(axis=1) for rest, _, _ in self.swaps(swap)]
        return np.min(each, axis=0), np.argmin(each, axis=0)

    # --- searches

    def screen(self, swap: bool, z: float) -> ReferenceArms:
        return ReferenceArms(self, swap, z)

    def forget(self) -> None:
        """Nothing is carried from step to step."""

    def seem_best(self, count: int) -> Ids:
        return np.sort(self.screen(False, 0.0).lowest(count))

    def place_best(self, arms: Ids) -> int:
        arm = int(arms[self.confirm(arms, False)[0].argmin()])
        self.place(len(self.medoids), arm)
        return arm

    def swap_in(self, arms: Ids, margin: float) -> int:
        done = 0
        for arm in arms.tolist():
            position = int(self.confirm(np.array([arm]), True)[1][0])
            if arm not in self.medoids and self.loss_after(position, arm) < self.loss - margin:
                self.place(position, arm)
                done += 1
        return done

    def sharpen(self) -> None:
        """All is in float64 already."""

    def some_points(self, count: int, which: int) -> tuple[ReferenceEngine, Ids] | None:
        size = min(count, self.n)
        if size < 4 * self.n_clusters:
            return None
        places = np.arange(-(which + 1) * size, -which * size) % self.n  # from the end
        rows, rng = np.sort(self.measured.order[places]), np.random.default_rng(which)
        block = self.measured.block(rows, rows)
        found = ReferenceEngine(
            lambda arms, refs: block[np.ix_(arms, refs)], size, self.n_clusters, rng,
            first=size, nonnegative=self.nonnegative,
        )  # fmt: skip
        return found, rows

    def prepared(self, rough: bool = False) -> Self:
        return self

    def fresh(self) -> Self:
        other = copy(self)
        other._begin()
        return other

    def again(self, n_clusters: int | None = None) -> Self:
        other = self.fresh()
        other.n_clusters = n_clusters or self.n_clusters
        return other


class ReferenceArms:
    """Arms that were screened; see `Arms` for what each method promises."""

    def __init__(self, engine: ReferenceEngine, swap: bool, z: float) -> None:
        n, self.first = engine.n, engine.first
        self._engine, self._swap, self._z, self._swaps = engine, swap, z, engine.swaps(swap)
        self._owner = engine.labels()
        self._alive: Ids = np.setdiff1d(np.arange(n), engine.medoids)
        self._estimate, self._lower = np.full(n, np.inf), np.full(n, -np.inf)
        self._value = np.full(n, np.inf)  # until it is known
        self.count, self.total, self.exact = len(self._alive), n, self.first == n
        self.depth = min(2 * self.first, n)
        self.sigma: list[float] = np.quantile(self._measure(self.first), np.arange(5) / 4).tolist()
        paid = np.abs(engine.pays() if engine.medoids else self._estimate[self._alive]).mean()
        self.slack = _SLACK * float(paid + max(each.removal for each in self._swaps))

    @property
    def left(self) -> int:
        return len(self._alive)

    def _measure(self, depth: int) -> Values:
        """Estimate the arms that are left; the standard deviations of their rewards."""
        arms, measured = self._alive, self._engine.measured
        distances, refs = measured.sampled(arms, depth), measured.order[:depth]
        itself = measured.itself[arms]
        found = [_estimate(each, self._z, arms, refs, distances, itself) for each in self._swaps]
        estimate, lower, sigma = np.array(found).transpose(1, 0, 2)  # each of shape (swaps, arms)
        self._estimate[arms], self._lower[arms] = estimate.min(axis=0), lower.min(axis=0)
        return np.asarray(sigma[estimate.argmin(axis=0), np.arange(len(arms))])

    def drop(self, bar: float) -> int:
        alive = self._alive
        self._alive = alive[(self._lower[alive] <= bar) & (self._value[alive] == np.inf)]
        return self.left

    def lowest(
        self,
        count: int,
        *,
        below: float = np.inf,
        each: bool = False,
    ) -> Ids:
        ranked = self._alive[np.argsort(self._estimate[self._alive], kind="stable")]
        ranked = ranked[self._estimate[ranked] < below]
        places = np.arange(count)
        if each:
            mine = [self._owner[ranked] == g for g in range(self._engine.n_clusters)]
            places = np.sort(np.concatenate([np.flatnonzero(some)[:count] for some in mine]))
        return ranked[places[places < len(ranked)]]

    def leaders(self, depth: int) -> Ids:
        return self.lowest(4)

    def narrowed(self, each: int) -> ReferenceArms:
        other = copy(self)  # the arrays are shared
        other._alive = np.sort(self.lowest(each, each=True))
        other.count = other.left
        return other

    def refine(self, depth: int, leaders: Ids) -> None:
        self._measure(depth)

    def worth_refining(self, depth: int) -> bool:
        return depth < self.total

    def value(self, arms: Ids | None = None) -> float:
        arms = self._alive if arms is None else arms
        new = arms[self._value[arms] == np.inf]
        for some in [new[at : at + 64] for at in range(0, len(new), 64)]:
            self._value[some] = self._engine.confirm(some, self._swap)[0]
        return float(self._value.min())

    def valued(self, bar: float = np.inf) -> Ids:
        ranked = np.argsort(self._value, kind="stable")
        return ranked[(self._value[ranked] <= bar) & (self._value[ranked] < np.inf)]

    def close(self) -> None:
        """Nothing is learnt from what a search cost."""


def _estimate(
    swap: _Swap, z: float, arms: Ids, refs: Ids, distances: Values, itself: Values
) -> tuple[Values, Values, Values]:
    """Estimate, lower bound and standard deviation of one swap of each arm, from a sample.

    What an arm gains at itself, at distance `itself`, is known: it is taken out of the sample and
    added as it is.
    """
    n = len(swap.rest)
    own = reward(itself, swap.rest[arms], swap.base[arms])
    rewards = reward(distances, swap.rest[refs], swap.base[refs])
    is_own = arms[:, None] == refs
    rewards[is_own] = 0.0
    seen = len(refs) - is_own.sum(axis=1)
    mean = rewards.sum(axis=1) / np.maximum(seen, 1)
    sigma = np.square(rewards - mean[:, None]).sum(axis=1, where=~is_own)
    sigma = np.sqrt(sigma / np.maximum(seen - 1, 1))
    # Drawn without replacement: once all are seen, nothing is left to chance.
    chance = (n - 1 - seen) / max(n - 1, 1) / np.maximum(seen, 1)
    # "An arm with no interval is never wrong" (docs/algorithm.md, "Rare rewards"): z²/2 rewards may
    # be there of which none was seen, as large as those that were, or as the arm's own.
    usual = np.square(rewards).sum(axis=1) + own**2
    usual /= np.maximum(np.abs(rewards).sum(axis=1) + np.abs(own), _TINY)
    width = z * sigma * np.sqrt(chance) + z**2 / 2 * usual * chance
    width[(seen < 2) & (chance > 0)] = np.inf
    estimate = swap.removal + (own + (n - 1) * mean) / n
    return estimate, estimate - width, sigma


if TYPE_CHECKING:
    _offers: type[Engine] = ReferenceEngine
