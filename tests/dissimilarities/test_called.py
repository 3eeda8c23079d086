"""A Python function of two objects, called for each pair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers import WORDS, directed, loss_of, matrix_of, one_line
from medoids import k_medoids


def test_processes_give_the_same() -> None:
    one = k_medoids(WORDS * 4, 3, metric=directed, n_jobs=1, random_state=0)
    two = k_medoids(WORDS * 4, 3, metric=directed, n_jobs=2, random_state=0)
    assert one.medoid_indices.tolist() == two.medoid_indices.tolist()
    assert one.n_distances == two.n_distances


def test_parameters_reach_the_function() -> None:
    def power(a: float, b: float, exponent: float = 1.0) -> float:
        return abs(a - b) ** exponent

    values = [0.0, 1.0, 2.0, 9.0]
    squared = k_medoids(values, 1, metric=power, metric_params={"exponent": 2.0})
    assert squared.inertia == loss_of(matrix_of(values, lambda a, b: (a - b) ** 2), [2])


def fails(a: str, b: str) -> float:
    if b == "label":
        raise KeyError("no such label")
    return 1.0


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_the_function_raises_tells_the_pair(n_jobs: int) -> None:
    with pytest.raises(KeyError, match="no such label") as caught:
        k_medoids(WORDS * 8, 2, metric=fails, n_jobs=n_jobs)
    assert any("X[" in note for note in caught.value.__notes__)


@pytest.mark.parametrize(
    ("value", "error"),
    [(np.nan, ValueError), (np.inf, ValueError), ("far", TypeError), (np.ones(2), TypeError),
     (None, TypeError), (1j, TypeError)],
)  # fmt: skip
def test_what_is_no_number_is_an_error(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"metric\(X\[\d+\], X\[\d+\]\) gives") as caught:
        k_medoids(WORDS, 2, metric=lambda a, b: value)
    one_line(caught.value)


@pytest.mark.parametrize("bad", ["one text", 5, {"a": 1}, iter([1, 2])])
def test_what_is_no_list_of_objects(bad: Any) -> None:
    with pytest.raises(TypeError) as caught:
        k_medoids(bad, 1, metric=directed)
    one_line(caught.value)
