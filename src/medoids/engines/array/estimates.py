"""What arms are worth, from their distances to a sample: estimates and lower bounds.

The rewards of all arms at R references are a matrix Y. They are regressed on features F of the
references whose means over all points are known: who owns a reference, what it pays, and the
rewards of leaders there. With F = Q L' (Q'Q = 1), the coefficients of all arms are the product
C = YQ, and the estimate of an arm's mean reward is that of its sample, moved to where the means of
the features are: mean(Y) + C v, with v = L^-1 (mean of F over all points - over the sample).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dtrtri

from ..protocol import Values
from .namespace import Array, Space
from .step import Clips, Step

# References for each feature.
_PER_FEATURE = 8
# And those that a feature rests on, at least.
_SUPPORT = 12.0
_TINY = 1e-150


class Basis(NamedTuple):
    """Features of the references, orthonormal.

    Attributes
    ----------
    q : array of shape (references, features)
        Perhaps with more columns, of zeros.
    shift : array of shape (features,)
        From their means in the sample to those over all points.
    apart : float
        Its square.
    spent : int
        How many features there are.
    """

    q: Array
    shift: Array
    apart: float
    spent: int


def basis_of(space: Space, features: Array, means: Values) -> Basis:
    """The basis of features at references (float64, a column each), whose means are known."""
    xp, (count, width) = space.xp, features.shape
    squares = features * features
    # One way to the host and one back: both wait for each other.
    sums = xp.stack([xp.sum(features, axis=0), xp.sum(squares * squares, axis=0)])
    found = space.host(xp.concat([xp.matmul(features.T, features), sums]))
    gram, total, fourth = found[:-2], found[-2], found[-1]
    size = np.sqrt(np.diagonal(gram))
    # A feature that rests on few references explains these, and nothing else.
    rests = (size > 0) & (size**4 >= _SUPPORT * fourth)
    scale = np.where(rests, 1 / np.where(rests, size, 1.0), 0.0)
    apart = (means - total / count) * scale
    # Features that say the same are told apart by rounding alone: a ridge lets them fade.
    gram = gram * scale[:, None] * scale[None, :] + 1e-7 * np.eye(width)
    inverse = dtrtri(np.linalg.cholesky(gram), lower=1)[0]
    shift = inverse @ apart
    padded = width if space.fused is None else space.fused.width_of(width)
    both = np.zeros((width + 1, padded))
    both[:-1, :width], both[-1, :width] = inverse.T * scale[:, None], shift
    there = space.array(both)
    q = space.cast(xp.matmul(features, there[:-1, :]), xp.float32)
    moved = space.cast(there[-1, :], xp.float32)
    return Basis(q, moved, float(np.sum(shift * shift)), width)


class Tiles(NamedTuple):
    """References in the order of their owners, filled up to whole tiles.

    Attributes
    ----------
    references : int
        Without those that only fill.
    at : array
        Which of the references each is.
    owner : array
        Of each tile; and one more, that is none.
    begins : array of shape (k + 1,)
        The first tile of each owner.
    """

    references: int
    at: Array
    owner: Array
    begins: Array


class Regression(NamedTuple):
    """A sample, and how sure it is.

    Attributes
    ----------
    clips : Clips
        Of the references.
    basis : Basis or None
    chance : float
        The variance of a sample's mean, for each of the rewards' variance; 0 where the sample is
        all points.
    factor : float
        What a mean reward is multiplied by: more than 1 where points weigh more.
    counts : array or None
        How often each reference counts, where they are all points.
    ordered : bool
        The references are all points, one after the other.
    far : array of shape (1,)
        About the largest distance.
    cost : array
        What it costs that each medoid goes.
    z : float
    tiles : Tiles or None
        The references are in the order of their owners.
    """

    clips: Clips
    basis: Basis | None
    chance: float
    factor: float
    counts: Array | None
    ordered: bool
    far: Array
    cost: Array
    z: float
    tiles: Tiles | None = None

    def by_owner(self, space: Space, basis: Basis, k: int) -> tuple[Regression, Array]:
        """The same with references in the order of their owners, in tiles of one owner; and which.

        Those that fill a tile up reward nobody: distances are not below zero.
        """
        xp, clips, size = space.xp, self.clips, space.fused.SORTED
        owner = np.asarray(space.host(clips.owner))
        sizes = np.bincount(owner, minlength=k)
        tiles = -(-sizes // size)
        begins = np.concatenate([[0], np.cumsum(tiles)])
        moved = begins[:-1] * size - np.cumsum(sizes) + sizes
        place = np.arange(len(owner)) + np.repeat(moved, sizes)
        at, real = np.zeros(begins[-1] * size, dtype=np.int64), np.zeros(begins[-1] * size)
        at[place], real[place] = np.argsort(owner, kind="stable"), 1.0
        whose = np.append(np.repeat(np.arange(k), tiles), -1)
        about = Tiles(len(owner), space.ids(at), space.ids(whose), space.ids(begins))
        there = space.cast(space.array(real), xp.float32)
        cap, base, cap2, base2 = (
            (space.take(each[0, :], about.at) * there)[None, :] for each in clips[:4]
        )
        whom = space.take(clips.owner, about.at)
        sorted_ = Clips(cap, base, cap2, base2, whom, clips.capped, clips.capped2)
        basis = basis._replace(q=space.take(basis.q, about.at) * there[:, None])
        return self._replace(clips=sorted_, basis=basis, tiles=about), about.at


class Arm(NamedTuple):
    """What is known of arms, without a sample.

    Attributes
    ----------
    home : array
        Who owns them.
    stays, goes : array
        What they change at themselves, the owner staying, and going.
    share : array or float
        What of the mean over all points that is.
    """

    home: Array
    stays: Array
    goes: Array
    share: Array | float


class Estimates(NamedTuple):
    """Of some arms: estimates, lower bounds, and standard deviations of rewards.

    And, where that is asked for, bounds for `each` medoid that could go, and for none.
    """

    estimate: Array
    lower: Array
    sigma: Array
    each: Array = None


def estimated(
    space: Space, step: Step, with_: Regression, distances: Array, arms: Arm, each: bool = False
) -> Estimates:
    """Of arms at these distances from the references, infinite from an arm to itself."""
    if space.fused is not None and step.k <= space.fused.MOST_CLUSTERS:
        if not with_.chance and with_.ordered:
            return _of_all_points(space, step, distances, arms)
        if with_.chance and distances.shape[1] > 1:
            return _in_one_pass(space, step, with_, distances, arms, each)
    xp, clips = space.xp, with_.clips
    stays = clips.rewards(space, distances)
    alone, wide, sigma = _regressed(space, with_, stays, arms.stays)
    alone = alone + arms.stays * arms.share
    if not step.swap:
        return Estimates(alone, alone - wide - step.rough, sigma)
    goes = clips.rewards_if_gone(space, distances)
    mine = clips.owner[None, :] == arms.home[:, None]
    leaves = xp.where(mine, goes, stays)
    there, wide_there, sigma = _regressed(space, with_, leaves, arms.goes)
    removal = with_.cost
    there = there + arms.goes * arms.share + space.take(removal, arms.home)
    low, bounds = there - wide_there, None
    if step.k > 1:
        goes -= stays
        marks = clips.owner[:, None] == space.arange(0, step.k)[None, :]
        more, unsure = _elsewhere(space, with_, goes, space.cast(marks, xp.float32))
        others = alone[:, None] + more + removal[None, :]
        away = arms.home[:, None] != space.arange(0, step.k)[None, :]
        others = xp.where(away, others, float("inf"))
        there = xp.minimum(there, xp.min(others, axis=1))
        if each:
            bounds = xp.where(away, others - unsure - wide[:, None], low[:, None])
            bounds = xp.concat([bounds, (alone - wide)[:, None]], axis=1) - step.rough
            bounds = space.cast(bounds, xp.float32)
        low = xp.minimum(low, xp.min(others - unsure, axis=1) - wide)
    return Estimates(there, low - step.rough, sigma, bounds)


def _in_one_pass(
    space: Space, step: Step, with_: Regression, distances: Array, arms: Arm, each: bool
) -> Estimates:
    """The same by one kernel, that reads each distance twice and writes none."""
    basis = with_.basis
    numbers = space.fused.Scalars(
        spent=1 if basis is None else basis.spent,
        chance=with_.chance,
        apart=0.0 if basis is None else basis.apart,
        factor=with_.factor,
        z=with_.z,
        rough=step.rough,
    )
    cost = with_.cost if step.swap else None
    about = with_.clips, basis, arms, cost, step.k, numbers
    if with_.tiles is not None:
        found = space.fused.estimated_by_owner(distances, with_.far, *about, each, with_.tiles)
        return Estimates(*found)
    return Estimates(*space.fused.estimated(distances, with_.far, *about, each))


def _of_all_points(space: Space, step: Step, distances: Array, arms: Arm) -> Estimates:
    """The same where the references are all points, in order: there is no chance."""
    state, n = step.state, step.n
    weights = state.weights
    changes, rewards = space.fused.summed(
        distances, state, step.base2, arms.home, step.swap, weights
    )
    share, mean = arms.share, rewards[:, 0] / n
    sigma = space.xp.sqrt(space.xp.clip(rewards[:, 2] / n - mean * mean, min=0.0))
    if not step.swap:
        values = mean + arms.stays * share
    else:
        home = arms.home[:, None] == space.arange(0, step.k)[None, :]
        own = space.xp.where(home, (arms.goes * share)[:, None], (arms.stays * share)[:, None])
        values = space.xp.min(changes / n + own + space.array(step.stays)[None, :], axis=1)
    return Estimates(values, values - step.rough, sigma)


def _regressed(
    space: Space, with_: Regression, rewards: Array, own: Array
) -> tuple[Array, Array, Array]:
    """The mean reward of each arm over all points, half its interval, and its rewards' deviation.

    "An arm with no interval is never wrong" (docs/algorithm.md, "Rare rewards"): z²/2 rewards may
    be there of which none was seen, as large as those that are not explained, or as the arm's own.
    """
    xp, count, basis, z = space.xp, rewards.shape[1], with_.basis, with_.z
    double = xp.float64
    if with_.counts is not None:
        rewards = rewards * with_.counts
    # Sums of all points have all digits; those of a sample are unsure anyway.
    exact = double if not with_.chance else None
    mean = space.cast(xp.sum(rewards, axis=1, dtype=exact), double) / count
    rest, apart, spent = rewards, 0.0, 1
    if not with_.chance:
        basis = None
    if basis is not None:
        weights = xp.matmul(rewards, basis.q)
        mean = mean + space.cast(xp.matmul(weights, basis.shift), double)
        rest = space.residuals(rewards, weights, basis.q)
        apart, spent = basis.apart, basis.spent
    squares = space.cast(xp.linalg.vector_norm(rest, axis=1), double) ** 2
    sizes = space.cast(xp.linalg.vector_norm(rest, axis=1, ord=1), double)
    usual = (squares + own * own) / xp.clip(sizes + xp.abs(own), min=_TINY)
    free = max(count - spent, 1)
    variance = squares / free
    if basis is None:
        variance = xp.clip(squares / count - mean * mean, min=0.0) * (count / free)
    student = z * (1 + (z * z + 1) / (4 * free))
    chance = with_.chance * (1 + count * apart)
    width = student * xp.sqrt(variance * chance) + z * z / 2 * usual * with_.chance
    if count < 2 and with_.chance:
        width = width + float("inf")
    factor = with_.factor
    return mean * factor, width * factor, xp.sqrt(variance) * factor


def _elsewhere(space: Space, with_: Regression, more: Array, marks: Array) -> tuple[Array, Array]:
    """What an arm's rewards change in the mean where each medoid goes, and how unsure that is."""
    xp, count, z = space.xp, more.shape[1], with_.z
    double, factor = xp.float64, with_.factor
    if with_.counts is not None:
        more = more * with_.counts
    mean = space.cast(xp.matmul(more, marks), double) / count
    if not with_.chance:
        return mean * factor, xp.zeros_like(mean)
    more *= more
    squares = space.cast(xp.matmul(more, marks), double) / count
    usual = squares / xp.clip(xp.abs(mean), min=_TINY)
    spread = xp.sqrt(xp.clip(squares - mean * mean, min=0.0) * with_.chance)
    return mean * factor, (z * spread + z * z / 2 * usual * with_.chance) * factor


def most_features(references: int) -> int:
    return references // _PER_FEATURE


def half_chance(references: int, n: int, weighted: bool) -> float:
    """The variance of a sample's mean: drawn without replacement, unless by weight."""
    return 1 / references if weighted else max(1 / references - 1 / n, 0.0)


def quartiles(space: Space, sigma: Array) -> Array:
    """Minimum, quartiles and maximum, on the device."""
    ranked = space.xp.sort(sigma)
    last = sigma.shape[0] - 1
    return space.take(ranked, space.ids([round(last * part / 4) for part in range(5)]))
