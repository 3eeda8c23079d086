"""Rows of bytes: distances as SciPy has them, what is taken for bytes, and the same medoids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import SmallFirst
from medoids import k_medoids
from medoids._threads import Workers
from medoids.data.kinds import DenseData
from medoids.dissimilarities.metrics import leaves, resolve
from medoids.engines.cpu import kernels
from medoids.engines.cpu.points.across import DenseSpace, describe, space_of
from medoids.engines.cpu.points.byte_rows import ByteRows, Marks, byte_rows_of
from medoids.engines.cpu.points.dense import DensePoints
from medoids.engines.cpu.points.shaped import ShapedRows

METRICS = ("euclidean", "sqeuclidean", "manhattan", "cosine", "correlation")
compared = pytest.mark.skipif(
    not (kernels.byte_lanes(True) and kernels.byte_lanes(False)),
    reason="this processor does not compare bytes",
)


def pixels(n: int = 300, width: int = 70, most: int = 255, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, most + 1, (n, width))
    X[5], X[20:23], X[31] = X[7], 0, most  # copies, rows without a direction, a constant one
    return X


def bytes_of(X: np.ndarray, metric: str = "euclidean", room: float = 1e9) -> ByteRows | None:
    _, row, _ = resolve(metric, None)
    with Workers(2) as workers:
        return byte_rows_of(ShapedRows(X, row), row, 1.0, workers, room)


@compared
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("made", ["whole", "pixels", "float32", "marks", "moved"])
def test_distances_are_those_of_the_numbers(metric: str, made: str) -> None:
    X: Any = pixels()
    X = {
        "whole": X.astype(float), "pixels": X / 255, "float32": (X / 255).astype(np.float32),
        "marks": (X % 5).astype(np.float32), "moved": np.asfortranarray(X * 10.0 + 300),
    }[made]  # fmt: skip
    if made == "moved" and metric in ("cosine", "correlation"):
        X = X - 300
    found = bytes_of(X, metric)
    assert found is not None
    # No side is a multiple of four, and one is longer than what stays in the cache.
    left, right = np.array([5, 7, 20, 31, 99]), np.random.default_rng(1).permutation(300)[:277]
    some = found.between(left, found, right).copy()
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = cdist(X[left], X[right], {"manhattan": "cityblock"}.get(metric, metric))
    if metric in ("cosine", "correlation"):  # of rows without a direction SciPy has none
        expected = cosines(X, metric == "correlation")[np.ix_(left, right)]
    np.testing.assert_allclose(some, expected, rtol=2e-6, atol=1e-7)
    np.testing.assert_array_equal(found.between(right, found, left), some.T)


def cosines(X: np.ndarray, centred: bool) -> np.ndarray:
    """Ours: a row without a direction is at 1 from all that have one, and at 0 from its like."""
    X = X.astype(float)
    X = X - X.mean(axis=1, keepdims=True) if centred else X
    length = np.linalg.norm(X, axis=1)
    alive = length > 1e-9
    units = X / np.where(alive, length, 1.0)[:, None] * alive[:, None]
    far = 1 - units @ units.T
    far[~alive] = 1 - 0.5 * alive
    far[:, ~alive] = (1 - 0.5 * alive)[:, None]
    far[np.ix_(alive, ~alive)] = far[np.ix_(~alive, alive)] = 1.0
    far[np.ix_(~alive, ~alive)] = 0.0
    return far


@compared
def test_wide_rows_do_not_overflow() -> None:
    X = np.zeros((40, 16_000))
    X[::2] = 255
    X[0, 0] = 3
    for metric in ("euclidean", "manhattan"):
        found = bytes_of(X, metric)
        assert found is not None
        every = np.arange(40)
        expected = cdist(X, X, "cityblock" if metric == "manhattan" else metric)
        np.testing.assert_allclose(found.between(every, found, every), expected, rtol=1e-6)
    assert bytes_of(np.zeros((40, 16_001))) is None


@compared
@pytest.mark.parametrize(("how", "metric"), [("absolute", "manhattan"), ("squares", "euclidean")])
def test_processors_with_shorter_vectors_find_the_same(how: str, metric: str) -> None:
    if kernels.byte_lanes(how != "absolute") < 16:
        pytest.skip("this processor has no longer ones")
    found = bytes_of(pixels().astype(float), metric)
    assert found is not None
    _, row, _ = resolve(metric, None)
    out, every = np.empty((300, 300), np.float32), np.arange(300)
    short = kernels.byte_kernel(how, leaves(row, rough=True)[1], 8)
    short(found.bytes, every, found.bytes, every, np.float32(1), 0.0, out)
    np.testing.assert_array_equal(out, found.between(every, found, every))


def test_what_is_no_multiple_of_a_mark_stays_as_it_is() -> None:
    X = pixels().astype(float)
    one_off, too_many = X.copy(), X.copy()
    one_off[3, 4] += 0.25  # a row that is not among those that are looked at first
    too_many[3, 4] = 300
    rounded = (X / 10 + 1e6).astype(np.float32)  # float32 has lost the tenths
    sparse_like, negative = np.zeros((300, 31)), X - 5
    for bad in (one_off, too_many, rounded, np.random.default_rng(0).normal(size=X.shape)):
        assert bytes_of(bad) is None
    assert bytes_of(sparse_like) is None  # too narrow
    assert bytes_of(negative, "cosine") is None  # moved, its rows would have other directions
    assert bytes_of(X, room=100) is None
    assert bytes_of(X, "chebyshev") is None


def test_another_processor_takes_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "byte_lanes", lambda products: 0)
    _, row, _ = resolve("euclidean", None)
    X = pixels(3000).astype(float)
    with Workers(1) as workers:
        points = DensePoints(X, row, 2.0, workers, 1e9)
    assert not points.in_bytes
    some = np.arange(100)
    np.testing.assert_allclose(points.block_array(some, some), cdist(X[:100], X[:100]), atol=1e-3)


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ((0, 255, 1), (0, 3, 1), (0, 255, 1)),
        ((0, 1, 1), (0, 0.8, 0.1), (0, 1, 0.1)),
        ((5, 9, 2), (1, 3, 2), (1, 9, 2)),
        ((5, 9, 2), (2, 4, 2), None),  # odd and even
        ((0, 200, 1), (201, 300, 1), None),  # too many
        ((0, 1, 0.3), (0, 1, 0.25), None),
    ],
)
def test_marks_of_several_sets(one: Any, other: Any, both: Any) -> None:
    found = Marks(*one, 0.0).joined(Marks(*other, 0.0))
    assert found == Marks(*other, 0.0).joined(Marks(*one, 0.0))
    assert (found is None) == (both is None)
    if found is not None:
        np.testing.assert_allclose(found[:3], both)


@compared
def test_sets_that_are_made_apart_are_compared_as_bytes() -> None:
    X = pixels(600).astype(np.float32) / np.float32(255)
    X[:100] = np.minimum(X[:100], np.float32(0.2))  # one set lacks most marks
    with Workers(1) as workers:
        _, row, p = resolve("euclidean", None)
        sets = [DenseData(part, "euclidean", row, p) for part in (X[:100], X[100:])]
        one, other = (describe(each, workers) for each in sets)
        whole = one.joined(other)
        assert one.marks is not None
        assert whole.marks is not None
        assert whole.joined(one._replace(marks=None)).marks is None
        space = space_of(sets[0], whole, workers, 1e9)
        assert isinstance(space, DenseSpace)
        sides = [space.side(each) for each in sets]
        space.settle(sides[1], 600)
        out = np.empty((100, 500), np.float32)
        space.rough(sides[0], np.arange(100), sides[1], np.arange(500), out)
    assert sides[0].laid.bytes is not None
    np.testing.assert_allclose(out, cdist(X[:100], X[100:]), rtol=1e-6)


@compared
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_the_same_medoids_as_of_floats(
    metric: str, small_first: SmallFirst, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_first(128)
    rng = np.random.default_rng(4)
    centres = rng.integers(0, 200, (6, 40))
    X = np.clip(centres[rng.integers(0, 6, 3000)] + rng.integers(-40, 41, (3000, 40)), 0, 255)
    kinds = {"pixels": X / 255.0, "ties": (X // 60).astype(np.float32)}
    for data in kinds.values():
        found = k_medoids(data, 6, metric=metric, random_state=0)
        with monkeypatch.context() as patch:
            patch.setattr(kernels, "byte_lanes", lambda products: 0)
            expected = k_medoids(data, 6, metric=metric, random_state=0)
        exact = k_medoids(data, 6, metric=metric, method="pam", random_state=0)
        np.testing.assert_array_equal(found.medoid_indices, expected.medoid_indices)
        np.testing.assert_array_equal(found.medoid_indices, exact.medoid_indices)
        assert found.n_distances < 3000**2


@compared
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("size", [1e-150, 1e150, 1e200])
def test_numbers_of_any_size_are_bytes(metric: str, size: float) -> None:
    # Described, rows of a partition have no unit yet.
    X = pixels().astype(float) * size
    _, row, p = resolve(metric, None)
    with Workers(1) as workers:
        marks = describe(DenseData(X, metric, row, p), workers).marks
    assert marks is not None
    np.testing.assert_allclose(marks.step, size)
