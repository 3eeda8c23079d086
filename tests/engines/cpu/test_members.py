"""Distances to further members of clusters, while clusters change."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import dense
from medoids.engines.cpu.cache.members import Members, places_of

N, K = 400, 4


def clusters(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    owner = rng.integers(K, size=N).astype(np.int32)
    return owner, ((owner + rng.integers(1, K, size=N)) % K).astype(np.int32)


@pytest.mark.parametrize("room", [0.0, 4.0 * 20 * 60, 1e9])
def test_distances_are_right_whatever_changes(room: float) -> None:
    rng = np.random.default_rng(0)
    points = dense(rng.normal(size=(N, 3)))
    members = Members(points, rng.permutation(N), room, 0.0)
    true = points.block_array(np.arange(N), np.arange(N))
    owner, other = clusters(1)
    for _ in range(6):
        members.follow(owner, other, K, points.workers)
        for g in range(K):
            arms = np.flatnonzero(owner == g)
            arms = arms[rng.random(len(arms)) < 0.7]
            for beside in (False, True):
                refs = members.of(g, beside)[:20]
                assert ((other if beside else owner)[refs] == g).all()
                block, slots = members.measure((g, beside, 0), refs, arms)
                found = block[slots][:, : len(refs)]
                np.testing.assert_allclose(found, true[np.ix_(arms, refs)], atol=1e-5)
        moved = rng.random(N) < 0.05  # a swap moves some points
        owner, other = np.where(moved, other, owner), np.where(moved, owner, other)


def test_nothing_is_measured_twice_while_there_is_room() -> None:
    rng = np.random.default_rng(0)
    points = dense(rng.normal(size=(N, 3)))
    members = Members(points, rng.permutation(N), 1e9, 0.0)
    owner, other = clusters(2)
    members.follow(owner, other, K, points.workers)
    arms = np.flatnonzero(owner == 0)
    points.block_array(arms[:1], arms[:1])  # it is tried once whether float32 serves
    before = points.n_distances
    members.measure((0, False, 0), members.of(0, False)[:20], arms)
    assert points.n_distances == before + 20 * len(arms)
    members.measure((0, False, 0), members.of(0, False)[:20], arms[::2])
    assert points.n_distances == before + 20 * len(arms)
    # Two of its points leave the list, and two others come.
    gone = members.of(0, False)[:2]
    owner[gone], other[gone] = 1, 0
    members.follow(owner, other, K, points.workers)
    arms = np.setdiff1d(arms, gone)
    members.measure((0, False, 0), members.of(0, False)[:20], arms)
    assert points.n_distances == before + 20 * (len(arms) + 2) + 2 * len(arms)


def test_places() -> None:
    ids = np.array([7, 3, 9])
    assert places_of(ids, np.array([9, 1, 7, 10])).tolist() == [2, -1, 0, -1]
    assert places_of(ids[:0], np.array([1, 2])).tolist() == [-1, -1]
