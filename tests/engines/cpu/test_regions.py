"""Regions: every arm is in one of its own cluster, near its centre; and their leaders tell more."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import (
    Floats,
    asymmetric,
    build_by_force,
    cache_of,
    dense,
    duplicates,
    heavy_tails,
    lattice,
    mixture,
    precomputed,
    rewards_of,
    state_of,
)
from medoids import k_medoids
from medoids._tuning import Tuning, tuned
from medoids.engines.cpu.points.base import Points
from medoids.engines.cpu.rewards.regions import Regions, regions_of
from medoids.engines.cpu.step import Step

N = 1200
SMALL = Tuning(region=50, led=0.0)


def divided(points: Points, k: int, tuning: Tuning = SMALL) -> tuple[Regions, Step, np.ndarray]:
    """Regions of two thirds of the arms, the step, and the arms."""
    matrix = points.exact(np.arange(N))
    state = state_of(points, build_by_force(matrix[:80, :80], k))
    order = np.random.default_rng(0).permutation(N)
    cache, step = cache_of(points, order, 1e9, 128), Step(state, swap=False)
    arms = np.sort(order[: 2 * N // 3])
    return regions_of(arms, 128, step, cache, tuning), step, arms


@pytest.mark.parametrize("kind", ["mixture", "asymmetric"])
def test_every_arm_is_in_the_region_of_its_cluster_that_is_nearest(kind: str) -> None:
    points = dense(mixture(N, 4, 3, 0)) if kind == "mixture" else precomputed(asymmetric(N, 0))
    regions, step, arms = divided(points, 3)
    assert regions.total > 3
    order = np.random.default_rng(0).permutation(N)
    matrix = points.exact(np.arange(N))
    for g in range(3):
        first, last = regions.first[g], regions.first[g + 1]
        mine = step.owner[arms] == g
        assert ((regions.of[mine] >= first) & (regions.of[mine] < last)).all()
        lines = regions.centres[first:last]
        if (lines < 0).any():
            continue
        far = matrix[np.ix_(arms[mine], order[lines])]
        nearest = far[np.arange(mine.sum()), regions.of[mine] - first]
        np.testing.assert_allclose(nearest, far.min(axis=1), rtol=1e-5)
        assert set(order[lines]) <= set(arms), "an arm that is left is the centre"


def test_few_arms_stay_together() -> None:
    regions, step, arms = divided(dense(mixture(N, 4, 3, 0)), 3, Tuning())
    np.testing.assert_array_equal(regions.of, step.owner[arms])
    assert (regions.centres == -1).all()


def test_other_arms_are_found_in_the_same_regions() -> None:
    points = dense(mixture(N, 4, 3, 0))
    regions, step, arms = divided(points, 2)
    cache = cache_of(points, np.random.default_rng(0).permutation(N), 1e9, 128)
    some = arms[::7]
    np.testing.assert_array_equal(regions.of_others(some, step.owner, cache), regions.of[::7])


def test_before_the_first_medoid_there_is_one() -> None:
    points = dense(mixture(N, 4, 3, 0))
    cache = cache_of(points, np.random.default_rng(0).permutation(N), 1e9, 128)
    arms = np.arange(N)
    regions = regions_of(arms, 128, Step(state_of(points, []), swap=False), cache, SMALL)
    assert regions.total == 1
    assert not regions.of.any()


def errors(regions_tuning: Tuning, seed: int) -> Floats:
    """How wrong estimates of a BUILD step are: leaders are the same, spread over all arms."""
    X = mixture(N, 2, 1, 3)
    points = dense(X)
    state = state_of(points, [int(np.abs(X).sum(axis=1).argmin())])
    order = np.random.default_rng(seed).permutation(N)
    cache = cache_of(points, order, 1e9, 256)
    rewards = rewards_of(cache, state, False, 4.0)
    leaders = order[:120]
    rewards.value(leaders)
    arms = np.setdiff1d(np.arange(N), leaders)
    regions = regions_of(arms, 256, rewards.step, cache, regions_tuning)
    mean, _ = rewards.refine(arms, 256, leaders, regions)
    matrix = points.exact(np.arange(N))
    true = np.minimum(matrix[arms] - state.nearest, 0).mean(axis=1)
    return mean - true


def test_leaders_near_by_tell_more() -> None:
    whole = np.concatenate([errors(Tuning(), seed) for seed in range(4)])
    parts = np.concatenate([errors(SMALL, seed) for seed in range(4)])
    assert np.square(parts).mean() < 0.5 * np.square(whole).mean()


@pytest.mark.parametrize("swap", ["best", "eager"])
@pytest.mark.parametrize(
    ("X", "metric", "k"),
    [
        (mixture(3200, 3, 8, 1), "l2", 6),
        (heavy_tails(3200, 1), "l2", 4),
        (lattice(3000, 1), "l1", 5),
        (duplicates(3200, 1), "l2", 5),
        (mixture(3200, 12, 5, 2), "cosine", 4),
    ],
    ids=["mixture", "heavy tails", "lattice", "copies", "directions"],
)
def test_a_fit_with_many_small_regions_ends_as_pam_does(
    X: Floats, metric: str, k: int, swap: str
) -> None:
    with tuned(region=60, led=0.0, first_block=256, completes=False):
        found = k_medoids(X, k, metric=metric, swap=swap, random_state=0)
        again = k_medoids(X, k, metric=metric, swap=swap, random_state=0, n_jobs=1)
    assert again.medoid_indices.tolist() == found.medoid_indices.tolist()
    assert again.n_distances == found.n_distances
    if swap == "best":
        pam = k_medoids(X, k, metric=metric, method="pam", random_state=0)
        assert found.inertia == pytest.approx(pam.inertia, rel=1e-9)


def test_early_build_steps_compute_less() -> None:
    X = np.random.default_rng(2).standard_t(3, size=(12_000, 4))
    counts = []
    for most in (1, 16):
        with tuned(most_regions=most, region=500, carrying=1e9):
            counts.append(k_medoids(X, 4, random_state=0, max_iter=0).n_distances)
    assert counts[1] < 0.9 * counts[0]
