"""Fits of arrays that are not NumPy's, as users make them; here on array-api-strict."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest

from helpers import Floats, lattice, mixture
from medoids import KMedoids, k_medoids, scan, silhouette
from medoids._arrays import Streamed, to_host
from medoids._fit import run
from medoids._tuning import tuned
from medoids.data.elsewhere import array_data
from medoids.engines.array import sample
from medoids.engines.array.namespace import Space
from medoids.engines.array.rows import ArrayRows
from medoids.engines.sites import Sites

strict = pytest.importorskip("array_api_strict")
METRICS = ["l2", "sqeuclidean", "cosine", "correlation", "l1", "chebyshev", "hamming", "haversine"]


def there(X: Any) -> Any:
    return strict.asarray(np.asarray(X))


def rows(metric: str, n: int = 1500) -> Floats:
    if metric == "hamming":
        return np.random.default_rng(0).integers(0, 3, (n, 12)).astype(float)
    if metric == "haversine":
        return np.random.default_rng(0).uniform(-1.5, 1.5, (n, 2))
    return mixture(n, 5, 12, 3)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("first", [None, 256])
def test_the_same_medoids_as_on_the_cpu(metric: str, first: int | None) -> None:
    X = rows(metric)
    with tuned(first_block=first):
        cpu = KMedoids(5, metric=metric, random_state=0).fit(X)
        km = KMedoids(5, metric=metric, random_state=0).fit(there(X))
    assert km.medoid_indices_.tolist() == cpu.medoid_indices_.tolist()
    assert km.inertia_ == pytest.approx(cpu.inertia_, rel=1e-12)
    np.testing.assert_array_equal(to_host(km.labels_), cpu.labels_)
    np.testing.assert_array_equal(to_host(km.cluster_centers_), cpu.cluster_centers_)
    np.testing.assert_allclose(to_host(km.transform(there(X))), cpu.transform(X), atol=1e-12)
    assert type(km.labels_) is type(km.cluster_centers_) is type(km.transform(there(X)))
    assert type(km.labels_) is type(there(X))
    assert km.labels_.dtype == strict.int32
    assert isinstance(km.medoid_indices_, np.ndarray)
    assert isinstance(km.inertia_, float)


@pytest.mark.parametrize("method", ["pam", "fastpam1", "fastpam", "fasterpam"])
@pytest.mark.parametrize("weighted", [False, True])
def test_methods_that_look_at_all_distances(method: str, weighted: bool) -> None:
    X = lattice(250, 1) + 0.0
    weights = np.random.default_rng(0).integers(0, 5, 250) if weighted else None
    cpu = k_medoids(X, 4, metric="l1", method=method, sample_weight=weights)
    found = k_medoids(there(X), 4, metric="l1", method=method, sample_weight=weights)
    assert found.medoid_indices.tolist() == cpu.medoid_indices.tolist()
    assert found.inertia == pytest.approx(cpu.inertia, rel=1e-12)


def test_onebatch_is_near_pam() -> None:
    X = mixture(1200, 5, 6, 0)
    found = k_medoids(there(X), 5, method="onebatch", random_state=0)
    assert found.inertia <= 1.03 * k_medoids(X, 5).inertia
    assert found.n_distances < 1200**2


@pytest.mark.parametrize("swap", ["best", "eager"])
@pytest.mark.parametrize("first", [None, 128])
def test_weights_fixed_rows_and_candidates(swap: str, first: int | None) -> None:
    X, rng = mixture(900, 5, 4, 5), np.random.default_rng(1)
    options: dict[str, Any] = {"fixed": [3, 8], "candidates": np.arange(700), "swap": swap}
    weights = rng.exponential(size=900) ** 2
    weights[::7] = 0
    with tuned(first_block=first):
        km = KMedoids(6, random_state=0, **options).fit(there(X), sample_weight=weights)
        cpu = KMedoids(6, random_state=0, **options).fit(X, sample_weight=weights)
    assert km.medoid_indices_[:2].tolist() == [3, 8]
    assert (km.medoid_indices_ < 700).all()
    if swap == "best":
        assert km.medoid_indices_.tolist() == cpu.medoid_indices_.tolist()
        assert km.inertia_ == pytest.approx(cpu.inertia_, rel=1e-12)
    again = k_medoids(X, 6, init=km.medoid_indices_, max_iter=0, sample_weight=weights)
    assert km.inertia_ == pytest.approx(again.inertia, rel=1e-12)
    np.testing.assert_array_equal(to_host(km.labels_), again.labels)


@pytest.mark.parametrize("init", ["random", "k-medoids++", "lab", [3, 1, 4]])
def test_starts(init: Any) -> None:
    X = mixture(800, 3, 4, 2)
    km = KMedoids(3, init=init, n_init=2, random_state=0).fit(there(X))
    back = KMedoids(3, init=km.medoid_indices_).fit(X)
    assert back.n_iter_ == 0
    assert back.inertia_ == pytest.approx(km.inertia_, rel=1e-12)
    further = KMedoids(3, init=km).fit(there(X))
    assert further.medoid_indices_.tolist() == km.medoid_indices_.tolist()


def test_distances_that_are_given() -> None:
    X = mixture(400, 3, 4, 2)
    matrix = np.linalg.norm(X[:, None] - X[None], axis=2)
    km = KMedoids(3, metric="precomputed").fit(there(matrix))
    cpu = KMedoids(3, metric="precomputed").fit(matrix)
    assert km.medoid_indices_.tolist() == cpu.medoid_indices_.tolist()
    np.testing.assert_array_equal(to_host(km.predict(there(matrix.T))), cpu.labels_)


def test_a_scan() -> None:
    X = mixture(400, 3, 4, 2)
    found, cpu = (scan(each, range(2, 5), random_state=0) for each in (there(X), X))
    assert [each.loss for each in found] == pytest.approx([each.loss for each in cpu])
    assert found.suggestion == cpu.suggestion


def test_new_rows_of_either_kind_and_a_pickle() -> None:
    X = mixture(500, 3, 4, 2)
    km = KMedoids(3, random_state=0).fit(there(X))
    expected = to_host(km.labels_)
    assert isinstance(km.predict(X), np.ndarray)
    np.testing.assert_array_equal(km.predict(X), expected)
    assert km.score(X) == pytest.approx(-km.inertia_)
    on_host = KMedoids(3, random_state=0).fit(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(on_host)).predict(X), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.uint8])
def test_numbers_of_other_types_stay_as_they_are(dtype: Any) -> None:
    X = np.abs(mixture(900, 4, 6, 1) * 5).astype(dtype)
    km = KMedoids(4, random_state=0).fit(there(X))
    assert to_host(km.cluster_centers_).dtype == dtype
    assert (
        km.medoid_indices_.tolist() == KMedoids(4, random_state=0).fit(X).medoid_indices_.tolist()
    )


@pytest.mark.parametrize("shift", [0.0, 1e6])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_numbers_of_any_size(scale: float, shift: float) -> None:
    X = (mixture(700, 4, 6, 1) + shift) * scale
    with tuned(first_block=128):
        km = KMedoids(4, random_state=0).fit(there(X))
        cpu = KMedoids(4, random_state=0).fit(X)
    assert km.medoid_indices_.tolist() == cpu.medoid_indices_.tolist()
    assert km.inertia_ == pytest.approx(cpu.inertia_, rel=1e-9)


def test_blocks_are_near_the_exact_distances() -> None:
    for metric in ("euclidean", "cosine", "manhattan", "haversine"):
        X = rows(metric)
        points = ArrayRows(there(X), metric)
        some = Space(there(X)).ids([1, 5, 9])
        rough, exact = points.block(some, some), points.exact(some, some)
        np.testing.assert_allclose(to_host(rough), to_host(exact), atol=2e-3)
        assert (np.diag(to_host(exact)) == 0).all()
        assert points.n_distances >= 18


@pytest.mark.parametrize("metric", ["l2", "cosine"])
def test_rows_that_stay_on_the_host(metric: str) -> None:
    """They come in parts: more than a device can hold."""
    X = mixture(900, 4, 6, 1).astype(np.float32)
    params = KMedoids(4, metric=metric, random_state=0).get_params()
    streamed = array_data(Streamed(X, there(X[:0])), metric, None, X)
    with tuned(first_block=128):
        found = run(streamed, params)
        cpu = KMedoids(**params).fit(X)
    assert found.medoid_indices.tolist() == cpu.medoid_indices_.tolist()
    np.testing.assert_array_equal(to_host(found.labels), cpu.labels_)
    assert streamed.pick(found.medoid_indices).centres.tolist() == cpu.cluster_centers_.tolist()


def test_rows_without_a_direction() -> None:
    X = mixture(300, 3, 4, 2)
    X[[5, 50]] = 0
    km = KMedoids(3, metric="cosine").fit(there(X))
    cpu = KMedoids(3, metric="cosine").fit(X)
    assert km.medoid_indices_.tolist() == cpu.medoid_indices_.tolist()
    np.testing.assert_allclose(to_host(km.transform(there(X))), cpu.transform(X), atol=1e-12)


@pytest.mark.parametrize(
    ("options", "X", "said"),
    [
        ({"metric": "minkowski"}, np.ones((9, 2)), "not for arrays on a device: use one of eucl"),
        ({"metric": lambda a, b: 0.0}, np.ones((9, 2)), "not for arrays on a device"),
        ({"method": "clara"}, np.ones((9, 2)), "method='clara' is not for arrays on a device"),
        ({}, np.ones(9), "X has 1 dimensions"),
        ({}, np.ones((0, 2)), "at least one row"),
        ({}, np.array([[1.0, 2], [np.nan, 3], [4, 5]]), "X[1] has values that are NaN"),
        ({"metric": "haversine"}, np.ones((9, 3)), "has 3 columns"),
        ({"metric": "precomputed"}, np.ones((9, 3)), "needs a square matrix"),
        ({"metric_params": {"p": 3}}, np.ones((9, 3)), "metric_params is for other metrics"),
    ],
)
def test_errors_in_one_line(options: dict[str, Any], X: Any, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as told:
        KMedoids(2, **options).fit(there(X))
    assert "\n" not in str(told.value)


def test_a_device_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    X = mixture(60, 3, 2, 0)
    assert KMedoids(2, device="cpu").fit(X).n_iter_ >= 0
    try:
        import torch
    except ImportError:
        with pytest.raises(ImportError, match=r"device='cuda' needs torch: pip install"):
            KMedoids(2, device="cuda").fit(X)
        return
    with pytest.raises(ValueError, match="is unknown: use 'cuda'"):
        KMedoids(2, device="nowhere").fit(X)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match="torch sees no GPU here"):
        KMedoids(2, device="cuda").fit(X)


def test_only_dense_rows_go_to_a_device() -> None:
    with pytest.raises(TypeError, match="takes dense rows of numbers"):
        KMedoids(2, metric="levenshtein", device="cuda").fit(["a", "b", "c"])


def test_what_is_shown_is_in_numpy(tmp_path: Any) -> None:
    plot = pytest.importorskip("medoids.plot")
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("jinja2")
    X = rows("l2", 300)
    km, cpu = (KMedoids(3, random_state=0).fit(each) for each in (there(X), X))
    np.testing.assert_allclose(silhouette(km, there(X)), silhouette(cpu, X), atol=1e-12)
    drawn = plot.map(km, there(X)), plot.silhouette(km, there(X)), plot.medoids(km, there(X))
    assert all(ax.has_data() or ax.texts or ax.tables for ax in drawn)
    bars = [[bar.get_width() for bar in plot.sizes(each).patches] for each in (km, cpu)]
    assert bars[0] == bars[1]
    pages = [each.report(data, tmp_path / name).read_text(encoding="utf-8")
             for each, data, name in ((km, there(X), "a.html"), (cpu, X, "b.html"))]  # fmt: skip
    assert len(pages[0]) == pytest.approx(len(pages[1]), rel=0.01)
    assert type(km.labels_) is type(there(X))  # the estimator stays as it is


def test_references_are_drawn_as_far_as_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "_DRAWN", 10)
    points = ArrayRows(there(mixture(400, 3, 4, 0)), "euclidean")
    made = sample.Sample(points, 40, Sites(), np.random.default_rng(0))
    few = to_host(made.refs(30))
    assert len(made._order) < 400
    every = to_host(made.refs(400))
    np.testing.assert_array_equal(every[:30], few)
    np.testing.assert_array_equal(np.sort(every), np.arange(400))
    np.testing.assert_array_equal(made.from_the_end(50, 0), np.sort(every[-50:]))
