"""Elastic dissimilarities of series, against their definitions and, if it is there, aeon."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from elastic_by_force import BY_FORCE
from helpers import Floats, one_line, pam_by_force
from medoids import KMedoids, k_medoids
from medoids._threads import Workers
from medoids.data.kinds import read
from medoids.dissimilarities.series import pack_series
from medoids.engines.cpu.points import distances_between, points_of

PARAMS: list[tuple[str, dict[str, Any]]] = [
    ("dtw", {}),
    ("wdtw", {}),
    ("wdtw", {"g": 0.4}),
    ("erp", {}),
    ("erp", {"g": -0.7}),
    ("lcss", {}),
    ("lcss", {"epsilon": 0.3}),
    ("twe", {}),
    ("twe", {"nu": 0.2, "lmbda": 0.5}),
    ("msm", {}),
    ("msm", {"c": 0.1}),
    ("msm", {"c": 0.1, "independent": False}),
]


def walks(n: int, channels: int, seed: int = 0, most: int = 14) -> list[Floats]:
    """Of different lengths, 1 among them; a row for each time."""
    rng = np.random.default_rng(seed)
    shape = (channels,) if channels else ()
    return [rng.normal(size=(rng.integers(1, most), *shape)).cumsum(axis=0) for _ in range(n)]


def distances(objects: Any, others: Any, metric: str = "dtw", **params: Any) -> Floats:
    data = read(objects, metric, params or None)
    with Workers(2) as workers:
        return distances_between(data, data.like(others), workers)


def by_force(left: Any, right: Any, metric: str, **params: Any) -> Floats:
    return np.array([[BY_FORCE[metric](a, b, **params) for b in right] for a in left])


@pytest.mark.parametrize("window", [None, 0, 2])
@pytest.mark.parametrize("channels", [0, 3])
@pytest.mark.parametrize(("metric", "params"), PARAMS)
def test_series(metric: str, params: dict[str, Any], channels: int, window: int | None) -> None:
    """Of unequal lengths, more and fewer than there are lanes, on either side."""
    left, right = walks(3, channels), walks(21, channels, 1)
    truth = by_force(left, right, metric, window=window, **params)
    found = distances(left, right, metric, window=window, **params)
    np.testing.assert_allclose(found, truth, rtol=1e-12, atol=1e-12)
    turned = distances(right, left, metric, window=window, **params).T
    np.testing.assert_array_equal(turned, found)


@pytest.mark.parametrize("metric", BY_FORCE)
def test_a_fit(metric: str) -> None:
    given = walks(30, 0, 2)
    km = KMedoids(3, metric=metric).fit(given)
    assert km.medoid_indices_.tolist() == pam_by_force(by_force(given, given, metric), 3)
    np.testing.assert_array_equal(km.predict(given), km.labels_)
    own = distances(given, given, metric).diagonal()
    np.testing.assert_array_equal(own, 0)


@pytest.mark.parametrize("metric", BY_FORCE)
def test_the_same_as_aeon(metric: str) -> None:
    """On 1,024 pairs each of one and of two channels, of equal and of unequal lengths."""
    aeon = pytest.importorskip("aeon.distances")
    if metric == "dtw":
        pytest.skip("aeon sums squares")
    theirs = getattr(aeon, f"{metric}_distance")
    for channels in (1, 2):
        for most in (0, 40):
            rng = np.random.default_rng(channels)
            lengths = rng.integers(1, 40, size=64) if most else np.full(64, 25)
            given = [rng.normal(size=(channels, m)).cumsum(axis=1) for m in lengths]
            truth = np.array([[theirs(a, b) for b in given[32:]] for a in given[:32]])
            found = distances(given[:32], given[32:], metric, channels="first")
            np.testing.assert_allclose(found, truth, rtol=1e-9, atol=1e-12)


def test_arrays_of_series_channels_and_times() -> None:
    """As aeon and sktime pass them; medoids come back alike, and a pickle knows the axes."""
    X = np.random.default_rng(1).normal(size=(30, 2, 8)).cumsum(axis=2)
    km = KMedoids(3, metric="msm").fit(X)
    assert km.cluster_centers_.shape == (3, 2, 8)
    np.testing.assert_array_equal(km.cluster_centers_, X[km.medoid_indices_])
    truth = by_force(list(X.transpose(0, 2, 1)), list(X.transpose(0, 2, 1)), "msm")
    assert km.medoid_indices_.tolist() == pam_by_force(truth, 3)
    for each in (km, pickle.loads(pickle.dumps(km))):
        expected = truth[:, km.medoid_indices_]
        np.testing.assert_allclose(each.transform(X), expected, rtol=1e-12)
        np.testing.assert_allclose(each.transform(list(X)), expected, rtol=1e-12)
    last = KMedoids(3, metric="msm", metric_params={"channels": "last"}).fit(X.transpose(0, 2, 1))
    first = KMedoids(3, metric="msm", metric_params={"channels": "first"}).fit(list(X))
    for each in (last, first):
        np.testing.assert_array_equal(each.medoid_indices_, km.medoid_indices_)


def test_series_of_one_length_as_rows() -> None:
    X = np.random.default_rng(1).normal(size=(30, 8))
    km = KMedoids(2, metric="dtw").fit(X)
    assert km.medoid_indices_.tolist() == pam_by_force(distances(list(X), list(X)), 2)
    np.testing.assert_array_equal(
        KMedoids(2, metric="dtw").fit(X[:, None, :]).medoid_indices_, km.medoid_indices_
    )


def test_longer_series_cost_more() -> None:
    with Workers(1) as workers:
        costs = [
            points_of(read(np.zeros((4, 1, times)), "dtw", params), workers, 1e9).cost
            for times, params in [(10, None), (100, None), (100, {"window": 2})]
        ]
    assert costs[0] < costs[2] < costs[1]


@pytest.mark.parametrize(
    "bad",
    [
        [[1.0], ["a"]],
        [[1.0], []],
        [[1.0], [np.nan]],
        [[1.0], [[1.0, 2.0]]],
        [[1.0], 5.0],
        np.full((2, 1, 3), np.nan),
        np.zeros((2, 0, 3)),
        np.full((2, 1, 3), "a"),
    ],
)
def test_what_is_no_series(bad: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        k_medoids(bad, 1, metric="twe")
    one_line(caught.value)


def test_channels_on_the_wrong_axis() -> None:
    """Series of two channels and of different lengths, channels first."""
    given = [np.zeros((2, 5)), np.zeros((2, 7))]
    with pytest.raises(ValueError, match="'channels': 'first'") as caught:
        k_medoids(given, 1, metric="dtw")
    one_line(caught.value)
    km = KMedoids(1, metric="dtw").fit(np.zeros((3, 2, 5)))
    with pytest.raises(ValueError, match="3 channels, but the fit had 2"):
        km.predict(np.zeros((3, 3, 5)))


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("dtw", {"window": -1}),
        ("dtw", {"window": 1.5}),
        ("msm", {"window": "2"}),
        ("msm", {"c": -1}),
        ("msm", {"independent": 2}),
        ("twe", {"nu": None}),
        ("twe", {"lmbda": np.inf}),
        ("erp", {"g": np.nan}),
        ("lcss", {"epsilon": -0.1}),
        ("wdtw", {"channels": "middle"}),
        ("wdtw", {"c": 1}),
    ],
)
def test_parameters_that_make_no_sense(metric: str, params: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError), match="metric_params") as caught:
        k_medoids([[1.0], [2.0]], 1, metric=metric, metric_params=params)
    one_line(caught.value)


def test_channels_first_are_laid_out_as_channels_last() -> None:
    """Kernels are compiled for each layout."""
    packed = pack_series([walk.T for walk in walks(4, 3)], first=True)
    assert packed.values.flags.c_contiguous
    np.testing.assert_array_equal(packed.values, pack_series(walks(4, 3), first=False).values)
