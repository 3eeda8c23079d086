"""Eager steps of the CPU's engine: medoids placed and swapped in float32, many at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..._tuning import Tuning
from ..._types import Floats, Indices
from ..protocol import Near
from .arms import first_of_each
from .cache.cache import Cache
from .changed import Memory, remember
from .greedy import GreedySums
from .lookout import lookout
from .nearby import Nearby
from .placed import Placed
from .points.base import Points
from .points.matrix import HeldPoints


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
        self._is_rough = False  # some medoids' distances are known in float32 only
        self._memory: Memory | None = None  # of arms that were judged by all points

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

    def _roughly_between(self, refs: Indices) -> Floats:
        """Distances from each medoid to some points, in float32."""
        return self._reader.block_array(np.array(self.medoids), refs)

    def seem_best(self, count: int) -> Indices:
        if self._sums is None:
            self._sums = GreedySums(self.state, self.cache)
        sums = self._sums.updated()
        sums[self.medoids] = np.inf
        if self.sites.allowed is not None:
            sums[~self.sites.allowed] = np.inf
        return np.sort(np.argsort(sums, kind="stable")[: min(count, self.n_arms - self.state.k)])

    def place_best(self, arms: Indices) -> int:
        self._is_rough = True
        rows, step = self.cache.rows, self.step(False)
        found = []
        for places in rows.parts(arms):
            part = arms[places]
            block, slots = rows.fetch(part)
            values = step.values(block, slots, self.workers)[:, 0]
            i = int(values.argmin())
            found.append((values[i], part[i], block[slots[i]].astype(np.float64)))
        _, arm, row = min(found, key=lambda each: each[:2])
        self.state.add(int(arm), row)
        return int(arm)

    def _few_rows(self, arms: Indices) -> Iterator[tuple[Indices, Floats]]:
        """Some arms after others, and their distances to every point in float32."""
        size = max(min(int(self.tuning.rows * self.room // (4 * self.n)), 64), 1)
        for at in range(0, len(arms), size):
            some = arms[at : at + size]
            yield some, self._reader.block_array(some, np.arange(self.n))

    def place_all(self, medoids: Sequence[int]) -> None:
        self._is_rough = True
        for some, rows in self._few_rows(np.array(medoids, dtype=np.int64)):
            for medoid, row in zip(some, rows, strict=True):
                self.state.add(int(medoid), row)

    def swap_in(self, arms: Indices, margin: float) -> int:
        done = 0
        for places in self.cache.rows.parts(arms):
            part = arms[places]
            done += self._swap_in(part, *self.cache.rows.fetch(part), margin)
        return done

    def _swap_in(self, arms: Indices, rows: Floats, slots: Indices, margin: float) -> int:
        """The same, with the arms' distances at `slots` of `rows`."""
        done = at = 0
        while at < len(arms):
            look = lookout(self.state, rows, self.workers, -margin, self.sites.allowed)
            found, position = look(arms[at:], slots[at:])
            if found < 0:
                break
            at += found
            self.state.replace(position, int(arms[at]), rows[slots[at]], self._roughly_between)
            self._is_rough = True
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
        return bool(self._reaches())

    def swap_near(self, level: int) -> Near | None:
        reaches, step = self._reaches(), self.step(True)
        if level >= len(reaches) or step.cancels:
            return None
        open_ = self.sites.of_rows(self.n)
        open_[self.medoids] = False
        arms: Indices = np.flatnonzero(open_)
        whole = reaches[level] >= self.n_clusters
        nearby = Nearby(self._read(whole), step, arms)
        if whole and self._memory is not None:
            judged = nearby.go_on(self._memory)
        else:
            judged = nearby.judge(reaches[level], self.order)
        if judged.known is not None:
            self._memory = remember(step, judged.known)
        margin = step.slack * self.n
        good = arms[judged.values[arms] < -margin]
        good = good[np.argsort(judged.values[good], kind="stable")]
        count = len(good)
        good = first_of_each(good, self.state.owner[good], self.tuning.tried)
        done = sum(
            self._swap_in(some, rows, np.arange(len(some)), margin)
            for some, rows in self._few_rows(good)
        )
        close = arms[judged.values[arms] <= margin] if whole and not done else arms[:0]
        return Near(done, judged.arms, round(judged.seen), count, whole, close)

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
        if self._is_rough:
            medoids = list(self.medoids)
            self.state.clear()
            self.start(medoids)
            self._is_rough = False
