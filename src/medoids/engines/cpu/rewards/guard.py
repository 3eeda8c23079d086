"""What a normal interval misses: rewards that are few and skewed, and none at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...._threads import Workers
from ...._types import Floats, Indices
from ...protocol import Values
from ..step import Step
from .sample import Sample

_TINY = np.finfo(float).tiny
# Arms that a thread takes at a time: what is known of them stays near the core.
SPAN = 16_384
_ALL = slice(None)
# A bound that is lower by so much says nothing; float32 has no number ten times as large.
_LARGEST = 1e38


class Guard:
    """By how much the lower bounds of a step fall (docs/algorithm.md, "Rare rewards").

    Bernstein's term, with the usual size of an arm's rewards. An arm amid a small group that the
    sample missed has no reward at all; so each is given one more, of what a neighbour would
    gain: the arm's own distance to its medoid, less a usual distance between neighbours.

    Parameters
    ----------
    step : Step
    sizes : ndarray of shape (arms, 4)
        The sums that the screen leaves, as in `Estimates`.
    m : int
        References of the screen.
    z : float
    apart : float
        A usual distance between neighbours.
    usual : float
        The usual size of a reward.
    weights : ndarray, default=None
        How much each point counts: a neighbour may count for more than the arm.
    heaviest : float, default=None
        The largest weight there is; None is that of these points.
    workers : Workers, default=None
        None: this thread alone.
    """

    def __init__(
        self,
        step: Step,
        sizes: NDArray[np.float32],
        m: int,
        z: float,
        apart: float,
        usual: float,
        weights: Values | None = None,
        heaviest: float | None = None,
        workers: Workers | None = None,
    ) -> None:
        self.step, self.m = step, m
        self._z, self._apart, self._usual = z, apart, usual
        self._skew, self._missed, self._total, self._one = np.zeros((4, len(sizes)))
        self._one2, self._home, self._home_mean = np.zeros((3, len(sizes)))
        if not step.state.k:  # an arm rewards all
            return
        pays = _of_neighbours(step.clips.base, weights, heaviest)
        pays2 = _of_neighbours(step.clips.base2, weights, heaviest) if self._has_homes else None

        def work(start: int, stop: int) -> None:
            self._find(slice(start, stop), sizes, pays, pays2)

        if workers is None:
            work(0, len(sizes))
        else:
            workers.each(work, len(sizes), SPAN)

    @property
    def _has_homes(self) -> bool:
        return self.step.swap and self.step.k > 1

    def _find(
        self, some: slice, sizes: NDArray[np.float32], pays: Values, pays2: Values | None
    ) -> None:
        """What is known of some arms."""
        found, m = sizes[some].astype(float), self.m
        total = np.maximum(-found[:, 0], 0.0)
        one = np.maximum(pays[some] - self._apart, self._usual / 3)
        self._total[some], self._one[some] = total / m, one
        # Squares that were added and taken away again may be below zero by rounding.
        squares = np.maximum(found[:, 1], 0.0)
        with np.errstate(over="ignore"):  # of rewards that are all but nothing
            skew = self._z**2 / 3 * squares / np.maximum(total + one, _TINY) / m
        self._skew[some] = np.fmin(skew, _LARGEST)
        self._missed[some] = np.fmin(self._unseen(some, 1 / m), _LARGEST)
        if pays2 is not None:
            self._one2[some] = np.maximum(pays2[some] - self._apart, 0.0)
            self._home[some] = np.maximum(-found[:, 3], 0.0)

    def _unseen(self, arms: Indices | slice, share: float) -> Values:
        """What references that stand for a share of the points each may not have shown."""
        one = self._one[arms]
        seen = np.maximum(one + self._total[arms] / share, _TINY)
        return np.asarray(self._z**2 / 2 * one**2 * share / seen)

    def term(self, left: float, some: slice = _ALL) -> Floats:
        """By how much the bounds of some arms fall after the screen.

        `left` is the share of the points that it has not seen.
        """
        return np.minimum((self._skew[some] + self._missed[some]) * left, _LARGEST)

    def terms(self, arms: Indices, m: int, own: float) -> Values:
        """By how much bounds fall at more references, in the columns of `Inside.guard`.

        Parameters
        ----------
        arms : ndarray of int
        m : int
            References that all clusters share.
        own : float
            The share of all points that a reference of the arms' cluster stands for, as far as
            there are points that are not seen.
        """
        terms = np.zeros((len(arms), 3))
        rest = max(1.0 - m / self.step.n, 0.0) / m
        if not self.step.state.k or not rest:
            return terms
        terms[:, 0] = self._skew[arms] * self.m * rest
        # Most neighbours of an arm are in its cluster or next to it, but not where three meet.
        terms[:, 1] = self._unseen(arms, rest)
        if self._has_homes and own > 0:
            one = self._one2[arms]
            seen = one + self._home_mean[arms] / own
            terms[:, 2] = self._z**2 / 2 * one**2 / np.maximum(seen, _TINY) * own
        return terms

    def lower_at_home(self, sample: Sample, at: Indices, lower: Floats, some: slice = _ALL) -> None:
        """Lower the bounds of some arms' swap with their own medoid, whose points may gain most.

        `at` is the stratum of each arm, and in `lower` there is a column for each.

        What the few references of a small cluster do not show is as much as its arms could
        gain at a point that pays the second medoid.
        """
        if self._has_homes:
            one, home = self._one2[some], self._home[some]
            at, share = at[some], sample.share
            self._home_mean[some] = home * share[at]
            left = share * (1 - sample.counts / np.maximum(sample.strata.sizes, 1))
            term = self._z**2 / 2 * one**2 / np.maximum(one + home, _TINY) * left[at]
            line = self.step.owner[some] if len(lower) > 1 else 0
            lower[line, np.arange(len(at))] -= np.minimum(term, _LARGEST).astype(lower.dtype)


def sums_of_sizes(sizes: Floats) -> tuple[float, float]:
    """Of some arms, the sum of their rewards' sizes, and of the squares."""
    total = float(np.maximum(-sizes[:, 0].astype(float), 0.0).sum())
    return total, float(sizes[:, 1].sum(dtype=float))


def usual_size(total: float, squares: float) -> float:
    """The usual size of a reward of some arms: a mean in which each counts by its size."""
    return squares / total if total > 0 else 0.0


def _of_neighbours(pays: Floats, weights: Values | None, heaviest: float | None) -> Values:
    """What a point pays that is where each point is, and weighs as much as any.

    Where a point weighs nothing, what others pay on average.
    """
    if weights is None:
        return np.asarray(pays, dtype=np.float64)
    alone = np.divide(pays, weights, out=np.full(len(pays), np.nan), where=weights > 0)
    alone[np.isnan(alone)] = np.nanmean(alone) if not np.isnan(alone).all() else 0.0
    return np.asarray(alone * (weights.max() if heaviest is None else heaviest))
