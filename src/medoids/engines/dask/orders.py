"""What is asked of a shard: plain values, all of them short. `answers` has what it says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._types import Indices
from ..cpu.points.across import Described
from ..cpu.step import Whole
from ..protocol import Values
from .answers import Pairs

# Names of references, a stretch each, that every worker is given.
REFERENCES = "refs-"

# The name of rows that every worker is given, and which of them.
Entry = tuple[str, Indices]


@dataclass(frozen=True)
class Rows:
    """A few things that every worker is given: references, leaders, medoids.

    Attributes
    ----------
    ids : ndarray of int
        Which rows of all data they are.
    things : Any
        As the user gave them.
    weights : ndarray or None
    """

    ids: Indices
    things: Any
    weights: Values | None


@dataclass(frozen=True)
class Ground:
    """What all shards have in common, once they are loaded.

    Attributes
    ----------
    n : int
        Points in all.
    starts : tuple of int
        The row that each partition begins with.
    described : Described
        What the space follows from.
    seed : int
        Of the order of the references.
    first : int
        References that every arm is measured on.
    n_clusters : int
    scale : float
        What weights are divided by: a power of two.
    heaviest : float or None
        The largest weight, so divided; None if there are none.
    fixed : int
        So many of the first medoids stay.
    allowed : ndarray of int or None
        The rows that may be medoids, in ascending order. None: all.
    room : float or None
        Bytes for distances that each worker keeps. None is a share of its memory.
    """

    n: int
    starts: tuple[int, ...]
    described: Described
    seed: int
    first: int
    n_clusters: int
    scale: float
    heaviest: float | None
    fixed: int
    allowed: Indices | None
    room: float | None


@dataclass(frozen=True)
class StepOrder:
    """One BUILD or SWAP step, as all shards are to see it.

    Attributes
    ----------
    number : int
        It is like no other.
    swap, z
        As in `Engine.screen`.
    whole : Whole
    sizes : ndarray of int of shape (2k,)
        How many points each stratum has: by owner, and by owner those that are heavy.
    means : ndarray of shape (k, 1 + known)
        Of each owner's points: their share of all, and their part of the means of what is known.
    pairs : Pairs
        Of the points next to each cluster.
    light : ndarray of int
        How many of each pair are not heavy.
    heavy : ndarray of int
        The points that pay far more than others.
    more : str
        The name of the further references; empty if there are none.
    fresh : bool
        Bounds of earlier steps are forgotten.
    changed : tuple of int or None
        The number of the step before, and of points whose rewards have changed since.
    """

    number: int
    swap: bool
    z: float
    whole: Whole
    sizes: Indices
    means: Values
    pairs: Pairs
    light: Indices
    heavy: Indices
    more: str
    fresh: bool
    changed: tuple[int, int] | None = None

    @staticmethod
    def no_pairs() -> Pairs:
        """Where there is no second medoid."""
        return Pairs(np.empty(0, dtype=np.int64), np.empty((0, 3)))


@dataclass(frozen=True)
class Command:
    """One thing to do in a step: "drop", "refine", "value", "narrow"; or nothing but to look."""

    word: str
    view: int = 0
    args: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Order:
    """One round: where the fit is, and what to do.

    Attributes
    ----------
    word : str
        What the round is called, on the dashboard too.
    medoids : tuple of int
        The medoids now.
    book : str
        The name of the payload that has their rows.
    args : dict
        Of a word that belongs to no step.
    step : StepOrder or None
    log : tuple of Command
        All that was done in the step so far, and now: what a shard has not seen, it does now.
    """

    word: str
    medoids: tuple[int, ...] = ()
    book: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    step: StepOrder | None = None
    log: tuple[Command, ...] = ()
