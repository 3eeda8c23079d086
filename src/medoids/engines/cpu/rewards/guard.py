"""What a normal interval misses: rewards that are few and skewed, and none at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...._types import Floats, Indices
from ...protocol import Values
from ..step import Step
from .sample import Sample

_TINY = np.finfo(float).tiny


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
    """

    def __init__(
        self, step: Step, sizes: NDArray[np.float32], m: int, z: float, apart: float
    ) -> None:
        self.step, self.m = step, m
        self._skew = self._missed = self._missed_at_home = np.zeros(step.n)
        if not step.state.k:  # an arm rewards all
            return
        total, squares = np.maximum(-sizes[:, 0].astype(float), 0.0), sizes[:, 1].astype(float)
        overall = total.sum()
        usual = squares.sum() / overall if overall > 0 else 0.0
        one = np.maximum(step.clips.base - apart, usual / 3)
        total = np.maximum(total + one, _TINY)
        self._skew = z**2 / 3 * squares / total / m
        self._missed = z**2 / 2 * one**2 / total / m
        if step.swap and step.k > 1:
            one = np.maximum(step.clips.base2 - apart, 0.0)
            total = np.maximum(one - sizes[:, 3], _TINY)
            self._missed_at_home = z**2 / 2 * one**2 / total

    def term(self, arms: Indices | slice, m: int, rest: Floats | float = 1.0) -> Floats:
        """By how much the bounds of some arms fall at a sample of m.

        `rest` is the share of the rewards' size that is left to chance.
        """
        left = max(1.0 - m / self.step.n, 0.0)
        scale = self.m / m * left
        return (self._skew[arms] * rest + self._missed[arms]) * scale

    def lower_at_home(self, arms: Indices, sample: Sample, lower: Floats) -> None:
        """Lower the bounds of each arm's swap with its own medoid, whose points may gain most.

        What the few references of a small cluster do not show is as much as its arms could
        gain at a point that pays the second medoid.
        """
        if self.step.swap:
            at = sample.strata.of[arms]
            left = 1 - sample.counts[at] / sample.strata.sizes[at]
            term: Values = self._missed_at_home[arms] * sample.share[at] * left
            line = self.step.owner[arms] if len(lower) > 1 else 0
            lower[line, np.arange(len(arms))] -= term.astype(lower.dtype)
