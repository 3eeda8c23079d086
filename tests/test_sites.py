"""Fixed rows and candidates, against exact p-median solutions and PAM restricted likewise."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.spatial.distance import cdist

from helpers import Floats, mixture, one_line
from medoids import KMedoids, k_medoids, scan
from medoids._tuning import tuned

METHODS = [
    "banditpam", "banditpam_original", "pam", "fastpam1", "fastpam", "fasterpam", "clarans",
    "onebatch",
]  # fmt: skip


def p_median(costs: Floats, k: int, fixed: list[int]) -> float:
    """The lowest loss of all choices of k rows, by integer programming (candidates by points)."""
    c, n = costs.shape
    # y_i: row i is open; x_ij: it serves point j.
    one_each = np.hstack([np.zeros((n, c)), np.tile(np.eye(n), c)])
    count = np.concatenate([np.ones(c), np.zeros(c * n)])[None]
    only_open = np.hstack([-np.repeat(np.eye(c), n, axis=0), np.eye(c * n)])
    low = np.zeros(c + c * n)
    low[fixed] = 1
    found = milp(
        np.concatenate([np.zeros(c), costs.ravel()]),
        constraints=[
            LinearConstraint(one_each, 1, 1),
            LinearConstraint(count, k, k),
            LinearConstraint(only_open, -np.inf, 0),
        ],
        bounds=Bounds(low, np.ones(c + c * n)),
        integrality=np.concatenate([np.ones(c), np.zeros(c * n)]),
    )
    return float(found.fun)


def restricted_pam(
    matrix: Floats, k: int, fixed: list[int], allowed: list[int]
) -> tuple[list[int], float]:
    """BUILD and the best of all swaps, written out."""
    medoids = list(fixed)

    def loss(rows: list[int]) -> float:
        return float(matrix[rows].min(axis=0).sum())

    def free() -> list[int]:
        return [row for row in allowed if row not in medoids]

    while len(medoids) < k:
        medoids.append(min(free(), key=lambda row: (loss([*medoids, row]), row)))
    while True:
        swaps = [
            (loss([*medoids[:i], row, *medoids[i + 1 :]]), row, i)
            for row in free()
            for i in range(len(fixed), k)
        ]
        if not swaps or min(swaps)[0] >= loss(medoids) - 1e-12:
            return medoids, loss(medoids)
        _, row, i = min(swaps)
        medoids[i] = row


@pytest.mark.parametrize("seed", range(6))
def test_against_exact_solutions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(24, 2)), rng.integers(1, 5, 24).astype(float)
    fixed, allowed = [3, 8], [3, 8, *range(10, 24)]
    costs = cdist(X, X) * weights
    best = p_median(costs[allowed], 4, [0, 1])
    brute = min(
        costs[[*fixed, *rest]].min(axis=0).sum()
        for rest in combinations(sorted(set(allowed) - set(fixed)), 2)
    )
    assert best == pytest.approx(brute)
    losses = [
        k_medoids(
            X, 4, fixed=fixed, candidates=allowed, sample_weight=weights, init=init, n_init=5,
            random_state=seed,
        ).inertia
        for init in ("build", "random")
    ]  # fmt: skip
    assert min(losses) == pytest.approx(best)  # several starts find it at this size
    rectangle = k_medoids(
        cdist(X[allowed], X), 4, metric="precomputed", fixed=[0, 1], sample_weight=weights
    )
    _, pam = restricted_pam(costs[allowed], 4, [0, 1], list(range(len(allowed))))
    assert rectangle.inertia == pytest.approx(pam)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("init", ["build", "random", "k-medoids++", "lab"])
def test_every_method_that_searches(method: str, init: str) -> None:
    X, fixed = mixture(200, 2, 5, 1), [7, 150]
    mask = np.zeros(200, dtype=bool)
    mask[::3] = True
    km = KMedoids(5, method=method, init=init, fixed=fixed, candidates=mask, random_state=0).fit(X)
    assert km.medoid_indices_[:2].tolist() == fixed
    assert mask[km.medoid_indices_[2:]].all()
    assert len(set(km.medoid_indices_)) == 5
    assert np.array_equal(km.labels_, km.predict(X))
    assert km.inertia_ == pytest.approx(km.transform(X).min(axis=1).sum())


@pytest.mark.parametrize("swap", ["best", "eager"])
def test_where_the_search_samples(swap: str) -> None:
    X, rng = mixture(3000, 4, 6, 2), np.random.default_rng(0)
    fixed = [5, 1000]
    allowed = sorted({*fixed, *rng.choice(3000, 900, replace=False).tolist()})
    with tuned(first_block=256, completes=False, small_pairs=0):
        found = k_medoids(
            X, 6, fixed=fixed, candidates=allowed, swap=swap, random_state=0, memory_limit="25MB"
        )
    assert found.medoid_indices[:2].tolist() == fixed
    assert found.history[-1]["rounds"][0]["references"] < 3000
    pam = k_medoids(cdist(X, X), 6, metric="precomputed", method="pam", fixed=fixed,
                    candidates=allowed)  # fmt: skip
    if swap == "best":
        assert np.array_equal(found.medoid_indices, pam.medoid_indices)
    else:
        assert found.inertia == pytest.approx(pam.inertia, rel=0.02)


def test_pam_restricted() -> None:
    X = mixture(60, 3, 4, 3)
    matrix, fixed, allowed = cdist(X, X), [2], [2, *range(20, 50)]
    medoids, loss = restricted_pam(matrix, 4, fixed, allowed)
    for method in ("pam", "banditpam", "fastpam1"):
        found = k_medoids(X, 4, method=method, fixed=fixed, candidates=allowed)
        assert found.medoid_indices.tolist() == medoids
        assert found.inertia == pytest.approx(loss)


def test_all_are_fixed_or_no_choice_is_left() -> None:
    X = mixture(50, 2, 3, 0)
    km = KMedoids(3, fixed=[4, 9, 2]).fit(X)
    assert km.medoid_indices_.tolist() == [4, 9, 2]
    assert km.n_iter_ == 0
    km = KMedoids(3, candidates=[4, 9, 2]).fit(X)
    assert sorted(km.medoid_indices_) == [2, 4, 9]


def test_given_rows_with_fixed_ones() -> None:
    X = mixture(50, 2, 3, 0)
    km = KMedoids(3, init=[1, 8, 30], fixed=[30], max_iter=0).fit(X)
    assert km.medoid_indices_.tolist() == [30, 1, 8]


class TestRectangles:
    def test_every_method_that_looks_at_all(self) -> None:
        X = mixture(80, 2, 4, 1)
        matrix = cdist(X[:30], X)
        _, loss = restricted_pam(matrix, 4, [], list(range(30)))
        for method in ("banditpam", "pam", "fastpam1"):
            km = KMedoids(4, metric="precomputed", method=method).fit(matrix)
            assert km.inertia_ == pytest.approx(loss)
            assert km.labels_.shape == (80,)
            assert np.array_equal(km.predict(matrix.T), km.labels_)
        for options in ({"method": "fasterpam"}, {"method": "fastpam"}, {"swap": "eager"}):
            km = KMedoids(4, metric="precomputed", **options).fit(matrix)
            assert km.inertia_ == pytest.approx(loss, rel=0.05)

    def test_more_candidates_than_points_must_be_meant(self) -> None:
        X = mixture(40, 2, 3, 1)
        with pytest.raises(ValueError, match=r"candidates=range\(40\)") as caught:
            KMedoids(2, metric="precomputed").fit(cdist(X, X[:10]))
        one_line(caught.value)
        km = KMedoids(2, metric="precomputed", candidates=range(40)).fit(cdist(X, X[:10]))
        assert km.labels_.shape == (10,)

    @pytest.mark.parametrize(
        "options", [{"method": "clara"}, {"method": "clarans"}, {"method": "alternate"},
                    {"method": "pam", "init": "lab"}, {"init": "k-medoids++"}],
    )  # fmt: skip
    def test_what_needs_a_square(self, options: dict[str, Any]) -> None:
        matrix = np.abs(np.random.default_rng(0).normal(size=(10, 30)))
        with pytest.raises(ValueError, match="needs a square matrix") as caught:
            KMedoids(2, metric="precomputed", **options).fit(matrix)
        one_line(caught.value)

    def test_a_scan(self) -> None:
        X = mixture(80, 2, 4, 1)
        matrix = cdist(X[:30], X)
        found = scan(matrix, [2, 3, 4], metric="precomputed", sample_weight=np.arange(80))
        for each in found:
            own = k_medoids(matrix, each.k, metric="precomputed", sample_weight=np.arange(80))
            assert each.loss <= own.inertia * (1 + 1e-12)


@pytest.mark.parametrize("method", ["banditpam", "fastpam1", "fastpam"])
@pytest.mark.parametrize("seed", range(3))
def test_no_step_takes_a_row_that_is_no_candidate(method: str, seed: int) -> None:
    """Of all rows the best one is often none, and the first step has no loss to compare with."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1200, 3))
    candidates = np.setdiff1d(np.arange(1200), np.abs(X).sum(axis=1).argsort()[:600])
    found = KMedoids(3, candidates=candidates, method=method, random_state=0).fit(X)
    known = KMedoids(3, candidates=candidates, method="pam", random_state=0).fit(X)
    assert np.isin(found.medoid_indices_, candidates).all()
    assert found.medoid_indices_.tolist() == known.medoid_indices_.tolist()
    assert found.history_[0]["loss"] == pytest.approx(known.history_[0]["loss"])
