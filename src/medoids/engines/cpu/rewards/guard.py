"""What a normal interval misses: rewards that are few and skewed, and none at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...._types import Floats, Indices
from ...protocol import Values
from ..step import Step
from .sample import Sample

_TINY = np.finfo(float).tiny
# How likely a neighbour is that far from the arm's cluster, compared with other points.
_ELSEWHERE = 1 / 8


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
    weights : ndarray, default=None
        How much each point counts: a neighbour may count for more than the arm.
    usual : float, default=None
        The usual size of a reward; None takes it from these arms.
    heaviest : float, default=None
        The largest weight there is; None is that of these points.
    """

    def __init__(
        self,
        step: Step,
        sizes: NDArray[np.float32],
        m: int,
        z: float,
        apart: float,
        weights: Values | None = None,
        usual: float | None = None,
        heaviest: float | None = None,
    ) -> None:
        self.step, self.m = step, m
        self._skew = self._missed = np.zeros(len(sizes))
        if not step.state.k:  # an arm rewards all
            return
        total, squares = np.maximum(-sizes[:, 0].astype(float), 0.0), sizes[:, 1].astype(float)
        if usual is None:
            usual = usual_size(sizes)
        self._z, self._total = z, total / m
        self._one = np.maximum(
            _of_neighbours(step.clips.base, weights, heaviest) - apart, usual / 3
        )
        self._skew = z**2 / 3 * squares / np.maximum(total + self._one, _TINY) / m
        self._missed = self._unseen(slice(None), 1 / m)
        if step.swap and step.k > 1:
            self._one2 = np.maximum(
                _of_neighbours(step.clips.base2, weights, heaviest) - apart, 0.0
            )
            self._home = np.maximum(-sizes[:, 3].astype(float), 0.0)

    def _unseen(self, arms: Indices | slice, share: float) -> Values:
        """What references that stand for a share of the points each may not have shown."""
        one = self._one[arms]
        seen = np.maximum(one + self._total[arms] / share, _TINY)
        return np.asarray(self._z**2 / 2 * one**2 * share / seen)

    def term(self, left: float) -> Floats:
        """By how much the bounds of all arms fall after the screen.

        `left` is the share of the points that it has not seen.
        """
        return (self._skew + self._missed) * left

    def terms(self, arms: Indices, m: int, shares: tuple[float, float]) -> Values:
        """By how much bounds fall at more references, in the columns of `Inside.guard`.

        Parameters
        ----------
        arms : ndarray of int
        m : int
            References that all clusters share.
        shares : tuple of float
            The share of all points that a reference of the arms' cluster stands for, and one
            next to it, as far as there are points that are not seen.
        """
        if not self.step.state.k:
            return np.zeros((len(arms), 3))
        rest = max(1.0 - m / self.step.n, 0.0) / m
        skew = self._skew[arms] * self.m * rest
        # A neighbour of an arm is in its cluster or next to it, but where three meet.
        share = rest if self.step.k == 1 else min(max(*shares, _ELSEWHERE * rest), rest)
        missed = self._unseen(arms, share) if share > 0 else np.zeros(len(arms))
        home = np.zeros(len(arms))
        if self.step.swap and self.step.k > 1 and shares[0] > 0:
            one = self._one2[arms]
            seen = self._home_mean[arms] / shares[0]
            home = self._z**2 / 2 * one**2 / np.maximum(one + seen, _TINY) * shares[0]
        return np.stack([skew, missed, home], axis=1)

    def lower_at_home(self, sample: Sample, at: Indices, lower: Floats) -> None:
        """Lower the bounds of every arm's swap with its own medoid, whose points may gain most.

        `at` is the stratum of each arm.

        What the few references of a small cluster do not show is as much as its arms could
        gain at a point that pays the second medoid.
        """
        if self.step.swap and self.step.k > 1:
            self._home_mean = self._home * sample.share[at]
            left = 1 - sample.counts[at] / sample.strata.sizes[at]
            missed = self._z**2 / 2 * self._one2**2 / np.maximum(self._one2 + self._home, _TINY)
            term = missed * sample.share[at] * left
            line = self.step.owner if len(lower) > 1 else 0
            lower[line, np.arange(len(at))] -= term.astype(lower.dtype)


def usual_size(sizes: Floats) -> float:
    """The usual size of a reward of some arms: a mean in which each counts by its size."""
    total = float(np.maximum(-sizes[:, 0].astype(float), 0.0).sum())
    return float(sizes[:, 1].sum(dtype=float)) / total if total > 0 else 0.0


def _of_neighbours(pays: Floats, weights: Values | None, heaviest: float | None) -> Values:
    """What a point pays that is where each point is, and weighs as much as any.

    Where a point weighs nothing, what others pay on average.
    """
    if weights is None:
        return np.asarray(pays, dtype=np.float64)
    alone = np.divide(pays, weights, out=np.full(len(pays), np.nan), where=weights > 0)
    alone[np.isnan(alone)] = np.nanmean(alone) if not np.isnan(alone).all() else 0.0
    return np.asarray(alone * (weights.max() if heaviest is None else heaviest))
