"""Which rows a map shows, and where."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist

from helpers import mixture
from medoids import KMedoids
from medoids._silhouette import nearest_two
from medoids.plot._projection import choose, project, ranks


def ranked(km: KMedoids, X: Any) -> Any:
    first = nearest_two(km.transform(X), km.labels_).first
    return ranks(km.labels_, first, km.medoid_indices_)


def test_ranks_start_at_the_medoid() -> None:
    X = np.repeat(mixture(40, 3, 3, seed=0), 3, axis=0)  # each row three times: ties
    km = KMedoids(3, random_state=0).fit(X)
    rank = ranked(km, X)
    assert rank[km.medoid_indices_].tolist() == [0, 0, 0]
    for label in range(3):
        own = np.flatnonzero(km.labels_ == label)
        order = own[np.argsort(rank[own])]
        assert sorted(rank[own]) == list(range(len(own)))
        assert (np.diff(km.transform(X)[order, label]) >= 0).all()


def test_choose_takes_by_size_and_evenly_by_rank() -> None:
    labels = np.repeat([0, 1, 2], [9000, 900, 3]).astype(np.int32)
    rank = np.concatenate([np.arange(9000), np.arange(900), np.arange(3)])
    medoids = np.array([0, 9000, 9900])
    chosen = choose(labels, rank, medoids, 500)
    counts = np.bincount(labels[chosen])
    assert len(chosen) <= 500
    assert counts[2] == 3, "a small cluster is whole"
    assert counts[0] > 4 * counts[1] > 0
    gaps = np.diff(rank[chosen[labels[chosen] == 0]])
    assert gaps.max() - gaps.min() <= 1
    assert {0, 8999} <= set(chosen.tolist()), "the most typical and the least"
    assert choose(labels, rank, medoids, 10_000).tolist() == list(range(9903))
    assert set(medoids) <= set(choose(labels, rank, medoids, 1).tolist())


def test_distances_in_the_plane_are_kept() -> None:
    points = np.random.default_rng(0).normal(size=(200, 2)) * [5, 1]
    matrix = cdist(points, points)
    km = KMedoids(4, metric="precomputed", random_state=0).fit(matrix)
    found = project(km, matrix, np.arange(200))
    np.testing.assert_allclose(pdist(found.points), pdist(points), rtol=1e-5, atol=1e-5)
    assert not found.partial, "two dimensions hold all of it"
    assert "multidimensional scaling" in found.how


def test_two_columns_are_the_plane() -> None:
    X = mixture(50, 2, 2, seed=0)
    found = project(KMedoids(2, random_state=0).fit(X), X, np.array([3, 1]))
    np.testing.assert_array_equal(found.points, X[[3, 1]])
    assert found.axes == ("column 0", "column 1")
    assert (found.ratio, found.partial) == (1.0, False)
    frame = pd.DataFrame(X, columns=["size", "age"])
    for metric in ("canberra", "gower", lambda a, b: float(np.abs(a - b).sum())):
        km = KMedoids(2, metric=metric, random_state=0).fit(frame)
        found = project(km, frame, np.array([3, 1]))
        np.testing.assert_array_equal(found.points, X[[3, 1]])
        assert found.axes == ("size", "age")
        assert found.ratio is None, "their units need not be the same"


def test_a_sphere_is_drawn_as_on_a_map() -> None:
    places = np.array([[46.9, 7.4], [47.4, 8.5], [46.2, 6.1], [60.2, 24.9], [59.3, 18.1]])
    km = KMedoids(2, metric="haversine", random_state=0).fit(np.radians(places))
    found = project(km, np.radians(places), np.arange(5))
    np.testing.assert_allclose(found.points, places[:, ::-1])
    assert found.axes == ("longitude", "latitude")
    assert found.ratio == pytest.approx(1 / np.cos(np.radians(47.4)))
    assert not found.partial


def test_components_say_how_much_they_hold() -> None:
    rng = np.random.default_rng(0)
    plane = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 6))
    whole = project(KMedoids(2, random_state=0).fit(plane), plane, np.arange(300))
    assert (whole.partial, whole.axes) == (False, None)
    assert "all of the variance" in whole.how
    X = rng.normal(size=(3000, 8))
    part = project(KMedoids(2, random_state=0).fit(X), X, np.arange(3000))
    assert part.partial
    assert re.search(r"with 2\d% of the variance", part.how)


def test_coordinates_of_the_users_own() -> None:
    X = mixture(50, 6, 2, seed=0)
    km = KMedoids(2, random_state=0).fit(X)
    own = np.random.default_rng(0).normal(size=(50, 2))
    found = project(km, X, np.array([7, 2]), coordinates=own)
    np.testing.assert_array_equal(found.points, own[[7, 2]])
    assert (found.axes, found.ratio) == (None, None)
    frame = pd.DataFrame(own, columns=["UMAP1", "UMAP2"])
    assert project(km, X, np.array([7]), coordinates=frame).axes == ("UMAP1", "UMAP2")
    for wrong, says in (
        (own[:9], r"shape \(9, 2\).*for each of the 50"),
        (np.ones((50, 3)), r"shape \(50, 3\)"),
        (np.full((50, 2), "a"), "give two numbers"),
        (np.where(np.arange(100).reshape(50, 2) == 6, np.nan, 1.0), "no place for row 3"),
    ):
        with pytest.raises(ValueError, match=says):
            project(km, X, np.array([0]), coordinates=wrong)


def test_columns_that_were_scaled_are_shown_as_they_were() -> None:
    X = mixture(50, 2, 2, seed=0)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    km = KMedoids(2, random_state=0).fit(scaled)
    frame = pd.DataFrame(X, columns=["size", "age"])
    found = project(km, scaled, np.arange(50), values=frame)
    np.testing.assert_array_equal(found.points, X)
    assert (found.axes, found.ratio) == (("size", "age"), None)


def test_sparse_rows_fall_where_dense_ones_do() -> None:
    X = np.maximum(mixture(300, 12, 3, seed=1), 0)
    rows = np.arange(0, 300, 2)
    dense = project(KMedoids(3, random_state=0).fit(X), X, rows).points
    csr = sparse.csr_array(X)
    thin = project(KMedoids(3, random_state=0).fit(csr), csr, rows).points
    np.testing.assert_allclose(pdist(thin), pdist(dense), rtol=1e-3, atol=1e-3)


def made() -> list[tuple[str, Any, dict[str, Any]]]:
    X = mixture(80, 5, 3, seed=2)
    words = ["spam", "ham", "eggs", "egg", "bacon", "beacon", "sausage", "usage"]
    trees = [("a", [("b", [])] * (1 + at % 5)) for at in range(20)]
    return [
        ("one column", X[:, :1], {}),
        ("one column, sparse", sparse.csr_array(X[:, :1]), {}),
        ("two columns, sparse", sparse.csr_array(X[:, :2]), {"metric": "cosine"}),
        (
            "gower, with a hole",
            pd.DataFrame({"a": [1.0, 2.0, np.nan, 9.0], "b": range(4)}),
            {"metric": "gower"},
        ),
        ("cosine", X, {"metric": "cosine"}),
        ("function", X, {"metric": lambda a, b: float(np.abs(a - b).max())}),
        ("strings", words, {"metric": "levenshtein"}),
        ("trees", trees, {"metric": "tree_edit"}),
        ("negative", cdist(X, X) - 1, {"metric": "precomputed"}),
        ("constant", np.ones((6, 4)), {}),
        ("constant, sparse", sparse.csr_array(np.ones((6, 4))), {}),
        ("constant rows", np.tile([3.0, 0.0, 1.0, 2.0], (6, 1)), {}),
        ("constant rows, sparse", sparse.csr_matrix(np.tile([3.0, 0.0, 1.0], (6, 1))), {}),
        ("constant distances", np.zeros((6, 6)), {"metric": "precomputed"}),
        ("two rows", X[:2], {}),
    ]


@pytest.mark.filterwarnings("error", "ignore:Only")
@pytest.mark.parametrize(("name", "X", "options"), made(), ids=[case[0] for case in made()])
def test_any_data_has_a_place(name: str, X: Any, options: dict[str, Any]) -> None:
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    km = KMedoids(2, random_state=0, **options).fit(X)
    found = project(km, X, np.arange(n)).points
    assert found.shape == (n, 2)
    assert np.isfinite(found).all()
    assert (found.std(axis=0)[0] > 0) == ("constant" not in name)
    np.testing.assert_array_equal(found, project(km, X, np.arange(n)).points)


def test_clusters_of_strings_are_apart() -> None:
    words = [a + b for a in ("aaaaaaaa", "zzzzzzzz") for b in ("q", "w", "e", "r", "t", "y")]
    km = KMedoids(2, metric="levenshtein", random_state=0).fit(words)
    x = project(km, words, np.arange(12)).points[:, 0]
    assert (np.sign(x[:6] - x.mean()) == -np.sign(x[6:] - x.mean())).all()
