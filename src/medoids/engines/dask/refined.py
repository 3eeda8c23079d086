"""Estimates of arms from more references, by a regression on what is known of every point.

The regression is that of the CPU's engine (`engines/cpu/rewards/regression.py`, and the symbols of
docs/algorithm.md): its kernels are the same. What differs is where things come from: references
and leaders are rows that every worker was given, and means over all points come with the order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._types import Indices
from ..cpu.cache.members import places_of
from ..cpu.kernels.tuples import Cluster, Led, Refs
from ..cpu.rewards.fitted import MOST_LED, TILE, Block, Fitted, Laid, Within
from ..cpu.rewards.sample import sort_owners
from ..cpu.step import Step
from ..protocol import Values
from .columns import Columns, Level
from .part import Part
from .sampled import Sampled, Screened

# Arms whose distances are laid out at a time.
_ARMS = 4096


class Leader(NamedTuple):
    """An arm that is valued.

    Attributes
    ----------
    book : Part
        Where its row is,
    place : int
        and which it is there.
    arm, home : int
        Which row of all it is, and the position of its medoid.
    alone, extra : float
        What it is worth if no medoid goes, and what is added where its own does.
    """

    book: Part
    place: int
    arm: int
    home: int
    alone: float
    extra: float


class Regression:
    """One step's rewards at the references up to a depth, for arms of any cluster.

    Parameters
    ----------
    sampled : Sampled
    levels : dict of str to Part
        The references: the first ones, and further stretches.
    leaders : list of Leader
        The best first.
    kept : dict
        For each name of references, distances to them from arms that have led before.
    """

    def __init__(
        self,
        sampled: Sampled,
        levels: dict[str, Part],
        leaders: list[Leader],
        kept: dict[str, dict[int, NDArray[np.float32]]],
    ) -> None:
        self.sampled, self.levels, self.leaders, self._kept = sampled, levels, leaders, kept
        order, more = sampled.order, sampled.more
        within = np.concatenate([level.ids for level in levels.values()])
        self.beyond = np.empty(0, dtype=np.int64)
        if more is not None:
            self.beyond = np.flatnonzero(~np.isin(more.ids, within))
        self.ids: Indices = within if more is None else np.append(within, more.ids[self.beyond])
        self.m, self.k, self.swap = len(self.ids), sampled.k, order.swap
        sizes = [*(level.n for level in levels.values()), len(self.beyond)]
        self.parts: list[Laid] = [(size, None) for size in sizes if size]
        self.offset: NDArray[np.float32] = np.zeros(self.m, dtype=np.float32)
        self.lead: Leader | None = None
        self.led = self._measure()
        if not sampled.step.state.k and leaders:
            # In the first BUILD step rewards are taken against the leader's, which leaves float32
            # more digits.
            self.lead = leaders[0]
            self.offset = self.led[self.lead.arm]
        self.refs = self._look()
        self._groups: dict[int, _Group] = {}
        self.scratch: list[NDArray[np.int32]] = []

    @property
    def constant(self) -> float:
        return 0.0 if self.lead is None else self.lead.alone

    def _measure(self) -> dict[int, NDArray[np.float32]]:
        """Distances from each leader to all references."""
        blocks = []
        for name, part, some in self._parts():
            have = self._kept.setdefault(name, {})
            new = [each for each in self.leaders if each.arm not in have]
            for book in {id(each.book): each.book for each in new}.values():
                mine = [each for each in new if each.book is book]
                out = np.empty((len(mine), part.n), dtype=np.float32)
                part.measure(book.side, np.array([each.place for each in mine]), out)
                have |= {each.arm: out[i] for i, each in enumerate(mine)}
            rows = [have[each.arm] for each in self.leaders]
            block = np.array(rows, dtype=np.float32).reshape(len(rows), part.n)
            blocks.append(block if some is None else block[:, some])
        every = np.concatenate(blocks, axis=1)
        return {each.arm: every[i] for i, each in enumerate(self.leaders)}

    def _parts(self) -> list[tuple[str, Part, Indices | None]]:
        """The references, part by part, under their names."""
        found: list[tuple[str, Part, Indices | None]] = [
            (name, level, None) for name, level in self.levels.items()
        ]
        if len(self.beyond) and self.sampled.more is not None:
            found.append((self.sampled.order.more, self.sampled.more, self.beyond))
        return found

    def _look(self) -> Refs:
        """What the references are to all clusters."""
        order, lines = self.sampled.order, []
        for _, part, some in self._parts():
            step, state = Step(part.state, self.swap, order.whole), part.state
            at = np.arange(part.n) if some is None else some
            weights = np.empty(0) if part.weights is None else part.weights[at]
            known = [state.nearest[at], state.second[at]][: order.means.shape[1] - 1]
            clips = np.stack(step.at(at)[:4], axis=1)
            lines.append((state.owner[at], state.other[at], clips, np.array(known), weights))
        owner, other, caps, known_of, weights_of = zip(*lines, strict=True)
        slopes = order.means.shape[1] - 1
        return Refs(
            np.concatenate(owner), np.concatenate(other), np.isin(self.ids, order.heavy), self.m,
            np.concatenate(caps),
            np.concatenate(known_of, axis=-1).reshape(slopes, self.m), self.offset,
            np.concatenate(weights_of),
        )  # fmt: skip

    def estimate(
        self, screened: Screened, columns: Columns, levels: list[Level], arms: Indices
    ) -> tuple[Values, NDArray[np.float32]]:
        """Estimates of some arms of a part, and lower bounds in lines as those of the screen."""
        lines = len(screened.lines)
        mean, lower = np.empty(len(arms)), np.empty((lines, len(arms)), dtype=np.float32)
        order = sort_owners(screened.part.state.owner[arms])
        for level in levels:
            level.keep(arms)
        for at in range(0, len(arms), _ARMS):
            some = order[at : at + _ARMS]
            mean[some], lower[:, some] = self._estimate(screened, columns, levels, arms[some])
        return mean, lower - np.float32(screened.step.rough)

    def _estimate(
        self, screened: Screened, columns: Columns, levels: list[Level], arms: Indices
    ) -> tuple[Values, NDArray[np.float32]]:
        part, workers = screened.part, screened.part.space.workers
        owner = part.state.owner[arms]
        bounds = np.searchsorted(owner, np.arange(self.k + 1))
        present = np.flatnonzero(np.diff(bounds)).tolist()
        new = [g for g in present if g not in self._groups]
        self._groups |= {g: _Group(self, g) for g in new}

        def fit(first: int, last: int) -> None:
            for g in new[first:last]:
                self._groups[g].fit()

        workers.each(fit, len(new), 1)
        every = np.arange(len(arms), dtype=np.int32)
        blocks = [Block(*level.rows(arms)) for level in levels]
        if len(self.beyond) and self.sampled.more is not None:
            blocks.append(Block(columns.rows_of(self.sampled.more, self.beyond, arms), every))
        own = screened.own[arms].astype(float)
        if self.lead is not None:
            row = np.empty((1, len(arms)), dtype=np.float32)
            part.measure(self.lead.book.side, np.array([self.lead.place]), row, arms)
            own[:, 0] -= row[0] / screened.step.n
        at_refs = places_of(self.ids, part.ids[arms])
        lines = len(screened.lines)
        out = np.empty(len(arms)), np.empty((lines, len(arms)), dtype=np.float32)
        tasks = []
        for g in present:
            start, stop = int(bounds[g]), int(bounds[g + 1])
            guard = screened.guard.terms(arms[start:stop], self.m, self._groups[g].fitted.unseen)
            within = Within(at_refs[start:stop], own[start:stop], guard)
            for at in range(start, stop, TILE):
                end = min(at + TILE, stop)
                here = [each.of(at, end) for each in blocks]
                tasks.append((self._groups[g].fitted, here, within.of(at - start, end - start), at))

        def work(first: int, last: int) -> None:
            for fitted, here, some, at in tasks[first:last]:
                fitted.estimate(here, some, screened.step, at, out, self.scratch)

        workers.each(work, len(tasks), 1)
        return out[0] + self.constant, out[1] + np.float32(self.constant)


class _Group:
    """The regression for the arms of one cluster."""

    def __init__(self, shared: Regression, g: int) -> None:
        self.all, self.g = shared, g
        placed = shared.sampled.step.state.k > 0
        mine = [each for each in shared.leaders if placed and each.home == g]
        others = [each for each in shared.leaders if not placed or each.home != g]
        kinds = 2 if shared.swap else 1
        own = mine[: MOST_LED // kinds]
        chosen = own + others[: MOST_LED - kinds * len(own)]
        rows = [shared.led[each.arm] for each in chosen]
        block = np.array(rows, dtype=np.float32).reshape(len(chosen), shared.m)
        alone = np.array([each.alone for each in chosen]) - shared.constant
        extra = np.array([each.extra for each in chosen], dtype=np.float64)
        self.led = Led(block, alone.astype(np.float64), extra, len(own))

    def fit(self) -> None:
        """Make the basis."""
        shared, k = self.all, self.all.k
        order, tuning = shared.sampled.order, shared.sampled.tuning
        counts, sums = np.zeros(k, np.int64), np.zeros_like(order.means)
        if shared.sampled.step.state.k > 1:
            owners, others = np.divmod(order.pairs.codes, k)
            beside = others == self.g
            at = owners[beside]
            sums[at] = order.pairs.sums[beside][:, : sums.shape[1]] / order.whole.n
            counts[at] = order.light[beside]
        cluster = Cluster(self.g, counts, order.sizes[:k], tuning.seen, order.whole.n, shared.swap)
        means, rules = (order.means, sums), (tuning.per_feature, tuning.support)
        self.fitted = Fitted(shared.refs, self.led, cluster, means, rules, order.z, shared.parts)
