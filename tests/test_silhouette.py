"""The medoid silhouette, and the two nearest medoids of each row."""

from __future__ import annotations

import kmedoids
import numpy as np
import pytest

from helpers import mixture, one_line
from medoids import KMedoids
from medoids._silhouette import medoid_silhouette, nearest_two


def test_silhouette_is_that_of_another_package() -> None:
    X = mixture(300, 4, 5, seed=0)
    km = KMedoids(5, random_state=0).fit(X)
    matrix = np.sqrt(np.square(X[:, None] - X[None]).sum(axis=2))
    theirs, _ = kmedoids.medoid_silhouette(matrix, km.medoid_indices_.astype(np.uint64), False)
    assert medoid_silhouette(km.transform(X)).mean() == pytest.approx(theirs, abs=1e-4)


def test_silhouette_halfway_and_of_coinciding_medoids() -> None:
    assert medoid_silhouette([[2.0, 2.0], [0.0, 0.0]]).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("distances", "says"),
    [([[1.0], [2.0]], "at least two"), ([[-1.0, 2.0]], "negative"), ([1.0, 2.0], "shape (2,)")],
)
def test_silhouette_refuses(distances: list[object], says: str) -> None:
    with pytest.raises(ValueError, match="distances") as caught:
        medoid_silhouette(distances)
    assert says in one_line(caught.value)


def test_nearest_two_by_force() -> None:
    rng = np.random.default_rng(0)
    distances = rng.uniform(size=(50, 4))
    labels = distances.argmin(axis=1).astype(np.int32)
    near = nearest_two(distances, labels)
    order = np.argsort(distances, axis=1)
    np.testing.assert_array_equal(near.second, order[:, 1])
    np.testing.assert_array_equal(near.first, np.sort(distances, axis=1)[:, 0])
    np.testing.assert_array_equal(near.second_distance, np.sort(distances, axis=1)[:, 1])


def test_one_medoid_has_no_second() -> None:
    near = nearest_two(np.ones((3, 1)), np.zeros(3, dtype=np.int32))
    assert near.second.tolist() == [-1, -1, -1]
    assert np.isinf(near.second_distance).all()
