"""`medoids.compat.sklearn_extra` against what scikit-learn-extra 0.3.0 does, and what it should."""

from __future__ import annotations

import pickle
import warnings
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import medoids
from helpers import Floats, asymmetric, best_swap, loss_of, mixture, one_line
from medoids.compat.sklearn_extra import CLARA, KMedoids

INITS = ["random", "heuristic", "k-medoids++", "build"]
METHODS = ["alternate", "pam"]


@parametrize_with_checks([KMedoids(), KMedoids(3, method="pam", init="build"), CLARA()])
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def iris() -> Floats:
    return load_iris().data


def test_parameters_and_their_places() -> None:
    assert list(signature(KMedoids).parameters) == [
        "n_clusters", "metric", "method", "init", "max_iter", "random_state",
    ]  # fmt: skip
    assert list(signature(CLARA).parameters) == [
        "n_clusters", "metric", "init", "max_iter", "n_sampling", "n_sampling_iter",
        "random_state",
    ]  # fmt: skip
    assert KMedoids(3, "l1", "pam", "build", 7, 0).get_params() == {
        "n_clusters": 3, "metric": "l1", "method": "pam", "init": "build", "max_iter": 7,
        "random_state": 0,
    }  # fmt: skip
    assert CLARA().get_params() == {
        "n_clusters": 8, "metric": "euclidean", "init": "build", "max_iter": 300,
        "n_sampling": None, "n_sampling_iter": 5, "random_state": None,
    }  # fmt: skip


# What scikit-learn-extra 0.3.0 finds on iris: k = 4, random_state=0.
THERE = [
    ("alternate", "random", 300, [127, 99, 7, 102], 86.29031245, 1),
    ("alternate", "heuristic", 300, [63, 69, 7, 112], 85.87526565, 3),
    ("alternate", "build", 300, [99, 7, 120, 126], 85.66291049, 1),
    ("pam", "random", 300, [126, 99, 7, 120], 85.66291049, 5),
    ("pam", "heuristic", 300, [7, 120, 99, 126], 85.66291049, 4),
    ("pam", "build", 300, [99, 7, 120, 126], 85.66291049, 2),
    ("alternate", "heuristic", 0, [61, 96, 99, 78], 251.83252324, 0),
]


@pytest.mark.parametrize(("method", "init", "max_iter", "medoids_", "inertia", "n_iter"), THERE)
def test_the_same_medoids_as_there(
    iris: Floats,
    method: str,
    init: str,
    max_iter: int,
    medoids_: list[int],
    inertia: float,
    n_iter: int,
) -> None:
    km = KMedoids(4, method=method, init=init, max_iter=max_iter, random_state=0).fit(iris)
    assert km.medoid_indices_.tolist() == medoids_
    assert km.inertia_ == pytest.approx(inertia, rel=1e-8)  # there by a less exact formula
    assert km.n_iter_ == n_iter
    np.testing.assert_array_equal(km.cluster_centers_, iris[medoids_])
    np.testing.assert_array_equal(km.labels_, cdist(iris, iris[medoids_]).argmin(axis=1))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("max_iter", [1, 2])
def test_max_iter_stops_and_warns(iris: Floats, method: str, max_iter: int) -> None:
    km = KMedoids(10, method=method, init="random", max_iter=max_iter, random_state=0)
    with pytest.warns(ConvergenceWarning, match="Maximum number of iteration reached") as caught:
        km.fit(iris)
    assert [each.filename for each in caught] == [__file__]
    assert km.n_iter_ == max_iter
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        longer = clone(km).set_params(max_iter=300).fit(iris)
    assert longer.inertia_ < km.inertia_


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_blobs_in_either_precision(method: str, init: str, dtype: type) -> None:
    X, y = make_blobs(100, centers=[[-1, -1], [1, 1]], cluster_std=0.2, random_state=0)
    X = X.astype(dtype)
    km = KMedoids(2, method=method, init=init, random_state=0).fit(X)
    agree = np.mean(km.labels_ == y)
    assert max(agree, 1 - agree) > 0.98
    assert km.cluster_centers_.dtype == dtype
    assert km.transform(X).dtype == dtype
    assert km.labels_.dtype == km.predict(X).dtype == np.int64


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore:Maximum number")
def test_as_many_medoids_as_asked_for(method: str, init: str) -> None:
    X = mixture(100, 2, 2, 0)
    km = KMedoids(50, method=method, init=init, max_iter=1, random_state=0).fit(X)
    assert len(set(km.medoid_indices_.tolist())) == 50


@pytest.mark.parametrize("init", INITS)
def test_pam_ends_where_no_swap_helps(init: str) -> None:
    X = mixture(200, 3, 5, 1)
    km = KMedoids(5, method="pam", init=init, random_state=0).fit(X)
    assert best_swap(cdist(X, X), km.medoid_indices_) >= km.inertia_ - 1e-9


def test_one_cluster_is_the_one_medoid(iris: Floats) -> None:
    # There PAM keeps the random row, and sets max_iter to 0 for good.
    km = KMedoids(1, method="pam", init="random", random_state=0).fit(iris)
    assert km.medoid_indices_.tolist() == [cdist(iris, iris).sum(axis=1).argmin()]
    assert km.max_iter == 300


def test_attributes_and_methods(iris: Floats) -> None:
    km = KMedoids(4, random_state=0)
    labels = km.fit_predict(iris)
    np.testing.assert_array_equal(labels, km.labels_)
    np.testing.assert_array_equal(labels, km.predict(iris))
    distances = km.transform(iris)
    np.testing.assert_allclose(distances, cdist(iris, km.cluster_centers_), atol=1e-12)
    np.testing.assert_array_equal(clone(km).fit_transform(iris), distances)
    assert km.inertia_ == pytest.approx(distances.min(axis=1).sum(), rel=1e-12)
    assert km.n_features_in_ == 4
    again = pickle.loads(pickle.dumps(km))
    np.testing.assert_array_equal(again.predict(iris), labels)
    assert b"_adapter" not in pickle.dumps(km)
    assert make_pipeline(StandardScaler(), clone(km)).fit_predict(iris).shape == (150,)


def test_as_good_as_k_means(iris: Floats) -> None:
    means = KMeans(3, n_init=5, random_state=0).fit(iris)
    by_means = means.transform(iris).min(axis=1).mean()
    for init in INITS:
        km = KMedoids(3, init=init, random_state=0).fit(iris)
        assert km.n_iter_ < 15
        assert km.inertia_ / 150 == pytest.approx(by_means, rel=0.1)


def test_an_outlier_gets_no_cluster() -> None:
    X = [[-11, 0], [-10, 0], [-9, 0], [0, 0], [1, 0], [2, 0], [1000, 0]]
    assert KMedoids(2, random_state=0).fit(X).labels_.tolist() == [0, 0, 0, 1, 1, 1, 1]


def test_as_many_clusters_as_rows() -> None:
    X = np.eye(3)
    km = KMedoids(3).fit(X)
    assert km.inertia_ == 0
    assert sorted(km.labels_.tolist()) == [0, 1, 2]
    distances = km.transform(X)[km.medoid_indices_]
    assert (np.diagonal(distances) == 0).all()
    assert (distances[~np.eye(3, dtype=bool)] > 0).all()


class TestPrecomputed:
    def test_new_points_have_a_row_each(self) -> None:
        X = np.array([[1.0, 0.0], [1.1, 0.0], [0.0, 1.0], [0.0, 1.1]])
        new = cdist([[1.1, 0.0], [0.0, 0.9]], X)
        km = KMedoids(metric="precomputed", n_clusters=2, random_state=0).fit(cdist(X, X))
        assert km.inertia_ == pytest.approx(0.2)
        assert km.cluster_centers_ is None
        assert km.labels_[0] == km.labels_[1] != km.labels_[2] == km.labels_[3]
        np.testing.assert_array_equal(km.predict(new), km.labels_[[1, 2]])
        np.testing.assert_array_equal(km.transform(new), new[:, km.medoid_indices_])

    @pytest.mark.parametrize("method", METHODS)
    def test_a_matrix_that_is_not_symmetric(self, method: str) -> None:
        # There the labels are of one direction, and the inertia of the other.
        matrix = asymmetric(80, 0)
        km = KMedoids(4, "precomputed", method, "build").fit(matrix)
        rows = matrix[km.medoid_indices_]
        np.testing.assert_array_equal(km.labels_, rows.argmin(axis=0))
        assert km.inertia_ == pytest.approx(loss_of(matrix, km.medoid_indices_.tolist()))

    def test_rows_to_start_from(self) -> None:
        matrix = asymmetric(30, 0)
        km = KMedoids(2, "precomputed", init=matrix[[3, 8]], max_iter=0).fit(matrix)
        assert km.medoid_indices_.tolist() == [3, 8]
        with pytest.raises(ValueError, match=r"init\[1\] is no row of X") as caught:
            KMedoids(2, "precomputed", init=matrix[[3, 8]] + [[0], [1]]).fit(matrix)
        one_line(caught.value)

    def test_a_rectangle(self) -> None:
        with pytest.raises(ValueError, match="requires a square matrix"):
            KMedoids(2, "precomputed").fit(np.ones((3, 9)))


class TestStart:
    def test_centres(self, iris: Floats) -> None:
        km = KMedoids(2, init=iris[[0, 50]], max_iter=0).fit(iris)
        assert km.medoid_indices_.tolist() == [0, 50]
        as_lists = KMedoids(2, init=iris[[0, 50]].tolist(), max_iter=0).fit(iris)
        np.testing.assert_array_equal(as_lists.medoid_indices_, km.medoid_indices_)

    def test_centres_that_are_no_rows(self, iris: Floats) -> None:
        # There: "attempt to get argmin of an empty sequence".
        centres = np.array([[5.0, 3, 1, 0], [6, 3, 5, 2]])
        km = KMedoids(2, init=centres, max_iter=0).fit(iris)
        np.testing.assert_array_equal(km.medoid_indices_, cdist(iris, centres).argmin(axis=0))

    def test_centres_that_are_there_twice(self, iris: Floats) -> None:
        # There four medoids came of two centres.
        twice = np.repeat(iris[:50], 2, axis=0)
        assert len(KMedoids(2, init=twice[[0, 50]]).fit(twice).medoid_indices_) == 2

    def test_another_number_of_centres(self, iris: Floats) -> None:
        km = KMedoids(4, init=iris[[0, 50]])
        with pytest.warns(UserWarning, match="n_clusters should be equal to size of array-like"):
            km.fit(iris)
        assert len(km.cluster_centers_) == 2
        assert km.n_clusters == 4  # a parameter is the user's

    def test_heuristic_is_the_rows_nearest_to_all(self) -> None:
        X = mixture(300, 3, 4, 0)
        km = KMedoids(6, init="heuristic", max_iter=0, random_state=1).fit(X)
        lowest = np.argsort(cdist(X, X).sum(axis=1))[:6]
        assert set(km.medoid_indices_.tolist()) == set(lowest.tolist())

    def test_random_is_drawn_from_random_state(self) -> None:
        X = mixture(150, 4, 4, 0)
        km = KMedoids(4, init="random", max_iter=0, random_state=0).fit(X)
        drawn = np.random.RandomState(0).choice(150, 4, replace=False)
        np.testing.assert_array_equal(km.medoid_indices_, drawn)

    def test_plus_plus_is_spread(self) -> None:
        X = np.array([[0, 0]] * 5 + [[10, 0]] * 5 + [[0, 10]] * 5)
        km = KMedoids(3, init="k-medoids++", max_iter=0, random_state=0).fit(X)
        assert len(np.unique(km.cluster_centers_, axis=0)) == 3


class TestMetrics:
    @pytest.mark.parametrize(
        "metric",
        ["l1", "cosine", "chebyshev", "canberra", "sqeuclidean", "seuclidean", "mahalanobis"],
    )
    def test_names_of_pairwise_distances(self, iris: Floats, metric: str) -> None:
        km = KMedoids(3, metric=metric, random_state=0).fit(iris)
        matrix = pairwise_distances(iris, metric=metric)
        as_matrix = KMedoids(3, metric="precomputed", random_state=0).fit(matrix)
        np.testing.assert_array_equal(km.medoid_indices_, as_matrix.medoid_indices_)
        assert km.inertia_ == pytest.approx(as_matrix.inertia_)
        np.testing.assert_array_equal(km.predict(iris), km.labels_)
        # There a distance of "seuclidean" depends on what else is asked for.
        np.testing.assert_allclose(km.transform(iris[:3]), km.transform(iris)[:3], atol=1e-12)

    def test_booleans(self) -> None:
        X = np.random.default_rng(0).random((40, 6)) < 0.5
        X[:, 0] = True
        km = KMedoids(3, metric="jaccard", random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn says that it converts to booleans
            km.fit(X.astype(float))
            labels = km.predict(X.astype(float))
        matrix = cdist(X, X, "jaccard")
        assert km.inertia_ == pytest.approx(loss_of(matrix, km.medoid_indices_.tolist()))
        np.testing.assert_array_equal(labels, km.labels_)

    def test_a_function(self, iris: Floats) -> None:
        def distance(a: Floats, b: Floats) -> float:
            return float(np.sqrt(((a - b) ** 2).sum()))

        found = KMedoids(3, metric=distance, random_state=0).fit(iris)
        plain = KMedoids(3, random_state=0).fit(iris)
        np.testing.assert_array_equal(found.labels_, plain.labels_)

    def test_a_name_that_nobody_knows(self, iris: Floats) -> None:
        with pytest.raises(ValueError, match="did you mean 'mahalanobis'") as caught:
            KMedoids(3, metric="mahalanobi").fit(iris)
        one_line(caught.value)

    @pytest.mark.parametrize("layout", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array])
    def test_sparse_rows(self, iris: Floats, layout: Any) -> None:
        some = np.where(iris > 2, iris, 0)
        km = KMedoids(3, random_state=0).fit(layout(some))
        plain = KMedoids(3, random_state=0).fit(some)
        np.testing.assert_array_equal(km.labels_, plain.labels_)
        assert sparse.issparse(km.cluster_centers_)
        np.testing.assert_array_equal(km.predict(layout(some)), plain.predict(some))


ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"n_clusters": 0}, "n_clusters should be a nonnegative integer. 0 was given"),
    ({"n_clusters": None}, "n_clusters should be a nonnegative integer. None was given"),
    ({"n_clusters": 2.0}, "n_clusters should be a nonnegative integer. 2.0 was given"),
    ({"max_iter": -1}, "max_iter should be a nonnegative integer. -1 was given"),
    ({"max_iter": None}, "max_iter should be a nonnegative integer. None was given"),
    ({"init": None}, "init needs to be one of the following: ['random', 'heuristic', 'k-me"),
    ({"init": "invalid"}, "init needs to be one of the following: ['random', 'heuristic', 'k-me"),
    ({"method": "invalid"}, "method=invalid is not supported. Supported methods are 'pam' and"),
    ({"n_clusters": 151}, "The number of medoids (151) must be less than the number of samples"),
]


@pytest.mark.parametrize(("given", "says"), ERRORS)
def test_errors_are_those_of_the_package(iris: Floats, given: dict[str, Any], says: str) -> None:
    km = KMedoids(**given)
    with pytest.raises(ValueError, match=r".") as caught:
        km.fit(iris)
    assert says in one_line(caught.value)
    assert not hasattr(km, "n_features_in_")


def test_a_failed_fit_leaves_the_last_one(iris: Floats) -> None:
    km = KMedoids(3, random_state=0).fit(iris)
    with pytest.raises(ValueError, match="NaN"):
        km.fit(np.full((5, 2), np.nan))
    assert km.n_features_in_ == 4
    assert km.predict(iris).shape == (150,)


def test_before_the_fit(iris: Floats) -> None:
    for estimator in (KMedoids(), CLARA()):
        with pytest.raises(NotFittedError, match=type(estimator).__name__):
            estimator.predict(iris)


def test_empty_clusters_are_told() -> None:
    with pytest.warns(UserWarning, match=r"Cluster 1 is empty! self\.labels_") as caught:
        KMedoids(2).fit([[1], [1], [1]])
    assert [each.filename for each in caught] == [__file__]


def test_frames(iris: Floats) -> None:
    frame = pd.DataFrame(iris, columns=list("abcd"))
    km = KMedoids(3, random_state=0).set_output(transform="pandas").fit(frame)
    assert km.feature_names_in_.tolist() == list("abcd")
    assert km.transform(frame).columns.tolist() == ["kmedoids0", "kmedoids1", "kmedoids2"]
    with pytest.raises(ValueError, match="feature names"):
        km.predict(frame[list("dcba")])


class TestClara:
    def test_the_whole_as_a_sample_is_pam(self, iris: Floats) -> None:
        clara = CLARA(3, n_sampling=150, n_sampling_iter=1, random_state=0).fit(iris)
        pam = KMedoids(3, method="pam", init="build").fit(iris)
        np.testing.assert_array_equal(np.sort(clara.medoid_indices_), np.sort(pam.medoid_indices_))
        assert clara.inertia_ == pytest.approx(pam.inertia_)
        assert clara.n_iter_ == 1

    @pytest.mark.parametrize("init", [*INITS, "rows"])
    def test_any_start(self, init: str) -> None:
        X = mixture(1000, 2, 4, 0)
        given = X[[0, 1, 2, 3]] if init == "rows" else init
        clara = CLARA(4, init=given, random_state=0).fit(X)
        np.testing.assert_array_equal(X[clara.medoid_indices_], clara.cluster_centers_)
        np.testing.assert_array_equal(clara.predict(X), clara.labels_)
        best = medoids.KMedoids(4).fit(X).inertia_
        assert best <= clara.inertia_ < 1.15 * best
        assert clara.n_iter_ == 5

    def test_more_samples_are_never_worse(self) -> None:
        # There the last sample counts, whatever its loss on all rows.
        X = np.random.default_rng(0).normal(size=(2000, 2))
        few, many = (
            np.array(
                [CLARA(4, n_sampling_iter=n, random_state=s).fit(X).inertia_ for s in range(8)]
            )
            for n in (2, 30)
        )
        assert (many <= few).all()
        assert many.mean() < few.mean()

    def test_distances(self, iris: Floats) -> None:
        matrix = cdist(iris, iris)
        clara = CLARA(3, "precomputed", n_sampling=60, random_state=0).fit(matrix)
        assert clara.inertia_ == pytest.approx(loss_of(matrix, clara.medoid_indices_.tolist()))

    @pytest.mark.parametrize(
        ("given", "says"),
        [
            ({"n_sampling": 3}, "sampling size must be strictly greater than n_clusters=3"),
            ({"n_clusters": 151}, "sample_size should be greater than n_clusters=151"),
            ({"n_clusters": 0}, "n_clusters should be a nonnegative integer"),
        ],
    )
    def test_errors(self, iris: Floats, given: dict[str, Any], says: str) -> None:
        with pytest.raises(ValueError, match=says):
            CLARA(**{"n_clusters": 3} | given).fit(iris)

    def test_as_many_clusters_as_rows(self) -> None:
        X = mixture(12, 2, 2, 0)
        assert CLARA(12).fit(X).inertia_ == 0
