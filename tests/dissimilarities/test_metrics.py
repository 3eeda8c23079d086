"""Every metric of the table, exact and in blocks, against SciPy and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import haversine_distances

from helpers import Floats, dense
from medoids.data.checks import as_floats
from medoids.dissimilarities.metrics import METRICS, SYNONYMS, resolve

# Our name, SciPy's, and parameters.
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("euclidean", "euclidean", {}),
    ("l2", "euclidean", {}),
    ("sqeuclidean", "sqeuclidean", {}),
    ("cosine", "cosine", {}),
    ("correlation", "correlation", {}),
    ("manhattan", "cityblock", {}),
    ("l1", "cityblock", {}),
    ("cityblock", "cityblock", {}),
    ("chebyshev", "chebyshev", {}),
    ("infinity", "chebyshev", {}),
    ("minkowski", "minkowski", {"p": 1}),
    ("minkowski", "minkowski", {"p": 1.5}),
    ("minkowski", "minkowski", {"p": 2}),
    ("minkowski", "minkowski", {"p": 3}),
    ("p", "minkowski", {"p": 3}),
    ("canberra", "canberra", {}),
    ("braycurtis", "braycurtis", {}),
    ("hamming", "hamming", {}),
    ("matching", "hamming", {}),
    ("jaccard", "jaccard", {}),
    ("haversine", "haversine", {}),
]
NAMES = [f"{name}-{params.get('p', '')}".rstrip("-") for name, _, params in CASES]
LENGTHS = ["euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski"]


def sample(metric: str, n: int, d: int, seed: int = 0) -> Floats:
    """Rows that suit the metric."""
    rng = np.random.default_rng(seed)
    if metric in ("hamming", "matching"):
        return rng.integers(0, 3, size=(n, d)).astype(float)
    if metric == "jaccard":
        return rng.integers(0, 2, size=(n, d)).astype(float)
    if metric == "haversine":
        return np.stack([rng.uniform(-1.5, 1.5, n), rng.uniform(-3.1, 3.1, n)], axis=1)
    if metric == "braycurtis":
        return rng.gamma(2.0, size=(n, d))
    return rng.normal(size=(n, d))


def reference(X: Floats, scipy_name: str, params: dict[str, Any]) -> Floats:
    X = X.astype(np.float64)
    if scipy_name == "haversine":
        return haversine_distances(X)
    if scipy_name == "jaccard":
        X = X.astype(bool)
    return cdist(X, X, scipy_name, **params)


def test_the_table_is_covered() -> None:
    assert {name for name, _, _ in CASES} == set(METRICS) | set(SYNONYMS)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 2, 3, 7, 64, 65])
@pytest.mark.parametrize(("name", "scipy_name", "params"), CASES, ids=NAMES)
def test_distances_are_scipys(
    name: str, scipy_name: str, params: dict[str, Any], d: int, dtype: type
) -> None:
    if (name == "haversine" and d != 2) or (name == "correlation" and d < 3):
        pytest.skip("undefined in this dimension")
    X = sample(name, 70, d).astype(dtype)
    points = dense(X, name, **params)
    truth = reference(X, scipy_name, params)
    every = np.arange(70)
    exact = points.exact(every)
    assert exact.dtype == np.float64
    np.testing.assert_allclose(exact, truth, rtol=1e-9, atol=1e-9)
    block = points.block_array(every, every)
    assert block.dtype == np.float32
    np.testing.assert_allclose(block, truth, rtol=2e-4, atol=2e-6 * truth.max())


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64, np.bool_])
@pytest.mark.parametrize(("name", "scipy_name", "params"), CASES, ids=NAMES)
def test_integers_and_booleans(
    name: str, scipy_name: str, params: dict[str, Any], dtype: type
) -> None:
    rng = np.random.default_rng(1)
    d = 2 if name == "haversine" else 9
    top = 2 if dtype is np.bool_ or name in ("jaccard", "haversine") else 120
    X = rng.integers(0, top, size=(60, d)).astype(dtype)
    if d > 2:  # neither zero nor constant rows, for which SciPy has no cosine
        X[:, 0], X[:, 1] = 1, 0
    points = dense(as_floats(X), name, **params)
    truth = reference(X.astype(float), scipy_name, params)
    every = np.arange(60)
    np.testing.assert_allclose(points.exact(every), truth, rtol=1e-9, atol=1e-9)
    block = points.block_array(every, every)
    # An angle of pi is ill-conditioned in the chord.
    rtol = 1e-3 if name == "haversine" else 2e-4
    np.testing.assert_allclose(block, truth, rtol=rtol, atol=2e-6 * truth.max())


@pytest.mark.parametrize("order", ["C", "transposed", "inside a wider one"])
@pytest.mark.parametrize("indices", ["scattered", "consecutive"])
@pytest.mark.parametrize(
    ("rows", "columns"), [(1, 150), (150, 1), (5, 120), (120, 5), (47, 49), (49, 48), (60, 90)]
)
@pytest.mark.parametrize("name", ["euclidean", "cosine", "manhattan", "haversine"])
def test_blocks_of_any_shape_and_order(
    name: str, rows: int, columns: int, indices: str, order: str
) -> None:
    X = sample(name, 150, 2 if name == "haversine" else 5)
    if name == "cosine":
        X[[3, 40, 149]] = 0
    rng = np.random.default_rng(0)
    if indices == "scattered":
        arms, refs = rng.permutation(150)[:rows], rng.permutation(150)[:columns]
    else:
        arms, refs = np.arange(150 - rows, 150), np.arange(columns)
    if order == "C":
        out = np.full((rows, columns), np.nan, dtype=np.float32)
    elif order == "transposed":
        out = np.full((columns, rows), np.nan, dtype=np.float32).T
    else:
        out = np.full((rows + 2, columns + 16), np.nan, dtype=np.float32)[1:-1, :columns]
    points = dense(X, name)
    points.block(arms, refs, out)
    truth = points.exact(arms)[:, refs]
    np.testing.assert_allclose(out, truth, rtol=1e-3, atol=2e-6 * truth.max())


@pytest.mark.parametrize("copy_limit", [0, 1e9])
@pytest.mark.parametrize("name", ["sqeuclidean", "correlation", "chebyshev"])
def test_blocks_longer_than_a_panel(name: str, copy_limit: float) -> None:
    X = sample(name, 2600, 4)
    points = dense(X, name, copy_limit=copy_limit)
    refs = np.random.default_rng(0).permutation(2600)[:1100]
    out = np.full((1100, 2600), np.nan, dtype=np.float32)
    points.block(np.arange(2600), refs, out.T)
    truth = points.exact(refs)
    np.testing.assert_allclose(out, truth, rtol=1e-3, atol=2e-6 * truth.max())


@pytest.mark.parametrize("n", [60, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_without_direction_under_cosine(dtype: type, n: int) -> None:
    X = sample("cosine", n, 6).astype(dtype)
    X[[0, 2]] = 0
    zero = np.isin(np.arange(n), [0, 2])
    points = dense(X, "cosine")
    for found in (points.exact(np.arange(n)), points.block_array(np.arange(n), np.arange(n))):
        np.testing.assert_allclose(found[np.ix_(zero, ~zero)], 1.0, atol=1e-6)
        np.testing.assert_allclose(found[np.ix_(~zero, zero)], 1.0, atol=1e-6)
        assert (found[np.ix_(zero, zero)] == 0).all()


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e6 + 0.1])
@pytest.mark.parametrize("d", [1, 3, 50])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_constant_rows_under_correlation(dtype: type, d: int, constant: float) -> None:
    X = sample("correlation", 60, d).astype(dtype)
    X[[0, 2]] = constant
    flat = np.isin(np.arange(60), [0, 2]) | (d == 1)
    points = dense(X, "correlation")
    every = np.arange(60)
    for found in (points.exact(every), points.block_array(every, every)):
        assert (found[np.ix_(flat, flat)] == 0).all()
        np.testing.assert_allclose(found[np.ix_(flat, ~flat)], 1.0, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", LENGTHS)
def test_blocks_far_from_the_origin(name: str, dtype: type) -> None:
    X = (sample(name, 120, 8) + 1e6).astype(dtype)
    check_relative_error(X, name, 1e-3)


@pytest.mark.parametrize("name", ["canberra", "braycurtis", "cosine", "correlation"])
def test_blocks_far_from_the_origin_where_the_origin_matters(name: str) -> None:
    X = np.random.default_rng(0).normal(size=(120, 8)) + 1e4
    check_relative_error(X, name, 1e-2)


def test_blocks_tell_large_codes_apart() -> None:
    X = 2.0**24 + np.random.default_rng(0).integers(0, 3, size=(120, 8)).astype(float)
    check_relative_error(X, "hamming", 1e-4)


def test_blocks_of_places_in_one_town() -> None:
    metres = 1 / 6.4e6
    places = np.random.default_rng(0).normal((0.9, 0.2), 3000 * metres, size=(120, 2))
    check_relative_error(places, "haversine", 1e-2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*LENGTHS, "cosine", "correlation"])
def test_blocks_of_near_duplicates(name: str, dtype: type) -> None:
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(60, 16)), 2, axis=0)
    X[1::2] += 1e-3 * rng.normal(size=(60, 16))
    check_relative_error(X.astype(dtype), name, 2e-3)


@pytest.mark.parametrize("scale", [1e-20, 1e-10, 1e10, 1e15])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*LENGTHS, "cosine", "correlation", "canberra", "braycurtis"])
def test_blocks_at_any_scale(name: str, dtype: type, scale: float) -> None:
    # A block is float32: squares of 1e-20 are below it, those of 1e20 above.
    if name == "sqeuclidean" and scale == 1e-20:
        scale = 1e-17
    X = (sample(name, 120, 8) * scale).astype(dtype)
    tolerance = 1e-3 if name != "canberra" else 1e-2
    check_relative_error(X, name, tolerance)


def check_relative_error(X: Floats, name: str, tolerance: float) -> None:
    """Blocks, thin and thick, against exact distances between different rows."""
    points = dense(X, name, **({"p": 3} if name == "minkowski" else {}))
    every = np.arange(len(X))
    truth = points.exact(every)
    apart = (truth > 0) & ~np.eye(len(X), dtype=bool)
    assert apart.mean() > 0.5
    for rows in (every, every[:20]):
        block = points.block_array(rows, every)
        error = np.abs(block - truth[rows])[apart[rows]] / truth[rows][apart[rows]]
        assert error.max() < tolerance


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "scipy_name", "params"), CASES, ids=NAMES)
def test_a_point_is_at_no_distance_from_itself(
    name: str, scipy_name: str, params: dict[str, Any], dtype: type
) -> None:
    d = 2 if name == "haversine" else 33
    X = sample(name, 120, d).astype(dtype)
    points = dense(X, name, **params)
    every = np.arange(120)
    exact = points.exact(every)
    assert (np.diag(exact) == 0).all()
    for rows in (every, every[:20]):
        block = points.block_array(rows, every)
        assert np.abs(block[np.arange(len(rows)), rows]).max() <= 1e-6 * exact.max()


def test_symmetric_to_the_last_bit() -> None:
    X = sample("euclidean", 90, 17)
    for name in ("euclidean", "cosine", "manhattan"):
        exact = dense(X, name).exact(np.arange(90))
        assert (exact == exact.T).all()


def test_an_exact_distance_does_not_depend_on_its_company() -> None:
    points = dense(sample("euclidean", 90, 17), "euclidean")
    together = points.exact(np.arange(90))
    for arm in (0, 44, 89):
        assert (points.exact(np.array([arm]))[0] == together[arm]).all()


def test_overflow_is_an_error() -> None:
    X = np.array([[0.0], [1e300], [-1e300]])
    with pytest.raises(ValueError, match="scale it down"):
        dense(X, "sqeuclidean")


@pytest.mark.parametrize("p", [-1, 0, np.inf, np.nan, "2", True])
def test_exponents_that_make_no_sense(p: object) -> None:
    with pytest.raises(ValueError, match=r"metric_params\['p'\]"):
        resolve("minkowski", {"p": p})
