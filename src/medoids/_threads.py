"""Threads over slices of rows, with BLAS held at one thread meanwhile."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from numbers import Integral
from types import TracebackType
from typing import Any

import joblib
from threadpoolctl import ThreadpoolController

# Threads that may always be asked for, however few the cores are.
_MOST = 16


def effective_jobs(n_jobs: int | None) -> int:
    """How many threads `n_jobs` stands for; None is all cores, as in KMeans.

    There are at most four for each core, or 16.

    Inside a joblib worker OMP_NUM_THREADS carries the worker's share of the
    cores, and is respected.
    """
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral)):
        raise TypeError(f"n_jobs must be a whole number or None, got {n_jobs!r}.")
    if n_jobs == 0:
        raise ValueError(
            "n_jobs=0 has no meaning: use a positive number, -1 or None for all cores."
        )
    cores = int(joblib.cpu_count())
    if n_jobs is None:
        share = os.environ.get("OMP_NUM_THREADS", "")
        return min(cores, int(share)) if share.isdecimal() and int(share) > 0 else cores
    # More would only wait for each other, and each takes memory for its stack.
    return min(int(n_jobs), max(_MOST, 4 * cores)) if n_jobs > 0 else max(1, cores + 1 + n_jobs)


class _OneBlasThread:
    """BLAS at one thread while any fit runs; restored when the last one ends.

    A plain `threadpool_limits` in two Python threads at once would restore the other's
    limit, and leave the process at one thread for good. And only the thread that set a
    limit can lift it: so a thread of its own holds it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._keeper: threading.Thread | None = None
        self._release = threading.Event()
        self.before: list[int] = []

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                self.before = [blas.num_threads for blas in _blas()]
                held, self._release = threading.Event(), threading.Event()
                self._keeper = threading.Thread(
                    target=_hold, args=(held, self._release), name="medoids-blas", daemon=True
                )
                self._keeper.start()
                held.wait()
            self._users += 1

    def __exit__(self, *exc: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._keeper is not None:
                self._release.set()
                self._keeper.join()
                self._keeper = None


def _hold(held: threading.Event, release: threading.Event) -> None:
    with _controller().limit(limits=1, user_api="blas"):
        held.set()
        release.wait()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def _blas() -> list[Any]:
    return [lib for lib in _controller().lib_controllers if lib.user_api == "blas"]


_one_blas_thread = _OneBlasThread()


def _reset_after_fork() -> None:
    # A child forked in the middle of another thread's fit would inherit a taken lock.
    global _one_blas_thread
    left, _one_blas_thread = _one_blas_thread, _OneBlasThread()
    if left._keeper is not None:  # there is no keeper here to lift the limit
        for blas, threads in zip(_blas(), left.before, strict=True):
            blas.set_num_threads(threads)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)


class Workers:
    """A thread pool for the length of a fit. Use it as a context manager.

    Slices have a fixed size, whatever the number of threads: so every result is
    the same to the last bit for every `n_jobs`.
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = effective_jobs(n_jobs)
        self._pool: ThreadPoolExecutor | None = None
        self._blas = _one_blas_thread

    def __enter__(self) -> Workers:
        self._blas = _one_blas_thread
        self._blas.__enter__()
        if self.n_jobs > 1:
            # The calling thread works too.
            self._pool = ThreadPoolExecutor(self.n_jobs - 1, thread_name_prefix="medoids")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
        self._blas.__exit__()

    def each(self, work: Callable[[int, int], None], total: int, size: int) -> None:
        """Call `work(start, stop)` for every slice of `size` out of `total`."""
        starts = _Starts(range(0, total, size))

        def drain() -> None:
            try:
                for start in starts:
                    work(start, min(start + size, total))
            except BaseException:
                starts.end()  # the other threads take no further slice
                raise

        others: list[Future[None]] = []
        if self._pool is not None:
            helpers = min(self.n_jobs, -(-total // size)) - 1
            others = [self._pool.submit(drain) for _ in range(helpers)]
        try:
            drain()
        finally:
            wait(others)
        for other in others:
            other.result()


class _Starts:
    """Starts of slices that several threads take from, each one once."""

    def __init__(self, starts: range) -> None:
        self._starts = iter(starts)
        self._lock = threading.Lock()

    def __iter__(self) -> _Starts:
        return self

    def __next__(self) -> int:
        with self._lock:
            return next(self._starts)

    def end(self) -> None:
        with self._lock:
            self._starts = iter(range(0))
