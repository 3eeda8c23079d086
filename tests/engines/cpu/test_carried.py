"""PAM on all distances, with sums that are carried from step to step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import best_swap, heavy_tails, loss_of, mixture, swaps_by_force
from medoids import KMedoids
from medoids._threads import Workers
from medoids._tuning import tuned
from medoids.data.kinds import read
from medoids.engines.cpu import carried, kernels
from medoids.engines.cpu import held as holding
from medoids.engines.cpu.held import SIDE, Held, bytes_held, hold
from medoids.engines.cpu.points import points_of

# Steps are always taken so, where they can be.
ALWAYS = {"small_pairs": 0, "fewest_first": 256, "per_cluster": 0, "searching": 1e12}
N = 1000
ROWS = {
    "mixture": mixture(N, 6, 5, 0),
    "few dimensions": mixture(N, 2, 12, 1),
    "grid": np.random.default_rng(2).integers(0, 9, (N, 2)).astype(float),
    "copies": mixture(N // 5, 3, 4, 3)[np.random.default_rng(3).integers(0, N // 5, N)],
    "tiny": 1e-20 * mixture(N, 4, 3, 4),
}

ASKED: list[dict[str, Any]] = [
    {"init": "k-medoids++"},
    {"init": "random", "n_init": 3},
    {"candidates": np.arange(0, N, 3)},
    {"fixed": [5, 700]},
]


def fits(X: Any, k: int, **params: Any) -> tuple[KMedoids, KMedoids]:
    """By sums that are carried, and by PAM."""
    with tuned(**ALWAYS):
        found = KMedoids(k, random_state=0, **params).fit(X)
    return found, KMedoids(k, random_state=0, method="pam", **params).fit(X)


def is_carried(km: KMedoids) -> bool:
    """Every step has looked at all points."""
    return all(
        each["references"] == len(km.labels_) for entry in km.history_ for each in entry["rounds"]
    )


@pytest.mark.parametrize("k", [1, 2, 20])
@pytest.mark.parametrize("metric", ["l2", "l1", "sqeuclidean", "cosine"])
@pytest.mark.parametrize("name", list(ROWS))
def test_the_medoids_of_pam(name: str, metric: str, k: int) -> None:
    found, known = fits(ROWS[name], k, metric=metric)
    # With many clusters directions are so near each other that whole numbers would blur them.
    assert is_carried(found) or (metric == "cosine" and k == 20)
    assert found.medoid_indices_.tolist() == known.medoid_indices_.tolist()
    assert found.n_iter_ == known.n_iter_
    assert found.inertia_ == pytest.approx(known.inertia_, rel=1e-12)
    np.testing.assert_array_equal(found.labels_, known.labels_)


@pytest.mark.parametrize("params", [*ASKED, {"max_iter": 2}])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_a_fit_may_be_asked_for(params: dict[str, Any]) -> None:
    found, known = fits(ROWS["mixture"], 8, **params)
    assert is_carried(found)
    assert found.medoid_indices_.tolist() == known.medoid_indices_.tolist()


def test_half_of_the_distances_are_computed_once() -> None:
    X = mixture(5000, 6, 5, 0)
    with tuned(**ALWAYS):
        found = KMedoids(8, init="random", n_init=3, random_state=0).fit(X)
    assert is_carried(found)
    assert 5000**2 / 2 < found.n_distances_ < 0.6 * 5000**2


def test_points_that_weigh_are_searched() -> None:
    weights = np.random.default_rng(0).integers(1, 4, N).astype(float)
    with tuned(**ALWAYS):
        found = KMedoids(5, random_state=0).fit(ROWS["mixture"], sample_weight=weights)
    known = KMedoids(5, random_state=0, method="pam").fit(ROWS["mixture"], sample_weight=weights)
    assert found.medoid_indices_.tolist() == known.medoid_indices_.tolist()
    assert not is_carried(found)


@pytest.mark.parametrize("how", ["memory", "delta", "many clusters", "cheap searches"])
def test_where_searches_are_better(how: str) -> None:
    params: dict[str, Any] = {"memory": {"memory_limit": 1e6}, "delta": {"delta": 1e-4}}.get(
        how, {}
    )
    k = N // 4 if how == "many clusters" else 5
    tuning = ALWAYS | ({"searching": 0.0} if how == "cheap searches" else {})
    with tuned(**tuning):
        found = KMedoids(k, random_state=0, max_iter=1, **params)
        with pytest.warns(match="max_iter"):
            found.fit(ROWS["mixture"])
    assert not is_carried(found)


def test_points_far_from_all_others() -> None:
    X = heavy_tails(N, 0)
    X[0] *= 1e6
    found, known = fits(X, 5)
    assert not is_carried(found)  # no digits would be left for the others
    assert found.medoid_indices_.tolist() == known.medoid_indices_.tolist()


def test_groups_far_apart() -> None:
    centres = 1e5 * np.random.default_rng(0).normal(size=(5, 3))
    X = centres[np.arange(N) % 5] + np.random.default_rng(1).normal(size=(N, 3))
    found, known = fits(X, 5)
    assert not is_carried(found)  # whole numbers would not tell rows of a group apart
    assert found.medoid_indices_.tolist() == known.medoid_indices_.tolist()


def held(X: Any, metric: str) -> tuple[Held | None, np.ndarray]:
    with Workers(2) as workers:
        points = points_of(read(X, metric, None), workers, 1e9)
        return hold(points, 8), points.exact(np.arange(len(X)))


def rows(found: Held) -> np.ndarray:
    """The distances as they are held, in a square."""
    n = len(found.order)
    blocks = -(-n // SIDE)
    every = np.zeros((blocks * SIDE, blocks * SIDE), dtype=np.uint16)
    pairs = [(i, j) for i in range(blocks) for j in range(i, blocks)]
    for tile, (i, j) in zip(found.tiles, pairs, strict=True):
        here, there = slice(i * SIDE, (i + 1) * SIDE), slice(j * SIDE, (j + 1) * SIDE)
        every[here, there], every[there, here] = tile, tile.T
    square = np.empty((n, n), dtype=np.uint16)
    square[np.ix_(found.order, found.order)] = every[:n, :n]
    return square


@pytest.mark.parametrize("metric", ["l2", "l1", "cosine", "haversine"])
def test_distances_are_rounded_by_chance(metric: str) -> None:
    found, exact = held(ROWS["few dimensions"] / 10, metric)
    assert found is not None
    error = rows(found) - exact * found.scale
    assert np.abs(error).max() < 1.1  # and float32's own rounding
    # There are 2 N random numbers for them all.
    assert abs(error.mean()) < 4 * error.std() / np.sqrt(2 * N)


def test_the_lowest_of_rows_and_columns() -> None:
    found, _ = held(ROWS["mixture"], "l2")
    assert found is not None
    for (low_of_rows, low_of_columns), tile in zip(found.least[:3], found.tiles, strict=False):
        np.testing.assert_array_equal(low_of_rows, tile.min(axis=1))
        np.testing.assert_array_equal(low_of_columns, tile.min(axis=0))


def test_each_pair_is_held_once() -> None:
    found, _ = held(ROWS["mixture"], "l2")
    assert found is not None
    assert found.tiles.nbytes + found.least.nbytes == bytes_held(N)
    assert bytes_held(70_000) < 1.02 * 70_000**2


def test_neighbours_share_tiles() -> None:
    X = mixture(3000, 2, 12, 1)
    found, exact = held(X, "l2")
    assert found is not None
    assert sorted(found.order) == list(range(3000))
    apart = exact[found.order[:-1], found.order[1:]]
    assert apart.mean() < exact.mean() / 4


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("few", [0, 40, 900])
def test_sums_are_those_of_all_distances(swap: bool, few: int) -> None:
    """Of what some points pay (or all do), and what they paid before."""
    found, exact = held(ROWS["few dimensions"], "l2")
    assert found is not None
    k, rng = 12, np.random.default_rng(few)
    medoids = rng.choice(N, (2, k), replace=False)
    payments = []
    for chosen in medoids:
        near = np.sort(exact[chosen], axis=0)[: 1 + swap]
        clips = (near[[0, -1]].T * found.scale).astype(np.float32)[found.order]
        payments.append(carried._Paid(clips, exact[chosen].argmin(axis=0)[found.order]))
    chosen = np.sort(rng.choice(N, few, replace=False)) if few else np.arange(N)
    payments = payments if few else payments[1:]
    blocks = -(-N // SIDE)
    sums, more = np.zeros((2, N)), np.zeros((k, N))
    fours = carried._in_fours(payments, chosen, blocks, swap)
    kernels.add_payments(found.tiles, found.least, fours, swap, (0, blocks), sums, more)
    square = rows(found)[np.ix_(found.order, found.order)].astype(float)[chosen]
    expected, besides, seen = np.zeros(N), np.zeros((k, N)), np.zeros(N)
    for paid, sign in zip(payments, [-1, 1][-len(payments) :], strict=True):
        near, far = paid.clips[chosen].astype(float).T[:, :, None]
        stays, goes = np.minimum(square - near, 0), np.minimum(square - far, 0)
        expected += sign * stays.sum(axis=0)
        seen += sign * (square < far + 1).sum(axis=0)
        if swap:
            np.add.at(besides, paid.owner[chosen], sign * (goes - stays))
    np.testing.assert_allclose(sums[0], expected, atol=1e-6 * np.abs(square).sum(axis=0).max())
    np.testing.assert_array_equal(sums[1], seen)
    np.testing.assert_allclose(more, besides, atol=1e-6 * np.abs(square).sum(axis=0).max())


def test_distances_longer_than_those_that_were_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "_MARGINS", (0.5, 4.0))
    found, exact = held(ROWS["mixture"], "l2")
    assert found is not None
    assert np.abs(rows(found) - exact * found.scale).max() < 1.02
    monkeypatch.setattr(holding, "_MARGINS", (0.5,))
    assert held(ROWS["mixture"], "l2")[0] is None


def test_all_the_same() -> None:
    found, exact = held(np.ones((300, 3)), "l2")
    assert found is None or not rows(found).any()
    assert not exact.any()


def eager(X: Any, k: int, **params: Any) -> KMedoids:
    """By eager swaps, which carry sums wherever they can."""
    with tuned(**ALWAYS, searching_eager=1e12):
        return KMedoids(k, swap="eager", random_state=0, **params).fit(X)


@pytest.mark.parametrize("k", [1, 2, 20, 60])
@pytest.mark.parametrize("metric", ["l2", "l1", "sqeuclidean"])
@pytest.mark.parametrize("name", list(ROWS))
def test_no_swap_helps_at_the_end_of_eager_ones(name: str, metric: str, k: int) -> None:
    X = ROWS[name]
    found = eager(X, k, metric=metric)
    last = found.history_[-1]
    assert [each["references"] for each in last["rounds"]] == [N], "all points"
    matrix = cdist(X, X, {"l2": "euclidean", "l1": "cityblock"}.get(metric, metric))
    chosen = found.medoid_indices_
    assert len(set(chosen.tolist())) == k
    assert found.inertia_ == pytest.approx(loss_of(matrix, chosen), rel=1e-12)
    assert best_swap(matrix, chosen) >= found.inertia_ * (1 - 1e-12)


@pytest.mark.parametrize("k", [8, 60])
@pytest.mark.parametrize(
    "params",
    [
        *ASKED,
        {"fixed": [5, 700], "init": "random"},
        {"candidates": np.arange(0, N, 3), "fixed": [6, 699]},
    ],
)
def test_what_eager_swaps_may_be_asked_for(params: dict[str, Any], k: int) -> None:
    X = ROWS["few dimensions"]
    found = eager(X, k, **params)
    matrix, chosen = cdist(X, X), found.medoid_indices_.tolist()
    allowed = params.get("candidates", np.arange(N))
    fixed = params.get("fixed", [])
    assert set(chosen) <= set(allowed.tolist())
    assert chosen[: len(fixed)] == fixed
    losses = swaps_by_force(matrix, chosen)[np.setdiff1d(allowed, chosen), len(fixed) :]
    assert losses.min() >= found.inertia_ * (1 - 1e-12)


def test_eager_swaps_compute_half_of_the_distances_once() -> None:
    X = mixture(5000, 6, 5, 0)
    found = eager(X, 8, init="random", n_init=3)
    assert 5000**2 / 2 < found.n_distances_ < 0.7 * 5000**2


def test_eager_swaps_with_few_clusters_are_searched() -> None:
    X = mixture(30_000, 6, 5, 0)
    found = KMedoids(5, swap="eager", random_state=0).fit(X)
    assert found.n_distances_ < 0.1 * 30_000**2


def test_eager_swaps_are_the_same_for_any_number_of_threads() -> None:
    found = [eager(ROWS["few dimensions"], 40, n_jobs=jobs) for jobs in (1, 3)]
    first, other = (each.medoid_indices_.tolist() for each in found)
    assert first == other
    assert found[0].inertia_ == found[1].inertia_
    assert found[0].n_distances_ == found[1].n_distances_
