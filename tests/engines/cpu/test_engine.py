"""When the engine of the CPU computes more distances at once."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import dense, mixture
from medoids._tuning import Tuning
from medoids.engines.cpu.engine import CPUEngine


@pytest.fixture
def engine() -> CPUEngine:
    tuning = Tuning(small_pairs=0, completes=False)
    points = dense(mixture(6000, 20, 5, 0).astype(np.float32))
    return CPUEngine(points, 4, 1e9, np.random.default_rng(0), tuning)


def cost_of_doubling(engine: CPUEngine) -> float:
    points = engine.points
    each = (points.cost_of_many or points.cost) + engine.tuning.summed
    return each * engine.n * engine.first


def test_first_references_double_before_hard_steps_have_cost_as_much(engine: CPUEngine) -> None:
    first, cost = engine.first, cost_of_doubling(engine)
    engine._learn(0.0, 0.6 * cost)
    assert engine.first == first  # a single step tells little
    engine._learn(0.0, 0.6 * cost)
    assert engine.first == 2 * first


def test_hard_steps_that_are_over_do_not_make_them_double(engine: CPUEngine) -> None:
    first, cost = engine.first, cost_of_doubling(engine)
    for share in [0.8, 0.06, 0.04, 0.04, 0.04, 0.04]:
        engine._learn(0.0, share * cost)
    assert engine.first == first


def test_they_double_at_last_however_many_steps_there_are(engine: CPUEngine) -> None:
    first, cost = engine.first, cost_of_doubling(engine)
    steps = 0
    while engine.first == first:
        engine._learn(0.0, 0.12 * cost)
        steps += 1
    assert 2 * 4 < steps <= 4 / 0.12 + 1
