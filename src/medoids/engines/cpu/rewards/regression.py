"""Estimates of arms by a regression of their rewards on what is known of every point.

Known are a point's owner, its nearest and second distance, and the rewards of leaders: arms whose
distances are all known. The fitted part has an exact mean; only what it leaves is uncertain. Arms
of one cluster share a regression: the leaders are of their own cluster as far as there are such,
and so are some of the references. Symbols are those of docs/algorithm.md: r are the weighted
rewards of an arm, Q an orthonormal basis of the weighted features, c = Q'r, and t'c the estimate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices
from .. import kernels
from ..cache.members import places_of
from ..kernels.tuples import Cluster, Led, Refs
from .fitted import MOST_LED, TILE, Block, Fitted, Laid, Within
from .regions import Regions
from .sample import sort_owners
from .screened import Estimated, Screened


class Regression:
    """One step's rewards at the references up to one depth, for arms of any cluster.

    Parameters
    ----------
    screened : Screened
    depth : int
        Of the references that all clusters share; some more are of an arm's own.
    leaders : ndarray of int
        Arms that are valued, the best first.
    regions : Regions
        Of the arms.
    """

    def __init__(self, screened: Screened, depth: int, leaders: Indices, regions: Regions) -> None:
        self.screened, self.step, self.depth = screened, screened.step, depth
        cache, first, step = screened.cache, screened.sample, screened.step
        self.levels = cache.levels.deepen(depth)
        # References for small clusters, as far as they are in no level yet.
        beyond = cache.position[first.ids] >= depth
        self.beyond = first.lines[beyond]
        self.ids = np.concatenate([*(level.refs for level in self.levels), first.ids[beyond]])
        self.m = len(self.ids)
        sizes = [*(len(level.refs) for level in self.levels), len(self.beyond)]
        self.parts: list[Laid] = [(size, None) for size in sizes if size]
        held = cache.known if cache.keeps_all else cache.rows.held
        self.leaders = np.array(
            [arm for arm in leaders.tolist() if held[arm] and arm in screened.worth], dtype=np.int64
        )
        self.regions = regions
        self.led_in = regions.of_others(self.leaders, step.owner, cache)
        self.offset: NDArray[np.float32] | None = None
        self.constant = 0.0
        if not step.state.k and len(self.leaders):
            # In the first BUILD step rewards are taken against the leader's, which leaves float32
            # more digits.
            self.offset = self.row(int(self.leaders[0])).copy()
            self.constant = float(self.offset.mean(dtype=float))
        self.refs = self.look(self.ids)
        # Whether rows stay where they are, whoever asks for one.
        self.steady = bool(cache.rows.held[self.leaders].all())
        self.scratch: list[NDArray[np.int32]] = []

    def look(self, ids: Indices) -> Refs:
        """What some references are to all clusters."""
        step, screened = self.step, self.screened
        caps, weights = step.caps(ids), screened.cache.points.weights
        # What is known is what they pay, the nearest distance and the second: both are among these.
        known = np.ascontiguousarray(caps[:, : 2 * len(screened.known.values) : 2].T)
        offset = np.zeros(len(ids), np.float32) if self.offset is None else self.offset[ids]
        return Refs(
            step.owner[ids], step.state.other[ids], screened.sample.strata.of[ids] >= step.k,
            len(ids), caps, known, offset, weights[ids] if weights is not None else np.empty(0),
        )  # fmt: skip

    def row(self, arm: int) -> NDArray[np.float32]:
        rows, slots = self.screened.cache.rows.fetch(np.array([arm]))
        row: NDArray[np.float32] = rows[slots[0]]
        return row

    def led(self, arms: Indices, further: Indices) -> NDArray[np.float32]:
        """Distances from leaders to the references that all share, and to further ones."""
        ids = np.concatenate([self.ids, further])
        out = np.empty((len(arms), len(ids)), dtype=np.float32)
        if self.steady:
            kernels.gather(*self.screened.cache.rows.fetch(arms), ids, out)
            return out
        for i, arm in enumerate(arms.tolist()):
            out[i] = self.row(arm)[ids]
        return out

    def places(self, arms: Indices, further: Indices) -> Indices:
        """Where arms are among the references; -1 where one is not."""
        at = self.screened.cache.position[arms]
        reached = self.m - len(self.beyond)
        others = np.concatenate([self.ids[reached:], further])
        if not len(others):
            return np.where(at < reached, at, -1)
        return np.where(at < reached, at, _beyond(places_of(others, arms), reached))

    def estimate(self, arms: Indices) -> Estimated:
        """The estimate of each arm's best swap; lower bounds of all of them."""
        step, regions = self.step, self.regions
        order = sort_owners(regions.of)
        # So many at a time that what cannot be kept fits into the scratch memory.
        size = max(int(self.screened.cache.scratch // (8 * self.m)), 64)
        mean = np.empty(len(arms))
        lines = self.screened.lines if step.swap else 1
        lower = np.empty((lines, len(arms)), dtype=np.float32)
        groups: dict[int, _Group] = {}
        clusters: dict[int, _Cluster] = {}
        for at in range(0, len(arms), size):
            some = order[at : at + size]
            mean[some], found = self._estimate(arms[some], some, clusters, groups, lines)
            for line, part in zip(lower, found, strict=True):
                line[some] = part
        return Estimated(mean, lower)

    def _estimate(
        self,
        arms: Indices,
        places: Indices,
        clusters: dict[int, _Cluster],
        groups: dict[int, _Group],
        lines: int,
    ) -> Estimated:
        """The same for those at some places, in the order of their regions."""
        step, workers, regions = self.step, self.screened.cache.points.workers, self.regions
        bounds = np.searchsorted(regions.of[places], np.arange(regions.total + 1))
        starts = bounds[regions.first]
        present = np.flatnonzero(np.diff(bounds)).tolist()
        homes = np.flatnonzero(np.diff(starts)).tolist()
        cluster_of = (np.searchsorted(regions.first, present, side="right") - 1).tolist()

        def describe(first: int, last: int) -> None:
            for g in homes[first:last]:
                if g not in clusters:
                    clusters[g] = _Cluster(self, g)

        workers.each(describe, len(homes), 1)
        if not self.steady:
            for r, g in zip(present, cluster_of, strict=True):
                if r not in groups:
                    groups[r] = _Group(clusters[g], r)
        found: dict[int, tuple[Fitted, Within]] = {}

        def fit(first: int, last: int) -> None:
            for r, g in zip(present[first:last], cluster_of[first:last], strict=True):
                if r not in groups:
                    groups[r] = _Group(clusters[g], r)
                found[r] = groups[r].look_at(arms[bounds[r] : bounds[r + 1]])

        workers.each(fit, len(present), 1)
        blocks = self._blocks(arms)
        out = np.empty(len(arms)), np.empty((lines, len(arms)), dtype=np.float32)
        tasks = []
        for g in homes:
            begin = int(starts[g])
            own = clusters[g].blocks_of(arms[begin : starts[g + 1]])
            for r in range(regions.first[g], regions.first[g + 1]):
                start, stop = int(bounds[r]), int(bounds[r + 1])
                for at in range(start, stop, TILE):
                    end = min(at + TILE, stop)
                    here = [each.of(at, end) for each in blocks]
                    here += [each.of(at - begin, end - begin) for each in own]
                    fitted, within = found[r]
                    tasks.append((fitted, here, within.of(at - start, end - start), at))

        def work(first: int, last: int) -> None:
            for fitted, here, within, at in tasks[first:last]:
                fitted.estimate(here, within, step, at, out, self.scratch)

        workers.each(work, len(tasks), 1)
        if self.constant:
            out[0][:] += self.constant
            out[1][:] += np.float32(self.constant)
        return Estimated(*out)

    def _blocks(self, arms: Indices) -> list[Block]:
        cache = self.screened.cache
        blocks = [Block(*cache.levels.measure(level, arms)) for level in self.levels]
        if len(self.beyond):
            extra = np.ascontiguousarray(cache.columns.block[self.beyond][:, arms].T)
            every = np.arange(len(arms), dtype=np.int32)
            blocks.append(Block(extra, every))
        return blocks


class _Cluster:
    """What the regressions for the arms of one cluster have in common.

    References are in segments: by owner, and again by owner those next to the cluster, to whom
    its medoid is the second-nearest. The latter together are one cell, each other segment is one.
    """

    def __init__(self, shared: Regression, g: int) -> None:
        self.all, self.g = shared, g
        step, screened = shared.step, shared.screened
        self.stretches: list[tuple[tuple[int, bool, int], Indices, Indices]] = []
        if step.state.k > 1 and screened.cache.local:
            self._stretch()
        self.refs, self.parts = shared.refs, [*shared.parts]
        self.further: Indices = np.empty(0, dtype=np.int64)
        if self.stretches:
            self.further = np.concatenate([refs[lines] for _, refs, lines in self.stretches])
            self.refs = _joined(shared.refs, shared.look(self.further))
            self.parts += [(len(refs), lines) for _, refs, lines in self.stretches]

    def _stretch(self) -> None:
        """Further points of the cluster, and next to it."""
        shared, cache, tuning = self.all, self.all.screened.cache, self.all.screened.tuning
        for beside, ratio in ((False, tuning.own), (True, tuning.beside)):
            members = cache.members.of(self.g, beside)
            start, stop = 0, int(ratio * cache.first)
            while 0 < stop <= ratio * shared.depth and start < len(members):
                refs = members[start:stop]
                # What is among the first references is not measured again.
                refs = refs[cache.position[refs] >= cache.first]
                lines = np.flatnonzero(~shared.screened.in_sample(refs, shared.depth))
                if len(lines):
                    self.stretches.append(((self.g, beside, start), refs, lines))
                start, stop = stop, 2 * stop

    def blocks_of(self, arms: Indices) -> list[Block]:
        """Distances from some arms to the further references."""
        measure = self.all.screened.cache.members.measure
        return [Block(*measure(key, refs, arms)) for key, refs, _ in self.stretches]


class _Group:
    """The regression for the arms of one region: its leaders come first, then its cluster's."""

    def __init__(self, cluster: _Cluster, region: int) -> None:
        self.all, self.of, self.g = cluster.all, cluster, cluster.g
        shared, step = cluster.all, cluster.all.step
        leaders = shared.leaders
        mine = step.owner[leaders] == self.g if step.state.k else np.zeros(len(leaders), bool)
        room, kinds = MOST_LED, 2 if step.swap else 1
        here = shared.led_in == region
        own = np.concatenate([leaders[mine & here], leaders[mine & ~here]])[: room // kinds]
        self._chosen = np.concatenate([own, leaders[~mine][: room - kinds * len(own)]])
        self._own = len(own)
        self.fitted: Fitted | None = None
        self._led = None if shared.steady else shared.led(self._chosen, cluster.further)

    def fit(self) -> Fitted:
        """Make the basis, once: groups may do so side by side."""
        if self.fitted is not None:
            return self.fitted
        step, screened, tuning = self.all.step, self.all.screened, self.all.screened.tuning
        counts: Indices = np.zeros(step.k, np.int64)
        sums = np.zeros_like(screened.known.means)
        if step.state.k > 1:
            counts, sums = screened.beside_of(self.g)
        sizes = screened.sample.strata.sizes[: step.k]
        cluster = Cluster(self.g, counts, sizes, tuning.seen, step.n, step.swap)
        means, rules = (screened.known.means, sums), (tuning.per_feature, tuning.support)
        block = self.all.led(self._chosen, self.of.further) if self._led is None else self._led
        worth = np.array([screened.worth[arm] for arm in self._chosen.tolist()]).reshape(-1, 2)
        led = Led(block, worth[:, 0] - self.all.constant, worth[:, 1].copy(), self._own)
        self.fitted = Fitted(self.of.refs, led, cluster, means, rules, screened.z, self.of.parts)
        return self.fitted

    def look_at(self, arms: Indices) -> tuple[Fitted, Within]:
        """The regression, and what some arms are to it."""
        shared, step, screened = self.all, self.all.step, self.all.screened
        fitted = self.fit()
        own = screened.own.take(arms, axis=0).astype(float)
        if shared.offset is not None:
            own[:, 0] -= shared.offset[arms] / step.n
        guard = screened.guard.terms(arms, shared.m, fitted.unseen)
        return fitted, Within(shared.places(arms, self.of.further), own, guard)


def _joined(some: Refs, more: Refs) -> Refs:
    """References that all clusters share, and further ones."""
    return Refs(
        np.concatenate([some.owners, more.owners]), np.concatenate([some.others, more.others]),
        np.concatenate([some.heavy, more.heavy]), some.common,
        np.concatenate([some.caps, more.caps]), np.concatenate([some.known, more.known], axis=1),
        np.concatenate([some.offset, more.offset]), np.concatenate([some.weights, more.weights]),
    )  # fmt: skip


def _beyond(places: Indices, reached: int) -> Indices:
    return np.where(places >= 0, places + reached, -1)
