"""The regression of one cluster, set up: what its arms' rewards are held against."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices
from ...protocol import Values
from .. import kernels
from ..kernels.tuples import LANES, Basis, Cluster, Hits, Inside, Led, Refs
from ..step import Step
from .sample import student

# Features for leaders: one for each, and in SWAP two for one of the arms' own cluster.
MOST_LED = 13
# Arms that a thread takes at a time.
TILE = 256
# Estimates, and lower bounds in lines.
Out = tuple[Values, NDArray[np.float32]]
# How many columns a block has, and which of them are references; None, if all are.
Laid = tuple[int, Indices | None]


class Block(NamedTuple):
    """Distances from some arms to some references.

    Attributes
    ----------
    block : ndarray of float32 of shape (arms, references)
    slots : ndarray of int
        The row of each arm in it.
    """

    block: NDArray[np.float32]
    slots: Indices

    def of(self, start: int, stop: int) -> Block:
        """The same of some of the arms."""
        return Block(self.block, self.slots[start:stop])


class Within(NamedTuple):
    """Of some arms: which reference each is (-1 if it is none); `own` and `guard` of `Inside`."""

    me: Indices
    own: Values
    guard: Values

    def of(self, start: int, stop: int) -> Within:
        """The same of some of them."""
        return Within(self.me[start:stop], self.own[start:stop], self.guard[start:stop])


class Fitted:
    """A basis, and where its references are among the distances of arms.

    Parameters
    ----------
    refs, led : Refs, Led
    cluster : Cluster
    means : tuple of ndarrays
    rules : tuple of int and float
        References for each feature, and on which a leader's rewards rest.
    z : float
    parts : sequence of Laid
        The blocks that have the references' distances, one after the other.

    Attributes
    ----------
    unseen : float
        The share of all points that a reference of the cluster stands for, as far as there are
        points that are not seen.
    """

    def __init__(
        self,
        refs: Refs,
        led: Led,
        cluster: Cluster,
        means: tuple[Values, Values],
        rules: tuple[int, float],
        z: float,
        parts: Sequence[Laid],
    ) -> None:
        self.g, self.n, self.swap, self._z = cluster.g, cluster.n, cluster.swap, z
        found = kernels.regress(refs, led, cluster, means, (*rules, wider(z)))
        self._basis, limit, shares = Basis(*found[:8]), found[8], found[9]
        self._share, self.unseen, self._seen = shares
        self._columns = []
        used = np.where(self._basis.segments < 0, -1, np.arange(len(limit))).astype(np.int32)
        start = 0
        for width, columns in parts:
            if columns is None:
                part = slice(start, start + width)
                self._columns.append((limit[part], used[part]))
                start += width
                continue
            part = slice(start, start + len(columns))
            limits, lines = np.full(width, -np.inf, np.float32), np.full(width, -1, np.int32)
            limits[columns], lines[columns] = limit[part], used[part]
            self._columns.append((limits, lines))
            start += len(columns)
        self._width = sum(len(limits) for limits, _ in self._columns) + LANES

    def estimate(
        self,
        blocks: list[Block],
        arms: Within,
        step: Step,
        at: int,
        out: Out,
        scratch: list[NDArray[np.int32]],
    ) -> None:
        """Estimate a few arms, and bound them: their places in `out` begin at `at`.

        `scratch` is what threads have used before, and may use again: fresh memory takes time.
        """
        me = arms.me
        held = scratch.pop() if scratch else np.empty(0, np.int32)
        half = len(me) * self._width
        if len(held) < 2 * half:
            held = np.empty(2 * half, np.int32)
        places, values = held[:half], held[half : 2 * half].view(np.float32)
        shape = len(me), self._width
        hits = Hits(places.reshape(shape), values.reshape(shape), np.zeros(len(me), np.int64))
        for (block, slots), (limits, lines) in zip(blocks, self._columns, strict=True):
            kernels.find(block, slots, limits, lines, me, hits)
        inside = Inside(
            me, self.g, arms.own, arms.guard, self._share, self._seen, self.n, self.swap
        )
        kernels.conclude(hits, self._basis, inside, step.removal, self._z, at, out)
        scratch.append(held)


@lru_cache(maxsize=16)
def wider(z: float) -> Values:
    """For each number of degrees of freedom, by how much Student's quantile widens a variance."""
    return student(np.maximum(np.arange(4096), 1), z)
