"""Fixtures of the whole suite."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from helpers import SmallFirst
from medoids._tuning import tuned

pytest.register_assert_rewrite("engine_contract")
settings.register_profile(
    "medoids",
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    # The fixture that makes the first block small holds for all examples of a test.
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
# Other examples each time, and many; what failed is kept in .hypothesis and tried again first.
settings.register_profile(
    "nightly",
    max_examples=500,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "medoids"))


@pytest.fixture
def small_first() -> Iterator[SmallFirst]:
    """A function that lets the bandit sample so few references at once, until the test ends."""
    with ExitStack() as stack:
        yield lambda first: stack.enter_context(tuned(first_block=first, completes=False))


@pytest.fixture(scope="session")
def images() -> NDArray[np.float32]:
    """Rows of pixels: MNIST where MEDOIDS_DATA has it, else scikit-learn's digits, jittered."""
    folder = os.environ.get("MEDOIDS_DATA")
    if folder and (Path(folder) / "mnist.npz").exists():
        with np.load(Path(folder) / "mnist.npz") as data:
            return data["X"][:9000].astype(np.float32)
    rng = np.random.default_rng(0)
    digits = load_digits().data
    return np.concatenate([digits + rng.normal(size=digits.shape) for _ in range(5)]).astype(
        np.float32
    )
