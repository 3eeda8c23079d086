"""A sample of references, stratified by the medoid that owns them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._points import Indices


class Sample:
    """References, where their distances are, and how much each stands for.

    Attributes
    ----------
    ids, lines : ndarray of int
        The references as points, and their lines in the block that holds them.
    owners : ndarray of int
        The owner of each.
    counts : ndarray of int
        How many of the sample each owner has.
    share : ndarray of float
        For each owner, the share of all points that one of its references stands for.
    spread : ndarray of float
        For each owner, the factor from the sum of squared deviations to its part of
        the variance of the mean; zero where all its points are in the sample.
    """

    def __init__(self, ids: Indices, lines: Indices, owner: Indices, members: Indices) -> None:
        n = members.sum()
        self.ids, self.lines = ids, lines
        self.owners = owner[ids]
        self.counts = np.bincount(self.owners, minlength=len(members))
        seen = np.maximum(self.counts, 1)
        self.share = members / seen / n
        left = np.maximum(1 - self.counts / np.maximum(members, 1), 0)
        self.spread = (members / n) ** 2 * left / (seen * np.maximum(seen - 1, 1))

    def without_itself(self, owner: Indices, members: Indices) -> NDArray[np.float64]:
        """For each point, the factor on its owner's share if the point is left out."""
        seen = self.counts[owner].astype(float)
        inside = np.zeros(len(owner))
        inside[self.ids] = 1.0
        others = np.maximum(seen - inside, 1.0)
        return np.asarray((members[owner] - 1) / members[owner] * np.maximum(seen, 1.0) / others)

    def by_owner(self) -> tuple[Indices, Indices, Indices]:
        """Ids, lines and bounds, owner by owner, each filled up to a multiple of 4."""
        order = sort_owners(self.owners)
        padded = -(-self.counts // 4) * 4
        bounds = np.concatenate([[0], np.cumsum(padded)])
        starts = np.concatenate([[0], np.cumsum(self.counts)])[:-1]
        at = np.arange(len(order)) + (bounds[:-1] - starts)[self.owners[order]]
        ids: NDArray[np.int64] = np.full(bounds[-1], -1, dtype=np.int64)
        lines = np.zeros(bounds[-1], dtype=np.int64)
        ids[at], lines[at] = self.ids[order], self.lines[order]
        return ids, lines, bounds


def sort_owners(owners: Indices) -> Indices:
    """The order that puts references owner by owner, each owner's as they came."""
    # NumPy sorts 16-bit integers in linear time.
    small = owners.astype(np.int16) if owners.max(initial=0) < 2**15 else owners
    return np.argsort(small, kind="stable")
