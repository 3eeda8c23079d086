"""What losses and clusters say about the number of clusters, each by a rule of the literature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from .._types import Floats, Indices

Values = NDArray[np.float64]
# The medoids of some rows, for each k.
Fitted = Callable[[Indices], list[list[int]]]
# Distances from some rows, as medoids, to some rows.
Between = Callable[[Indices, Indices], Floats]

# Two halves must agree by so much of what is between chance and 1.
CLEARLY = 0.25


class Stability(NamedTuple):
    """How well clusters are found again, for each k: the mean over splits, and its error."""

    mean: Values
    error: Values


def stability(
    n: int, ks: Sequence[int], fitted: Fitted, between: Between, rng: np.random.Generator,
    splits: int,
) -> Stability:  # fmt: skip
    """How far two halves of the rows agree on the clusters (as in Lange and others 2004).

    The rows of one half are given the nearest of its own medoids, and of the other half's: the
    adjusted Rand index of the two, which is 1 if they agree and 0 by chance.
    """
    found = np.empty((splits, 2, len(ks)))
    for split in range(splits):
        order = rng.permutation(n)
        halves = np.sort(order[: n // 2]), np.sort(order[n // 2 :])
        medoids = [fitted(half) for half in halves]
        for side in (0, 1):
            test, ours, theirs = halves[side], medoids[side], medoids[1 - side]
            for i in range(len(ks)):
                own = between(np.array(ours[i]), test).argmin(axis=0)
                other = between(np.array(theirs[i]), test).argmin(axis=0)
                found[split, side, i] = adjusted_rand_score(own, other)
    by_split = found.mean(axis=1)
    return Stability(by_split.mean(axis=0), by_split.std(axis=0, ddof=1) / np.sqrt(splits))


def most_stable(ks: Sequence[int], ours: Stability, null: Values | None) -> int:
    """The largest k that is, but for an error, the most stable.

    Counted from what rows without clusters give to 1. 1 if none is clearly above; half is asked
    for where there is nothing to compare with.
    """
    base = np.zeros(len(ks)) if null is None else np.clip(null, 0.0, 0.99)
    above = (ours.mean - base) / (1 - base)
    best = int(above.argmax())
    if above[best] < (0.5 if null is None else CLEARLY):
        return 1
    close = np.flatnonzero(above >= above[best] - (ours.error / (1 - base))[best])
    return int(ks[close[-1]])


class Gap(NamedTuple):
    """The gap statistic, from k = 1 on, and its error."""

    mean: Values
    error: Values


def gap_statistic(losses: Values, reference: Values) -> Gap:
    """How much lower log losses are than those of data without clusters (Tibshirani 2001).

    `losses` are those of the data, for k = 1 and on; `reference` has a row for each draw of rows
    from a box around the data (`without_clusters`).
    """
    logs = np.log(np.maximum(reference, 1e-300))
    gap = logs.mean(axis=0) - np.log(np.maximum(losses, 1e-300))
    return Gap(gap, logs.std(axis=0) * np.sqrt(1 + 1 / len(logs)))


def first_gap(ks: Sequence[int], gap: Gap) -> int | None:
    """The smallest k whose gap is no more than an error below the next; None if all rise."""
    for i in range(len(ks) - 1):
        if gap.mean[i] >= gap.mean[i + 1] - gap.error[i + 1]:
            return int(ks[i])
    return None


def bend(gap: Gap) -> int | None:
    """The elbow: where the gap bends most, so that one more cluster brings much less than the last.

    Yan and Ye (2007), from k = 2 on. None where the bend is within the error, or the largest k.
    """
    if len(gap.mean) < 3:
        return None
    rises = np.diff(gap.mean)
    bends = rises[:-1] - rises[1:]
    best = int(bends.argmax())
    return best + 2 if bends[best] > gap.error[best + 1] else None


def knee(ks: Sequence[int], losses: Sequence[float]) -> int | None:
    """The elbow where there is no gap: the k farthest below the line between the first and last.

    Kneedle (Satopää and others 2011), both axes from 0 to 1. None where no k is a tenth below.
    """
    if len(ks) < 4 or not losses[0] > losses[-1]:
        return None
    along = (np.array(ks) - ks[0]) / (ks[-1] - ks[0])
    fallen = (losses[0] - np.array(losses)) / (losses[0] - losses[-1])
    best = int((fallen - along).argmax())
    return int(ks[best]) if fallen[best] - along[best] > 0.1 else None


def without_clusters(rows: Values, rng: np.random.Generator) -> Values:
    """As many rows, evenly from a box around these.

    Along the columns or along the principal axes: the box that is smaller.
    """
    middle = rows.mean(axis=0)
    _, sizes, axes = np.linalg.svd(rows - middle, full_matrices=False)
    axes = axes[sizes > 1e-9 * max(sizes[0], 1e-300)]
    turned = (rows - middle) @ axes.T
    plain = np.ptp(rows, axis=0)
    if len(axes) == rows.shape[1] and np.log(plain).sum() <= np.log(np.ptp(turned, axis=0)).sum():
        return rng.uniform(rows.min(axis=0), rows.max(axis=0), size=rows.shape)
    drawn = rng.uniform(turned.min(axis=0), turned.max(axis=0), size=turned.shape)
    return np.asarray(drawn @ axes + middle)
