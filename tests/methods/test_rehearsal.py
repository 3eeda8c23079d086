"""Eager swaps begin with medoids of some of the points, and with the best of a few starts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from helpers import Floats, mixture
from medoids import KMedoidsResult, k_medoids
from medoids._tuning import tuned


def eager(X: Floats, k: int, **options: Any) -> KMedoidsResult:
    return k_medoids(X, k, swap="eager", random_state=0, **options)


def pairs(n: int, seed: int, spread: float = 0.05) -> Floats:
    """Groups in pairs, far from each other: a start that misses a pair cannot mend it easily."""
    rng = np.random.default_rng(seed)
    centres = np.repeat(rng.uniform(-10, 10, size=(5, 2)), 2, axis=0)
    centres[1::2] += rng.normal(size=(5, 2))
    return centres[rng.integers(10, size=n)] + spread * rng.normal(size=(n, 2))


def test_several_starts_are_better_than_one() -> None:
    losses = {}
    for starts in (1, 3):
        with tuned(starts=starts, first_block=128):
            found = [
                k_medoids(pairs(1200, s), 8, swap="eager", init="random", random_state=s)
                for s in range(12)
            ]
        losses[starts] = np.array([each.inertia for each in found])
    exact = np.array([k_medoids(pairs(1200, s), 8, method="fastpam1").inertia for s in range(12)])
    assert losses[3].mean() < losses[1].mean(), "else this shows nothing"
    assert (losses[3] <= 1.02 * exact).all()


@pytest.mark.parametrize("init", ["build", "random", "k-medoids++", "lab"])
def test_the_history_of_the_start_that_went_on(init: str) -> None:
    with tuned(first_block=128):
        found = eager(mixture(2000, 3, 8, 0, 2.0), 6, init=init)
    phases = [entry["phase"] for entry in found.history]
    begun = ["build"] * 6 if init == "build" else ["init"]
    assert phases[: len(begun)] == begun
    assert set(phases[len(begun) :]) == {"swap"}
    # What the other starts took is in the first record.
    assert sum(entry["distances"] for entry in found.history) == found.n_distances
    assert all(entry["seconds"] >= 0 for entry in found.history)
    losses = [entry["loss"] for entry in found.history]
    assert all(later <= sooner * (1 + 1e-6) for sooner, later in pairwise(losses))
    assert sum(entry["swaps"] for entry in found.history) == found.n_iter
    steps = [entry["step"] for entry in found.history if entry["phase"] == "swap"]
    assert steps == list(range(len(steps)))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_rehearsal_computes_the_distances_of_its_points_alone() -> None:
    X = mixture(3000, 3, 8, 0, 2.0)
    counts = {}
    for size in (60, 120):
        with tuned(first_block=128, rehearsed=size, fewest_rehearsed=1, starts=1):
            counts[size] = eager(X, 5, max_iter=1).history[0]["distances"]
    # One row is placed besides, in float64.
    assert counts[120] - counts[60] == (5 * 120) ** 2 - (5 * 60) ** 2


def test_given_rows_are_where_it_begins() -> None:
    X, rows = mixture(1500, 3, 8, 0, 2.0), [5, 900, 33, 7]
    with tuned(first_block=128):
        found = eager(X, 4, init=rows)
        start = k_medoids(X, 4, init=rows, max_iter=0)
    assert found.history[0]["phase"] == "init"
    assert found.history[0]["loss"] == pytest.approx(start.inertia, rel=1e-12)


@pytest.mark.parametrize("init", ["build", "random"])
def test_no_pass_is_no_rehearsal(init: str) -> None:
    X = mixture(1500, 3, 8, 0, 2.0)
    with tuned(first_block=128):
        found = eager(X, 4, init=init, max_iter=0)
        once = k_medoids(X, 4, init=init, max_iter=0, random_state=0)
    assert found.n_iter == 0
    if init == "random":
        assert found.medoid_indices.tolist() == once.medoid_indices.tolist()
    assert found.n_distances <= 1500 * (128 + 64)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_trials_count_as_passes(most: int) -> None:
    with tuned(first_block=128):
        found = eager(mixture(2000, 3, 30, 0, 2.0), 20, init="random", max_iter=most)
    assert sum(entry["phase"] == "swap" for entry in found.history) <= most


@pytest.mark.parametrize(
    "sites", [{"fixed": [3, 700]}, {"candidates": range(0, 1500, 2)}], ids=["fixed", "candidates"]
)
@pytest.mark.parametrize("init", ["build", "random"])
def test_sites_are_kept_to(sites: dict[str, Any], init: str) -> None:
    with tuned(first_block=128):
        found = eager(mixture(1500, 3, 8, 0, 2.0), 5, init=init, **sites)
    assert found.medoid_indices[: len(sites.get("fixed", []))].tolist() == sites.get("fixed", [])
    assert np.isin(found.medoid_indices, sites.get("candidates", range(1500))).all()


def test_weights_are_kept_to() -> None:
    X, rng = mixture(2000, 3, 6, 0, 2.0), np.random.default_rng(0)
    weights = np.exp(rng.uniform(-4, 4, size=2000))
    with tuned(first_block=128):
        found = eager(X, 5, sample_weight=weights)
    exact = k_medoids(X, 5, method="pam", sample_weight=weights)
    assert found.inertia <= 1.005 * exact.inertia


@pytest.mark.parametrize("init", ["build", "random"])
@pytest.mark.parametrize("metric", ["l2", "l1", "cosine"])
@pytest.mark.parametrize("first", [256, 512])
def test_no_swap_helps_where_each_pass_takes_the_first_ones(
    init: str, metric: str, first: int
) -> None:
    """Bounds of many short passes are carried; the last pass does not trust them."""
    X = mixture(6000, 2, 8, 0, 3.0) + 20.0
    with tuned(first_block=first, searching_eager=0.0):
        found = [eager(X, 6, n_jobs=jobs, init=init, metric=metric) for jobs in (1, 2)]
    assert found[0].medoid_indices.tolist() == found[1].medoid_indices.tolist()
    assert found[0].n_distances == found[1].n_distances
    assert sum(entry["distances"] for entry in found[0].history) == found[0].n_distances
    exact = k_medoids(X, 6, method="fasterpam", init=found[0].medoid_indices, metric=metric)
    assert exact.inertia == pytest.approx(found[0].inertia, rel=1e-9)
