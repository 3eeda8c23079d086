"""Bad input is refused in one line that names the argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from helpers import one_line
from medoids import KMedoids, k_medoids, medoid
from medoids._checks import memory
from medoids.data.checks import as_floats, as_sparse

X = np.random.default_rng(0).normal(size=(20, 3))
SQUARE = np.abs(X @ X.T)


def changed(array: np.ndarray, value: float) -> np.ndarray:
    array = array.copy()
    array[7, 2] = value
    return array


FITS: dict[str, Callable[[Any, dict[str, Any]], object]] = {
    "function": lambda data, arguments: k_medoids(data, **arguments),
    "estimator": lambda data, arguments: KMedoids(**arguments).fit(data),
}
# What is given, arguments, and what the message must name.
DATA: list[tuple[str, Any, dict[str, Any], str]] = [
    ("nan", changed(X, np.nan), {}, "X contains NaN at row 7, column 2"),
    ("infinity", changed(X, np.inf), {}, "X contains infinity at row 7, column 2"),
    ("minus infinity", changed(X, -np.inf), {}, "X contains infinity at row 7, column 2"),
    ("float32 nan", changed(X.astype("f4"), np.nan), {}, "X contains NaN at row 7"),
    (
        "nan in a matrix",
        changed(SQUARE, np.nan),
        {"metric": "precomputed"},
        "X contains NaN at row 7",
    ),
    ("inf in a matrix", changed(SQUARE, np.inf), {"metric": "precomputed"}, "X contains infinity"),
    ("not square", X, {"metric": "precomputed"}, r"X has shape \(20, 3\)"),
    ("no rows", np.empty((0, 3)), {}, r"0 sample.*shape=\(0, 3\)"),
    ("no columns", np.empty((5, 0)), {}, r"0 feature.*shape=\(5, 0\)"),
    ("three dimensions", np.zeros((4, 3, 2)), {}, "dim 3"),
    ("ragged", [[1.0, 2.0], [3.0], [4.0, 5.0]], {}, "X is ragged"),
    ("text", [["a", "b"], ["c", "d"], ["e", "f"]], {}, "arrays of bytes/strings"),
    (
        "sparse matrix",
        scipy.sparse.csr_matrix(X),
        {"metric": "precomputed"},
        "Sparse data was passed for X",
    ),
    ("haversine in 3d", X, {"metric": "haversine"}, "X has 3 columns.*haversine"),
]
ARGUMENTS: list[tuple[str, dict[str, Any], str]] = [
    ("no clusters", {"n_clusters": 0}, "n_clusters=0"),
    ("negative clusters", {"n_clusters": -3}, "n_clusters=-3"),
    ("too many clusters", {"n_clusters": 21}, "n_clusters=21.*n_samples=20"),
    ("float clusters", {"n_clusters": 3.0}, r"n_clusters must be .* got 3\.0"),
    ("bool clusters", {"n_clusters": True}, "n_clusters must be .* got True"),
    ("text clusters", {"n_clusters": "3"}, "n_clusters must be .* got '3'"),
    ("none clusters", {"n_clusters": None}, "n_clusters must be .* got None"),
    ("unknown metric", {"metric": "euclid"}, "metric='euclid' is unknown"),
    ("metric is no name", {"metric": 3}, "metric must be .* got int"),
    ("unknown method", {"method": "kmeans"}, "method='kmeans'"),
    ("method is no name", {"method": ["pam"]}, r"method=\['pam'\]"),
    ("unknown init", {"init": "k-means++"}, r"init='k-means\+\+' is unknown"),
    ("init twice", {"init": [1, 2, 1]}, "init has row 1 twice"),
    ("init beyond", {"init": [1, 2, 20]}, "init has row 20"),
    ("init below", {"init": [1, 2, -1]}, "init has row -1"),
    ("init too short", {"init": [1, 2]}, "init has 2 .*n_clusters=3"),
    ("init too long", {"init": [1, 2, 3, 4]}, "init has 4 .*n_clusters=3"),
    ("init of floats", {"init": [1.0, 2.0, 3.0]}, "init must be .* got .*float64"),
    ("init of booleans", {"init": [True, False, True]}, "init must be .* got .*bool"),
    ("init of too many centres", {"init": X[:9]}, "init has 9 centres for n_clusters="),
    ("init of other columns", {"init": np.ones((3, 2))}, "centres of 2 features"),
    ("no start", {"n_init": 0}, "n_init=0"),
    ("half a start", {"n_init": 1.5}, r"n_init must be .* got 1\.5"),
    ("a start by name", {"n_init": "many"}, "n_init='many'"),
    ("fixed out of range", {"fixed": [0, 20]}, "fixed has row 20, out of range"),
    ("fixed twice", {"fixed": [4, 4]}, "fixed has row 4 twice"),
    ("fixed too many", {"fixed": [1, 2, 3, 4]}, "fixed has 4 rows, more than n_clusters=3"),
    ("fixed text", {"fixed": "all"}, "fixed must be row indices or a mask"),
    ("fixed mask too short", {"fixed": [True, False]}, "fixed is a mask of 2 for 20 rows"),
    ("few candidates", {"candidates": [1, 2]}, "candidates has 2 rows .* n_clusters=3"),
    ("candidates of floats", {"candidates": [1.0, 2.0, 3.0]}, "candidates must be row indices"),
    ("fixed and alternate", {"fixed": [1], "method": "alternate"}, "method='alternate' knows no"),
    ("init lacks fixed", {"fixed": [9], "init": [1, 2, 3]}, "init lacks row 9"),
    ("init no candidate", {"candidates": [1, 2, 4], "init": [1, 2, 3]}, "no candidate"),
    ("init is none", {"init": None}, "init must be .* got NoneType"),
    ("delta zero", {"delta": 0}, "delta=0"),
    ("delta one", {"delta": 1.0}, r"delta=1\.0"),
    ("delta negative", {"delta": -0.1}, r"delta=-0\.1"),
    ("delta nan", {"delta": np.nan}, "delta=nan"),
    ("delta text", {"delta": "small"}, "delta must be .* got 'small'"),
    ("delta bool", {"delta": True}, "delta must be .* got True"),
    ("memory text", {"memory_limit": "much"}, "memory_limit='much'"),
    ("memory unit", {"memory_limit": "3 parsecs"}, "memory_limit='3 parsecs'"),
    ("memory dots", {"memory_limit": "1.2.3GB"}, r"memory_limit='1\.2\.3GB'"),
    ("memory dot", {"memory_limit": ".MB"}, r"memory_limit='\.MB'"),
    ("memory too small", {"memory_limit": 1000}, "memory_limit=1000 is too small"),
    ("memory zero", {"memory_limit": 0}, "memory_limit=0 is too small"),
    ("memory negative", {"memory_limit": -1e9}, "memory_limit=-1"),
    ("memory nan", {"memory_limit": np.nan}, "memory_limit=nan"),
    ("memory list", {"memory_limit": [1]}, r"memory_limit must be .* got \[1\]"),
    ("memory bool", {"memory_limit": True}, "memory_limit must be .* got True"),
    ("no jobs", {"n_jobs": 0}, "n_jobs=0"),
    ("half a job", {"n_jobs": 1.5}, r"n_jobs must be .* got 1\.5"),
    ("text jobs", {"n_jobs": "all"}, "n_jobs must be .* got 'all'"),
    ("negative swaps", {"max_iter": -1}, "max_iter=-1"),
    ("float swaps", {"max_iter": 10.0}, r"max_iter must be .* got 10\.0"),
    ("verbose text", {"verbose": "yes"}, "verbose must be .* got 'yes'"),
    ("unknown parameter", {"metric_params": {"w": 1}}, r"metric_params.*\['w'\]"),
    ("p for euclidean", {"metric_params": {"p": 3}}, r"metric_params.*\['p'\]"),
    ("p negative", {"metric": "minkowski", "metric_params": {"p": -1}}, r"metric_params\['p'\]"),
    ("p text", {"metric": "minkowski", "metric_params": {"p": "3"}}, r"metric_params\['p'\]"),
    ("parameters are a list", {"metric_params": [3]}, "metric_params must be .* got list"),
    ("random state", {"random_state": "lucky"}, "random_state='lucky' is no seed"),
]


@pytest.mark.parametrize("through", FITS)
@pytest.mark.parametrize(
    ("data", "arguments", "names"), [row[1:] for row in DATA], ids=[row[0] for row in DATA]
)
@pytest.mark.filterwarnings("ignore")
def test_bad_data(data: Any, arguments: dict[str, Any], names: str, through: str) -> None:
    with pytest.raises((ValueError, TypeError), match=names) as caught:
        FITS[through](data, {"n_clusters": 2, **arguments})
    one_line(caught.value)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (np.arange(9.0), "Expected 2D array, got 1D array"),
        (3.0, "Expected 2D array, got scalar array"),
        (None, "Expected 2D array, got scalar array"),
        (X.astype(complex), "Complex data not supported"),
    ],
)
def test_what_scikit_learn_refuses_in_its_own_words(data: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        k_medoids(data, 2)


@pytest.mark.parametrize("through", FITS)
@pytest.mark.parametrize(
    ("arguments", "names"), [row[1:] for row in ARGUMENTS], ids=[row[0] for row in ARGUMENTS]
)
def test_bad_arguments(arguments: dict[str, Any], names: str, through: str) -> None:
    with pytest.raises((ValueError, TypeError), match=names) as caught:
        FITS[through](X, {"n_clusters": 3, **arguments})
    one_line(caught.value)


@pytest.mark.parametrize(
    ("bad", "names"),
    [
        (changed(X, np.nan), "X contains NaN at row 7, column 2"),
        (X[:, :2], "2 features"),
    ],
)
@pytest.mark.parametrize("method", ["predict", "transform", "score"])
def test_bad_data_after_the_fit(bad: Any, names: str, method: str) -> None:
    km = KMedoids(2).fit(X)
    with pytest.raises((ValueError, TypeError), match=names) as caught:
        getattr(km, method)(bad)
    one_line(caught.value)


def test_a_matrix_with_the_wrong_columns_is_refused() -> None:
    km = KMedoids(2, metric="precomputed").fit(SQUARE)
    with pytest.raises(ValueError, match="19 features"):
        km.predict(SQUARE[:5, :19])


@pytest.mark.parametrize("call", [KMedoids, k_medoids, medoid])
def test_unknown_arguments_are_refused(call: Any) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'n_cluster'"):
        call(X, n_cluster=3)


def test_arguments_go_by_name() -> None:
    with pytest.raises(TypeError, match="positional"):
        KMedoids(3, "l1")
    with pytest.raises(TypeError, match="positional"):
        k_medoids(X, 3, "l1")


@pytest.mark.parametrize(
    ("text", "size"),
    [("300MB", 3e8), ("1 GB", 1e9), ("0.5gb", 5e8), ("1GiB", 2**30), ("70000000", 7e7), (4e8, 4e8)],
)
def test_sizes_of_memory(text: str | float, size: float) -> None:
    assert memory(text, 100, 3) == size


@pytest.mark.parametrize(
    ("dtype", "becomes"),
    [
        (np.uint8, np.float32),
        (np.int16, np.float32),
        (np.bool_, np.float32),
        (np.float16, np.float32),
        (np.float32, np.float32),
        (np.int32, np.float64),
        (np.int64, np.float64),
        (np.float64, np.float64),
        (np.longdouble, np.float64),
    ],
)
def test_numbers_keep_all_their_digits(dtype: type, becomes: type) -> None:
    data = np.arange(12).reshape(4, 3).astype(dtype)
    found = as_floats(data)
    assert found.dtype == becomes
    np.testing.assert_array_equal(found, data)


def test_floats_are_not_copied() -> None:
    for dtype in (np.float32, np.float64):
        data = X.astype(dtype)
        assert np.shares_memory(as_floats(data), data)
    whole = np.arange(12).reshape(4, 3)
    assert not np.shares_memory(as_floats(whole), whole)


def test_large_sums_are_no_infinity() -> None:
    data = np.full((20, 3), 1e308)
    assert as_floats(data) is data


@pytest.mark.parametrize("k", [np.int64(3), np.int32(3), np.uint8(3)])
def test_whole_numbers_of_numpy_are_welcome(k: Any) -> None:
    assert len(k_medoids(X, k).medoid_indices) == 3


def test_places_of_sparse_rows_take_32_bits_where_that_is_enough() -> None:
    """Kernels are compiled for each type; rows made from others have 64 bits for no reason."""
    given = scipy.sparse.csr_array(np.eye(5))
    for name in ("indices", "indptr"):
        setattr(given, name, getattr(given, name).astype(np.int64))
    read = as_sparse(given)
    assert read.indices.dtype == read.indptr.dtype == np.int32
    assert given.indices.dtype == np.int64
    np.testing.assert_array_equal(read.toarray(), np.eye(5))
