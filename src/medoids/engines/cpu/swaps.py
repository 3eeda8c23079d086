"""Eager steps of the CPU's engine: medoids placed and swapped in float32, many at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..._tuning import Tuning
from ..._types import Floats, Indices
from ..protocol import Near, Values
from .arms import first_of_each
from .cache.cache import Cache
from .carried import CarriedSums
from .changed import Memory, remember
from .greedy import GreedySums
from .held import Held
from .lookout import lookout
from .nearby import Nearby
from .placed import Placed
from .points.base import Points
from .points.matrix import HeldPoints

# Rows in float64 at a time; and the share of the points at which some are of no use, but all.
_ROWS, _MANY = 64, 0.5


class EagerSwaps(Placed):
    """The part of `Engine` that eager swaps ask for; see there for what each method promises.

    Attributes
    ----------
    points, room, tuning : Points, float, Tuning
        As an engine has them.
    """

    points: Points
    room: float
    tuning: Tuning
    _held: dict[str, HeldPoints]

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._sums: GreedySums | None = None
        # Positions of medoids whose distances are known in float32 only, and points at which those
        # of others may be, too.
        self._rough: set[int] = set()
        self._blurred = np.zeros(self.n, dtype=bool)
        self._memory: Memory | None = None  # of arms that were judged by all points
        self._all_sums: CarriedSums | None = None  # what they change, where all distances are held

    @property
    @abstractmethod
    def order(self) -> Indices:
        """One random order of the references."""

    @property
    @abstractmethod
    def cache(self) -> Cache:
        """The distances that searches keep, along that order."""

    @property
    @abstractmethod
    def wanted(self) -> int:
        """How many references every arm is to be measured on, if memory allows."""

    @abstractmethod
    def _hold_all(self, rough: bool = True) -> Held | None:
        """All distances, where steps on them (`rough` ones are eager) cost less than searches."""

    def _values_by_all(self, held: Held, swap: bool) -> tuple[Values, Values]:
        if self._all_sums is None:
            self._all_sums = CarriedSums(held, self.workers, len(self.fixed))
        return self._all_sums.values(self.state, swap)

    def _roughly_between(self, refs: Indices) -> Floats:
        """Distances from each medoid to some points, in float32."""
        return self._reader.block_array(np.array(self.medoids), refs)

    def seem_best(self, count: int) -> Indices:
        held = self._hold_all()
        if held is not None:
            sums, _ = self._values_by_all(held, False)
        else:
            if self._sums is None:
                self._sums = GreedySums(self.state, self.cache)
            sums = self._sums.updated()
        sums[self.medoids] = np.inf
        if self.sites.allowed is not None:
            sums[~self.sites.allowed] = np.inf
        return np.sort(np.argsort(sums, kind="stable")[: min(count, self.n_arms - self.state.k)])

    def place_best(self, arms: Indices) -> int:
        step, found = self.step(False), []
        for part, block, slots in self._rows_of(arms):
            values = step.values(block, slots, self.workers)[:, 0]
            i = int(values.argmin())
            found.append((values[i], part[i], block[slots[i]].astype(np.float64)))
        _, arm, row = min(found, key=lambda each: each[:2])
        self._add_roughly(int(arm), row)
        return int(arm)

    def _add_roughly(self, arm: int, row: Floats) -> None:
        self._rough.add(self.state.k)
        self.state.add(arm, row)

    def _rows_of(self, arms: Indices) -> Iterator[tuple[Indices, Floats, Indices]]:
        """Some arms after others, their float32 distances to all points, and which are whose."""
        if self._hold_all() is not None:  # a cache would hold many of them once more
            for some, block in self._few_rows(arms):
                yield some, block, np.arange(len(some))
            return
        rows = self.cache.rows
        for places in rows.parts(arms):
            yield arms[places], *rows.fetch(arms[places])

    def _few_rows(self, arms: Indices) -> Iterator[tuple[Indices, Floats]]:
        """Some arms after others, and their distances to every point in float32."""
        size = max(min(int(self.tuning.rows * self.room // (4 * self.n)), 64), 1)
        for at in range(0, len(arms), size):
            some = arms[at : at + size]
            yield some, self._reader.block_array(some, np.arange(self.n))

    def place_all(self, medoids: Sequence[int]) -> None:
        for some, rows in self._few_rows(np.array(medoids, dtype=np.int64)):
            for medoid, row in zip(some, rows, strict=True):
                self._add_roughly(int(medoid), row)

    def swap_in(self, arms: Indices, margin: float) -> int:
        return sum(self._swap_in(*some, margin) for some in self._rows_of(arms))

    def _swap_in(self, arms: Indices, rows: Floats, slots: Indices, margin: float) -> int:
        """The same, with the arms' distances at `slots` of `rows`."""
        done = at = 0
        while at < len(arms):
            look = lookout(self.state, rows, self.workers, -margin, self.sites.allowed)
            found, position = look(arms[at:], slots[at:])
            if found < 0:
                break
            at += found
            if not self.state.keeps_rows:
                self._blurred |= self.state.pays_to(position)
            self.state.replace(position, int(arms[at]), rows[slots[at]], self._roughly_between)
            self._rough.add(position)
            done, at = done + 1, at + 1
        return done

    def _reaches(self) -> list[int]:
        """How far `swap_near` looks, level by level; none, if a search costs less.

        It looks at all points at last, where a search would do so too.
        """
        tuning, points, n, k = self.tuning, self.points, self.n, self.n_clusters
        if k < tuning.many or n**2 <= tuning.small_pairs:
            return []
        screened = self.wanted * (points.cost / tuning.usual + tuning.screened)
        most = screened * k / (n * (points.cost + tuning.near))
        reaches = [reach for reach in tuning.reaches if reach <= most and 2 * reach <= k]
        return [*reaches, k] if reaches and self.wanted == n else reaches

    @property
    def near(self) -> bool:
        return bool(self._reaches()) or self._hold_all() is not None

    def swap_near(self, level: int) -> Near | None:
        step, held = self.step(True), self._hold_all()
        if step.cancels:
            return None
        open_ = self.sites.of_rows(self.n)
        open_[self.medoids] = False
        arms: Indices = np.flatnonzero(open_)
        if held is not None:
            return self._swap_by_all(held, arms)
        reaches = self._reaches()
        if level >= len(reaches):
            return None
        whole = reaches[level] >= self.n_clusters
        nearby = Nearby(self._read(whole), step, arms)
        if whole and self._memory is not None:
            judged = nearby.go_on(self._memory)
        else:
            judged = nearby.judge(reaches[level], self.order)
        if judged.known is not None:
            self._memory = remember(step, judged.known)
        margin = step.slack * self.n
        done, count = self._swap_best(arms, judged.values[arms], margin)
        close = arms[judged.values[arms] <= margin] if whole and not done else arms[:0]
        return Near(done, judged.arms, round(judged.seen), count, whole, close)

    def _swap_by_all(self, held: Held, arms: Indices) -> Near:
        """The same for all points, whose distances are held: sums are carried from pass to pass."""
        slack = self.step(True).slack
        values, blur = (each[arms] for each in self._values_by_all(held, True))
        done, count = self._swap_best(arms, values * self.n, slack * self.n)
        # Sums may be too low, by more than their blur, but not too high.
        close = arms[:0] if done else arms[values - blur <= slack]
        return Near(done, len(arms), self.n, count, True, close)

    def _swap_best(self, arms: Indices, values: Values, margin: float) -> tuple[int, int]:
        """Swap in the best arms of each cluster, by their values; and how many seem good."""
        good = np.flatnonzero(values < -margin)
        ranked = arms[good[np.argsort(values[good], kind="stable")]]
        best = first_of_each(ranked, self.state.owner[ranked], self.tuning.tried)
        every = np.arange(self.n)
        done = sum(
            self._swap_in(some, rows, every[: len(some)], margin)
            for some, rows in self._few_rows(best)
        )
        return done, len(good)

    @property
    def _reader(self) -> Points:
        """Where distances in float32 are read."""
        return self._held.get("held", self.points)

    def _read(self, whole: bool) -> Points:
        """The same for a pass: all are held once as many were computed, if they fit.

        So a fit computes at most twice as many as there are.
        """
        fits = self.points.whole_bytes <= self.tuning.all_pairs * self.room
        many = whole or self.n_distances >= self.n**2
        if "held" not in self._held and fits and many and self.wanted == self.n:
            self._held["held"] = HeldPoints(self.points)
        return self._reader

    def sharpen(self) -> None:
        medoids, rough = np.array(self.medoids), np.array(sorted(self._rough))
        many = 2 * len(rough) > len(medoids) or self._blurred.sum() > _MANY * self.n
        if len(rough) and many:
            self.state.clear()
            self.start(medoids.tolist())
        elif len(rough):
            for some in np.array_split(rough, -(-len(rough) // _ROWS)):
                for position, row in zip(some.tolist(), self.rows(medoids[some]), strict=True):
                    self.state.replace(position, int(medoids[position]), row, self.between)
            self.state.compare(np.flatnonzero(self._blurred), self.between)
        self._rough.clear()
        self._blurred[:] = False
