"""Rows far from every medoid: scores, and labels that are no cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers import mixture
from medoids import KMedoids, outlier_scores


def test_scores_are_times_the_median_of_the_cluster() -> None:
    X = mixture(300, 4, 3, seed=0)
    km = KMedoids(3, random_state=0).fit(X)
    far = next(row for row in range(300) if row not in km.medoid_indices_)
    X[far] += 500
    scores = outlier_scores(km, X)
    distances = km.transform(X)
    labels = distances.argmin(axis=1)
    for label in range(3):
        own = (labels == label) & (distances[:, label] > 0)
        usual = np.median(distances[own, label])
        np.testing.assert_allclose(scores[own], distances[own, label] / usual)
    assert scores.argmax() == far
    assert (scores[km.medoid_indices_] == 0).all()
    assert 0.9 < np.median(scores[scores > 0]) < 1.1


def test_scores_do_not_depend_on_the_unit() -> None:
    X = mixture(120, 4, 3, seed=1)
    km, other = KMedoids(3, random_state=0).fit(X), KMedoids(3, random_state=0).fit(X * 1e3)
    np.testing.assert_allclose(outlier_scores(km, X), outlier_scores(other, X * 1e3))


def test_new_rows_are_measured_by_those_of_the_fit() -> None:
    X = mixture(200, 4, 3, seed=2)
    km = KMedoids(3, random_state=0).fit(X)
    scores = outlier_scores(km, X)
    np.testing.assert_allclose(outlier_scores(km, X, X[50:60]), scores[50:60])
    assert outlier_scores(km, X, X[:1] + 1e4)[0] > 100


def test_clusters_without_a_usual_distance() -> None:
    X = np.array([[0.0]] * 5 + [[10.0], [11.0], [12.0], [13.0]])
    km = KMedoids(2, random_state=0).fit(X)
    scores = outlier_scores(km, X)
    assert scores[:5].tolist() == [0] * 5
    assert np.isfinite(scores).all()
    assert outlier_scores(km, X, [[-3.0]])[0] == 3, "by what is usual in all clusters"
    same = np.zeros((4, 1))
    lone = KMedoids(1).fit(same)
    assert outlier_scores(lone, same).tolist() == [0] * 4
    assert outlier_scores(lone, same, [[1.0]]).tolist() == [np.inf]


def test_any_data_has_scores() -> None:
    pytest.importorskip("rapidfuzz", reason="the extra objects is not installed")
    words = ["spam", "spams", "ham", "hams", "sesquipedalian"]
    km = KMedoids(2, metric="levenshtein", init=[0, 2], max_iter=0).fit(words)
    assert outlier_scores(km, words).argmax() == 4
    matrix = np.abs(np.arange(6.0)[:, None] - np.arange(6.0))
    far = KMedoids(2, metric="precomputed", random_state=0).fit(matrix)
    assert outlier_scores(far, matrix).shape == (6,)
    with pytest.raises(ValueError, match="no outlier score"):
        outlier_scores(KMedoids(2, metric="precomputed").fit(matrix - 2), matrix - 2)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "haversine"])
def test_rows_far_from_every_medoid_are_of_no_cluster(metric: str) -> None:
    X = np.random.default_rng(0).uniform(0.1, 1.5, (200, 2))
    km = KMedoids(4, metric=metric, random_state=0).fit(X)
    nearest = km.transform(X).min(axis=1)
    far = float(np.quantile(nearest, 0.8))
    labels = km.predict(X, max_distance=far)
    assert labels.dtype == np.int32
    np.testing.assert_array_equal(labels == -1, nearest > far)
    inside = nearest <= far
    np.testing.assert_array_equal(labels[inside], km.labels_[inside])
    np.testing.assert_array_equal(km.predict(X), km.labels_)
    np.testing.assert_array_equal(km.predict(X, max_distance=np.inf), km.labels_)
    on = np.flatnonzero(km.predict(X, max_distance=0) >= 0)
    assert set(km.medoid_indices_) <= set(on.tolist())


def test_predict_in_a_pipeline() -> None:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X = mixture(90, 3, 3, seed=0)
    pipe = make_pipeline(StandardScaler(), KMedoids(3, random_state=0)).fit(X)
    assert pipe.predict(X[:1] + 1e6, max_distance=5.0).tolist() == [-1]


@pytest.mark.parametrize("wrong", ["far", np.nan, True, [1.0]])
def test_what_is_no_distance(wrong: Any) -> None:
    km = KMedoids(2, random_state=0).fit(mixture(20, 2, 2, seed=0))
    with pytest.raises(ValueError, match="is no distance: give a number, or None"):
        km.predict([[0.0, 0.0]], max_distance=wrong)
