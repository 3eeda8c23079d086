"""The value of every step, against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import asymmetric, loss_of, precomputed, state_of, swaps_by_force
from medoids._threads import Workers
from medoids.engines.cpu.step import Step


def matrix_of(kind: str, n: int = 60) -> np.ndarray:
    matrix = asymmetric(n, 1)
    if kind == "symmetric":
        return matrix + matrix.T
    if kind == "own distances":
        return matrix + np.diag(np.linspace(0, 2, n))
    if kind == "negative":
        return matrix - 1.0
    return matrix


KINDS = ["symmetric", "asymmetric", "own distances", "negative"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("medoids", [[], [3], [3, 40], [59, 0, 7, 31, 30]])
def test_build_values_are_differences_of_the_loss(kind: str, medoids: list[int]) -> None:
    matrix = matrix_of(kind)
    points = precomputed(matrix)
    state = state_of(points, medoids)
    values = Step(state, swap=False).values(matrix, np.arange(60), Workers(1))
    before = loss_of(matrix, medoids) if medoids else 0.0
    expected = [(loss_of(matrix, [*medoids, i]) - before) / 60 for i in range(60)]
    assert values.shape == (60, 1)
    np.testing.assert_allclose(values[:, 0], expected, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("medoids", [[3], [3, 40], [59, 0, 7, 31, 30]])
def test_swap_values_are_differences_of_the_loss(kind: str, medoids: list[int]) -> None:
    matrix = matrix_of(kind)
    state = state_of(precomputed(matrix), medoids)
    values = Step(state, swap=True).values(matrix, np.arange(60), Workers(1))
    expected = (swaps_by_force(matrix, medoids) - loss_of(matrix, medoids)) / 60
    assert values.shape == (60, len(medoids))
    np.testing.assert_allclose(values, expected, atol=1e-12)


def test_slots_choose_the_rows() -> None:
    matrix = matrix_of("asymmetric")
    state = state_of(precomputed(matrix), [3, 40])
    slots = np.array([17, 5, 5, 59])
    step = Step(state, swap=True)
    every = step.values(matrix, np.arange(60), Workers(1))
    np.testing.assert_array_equal(step.values(matrix, slots, Workers(1)), every[slots])


def test_states_follow_the_medoids() -> None:
    matrix = matrix_of("asymmetric")
    state = state_of(precomputed(matrix), [3, 40, 8])
    after = state.loss_after(1, matrix[21])
    state.replace(1, 21, matrix[21])
    rows = np.sort(matrix[[3, 21, 8]], axis=0)
    assert state.medoids == [3, 21, 8]
    np.testing.assert_array_equal(state.nearest, rows[0])
    np.testing.assert_array_equal(state.second, rows[1])
    np.testing.assert_array_equal(state.owner, matrix[[3, 21, 8]].argmin(axis=0))
    assert state.owner.dtype == np.int32
    assert state.loss == pytest.approx(loss_of(matrix, [3, 21, 8]), rel=1e-14)
    assert after == pytest.approx(state.loss, rel=1e-14)


def test_a_tie_belongs_to_the_lower_position() -> None:
    matrix = np.ones((6, 6))
    state = state_of(precomputed(matrix), [4, 1])
    assert (state.owner == 0).all()
    np.testing.assert_array_equal(state.second, np.ones(6))
