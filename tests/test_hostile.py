"""Input that lies, breaks in the middle, or is not what it looks like.

Each is clustered rightly, or refused in one line; nothing hangs, crashes or is left half done.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from helpers import asymmetric, mixture, one_line
from medoids import KMedoids
from medoids._silhouette import fit_distances

X = mixture(40, 3, 3, 0)


class TestPrecomputed:
    """New points are rows, however many there are."""

    def test_as_many_new_points_as_in_the_fit(self) -> None:
        matrix = asymmetric(30, 0)
        km = KMedoids(3, metric="precomputed", random_state=0).fit(matrix)
        to_new = np.random.default_rng(1).uniform(size=(30, 30))
        expected = to_new[:, km.medoid_indices_]
        for n_new in (29, 30):
            np.testing.assert_array_equal(km.transform(to_new[:n_new]), expected[:n_new])
            labels = km.predict(to_new[:n_new])
            np.testing.assert_array_equal(labels, expected[:n_new].argmin(axis=1))
        assert km.score(to_new) == pytest.approx(-expected.min(axis=1).sum())
        np.testing.assert_array_equal(km.predict(matrix.T), km.labels_)

    @pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, np.ndarray.tolist])
    def test_the_matrix_of_the_fit_for_pictures_and_pages(self, kind: Any) -> None:
        matrix = asymmetric(30, 0)
        km = KMedoids(3, metric="precomputed", random_state=0).fit(kind(matrix))
        found = fit_distances(km, kind(matrix))
        np.testing.assert_array_equal(found.argmin(axis=1), km.labels_)
        assert found.min(axis=1).sum() == pytest.approx(km.inertia_)
        with pytest.raises(ValueError, match="give the X of the fit") as caught:
            fit_distances(km, matrix[:5, :5])
        one_line(caught.value)


class TestAFitThatFails:
    @pytest.mark.parametrize(
        ("new", "changes"),
        [
            (X[:, :2], {"n_clusters": 100}),
            (X[:, :2], {"method": "nonsense"}),
            (pd.DataFrame(X[:, :2], columns=["u", "v"]), {"init": [1, 2]}),
            (X[:, :2], {"metric": lambda a, b: 1 / 0}),
            (["a", "b"], {"metric": "levenshtein", "n_clusters": 3}),
            (X[:, :2], {"metric": "haversine", "delta": 2}),
        ],
    )
    def test_leaves_all_as_it_was(self, new: Any, changes: dict[str, Any]) -> None:
        frame = pd.DataFrame(X, columns=["a", "b", "c"])
        km = KMedoids(3, random_state=0).fit(frame)
        before = {name: value for name, value in vars(km).items() if name.endswith("_")}
        labels = km.predict(frame)
        km.set_params(**changes)
        with pytest.raises((ValueError, TypeError, ZeroDivisionError)):
            km.fit(new)
        after = {name: value for name, value in vars(km).items() if name.endswith("_")}
        assert before.keys() == after.keys()
        assert all(before[name] is after[name] for name in before)
        np.testing.assert_array_equal(km.predict(frame), labels)
        with pytest.raises(ValueError, match="feature"):
            km.transform(frame[["a", "b"]])

    def test_an_interrupt_leaves_all_as_it_was(self) -> None:
        calls = 0

        def metric(a: Any, b: Any) -> float:
            nonlocal calls
            calls += 1
            if calls > 100:
                raise KeyboardInterrupt
            return float(abs(a[0] - b[0]))

        km = KMedoids(3, random_state=0).fit(X)
        before = dict(vars(km))
        km.set_params(metric=metric)
        with pytest.raises(KeyboardInterrupt):
            km.fit(X[:, :2].tolist())
        assert vars(km) == before | {"metric": metric}

    def test_a_first_fit_that_fails_leaves_nothing(self) -> None:
        km = KMedoids(100)
        with pytest.raises(ValueError, match="n_clusters=100"):
            km.fit(X)
        assert vars(km) == vars(KMedoids(100))

    def test_names_of_columns_are_forgotten_by_a_fit_without(self) -> None:
        km = KMedoids(2).fit(pd.DataFrame(X, columns=["a", "b", "c"]))
        km.fit(X[:, :2])
        assert not hasattr(km, "feature_names_in_")
        assert km.n_features_in_ == 2
        km.set_params(metric="levenshtein").fit(["a", "b", "cc"])
        assert not hasattr(km, "n_features_in_")
