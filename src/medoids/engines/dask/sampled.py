"""The screen of a step on one worker: every arm is estimated from the same references."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._tuning import Tuning
from ..._types import Floats, Indices
from ..cpu import kernels
from ..cpu.kernels.tuples import Estimates, Homes, Lines, Weights
from ..cpu.rewards.guard import Guard, sums_of_sizes, usual_size
from ..cpu.rewards.sample import Sample, Strata
from ..cpu.rewards.sums import Seen
from ..cpu.step import SLACK, Step
from .carried import lowest
from .columns import Columns
from .orders import StepOrder
from .part import Part

# Arms that a thread screens at a time.
_SLICE = 8192
# Nothing is summed before.
_NONE = np.empty((0, 2, 0))


class Judged(NamedTuple):
    """What some of the first references, as arms, tell of all: the same on every worker.

    Attributes
    ----------
    usual : float
        The usual size of a reward.
    apart : float
        A usual distance between neighbours.
    slack : float
        Values closer than this are the same to float32.
    sigma : list of float
        Minimum, quartiles and maximum of the standard deviations.
    """

    usual: float
    apart: float
    slack: float
    sigma: list[float]


class Sampled:
    """The references of a step, and how much each stands for.

    Parameters
    ----------
    order : StepOrder
    first : Part
        The first references.
    more : Part or None
        Those that this step sees besides.
    tuning : Tuning
    heaviest : float or None
        The largest weight there is.
    """

    def __init__(
        self,
        order: StepOrder,
        first: Part,
        more: Part | None,
        tuning: Tuning,
        heaviest: float | None,
    ) -> None:
        self.order, self.first, self.more, self.tuning = order, first, more, tuning
        self.heaviest, self.z = heaviest, order.z
        refs = [first] if more is None else [first, more]
        self.step = Step(first.state, order.swap, order.whole)
        self.k = self.step.k
        self.ids: Indices = np.concatenate([part.ids for part in refs])
        owners = np.concatenate([part.state.owner for part in refs]).astype(np.int64)
        of = owners + self.k * np.isin(self.ids, order.heavy)
        every = np.arange(len(of))
        self.sample = Sample(every, every, Strata(of, order.sizes), order.z)
        self.places, self._at, self._bounds = self.sample.by_part()
        steps = [self.step, *(Step(part.state, order.swap, order.whole) for part in refs[1:])]
        caps = [step.caps(np.arange(step.state.n)).astype(np.float32) for step in steps]
        self._all_caps = np.concatenate(caps)
        self._caps = self._all_caps[self.places]
        self._caps[self.places < 0] = np.float32(-1e30)  # such a line rewards nothing
        kinds = (self.sample.share, self.sample.spread, self.sample.counts)
        self._weights = Weights(*(each.astype(np.float32) for each in kinds))

    def judged(self, judges: Part, columns: Columns) -> Judged:
        """What the judges tell; their columns are kept."""
        step = Step(judges.state, self.order.swap, self.order.whole)
        found, _ = self._estimates(judges, columns, step, 1)
        m = len(self.ids)
        slack = step.slack if step.state.k else SLACK * float(np.abs(found.mean).mean())
        sigma = np.sqrt(found.sizes[:, 2] * m) * (m < step.n)
        apart = columns.apart()
        quartiles = np.quantile(sigma, [0, 0.25, 0.5, 0.75, 1]).tolist()
        return Judged(usual_size(*sums_of_sizes(found.sizes)), apart, slack, quartiles)

    def screen(self, part: Part, columns: Columns, judged: Judged, lines: int) -> Screened:
        """Estimate all arms of a part; so many lines of lower bounds."""
        step = Step(part.state, self.order.swap, self.order.whole)
        found, of = self._estimates(part, columns, step, lines)
        m = len(self.ids)
        guard = Guard(
            step, found.sizes, m, self.z, judged.apart, judged.usual, part.weights, self.heaviest
        )
        lower = found.lower
        lower -= (guard.term(max(1 - m / step.n, 0.0)) + step.rough).astype(np.float32)
        guard.lower_at_home(self.sample, of, lower)
        if not np.isfinite(found.mean).all():
            arm = int(part.ids[np.flatnonzero(~np.isfinite(found.mean))[0]])
            raise ValueError(
                f"metric gives distances from row {arm} that are not finite: scale the data to"
                " moderate numbers, or mend the metric."
            )
        own = step.own(part.itself)
        return Screened(part, step, own, guard, found.mean.astype(float), lowest(lower), lower)

    def _estimates(
        self, part: Part, columns: Columns, step: Step, bounds: int
    ) -> tuple[Estimates, Indices]:
        """Sums over the references, reduced; and the stratum of each arm."""
        n, own = part.n, step.own(part.itself)
        of = part.state.owner.copy()
        of[np.isin(part.ids, self.order.heavy)] += self.k
        mine = part.local(self.ids)
        inside = np.zeros(n)
        inside[mine[mine >= 0]] = 1.0
        factor = self.sample.without(of, inside).astype(np.float32)
        me = np.where(self.places >= 0, mine[self.places], -1)
        lines = columns.lines(self.more)
        out = Estimates(
            np.empty(n, np.float32), np.empty((bounds, n), np.float32), np.empty((n, 4), np.float32)
        )
        removal, workers = step.removal.astype(np.float32), part.space.workers
        for start, stop, block in columns.tiles(self.more):
            # Arms are numbered from the first of the tile.
            here = np.where(me >= start, me - start, -1)
            carried, laid = _NONE, Lines(lines[self._at], here, self._bounds, self._caps)
            if columns.kept:
                seen = block, lines, mine, self.sample.parts, self._all_caps, self.first.n
                carried, laid = columns.sums.carry(
                    Seen(*seen), self.k, step.swap, columns.room, workers
                )
            homes = Homes(
                own[start:stop], part.state.owner[start:stop], of[start:stop], factor[start:stop]
            )
            some = out
            if stop - start < n:
                some = Estimates(
                    out.mean[start:stop],
                    np.empty((bounds, stop - start), np.float32),
                    out.sizes[start:stop],
                )

            def work(
                first: int,
                last: int,
                block: NDArray[np.float32] = block,
                carried: NDArray[np.float64] = carried,
                laid: Lines = laid,
                homes: Homes = homes,
                some: Estimates = some,
            ) -> None:
                kernels.screen(
                    block, laid, carried, self._weights, homes, removal, step.swap,
                    np.float32(self.z), (first, last), some,
                )  # fmt: skip

            workers.each(work, stop - start, _SLICE)
            out.lower[:, start:stop] = some.lower
        return out, of


class Screened(NamedTuple):
    """The arms of one part, after the screen.

    Attributes
    ----------
    part : Part
    step : Step
    own : ndarray of float32 of shape (arms, 2)
        What an arm gains at itself, its owner staying or going.
    guard : Guard
    estimate, lower : ndarray
    lines : ndarray of float32 of shape (k + 1, arms) or (1, arms)
        Bounds of every swap, and of the addition; or the lowest of each arm.
    """

    part: Part
    step: Step
    own: NDArray[np.float32]
    guard: Guard
    estimate: Floats
    lower: Floats
    lines: NDArray[np.float32]
