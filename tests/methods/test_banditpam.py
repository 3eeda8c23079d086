"""The bandit finds PAM's medoids, from far fewer distances."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import (
    Floats,
    SmallFirst,
    asymmetric,
    duplicates,
    heavy_tails,
    lattice,
    loss_of,
    mixture,
)
from medoids import KMedoids, k_medoids
from medoids._tuning import tuned

KEYS = {"swaps", "phase", "step", "arms", "rounds", "distances", "loss", "sigma", "seconds"}


def small_groups(n: int, seed: int) -> Floats:
    """Two clouds and a few points very far away, which the first references may miss."""
    X = mixture(n, 3, 2, seed)
    X[:5] += 100
    X[5:9] -= 150
    return np.random.default_rng(seed).permutation(X)


ROWS: dict[str, tuple[Callable[[int, int], Floats], str]] = {
    "mixture": (lambda n, seed: mixture(n, 5, 6, seed), "euclidean"),
    "mixture-l1": (lambda n, seed: mixture(n, 8, 4, seed), "l1"),
    "mixture-sq": (lambda n, seed: mixture(n, 3, 5, seed), "sqeuclidean"),
    "one-cloud": (lambda n, seed: np.random.default_rng(seed).normal(size=(n, 10)), "euclidean"),
    "cosine": (lambda n, seed: mixture(n, 12, 5, seed), "cosine"),
    "heavy-tails": (heavy_tails, "euclidean"),
    "duplicates": (duplicates, "euclidean"),
    "small-groups": (small_groups, "euclidean"),
    "lattice": (lattice, "l1"),
}


def instances(images: Floats) -> list[tuple[str, Floats, str, int, int]]:
    """Name, data, metric, k, and the first block."""
    made = []
    for i, (name, (make, metric)) in enumerate(ROWS.items()):
        for seed in range(4):
            n = [1200, 1600, 2100, 1400][seed]
            made.append(
                (f"{name}-{seed}", make(n, seed), metric, 3 + (seed + i) % 6, 128 << seed % 2)
            )
    for seed in range(3):
        matrix = asymmetric(1300, seed)
        made.append((f"asymmetric-{seed}", matrix, "precomputed", 3 + seed, 128))
        made.append((f"negative-{seed}", matrix - 1.0, "precomputed", 3 + seed, 256))
    for seed in range(4):
        rows = np.random.default_rng(seed).permutation(len(images))[:2000]
        made.append((f"images-{seed}", images[rows], "euclidean", 3 + seed, 256))
    return made


@pytest.mark.slow
def test_the_medoids_are_pams(images: Floats, small_first: SmallFirst) -> None:
    cases = instances(images)
    assert len(cases) >= 40
    wrong, computed, all_pairs = [], 0, 0
    for name, X, metric, k, first in cases:
        small_first(first)
        exact = k_medoids(X, k, metric=metric, method="pam")
        found = k_medoids(X, k, metric=metric, random_state=0)
        assert found.history[0]["rounds"][0]["references"] == first, "it samples"
        computed, all_pairs = computed + found.n_distances, all_pairs + len(X) ** 2
        if found.medoid_indices.tolist() == exact.medoid_indices.tolist():
            assert found.inertia == pytest.approx(exact.inertia, rel=1e-12)
            assert found.n_iter == exact.n_iter
            np.testing.assert_array_equal(found.labels, exact.labels)
        else:
            wrong.append(f"{name}: {found.inertia / exact.inertia - 1:+.4%}")
            assert abs(found.inertia - exact.inertia) <= 1e-4 * abs(exact.inertia), wrong
    assert len(wrong) <= 1, wrong
    assert computed < 0.8 * all_pairs


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["images", "mixture", "heavy-tails", "small-groups"])
def test_the_medoids_are_pams_at_the_default(kind: str, images: Floats) -> None:
    if kind == "images":
        X, metric = images[:5500], "euclidean"
    else:
        make, metric = ROWS[kind]
        X = make(5500, 11)
    exact = k_medoids(X, 5, metric=metric, method="pam")
    found = k_medoids(X, 5, metric=metric, random_state=1)
    assert found.medoid_indices.tolist() == exact.medoid_indices.tolist()
    assert found.n_distances < 1.05 * len(X) ** 2


@pytest.mark.parametrize("seed", range(6))
def test_any_order_of_references_leads_to_the_same(seed: int, small_first: SmallFirst) -> None:
    small_first(128)
    X = mixture(1500, 5, 6, 3)
    expected = k_medoids(X, 6, method="pam")
    found = k_medoids(X, 6, random_state=seed)
    assert found.medoid_indices.tolist() == expected.medoid_indices.tolist()


@pytest.mark.parametrize("metric", ["haversine", "hamming", "cosine"])
def test_metrics_that_need_all_digits(metric: str, small_first: SmallFirst) -> None:
    """A town under haversine, large codes under hamming, one direction under cosine."""
    small_first(128)
    rng = np.random.default_rng(0)
    X = rng.normal((0.9, 0.2), 1e-4, size=(1200, 2))
    if metric == "hamming":
        X = rng.integers(0, 4, size=(1200, 6)) + 2.0**40 * (np.arange(6) < 3)
    elif metric == "cosine":
        X = rng.normal(size=(1200, 6)) + 1e4
    expected = k_medoids(X, 4, metric=metric, method="pam")
    found = k_medoids(X, 4, metric=metric, random_state=0)
    assert found.medoid_indices.tolist() == expected.medoid_indices.tolist()


@pytest.mark.parametrize("init", ["random", "k-medoids++", [5, 700, 32, 1111]])
def test_any_start_follows_pam(init: str | list[int], small_first: SmallFirst) -> None:
    small_first(128)
    X = mixture(1300, 4, 4, 5)
    found = KMedoids(4, init=init, random_state=0, max_iter=0).fit(X)
    start = found.medoid_indices_.tolist()
    if not isinstance(init, str):
        assert start == init
    full = k_medoids(X, 4, init=init, random_state=0)
    exact = k_medoids(X, 4, init=start, method="pam")
    assert full.medoid_indices.tolist() == exact.medoid_indices.tolist()
    assert full.history[0]["phase"] == "init"


@pytest.fixture(scope="module")
def fitted() -> tuple[Floats, KMedoids]:
    with tuned(first_block=128, completes=False):
        X = mixture(3000, 5, 6, 2, spread=2.0)
        return X, KMedoids(6, init="random", random_state=0).fit(X)


def test_the_loss_is_the_true_loss(fitted: tuple[Floats, KMedoids]) -> None:
    X, km = fitted
    rows = cdist(X[km.medoid_indices_], X)
    assert km.inertia_ == pytest.approx(rows.min(axis=0).sum(), rel=1e-12)
    np.testing.assert_array_equal(km.labels_, rows.argmin(axis=0))


def test_the_bandit_saves_distances(fitted: tuple[Floats, KMedoids]) -> None:
    X, km = fitted
    assert 0 < km.n_distances_ < len(X) ** 2 / 2


def test_history_tells_each_step(fitted: tuple[Floats, KMedoids]) -> None:
    X, km = fitted
    assert km.n_iter_ > 1
    for step in km.history_:
        assert set(step) == KEYS
        assert step["phase"] in ("init", "build", "swap")
        assert step["distances"] > 0
        assert step["seconds"] > 0
        if step["phase"] == "init":
            assert step["distances"] == 6 * len(X), "the medoids' rows"
            continue
        assert step["arms"] == len(X) - 6
        assert step["rounds"][0]["arms"] == step["arms"]
        assert all(set(each) == {"arms", "references", "survivors"} for each in step["rounds"])
        assert len(step["sigma"]) == 5
        assert list(step["sigma"]) == sorted(step["sigma"])
        assert step["sigma"][-1] > 0
    assert [step["step"] for step in km.history_] == [0, *range(km.n_iter_ + 1)]
    assert km.history_[1]["distances"] > 128 * len(X), "the first block"
    assert sum(step["distances"] for step in km.history_) == km.n_distances_
    assert km.history_[-1]["loss"] == km.inertia_


@pytest.mark.parametrize("init", ["build", "random"])
@pytest.mark.parametrize("kind", ["rows", "negative"])
def test_the_loss_falls_with_every_step(init: str, kind: str, small_first: SmallFirst) -> None:
    small_first(128)
    if kind == "rows":
        found = k_medoids(mixture(1200, 3, 8, 1, 2.0), 7, init=init, random_state=0)
    else:
        matrix = asymmetric(1200, 1) - 1.0
        found = k_medoids(matrix, 7, metric="precomputed", init=init, random_state=0)
    losses = [step["loss"] for step in found.history]
    # The last step only finds that nothing helps.
    assert all(after < before for before, after in pairwise(losses[:-1]))
    assert losses[-1] == losses[-2]
    assert losses[-1] == found.inertia


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rows", "matrix"])
def test_little_memory_changes_nothing_but_the_work(kind: str, small_first: SmallFirst) -> None:
    small_first(256)
    X, metric = (
        (mixture(2000, 5, 6, 4), "l2") if kind == "rows" else (asymmetric(2000, 4), "precomputed")
    )
    roomy = k_medoids(X, 6, metric=metric, random_state=0)
    tight = k_medoids(X, 6, metric=metric, random_state=0, memory_limit="1.3MB")
    assert tight.medoid_indices.tolist() == roomy.medoid_indices.tolist()
    assert tight.inertia == roomy.inertia


def test_small_data_is_exact() -> None:
    X = mixture(300, 3, 4, 0)
    found = k_medoids(X, 4)
    exact = k_medoids(X, 4, method="pam")
    assert found.medoid_indices.tolist() == exact.medoid_indices.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_a_matrix_and_its_rows_agree(seed: int, small_first: SmallFirst) -> None:
    small_first(128)
    X = mixture(1200, 4, 5, seed)
    matrix = cdist(X, X)
    rows = k_medoids(X, 5, random_state=seed)
    square = k_medoids(matrix, 5, metric="precomputed", random_state=seed)
    assert rows.medoid_indices.tolist() == square.medoid_indices.tolist()
    assert square.inertia == pytest.approx(loss_of(matrix, rows.medoid_indices.tolist()), rel=1e-12)


@pytest.mark.parametrize("kind", ["rows", "matrix"])
@pytest.mark.parametrize("scale", [1e-100, 1e-30, 1e-20, 1e12, 1e18, 1e25])
def test_any_scale_while_sampling(kind: str, scale: float, small_first: SmallFirst) -> None:
    """Squares of rewards leave float32's range long before the rewards do."""
    small_first(128)
    X = mixture(1200, 4, 5, 0)
    X, metric = (X, "euclidean") if kind == "rows" else (cdist(X, X), "precomputed")
    plain = k_medoids(X, 5, metric=metric, random_state=0)
    scaled = k_medoids(X * scale, 5, metric=metric, random_state=0)
    assert scaled.medoid_indices.tolist() == plain.medoid_indices.tolist()
    assert scaled.inertia == pytest.approx(plain.inertia * scale, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("apart", [1e4, 1e5, 1e6, 1e7])
@pytest.mark.parametrize("n", [300, 1500, 2600])
def test_tight_clusters_far_apart(n: int, apart: float) -> None:
    """What a swap loses and wins all but cancels in float32."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 3))[rng.integers(6, size=n)] * apart + rng.normal(size=(n, 3))
    for k in (6, 10):
        expected = k_medoids(X, k, method="pam").medoid_indices.tolist()
        assert k_medoids(X, k, random_state=0).medoid_indices.tolist() == expected
        assert k_medoids(X, k, method="fastpam1").medoid_indices.tolist() == expected
