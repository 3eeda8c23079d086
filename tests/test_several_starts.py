"""Several starts, centres of any origin, and going on from an earlier fit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from helpers import mixture
from medoids import KMedoids, k_medoids
from medoids._names import METHODS
from medoids._tuning import tuned


@pytest.mark.parametrize("method", list(METHODS))
def test_the_best_of_several_starts_is_kept(method: str) -> None:
    X = mixture(300, 2, 8, 0)
    found = k_medoids(X, 8, method=method, init="random", n_init=4, random_state=0)
    ends = [
        [entry["loss"] for entry in found.history if entry["start"] == start][-1]
        for start in range(4)
    ]
    assert found.inertia <= min(ends) * (1 + 1e-6)
    assert len(set(ends)) > 1  # else this shows nothing


def test_starts_share_distances() -> None:
    X = mixture(2500, 5, 6, 0)
    options = {"swap": "eager", "init": "random", "random_state": 0}
    one = k_medoids(X, 6, **options)
    ten = k_medoids(X, 6, n_init=10, **options)
    assert ten.n_distances < 2 * one.n_distances
    assert ten.inertia <= one.inertia


def test_eager_trials_are_shared_among_the_starts() -> None:
    X = mixture(3000, 3, 12, 0, 2.0)
    options = {"swap": "eager", "init": "random", "random_state": 0}
    with tuned(first_block=128, completes=False, rehearsed=40, fewest_rehearsed=1):
        one = k_medoids(X, 8, **options)
        three = k_medoids(X, 8, n_init=3, **options)
    assert three.inertia <= one.inertia, "each of its three trials goes on to the end"
    begun = [sum(e["phase"] == "init" for e in found.history) for found in (one, three)]
    assert begun == [1, 3]
    rehearsed = (40 * 8) ** 2
    firsts = [each["distances"] for each in three.history if each["phase"] == "init"]
    assert all(each < 2 * rehearsed for each in firsts[1:]), "one rehearsal each"


def test_starts_that_are_the_same_are_made_once() -> None:
    X = mixture(200, 2, 3, 0)
    one = k_medoids(X, 3)
    assert k_medoids(X, 3, n_init=5).n_distances == one.n_distances
    assert "start" not in k_medoids(X, 3, n_init=5).history[0]


def test_auto_is_one_start() -> None:
    X = mixture(200, 2, 3, 0)
    for init in ("build", "random", [3, 4, 5]):
        auto = k_medoids(X, 3, init=init, random_state=0)
        assert auto.n_distances == k_medoids(X, 3, init=init, n_init=1, random_state=0).n_distances


def test_centres_are_taken_to_the_nearest_rows() -> None:
    X = mixture(400, 3, 5, 1)
    centres = KMeans(5, n_init=1, random_state=0).fit(X).cluster_centers_
    km = KMedoids(5, init=centres, max_iter=0).fit(X)
    nearest = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=0)
    assert km.medoid_indices_.tolist() == nearest.tolist()
    lists = KMedoids(5, init=centres.tolist(), max_iter=0).fit(X)
    assert lists.medoid_indices_.tolist() == nearest.tolist()


def test_two_centres_at_one_row_take_two_rows() -> None:
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    km = KMedoids(2, init=np.array([[0.1], [0.2]]), max_iter=0).fit(X)
    assert km.medoid_indices_.tolist() == [0, 1]


def test_going_on_from_a_fit() -> None:
    X = mixture(600, 3, 5, 1)
    first = KMedoids(5, init="random", max_iter=2, random_state=0)
    with pytest.warns(match="max_iter"):
        first.fit(X)
    on = KMedoids(5, init=first, random_state=0).fit(X)
    assert on.inertia_ < first.inertia_
    assert KMedoids(5, init=on).fit(X).n_iter_ == 0
    grown = np.concatenate([X, mixture(200, 3, 5, 2)])
    more = KMedoids(5, init=on).fit(grown)
    assert more.history_[0]["phase"] == "init"
    assert more.inertia_ <= k_medoids(grown, 5, init=on.medoid_indices_, max_iter=0).inertia


def test_going_on_with_words() -> None:
    words = ["abc", "abd", "xyz", "xyy", "abcd", "xxyz"]
    first = KMedoids(2, metric="levenshtein").fit(words[:4])
    assert KMedoids(2, metric="levenshtein", init=first).fit(words).n_iter_ >= 0
