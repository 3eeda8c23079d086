"""A result depends on the data and on `random_state` alone, and a fit leaves no trace."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_info, threadpool_limits

from helpers import Floats, SmallFirst, asymmetric, mixture
from medoids import KMedoids
from medoids._threads import Workers
from medoids.engines.cpu.points.dense import DensePoints

Result = tuple[list[int], bytes, float, int]


def result_of(km: KMedoids) -> Result:
    """All that a fit found, to the last bit."""
    return km.medoid_indices_.tolist(), km.labels_.tobytes(), km.inertia_, km.n_distances_


@pytest.fixture(scope="module")
def X() -> Floats:
    # More than the first block, so that the bandit samples.
    return mixture(2500, 6, 7, 0)


@pytest.fixture(scope="module")
def km() -> KMedoids:
    return KMedoids(6, random_state=0)


@pytest.fixture(scope="module")
def expected(X: Floats, km: KMedoids) -> Result:
    return result_of(clone(km).set_params(n_jobs=1).fit(X))


def blas_threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def our_threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("medoids")]


@pytest.mark.parametrize("n_jobs", [2, 3, None, -1])
def test_any_number_of_threads(
    X: Floats, km: KMedoids, expected: Result, n_jobs: int | None
) -> None:
    assert result_of(clone(km).set_params(n_jobs=n_jobs).fit(X)) == expected


@pytest.mark.parametrize("n_jobs", [2, 3])
@pytest.mark.parametrize("metric", ["l1", "cosine", "precomputed"])
@pytest.mark.parametrize("method", ["banditpam", "banditpam_original", "pam"])
def test_any_number_of_threads_for_all(
    method: str, metric: str, n_jobs: int, small_first: SmallFirst
) -> None:
    small_first(128)
    data = asymmetric(700, 0) if metric == "precomputed" else mixture(700, 4, 4, 1)
    km = KMedoids(4, metric=metric, method=method, random_state=1)
    alone = result_of(clone(km).set_params(n_jobs=1).fit(data))
    assert result_of(clone(km).set_params(n_jobs=n_jobs).fit(data)) == alone


def test_fits_repeat(X: Floats, km: KMedoids, expected: Result) -> None:
    again = clone(km)
    for _ in range(3):
        assert result_of(again.fit(X)) == expected


def test_other_fits_change_nothing(X: Floats, km: KMedoids, expected: Result) -> None:
    KMedoids(3, metric="l1", random_state=5).fit(X[:1500])
    KMedoids(9, random_state=2, init="random").fit(X)
    assert result_of(clone(km).fit(X)) == expected


def test_global_randomness_plays_no_part(X: Floats, km: KMedoids, expected: Result) -> None:
    np.random.seed(123)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert result_of(clone(km).fit(X)) == expected
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_random_state_matters(X: Floats) -> None:
    one, two = (KMedoids(6, init="random", max_iter=0, random_state=s).fit(X) for s in (0, 1))
    assert one.medoid_indices_.tolist() != two.medoid_indices_.tolist()


def test_a_generator_moves_on() -> None:
    data, generator = mixture(300, 2, 3, 0), np.random.RandomState(0)
    km = KMedoids(3, init="random", max_iter=0, random_state=generator)
    assert km.fit(data).medoid_indices_.tolist() != km.fit(data).medoid_indices_.tolist()


def test_after_pickle_and_clone(X: Floats, km: KMedoids, expected: Result) -> None:
    again = pickle.loads(pickle.dumps(clone(km).fit(X)))
    assert result_of(again) == expected
    assert result_of(clone(again).fit(X)) == expected


def _fit_in_child(queue: Any, X: Floats, n_jobs: int | None) -> None:
    queue.put((result_of(KMedoids(6, random_state=0, n_jobs=n_jobs).fit(X)), blas_threads()))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("when", ["between fits", "amid a fit"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_in_a_forked_child(X: Floats, expected: Result, n_jobs: int, when: str) -> None:
    before = blas_threads()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_fit_in_child, args=(queue, X, n_jobs))
    KMedoids(6, random_state=0, n_jobs=2).fit(X)
    if when == "amid a fit":
        with Workers(2) as workers:
            workers.each(lambda start, stop: None, 10, 1)
            child.start()
    else:
        child.start()
    found, threads = queue.get(timeout=300)
    child.join(timeout=300)
    assert child.exitcode == 0
    assert found == expected
    assert threads == before


def test_four_fits_at_once(X: Floats, km: KMedoids, expected: Result) -> None:
    before = blas_threads()
    with ThreadPoolExecutor(4) as pool:
        fits = [pool.submit(clone(km).set_params(n_jobs=jobs).fit, X) for jobs in (1, 2, 3, None)]
        assert [result_of(fit.result(timeout=120)) for fit in fits] == [expected] * 4
    assert blas_threads() == before
    assert our_threads() == []


@pytest.mark.parametrize("threads", [1, 2])
def test_blas_is_left_as_it_was(X: Floats, km: KMedoids, threads: int) -> None:
    with threadpool_limits(threads, user_api="blas"):
        before = blas_threads()
        fitted = clone(km).fit(X)
        assert blas_threads() == before
        fitted.predict(X)
        assert blas_threads() == before
    assert before, "there is a BLAS to speak of"


def test_blas_has_one_thread_within_a_fit(
    X: Floats, km: KMedoids, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    block = DensePoints._block

    def watch(self: DensePoints, *args: Any) -> None:
        seen.extend(blas_threads())
        block(self, *args)

    monkeypatch.setattr(DensePoints, "_block", watch)
    clone(km).fit(X)
    assert set(seen) == {1}


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("where", ["_block", "_distances"])
def test_an_interrupt_gets_out_and_leaves_nothing(
    X: Floats,
    km: KMedoids,
    expected: Result,
    monkeypatch: pytest.MonkeyPatch,
    n_jobs: int,
    error: type[BaseException],
    where: str,
) -> None:
    """`_block` is called in the fit's own thread, `_distances` in its workers."""
    before, calls = blas_threads(), []
    work = getattr(DensePoints, where)

    def break_off(self: DensePoints, *args: Any) -> None:
        calls.append(1)
        if len(calls) == (1 if where == "_block" else 3):
            raise error("stop")
        work(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(DensePoints, where, break_off)
        with pytest.raises(error, match="stop"):
            clone(km).set_params(n_jobs=n_jobs).fit(X)
    assert our_threads() == []
    assert blas_threads() == before
    assert result_of(clone(km).fit(X)) == expected


def test_no_threads_stay_after_a_fit(X: Floats, km: KMedoids) -> None:
    clone(km).set_params(n_jobs=3).fit(X).predict(X)
    assert our_threads() == []
