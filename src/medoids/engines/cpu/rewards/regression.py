"""Estimates of arms by a regression of their rewards on what is known of every point.

Known are a point's owner, its nearest and second distance, and the rewards of leaders: arms whose
distances are all known. The fitted part has an exact mean; only what it leaves is uncertain. Arms
of one cluster share a regression: the leaders are of their own cluster as far as there are such,
and so are some of the references. Symbols are those of docs/algorithm.md: r are the weighted
rewards of an arm, Q an orthonormal basis of the weighted features, c = Q'r, and t'c the estimate.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices
from ...protocol import Values
from .. import kernels
from ..cache.members import places_of
from ..kernels.tuples import Along, Basis, Inside, Led, Panel, Refs
from .sample import sort_owners, student
from .screened import Estimated, Screened

# Features for leaders: one for each, and in SWAP two for one of the arms' own cluster.
_MOST = 13
# Arms that a thread takes at a time; fewer with many clusters.
_TILE, _SUMS = 256, 16_384


class _Block(NamedTuple):
    """Distances from some arms to some references.

    Attributes
    ----------
    block : ndarray of float32 of shape (arms, references)
    slots : ndarray of int
        The row of each arm in it.
    columns : ndarray of int, default=None
        The references' columns in it; None, if they are in order.
    """

    block: NDArray[np.float32]
    slots: Indices
    columns: Indices | None = None


class Regression:
    """One step's rewards at the references up to one depth, for arms of any cluster.

    Parameters
    ----------
    screened : Screened
    depth : int
        Of the references that all clusters share; some more are of an arm's own.
    leaders : ndarray of int
        Arms that are valued, the best first.
    """

    def __init__(self, screened: Screened, depth: int, leaders: Indices) -> None:
        self.screened, self.step, self.depth = screened, screened.step, depth
        cache, first, step = screened.cache, screened.sample, screened.step
        self.levels = cache.levels.deepen(depth)
        # References for small clusters, as far as they are in no level yet.
        beyond = cache.position[first.ids] >= depth
        self.beyond = first.lines[beyond]
        self.ids = np.concatenate([*(level.refs for level in self.levels), first.ids[beyond]])
        self.m = len(self.ids)
        parts = [*(len(level.refs) for level in self.levels), len(self.beyond)]
        self.ends = np.cumsum([size for size in parts if size])
        held = cache.known if cache.keeps_all else cache.rows.held
        self.leaders = np.array(
            [arm for arm in leaders.tolist() if held[arm] and arm in screened.worth], dtype=np.int64
        )
        self.offset: NDArray[np.float32] | None = None
        self.constant = 0.0
        if not step.state.k and len(self.leaders):
            # In the first BUILD step rewards are taken against the leader's, which leaves float32
            # more digits.
            self.offset = self.row(int(self.leaders[0])).copy()
            self.constant = float(self.offset.mean(dtype=float))
        self.refs = self.look(self.ids)

    def look(self, ids: Indices) -> Refs:
        """What some references are to all clusters."""
        step, screened = self.step, self.screened
        known = [value[ids] for value in screened.known.values]
        weights = screened.cache.points.weights
        offset = np.zeros(len(ids), np.float32) if self.offset is None else self.offset[ids]
        return Refs(
            step.owner[ids], step.state.other[ids], screened.sample.strata.of[ids] >= step.k,
            len(ids), np.stack(step.at(ids)[:4], axis=1),
            np.array(known).reshape(len(known), len(ids)), offset, self.ends,
            weights[ids] if weights is not None else np.empty(0),
        )  # fmt: skip

    def row(self, arm: int) -> NDArray[np.float32]:
        rows, slots = self.screened.cache.rows.fetch(np.array([arm]))
        row: NDArray[np.float32] = rows[slots[0]]
        return row

    def estimate(self, arms: Indices) -> Estimated:
        """The estimate of each arm's best swap; lower bounds of all of them."""
        step = self.step
        order = sort_owners(step.owner[arms])
        # So many at a time that what cannot be kept fits into the scratch memory.
        size = max(int(self.screened.cache.scratch // (8 * self.m)), 64)
        mean = np.empty(len(arms))
        lines = self.screened.lines if step.swap else 1
        lower = np.empty((lines, len(arms)), dtype=np.float32)
        groups: dict[int, _Group] = {}
        for at in range(0, len(arms), size):
            some = order[at : at + size]
            mean[some], lower[:, some] = self._estimate(arms[some], groups, lines)
        return Estimated(mean, lower)

    def _estimate(self, arms: Indices, groups: dict[int, _Group], lines: int) -> Estimated:
        step, workers = self.step, self.screened.cache.points.workers
        bounds = np.searchsorted(step.owner[arms], np.arange(step.k + 1))
        present = np.flatnonzero(np.diff(bounds)).tolist()
        new = [g for g in present if g not in groups]
        groups |= {g: _Group(self, g) for g in new}

        def fit(first: int, last: int) -> None:
            for g in new[first:last]:
                groups[g].fit()

        workers.each(fit, len(new), 1)
        blocks = self._blocks(arms)
        out = np.empty(len(arms)), np.empty((lines, len(arms)), dtype=np.float32)
        tile = min(max(_SUMS // (2 * step.k), 32), _TILE)
        tasks = []
        for g in present:
            start, stop = int(bounds[g]), int(bounds[g + 1])
            own, me = groups[g].measure(arms[start:stop])
            for at in range(start, stop, tile):
                end = min(at + tile, stop)
                here = [each._replace(slots=each.slots[at:end]) for each in blocks]
                here += [each._replace(slots=each.slots[at - start : end - start]) for each in own]
                tasks.append((groups[g], at, end, here, me[at - start : end - start]))

        def work(first: int, last: int) -> None:
            for group, at, end, here, me in tasks[first:last]:
                group.estimate(arms[at:end], me, here, at, out)

        workers.each(work, len(tasks), 1)
        return Estimated(*out)

    def _blocks(self, arms: Indices) -> list[_Block]:
        cache = self.screened.cache
        blocks = [_Block(*cache.levels.measure(level, arms)) for level in self.levels]
        if len(self.beyond):
            extra = np.ascontiguousarray(cache.columns.block[self.beyond][:, arms].T)
            every = np.arange(len(arms), dtype=np.int32)
            blocks.append(_Block(extra, every))
        return blocks


class _Group:
    """The regression for the arms of one cluster.

    References are in segments: by owner, and again by owner those next to the cluster, to whom
    its medoid is the second-nearest. The latter together are one cell, each other segment is one.
    """

    def __init__(self, shared: Regression, g: int) -> None:
        self.all, self.g = shared, g
        step, screened = shared.step, shared.screened
        self.stretches: list[tuple[tuple[int, bool, int], Indices, Indices]] = []
        if step.state.k > 1 and screened.cache.local:
            self._stretch()
        further = [refs[lines] for _, refs, lines in self.stretches]
        self.ids: Indices = shared.ids
        self.refs = shared.refs
        if further:
            self.ids = np.concatenate([shared.ids, *further])
            more = shared.look(self.ids[shared.m :])
            ends = shared.m + np.cumsum([len(each) for each in further])
            self.refs = _joined(shared.refs, more)._replace(ends=np.append(shared.ends, ends))
        leaders = shared.leaders
        mine = step.owner[leaders] == g if step.state.k else np.zeros(len(leaders), bool)
        room, kinds = _MOST, 2 if step.swap else 1
        own = leaders[mine][: room // kinds]
        chosen = np.concatenate([own, leaders[~mine][: room - kinds * len(own)]])
        worth = np.array([screened.worth[arm] for arm in chosen.tolist()]).reshape(-1, 2)
        distances = [shared.row(int(leader))[self.ids] for leader in chosen]
        block = np.array(distances, dtype=np.float32).reshape(len(chosen), len(self.ids))
        self.led = Led(block, worth[:, 0] - shared.constant, worth[:, 1].copy(), len(own))

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

    def fit(self) -> None:
        """Make the basis."""
        step, screened, tuning = self.all.step, self.all.screened, self.all.screened.tuning
        counts: Indices = np.zeros(step.k, np.int64)
        sums = np.zeros_like(screened.known.means)
        if step.state.k > 1:
            counts, sums = screened.beside_of(self.g)
        sizes = screened.sample.strata.sizes[: step.k]
        cluster = (self.g, counts, sizes, tuning.seen, step.n, step.swap)
        rules = (tuning.per_feature, tuning.support, wider(screened.z))
        found = kernels.regress(self.refs, self.led, cluster, (screened.known.means, sums), rules)
        which, self.bounds, self.caps, q, t, t_shared, p, scale, gram, shares = found
        # Turned so that the global columns' products with each other, so weighted, are zero.
        squares, turn = np.linalg.eigh(gram)
        q[:, :p] = q[:, :p] @ turn.astype(np.float32)
        self.basis = Basis(q, t, turn.T @ t_shared[:p], scale, squares)
        self.share, self.unseen, self.seen = shares[0], shares[1:3], shares[3]
        self.place: Indices = np.full(len(self.ids), -1)  # of those that are used
        self.place[which] = np.arange(len(which))
        # Where each part's begin, and their columns in its block.
        self.starts = np.concatenate([[0], np.cumsum(self.bounds[:, -1])])
        firsts = np.concatenate([[0], self.refs.ends])
        pairs = zip(self.starts, self.starts[1:], firsts, strict=False)
        self.lines = [which[start:stop] - first for start, stop, first in pairs]

    def measure(self, arms: Indices) -> tuple[list[_Block], Indices]:
        """Distances to the further references; and where each arm is among all references."""
        at = places_of(self.ids, arms)
        members = self.all.screened.cache.members
        blocks = []
        for key, refs, lines in self.stretches:
            block, slots = members.measure(key, refs, arms)
            blocks.append(_Block(block, slots, lines))
        return blocks, np.where(at >= 0, self.place[at], -1)

    def estimate(
        self,
        arms: Indices,
        me: Indices,
        blocks: list[_Block],
        at: int,
        out: tuple[Values, NDArray[np.float32]],
    ) -> None:
        """Estimate a few arms, and bound them: their places in `out` begin at `at`."""
        shared, step, screened = self.all, self.all.step, self.all.screened
        width, k, kinds = len(arms), step.k, 2 if step.swap else 1
        columns = self.basis.q.shape[1]
        sums = Along(
            np.zeros((2 * k, kinds, columns, width), np.float32),
            np.zeros((2 * k, kinds, width), np.float32),
            np.zeros((kinds, width), np.float32),
        )
        pairs = zip(self.starts, self.starts[1:], strict=False)
        for i, (start, stop) in enumerate(pairs):
            block, slots, columns_of = blocks[i]
            lines = self.lines[i] if columns_of is None else columns_of[self.lines[i]]
            itself = np.where((start <= me) & (me < stop), me - start, -1)
            kernels.project(
                Panel(block, slots, lines, self.bounds[i]), self.caps[start:stop],
                self.basis.q[start:stop], itself, self.g, sums,
            )  # fmt: skip
        own = screened.own[arms].astype(float)
        if shared.offset is not None:
            own[:, 0] -= shared.offset[arms] / step.n
        guard = screened.guard.terms(arms, shared.m, self.unseen)
        inside = Inside(me, self.g, own, guard, self.share, self.seen, step.n)
        kernels.conclude(sums, self.basis, inside, step.removal, screened.z, at, out)
        if shared.constant:
            out[0][at : at + width] += shared.constant
            out[1][:, at : at + width] += np.float32(shared.constant)


def _joined(some: Refs, more: Refs) -> Refs:
    """References that all clusters share, and further ones."""
    return Refs(
        np.concatenate([some.owners, more.owners]), np.concatenate([some.others, more.others]),
        np.concatenate([some.heavy, more.heavy]), some.common,
        np.concatenate([some.caps, more.caps]), np.concatenate([some.known, more.known], axis=1),
        np.concatenate([some.offset, more.offset]), some.ends,
        np.concatenate([some.weights, more.weights]),
    )  # fmt: skip


@lru_cache(maxsize=16)
def wider(z: float) -> Values:
    """For each number of degrees of freedom, by how much Student's quantile widens a variance."""
    return student(np.maximum(np.arange(4096), 1), z)
