"""Shards on the workers of a `distributed` cluster.

An order is one task for each shard, which its worker runs where the partitions are. What a shard
knows stays in the worker's memory, beside the tasks; it follows from the partitions and the order,
so a task that comes to a worker that does not know it makes it again. Rows that all workers get go
from worker to worker. They are results of tasks too, so none of them is lost with its worker.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from distributed import Client, Future, get_worker, wait

from ..._memory import default_limit
from ..._threads import Workers
from ..._tuning import Tuning
from ..._types import Indices
from .holdings import Holdings
from .orders import Ground, Loaded, Order, Rows
from .reader import Reader
from .shard import Shard
from .transport import Answer

# The share of a worker's memory for distances that are kept, if nobody says.
_SHARE = 0.3
# Shards that a worker remembers at most: those of fits that have ended badly make room.
_REMEMBERED = 64


class _Fit(NamedTuple):
    """What every task of a fit is given.

    Attributes
    ----------
    name : str
        It is like no other.
    reader : Reader
    tuning : Tuning
    jobs : int or None
        Threads of a shard; None is as many as its worker has.
    """

    name: str
    reader: Reader
    tuning: Tuning
    jobs: int | None


class _Told(NamedTuple):
    """An answer, and the worker that gave it."""

    answer: Answer | Loaded
    worker: str


class OnCluster:
    """The way to shards on a cluster: one for each worker that holds partitions.

    Parameters
    ----------
    client : Client
    partitions : sequence of Future
        What each partition holds.
    weights : sequence of Future or None
        The weights of its rows.
    reader : Reader
    tuning : Tuning
    jobs : int or None
        Threads of a shard; None is as many as its worker has.
    """

    def __init__(
        self,
        client: Client,
        partitions: Sequence[Future],
        weights: Sequence[Future] | None,
        reader: Reader,
        tuning: Tuning,
        jobs: int | None,
    ) -> None:
        self._client, self._partitions, self._weights = client, list(partitions), weights
        self._name = uuid.uuid4().hex[:12]
        self._fit = _Opaque(_Fit(self._name, reader, tuning, jobs))
        self.rounds = self._sent = 0
        self._asked: list[Future] = []
        self._payloads: dict[str, Future] = {}
        self._groups = self._placed()
        self.shards = len(self._groups)

    def _placed(self) -> list[tuple[str, list[int]]]:
        """Which worker has which partitions."""
        wait(self._partitions)
        for number, future in enumerate(self._partitions):
            if future.status == "error":
                future.result()  # raises what has gone wrong
            if future.status == "cancelled":
                raise RuntimeError(f"partition {number} of X was cancelled: compute it again.")
        holders = self._client.who_has(self._partitions)
        groups: dict[str, list[int]] = {}
        counts: dict[str, int] = {}
        for number, future in enumerate(self._partitions):
            workers = sorted(holders.get(future.key, ())) or [""]
            worker = min(workers, key=lambda each: counts.get(each, 0))
            groups.setdefault(worker, []).append(number)
            counts[worker] = counts.get(worker, 0) + 1
        return sorted(groups.items())

    def _mine(self, shard: int) -> tuple[list[Future], list[Future] | None]:
        numbers = self._groups[shard][1]
        weights = None if self._weights is None else [self._weights[i] for i in numbers]
        return [self._partitions[i] for i in numbers], weights

    def _submit(self, word: str, shard: int, work: Any, *args: Any) -> Future:
        worker = self._groups[shard][0]
        self._sent += 1
        return self._client.submit(
            work, *args, key=f"{word}-{self._name}-{self._sent}", pure=False,
            workers=[worker] if worker else None, allow_other_workers=bool(worker),
        )  # fmt: skip

    def _gather(self, futures: list[Future], shards: Sequence[int]) -> list[Any]:
        self._asked = futures
        told: list[_Told] = self._client.gather(futures)
        for shard, each in zip(shards, told, strict=True):
            # Where the shard is now: it may have had to move.
            self._groups[shard] = each.worker, self._groups[shard][1]
        return [each.answer for each in told]

    def load(self) -> list[Loaded]:
        every = range(self.shards)
        futures = [
            self._submit("load", i, _load, self._fit, i, self._groups[i][1], *self._mine(i))
            for i in every
        ]
        return self._gather(futures, every)

    def begin(self, ground: Ground) -> None:
        self._starts = np.array(ground.starts)
        key = f"ground-{self._name}"
        self._ground = self._client.submit(_same, _Opaque(ground), key=key, pure=False)

    def rows(self, ids: Indices, name: str) -> None:
        which = np.searchsorted(self._starts, ids, side="right") - 1
        taken, order = [], []
        for shard, (_, numbers) in enumerate(self._groups):
            mine = np.flatnonzero(np.isin(which, numbers))
            if len(mine):
                at = np.array([numbers.index(int(i)) for i in which[mine]])
                local = ids[mine] - self._starts[which[mine]]
                args = self._fit, *self._mine(shard), at, local
                taken.append(self._submit(f"take_{name.split('-')[0]}", shard, _take, *args))
                order.append(mine)
        back = np.argsort(np.concatenate(order))
        self._sent += 1
        key = f"broadcast_{name.split('-')[0]}-{self._name}-{self._sent}"
        self._payloads[name] = self._client.submit(
            _collect, self._fit, ids, taken, back, key=key, pure=False
        )

    def release(self, name: str) -> None:
        self._payloads.pop(name, None)

    def fetch(self, name: str) -> Rows:
        """Rows that all shards have, here: a few."""
        found: _Opaque = self._payloads[name].result()
        rows: Rows = found.held
        return rows

    def ask(self, order: Order, names: Sequence[str]) -> list[Answer]:
        self.rounds += 1
        every = range(self.shards)
        return self._gather([self._order(i, order, names) for i in every], every)

    def ask_one(self, order: Order, names: Sequence[str]) -> Answer:
        self.rounds += 1
        answer: Answer = self._gather([self._order(0, order, names)], [0])[0]
        return answer

    def _order(self, shard: int, order: Order, names: Sequence[str]) -> Future:
        payloads = {name: self._payloads[name] for name in names}
        things, weights = self._mine(shard)
        return self._submit(
            order.word, shard, _work, self._fit, shard, self._groups[shard][1], things, weights,
            self._ground, payloads, _Opaque(order),
        )  # fmt: skip

    def close(self, cancel: bool = False) -> None:
        """Let the workers forget this fit; what they still do is cancelled."""
        if cancel:
            self._client.cancel([*self._asked, *self._payloads.values()], force=True)
        self._payloads, self._asked = {}, []
        if self._client.status == "running":
            self._client.run(_forget, self._name, on_error="ignore")


class _Opaque:
    """Holds a value that a task is given as it is: nobody looks for tasks inside."""

    def __init__(self, held: Any) -> None:
        self.held = held


# --- what runs on workers

_shards: dict[tuple[str, int], Shard] = {}
_lock = threading.Lock()


def _same(value: Any) -> Any:
    return value


def _shard(
    fit: _Fit, number: int, numbers: Sequence[int], things: Sequence[Any], weights: Any
) -> Shard:
    """A shard as this worker knows it, or made again."""
    with _lock:
        if (fit.name, number) in _shards:
            return _shards[fit.name, number]
    worker = get_worker()
    jobs = fit.jobs or worker.state.nthreads
    limit = worker.memory_manager.memory_limit
    room = _SHARE * limit if limit else default_limit()
    things = [list(each) if _is_stream(each) else each for each in things]
    held = Holdings(fit.reader, numbers, things, weights, Workers(jobs), fit.tuning, room)
    shard = Shard(held)
    with _lock:
        while len(_shards) >= _REMEMBERED:
            _shards.pop(next(iter(_shards)))
        return _shards.setdefault((fit.name, number), shard)


def _is_stream(things: Any) -> bool:
    """Whether a partition of a bag is no list yet."""
    return not hasattr(things, "shape") and not isinstance(things, list)


def _load(
    fit: _Opaque, number: int, numbers: Sequence[int], things: Sequence[Any], weights: Any
) -> _Told:
    shard = _shard(fit.held, number, numbers, things, weights)
    with shard.turn, shard.workers:
        return _Told(shard.load(), get_worker().address)


def _work(
    fit: _Opaque, number: int, numbers: Sequence[int], things: Sequence[Any], weights: Any,
    ground: _Opaque, payloads: dict[str, _Opaque], order: _Opaque,
) -> _Told:  # fmt: skip
    shard = _shard(fit.held, number, numbers, things, weights)
    rows = {name: payload.held for name, payload in payloads.items()}
    with shard.turn, shard.workers:
        said = shard.do(order.held, ground.held, rows)
        return _Told(Answer(said, shard.take_count()), get_worker().address)


def _take(
    fit: _Opaque, things: Sequence[Any], weights: Any, at: Indices, local: Indices
) -> _Opaque:
    """Some rows of a shard's partitions."""
    reader, parts, order, weighed = fit.held.reader, [], [], []
    for i in np.unique(at):
        mine = np.flatnonzero(at == i)
        some = list(things[i]) if _is_stream(things[i]) else things[i]
        parts.append(reader.pick(some, local[mine]))
        order.append(mine)
        if weights is not None:
            weighed.append(np.asarray(weights[i], dtype=np.float64)[local[mine]])
    back = np.argsort(np.concatenate(order))
    found = np.concatenate(weighed)[back] if weighed else None
    return _Opaque((reader.join(parts, back), found))


def _collect(fit: _Opaque, ids: Indices, taken: Sequence[_Opaque], back: Indices) -> _Opaque:
    """Rows of several shards as one set, in their order."""
    parts = [each.held[0] for each in taken]
    weights = [each.held[1] for each in taken if each.held[1] is not None]
    weighed = np.concatenate(weights)[back] if weights else None
    return _Opaque(Rows(ids, fit.held.reader.join(parts, back), weighed))


def _forget(name: str) -> None:
    with _lock:
        for key in [key for key in _shards if key[0] == name]:
            del _shards[key]
