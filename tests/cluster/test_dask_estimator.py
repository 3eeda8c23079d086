"""The surface of the estimator on a cluster: what is lazy, what is local, what is refused."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from helpers import DEEP, mixture
from medoids import KMedoids

dask = pytest.importorskip("dask", reason="the extra dask is not installed")
da = pytest.importorskip("dask.array")
DaskKMedoids = pytest.importorskip("medoids.dask").KMedoids
X = mixture(900, 4, 3, 0)


@pytest.fixture(scope="module")
def fitted(cluster: Any) -> Any:
    cluster.wait_for_workers(2, timeout=300)
    return DaskKMedoids(3, client=cluster, random_state=0).fit(lazily(X))


def lazily(rows: Any) -> Any:
    return da.from_array(rows, chunks=(250, -1))


def test_what_is_lazy(fitted: Any) -> None:
    lazy = lazily(X)
    local = fitted.to_local()
    for found, rows in [
        (fitted.labels_, local.predict(X)),
        (fitted.predict(lazy), local.predict(X)),
        (fitted.transform(lazy), local.transform(X)),
    ]:
        assert isinstance(found, da.Array)
        assert found.chunks[0] == lazy.chunks[0]
        assert found.dtype == rows.dtype
        np.testing.assert_array_equal(found.compute(), rows)
    assert fitted.score(lazy) == pytest.approx(-fitted.inertia_)
    weights = np.arange(900.0)
    assert fitted.score(lazy, sample_weight=da.from_array(weights, chunks=250)) == pytest.approx(
        local.score(X, sample_weight=weights)
    )


def test_rows_in_memory_are_predicted_here(fitted: Any) -> None:
    assert isinstance(fitted.predict(X[:7]), np.ndarray)
    assert fitted.transform(X[:7]).shape == (7, 3)
    assert fitted.score(X) == pytest.approx(-fitted.inertia_)


def test_a_local_estimator_to_serve(fitted: Any) -> None:
    local = pickle.loads(pickle.dumps(fitted.to_local()))
    assert type(local) is KMedoids
    np.testing.assert_array_equal(local.predict(X), fitted.labels_.compute())
    assert local.inertia_ == fitted.inertia_
    assert not hasattr(local, "labels_")
    names = local.get_feature_names_out().tolist()
    assert names == ["kmedoids0", "kmedoids1", "kmedoids2"]


def test_a_clone_asks_the_same_cluster(fitted: Any) -> None:
    other = clone(fitted)
    assert other.client is fitted.client
    assert not hasattr(other, "medoid_indices_")
    again = pickle.loads(pickle.dumps(fitted))
    assert again.client is None
    assert again.medoid_indices_.tolist() == fitted.medoid_indices_.tolist()
    with pytest.raises(NotFittedError):
        other.predict(X)


def test_the_client_that_is_there_is_taken(client: Any) -> None:
    assert DaskKMedoids(2, random_state=0).fit_predict(lazily(X)).compute().max() == 1


def test_steps_are_shown(client: Any, capsys: pytest.CaptureFixture[str]) -> None:
    DaskKMedoids(2, client=client, random_state=0, verbose=1).fit(lazily(X))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("medoids: build 1, loss ")
    assert all("rounds" in line and "MB sent" in line for line in lines)


def test_tasks_speak_the_words_of_the_paper(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from medoids._tuning import tuned
    from medoids.engines.dask.cluster import OnCluster

    seen = set()
    submit = OnCluster._submit

    def watched(self: Any, word: str, *args: Any) -> Any:
        future = submit(self, word, *args)
        seen.add(future.key.partition("-")[0])
        return future

    begin = OnCluster.begin

    def always_long(self: Any, ground: Any) -> None:
        begin(self, ground)
        self.long = 0.0

    monkeypatch.setattr(OnCluster, "_submit", watched)
    monkeypatch.setattr(OnCluster, "begin", always_long)
    with tuned(first_block=64, **DEEP):
        DaskKMedoids(3, client=client, random_state=0).fit(lazily(X))
    assert {"load", "screen", "drop", "value", "refine", "confirm", "place"} <= seen


def test_a_partition_that_is_bad_is_named(client: Any) -> None:
    bad = X.copy()
    bad[613, 2] = np.nan
    with pytest.raises(ValueError, match="partition 2: X contains NaN at row 113, column 2"):
        DaskKMedoids(2, client=client).fit(lazily(bad))
    weights = np.ones(900)
    weights[751] = -1
    with pytest.raises(ValueError, match=r"partition 3: sample_weight has -1.0 at row 1"):
        DaskKMedoids(2, client=client).fit(lazily(X), sample_weight=weights)


def test_an_error_in_the_users_graph_is_raised(client: Any) -> None:
    def broken(block: Any) -> Any:
        raise ZeroDivisionError("in the user's function")

    lazy = lazily(X).map_blocks(broken, dtype=X.dtype, meta=np.empty((0, 0)))
    with pytest.raises(ZeroDivisionError, match="in the user's function"):
        DaskKMedoids(2, client=client).fit(lazy)


@pytest.mark.parametrize(
    ("params", "given", "message"),
    [
        ({}, X, "X is numpy's ndarray: give a dask array"),
        ({}, da.zeros(5), "X has 1 dimensions"),
        ({}, da.zeros((0, 3)), "X has no rows"),
        ({"n_clusters": 901}, lazily(X), "n_clusters=901 is more than the n_samples=900"),
        ({"method": "pam"}, lazily(X), "on a cluster use method='banditpam'"),
        ({"metric": "precomputed"}, lazily(X), "has no meaning on a cluster"),
        ({"metric": "gower"}, lazily(X), "scale the columns"),
        (
            {"device": "cuda", "metric": "canberra"},
            lazily(X),
            "is not for device='cuda': use one of",
        ),
        ({"metric": "nothing"}, lazily(X), "metric='nothing' is unknown"),
        ({"init": [1, 2, 900]}, lazily(X), "init has row 900, out of range"),
        ({"init": X[:2]}, lazily(X), "init has 2 centres for n_clusters=3"),
        ({"fixed": [1, 2, 3, 4]}, lazily(X), "fixed has 4 rows"),
        ({"swap": "all"}, lazily(X), "swap='all' is unknown"),
        ({"memory_limit": "much"}, lazily(X), "is not a size"),
    ],
)
def test_what_is_refused(client: Any, params: Any, given: Any, message: str) -> None:
    km = DaskKMedoids(**{"n_clusters": 3, "client": client, **params})
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        km.fit(given)
    assert "\n" not in str(caught.value)
    assert not hasattr(km, "medoid_indices_")


def test_weights_that_do_not_fit(client: Any) -> None:
    km = DaskKMedoids(2, client=client)
    with pytest.raises(ValueError, match=r"expected \(900,\)"):
        km.fit(lazily(X), sample_weight=np.ones(5))
    with pytest.raises(ValueError, match="has 2 partitions, but X has 4: chunk them alike"):
        km.fit(lazily(X), sample_weight=da.ones(899, chunks=500))
    with pytest.raises(ValueError, match="zero everywhere"):
        km.fit(lazily(X), sample_weight=da.zeros(900))
    unknown = lazily(X)[da.ones(900, chunks=250) > 0]
    with pytest.raises(TypeError, match="compute_chunk_sizes"):
        km.fit(unknown, sample_weight=np.ones(900))


def test_max_iter_is_told(client: Any) -> None:
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        DaskKMedoids(6, client=client, init=list(range(6)), max_iter=1).fit(lazily(X))


def test_medoids_that_coincide_are_told(client: Any) -> None:
    with pytest.warns(ConvergenceWarning, match="Only 2 of n_clusters=3"):
        DaskKMedoids(3, client=client).fit(lazily(np.repeat([[0.0], [1.0]], 400, axis=0)))


def test_an_interrupt_keeps_the_best_so_far(client: Any) -> None:
    from medoids._history import watching

    def interrupt(progress: Any) -> None:
        if progress.entry["phase"] == "swap":
            raise KeyboardInterrupt

    km = DaskKMedoids(6, client=client, init=list(range(6)), random_state=0)
    with watching(interrupt), pytest.raises(KeyboardInterrupt):
        km.fit(lazily(X))
    best = KMedoids(6, init=km.medoid_indices_.tolist(), max_iter=0).fit(X)
    assert km.inertia_ == pytest.approx(best.inertia_)
    assert km.inertia_ < KMedoids(6, init=list(range(6)), max_iter=0).fit(X).inertia_
    np.testing.assert_array_equal(km.labels_.compute(), best.labels_)
    assert _left_on_workers(client) == 0

    def at_once(progress: Any) -> None:
        raise KeyboardInterrupt

    none = DaskKMedoids(3, client=client, random_state=0)
    with watching(at_once), pytest.raises(KeyboardInterrupt):
        none.fit(lazily(X))
    assert not hasattr(none, "medoid_indices_")


def test_workers_forget_a_fit(client: Any, fitted: Any) -> None:
    assert _left_on_workers(client) == 0


def _left_on_workers(client: Any) -> int:
    def count() -> int:
        from medoids.engines.dask import serving

        return len(serving._served)

    return sum(client.run(count).values())


def test_dask_is_imported_by_nobody_else() -> None:
    code = (
        "import sys, medoids; from medoids import KMedoids; KMedoids(2).fit([[0.0], [1.0], [5.0]])"
    )
    code += "; print('dask' in sys.modules, 'distributed' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "False"]
