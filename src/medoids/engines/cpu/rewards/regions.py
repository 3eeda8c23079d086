"""Regions: parts of a cluster whose arms are near each other, and share their leaders.

Rewards of an arm are told by those of leaders near it. A cluster with many arms left, as in the
first BUILD steps, reaches far: so it is taken in parts, each around one of the first references.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...._tuning import Tuning
from ...._types import Indices
from ..cache.cache import Cache
from ..step import Step


class Regions(NamedTuple):
    """The regions of some arms, cluster by cluster.

    Attributes
    ----------
    of : ndarray of int
        The region of each arm.
    first : ndarray of int of shape (k + 1,)
        Each cluster's first region, and how many there are.
    centres : ndarray of int
        The line of distances to each region's centre; -1 where a region is a whole cluster.
    """

    of: Indices
    first: Indices
    centres: Indices

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.centres)

    def of_others(self, arms: Indices, owner: NDArray[np.int32], cache: Cache) -> Indices:
        """The regions of other arms."""
        return _nearest(arms, owner[arms], self.first, self.centres, cache)


def regions_of(arms: Indices, depth: int, step: Step, cache: Cache, tuning: Tuning) -> Regions:
    """Regions of so many arms that their leaders and regressions cost less than they do.

    Parameters
    ----------
    arms : ndarray of int
    depth : int
        Of the references on which they are estimated next.
    step : Step
    cache : Cache
    tuning : Tuning
    """
    owners = step.owner[arms]
    # A leader costs as much as so many arms do.
    least = max(tuning.region, tuning.led * step.n / depth)
    parts = np.bincount(owners, minlength=step.k) / least
    parts = np.clip(parts.astype(np.int64), 1, tuning.most_regions if step.state.k else 1)
    lines = cache.position[arms]
    centres = [np.full(1, -1)] * step.k
    for g in np.flatnonzero(parts > 1).tolist():
        mine = np.sort(lines[(owners == g) & (lines < cache.first)])[: parts[g]]
        if len(mine) > 1:
            centres[g] = mine
    first = np.cumsum([0, *(len(each) for each in centres)])
    every = np.concatenate(centres)
    return Regions(_nearest(arms, owners, first, every, cache), first, every)


def _nearest(
    arms: Indices, owners: NDArray[np.int32], first: Indices, centres: Indices, cache: Cache
) -> Indices:
    """The region of each arm, by its owner and the centre that it is nearest to."""
    of: Indices = first[owners]
    for g in np.flatnonzero(np.diff(first) > 1):
        mine = np.flatnonzero(owners == g)
        lines = centres[first[g] : first[g + 1]]
        of[mine] += cache.columns.block[lines[:, None], arms[mine]].argmin(axis=0)
    return of
