"""The estimator: scikit-learn's checks, attributes, and unusual data."""

from __future__ import annotations

import pickle
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.spatial.distance import cdist
from sklearn import config_context
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from helpers import Floats, asymmetric, loss_of, mixture, one_line
from medoids import KMedoids, KMedoidsResult, k_medoids, medoid

NAMES = ["long", "wide", "high"]


def precomputed_failures(estimator: Any) -> dict[str, str]:
    """Checks that cannot hold for a matrix of distances, and why."""
    rows = "gives rows of features, but a square matrix is due"
    return {
        "check_clustering": rows,
        "check_clustering(readonly_memmap=True)": rows,
    }


@parametrize_with_checks([KMedoids(n_clusters=3), KMedoids()])
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@parametrize_with_checks(
    [KMedoids(n_clusters=2, metric="precomputed")], expected_failed_checks=precomputed_failures
)
def test_scikit_learns_checks_of_a_matrix(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def X() -> Floats:
    return mixture(250, 3, 4, 0)


@pytest.fixture(scope="module")
def km(X: Floats) -> KMedoids:
    return KMedoids(4, random_state=0).fit(X)


def test_attributes(X: Floats, km: KMedoids) -> None:
    assert km.medoid_indices_.shape == (4,)
    assert km.medoid_indices_.dtype.kind == "i"
    assert len(set(km.medoid_indices_.tolist())) == 4
    np.testing.assert_array_equal(km.cluster_centers_, X[km.medoid_indices_])
    assert km.labels_.dtype == np.int32
    assert km.labels_.shape == (250,)
    assert set(km.labels_.tolist()) == {0, 1, 2, 3}
    np.testing.assert_array_equal(km.labels_[km.medoid_indices_], np.arange(4))
    assert isinstance(km.inertia_, float)
    rows = cdist(km.cluster_centers_, X)
    assert km.inertia_ == pytest.approx(rows.min(axis=0).sum(), rel=1e-12)
    assert isinstance(km.n_iter_, int)
    assert isinstance(km.n_distances_, int)
    assert km.n_features_in_ == 3
    assert not hasattr(km, "feature_names_in_")
    swaps = [step for step in km.history_ if step["phase"] == "swap"]
    assert len(swaps) == km.n_iter_ + 1


def test_centres_are_copies(X: Floats) -> None:
    mine = X.copy()
    km = KMedoids(4).fit(mine)
    mine[:] = 0
    assert np.abs(km.cluster_centers_).min() > 0


def test_methods_on_the_same_data(X: Floats, km: KMedoids) -> None:
    predicted = km.predict(X)
    assert predicted.dtype == np.int32
    np.testing.assert_array_equal(predicted, km.labels_)
    np.testing.assert_array_equal(clone(km).fit_predict(X), km.labels_)
    distances = km.transform(X)
    assert distances.shape == (250, 4)
    assert distances.dtype == np.float64
    np.testing.assert_allclose(distances, cdist(X, km.cluster_centers_), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(clone(km).fit_transform(X), distances)
    assert km.score(X) == -km.inertia_


def test_methods_on_new_data(km: KMedoids) -> None:
    new = mixture(77, 3, 4, 9)
    rows = cdist(new, km.cluster_centers_)
    np.testing.assert_allclose(km.transform(new), rows, rtol=1e-12)
    np.testing.assert_array_equal(km.predict(new), rows.argmin(axis=1))
    assert km.score(new) == pytest.approx(-rows.min(axis=1).sum(), rel=1e-12)
    assert km.predict(new[:1]).shape == (1,)


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("l1", None),
        ("cosine", None),
        ("correlation", None),
        ("chebyshev", None),
        ("minkowski", {"p": 3}),
        ("canberra", None),
        ("haversine", None),
    ],
)
def test_any_metric_predicts_its_labels(metric: str, params: dict[str, float] | None) -> None:
    data = np.random.default_rng(0).uniform(-1, 1, size=(150, 2 if metric == "haversine" else 6))
    km = KMedoids(5, metric=metric, metric_params=params).fit(data)
    np.testing.assert_array_equal(km.predict(data), km.labels_)
    assert km.score(data) == pytest.approx(-km.inertia_, rel=1e-12)
    assert (km.transform(data)[km.medoid_indices_, np.arange(5)] == 0).all()


@pytest.mark.parametrize("method", ["banditpam", "banditpam_original", "pam"])
def test_every_method_keeps_the_contract(X: Floats, method: str) -> None:
    km = KMedoids(4, method=method, random_state=0).fit(X)
    np.testing.assert_array_equal(km.predict(X), km.labels_)
    assert km.score(X) == pytest.approx(-km.inertia_, rel=1e-12)
    assert len(set(km.medoid_indices_.tolist())) == 4


def test_before_the_fit(X: Floats) -> None:
    for name in ("predict", "transform", "score"):
        with pytest.raises(NotFittedError):
            getattr(KMedoids(), name)(X)
    with pytest.raises(NotFittedError):
        KMedoids().get_feature_names_out()


def test_names_of_what_comes_out(X: Floats, km: KMedoids) -> None:
    names = ["kmedoids0", "kmedoids1", "kmedoids2", "kmedoids3"]
    assert km.get_feature_names_out().tolist() == names
    frame = clone(km).set_output(transform="pandas").fit(X).transform(X)
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns.tolist() == names
    np.testing.assert_array_equal(frame.to_numpy(), km.transform(X))
    table = clone(km).set_output(transform="polars").fit_transform(X)
    assert isinstance(table, pl.DataFrame)
    assert table.columns == names


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables(X: Floats, km: KMedoids, library: str) -> None:
    table = pd.DataFrame(X, columns=NAMES) if library == "pandas" else pl.DataFrame(X, schema=NAMES)
    fitted = clone(km).fit(table)
    assert fitted.feature_names_in_.tolist() == NAMES
    np.testing.assert_array_equal(fitted.medoid_indices_, km.medoid_indices_)
    assert fitted.inertia_ == km.inertia_
    np.testing.assert_array_equal(fitted.predict(table), km.labels_)
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(table[NAMES[::-1]])


def test_a_row_index_that_is_not_a_range(X: Floats, km: KMedoids) -> None:
    frame = pd.DataFrame(X, columns=NAMES, index=np.arange(250)[::-1] + 1000)
    np.testing.assert_array_equal(clone(km).fit(frame).medoid_indices_, km.medoid_indices_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_data_on_disk(tmp_path: Path, dtype: type) -> None:
    data = mixture(1500, 5, 4, 0).astype(dtype)
    np.save(tmp_path / "X.npy", data)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    on_disk, in_memory = KMedoids(4, random_state=0), KMedoids(4, random_state=0)
    np.testing.assert_array_equal(on_disk.fit(mapped).labels_, in_memory.fit(data).labels_)
    assert on_disk.inertia_ == in_memory.inertia_
    np.testing.assert_array_equal(on_disk.predict(mapped), on_disk.labels_)


@pytest.mark.parametrize("layout", ["fortran", "every other row", "reversed", "read-only"])
def test_any_memory_layout(X: Floats, km: KMedoids, layout: str) -> None:
    data = X.copy()
    if layout == "fortran":
        data = np.asfortranarray(X)
    elif layout == "every other row":
        wide = np.zeros((500, 6))
        wide[::2, ::2] = X
        data = wide[::2, ::2]
    elif layout == "reversed":
        data = X[::-1].copy()[::-1]
    else:
        data.setflags(write=False)
    fitted = clone(km).fit(data)
    np.testing.assert_array_equal(fitted.medoid_indices_, km.medoid_indices_)
    assert fitted.inertia_ == km.inertia_
    np.testing.assert_array_equal(fitted.predict(data), km.labels_)


def test_pickle_and_clone(X: Floats, km: KMedoids) -> None:
    again = pickle.loads(pickle.dumps(km))
    np.testing.assert_array_equal(again.predict(X), km.labels_)
    assert again.get_params() == km.get_params()
    assert again.inertia_ == km.inertia_
    assert again.history_ == km.history_
    fresh = clone(km)
    assert not hasattr(fresh, "labels_")
    assert fresh.get_params() == km.get_params()


def test_parameters_are_the_documented_ones() -> None:
    assert KMedoids().get_params() == {
        "n_clusters": 8,
        "metric": "euclidean",
        "metric_params": None,
        "method": "banditpam",
        "method_params": None,
        "swap": "best",
        "init": "build",
        "n_init": "auto",
        "max_iter": 300,
        "delta": None,
        "fixed": None,
        "candidates": None,
        "memory_limit": None,
        "device": None,
        "n_jobs": None,
        "random_state": None,
        "verbose": 0,
    }


def test_parameters_are_not_changed_by_a_fit(X: Floats) -> None:
    init, params = [3, 1, 2], {"p": 3}
    km = KMedoids(3, init=init, metric="minkowski", metric_params=params).fit(X)
    assert km.init is init
    assert km.metric_params is params
    assert (init, params) == ([3, 1, 2], {"p": 3})


def test_in_a_pipeline(X: Floats) -> None:
    pipe = make_pipeline(StandardScaler(), KMedoids(3, random_state=0), KMeans(2, n_init=1))
    assert pipe.fit_predict(X).shape == (250,)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("asked", ["method", "config"])
def test_labels_are_arrays_whatever_set_output_says(asked: str, library: str) -> None:
    rows, names = mixture(60, 3, 3, 0), ["a", "b", "c"]
    pandas = library == "pandas"
    frame = pd.DataFrame(rows, columns=names) if pandas else pl.DataFrame(rows, schema=names)
    plain = KMedoids(3, random_state=0).fit(frame)
    with config_context(transform_output=library if asked == "config" else "default"):
        km = KMedoids(3, random_state=0)
        if asked == "method":
            km.set_output(transform=library)
        for labels in (km.fit(frame).labels_, km.fit_predict(frame), km.predict(frame)):
            assert type(labels) is np.ndarray
            assert labels.dtype == np.int32
            np.testing.assert_array_equal(labels, plain.labels_)
        assert isinstance(km.transform(frame), type(frame))


@pytest.mark.parametrize(
    "fit",
    [
        lambda km, X: km.fit(X),
        lambda km, X: km.fit_predict(X),
        lambda km, X: km.fit_transform(X),
        lambda km, X: make_pipeline(StandardScaler(), km).fit(X),
        lambda km, X: k_medoids(X, **km.get_params()),
    ],
    ids=["fit", "fit_predict", "fit_transform", "pipeline", "function"],
)
def test_a_warning_points_at_the_users_line(X: Floats, fit: Any) -> None:
    km = KMedoids(6, init="random", random_state=0, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="max_iter=1") as caught:
        fit(km, X)
    assert [(each.filename, each.lineno) for each in caught] == [
        (__file__, fit.__code__.co_firstlineno)
    ]


def test_max_iter_bounds_the_swaps(X: Floats) -> None:
    free = KMedoids(6, init="random", random_state=0).fit(X)
    assert free.n_iter_ > 2
    bound = KMedoids(6, init="random", random_state=0, max_iter=2).fit(X)
    assert bound.n_iter_ == 2
    assert bound.inertia_ > free.inertia_


def test_a_second_fit_forgets_the_first(X: Floats) -> None:
    km = KMedoids(3, random_state=0).fit(pd.DataFrame(X, columns=NAMES))
    km.set_params(metric="precomputed").fit(cdist(X, X))
    assert km.cluster_centers_ is None
    assert not hasattr(km, "feature_names_in_")
    assert km.n_features_in_ == 250


@pytest.fixture(scope="module")
def matrix() -> Floats:
    return asymmetric(120, 0)


@pytest.fixture(scope="module")
def fitted(matrix: Floats) -> KMedoids:
    return KMedoids(3, metric="precomputed", random_state=0).fit(matrix)


class TestPrecomputed:
    """A matrix: its row is the medoid, its column the point."""

    def test_attributes(self, matrix: Floats, fitted: KMedoids) -> None:
        assert fitted.cluster_centers_ is None
        assert fitted.n_features_in_ == 120
        rows = matrix[fitted.medoid_indices_]
        assert fitted.inertia_ == pytest.approx(rows.min(axis=0).sum(), rel=1e-12)
        np.testing.assert_array_equal(fitted.labels_, rows.argmin(axis=0))

    def test_the_square_of_the_fit_turned(self, matrix: Floats, fitted: KMedoids) -> None:
        np.testing.assert_array_equal(fitted.predict(matrix.T), fitted.labels_)
        np.testing.assert_array_equal(fitted.transform(matrix.T), matrix[fitted.medoid_indices_].T)
        assert fitted.score(matrix.T) == -fitted.inertia_

    @pytest.mark.parametrize("n_new", [1, 50, 119, 120, 121, 200])
    def test_new_points_have_a_row_each(self, fitted: KMedoids, n_new: int) -> None:
        to_new = np.random.default_rng(0).uniform(size=(n_new, 120))
        expected = to_new[:, fitted.medoid_indices_]
        np.testing.assert_array_equal(fitted.transform(to_new), expected)
        np.testing.assert_array_equal(fitted.predict(to_new), expected.argmin(axis=1))

    def test_integers(self) -> None:
        matrix = np.random.default_rng(0).integers(0, 50, size=(60, 60))
        km = KMedoids(3, metric="precomputed").fit(matrix)
        assert km.inertia_ == loss_of(matrix, km.medoid_indices_.tolist())

    def test_the_matrix_is_not_changed(self, matrix: Floats) -> None:
        mine = matrix.copy()
        KMedoids(3, metric="precomputed").fit(mine).predict(mine)
        np.testing.assert_array_equal(mine, matrix)


class TestUnusualData:
    @pytest.mark.parametrize("method", ["banditpam", "banditpam_original", "pam"])
    def test_one_cluster(self, X: Floats, method: str) -> None:
        km = KMedoids(1, method=method, random_state=0).fit(X)
        matrix = cdist(X, X)
        assert km.medoid_indices_.tolist() == [int(matrix.sum(axis=1).argmin())]
        assert (km.labels_ == 0).all()
        assert km.transform(X).shape == (250, 1)

    @pytest.mark.parametrize("init", ["build", "random", "k-medoids++"])
    @pytest.mark.parametrize("method", ["banditpam", "banditpam_original", "pam"])
    def test_as_many_clusters_as_points(self, method: str, init: str) -> None:
        data = mixture(12, 2, 3, 0)
        km = KMedoids(12, method=method, init=init, random_state=0).fit(data)
        assert sorted(km.medoid_indices_.tolist()) == list(range(12))
        assert sorted(km.labels_.tolist()) == list(range(12))
        assert km.inertia_ == 0
        assert km.n_iter_ == 0

    @pytest.mark.parametrize("method", ["banditpam", "banditpam_original", "pam"])
    def test_one_point(self, method: str) -> None:
        km = KMedoids(1, method=method).fit([[2.0, 3.0]])
        assert km.medoid_indices_.tolist() == [0]
        assert km.labels_.tolist() == [0]
        assert km.inertia_ == 0
        np.testing.assert_array_equal(km.cluster_centers_, [[2.0, 3.0]])

    @pytest.mark.parametrize("init", ["build", "random", "k-medoids++"])
    @pytest.mark.parametrize("metric", ["euclidean", "l1", "cosine", "correlation"])
    @pytest.mark.parametrize("method", ["banditpam", "pam", "banditpam_original"])
    def test_all_points_equal(self, method: str, metric: str, init: str) -> None:
        data = np.tile([0.3, 1.7, 0.1], (40, 1))
        km = KMedoids(3, method=method, metric=metric, init=init, random_state=0)
        with pytest.warns(ConvergenceWarning, match=r"Only 1 of n_clusters=3"):
            km.fit(data)
        assert len(set(km.medoid_indices_.tolist())) == 3
        assert (km.labels_ == 0).all()
        assert km.inertia_ == 0

    @pytest.mark.parametrize("first", ["banditpam", "pam"])
    def test_more_clusters_than_distinct_points(self, first: str) -> None:
        data = np.repeat(mixture(5, 2, 2, 0), 300, axis=0)
        with pytest.warns(ConvergenceWarning, match=r"Only 5 of n_clusters=8"):
            km = KMedoids(8, method=first, random_state=0).fit(data)
        assert km.inertia_ == 0
        assert len(set(km.medoid_indices_.tolist())) == 8
        assert len(np.unique(km.cluster_centers_, axis=0)) == 5

    def test_copies_are_added_as_pam_does(self) -> None:
        data = np.repeat(mixture(5, 2, 2, 0), 300, axis=0)
        with pytest.warns(ConvergenceWarning):
            bandit, exact = (k_medoids(data, 8, method=m) for m in ("banditpam", "pam"))
        assert bandit.medoid_indices.tolist() == exact.medoid_indices.tolist()

    def test_zero_vectors_under_cosine(self) -> None:
        data = mixture(60, 3, 3, 0)
        data[:20] = 0
        km = KMedoids(4, metric="cosine").fit(data)
        zero = set(km.labels_[:20].tolist())
        assert len(zero) == 1
        np.testing.assert_array_equal(km.predict(data), km.labels_)

    def test_a_single_column(self) -> None:
        data = np.r_[np.arange(50.0), np.arange(50.0) + 1000][:, None]
        km = KMedoids(2).fit(data)
        assert sorted(km.medoid_indices_.tolist()) in ([24, 74], [24, 75], [25, 74], [25, 75])
        assert km.inertia_ == 2 * 625

    @pytest.mark.parametrize("scale", [1e-100, 1e-30, 1e30, 1e100])
    def test_any_scale(self, X: Floats, km: KMedoids, scale: float) -> None:
        scaled = clone(km).fit(X * scale)
        np.testing.assert_array_equal(scaled.labels_, km.labels_)
        assert scaled.inertia_ == pytest.approx(km.inertia_ * scale, rel=1e-9)


class TestFunctions:
    @pytest.mark.parametrize("metric", ["euclidean", "l1", "cosine"])
    def test_the_function_agrees_with_the_estimator(self, X: Floats, metric: str) -> None:
        result = k_medoids(X, 4, metric=metric, random_state=3)
        km = KMedoids(4, metric=metric, random_state=3).fit(X)
        assert isinstance(result, KMedoidsResult)
        np.testing.assert_array_equal(result.medoid_indices, km.medoid_indices_)
        np.testing.assert_array_equal(result.labels, km.labels_)
        assert result.labels.dtype == np.int32
        assert (result.inertia, result.n_iter) == (km.inertia_, km.n_iter_)
        assert result.n_distances == km.n_distances_
        assert len(result.history) == len(km.history_)

    @pytest.mark.parametrize("metric", ["euclidean", "l1", "sqeuclidean", "cosine"])
    def test_the_one_medoid(self, X: Floats, metric: str) -> None:
        names = {"l1": "cityblock"}
        sums = cdist(X, X, names.get(metric, metric)).sum(axis=1)
        found = medoid(X, metric=metric)
        assert type(found) is int
        assert found == sums.argmin()
        assert found == KMedoids(1, metric=metric).fit(X).medoid_indices_[0]

    def test_the_one_medoid_of_much_data(self) -> None:
        data = mixture(4000, 6, 5, 0)
        assert medoid(data) == cdist(data, data).sum(axis=1).argmin()

    def test_the_one_medoid_of_a_matrix(self) -> None:
        matrix = asymmetric(90, 0)
        assert medoid(matrix, metric="precomputed") == matrix.sum(axis=1).argmin()

    def test_the_parameters_are_those_of_the_estimator(self) -> None:
        (_, *known) = signature(KMedoids).parameters.values()
        X, k, weight, *shown = signature(k_medoids).parameters.values()
        assert (X.name, k.name, weight.name) == ("X", "n_clusters", "sample_weight")
        assert shown == known
        help_page = str(k_medoids.__doc__)
        assert all(f"\n{each.name} : " in help_page for each in known)
        assert "**parameters" not in help_page
        of_one = ["X", "sample_weight", "metric", "metric_params", "n_jobs", "random_state"]
        assert list(signature(medoid).parameters) == of_one

    @pytest.mark.parametrize("function", [partial(k_medoids, n_clusters=1), medoid])
    def test_an_unknown_parameter(self, function: Any) -> None:
        with pytest.raises(TypeError, match="unexpected keyword argument 'metrik'") as caught:
            function([[1.0], [2.0]], metrik="l1")
        one_line(caught.value)

    def test_what_is_none_of_the_one_medoids_parameters(self) -> None:
        with pytest.raises(TypeError, match="unexpected keyword argument 'max_iter'"):
            medoid([[1.0], [2.0]], max_iter=3)

    def test_a_result_is_pickled_by_its_public_name(self, X: Floats) -> None:
        found = k_medoids(X, 3, random_state=0)
        again = pickle.loads(pickle.dumps(found))
        assert type(again) is KMedoidsResult
        assert again.medoid_indices.tolist() == found.medoid_indices.tolist()

    def test_lists_are_welcome(self) -> None:
        assert medoid([[0, 0], [1, 0], [5, 0]]) == 1
