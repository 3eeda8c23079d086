"""All numbers of clusters in one run, the criteria, and what they say together."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from helpers import mixture, one_line
from medoids import KMedoids, k_medoids, scan, silhouette, silhouette_scorer
from medoids.choice.criteria import (
    Gap,
    Stability,
    bend,
    first_gap,
    gap_statistic,
    knee,
    most_stable,
)
from medoids.choice.suggest import Votes, suggest


def apart(groups: int, seed: int, n: int = 600) -> np.ndarray:
    rng = np.random.default_rng(seed)
    angles = np.arange(groups) / groups * 2 * np.pi
    centres = 4 * groups * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    found: np.ndarray = centres[rng.integers(groups, size=n)] + rng.normal(size=(n, 2))
    return found


@pytest.mark.parametrize("method", ["banditpam", "fasterpam", "pam"])
def test_each_k_is_as_good_as_a_fit_of_its_own(method: str) -> None:
    worse = 0
    for seed in range(4):
        X = mixture(500, 3, 8, seed)
        found = scan(X, range(2, 13), method=method, resample=False, random_state=0)
        own = [k_medoids(X, k, method=method, random_state=0).inertia for k in range(2, 13)]
        worse += int((found.losses > 1.001 * np.array(own)).sum())
        assert (np.diff(found.losses) <= 0).all()
    assert worse == 0


def test_what_it_holds() -> None:
    X = apart(4, 0)
    found = scan(X, [6, 2, 4, 4], random_state=0)
    assert found.n_clusters == [2, 4, 6]
    assert len(found) == 3
    for each in found:
        assert each.sizes.sum() == 600
        assert np.array_equal(np.bincount(found.labels(each.k), minlength=each.k), each.sizes)
        km = KMedoids(each.k, init=each.medoid_indices, max_iter=0).fit(X)
        assert each.loss == pytest.approx(km.inertia_)
        assert each.silhouette == pytest.approx(silhouette(km, X).mean())
    assert "no k" not in repr(found)
    assert repr(found).splitlines()[0].split()[:3] == ["k", "loss", "smallest"]
    with pytest.raises(KeyError, match="k = 5 was not tried"):
        found[5]
    frame = pytest.importorskip("pandas") and found.to_frame()
    assert frame.loc[4, "loss"] == found[4].loss


def test_distances_are_shared() -> None:
    X = mixture(1500, 4, 6, 0)
    alone = k_medoids(X, 12, random_state=0)
    found = scan(X, range(2, 13), resample=False, random_state=0)
    assert found.n_distances < 3 * alone.n_distances


@pytest.mark.parametrize("groups", [3, 7])
def test_clear_groups_are_found(groups: int) -> None:
    found = scan(apart(groups, 1), range(2, 11), random_state=0)
    assert found.suggestion == groups
    assert "agree" in found.reason


def test_wine_has_three() -> None:
    X = StandardScaler().fit_transform(load_wine().data)
    found = scan(X, range(2, 9), random_state=0)
    assert found.votes["silhouette"] == 2  # which alone would mislead
    assert found.suggestion == 3


@pytest.mark.parametrize("columns", [2, 10])
def test_noise_has_no_answer(columns: int) -> None:
    X = np.random.default_rng(0).uniform(size=(500, columns))
    found = scan(X, range(2, 9), random_state=0)
    assert found.suggestion is None
    assert found.reason.startswith("no clear answer")


def test_objects_have_no_gap() -> None:
    rng = np.random.default_rng(0)
    words = [
        "".join(np.where(rng.random(8) < 0.1, rng.choice(list("abc"), 8), list(base)))
        for base in ("aaaabbbb", "ccccaaaa", "bbbbcccc") for _ in range(25)
    ]  # fmt: skip
    found = scan(words, range(2, 6), metric="levenshtein", random_state=0)
    assert found[3].gap is None
    assert found[3].stability is not None
    assert found.suggestion == 3


def test_matrices_and_weights_and_sites() -> None:
    X = apart(3, 2, 200)
    matrix = np.linalg.norm(X[:, None] - X, axis=2)
    plain, given = (
        scan(X, [2, 3, 4], random_state=0),
        scan(matrix, [2, 3, 4], metric="precomputed", random_state=0),
    )
    assert np.allclose(plain.losses, given.losses)
    weights = np.random.default_rng(0).integers(0, 3, 200)
    weighted = scan(X, [2, 3, 4], sample_weight=weights, random_state=0)
    labels = weighted.labels(3)
    own = np.linalg.norm(X - X[weighted[3].medoid_indices][labels], axis=1)
    assert weighted[3].loss == pytest.approx(own @ weights)
    fixed = scan(X, [2, 3], fixed=[5], random_state=0)
    assert all(5 in each.medoid_indices for each in fixed)
    assert fixed[3].stability is None


@pytest.mark.parametrize(
    ("ks", "says"),
    [(3, "several numbers"), ([], "empty"), ([2, 999], "up to 999"), ([0, 2], "n_clusters=0")],
)
def test_bad_numbers(ks: object, says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=says) as caught:
        scan(apart(2, 0, 50), ks)  # type: ignore[arg-type]
    one_line(caught.value)


class TestCriteria:
    def test_knee(self) -> None:
        assert knee([2, 3, 4, 5, 6], [100, 40, 35, 32, 30]) == 3
        assert knee([2, 3, 4, 5], [100, 90, 80, 70]) is None

    def test_gap(self) -> None:
        gap = gap_statistic(np.array([100.0, 20, 18]), np.full((5, 3), 100.0))
        assert np.allclose(gap.mean, np.log([1, 5, 100 / 18]))
        assert first_gap([1, 2, 3], Gap(np.array([0.0, 1.0, 1.05]), np.full(3, 0.1))) == 2
        assert first_gap([1, 2, 3], Gap(np.array([0.0, 1.0, 2.0]), np.full(3, 0.1))) is None
        assert bend(Gap(np.array([0.0, 1.0, 1.05]), np.full(3, 0.1))) == 2

    def test_stability(self) -> None:
        ours = Stability(np.array([1.0, 1.0, 0.5]), np.full(3, 0.02))
        assert most_stable([2, 3, 4], ours, np.array([0.2, 0.3, 0.3])) == 3
        assert most_stable([2, 3, 4], ours, np.array([0.98, 0.98, 0.45])) == 4
        low = Stability(np.array([0.5, 0.4, 0.4]), np.full(3, 0.02))
        assert most_stable([2, 3, 4], low, np.array([0.45, 0.35, 0.4])) == 1
        assert most_stable([2, 3, 4], Stability(np.full(3, 0.3), np.zeros(3)), None) == 1
        assert most_stable([2, 3], Stability(np.ones(2), np.zeros(2)), None) == 3

    @pytest.mark.parametrize(
        ("votes", "best"),
        [
            (Votes(3, 3, 2, 7), 3),
            (Votes(2, 3, 2, 3), 3),  # the gap decides
            (Votes(1, 1, 2, 2), None),
            (Votes(1, 3, 3, 3), None),
            (Votes(4, 1, 4, 4), None),  # four quarters of noise are like that
            (Votes(4, 1, 4, 2), None),
            (Votes(3, 1, 4, 4), None),
            (Votes(2, 3, 4, 5), None),
            (Votes(None, None, 2, None), None),
            (Votes(), None),
        ],
    )
    def test_suggestion(self, votes: Votes, best: int | None) -> None:
        assert suggest(votes, 9)[0] == best

    def test_clusters_that_are_found_again_overrule_the_gap(self) -> None:
        assert suggest(Votes(3, 1, 3, 3), 9, steady=0.98)[0] == 3
        assert suggest(Votes(3, 1, 3, 3), 9, steady=0.7)[0] is None


def test_a_grid_search() -> None:
    X = np.random.default_rng(0).permutation(apart(4, 0))
    search = GridSearchCV(KMedoids(), {"n_clusters": [2, 3, 4, 5]}, scoring=silhouette_scorer, cv=3)
    assert search.fit(X).best_params_ == {"n_clusters": 4}
