"""On a cluster the medoids are those of one machine, however rows are divided."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from helpers import DEEP, duplicates, lattice, mixture
from medoids import KMedoids
from medoids._tuning import tuned

dask = pytest.importorskip("dask", reason="the extra dask is not installed")
da = pytest.importorskip("dask.array")
db = pytest.importorskip("dask.bag")
DaskKMedoids = pytest.importorskip("medoids.dask").KMedoids


def same(client: Any, lazy: Any, X: Any, k: int, weights: Any = None, **params: Any) -> Any:
    """A fit of each; they end at the same medoids, labels and loss."""
    params = {"random_state": 0, **params}
    lazy_weights = None if weights is None else da.from_array(weights, chunks=777)
    found = DaskKMedoids(k, client=client, **params).fit(lazy, sample_weight=lazy_weights)
    expected = KMedoids(k, **params).fit(X, sample_weight=weights)
    assert found.medoid_indices_.tolist() == expected.medoid_indices_.tolist()
    assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-12)
    np.testing.assert_array_equal(found.labels_.compute(), expected.labels_)
    return found


def in_chunks(X: Any, sizes: list[int]) -> Any:
    """Partitions of given sizes, also of none."""
    ends = np.cumsum([0, *sizes])
    assert ends[-1] == len(X)
    parts = [X[a:b] for a, b in pairwise(ends)]
    lazy = [da.from_delayed(dask.delayed(part), part.shape, X.dtype) for part in parts]
    return da.concatenate(lazy)


@pytest.mark.slow
def test_the_number_of_partitions_changes_nothing(client: Any) -> None:
    X = mixture(3000, 4, 4, 3)
    with tuned(first_block=128, **DEEP):
        for count in (1, 7, 50):
            lazy = da.from_array(X, chunks=(-(-len(X) // count), -1))
            assert lazy.numblocks[0] == count
            same(client, lazy, X, 4)


def test_uneven_and_empty_partitions(client: Any) -> None:
    X = mixture(3000, 4, 3, 1)
    with tuned(first_block=128, **DEEP):
        same(client, in_chunks(X, [0, 1, 1999, 0, 0, 500, 3, 497, 0]), X, 3)


@pytest.mark.slow
def test_images(client: Any, images: Any) -> None:
    X = images[:5000]
    found = same(client, da.from_array(X, chunks=(1100, -1)), X, 4)
    assert found.n_features_in_ == X.shape[1]
    assert found.cluster_centers_.dtype == X.dtype
    assert found.n_rounds_ <= 40 * (4 + found.n_iter_)
    assert found.n_bytes_ > 0


@pytest.mark.parametrize("make", [lattice, duplicates])
def test_ties_and_copies(client: Any, make: Any) -> None:
    X = make(3000, 0)
    with tuned(first_block=128, **DEEP):
        same(client, da.from_array(X, chunks=(1250, -1)), X, 3, metric="manhattan")


def test_columns_in_several_chunks(client: Any) -> None:
    X = mixture(3000, 4, 3, 1)
    same(client, da.from_array(X, chunks=(1000, 2)), X, 3)


def test_sparse_counts_with_unknown_chunk_sizes(client: Any) -> None:
    X = sparse.random(3000, 120, density=0.1, format="csr", random_state=0)
    X.data = np.ceil(9 * X.data)
    meta = sparse.csr_matrix((0, 0))
    parts = [X[at : at + 800] for at in range(0, 3000, 800)]
    lazy = [da.from_delayed(dask.delayed(x), (np.nan, 120), X.dtype, meta) for x in parts]
    stacked = da.concatenate(lazy, allow_unknown_chunksizes=True)
    with tuned(first_block=128, **DEEP):
        found = same(client, stacked, X, 3, metric="l1")
    assert sparse.issparse(found.cluster_centers_)
    assert found.labels_.chunks == ((800, 800, 800, 600),)


def test_data_frames(client: Any) -> None:
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X = mixture(3000, 4, 3, 1)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    found = same(client, dd.from_pandas(frame, npartitions=5), frame, 3)
    assert found.feature_names_in_.tolist() == ["a", "b", "c", "d"]


@pytest.mark.parametrize("metric", ["levenshtein", "tree_edit"])
def test_bags_of_objects(client: Any, metric: str) -> None:
    rng = np.random.default_rng(0)
    things: list[Any] = ["".join(rng.choice(list("abc"), rng.integers(2, 7))) for _ in range(300)]
    if metric == "levenshtein":
        pytest.importorskip("rapidfuzz")
    else:
        things = [(word[0], [(letter, []) for letter in word[1:]]) for word in things]
    lazy = db.from_sequence(things, npartitions=4).map(lambda each: each)
    with tuned(first_block=64, **DEEP):
        same(client, lazy, things, 3, metric=metric)


def test_a_function_of_the_users(client: Any) -> None:
    X = mixture(300, 3, 3, 2)

    def furthest(a: Any, b: Any) -> float:
        return float(np.abs(np.asarray(a) - np.asarray(b)).max())

    with tuned(first_block=64, **DEEP):
        same(client, da.from_array(X, chunks=(100, -1)), X, 3, metric=furthest)


@pytest.mark.slow
def test_weights(client: Any) -> None:
    X, rng = mixture(3000, 4, 3, 7), np.random.default_rng(0)
    weights = rng.integers(0, 5, 3000).astype(float)
    weights[rng.integers(0, 3000, 5)] = 300.0
    lazy = da.from_array(X, chunks=(800, -1))
    with tuned(first_block=128, **DEEP):
        same(client, lazy, X, 3, weights)
        plain = same(client, lazy, X, 3)
        twice = DaskKMedoids(3, client=client, random_state=0).fit(
            lazy, sample_weight=np.full(3000, 2.0)
        )
    assert twice.medoid_indices_.tolist() == plain.medoid_indices_.tolist()
    assert twice.inertia_ == pytest.approx(2 * plain.inertia_)


def test_fixed_rows_and_candidates(client: Any) -> None:
    X = mixture(3000, 4, 3, 7)
    lazy = da.from_array(X, chunks=(800, -1))
    with tuned(first_block=128, **DEEP):
        found = same(client, lazy, X, 4, fixed=[17, 2321], candidates=range(0, 3000, 3))
    assert found.medoid_indices_[:2].tolist() == [17, 2321]


@pytest.mark.slow
def test_eager_ends_where_no_swap_helps(client: Any) -> None:
    X = mixture(3000, 4, 3, 7)
    lazy = da.from_array(X, chunks=(800, -1))
    with tuned(first_block=128, **DEEP):
        found = DaskKMedoids(6, client=client, swap="eager", random_state=0).fit(lazy)
        again = KMedoids(6, init=found.medoid_indices_.tolist(), random_state=0).fit(X)
    assert again.n_iter_ == 0
    assert found.inertia_ == pytest.approx(again.inertia_, rel=1e-12)


def test_eager_is_rehearsed(client: Any) -> None:
    """The same rows for any partitions; where clusters are apart, the medoids of one process."""
    X = mixture(6000, 4, 3, 7)
    params: dict[str, Any] = {"swap": "eager", "random_state": 0}
    with tuned(first_block=256, **DEEP):
        ends = [
            DaskKMedoids(3, client=client, **params).fit(da.from_array(X, chunks=(chunks, -1)))
            for chunks in (1100, 2500)
        ]
        expected = KMedoids(3, **params).fit(X)
    assert ends[0].medoid_indices_.tolist() == ends[1].medoid_indices_.tolist()
    assert set(ends[0].medoid_indices_) == set(expected.medoid_indices_)
    assert ends[0].inertia_ == pytest.approx(expected.inertia_, rel=1e-12)
    assert ends[0].n_distances_ < 6000**2 / 4
    assert [entry["phase"] for entry in ends[0].history_[:3]] == ["build"] * 3
    assert not any(len(entry["rounds"]) > 1 for entry in ends[0].history_[:3]), "no searches"


@pytest.mark.slow
@pytest.mark.parametrize("init", ["random", "k-medoids++", "lab", "rows", "centres", "estimator"])
def test_other_starts_end_where_no_swap_helps(client: Any, init: str) -> None:
    X = mixture(900, 4, 4, 5)
    lazy = da.from_array(X, chunks=(250, -1))
    other = KMedoids(4, max_iter=0, random_state=1).fit(X)
    given: Any = {"rows": [1, 5, 9, 13], "centres": X[:4] + 0.01, "estimator": other}.get(
        init, init
    )
    ends = [
        DaskKMedoids(4, client=client, init=given, random_state=3).fit(x)
        for x in (lazy, lazy.rechunk((600, -1)))
    ]
    assert ends[0].medoid_indices_.tolist() == ends[1].medoid_indices_.tolist()
    assert KMedoids(4, init=ends[0].medoid_indices_.tolist()).fit(X).n_iter_ == 0


def test_several_starts(client: Any) -> None:
    X = da.from_array(mixture(1000, 4, 4, 5), chunks=(300, -1))
    found = DaskKMedoids(4, client=client, init="random", n_init=3, random_state=0).fit(X)
    assert {entry["start"] for entry in found.history_} == {0, 1, 2}
    last = [[e["loss"] for e in found.history_ if e["start"] == s][-1] for s in range(3)]
    assert found.inertia_ == pytest.approx(min(last))
