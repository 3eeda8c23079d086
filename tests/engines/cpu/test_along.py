"""Rewards that are found an arm at a time, and lines that are added as vectors."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from medoids.engines.cpu import kernels
from medoids.engines.cpu.kernels import along
from medoids.engines.cpu.kernels.tuples import LANES, Hits
from medoids.engines.cpu.kernels.vectors import add_scaled


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_line_is_added(dtype):
    @njit
    def add(out, i, line, j, factor):
        add_scaled(out, i, line, j, factor)

    rng = np.random.default_rng(0)
    out, line = rng.normal(size=3 * LANES), rng.normal(size=3 * LANES).astype(dtype)
    wanted = out.copy()
    wanted[5 : 5 + LANES] += 0.5 * line[7 : 7 + LANES].astype(float)
    add(out, 5, line, 7, 0.5)
    np.testing.assert_allclose(out, wanted, rtol=1e-15)


@pytest.mark.parametrize("packs", [along.PACKS, False])
def test_references_that_reward_an_arm_are_found(monkeypatch, packs):
    monkeypatch.setattr(along, "PACKS", packs)
    find = njit(kernels.find.py_func)  # compiled for this choice
    rng = np.random.default_rng(1)
    block = rng.random((9, 40), dtype=np.float32)
    limit = np.full(37, 0.3, dtype=np.float32)
    limit[4], limit[5] = np.nan, -np.inf  # rewards at any distance; is of no use
    block[2, 6] = np.nan  # is not taken for zero
    line = np.arange(100, 137, dtype=np.int32)
    line[8] = -1  # no reference
    slots, me = np.array([2, 0, 7]), np.array([-1, 104, 110])
    room = 80 + LANES
    hits = Hits(np.zeros((3, room), np.int32), np.zeros((3, room), np.float32), np.zeros(3, int))
    for _ in range(2):  # a second part comes after the first
        find(block, slots, limit, line, me, hits)
    for x, slot in enumerate(slots):
        row = block[slot, :37]
        near = ~(row >= limit) & (line >= 0) & (line != me[x])
        count = int(near.sum())
        assert hits.counts[x] == 2 * count
        np.testing.assert_array_equal(hits.at[x, :count], line[near])
        np.testing.assert_array_equal(hits.at[x, count : 2 * count], line[near])
        np.testing.assert_array_equal(hits.distances[x, :count], row[near])
