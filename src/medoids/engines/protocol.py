"""The seam: what a search and the methods ask of an engine, wherever the data lives.

What has length n stays inside the engine. Ids of a few arms, scalars, and vectors as long as k or
as a handful of arms leave it. So whoever is above the seam knows no array of the data's length, no
thread and no device, and an engine is free to keep its arrays where it likes.

`Medoids` is a set of medoids and what all points pay; an `Engine` searches for better ones, and
`Arms` are the arms of one step of such a search: this is what "banditpam" asks. A `FullEngine`
serves the other methods too, with `Matrix` for those that look at all distances and `Targets` for
the published algorithm. `engines/reference.py` is the readable example, `tests/engine_contract.py`
the suite that every engine passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

# A few arms, as rows of the data; and a number for each.
Ids = NDArray[np.integer]
Values = NDArray[np.float64]


class Medoids(Protocol):
    """The medoids so far, of the n points of an engine.

    Attributes
    ----------
    n, n_rows, n_arms : int
        How many points pay; how many rows there are; and how many of these may be medoids.
    n_clusters : int
        How many medoids there will be.
    medoids : list of int
        The rows that are medoids now; the position is the label.
    fixed : list of int
        Those that are to be the first medoids, and to stay.
    loss : float
        What all points pay, in the engine's unit: infinite while there is no medoid.
    unit : float
        What a distance of 1 is to the user: a power of two.
    nonnegative : bool
        No distance is below zero.
    n_distances : int
        Distances computed so far, by this engine and by those that it was made from.
    """

    @property
    def n(self) -> int: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_arms(self) -> int: ...
    @property
    def n_clusters(self) -> int: ...
    @property
    def unit(self) -> float: ...
    @property
    def nonnegative(self) -> bool: ...
    @property
    def medoids(self) -> list[int]: ...
    @property
    def fixed(self) -> list[int]: ...
    @property
    def loss(self) -> float: ...
    @property
    def n_distances(self) -> int: ...

    def start(self, medoids: Sequence[int]) -> None:
        """Add these medoids, in float64."""

    def place(self, position: int, medoid: int) -> None:
        """Add a medoid (at the first position that is free), or replace one, in float64."""

    def loss_after(self, position: int, medoid: int) -> float:
        """The loss if the medoid at this position gave way to another, in float64."""

    def confirm(self, arms: Ids, swap: bool) -> tuple[Values, Ids]:
        """The value of each arm in float64, and the position of the medoid that it replaces.

        The lowest position on a tie, and 0 in BUILD. Arms at the same distances have the same
        value to the last bit, whoever is asked with them: else chance would decide their tie.
        """

    def labels(self) -> Any:
        """For each point the position of its medoid, an array of int32; the lowest on a tie."""

    def draw(self, rng: np.random.Generator) -> int:
        """A point that is no medoid, by a chance in proportion to what it pays.

        Who pays less than nothing is not drawn; if nobody pays, all have the same chance.
        """

    def draw_some(self, count: int, rng: np.random.Generator) -> Ids:
        """Different points that may be medoids and are none, at random, by their weight."""

    def free(self) -> int:
        """The lowest row that may be a medoid and is none."""

    def missed_least(self) -> int:
        """The position of the medoid without which the loss would rise least; not a fixed one."""

    def silhouette(self) -> float | None:
        """The mean over all points of 1 - nearest / second, by weight; None if that means nothing.

        That is so for one medoid, and where distances are below zero.
        """

    def best_among(self, some: Ids) -> int:
        """The one of some points that lowers most what these pay; the first on a tie."""


class Near(NamedTuple):
    """What came of looking at the points around each cluster.

    Attributes
    ----------
    swaps : int
        How many were done.
    arms, references : int
        Arms that were looked at, and points that each was judged by, on average.
    good : int
        Arms that lowered the loss, before any swap.
    whole : bool
        All arms were judged by all points.
    close : ndarray of int
        If so, and none was good: arms that float32 cannot tell from those that change nothing.
    """

    swaps: int
    arms: int
    references: int
    good: int
    whole: bool
    close: Ids


class Arms(Protocol):
    """The arms of one BUILD or SWAP step, after all of them were screened.

    An arm is a point that may become a medoid; its value is the mean over all points of what it
    changes (in SWAP: with the best of the k medoids that it could replace). Of every arm there is
    an estimate and a lower bound, from the references so far. Arms are *left* until `drop` finds
    their bound above a bar, or that they are *valued*. Medoids are no arms.

    Attributes
    ----------
    count : int
        Arms that were screened.
    left : int
        Arms that are left.
    first, depth, total : int
        References of the screen; where `refine` begins to be of use; and all of them.
    slack : float
        Values closer than this are the same to the engine, but for `confirm`.
    exact : bool
        The estimates are the values, but for `slack`: there is nothing to refine. (An engine that
        measures all references may still say no, if its rounding is too coarse for a step.)
    sigma : list of float
        Minimum, quartiles and maximum of the arms' standard deviations.
    """

    @property
    def count(self) -> int: ...
    @property
    def first(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def slack(self) -> float: ...
    @property
    def exact(self) -> bool: ...
    @property
    def sigma(self) -> list[float]: ...
    @property
    def left(self) -> int: ...

    def drop(self, bar: float) -> int:
        """Drop the arms that are valued, or whose bound is above the bar; how many are left."""

    def lowest(
        self,
        count: int,
        *,
        below: float = np.inf,
        each: bool = False,
    ) -> Ids:
        """Those with the lowest estimates of the arms that are left, the lowest first.

        Parameters
        ----------
        count : int
            How many.
        below : float, default=inf
            Those alone whose estimate is below this.
        each : bool, default=False
            So many of each cluster; of all, before there is a medoid.
        """

    def leaders(self, depth: int) -> Ids:
        """Arms that are worth to be valued before others are refined to a depth, in any order.

        The most promising ones, so that the bar falls; and of each cluster some that are near
        those that are left, as far as they save more than they cost.
        """

    def narrowed(self, each: int) -> Arms:
        """The same, with the lowest so many of each cluster alone; what is learnt is shared."""

    def refine(self, depth: int, leaders: Ids) -> None:
        """Estimate the arms that are left from the references up to a depth.

        The rewards of the leaders, which are valued, may explain those of the others; an engine may
        value more arms for that.
        """

    def worth_refining(self, depth: int) -> bool:
        """Whether that costs less than to value the arms."""

    def value(self, arms: Ids | None = None) -> float:
        """Value some arms exactly (None: all that are left), but for `slack`; the lowest so far."""

    def valued(self, bar: float = np.inf) -> Ids:
        """The arms whose value is known and no higher than the bar, the lowest first.

        Also those that were valued through arms that were `narrowed`, or dropped since.
        """

    def close(self) -> None:
        """The search is over: the engine may draw its conclusions from what it cost."""


class Engine(Medoids, Protocol):
    """Points with their dissimilarity, and a search for medoids among them.

    Attributes
    ----------
    first : int
        References that every arm is measured on.
    near : bool
        `swap_near` is of use: there are so many clusters, or all distances are at hand.
    """

    @property
    def first(self) -> int: ...
    @property
    def near(self) -> bool: ...

    def screen(self, swap: bool, z: float) -> Arms:
        """Estimate every arm of a step from the first references.

        Parameters
        ----------
        swap : bool
            An arm replaces a medoid (SWAP), rather than joining them (BUILD).
        z : float
            Half-width of an interval, in standard errors.
        """

    def forget(self) -> None:
        """Forget the bounds that earlier steps have left."""

    def seem_best(self, count: int) -> Ids:
        """Arms of a BUILD step that seem the best by the first references, in ascending order."""

    def place_best(self, arms: Ids) -> int:
        """BUILD: add the best of some arms, as far as float32 tells; which one it is.

        The lowest id on a tie; the medoids may be known in float32 then, until `sharpen`.
        """

    def place_all(self, medoids: Sequence[int]) -> None:
        """Add these medoids, as far as float32 tells: as `start` does, until `sharpen`."""

    def swap_in(self, arms: Ids, margin: float) -> int:
        """Swap in these arms, as far as each lowers the loss by more than a margin; how many.

        The margin is of the loss, not of its mean. Medoids among the arms are passed over. The
        medoids may be known in float32 then, until `sharpen`.
        """

    def swap_near(self, level: int) -> Near | None:
        """Swap in arms that lower the loss by what they win at the points around their clusters.

        From one level to the next (0, 1, ...) these are more points, at last perhaps all; where all
        distances are at hand they are all at once. None, if there is no such level, or none at all:
        then a search finds what is left. Else as `swap_in` does it: a swap lowers the loss by more
        than float32 can be wrong.
        """

    def sharpen(self) -> None:
        """Know the medoids' distances in float64."""

    # --- other engines on the same points

    def some_points(self, count: int, which: int) -> tuple[Self, Ids] | None:
        """Some points as an engine of their own, and which rows they are: to rehearse a start.

        They are others for each `which` (0, 1, ...), and none of the first references as long as
        there are others: what is estimated from those then owes nothing to the rehearsal. None, if
        there are too few for so many clusters.
        """

    def prepared(self, rough: bool = False) -> Self:
        """The engine that serves searches best: this one, or one that holds all distances.

        Steps that are `rough` are decided in float32, and the end alone in float64.
        """

    def carrying(self) -> AllArms | None:
        """All distances, where PAM's steps on them cost less than searches do; else None."""

    def fresh(self) -> Self:
        """The same points without medoids."""

    def again(self, n_clusters: int | None = None) -> Self:
        """The same, for one more start: distances that are kept serve it too.

        Perhaps for another number of clusters.
        """


class FullEngine(Engine, Protocol):
    """An engine that serves every method.

    Attributes
    ----------
    room : float
        Bytes that all distances may take: the memory limit.
    """

    @property
    def room(self) -> float: ...

    def bytes_held(self, exact: bool = False) -> float:
        """The memory that all distances take, in float64 if `exact`."""

    def holding(self) -> Self:
        """The same points, with all distances computed once and held."""

    def draw_sample(
        self, size: int, medoids: Sequence[int], rng: np.random.Generator
    ) -> tuple[Ids, Ids | None]:
        """These medoids, and other points at random; how often each is there (None: once).

        Points of different weight are drawn as often as they weigh: there may be fewer then.
        """

    def sample(self, chosen: Ids, counts: Ids | None = None) -> Self:
        """Some of the points, each so often, with the distances between them."""

    def matrix(self, *, exact: bool = False, confirmed: bool = False) -> Matrix:
        """All distances; in float64 if `exact`, or in float32 and what is close `confirmed`."""

    def draw_references(self, count: int, rng: np.random.Generator) -> Ids:
        """Different points at random, by their weight."""

    def batch(self, chosen: Ids, weighting: bool) -> Matrix:
        """The distances from all points to a few, which count for the points around them."""

    def targets(self, swap: bool, delta: float | None, changes: Changes) -> Targets:
        """The targets of one search of the published algorithm."""

    def rough_loss(self, medoids: Sequence[int]) -> float:
        """The loss of other medoids, in float32."""

    def sizes(self) -> Ids:
        """How many points each medoid has."""

    def centre(self, position: int, held: Self) -> int:
        """The point of a cluster with the lowest sum of distances to it; its medoid on a tie."""

    def members(self, position: int, held: Self) -> tuple[Self, int]:
        """A cluster's points, and which of them is its medoid (-1: none)."""

    def row_of(self, arm: int) -> int:
        """Which row of the data a point of `members` or of a `sample` is."""

    def farthest(self, apart_from: Sequence[int]) -> int | None:
        """The point that pays most, apart from some; None if none pays."""

    def draw_arms(self, count: int, rng: np.random.Generator) -> Ids:
        """Points that may be medoids, at random; one may be drawn again, and be a medoid."""

    def changes(self, arms: Ids, positions: Ids) -> Values:
        """What each arm would change of the loss, in the place of the medoid at its position."""


class AllArms(Medoids, Protocol):
    """Points whose distances are all at hand, and what PAM asks of them."""

    def close(self, swap: bool) -> Ids:
        """The best arm, and those that rounding cannot tell from it; none, if no swap is good."""


class Matrix(AllArms, Protocol):
    """The same with what other methods ask: a row for each arm."""

    def best_for_each(self) -> tuple[Ids, Values]:
        """For each medoid the arm that replaces it best, and its value."""

    def first_better(self, start: int, stop: int) -> tuple[int, int]:
        """Of the arms from `start` on, the first with a swap that is good, and its position.

        -1 if there is none before `stop`.
        """


class Changes(NamedTuple):
    """What is changed of the published algorithm: nothing, as it stands here."""

    cache: bool = False
    paired: bool = False
    replacement: bool = True
    null_arm: bool = False


class Targets(Protocol):
    """The targets of the published algorithm: points, or pairs of a point and a medoid.

    Attributes
    ----------
    quartiles : list of float
        Minimum, quartiles and maximum of sigma.
    left, used : int
        Targets that are left, and references drawn.
    """

    @property
    def quartiles(self) -> list[float]: ...
    @property
    def used(self) -> int: ...
    @property
    def left(self) -> int: ...

    def measure(self) -> None:
        """One more batch of references, for all targets that are left."""

    def drop(self) -> None:
        """Drop those whose interval is above that of another."""

    def best(self) -> tuple[int, int] | None:
        """The best arm and the position that it takes; None if no target is left."""
