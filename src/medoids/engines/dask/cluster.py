"""The way to shards on the workers of a `distributed` cluster.

A round is one message of the client, which the scheduler passes on (`serving` has the rest of its
way). Rounds that take long go as tasks: then the dashboard shows them, and the scheduler knows that
the workers are busy. A shard is where the result of its task `load` is. If a worker is lost, Dask
makes its partitions and shards again; who does not know of a round is told again.
"""

from __future__ import annotations

import asyncio
import pickle
import uuid
from collections.abc import Sequence
from functools import reduce
from typing import Any

from distributed import Client, Future, wait

from ..._tuning import Tuning
from ..._types import Indices
from . import serving
from .answers import Loaded
from .holdings import alone
from .messages import FAN, Call, Fit, Placed, Reply, unpacked
from .orders import Ground, Order, Rows
from .part import Part
from .reader import Reader
from .serving import OP
from .transport import Answer

# Seconds that a round of tasks takes, and each of its tasks; a round is long that takes so many
# times as much.
_ROUND, _TASK, _LONG = 0.010, 0.004, 50.0
# After so many seconds without an answer the shards are looked for.
_PATIENCE = 1.0
# A round that is lost so often is given up.
_ATTEMPTS = 10


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

    Attributes
    ----------
    long : float
        Rounds that took so many seconds go as tasks when they come again.
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
        self.rounds = self._sent = 0
        self._asked: list[Future] = []
        self._ids: dict[str, Indices] = {}
        self._new: dict[str, Indices] = {}
        self._released: list[str] = []
        self._ground: Ground | None = None
        self._tell_ground = True
        self._took: dict[str, float] = {}
        placed = self._placed()
        self._places, self._numbers = [each[0] for each in placed], [each[1] for each in placed]
        self.shards = len(placed)
        self.long = _LONG * (_ROUND + self.shards * _TASK)
        owners = {i: shard for shard, numbers in enumerate(self._numbers) for i in numbers}
        order = tuple(owners[i] for i in range(len(self._partitions)))
        self._fit = Fit(self._name, order, reader, tuning, jobs)
        self._tokens: list[Future] = []

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
        return sorted(evened(groups).items())

    def _submit(self, word: str, shard: int, work: Any, *args: Any) -> Future:
        worker = self._places[shard]
        self._sent += 1
        return self._client.submit(
            work, *args, key=f"{word}-{self._name}-{self._sent}", pure=False,
            workers=[worker] if worker else None, allow_other_workers=bool(worker),
        )  # fmt: skip

    # --- shards

    def load(self) -> list[Loaded]:
        self._tokens = [self._load(i) for i in range(self.shards)]
        return [placed.loaded for placed in self._look()]

    def _load(self, shard: int) -> Future:
        numbers = self._numbers[shard]
        things = [self._partitions[i] for i in numbers]
        weights = None if self._weights is None else [self._weights[i] for i in numbers]
        work = serving.load, self._fit, shard, numbers, things, weights
        return self._submit("load", shard, *work)

    def _look(self) -> list[Placed]:
        """Where the shards are, as soon as all are somewhere."""
        self._asked = self._tokens
        found: list[Placed] = self._client.gather(self._tokens)
        self._places = [placed.worker for placed in found]
        return found

    def _find(self, lost: Sequence[int]) -> None:
        """Some shards are not where they were: find them, or make them again."""
        before = list(self._places)
        self._look()
        for shard in sorted(set(lost)):
            if self._places[shard] == before[shard]:  # it is there, but does not know the shard
                self._tokens[shard] = self._load(shard)
        self._look()

    # --- rows

    def begin(self, ground: Ground) -> None:
        self._ground, self._tell_ground = ground, True

    def rows(self, ids: Indices, name: str) -> None:
        self._ids[name] = self._new[name] = ids

    def release(self, name: str) -> None:
        self._new.pop(name, None)
        if self._ids.pop(name, None) is not None:
            self._released.append(name)

    def fetch(self, name: str) -> Rows:
        """Rows that all shards have, here: a few."""
        answer = self._ask(None, [name], [0])
        rows: Rows = answer.said
        return rows

    def laid_out(self, name: str, ground: Ground) -> Part:
        return alone(self._fit.reader, self.fetch(name), ground)

    # --- rounds

    def ask(self, order: Order, names: Sequence[str]) -> Answer:
        self.rounds += 1
        return self._ask(order, names, range(self.shards))

    def ask_one(self, order: Order, names: Sequence[str]) -> Answer:
        self.rounds += 1
        return self._ask(order, names, [0])

    def _ask(self, order: Order | None, names: Sequence[str], shards: Sequence[int]) -> Answer:
        word = "" if order is None else order.word
        is_long = self._took.get(word, 0.0) >= self.long and bool(word)
        every = False
        for _ in range(_ATTEMPTS):
            ids = self._ids if every else self._new
            ground = self._ground if every or self._tell_ground else None
            released, alone = tuple(self._released), len(shards) == 1
            call = Call(
                self._name, tuple(self._places), order, tuple(names), ids, released, ground, alone
            )
            packed = pickle.dumps(call)
            reply = self._tasks(packed, word, shards) if is_long else self._send(packed, shards)
            if reply.error is not None:
                raise reply.error
            if reply.lost:
                self._find(reply.lost)
            if not reply.lost and not reply.lacks:
                break
            every = True
        else:
            raise RuntimeError(
                f"a round ({word}) was lost {_ATTEMPTS} times: workers are lost, or cannot reach"
                " each other. Look at their logs, and fit again."
            )
        if not alone:
            self._new, self._tell_ground = {}, False
            self._released = []
        self._took[word] = reply.seconds
        assert reply.answer is not None
        return reply.answer

    def _tasks(self, call: bytes, word: str, shards: Sequence[int]) -> Reply:
        """Ask every shard by a task."""
        self._asked = [self._submit(word, i, serving.answer, call, i) for i in shards]
        found: list[Reply] = self._client.gather(self._asked)
        return reduce(Reply.joined, found)

    def _send(self, call: bytes, shards: Sequence[int]) -> Reply:
        """Ask shards by one message: the first ones pass it on."""
        first = list(shards)[:FAN]
        found = self._client.sync(self._broadcast, call, first)
        if found is None:
            return Reply(lost=tuple(first))
        replies: list[Reply] = []
        for i in first:
            said = found.get(self._places[i])
            if not isinstance(said, dict) or said.get("said") is None:
                replies.append(Reply(lost=(i,)))
        for said in found.values():
            if isinstance(said, dict) and said.get("said") is not None:
                replies.append(unpacked(said["said"]))
        return reduce(Reply.joined, replies)

    async def _broadcast(self, call: bytes, shards: list[int]) -> dict[str, Any] | None:
        """What each worker says, or how it fails; None if a shard has moved meanwhile."""
        places = sorted({self._places[i] for i in shards})
        message = {"op": OP, "call": call, "what": "answer", "numbers": shards}
        scheduler: Any = self._client.scheduler
        asked = asyncio.ensure_future(
            scheduler.broadcast(msg=message, workers=places, on_error="return_pickle")
        )
        while True:
            done, _ = await asyncio.wait({asked}, timeout=_PATIENCE)
            if done:
                found: dict[str, Any] = asked.result()
                return found
            holders = await scheduler.who_has(keys=[token.key for token in self._tokens])
            pairs = zip(self._tokens, self._places, strict=True)
            if any(place not in holders.get(token.key, ()) for token, place in pairs):
                asked.cancel()
                return None

    def close(self, cancel: bool = False) -> None:
        """Let the workers forget this fit; what they still do is cancelled."""
        if cancel:
            self._client.cancel(self._asked, force=True)
        self._asked, self._tokens = [], []
        if self._client.status == "running":
            self._client.run(serving.forget, self._name, on_error="ignore")


def evened(groups: dict[str, list[int]]) -> dict[str, list[int]]:
    """The partitions of each worker, so moved that none has two more than another.

    All wait for the slowest of them in every round: to move a partition costs less.
    """
    found = {worker: list(numbers) for worker, numbers in groups.items()}
    while True:
        most = max(found, key=lambda worker: (len(found[worker]), worker))
        least = min(found, key=lambda worker: (len(found[worker]), worker))
        if len(found[most]) - len(found[least]) < 2:
            return {worker: sorted(numbers) for worker, numbers in found.items()}
        found[least].append(found[most].pop())
