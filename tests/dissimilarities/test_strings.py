"""Edit distances of strings and sequences, against rapidfuzz."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from rapidfuzz import distance

from helpers import Floats, one_line, pam_by_force
from medoids import KMedoids, k_medoids
from medoids._threads import Workers
from medoids.data.kinds import read
from medoids.engines.cpu.points import distances_between


def distances(objects: Any, others: Any, metric: str) -> Floats:
    data = read(objects, metric, None)
    with Workers(2) as workers:
        return distances_between(data, data.like(others), workers)


def words(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices("abcd", k=rng.randint(0, 9))) for _ in range(count)]


SCORERS = {
    "levenshtein": distance.Levenshtein.distance,
    "normalized_levenshtein": distance.Levenshtein.normalized_distance,
    "damerau_levenshtein": distance.DamerauLevenshtein.distance,
    "normalized_damerau_levenshtein": distance.DamerauLevenshtein.normalized_distance,
}


@pytest.mark.parametrize("metric", SCORERS)
@pytest.mark.parametrize("kind", [str, list])
def test_strings(metric: str, kind: type) -> None:
    given = [kind(word) for word in words(60, 0)]
    matrix = np.array([[SCORERS[metric](a, b) for b in given] for a in given])
    np.testing.assert_allclose(distances(given, given, metric), matrix)
    km = KMedoids(3, metric=metric, random_state=0).fit(given)
    assert km.medoid_indices_.tolist() == pam_by_force(matrix, 3)
    np.testing.assert_array_equal(km.predict(given), km.labels_)
    new = [kind("abba"), kind("")]
    expected = [[SCORERS[metric](c, word) for c in km.cluster_centers_] for word in new]
    np.testing.assert_allclose(km.transform(new), expected)


def test_what_is_no_string_is_named() -> None:
    with pytest.raises(TypeError, match=r"X\[1\]") as caught:
        k_medoids(["a", 5], 1, metric="levenshtein")
    one_line(caught.value)
