"""Threads over slices of rows, with BLAS held at one thread meanwhile."""

from __future__ import annotations

import _thread
import os
import threading
import weakref
from collections.abc import Callable
from functools import cache
from numbers import Integral
from queue import SimpleQueue
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

    An interrupt can come between any two steps here. So the users are known by weak
    references, and one that ends without a word counts no more. And locks and queues are
    those of C: an interrupt can break a `threading.Event`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users: dict[int, weakref.ref[Any]] = {}
        self._keeper = _Keeper()
        self._keeper.let_go()
        self._turn = threading.Lock()  # a keeper waits until the one before has lifted its limit
        self.before: list[int] = []

    def take(self, user: object) -> None:
        _controller()
        with self._lock:
            key = id(user)
            self._users[key] = weakref.ref(user, lambda _: self._lost(key))
            if self._keeper.is_over():
                self._keeper = _Keeper()
                thread = threading.Thread(
                    target=self._keep, args=(self._keeper,), name="medoids-blas", daemon=True
                )
                try:
                    # Not from here, where an interrupt could leave it half started.
                    _thread.start_new_thread(thread.start, ())
                except BaseException:  # it may have started or not
                    self._keeper.let_go()
                    raise
            held = self._keeper.held
        with held:
            pass

    def drop(self, user: object) -> None:
        """Nothing happens if the user has taken nothing."""
        with self._lock:
            keeper = self._keeper
            # First, so that no interrupt leaves a limit that nobody has taken.
            if self._users.keys() <= {id(user)}:
                keeper.let_go()
            self._users.pop(id(user), None)
            last = not self._users
        if last and keeper.started:
            with keeper.ended:
                pass

    def _lost(self, key: int) -> None:
        # Without the lock: a garbage collection may come upon this anywhere.
        self._users.pop(key, None)
        if not self._users:
            self._keeper.let_go()

    def _keep(self, keeper: _Keeper) -> None:
        keeper.started = True
        try:
            with self._turn:
                self.before = [blas.num_threads for blas in _blas()]
                with _controller().limit(limits=1, user_api="blas"):
                    keeper.hold()
                self.before = []
        finally:
            keeper.end()

    def forget(self) -> None:
        """In a child of a fork there is no keeper: lift the limit without it."""
        self._users.clear()
        for blas, threads in zip(_blas() if self.before else [], self.before, strict=True):
            blas.set_num_threads(threads)


class _Keeper:
    """What is said to and by the thread that holds a limit.

    Attributes
    ----------
    started : bool
        It runs.
    held, ended : Lock
        Free once the limit holds, and once it is lifted.
    """

    def __init__(self) -> None:
        self.started = self._holds = self._leaves = False
        self.held, self.ended = threading.Lock(), threading.Lock()
        self.held.acquire()
        self.ended.acquire()
        self._word: SimpleQueue[None] = SimpleQueue()

    def hold(self) -> None:
        self._holds = True
        self.held.release()
        self._word.get()
        self._leaves = True

    def end(self) -> None:
        self._leaves = True
        if not self._holds:  # there was no limit to be had, and nobody must wait for it
            self.held.release()
        self.ended.release()

    def let_go(self) -> None:
        self._word.put(None)

    def is_over(self) -> bool:
        """Whether it lifts the limit now, or has done so."""
        return self._leaves or not self._word.empty()


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
    left.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)


class Workers:
    """Threads for the length of a fit. Use it as a context manager.

    Slices have a fixed size, whatever the number of threads: so every result is
    the same to the last bit for every `n_jobs`.
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = effective_jobs(n_jobs)
        self._jobs: SimpleQueue[_Job | None] | None = None
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Workers:
        try:
            _one_blas_thread.take(self)
            self._jobs = SimpleQueue()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        try:
            jobs, self._jobs = self._jobs, None
            if jobs is not None:
                for _ in range(self.n_jobs):
                    jobs.put(None)
                for thread in self._threads:
                    thread.join()
                self._threads = []
        finally:
            _one_blas_thread.drop(self)

    def each(self, work: Callable[[int, int], None], total: int, size: int) -> None:
        """Call `work(start, stop)` for every slice of `size` out of `total`.

        The calling thread works too, and does not wait for one that has taken no slice: to wake it
        takes as long as some slices do.
        """
        helpers = min(self.n_jobs, -(-total // size)) - 1
        if self._jobs is None or helpers < 1:
            for start in range(0, total, size):
                work(start, min(start + size, total))
            return
        for _ in range(len(self._threads), helpers):
            # A thread that nobody knows, after an interrupt here, is no reason not to exit.
            thread = threading.Thread(
                target=_serve, args=(self._jobs,), name="medoids", daemon=True
            )
            self._threads.append(thread)
            thread.start()
        job = _Job(work, total, size)
        for _ in range(helpers):
            self._jobs.put(job)
        job.run()


def _serve(jobs: SimpleQueue[_Job | None]) -> None:
    """Help with jobs until there is a None."""
    while True:
        job = jobs.get()
        if job is None:
            return
        job.help()
        del job  # while this waits for the next one, what it works on may go


class _Job:
    """Slices that several threads take from, each one once."""

    def __init__(self, work: Callable[[int, int], None], total: int, size: int) -> None:
        self._work, self._total, self._size = work, total, size
        self._starts = iter(range(0, total, size))
        self._lock = threading.Lock()
        self._helping, self._is_over = 0, False
        self._left = threading.Lock()  # free once the last helper has left
        self._left.acquire()
        self._error: BaseException | None = None

    def run(self) -> None:
        """Do what others leave, and wait for those that have begun."""
        try:
            try:
                self._drain()
            finally:
                with self._lock:
                    self._is_over = True
                    helping = self._helping
                if helping:
                    self._left.acquire()
        except BaseException:
            self._stop()  # an interrupt may have come while this waited
            raise
        error, self._error = self._error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # its traceback leads back here

    def help(self) -> None:
        """Take slices, if there are any left."""
        with self._lock:
            if self._is_over:
                return
            self._helping += 1
        try:
            self._drain()
        except BaseException as error:
            self._error = error
        with self._lock:
            self._helping -= 1
            if self._is_over and not self._helping:
                self._left.release()

    def _drain(self) -> None:
        try:
            while (start := self._next()) is not None:
                self._work(start, min(start + self._size, self._total))
        except BaseException:
            self._stop()
            raise

    def _next(self) -> int | None:
        with self._lock:
            return next(self._starts, None)

    def _stop(self) -> None:
        """Nobody takes a further slice."""
        with self._lock:
            self._starts = iter(range(0))
