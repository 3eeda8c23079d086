"""Regression estimates of arms: what is known of every reference explains its rewards.

In the symbols of docs/algorithm.md ("A regression takes the variance away"): the reference y has
the weight w(y), the share of all points that it stands for. Q holds the features that are known of
every point, times √w, made orthonormal over the sample; t says what each column of Q means for all
n points. With r(y) the reward of an arm times √w, and c = Q'r, the estimate is t'c, and only what Q
leaves unexplained, |r|² - |c|², is uncertain. All arms share Q: an arm costs one matrix product.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices
from ...protocol import Values
from .. import kernels
from ..kernels.tuples import Panel, Sums
from .basis import Basis, orthonormal
from .deeper import Deeper
from .sample import sort_owners, student
from .screened import Estimated, Screened, places_of

# What is left of a sum of squares is no better known than to this share of it.
_ROUNDED = np.float32(2e-7)
# References, and arms, whose rewards are laid out at a time.
_LINES, _ARMS = 1024, 512


class _Part(NamedTuple):
    """Some of the sample's references, by owner, and where their distances are."""

    block: NDArray[np.float32]  # (arms, references)
    slots: Indices  # of each arm
    lines: Indices
    ids: Indices
    owners: Indices
    caps: NDArray[np.float32]
    root_w: NDArray[np.float32]
    q: NDArray[np.float32]  # (lines, columns of Q)
    places: Indices  # where each arm is among the lines; -1 if it is not


class Regression(Deeper):
    """The regression of one step's rewards on all references up to one depth."""

    def __init__(self, screened: Screened, depth: int, leaders: Indices) -> None:
        super().__init__(screened, depth)
        # In the first BUILD step rewards are taken against the leader's, which
        # leaves float32 more digits.
        self.offset = np.zeros(self.step.n, np.float32)
        if not self.step.state.k and len(leaders):
            self.offset = screened.leaders.rewards_of(int(leaders[0]))[0]
        self.constant = float(self.offset.mean(dtype=float))
        self.basis, self.spread = self._fit(leaders)

    def _fit(self, leaders: Indices) -> tuple[Basis, float]:
        """The basis, and the factor from what it leaves of the squares to the variance."""
        step, sample, tuning = self.step, self.sample, self.screened.tuning
        seen = self.screened.known
        owners = step.owner[sample.ids]
        order = sort_owners(owners)
        ids, owners = sample.ids[order], owners[order]
        root_w = np.sqrt(sample.share[sample.parts[order]])[:, None]
        known = [np.ones(self.m), *(value[ids] for value in seen.values)]
        known_sums = np.stack([seen.members, *seen.sums], axis=1) / step.n
        # Slopes for each owner where the sample affords them, else for all together.
        sloped = step.k * len(known) <= self.m // tuning.per_feature
        size = len(known) if sloped else 1
        shared = known[size:]
        means = known_sums.sum(axis=0)[size:].tolist()
        most = max(self.m // tuning.per_feature - step.k * size - len(shared), 0)
        for leader in leaders[:most]:
            whole, mean = self.screened.leaders.rewards_of(int(leader))
            reward = (whole[ids] - self.offset[ids]).astype(float)
            if _support(reward) >= tuning.support:
                shared.append(reward)
                means.append(mean - self.constant)
        bounds = np.searchsorted(owners, np.arange(step.k + 1))
        basis = orthonormal(
            bounds, np.stack(known[:size], axis=1) * root_w, known_sums[:, :size],
            np.stack(shared, axis=1) * root_w if shared else np.empty((self.m, 0)),
            np.array(means),
        )  # fmt: skip
        q = np.empty_like(basis.q)
        q[order] = basis.q
        along = np.einsum("ij,ij->i", basis.q[:, :size], basis.t_local[owners])
        # √w Qt: how much each reference's residual moves the estimate.
        moves = root_w[:, 0] * (along + basis.q[:, size:] @ basis.t_global)
        left = max(1 - self.m / step.n, 0)
        freedom = self.m - basis.rank
        z = self.screened.z
        wider = self.m / max(freedom, 1) * float(student(freedom, z))
        return basis._replace(q=q), float(moves @ moves) * wider * left

    def _estimate(self, arms: Indices) -> Estimated:
        step, own, guard = self.step, self.screened.own, self.screened.guard
        mean = np.empty(len(arms))
        lower = np.full((step.k + 1 if step.swap else 1, len(arms)), -np.inf, dtype=np.float32)
        parts = [self._part(i, arms, *block) for i, block in enumerate(self.blocks(arms))]

        def work(start: int, stop: int) -> None:
            some = arms[start:stop]
            c, squares, widened, near = self._project(parts, some, start, stop)
            value, rest, squares = self._values(c, squares, widened)
            # What an arm gains at itself, for what stood in its place.
            gain = own[some] - near / step.n
            gain[:, 0] -= self.offset[some] / step.n
            value += self.constant + gain[:, 0]
            if step.swap:
                value += step.removal[:, None]
                mine = step.owner[some] == np.arange(step.k)[:, None]
                value += np.where(mine, gain[:, 1] - gain[:, 0], 0.0)
            rest = np.maximum(rest, 0.0) + _ROUNDED * squares
            low = value - self.screened.z * np.sqrt(rest * self.spread)
            if step.state.k:
                left = np.sqrt(rest / np.maximum(squares, np.finfo(np.float32).tiny))
                low -= guard.term(some, self.m, np.minimum(left, 1.0))
            mean[start:stop], lower[: step.k, start:stop] = value.min(axis=0), low

        most = max(_ARMS // -(-step.k // 16), 64)
        size = min(max(-(-len(arms) // 8), 64), most)
        self.screened.cache.points.workers.each(work, len(arms), size)
        return Estimated(mean, lower)

    def _part(self, i: int, arms: Indices, block: NDArray[np.float32], slots: Indices) -> _Part:
        part = slice(self.starts[i], self.starts[i + 1])
        owners = self.step.owner[self.sample.ids[part]]
        order = sort_owners(owners)
        ids, owners = self.sample.ids[part][order], owners[order]
        root_w = np.sqrt(self.sample.share[self.sample.parts[part][order]])
        caps = self.step.caps(ids)
        caps[:, 1] += self.offset[ids]
        return _Part(
            block, slots, order, ids, owners, np.ascontiguousarray(caps.T),
            root_w.astype(np.float32), self.basis.q[part][order].astype(np.float32),
            places_of(ids, arms),
        )  # fmt: skip

    def _project(
        self, parts: list[_Part], arms: Indices, start: int, stop: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], Values]:
        """c = Q'r of the rewards, owner by owner, and the sums of their squares.

        The first axis of c is for what all swaps share, and what each adds. The
        last array is the reward that stands for each arm itself, its owner staying or going.
        """
        step, width = self.step, stop - start
        kinds = 2 if step.swap else 1
        rank = parts[0].q.shape[1]
        c = np.zeros((step.k, kinds * width, rank), np.float32)
        sums = Sums(
            np.zeros(width, np.float32),
            np.zeros((width, step.k if step.swap else 0), np.float32),
            np.zeros((width, 3), np.float32),
            np.zeros((width, 2), np.float32),
        )
        inside = np.zeros(width, dtype=bool)
        laid = np.empty((2, width, _LINES), np.float32)
        r = laid[:kinds].reshape(kinds * width, _LINES)
        for part in parts:
            itself = part.places[start:stop]
            inside |= itself >= 0
            for first in range(0, len(part.ids), _LINES):
                some = slice(first, min(first + _LINES, len(part.ids)))
                bounds = np.searchsorted(part.owners[some], np.arange(step.k + 1))
                here = np.where((some.start <= itself) & (itself < some.stop), itself - first, -1)
                panel = Panel(part.block, part.slots[start:stop], part.lines[some], bounds)
                kernels.lay_out(
                    panel, part.caps[:, some], part.root_w[some], here, step.owner[arms],
                    step.swap, (laid[0], laid[1]), sums,
                )  # fmt: skip
                q = part.q[some]
                for g in np.flatnonzero(np.diff(bounds)):
                    mine = slice(bounds[g], bounds[g + 1])
                    c[g] += r[:, mine] @ q[mine]
        usual = sums.around[:, :2] / np.maximum(sums.around[:, 2:], 1.0)
        near = np.where(inside[:, None], sums.filled, usual)
        near = near / np.sqrt(self.sample.share[self.sample.strata.of[arms]])[:, None]
        by_kind = c.reshape(step.k, kinds, width, rank).swapaxes(0, 1)
        return by_kind, sums.squares, sums.widened, near

    def _values(
        self,
        c: NDArray[np.float32],
        squares: NDArray[np.float32],
        widened: NDArray[np.float32],
    ) -> tuple[NDArray[np.float64], NDArray[np.float32], NDArray[np.float32]]:
        """Each swap's estimate t'c, the squares |r|² - |c|² that it leaves, and all of them."""
        size = self.basis.t_local.shape[1]
        t_local = self.basis.t_local.astype(np.float32)
        t_global = self.basis.t_global.astype(np.float32)
        local, shared = c[0, :, :, :size], c[0, :, :, size:].sum(axis=0)
        value = np.einsum("kl,kxl->x", t_local, local) + shared @ t_global
        inside = np.einsum("kxl,kxl->x", local, local)
        if not self.step.swap:
            rest = squares - inside - np.square(shared).sum(axis=1)
            return value[None].astype(float), rest[None], squares[None]
        more, more_shared = c[1, :, :, :size], c[1, :, :, size:]
        values = value + np.einsum("kl,kxl->kx", t_local, more) + more_shared @ t_global
        every = squares + widened.T
        rest = every - inside
        rest -= np.einsum("kxl,kxl->kx", more, more + 2 * local)
        rest -= np.square(shared + more_shared).sum(axis=2)
        return values.astype(float), rest, every


def _support(values: NDArray[np.float64]) -> float:
    """How many references carry the sum: all if they are equal, one if one has it all."""
    squares = float(values @ values)
    return float(np.abs(values).sum()) ** 2 / squares if squares > 0 else 0.0
