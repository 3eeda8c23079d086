"""Slices for threads: all of them, once each."""

from __future__ import annotations

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
