"""Slices for threads: all of them, once each."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import weakref

import joblib
import pytest

from medoids._threads import Workers, effective_jobs


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize(("total", "size"), [(0, 4), (1, 4), (8, 4), (11, 4), (3, 100)])
def test_every_slice_is_done_once(jobs: int, total: int, size: int) -> None:
    done: list[tuple[int, int]] = []
    with Workers(jobs) as workers:
        workers.each(lambda start, stop: done.append((start, stop)), total, size)
    assert sorted(done) == [(i, min(i + size, total)) for i in range(0, total, size)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_error_in_a_slice_gets_out(jobs: int) -> None:
    def work(start: int, stop: int) -> None:
        if start == 6:
            raise RuntimeError("slice 6")

    with pytest.raises(RuntimeError, match="slice 6"), Workers(jobs) as workers:
        workers.each(work, 20, 2)


def test_numbers_of_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    cores = joblib.cpu_count()
    assert effective_jobs(None) == cores
    assert effective_jobs(-1) == cores
    assert effective_jobs(-cores - 5) == 1
    assert effective_jobs(7) == 7
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert effective_jobs(None) == 1
    assert effective_jobs(7) == 7


_FORK = """
import os, signal, threading, numpy as np
from medoids import KMedoids
X = np.random.default_rng(0).normal(size=(2500, 8))
KMedoids(4, random_state=0).fit(X[:600])
stop = threading.Event()
def fits():
    while not stop.is_set():
        KMedoids(4, random_state=0).fit(X)
thread = threading.Thread(target=fits)
thread.start()
for _ in range(12):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        KMedoids(4, random_state=0, n_jobs=1).fit(X[:600])
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, "the child hung"
stop.set()
thread.join()
print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_in_the_middle_of_a_fit_does_not_hang() -> None:
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _FORK], capture_output=True, text=True, timeout=300
    )
    assert found.stdout.strip() == "done", found.stderr


def test_who_has_begun_is_waited_for() -> None:
    began, done = threading.Event(), []

    def work(start: int, stop: int) -> None:
        if threading.current_thread() is threading.main_thread():
            assert began.wait(20)  # until a helper has taken a slice
        else:
            began.set()
            time.sleep(0.2)
        done.append(start)

    with Workers(2) as workers:
        workers.each(work, 2, 1)
        assert sorted(done) == [0, 1]


def test_threads_do_not_hold_what_they_worked_on() -> None:
    class Data:
        pass

    data = Data()
    seen = weakref.ref(data)

    def work(start: int, stop: int, data: Data = data) -> None:
        time.sleep(0.01)

    with Workers(3) as workers:
        workers.each(work, 12, 1)
        del data, work
        for _ in range(200):
            gc.collect()
            if seen() is None:
                return
            time.sleep(0.01)
        raise AssertionError("it is still there")


def test_nobody_is_left_when_a_fit_ends() -> None:
    with Workers(4) as workers:
        workers.each(lambda start, stop: time.sleep(0.001), 40, 1)
        threads = [each for each in threading.enumerate() if each.name == "medoids"]
        assert len(threads) >= 3
    assert not any(each.is_alive() for each in threads)
