"""Objects of any kind under a function of the user's."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

from helpers import (
    WORDS,
    SmallFirst,
    build_by_force,
    directed,
    loss_of,
    matrix_of,
    mixture,
    pam_by_force,
)
from medoids import KMedoids, k_medoids, medoid


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    """Kullback and Leibler's."""
    return float(np.sum(p * np.log(p / q)))


@pytest.mark.parametrize("method", ["banditpam", "pam", "fastpam1", "fasterpam", "clarans"])
@pytest.mark.parametrize("k", [1, 3, 5])
def test_words_under_a_directed_cost(method: str, k: int) -> None:
    matrix = matrix_of(WORDS, directed)
    assert not (matrix == matrix.T).all()
    km = KMedoids(k, metric=directed, method=method, random_state=0).fit(WORDS)
    assert km.inertia_ == pytest.approx(loss_of(matrix, km.medoid_indices_))
    np.testing.assert_array_equal(km.labels_, matrix[km.medoid_indices_].argmin(axis=0))
    assert km.cluster_centers_ == [WORDS[i] for i in km.medoid_indices_]
    new = ["arrange", "stapler", "apple"]
    expected = np.array([[directed(WORDS[i], word) for i in km.medoid_indices_] for word in new])
    np.testing.assert_array_equal(km.transform(new), expected)
    np.testing.assert_array_equal(km.predict(new), expected.argmin(axis=1))
    assert km.score(new) == -expected.min(axis=1).sum()
    if method in ("banditpam", "pam", "fastpam1"):
        assert km.medoid_indices_.tolist() == pam_by_force(matrix, k)


def test_distributions_under_kullback_and_leibler(small_first: SmallFirst) -> None:
    small_first(48)
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(5), size=160)
    matrix = matrix_of(rows, divergence)
    for given in (rows, list(rows), pd.DataFrame(rows)):
        found = k_medoids(given, 3, metric=divergence, random_state=0)
        assert found.medoid_indices.tolist() == pam_by_force(matrix, 3)
        assert found.inertia == pytest.approx(loss_of(matrix, found.medoid_indices), rel=1e-9)


@pytest.mark.parametrize("kind", [list, tuple, pd.Series, lambda x: np.array(x, dtype=object)])
def test_any_container(kind: Any) -> None:
    found = k_medoids(kind(WORDS), 2, metric=directed)
    assert found.medoid_indices.tolist() == pam_by_force(matrix_of(WORDS, directed), 2)


def test_a_series_with_an_index_of_its_own() -> None:
    found = k_medoids(pd.Series(WORDS, index=range(100, 100 + len(WORDS))), 2, metric=directed)
    assert found.medoid_indices.max() < len(WORDS)


@pytest.mark.parametrize("method", ["banditpam", "fasterpam", "clarans", "alternate", "onebatch"])
def test_no_pair_is_computed_twice(method: str, small_first: SmallFirst) -> None:
    small_first(40)
    X = mixture(140, 2, 3, 0)
    seen: Counter[tuple[int, int]] = Counter()
    objects = list(range(len(X)))

    def metric(a: int, b: int) -> float:
        seen[a, b] += 1
        return float(np.abs(X[a] - X[b]).sum())

    found = k_medoids(objects, 3, metric=metric, method=method, random_state=0)
    assert max(seen.values()) == 1
    assert found.n_distances == len(seen)


def test_zero_distances_are_kept_too() -> None:
    calls = Counter()

    def same(a: int, b: int) -> float:
        calls[a, b] += 1
        return 0.0

    k_medoids([0] * 30, 1, metric=lambda a, b: same(id(a), id(b)))
    found = k_medoids(list(range(30)), 1, metric=same)
    assert found.inertia == 0
    assert max(calls[a, b] for a in range(30) for b in range(30)) == 1


def test_the_medoid_of_words() -> None:
    assert medoid(WORDS, metric=directed) == build_by_force(matrix_of(WORDS, directed), 1)[0]
