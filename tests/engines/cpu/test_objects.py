"""Objects of any kind under a function of the user's."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numba import njit
from scipy.spatial.distance import cdist

from helpers import build_by_force, loss_of, mixture, one_line, pam_by_force, small_first
from medoids import KMedoids, k_medoids, medoid
from medoids.dissimilarities.called import Call
from medoids.dissimilarities.compiled import Compiled

WORDS = [
    "apple", "apply", "ample", "maple", "staple", "stable", "table", "cable", "fable",
    "abel", "label", "bagel", "angel", "anger", "danger", "ranger", "range", "orange",
]  # fmt: skip


def directed(a: str, b: str) -> float:
    """Letters that b has and a lacks count three, the other way round one."""
    mine, other = Counter(a), Counter(b)
    return 3.0 * sum((other - mine).values()) + sum((mine - other).values())


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    """Kullback and Leibler's."""
    return float(np.sum(p * np.log(p / q)))


def matrix_of(objects: Any, metric: Any) -> np.ndarray:
    return np.array([[metric(a, b) for b in objects] for a in objects])


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


def test_distributions_under_kullback_and_leibler(monkeypatch: pytest.MonkeyPatch) -> None:
    small_first(monkeypatch, 48)
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
def test_no_pair_is_computed_twice(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small_first(monkeypatch, 40)
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


def test_processes_give_the_same() -> None:
    one = k_medoids(WORDS * 4, 3, metric=directed, n_jobs=1, random_state=0)
    two = k_medoids(WORDS * 4, 3, metric=directed, n_jobs=2, random_state=0)
    assert one.medoid_indices.tolist() == two.medoid_indices.tolist()
    assert one.n_distances == two.n_distances


def test_the_medoid_of_words() -> None:
    assert medoid(WORDS, metric=directed) == build_by_force(matrix_of(WORDS, directed), 1)[0]


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


def test_a_function_of_rows_is_compiled() -> None:
    X = mixture(400, 3, 4, 0)

    def taxi(a: np.ndarray, b: np.ndarray) -> float:
        total = 0.0
        for i in range(a.shape[0]):
            total += abs(a[i] - b[i])
        return total

    expected = k_medoids(X, 4, metric="l1", random_state=0)
    for metric in (taxi, njit(taxi)):
        km = KMedoids(4, metric=metric, random_state=0).fit(X)
        assert isinstance(km._medoids.measure, Compiled)
        assert km.medoid_indices_.tolist() == expected.medoid_indices.tolist()
        assert km.inertia_ == pytest.approx(expected.inertia, rel=1e-12)
        np.testing.assert_array_equal(km.predict(X), km.labels_)
        np.testing.assert_array_equal(km.cluster_centers_, X[km.medoid_indices_])


def ratio(a: np.ndarray, b: np.ndarray) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        total += 1.0 if a[i] != b[i] else 0.0
    return total / a.shape[0]


def test_float32_only_where_it_is_enough() -> None:
    rng = np.random.default_rng(0)
    few = rng.integers(4, size=(300, 7)).astype(np.float64)
    codes = few + 1e9  # float32 cannot tell them apart
    for X, single in ((few, True), (codes, False)):
        km = KMedoids(4, metric=ratio, random_state=0).fit(X)
        assert km._medoids.measure.single == single
        expected = k_medoids(X, 4, metric="hamming", random_state=0)
        assert km.inertia_ == pytest.approx(expected.inertia, rel=1e-12)
        distances = cdist(km.cluster_centers_, X, "hamming").T
        np.testing.assert_allclose(km.transform(X), distances, rtol=1e-12)


def test_a_compiled_function_is_compiled_once_and_a_plain_one_for_each_fit() -> None:
    X = mixture(200, 3, 3, 0)
    once = njit(ratio)
    kernels = [KMedoids(2, metric=once).fit(X)._medoids.measure._kernels for _ in range(2)]
    assert kernels[0] is kernels[1]
    globals()["SCALE"] = 1.0
    first = k_medoids(X, 2, metric=scaled).inertia
    globals()["SCALE"] = 3.0
    assert k_medoids(X, 2, metric=scaled).inertia == pytest.approx(3 * first)


SCALE = 1.0


def scaled(a: np.ndarray, b: np.ndarray) -> float:
    return SCALE * np.abs(a - b).sum()


def test_a_function_that_numba_cannot_compile_is_called() -> None:
    X = mixture(60, 2, 3, 0)
    known = {"p": 1}

    def odd(a: np.ndarray, b: np.ndarray) -> float:
        return float(f"{np.abs(a - b).sum() ** known['p']:.17g}")

    km = KMedoids(3, metric=odd).fit(X)
    assert isinstance(km._medoids.measure, Call)
    assert km.medoid_indices_.tolist() == k_medoids(X, 3, metric="l1").medoid_indices.tolist()


def test_rows_that_are_not_at_zero_from_themselves() -> None:
    X = np.random.default_rng(0).random((80, 2))

    def shifted(a: np.ndarray, b: np.ndarray) -> float:
        return np.abs(a - b).sum() + a[0] - 0.5

    matrix = matrix_of(X, shifted)
    found = k_medoids(X, 3, metric=shifted, random_state=0)
    assert found.medoid_indices.tolist() == pam_by_force(matrix, 3)
    assert found.inertia == pytest.approx(loss_of(matrix, found.medoid_indices))
