"""Regression estimates of arms: what is known of every reference explains its rewards.

The sample is weighted by how many points each reference stands for (its owner's
members over its owner's references). Rewards are projected on known features, whose
means over all n points are exact; only what the features leave unexplained is
uncertain. All arms share the projection, so an arm costs one matrix product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..points.base import Floats, Indices
from .basis import Basis, orthonormal
from .deeper import Deeper, places_of
from .sample import sort_owners, student

if TYPE_CHECKING:
    from ..step import Values
    from .rewards import Rewards

# References per feature: more features than this explain noise.
_PER_FEATURE = 16
# A leader whose rewards rest on fewer references than this explains nothing.
_SUPPORT = 12
# What is left of a sum of squares is no better known than to this share of it.
_ROUNDED = np.float32(2e-7)
# References, and arms, whose rewards are laid out at a time.
_LINES, _ARMS = 1024, 512


class _Source(NamedTuple):
    """Some of the sample's references, by owner, and where their distances are."""

    block: NDArray[np.float32]  # (arms, references)
    slots: Indices  # of each arm
    lines: Indices
    ids: Indices
    owners: Indices
    caps: NDArray[np.float32]
    weights: NDArray[np.float32]
    basis: NDArray[np.float32]  # (lines, features)
    places: Indices  # where each arm is among the lines; -1 if it is not


class Regression(Deeper):
    """The regression of one step's rewards on all references up to one depth."""

    def __init__(self, rewards: Rewards, depth: int, leaders: Indices) -> None:
        super().__init__(rewards, depth)
        # In the first BUILD step rewards are taken against the leader's, which
        # leaves float32 more digits.
        self.offset = np.zeros(rewards.n, np.float32)
        if not rewards.state.k:
            self.offset = rewards.of(int(leaders[0]))[0]
        self.constant = float(self.offset.mean(dtype=float))
        self._fit(leaders)

    def _fit(self, leaders: Indices) -> None:
        step, sample = self.rewards, self.sample
        owners = step.owner[sample.ids]
        order = sort_owners(owners)
        ids, owners = sample.ids[order], owners[order]
        scale = np.sqrt(sample.share[sample.parts[order]])[:, None]
        known = [np.ones(self.m), *(value[ids] for value in step.known)]
        known_sums = np.stack([step.members, *step.known_sums], axis=1) / step.n
        # Slopes for each owner where the sample affords them, else for all together.
        sloped = step.k * len(known) <= self.m // _PER_FEATURE
        size = len(known) if sloped else 1
        shared = known[size:]
        means = known_sums.sum(axis=0)[size:].tolist()
        most = max(self.m // _PER_FEATURE - step.k * size - len(shared), 0)
        for leader in leaders[:most]:
            whole, mean = step.of(int(leader))
            reward = (whole[ids] - self.offset[ids]).astype(float)
            if _support(reward) >= _SUPPORT:
                shared.append(reward)
                means.append(mean - self.constant)
        bounds = np.searchsorted(owners, np.arange(step.k + 1))
        basis = orthonormal(
            bounds, np.stack(known[:size], axis=1) * scale, known_sums[:, :size],
            np.stack(shared, axis=1) * scale if shared else np.empty((self.m, 0)),
            np.array(means),
        )  # fmt: skip
        columns = np.empty_like(basis.columns)
        columns[order] = basis.columns
        self.basis = Basis(columns, *basis[1:])
        along = np.einsum("ij,ij->i", basis.columns[:, :size], basis.local_target[owners])
        weights = scale[:, 0] * (along + basis.columns[:, size:] @ basis.global_target)
        left = max(1 - self.m / step.n, 0)
        freedom = self.m / max(self.m - basis.rank, 1) * float(student(self.m - basis.rank, step.z))
        self.spread = float(weights @ weights) * freedom * left

    def _estimate(self, arms: Indices) -> tuple[Values, Floats]:
        step = self.rewards
        mean = np.empty(len(arms))
        lower = np.full((step.k + 1 if step.swap else 1, len(arms)), -np.inf, dtype=np.float32)
        sources = self._sources(arms)

        def work(start: int, stop: int) -> None:
            part = arms[start:stop]
            sums, squares, widened, near = self._project(sources, part, start, stop)
            value, rest, squares = self._values(sums, squares, widened)
            # What an arm gains at itself, for what stood in its place.
            gain = step.own[part] - near / step.n
            gain[:, 0] -= self.offset[part] / step.n
            value += self.constant + gain[:, 0]
            if step.swap:
                value += step.removal[:, None]
                mine = step.owner[part] == np.arange(step.k)[:, None]
                value += np.where(mine, gain[:, 1] - gain[:, 0], 0.0)
            rest = np.maximum(rest, 0.0) + _ROUNDED * squares
            low = value - step.z * np.sqrt(rest * self.spread)
            if step.state.k:
                left = np.sqrt(rest / np.maximum(squares, np.finfo(np.float32).tiny))
                low -= step.guard(part, self.m, np.minimum(left, 1.0))
            mean[start:stop], lower[: step.k, start:stop] = value.min(axis=0), low

        most = max(_ARMS // -(-step.k // 16), 64)
        self.cache.points.workers.each(work, len(arms), min(max(-(-len(arms) // 8), 64), most))
        return mean, lower

    def _sources(self, arms: Indices) -> list[_Source]:
        return [self._source(i, arms, *block) for i, block in enumerate(self.blocks(arms))]

    def _source(self, i: int, arms: Indices, block: NDArray[np.float32], slots: Indices) -> _Source:
        part = slice(self.starts[i], self.starts[i + 1])
        owners = self.rewards.owner[self.sample.ids[part]]
        order = sort_owners(owners)
        ids, owners = self.sample.ids[part][order], owners[order]
        weights = np.sqrt(self.sample.share[self.sample.parts[part][order]])
        caps = self.rewards.caps(ids)
        caps[:, 1] += self.offset[ids]
        return _Source(
            block, slots, order, ids, owners, np.ascontiguousarray(caps.T),
            weights.astype(np.float32),
            self.basis.columns[part][order].astype(np.float32), places_of(ids, arms),
        )  # fmt: skip

    def _project(
        self, sources: list[_Source], arms: Indices, start: int, stop: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], Values]:
        """Sums of the rewards along the basis, owner by owner, and of their squares.

        The first axis of the sums is for what all swaps share, and what each adds. The
        last array is the reward that stands for each arm itself, its owner staying or going.
        """
        from ..kernels.estimates import lay_out

        step, width = self.rewards, stop - start
        kinds = 2 if step.swap else 1
        rank = sources[0].basis.shape[1]
        sums = np.zeros((step.k, kinds * width, rank), np.float32)
        squares = np.zeros(width, np.float32)
        widened = np.zeros((width, step.k if step.swap else 0), np.float32)
        around, filled = np.zeros((width, 3), np.float32), np.zeros((width, 2), np.float32)
        inside = np.zeros(width, dtype=bool)
        panel = np.empty((2, width, _LINES), np.float32)
        rewards = panel[:kinds].reshape(kinds * width, _LINES)
        for source in sources:
            itself = source.places[start:stop]
            inside |= itself >= 0
            for first in range(0, len(source.ids), _LINES):
                part = slice(first, min(first + _LINES, len(source.ids)))
                bounds = np.searchsorted(source.owners[part], np.arange(step.k + 1))
                here = np.where((part.start <= itself) & (itself < part.stop), itself - first, -1)
                lay_out(
                    source.block, source.slots[start:stop], source.lines[part], bounds, here,
                    step.owner[arms], source.caps[:, part], source.weights[part], step.swap,
                    panel[0], panel[1], squares, widened, around, filled,
                )  # fmt: skip
                basis = source.basis[part]
                for g in np.flatnonzero(np.diff(bounds)):
                    mine = slice(bounds[g], bounds[g + 1])
                    sums[g] += rewards[:, mine] @ basis[mine]
        usual = around[:, :2] / np.maximum(around[:, 2:], 1.0)
        near = np.where(inside[:, None], filled, usual)
        near = near / np.sqrt(self.sample.share[self.sample.strata.of[arms]])[:, None]
        return sums.reshape(step.k, kinds, width, rank).swapaxes(0, 1), squares, widened, near

    def _values(
        self,
        sums: NDArray[np.float32],
        squares: NDArray[np.float32],
        widened: NDArray[np.float32],
    ) -> tuple[NDArray[np.float64], NDArray[np.float32], NDArray[np.float32]]:
        """Each swap's mean along the basis, the squares that this leaves, and all."""
        size = self.basis.local_target.shape[1]
        local_target = self.basis.local_target.astype(np.float32)
        target = self.basis.global_target.astype(np.float32)
        local, shared = sums[0, :, :, :size], sums[0, :, :, size:].sum(axis=0)
        value = np.einsum("kl,kxl->x", local_target, local) + shared @ target
        inside = np.einsum("kxl,kxl->x", local, local)
        if not self.rewards.swap:
            rest = squares - inside - np.square(shared).sum(axis=1)
            return value[None].astype(float), rest[None], squares[None]
        more, more_shared = sums[1, :, :, :size], sums[1, :, :, size:]
        values = value + np.einsum("kl,kxl->kx", local_target, more) + more_shared @ target
        every = squares + widened.T
        rest = every - inside
        rest -= np.einsum("kxl,kxl->kx", more, more + 2 * local)
        rest -= np.square(shared + more_shared).sum(axis=2)
        return values.astype(float), rest, every


def _support(values: NDArray[np.float64]) -> float:
    """How many references carry the sum: all if they are equal, one if one has it all."""
    squares = float(values @ values)
    return float(np.abs(values).sum()) ** 2 / squares if squares > 0 else 0.0
