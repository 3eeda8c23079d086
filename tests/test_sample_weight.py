"""Weights mean what they say, for every method, metric and kind of data."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist

from helpers import Floats, mixture, one_line
from medoids import KMedoids, k_medoids, medoid, scan, silhouette
from medoids._names import METHODS
from medoids._tuning import tuned

# Those that draw nothing: their path is the same with a row twice, and with a weight of 2.
FOLLOWS = ["banditpam", "pam", "fastpam1", "fastpam", "fasterpam", "alternate"]


def weighted_loss(matrix: Floats, medoids: Any, weights: Floats) -> float:
    return float((matrix[np.asarray(medoids)].min(axis=0) * weights).sum())


@pytest.mark.parametrize("method", FOLLOWS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=12, deadline=None)
def test_a_weight_of_two_is_the_row_twice(method: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    counts = rng.integers(1, 4, 40)
    start = rng.choice(40, 3, replace=False).tolist()
    first = (np.cumsum(counts) - counts)[start].tolist()  # of each row's copies
    weighted = k_medoids(X, 3, method=method, init=start, sample_weight=counts, random_state=0)
    repeated = k_medoids(np.repeat(X, counts, axis=0), 3, method=method, init=first, random_state=0)
    assert weighted.inertia == pytest.approx(repeated.inertia, rel=1e-12)
    of_copies = np.repeat(np.arange(40), counts)[repeated.medoid_indices]
    assert sorted(of_copies) == sorted(weighted.medoid_indices)
    assert np.array_equal(np.repeat(weighted.labels, counts), repeated.labels)


@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.parametrize("init", ["build", "random", "k-medoids++", "lab"])
def test_the_loss_is_weighted_and_scale_is_nothing(method: str, init: str) -> None:
    X, rng = mixture(300, 3, 4, 2), np.random.default_rng(3)
    matrix, weights = cdist(X, X), rng.exponential(size=300) * 10.0 ** rng.integers(-3, 3, 300)
    options: dict[str, Any] = {"method": method, "init": init, "random_state": 0}
    found = k_medoids(X, 4, sample_weight=weights, **options)
    assert found.inertia == pytest.approx(weighted_loss(matrix, found.medoid_indices, weights))
    assert np.array_equal(found.labels, matrix[found.medoid_indices].argmin(axis=0))
    scaled = k_medoids(X, 4, sample_weight=1024 * weights, **options)
    assert scaled.inertia == pytest.approx(1024 * found.inertia)
    assert np.array_equal(scaled.medoid_indices, found.medoid_indices)
    assert scaled.n_distances == found.n_distances


@pytest.mark.parametrize("method", list(METHODS))
def test_equal_weights_are_none(method: str) -> None:
    X = mixture(300, 3, 4, 2)
    plain = k_medoids(X, 4, method=method, random_state=0)
    for weight in (1.0, 3.0):
        found = k_medoids(X, 4, method=method, random_state=0, sample_weight=np.full(300, weight))
        assert np.array_equal(found.medoid_indices, plain.medoid_indices)
        assert np.array_equal(found.labels, plain.labels)
        assert found.inertia == plain.inertia * weight
        assert found.n_distances == plain.n_distances


@pytest.mark.parametrize("method", list(METHODS))
def test_a_weight_of_zero(method: str) -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 1, (60, 2)) for c in (0, 12, 24)])
    weights = np.ones(180)
    weights[60:120] = 0  # the cluster in the middle pays nothing,
    weights[:3] = 2
    km = KMedoids(2, method=method, random_state=0).fit(X, sample_weight=weights)
    near = km.transform(X).argmin(axis=1)
    assert np.array_equal(km.labels_, near)  # but has labels,
    assert set(km.labels_[:60]) | set(km.labels_[120:]) == {0, 1}
    assert km.inertia_ == pytest.approx((km.transform(X).min(axis=1) * weights).sum())
    # and may have medoids: of two points far apart, the one between them is best.
    line = np.array([[0.0], [5.0], [10.0]])
    assert medoid(line, sample_weight=[1.0, 0.0, 1.0]) == 0  # a tie: the lowest row
    star = np.array([[0.0, 0.0], [4.0, 0.0], [-4.0, 0.0], [0.0, 4.0], [0.0, -4.0]])
    assert medoid(star, sample_weight=[0.0, 1.0, 1.0, 1.0, 1.0]) == 0


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_against_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, 10)), int(rng.integers(1, 3))
    X = rng.integers(0, 6, (n, 2)).astype(float)
    weights = rng.integers(0, 4, n).astype(float)
    weights[0] = 1
    matrix = cdist(X, X, "cityblock")
    losses = {each: weighted_loss(matrix, each, weights) for each in combinations(range(n), k)}
    found = k_medoids(X, k, metric="l1", sample_weight=weights)
    assert found.inertia == pytest.approx(losses[tuple(sorted(found.medoid_indices.tolist()))])
    if k == 1:
        assert found.inertia == min(losses.values())
    else:  # a local optimum: no swap is better
        for position in range(k):
            for row in range(n):
                other = list(found.medoid_indices)
                other[position] = row
                assert weighted_loss(matrix, other, weights) >= found.inertia - 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plane", "many", "integers", "copies"])
@pytest.mark.parametrize("n", [3000, 5000])
def test_exact_weighted_pam_where_the_search_samples(kind: str, n: int) -> None:
    """PAM on the matrix whose columns are scaled; weights vary by a factor of a million."""
    rng = np.random.default_rng(n)
    X = {
        "plane": lambda: mixture(n, 2, 6, 1),
        "many": lambda: mixture(n, 20, 6, 1),
        "integers": lambda: rng.integers(0, 60, (n, 2)).astype(float),
        "copies": lambda: np.repeat(mixture(n // 5, 3, 5, 1), 5, axis=0),
    }[kind]()
    weights = 10 ** rng.uniform(-3, 3, n)
    scaled = cdist(X, X) * weights
    with tuned(first_block=256, completes=False, small_pairs=0):
        found = k_medoids(X, 5, sample_weight=weights, random_state=0, memory_limit="80MB")
    pam = k_medoids(scaled, 5, metric="precomputed", method="pam", memory_limit="2GB")
    assert found.inertia == pytest.approx(pam.inertia, rel=1e-9)
    same = np.unique(X[found.medoid_indices], axis=0) == np.unique(X[pam.medoid_indices], axis=0)
    assert same.all()  # of copies either may be the medoid
    assert found.history[0]["rounds"][0]["references"] < n


def kinds() -> dict[str, tuple[Any, Any]]:
    rows = mixture(120, 4, 3, 5)
    counts = sparse.random(90, 30, 0.3, random_state=0, format="csr")
    rng = np.random.default_rng(0)
    words = ["".join(word) for word in rng.choice(list("ab"), (60, 6))]
    return {
        "float32": (rows.astype(np.float32), "l2"),
        "cosine": (rows, "cosine"),
        "sparse": (counts, "l1"),
        "matrix": (np.abs(rng.normal(size=(50, 50))), "precomputed"),  # not symmetric
        "strings": (words, "levenshtein"),
        "series": ([rng.normal(size=5) for _ in range(30)], "dtw"),
        "function": (rows[:40], lambda a, b: float(np.abs(a - b).max())),
        "table": ([{"a": float(i % 7), "b": "xy"[i % 2]} for i in range(40)], "gower"),
    }


@pytest.mark.parametrize("kind", list(kinds()))
def test_every_kind_of_data(kind: str) -> None:
    X, metric = kinds()[kind]
    if kind == "table":
        X = pytest.importorskip("pandas").DataFrame(X)
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    weights = np.random.default_rng(1).integers(0, 5, n).astype(float)
    every = KMedoids(n, metric=metric, max_iter=0, init=range(n), random_state=0)
    given = metric == "precomputed"
    matrix = np.asarray(X) if given else np.asarray(every.fit(X).transform(X)).T
    found = k_medoids(X, 3, metric=metric, sample_weight=weights, random_state=0)
    pam = k_medoids(matrix * weights, 3, metric="precomputed", method="pam")
    assert found.inertia == pytest.approx(pam.inertia, rel=1e-6)
    assert found.inertia == pytest.approx(weighted_loss(matrix, found.medoid_indices, weights))
    assert np.array_equal(found.labels, matrix[found.medoid_indices].argmin(axis=0))


def test_what_takes_weights() -> None:
    X, rng = mixture(200, 2, 3, 0), np.random.default_rng(0)
    weights = rng.integers(0, 3, 200).astype(float)
    km = KMedoids(3, random_state=0)
    labels = km.fit_predict(X, sample_weight=weights)
    assert np.array_equal(labels, km.labels_)
    assert km.score(X, sample_weight=weights) == pytest.approx(-km.inertia_)
    assert km.score(X) == pytest.approx(-km.transform(X).min(axis=1).sum())
    values = silhouette(km, X, sample_weight=weights)
    assert np.array_equal(np.isnan(values), weights == 0)
    found = scan(X, [2, 3], sample_weight=weights, resample=False, random_state=0)
    assert found[3].loss == pytest.approx(km.inertia_, rel=2e-3)
    assert medoid(X, sample_weight=weights) == int((cdist(X, X) @ weights).argmin())


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ([1.0, -1.0, 1.0], "negative"),
        ([1.0, np.nan, 1.0], "nan at row 1"),
        ([1.0, np.inf, 1.0], "inf at row 1"),
        ([0.0, 0.0, 0.0], "zero everywhere"),
        ([1.0, 2.0], r"sample_weight.shape == \(2,\), expected \(3,\)"),
        ([[1.0], [2.0], [3.0]], "sample_weight.shape"),
        (["a", "b", "c"], "must be numbers"),
    ],
)
def test_bad_weights(weights: Any, says: str) -> None:
    X = [[0.0], [1.0], [2.0]]
    with pytest.raises((TypeError, ValueError), match=says) as caught:
        KMedoids(2).fit(X, sample_weight=weights)
    one_line(caught.value)


@pytest.mark.parametrize("size", [1e-300, 1e-30, 1e30, 1e300])
def test_weights_of_any_size(size: float) -> None:
    X = mixture(300, 3, 4, 2)
    weights = np.random.default_rng(0).integers(1, 5, 300).astype(float)
    plain = k_medoids(X, 4, sample_weight=weights)
    found = k_medoids(X, 4, sample_weight=size * weights)
    assert np.array_equal(found.medoid_indices, plain.medoid_indices)
    assert found.inertia / size == pytest.approx(plain.inertia)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:method")
@pytest.mark.parametrize("init", ["random", "k-medoids++", "lab"])
def test_starts_are_drawn_by_weight_where_heavy_rows_are_split(init: str) -> None:
    """Half of all weight is on ten rows of 3,000: most starts hold most of them."""
    X, weights = mixture(3000, 3, 4, 0), np.ones(3000)
    heavy = np.arange(0, 3000, 300)
    weights[heavy] = 300
    drawn = 0
    with tuned(first_block=256, completes=False, small_pairs=0):
        for seed in range(8):
            km = KMedoids(6, init=init, max_iter=1, random_state=seed, memory_limit="30MB")
            drawn += int(np.isin(km.fit(X, sample_weight=weights).medoid_indices_, heavy).sum())
            plain = k_medoids(X, 6, init=init, max_iter=1, random_state=seed, method="pam",
                              sample_weight=weights)  # fmt: skip
            drawn -= int(np.isin(plain.medoid_indices, heavy).sum())
    assert abs(drawn) <= 10, "a sampled start must not draw otherwise than an exact one"
