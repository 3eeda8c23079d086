"""`medoids.compat.kmedoids` against the package kmedoids itself, and against definitions."""

from __future__ import annotations

import pickle
import warnings
from inspect import signature
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import silhouette_samples
from sklearn.utils.estimator_checks import parametrize_with_checks

from helpers import Floats, asymmetric, best_swap, lattice, loss_of, mixture, one_line
from medoids.compat import kmedoids as here

there = pytest.importorskip("kmedoids", reason="compared with the package kmedoids")

SWAPS = ["pam", "fastpam1", "fasterpam", "alternating"]
SEEK = ["fastmsc", "fastermsc", "pammedsil", "pamsil"]


def square(kind: str, seed: int) -> tuple[Floats, int, Any]:
    """A matrix of a kind, a number of clusters, and as many rows."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(20, 160)), int(rng.integers(2, 9))
    matrix = asymmetric(n, seed)
    np.fill_diagonal(matrix, 0)
    if kind != "asymmetric":
        X = rng.normal(size=(n, 2))
        matrix = cdist(X, X)
    if kind == "whole":
        matrix = (matrix * 10**7).astype(np.int64)
    if kind == "float32":
        matrix = matrix.astype(np.float32)
    return matrix, k, rng.choice(n, k, replace=False)


def told(result: Any) -> dict[str, Any]:
    return {
        "medoids": result.medoids.tolist(),
        "labels": result.labels.tolist(),
        "n_iter": result.n_iter,
        "n_swap": result.n_swap,
        "loss": pytest.approx(result.loss, rel=1e-6),
        "types": (type(result.loss), result.labels.dtype, result.medoids.dtype),
    }


@pytest.fixture(autouse=True)
def _max_iter_is_not_the_subject() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


@pytest.mark.parametrize("max_iter", [0, 1, 2, 100])
@pytest.mark.parametrize("kind", ["plain", "asymmetric", "whole", "float32"])
@pytest.mark.parametrize("name", SWAPS)
def test_the_same_swaps(name: str, kind: str, max_iter: int) -> None:
    if name == "alternating" and kind == "asymmetric":
        pytest.skip("there the centre is by the other direction, and it never ends")
    for seed in range(4):
        matrix, _, first = square(kind, seed)
        found, due = (getattr(each, name)(matrix, first.copy(), max_iter) for each in (here, there))
        assert told(found) == told(due), seed


@pytest.mark.parametrize("max_iter", [0, 1, 100])
@pytest.mark.parametrize("kind", ["plain", "asymmetric", "float32"])
@pytest.mark.parametrize("name", SEEK)
def test_the_same_swaps_for_a_silhouette(name: str, kind: str, max_iter: int) -> None:
    for seed in range(4):
        matrix, _, first = square(kind, seed)
        found, due = (getattr(each, name)(matrix, first.copy(), max_iter) for each in (here, there))
        assert told(found) == told(due), seed


@pytest.mark.parametrize("kind", ["plain", "asymmetric", "whole"])
@pytest.mark.parametrize("init", ["random", "build"])
def test_the_same_start(kind: str, init: str) -> None:
    for seed in range(4):
        matrix, k, _ = square(kind, seed)
        for state in (0, 7):
            given = {"max_iter": 0, "init": init, "random_state": state}
            found, due = (each.fastpam1(matrix, k, **given) for each in (here, there))
            assert told(found) == told(due)
        assert told(here.pam_build(matrix, k)) == told(there.pam_build(matrix, k))


def test_first_rows() -> None:
    # There, in 0.5.5: TypeError, 'ndarray' object is not an instance of 'ndarray'.
    matrix, _, _ = square("plain", 0)
    assert here.fasterpam(matrix, 3, 0, init="first").medoids.tolist() == [0, 1, 2]


@pytest.mark.parametrize("max_iter", [0, 100])
@pytest.mark.parametrize("name", [*SWAPS[:3], *SEEK])
def test_one_cluster(name: str, max_iter: int) -> None:
    matrix, _, _ = square("plain", 3)
    for first in (5, int(matrix.sum(axis=1).argmin())):
        given = matrix, np.array([first]), max_iter
        assert told(getattr(here, name)(*given)) == told(getattr(there, name)(*given))


@pytest.mark.parametrize("name", [*SWAPS, *SEEK, "dynmsc", "pam_build", "silhouette"])
def test_the_same_parameters(name: str) -> None:
    ours, theirs = (signature(getattr(each, name)).parameters for each in (here, there))
    assert {each: given.default for each, given in ours.items()} == {
        each: given.default for each, given in theirs.items()
    }


def test_all_that_is_public_there() -> None:
    assert set(there.__all__) <= set(here.__all__)
    assert {"KMedoids", "pamsil", "pammedsil"} <= set(here.__all__)
    ours, theirs = (signature(each.KMedoids).parameters for each in (here, there))
    assert list(ours) == list(theirs)
    assert [each.kind for each in ours.values()] == [each.kind for each in theirs.values()]


def test_alternating_ends_on_a_matrix_that_is_not_symmetric() -> None:
    matrix = asymmetric(80, 0)
    found = here.alternating(matrix, 4, init="first")
    assert found.n_iter < 100
    assert found.loss == pytest.approx(matrix[:, found.medoids].min(axis=1).sum())
    np.testing.assert_array_equal(found.labels, matrix[:, found.medoids].argmin(axis=1))


@pytest.mark.parametrize("kind", ["plain", "asymmetric"])
def test_ends_where_no_swap_helps(kind: str) -> None:
    matrix, k, _ = square(kind, 5)
    for name in SWAPS[:3]:
        found = getattr(here, name)(matrix, k, random_state=0)
        assert best_swap(matrix.T, found.medoids.astype(int)) >= found.loss - 1e-9
        assert found.loss == pytest.approx(loss_of(matrix.T, found.medoids.tolist()))


def swaps_of_ratios(matrix: Floats, medoids: list[int]) -> float:
    """The highest mean medoid silhouette after any swap, straight from its definition."""
    best = -np.inf
    for position in range(len(medoids)):
        for arm in set(range(len(matrix))) - set(medoids):
            then = [*medoids[:position], arm, *medoids[position + 1 :]]
            first, second = np.sort(matrix[:, then], axis=1)[:, :2].T
            ratio = np.divide(first, second, out=np.zeros(len(matrix)), where=second > 0)
            best = max(best, 1 - ratio.mean())
    return float(best)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("name", ["fastmsc", "fastermsc"])
@pytest.mark.parametrize("kind", ["plain", "ties"])
def test_no_swap_raises_the_medoid_silhouette(name: str, k: int, kind: str) -> None:
    rows = lattice(40, 1, side=5) if kind == "ties" else mixture(40, 2, 3, 0)
    matrix = cdist(rows, rows)
    found = getattr(here, name)(matrix, k, random_state=0)
    assert found.loss == pytest.approx(here.medoid_silhouette(matrix, found.medoids)[0])
    assert swaps_of_ratios(matrix, found.medoids.tolist()) <= found.loss + 1e-9


class TestDynMSC:
    @pytest.mark.parametrize("seed", range(6))
    def test_the_same_on_clusters(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        X = rng.normal(scale=5, size=(6, 3))[rng.integers(6, size=150)] + rng.normal(size=(150, 3))
        matrix, first = cdist(X, X), rng.choice(150, 10, replace=False)
        found, due = here.dynmsc(matrix, first), there.dynmsc(matrix, first.copy())
        assert found.bestk == due.bestk
        assert found.loss == pytest.approx(due.loss, rel=1e-9)
        assert set(found.medoids.tolist()) == set(due.medoids.tolist())
        assert found.rangek.tolist() == due.rangek.tolist() == list(range(2, 11))
        assert type(found.bestk) is type(due.bestk)
        assert found.losses[-1] == pytest.approx(due.losses[-1], rel=1e-9)

    @pytest.mark.parametrize("seed", [18, 26, 72, 346])
    def test_the_loss_is_that_of_the_medoids(self, seed: int) -> None:
        # There it is not, on these.
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(int(rng.integers(20, 150)), 2))
        k = int(rng.integers(4, 9))
        first, matrix = rng.choice(len(X), k, replace=False), cdist(X, X)
        found = here.dynmsc(matrix, first, k - 1)
        assert found.loss == pytest.approx(here.medoid_silhouette(matrix, found.medoids)[0])
        np.testing.assert_array_equal(found.labels, matrix[:, found.medoids].argmin(axis=1))
        again = here.fastermsc(matrix, found.medoids)
        assert again.n_swap == 0

    def test_counts_and_ranges(self) -> None:
        matrix, _, first = square("plain", 7)
        found = here.dynmsc(matrix, first)
        most = here.fastermsc(matrix, first)
        assert found.losses[-1] == pytest.approx(most.loss)
        assert found.n_iter > most.n_iter
        assert found.n_swap >= most.n_swap
        assert found.loss == found.losses.max() == found.losses[found.bestk - 2]
        assert len(found.losses) == len(found.rangek) == len(first) - 1
        only = here.dynmsc(matrix, first, len(first))
        assert (only.rangek.tolist(), only.bestk) == ([len(first)], len(first))
        from_one = here.dynmsc(matrix, first, 1)
        assert from_one.rangek.tolist() == list(range(1, len(first) + 1))
        assert from_one.losses[0] == 0
        with pytest.raises(ValueError, match="Maximum k should be at least minimum k"):
            here.dynmsc(matrix, first, len(first) + 1)

    def test_one_cluster_alone(self) -> None:
        matrix, _, _ = square("plain", 7)
        found = here.dynmsc(matrix, 1, 1)
        assert (found.bestk, found.loss) == (1, 0)
        assert found.medoids.tolist() == [matrix.sum(axis=1).argmin()]


class TestSilhouette:
    @pytest.mark.parametrize("samples", [True, False])
    @pytest.mark.parametrize("kind", ["plain", "asymmetric", "float32"])
    def test_the_same_silhouettes(self, kind: str, samples: bool) -> None:
        for seed in range(3):
            matrix, k, _ = square(kind, seed)
            due = there.pam(matrix, k)
            for found, expected in (
                (
                    here.silhouette(matrix, due.labels, samples),
                    there.silhouette(matrix, due.labels, samples, 1),
                ),
                (
                    here.medoid_silhouette(matrix, due.medoids, samples),
                    there.medoid_silhouette(matrix, due.medoids, samples),
                ),
            ):
                assert found[0] == pytest.approx(expected[0], abs=1e-6)
                np.testing.assert_allclose(found[1], expected[1], atol=1e-6)
                assert isinstance(found[0], float)

    def test_as_scikit_learn_has_it(self) -> None:
        matrix, k, _ = square("plain", 0)
        labels = here.pam(matrix, k).labels + 10  # any names of clusters
        mean, each = here.silhouette(matrix, labels, samples=True)
        expected = silhouette_samples(matrix, labels, metric="precomputed")
        np.testing.assert_allclose(each, expected, atol=1e-12)
        assert mean == pytest.approx(expected.mean())

    def test_edges(self) -> None:
        matrix, _, _ = square("plain", 0)
        # There one cluster is -1 with several threads, and 0 with one.
        assert here.silhouette(matrix, np.zeros(len(matrix), int))[0] == 0
        assert here.silhouette(matrix, np.arange(len(matrix)))[0] == 0
        assert here.medoid_silhouette(matrix, [3])[0] == there.medoid_silhouette(matrix, [3])[0]
        assert here.medoid_silhouette(np.zeros((4, 4)), [0, 1], True)[1].tolist() == [1] * 4
        whole = (matrix * 100).astype(np.int64)
        assert here.medoid_silhouette(whole, [1, 5])[0] > 0
        with pytest.raises(ValueError, match=r"labels has shape \(3,\)"):
            here.silhouette(matrix, [0, 1, 2])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda D: here.fasterpam(D, 0), "medoids=0 is too small"),
        (lambda D: here.fasterpam(D, len(D) + 1), "is more than the"),
        (lambda D: here.pam_build(D, len(D) + 1), "is more than the"),
        (lambda D: here.fasterpam(D, 2.5), "medoids must be a whole number"),
        (lambda D: here.fasterpam(D, [1, 1]), "medoids has row 1 twice"),
        (lambda D: here.fasterpam(D, [1, 10**6]), "medoids has row 1000000, out of range"),
        (lambda D: here.fasterpam(D, []), "medoids is empty"),
        (lambda D: here.fasterpam(D, 3, init="frist"), "did you mean 'first'"),
        (lambda D: here.fasterpam(D, 3, init=None), "init=None is unknown"),
        (lambda D: here.fasterpam(D[:9], 3), r"diss has shape \(9, "),
        (lambda D: here.fasterpam(np.where(D > 3, np.nan, D), 3), "diss contains NaN"),
        (lambda D: here.fastmsc(D, 3, -1), "max_iter=-1"),
        (lambda D: here.dynmsc(D, 3, 0), "minimum_k=0 is too small"),
        (lambda D: here.medoid_silhouette(D, [-1]), "meds has row -1, out of range"),
        (lambda D: here.fasterpam(D, 3, random_state="x"), "is no seed"),
    ],
)
def test_errors_are_one_line(call: Any, says: str) -> None:
    # There a panic of Rust, which `except Exception` does not catch, or no word at all.
    matrix, _, _ = square("plain", 0)
    with pytest.raises((ValueError, TypeError), match=says) as caught:
        call(matrix)
    one_line(caught.value)


def test_lists_and_other_integers() -> None:
    matrix, _, first = square("plain", 0)
    due = here.fasterpam(matrix, first)
    for given in (first.tolist(), first.astype(np.uint8)):
        assert told(here.fasterpam(matrix.tolist(), given)) == told(due)
    assert len(here.fasterpam(matrix, np.int64(3)).medoids) == 3
    np.testing.assert_array_equal(
        here.fasterpam(np.asfortranarray(matrix), first).medoids, due.medoids
    )


def test_a_seed_beside_given_medoids() -> None:
    matrix, _, first = square("plain", 0)
    with pytest.warns(UserWarning, match="Seed will be ignored"):
        here.fasterpam(matrix, first, random_state=3)


@pytest.mark.parametrize("name", ["fasterpam", "fastermsc"])
def test_max_iter_is_told(name: str) -> None:
    matrix, _, _ = square("plain", 0)
    first = np.arange(8)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        getattr(here, name)(matrix, first, 1)
    assert [each.category for each in caught] == [ConvergenceWarning]
    assert caught[0].filename == __file__


def test_results_show_themselves_and_travel() -> None:
    matrix, _, first = square("plain", 0)
    found = here.fasterpam(matrix, first)
    assert repr(found).startswith(f"KMedoidsResult(loss={found.loss}, labels=[")
    again = pickle.loads(pickle.dumps(found))
    assert told(again) == told(found)
    dyn = here.dynmsc(matrix, first)
    assert f"bestk={dyn.bestk}, losses=[" in repr(dyn)
    assert pickle.loads(pickle.dumps(dyn)).bestk == dyn.bestk
    assert b"_results" not in pickle.dumps(found)


class TestEstimator:
    @pytest.mark.parametrize(
        "method",
        ["fasterpam", "fastpam1", "pam", "alternate", "fastermsc", "fastmsc", "pamsil",
         "pammedsil", "dynmsc"],
    )  # fmt: skip
    def test_every_method(self, method: str) -> None:
        X = mixture(90, 3, 4, 0)
        km = here.KMedoids(4, metric="euclidean", method=method, init="build").fit(X)
        due = there.KMedoids(4, metric="euclidean", method=method, init="build").fit(X)
        assert km.medoid_indices_.tolist() == due.medoid_indices_.tolist()
        np.testing.assert_array_equal(km.labels_, due.labels_)
        assert km.inertia_ == pytest.approx(due.inertia_)
        np.testing.assert_array_equal(km.cluster_centers_, X[km.medoid_indices_])
        np.testing.assert_array_equal(km.predict(X), km.labels_)
        np.testing.assert_allclose(km.transform(X), cdist(X, km.cluster_centers_), atol=1e-12)

    @pytest.mark.parametrize("symmetric", [True, False])
    def test_a_matrix(self, symmetric: bool) -> None:
        matrix = asymmetric(80, 0)
        matrix = matrix + matrix.T if symmetric else matrix
        km = here.KMedoids(4, random_state=0).fit(matrix)
        assert km.cluster_centers_ is None
        new = matrix[:7]
        np.testing.assert_array_equal(km.transform(new), new[:, km.medoid_indices_])
        np.testing.assert_array_equal(km.predict(matrix), km.labels_)
        assert km.inertia_ == pytest.approx(matrix[:, km.medoid_indices_].min(axis=1).sum())

    def test_parameters_of_a_metric(self) -> None:
        # There `fit` does not look at them.
        X = mixture(60, 3, 3, 0)
        km = here.KMedoids(
            3, metric="minkowski", metric_params={"p": 3}, method="pam", init="build"
        ).fit(X)
        matrix = cdist(X, X, "minkowski", p=3)
        assert km.inertia_ == pytest.approx(here.pam(matrix, 3).loss)
        np.testing.assert_allclose(km.transform(X), matrix[:, km.medoid_indices_])

    def test_pickle_and_clone(self) -> None:
        X = mixture(60, 3, 3, 0)
        km = here.KMedoids(3, metric="seuclidean", random_state=0).fit(X)
        again = pickle.loads(pickle.dumps(km))
        np.testing.assert_array_equal(again.predict(X), km.labels_)
        assert clone(km).get_params() == km.get_params()

    def test_errors(self) -> None:
        X = mixture(60, 3, 3, 0)
        with pytest.raises(ValueError, match="method=nonsense is not supported"):
            here.KMedoids(3, method="nonsense").fit(X)
        with pytest.raises(ValueError, match="square"):
            here.KMedoids(3).fit(X)


@parametrize_with_checks([here.KMedoids(n_clusters=3, metric="euclidean")])
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)
