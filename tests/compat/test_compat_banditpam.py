"""`medoids.compat.banditpam` against what banditpam 6.0.2 does, and what it should."""

from __future__ import annotations

import pickle
from inspect import signature
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import medoids
from helpers import Floats, asymmetric, build_by_force, loss_of, mixture, one_line, pam_by_force
from medoids._tuning import tuned
from medoids.compat import banditpam
from medoids.compat.banditpam import KMedoids

ALGORITHMS = ["BanditPAM", "BanditPAM_orig", "PAM", "FastPAM1"]


@pytest.fixture(scope="module")
def X() -> Floats:
    return np.random.default_rng(0).normal(size=(60, 3))


def fitted(X: Any, loss: str = "L2", *args: Any, **params: Any) -> KMedoids:
    km = KMedoids(*args, **params)
    assert km.fit(X, loss) is None
    return km


def test_parameters_and_their_places() -> None:
    named = signature(KMedoids).parameters
    assert {name: each.default for name, each in named.items()} == {
        "n_medoids": 5, "algorithm": "BanditPAM", "max_iter": 100, "build_confidence": 10,
        "swap_confidence": 5, "use_cache": True, "use_perm": True, "cache_width": 1000,
        "parallelize": True,
    }  # fmt: skip
    km = KMedoids(3, "PAM", 7)
    assert (km.n_medoids, km.algorithm, km.max_iter, km.seed) == (3, "PAM", 7, 0)
    km.algorithm, km.seed, km.n_medoids, km.build_confidence = "FastPAM1", 4, 2, 3
    assert (km.algorithm, km.seed, km.n_medoids, km.build_confidence) == ("FastPAM1", 4, 2, 3)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_what_is_found_there(X: Floats, algorithm: str) -> None:
    # The figures of banditpam 6.0.2 on these rows. There the loss of "PAM" and "FastPAM1" is 0.
    km = fitted(X, "L2", 3, algorithm)
    assert km.medoids.tolist() == [52, 17, 47]
    assert km.build_medoids.tolist() == [37, 17, 40]
    assert km.steps == 3
    assert km.average_loss == pytest.approx(1.0969696044921875, rel=1e-6)
    assert km.build_loss == pytest.approx(1.1604193449020386, rel=1e-6)
    assert km.medoids.dtype == km.build_medoids.dtype == km.labels.dtype == np.uint64
    np.testing.assert_array_equal(km.labels, cdist(X, X[km.medoids]).argmin(axis=1))


@pytest.mark.parametrize(
    ("max_iter", "found", "steps"),
    [(0, [37, 17, 40], 0), (1, [52, 17, 40], 1), (2, [52, 17, 47], 2), (4, [52, 17, 47], 3)],
)
@pytest.mark.filterwarnings("ignore:.*stopped by max_iter")
def test_max_iter(X: Floats, max_iter: int, found: list[int], steps: int) -> None:
    km = fitted(X, "L2", 3, max_iter=max_iter)
    assert (km.medoids.tolist(), km.steps) == (found, steps)
    assert km.build_medoids.tolist() == [37, 17, 40]
    # There it is 0 where max_iter ends the fit.
    assert km.average_loss == pytest.approx(loss_of(cdist(X, X), found) / 60)


@pytest.mark.parametrize(
    ("loss", "name", "scipys", "p"),
    [
        ("L1", "L1", "cityblock", None),
        ("l2", "L2", "euclidean", None),
        ("L3", "L3", "minkowski", 3),
        ("manhattan", "manhattan", "cityblock", None),
        ("euclidean", "L2", "euclidean", None),
        ("COS", "cosine", "cosine", None),
        ("cosine", "cosine", "cosine", None),
        ("inf", "L-infinity", "chebyshev", None),
    ],
)
def test_losses(X: Floats, loss: str, name: str, scipys: Any, p: int | None) -> None:
    km = fitted(X, loss, 3)
    matrix = cdist(X, X, scipys, **({} if p is None else {"p": p}))
    assert km.medoids.tolist() == pam_by_force(matrix, 3)
    assert km.build_medoids.tolist() == build_by_force(matrix, 3)
    assert km.loss_function == name


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("symmetric", [True, False])
def test_known_distances(algorithm: str, symmetric: bool) -> None:
    matrix = asymmetric(70, 0)
    matrix = matrix + matrix.T if symmetric else matrix
    km = KMedoids(4, algorithm)
    km.fit(np.zeros((70, 1)), "L2", dist_mat=matrix)
    # The row is the point. There "BanditPAM" searches by rows and gives labels by columns.
    assert sorted(km.medoids.tolist()) == sorted(pam_by_force(matrix.T, 4))
    np.testing.assert_array_equal(km.labels, matrix[:, km.medoids].argmin(axis=1))
    assert km.average_loss == pytest.approx(matrix[:, km.medoids].min(axis=1).mean())


def test_k_overrides_the_number_of_medoids(X: Floats) -> None:
    km = KMedoids(3)
    km.fit(X, "L2", k=4)
    assert len(km.medoids) == km.n_medoids == 4


def test_much_data_is_sampled() -> None:
    data = mixture(6000, 5, 5, 0)
    with tuned(searching=0.0):
        km = fitted(data, "L2", 5)
        found = medoids.KMedoids(5, random_state=0).fit(data)
    assert km.medoids.tolist() == found.medoid_indices_.tolist()
    assert km.getDistanceComputations(True) == found.n_distances_ < 6000**2 / 2
    parts = km.build_distance_computations + km.swap_distance_computations
    assert km.getDistanceComputations(False) == parts
    assert km.misc_distance_computations == found.n_distances_ - parts
    assert km.total_swap_time > 0
    assert km.time_per_swap == pytest.approx(km.total_swap_time / km.steps)


def test_the_seed_is_the_objects_own() -> None:
    data = mixture(1200, 5, 5, 0)
    one = fitted(data, "L2", 5, "BanditPAM_orig")
    other = KMedoids(5)
    other.seed = 7
    again = fitted(data, "L2", 5, "BanditPAM_orig")
    assert one.getDistanceComputations() == again.getDistanceComputations()


def test_threads(X: Floats) -> None:
    before = banditpam.get_max_threads()
    try:
        banditpam.set_num_threads(1)
        assert banditpam.get_max_threads() == 1
        one = fitted(X, "L2", 3)
    finally:
        banditpam.set_num_threads(before)
    assert one.medoids.tolist() == fitted(X, "L2", 3, parallelize=False).medoids.tolist()


def test_before_a_fit() -> None:
    km = KMedoids(3)
    for name in ("medoids", "build_medoids", "labels"):
        assert getattr(km, name).dtype == np.uint64
        assert getattr(km, name).shape == (0,)
    # There the last of these ends the process.
    assert (km.average_loss, km.steps, km.total_swap_time, km.time_per_swap) == (0, 0, 0, 0)
    with pytest.raises(ValueError, match="loss_function is set by fit"):
        _ = km.loss_function
    for name in ("medoids", "average_loss"):
        assert name in dir(km)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = km.nonsense


def test_what_is_not_counted() -> None:
    with pytest.raises(AttributeError, match="cache_hits is not counted") as caught:
        _ = KMedoids().cache_hits
    one_line(caught.value)


def test_one_medoid(X: Floats) -> None:
    # There the medoids have the shape (1, 1), and the loss is 0.
    km = fitted(X, "L2", 1)
    assert km.medoids.tolist() == [cdist(X, X).sum(axis=1).argmin()]
    assert km.average_loss == pytest.approx(cdist(X, X).mean(axis=1).min())


@pytest.mark.parametrize(("n", "k"), [(4, 3), (5, 3), (3, 3), (1, 1), (2, 1), (11, 10)])
def test_few_rows(X: Floats, n: int, k: int) -> None:
    # There: "min(): object has no elements".
    assert len(fitted(X[:n], "L2", k).medoids) == k


def test_a_fit_can_be_pickled(X: Floats) -> None:
    km = fitted(X, "L2", 3)
    again = pickle.loads(pickle.dumps(km))
    assert again.medoids.tolist() == km.medoids.tolist()
    assert again.average_loss == km.average_loss


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda X: fitted(X, "Linf", 3), "loss='Linf' is unknown: choose 'L1', 'L2'"),
        (lambda X: fitted(X, "L0", 3), "loss='L0' is unknown"),
        (lambda X: KMedoids(3).fit(X, None), "loss=None is unknown"),
        (lambda X: KMedoids(3, "banditpam"), "algorithm='banditpam' is unknown"),
        (lambda X: fitted(X, "L2", 0), "n_medoids=0 is too small"),
        (lambda X: fitted(X, "L2", 61), "n_clusters=61 is more than"),
        (lambda X: fitted(X[:, 0], "L2", 3), "2D array"),
        (lambda X: fitted(np.where(X > 2, np.nan, X), "L2", 3), "X contains NaN"),
        (lambda X: KMedoids(3).fit(X, "L2", dist_mat=np.ones((3, 3))), r"dist_mat has shape"),
        (lambda X: banditpam.set_num_threads(0), "n_threads=0 is too small"),
    ],
)
def test_errors(X: Floats, call: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        call(X)
    one_line(caught.value)


def test_a_failed_fit_leaves_the_last_one(X: Floats) -> None:
    km = fitted(X, "L2", 3)
    with pytest.raises(ValueError, match="NaN"):
        km.fit(np.full((9, 2), np.nan), "L1", k=2)
    assert (km.medoids.tolist(), km.n_medoids, km.loss_function) == ([52, 17, 47], 3, "L2")
