"""Estimates of arms from few references, against their values by brute force."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import (
    Floats,
    asymmetric,
    build_by_force,
    cache_of,
    dense,
    loss_of,
    mixture,
    precomputed,
    rewards_of,
    state_of,
    swaps_by_force,
)
from medoids._types import Indices
from medoids.engines.cpu.kernels.basis import regress
from medoids.engines.cpu.kernels.tuples import Cluster, Led, Refs
from medoids.engines.cpu.points.dense import DensePoints
from medoids.engines.cpu.points.matrix import PrecomputedPoints
from medoids.engines.cpu.rewards.fitted import wider
from medoids.engines.cpu.rewards.regions import regions_of
from medoids.engines.cpu.rewards.rewards import Rewards

N = 1500
Points = DensePoints | PrecomputedPoints
# Kind of data, medoids so far, swap.
STEPS = [
    ("mixture", 0, False),
    ("mixture", 1, False),
    ("mixture", 4, False),
    ("mixture", 1, True),
    ("mixture", 5, True),
    ("asymmetric", 0, False),
    ("asymmetric", 3, False),
    ("asymmetric", 1, True),
    ("asymmetric", 4, True),
    ("negative", 3, False),
    ("negative", 4, True),
    ("small groups", 3, False),
    ("small groups", 4, True),
]
IDS = [f"{kind}-{'swap' if swap else 'build'}-{k}" for kind, k, swap in STEPS]


def points_of(kind: str) -> Points:
    if kind == "mixture":
        return dense(mixture(N, 6, 5, 0))
    if kind == "small groups":
        X = mixture(N, 3, 2, 0)
        X[:6] += 60
        X[6:20] -= 90
        return dense(X)
    matrix = asymmetric(N, 0) + np.diag(np.linspace(0, 1, N))
    return precomputed(matrix - 1.5 if kind == "negative" else matrix)


class Case:
    """A step, its arms' true values, and rewards that estimate them."""

    def __init__(self, kind: str, k: int, swap: bool) -> None:
        self.points, self.swap = points_of(kind), swap
        self.matrix: Floats = self.points.exact(np.arange(N))
        # Rows that are not PAM's choice, so that there is something to gain.
        self.medoids = build_by_force(self.matrix[:80, :80], k)
        self.state = state_of(self.points, self.medoids)
        before = loss_of(self.matrix, self.medoids) if k else 0.0
        if swap:
            losses = swaps_by_force(self.matrix, self.medoids).min(axis=1)
        else:
            near = self.matrix[self.medoids].min(axis=0) if k else np.full(N, np.inf)
            losses = np.minimum(self.matrix, near).sum(axis=1)
        self.true = (losses - before) / N
        self.size = float(np.abs(self.matrix).mean())
        near = self.state.nearest if k else np.full(N, np.inf)
        self.support = (self.matrix < near).sum(axis=1)

    def rewards(self, first: int, seed: int, z: float = 3.0, limit: float = 1e9) -> Rewards:
        order = np.random.default_rng(seed).permutation(N)
        cache = cache_of(self.points, order, limit, first)
        return rewards_of(cache, self.state, self.swap, z)

    def leaders(self) -> np.ndarray:
        return np.argsort(self.true)[:8]


@pytest.fixture(scope="module", params=STEPS, ids=IDS)
def case(request: pytest.FixtureRequest) -> Case:
    return Case(*request.param)


def led(
    rewards: Rewards, arms: Indices, depth: int, leaders: Indices
) -> tuple[np.ndarray, np.ndarray]:
    """Refined, with these leaders: they are valued."""
    before = rewards.bounds.lower.copy()
    rewards.value(leaders)
    rewards.bounds.lower[:] = before
    regions = regions_of(arms, depth, rewards.step, rewards.cache, rewards.tuning)
    return rewards.refine(arms, depth, leaders, regions)


def test_all_references_leave_nothing_to_chance(case: Case) -> None:
    rewards = case.rewards(N, 0)
    np.testing.assert_allclose(rewards.mean, case.true, atol=2e-5 * case.size)
    np.testing.assert_allclose(rewards.lower, case.true, atol=2e-5 * case.size)
    assert (rewards.sigma == 0).all()


@pytest.mark.parametrize("first", [64, 256])
def test_depth_n_is_exact(case: Case, first: int) -> None:
    rewards = case.rewards(first, 0)
    rewards.bounds.lower[:] = -np.inf  # forget what the screen found
    arms = np.random.default_rng(1).permutation(N)[:200]
    mean, lower = led(rewards, arms, N, case.leaders())
    np.testing.assert_allclose(mean, case.true[arms], atol=2e-5 * case.size)
    np.testing.assert_allclose(lower, case.true[arms], atol=2e-5 * case.size)


def test_values_are_exact(case: Case) -> None:
    rewards = case.rewards(128, 0)
    arms = np.random.default_rng(1).permutation(N)[:200]
    np.testing.assert_allclose(rewards.value(arms), case.true[arms], atol=1e-5 * case.size)


def rms(errors: list[Floats]) -> float:
    return float(np.sqrt(np.mean(np.square(np.concatenate(errors)))))


def standardised(
    case: Case, arms: np.ndarray, mean: Floats, lower: Floats, z: float, m: int
) -> Floats:
    """Errors in standard errors, of arms that some references of the sample reward.

    Rare rewards have no honest standard error; the guard is for them, and is tested by
    `test_bounds_of_the_best_arms_hold`.
    """
    error, se = mean - case.true[arms], (mean - lower) / z
    fair = (case.support[arms] * m >= 10 * N) & (se > 1e-4 * case.size)
    assert fair.mean() > 0.05
    return error[fair] / se[fair]


@pytest.mark.parametrize("first", [128, 256])
def test_standard_errors_of_the_screen_hold(case: Case, first: int) -> None:
    # With a small z the lower bound is the estimate less z standard errors.
    errors = []
    for seed in range(12):
        rewards = case.rewards(first, seed, z=1e-2)
        others = np.setdiff1d(np.arange(N), case.medoids)
        mean, lower = rewards.mean[others], rewards.lower[others]
        errors.append(standardised(case, others, mean, lower, 1e-2, first))
    assert rms(errors) < 1.6
    assert rms(errors) > 0.3, "standard errors are not wide for nothing"


@pytest.mark.parametrize(("first", "depth"), [(128, 128), (128, 512), (256, 1024)])
def test_standard_errors_of_the_regression_hold(case: Case, first: int, depth: int) -> None:
    errors = []
    for seed in range(8):
        rewards = case.rewards(first, seed, z=1e-3)
        rewards.bounds.lower[:] = -np.inf
        others = np.setdiff1d(np.arange(N), [*case.medoids, *case.leaders()])
        arms = np.random.default_rng(seed).permutation(others)[:300]
        mean, lower = led(rewards, arms, depth, case.leaders())
        errors.append(standardised(case, arms, mean, lower, 1e-3, depth))
    assert rms(errors) < 1.6


def test_regression_is_no_worse_than_the_screen() -> None:
    case = Case("mixture", 5, True)
    screen, regression = [], []
    for seed in range(8):
        rewards = case.rewards(256, seed)
        others = np.setdiff1d(np.arange(N), [*case.medoids, *case.leaders()])
        screen.append(rewards.mean[others] - case.true[others])
        refined, _ = led(rewards, others, 256, case.leaders())
        regression.append(refined - case.true[others])
    assert rms(regression) < rms(screen)


def test_bounds_of_the_best_arms_hold(case: Case) -> None:
    """The lower bound of a good arm, which must not be dropped, is below its value."""
    best = np.argsort(np.where(np.isin(np.arange(N), case.medoids), np.inf, case.true))[:30]
    broken = total = 0
    for seed in range(12):
        rewards = case.rewards(128, seed, z=3.4)
        broken += int((rewards.lower[best] > case.true[best] + rewards.slack).sum())
        _, low = led(rewards, best, 256, best[:8])
        # Leaders are valued exactly, and need no bound.
        broken += int((low > case.true[best] + 10 * rewards.slack)[8:].sum())
        total += 2 * len(best) - 8
    assert broken <= 0.02 * total


def test_the_first_references_come_from_a_small_cache() -> None:
    case = Case("mixture", 3, True)
    roomy = case.rewards(128, 0)
    tight = case.rewards(128, 0, limit=4.0 * N * 2 * 200)
    for name in ("mean", "lower", "sigma"):
        np.testing.assert_array_equal(getattr(roomy, name), getattr(tight, name))


@pytest.mark.parametrize("limit", [1e9, 4.0 * N * 400])
def test_refined_values_do_not_depend_on_the_room(limit: float) -> None:
    case = Case("asymmetric", 4, True)
    arms = np.arange(0, N, 3)
    expected = led(case.rewards(128, 0), arms, 1024, case.leaders())
    rewards = case.rewards(128, 0, limit=limit)
    for _ in range(2):  # from distances that are new, and from those that are kept
        found = led(rewards, arms, 1024, case.leaders())
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7 * case.size)


def test_small_clusters_are_seen() -> None:
    case = Case("small groups", 4, True)
    for seed in range(6):
        rewards = case.rewards(64, seed)
        sample = rewards.screened.sample
        seen = np.bincount(sample.parts % 4, minlength=4)
        assert (seen >= np.minimum(rewards.screened.known.members, 2)).all()
        assert len(np.unique(sample.ids)) == len(sample.ids)


@pytest.mark.parametrize("depth", [0, 256, 1024])
def test_what_an_arm_gains_at_itself_counts_once(depth: int) -> None:
    """In a small group far away it is much, whether the sample has the arm or not."""
    case = Case("small groups", 4, True)
    arms = np.setdiff1d(np.arange(6, 20), case.medoids)
    errors = []
    for seed in range(6):
        rewards = case.rewards(128, seed, z=1e-3)
        mean, lower = rewards.mean[arms], rewards.lower[arms]
        if depth:
            mean, lower = led(rewards, arms, depth, case.leaders())
        error, se = mean - case.true[arms], (mean - lower) / 1e-3
        errors.append(error / np.maximum(se, 1e-3 * case.size))
    assert np.abs(errors).max() < 6


def test_bounds_hold_where_clusters_are_seen_as_a_whole() -> None:
    """What leaders tell of other clusters is by chance, and moves what is estimated of these."""
    broken = total = 0
    for metric, d, k in (("sqeuclidean", 2, 20), ("euclidean", 2, 30)):
        X = np.random.default_rng(0).normal(size=(1300, d))
        points = dense(X, metric)
        matrix = points.exact(np.arange(len(X)))
        medoids = build_by_force(matrix, k)
        true = (swaps_by_force(matrix, medoids).min(axis=1) - loss_of(matrix, medoids)) / len(X)
        others = np.setdiff1d(np.arange(len(X)), medoids)
        for seed in range(4):
            order = np.random.default_rng(seed).permutation(len(X))
            cache = cache_of(points, order, 1e9, 512)
            rewards = rewards_of(cache, state_of(points, medoids), True, 4.56)
            leaders = others[np.argsort(rewards.mean[others])[:60]]
            rewards.bounds.lower[:] = -np.inf
            _, low = led(rewards, others, 512, leaders)
            open_ = ~np.isin(others, leaders)
            broken += int((low > true[others] + 2 * rewards.slack)[open_].sum())
            total += int(open_.sum())
    assert total > 9000
    assert broken == 0


def test_a_feature_whose_mean_the_sample_does_not_show_widens_intervals() -> None:
    """To each reference's share comes how unlikely it is that the sample shows so little of it."""
    likely, unlikely = (_basis_of(np.array([0.1, -0.1] * 32), mean) for mean in (0.0, 0.5))
    scale, unseen = 4, 5
    assert likely[scale] == pytest.approx(likely[unseen], rel=0.2)
    assert unlikely[scale][0] > 100 * unlikely[unseen][0]


def _basis_of(values: Floats, mean: float) -> tuple[np.ndarray, ...]:
    """The basis of a BUILD step's only cluster, with one leader besides what points pay."""
    m = len(values)
    pays = np.linspace(1.0, 2.0, m)
    caps = np.stack([pays, pays, pays, pays], axis=1).astype(np.float32)
    zero, none = np.zeros(m, np.int32), np.zeros(0)
    refs = Refs(
        zero, zero, np.zeros(m, np.bool_), m, caps, pays.astype(np.float32)[None],
        np.zeros(m, np.float32), none,
    )  # fmt: skip
    distances = (pays + np.minimum(values, 0.0)).astype(np.float32)[None]
    led = Led(distances, np.array([-0.05 + mean]), np.zeros(1), 1)
    cluster = Cluster(0, np.zeros(1, np.int64), np.array([10 * m]), 8, 10 * m, False)
    means = np.array([[1.0, 1.5]]), np.zeros((1, 2))
    found: tuple[np.ndarray, ...] = regress(refs, led, cluster, means, (16, 12.0, wider(4.56)))
    return found
