"""The tuning constants, in one table: what a search and its engine weigh against each other.

They change how much work a fit does and how, never what is promised. Every fit reads them from its
settings, so a study or a test changes them for the fits inside a block, and patches nothing:

>>> from medoids import k_medoids
>>> from medoids._tuning import tuned
>>> with tuned(first_block=2):
...     result = k_medoids([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]], 2)
>>> result.medoid_indices.tolist()
[1, 4]

Sizes that suit a processor's caches are beside the loops that they are of.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple


class Tuning(NamedTuple):
    """All of them. Costs are in nanoseconds, about; shares are of the memory limit unless said."""

    # --- the chances that a search takes (docs/algorithm.md, "Leaders are valued exactly")
    delta: float = 3e-5  # that it drops the best arm
    eager_delta: float = 0.01  # that a pass of eager swaps misses a good arm, but for the last one

    # --- the first references, on which every arm is measured
    first_block: int | None = None  # so many, whatever the rest says; None follows the rest
    fewest_first: int = 512
    per_cluster: int = 100  # and so many for each cluster,
    per_cluster_bytes: int = 150  # or so many where rows are bytes;
    few_first: int = 512  # or half of them, but so many, where points are near each other:
    contrast: float = 3.0  # so many times nearer to the nearest of 512 than to others
    most_first: float = 2.0  # and twice as many, once refining arms has cost
    growing: float = 4.0  # so many times what that costs
    foreseen: int = 2  # or will have, if steps to come are like the last few,
    summed: float = 2.0  # with a reward in all later steps;
    small_pairs: int = 20_000_000  # all of them, if n² is no more
    small_cost: float = 1e8  # and costs less
    seen: int = 8  # every cluster is seen through so many of its points
    heavy: float = 8.0  # points that pay so many times the mean are all seen,
    heaviest: float = 1 / 8  # up to this share of the first references

    # --- a search
    leaders: int = 15  # arms that are valued exactly to lead the others,
    own_leaders: int = 4  # and so many of each cluster (in BUILD twice as many),
    leading: float = 0.1  # as far as they cost this share of what refining its arms does;
    promoted: int = 2  # and the most promising ones in any case;
    region: int = 2000  # clusters are taken in parts of so many arms, at least,
    led: float = 4.0  # each of which is worth so many leaders,
    most_regions: int = 16  # and in so many parts, at most;
    few: int = 8  # so few arms that are left are valued
    round_pairs: int = 1_000_000  # a round costs as much as so many distances: fewer are valued
    screened: float = 0.7  # cost of a reward where all arms are screened,
    refined: float = 2.3  # where some are refined,
    valued: float = 1.0  # and where some are valued;
    refining: float = 8e6  # and of a round of refining,
    last: int = 1000  # where so few are left, to value them may take less than regressions do,
    regressing: float = 300.0  # which cost this for each cluster and reference;
    fitting: float = 150.0  # on a cluster with a regression on every worker: for each reference,
    giving: float = 2.0  # and with rows that go to all of them: for each byte
    completes: bool = True  # compute all distances, once searches have cost more than that

    # --- all distances, with sums carried from step to step, rather than searches
    carried: float = 0.94  # memory that they may take
    searching: float = 1e4  # what searches cost for each point and cluster, at least,
    searching_eager: float = 4e3  # or those of eager swaps,
    dear: float = 66.0  # and twice as much where a distance costs this;
    carrying: float = 2.0  # and to sum a distance as often as BUILD and SWAP do

    # --- estimates from more references
    many: int = 32  # from so many clusters on, refining begins at twice the first references
    fewest_regressed: int = 256  # references that are a ground for a regression
    per_feature: int = 16  # references for each of its features
    own: float = 0.125  # further references of an arm's own cluster, for each that all share;
    beside: float = 0.125  # and of points next to it
    support: float = 12.0  # references that a leader's rewards rest on
    copying: float = (
        8.0  # to copy a distance of an older list of members; cheaper ones are computed
    )

    # --- bounds that are carried from one step to the next
    falling: int = 25  # by the most that they can fall, with so many first references a cluster;
    worth_carrying: int = 32  # by an estimate with so many clusters: with fewer, sums tell as much;
    changed: float = 0.5  # the share of points that may change
    fewest_changed: int = 16  # references among them
    wanted_changed: int = 384  # and so many with many clusters,
    proven: float = 0.8  # if the bounds show of this share of the arms that they are of no use

    # --- eager swaps
    reaches: tuple[int, ...] = (10, 20, 80)  # points around a cluster, in clusters' sizes,
    near: float = 2.0  # and the cost of a reward there;
    worth_near: int = 50  # looking farther, where fewer swaps than a cluster in so many are found;
    usual: float = 5.0  # passes that share the cost of the first references
    tried: int = 2  # arms of each cluster that are valued
    vague: float = 0.75  # if the screen drops more than the rest; else more is asked of them
    hopeful: int = 40  # arms of each of many clusters that are looked at closely, if these fail
    built: int = 8  # arms of a BUILD step that are judged by all points
    rehearsed: int = 50  # points for each cluster that a start is rehearsed with,
    most_rehearsed: int = 4000  # but so many in all,
    least_rehearsed: int = 10  # if that is so many for each cluster;
    fewest_rehearsed: int = 256  # and so many in any case;
    fewest_each: int = 4  # no rehearsal with fewer for each cluster
    passes: int = 100  # of a rehearsal, at most
    starts: int = 3  # starts that are tried with few clusters,
    trial: int = 2  # for so many passes each

    # --- memory
    columns: float = 0.4  # distances from all arms to the first references,
    levels: float = 0.2  # from some arms to more,
    rows: float = 0.1  # from a few to all points;
    scratch: float = 0.1  # what is dropped after use;
    exact_rows: float = 0.05  # rows in float64;
    bounds: float = 0.05  # bounds;
    sums: float = 0.05  # sums over the first references, by owner;
    medoid_rows: float = 0.05  # and distances from medoids to all points
    all_pairs: float = 0.95  # where all distances take no more, none is computed twice
    kept_pairs: int = 250_000_000  # if there are no more, points are near each other,
    kept_cost: float = 100.0  # or a distance costs more;
    more_columns: float = 0.04  # and so much is for references of small clusters
    all_exact: float = 0.9  # where all in float64 and float32 take no more, they may be held
    confirmed: int = 3  # arms that are confirmed in float64, for each cluster,
    confirmed_last: float = 1.2  # or of eager swaps, at the end alone:
    twice: float = 0.04  # borne as this share of the points; else all are held in float64
    few_points: int = 400  # as they are of so few points
    slow_exact: float = 5e8  # but not where float64 is slow, and all in float32 cost more

    # --- weights
    heaviest_weight: float = 4.0  # points of more, in means, are split into several

    # --- other methods
    small_cluster: int = 4096  # "alternate": the centre is found from all distances,
    centres: float = 0.2  # of which so much memory is taken at a time
    one_batch: float = 0.9  # "onebatch": of its own accord the batch takes so much memory
    long: float = 5e9  # "clarans" warns of so many distances


_TUNING: ContextVar[Tuning] = ContextVar("medoids_tuning", default=Tuning())  # noqa: B039


def current() -> Tuning:
    """What the fits of this thread are tuned by."""
    return _TUNING.get()


@contextmanager
def tuned(**changes: Any) -> Iterator[None]:
    """Let the fits that this thread begins inside the block be tuned otherwise."""
    token = _TUNING.set(current()._replace(**changes))
    try:
        yield
    finally:
        _TUNING.reset(token)
