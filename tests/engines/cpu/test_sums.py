"""Sums that are carried from step to step: the same as those that are summed anew."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import Floats, asymmetric, cache_of, dense, mixture, precomputed, rewards_of, state_of
from medoids import k_medoids
from medoids._tuning import tuned
from medoids.engines.cpu import kernels
from medoids.engines.cpu.kernels.tuples import LANES, Hits
from medoids.engines.cpu.rewards.sums import Sums
from medoids.engines.cpu.state import State

N, Z = 1200, 3.0


def with_outliers() -> Floats:
    """Some points pay far more than others: they are strata of their own."""
    X = mixture(N, 3, 8, 0)
    X[::97] *= 40
    return X


POINTS = {
    "mixture": lambda: dense(mixture(N, 4, 8, 0)),
    "outliers": lambda: dense(with_outliers()),
    "ties": lambda: dense(np.random.default_rng(0).integers(0, 4, (N, 2)).astype(float), "l1"),
    "asymmetric": lambda: precomputed(asymmetric(N, 0)),
}


@pytest.mark.parametrize("kind", POINTS)
def test_carried_sums_are_those_of_a_fresh_screen(kind: str) -> None:
    points, rng = POINTS[kind](), np.random.default_rng(1)
    cache = cache_of(points, rng.permutation(N), first=200)
    state, sums = State(N, 6), Sums(6)
    chosen = rng.permutation(N)[:26].tolist()

    def compare(swap: bool) -> None:
        known = rewards_of(cache, state, swap, Z, None, sums)
        fresh = rewards_of(cache, state, swap, Z)
        size = max(float(np.abs(fresh.mean).mean()), 1e-9)
        np.testing.assert_allclose(known.mean, fresh.mean, rtol=1e-5, atol=1e-5 * size)
        # What was taken out leaves its rounding, in float32.
        squared = fresh.sigma.astype(float) ** 2
        np.testing.assert_allclose(
            known.sigma.astype(float) ** 2, squared, rtol=1e-3, atol=2e-6 * squared.max()
        )
        np.testing.assert_allclose(known.lower, fresh.lower, rtol=1e-3, atol=1e-3 * size)

    for medoid in chosen[:6]:
        compare(swap=False)
        state.add(medoid, points.exact(np.array([medoid]))[0])
    for i, medoid in enumerate(chosen[6:]):
        compare(swap=True)
        state.replace(i % 6, medoid, points.exact(np.array([medoid]))[0])
    compare(swap=True)


def test_carried_sums_read_only_what_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    points = dense(mixture(N, 4, 12, 0, spread=6.0))
    cache = cache_of(points, np.random.default_rng(1).permutation(N), first=240)
    state, sums = state_of(points, list(range(0, 1200, 100))), Sums(12)
    read: list[int] = []
    plain = kernels.carry_sums

    def counted(*args: object) -> None:
        read.append(sum(int((each.ids >= 0).sum()) for each in args[1:3]))  # type: ignore[attr-defined]
        plain(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(kernels, "carry_sums", counted)
    rewards_of(cache, state, True, Z, None, sums)
    assert set(read) == {240}
    read.clear()
    rewards_of(cache, state, True, Z, None, sums)
    assert set(read) == {0}
    read.clear()
    near = int(np.argsort(points.exact(np.array([state.medoids[3]]))[0])[1])
    state.replace(3, near, points.exact(np.array([near]))[0])
    rewards_of(cache, state, True, Z, None, sums)
    assert 0 < max(read) < 240


def test_no_sums_are_held_where_memory_does_not_suffice() -> None:
    points = dense(mixture(N, 4, 8, 0))
    order = np.random.default_rng(1).permutation(N)
    state = state_of(points, [1, 200, 700])
    small, large = (cache_of(points, order, limit, first=200) for limit in (4e6, 1e9))
    sums = Sums(8)
    found = rewards_of(small, state, True, Z, None, sums)
    assert not sums._sums.size
    np.testing.assert_allclose(found.mean, rewards_of(large, state, True, Z).mean, rtol=1e-5)


@pytest.mark.parametrize("k", [3, 8])
def test_more_first_references_where_searches_cost_more(k: int) -> None:
    X = np.random.default_rng(0).normal(size=(3000, 6))
    known = k_medoids(X, k, method="pam", random_state=0)
    found = []
    # At once, and never.
    for growing in (0.0, np.inf):
        with tuned(first_block=128, growing=growing, completes=False, kept_pairs=0):
            found.append(k_medoids(X, k, random_state=0))
    for result in found:
        np.testing.assert_array_equal(result.medoid_indices, known.medoid_indices)
    steps = [result.history[-1]["rounds"][0]["references"] for result in found]
    assert steps == [256, 128]


@pytest.mark.parametrize("width", [1, 15, 16, 17, 100])
def test_references_that_reward_an_arm_are_found(width: int) -> None:
    rng = np.random.default_rng(width)
    block = rng.random((5, width + 3)).astype(np.float32)[:, :width].copy()
    limit = rng.random(width).astype(np.float32)
    limit[::7], limit[3::7] = np.nan, -np.inf  # rewards at any distance, and at none
    line = rng.permutation(width).astype(np.int32)
    line[::5] = -1
    slots, me = np.array([4, 0, 2]), np.array([-1, int(line.max()), 3])
    room = width + LANES
    hits = Hits(np.zeros((3, room), np.int32), np.zeros((3, room), np.float32), np.zeros(3, int))
    kernels.find(block, slots, limit, line, me, hits)
    for x, slot in enumerate(slots):
        there = ~(block[slot] >= limit) & (line >= 0) & (line != me[x])
        count = hits.counts[x]
        assert hits.at[x, :count].tolist() == line[there].tolist()
        assert hits.distances[x, :count].tolist() == block[slot, there].tolist()
