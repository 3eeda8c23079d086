"""What runs on the workers of a cluster: shards, which answer messages of the client and of others.

A shard is made by a task, `load`, that its worker runs where the partitions are; Dask does the task
again elsewhere if the worker is lost. From then on rounds are messages to the worker itself (a
handler that `load` adds to it), not tasks: that takes 2 ms rather than 13. Messages go down a tree
of shards, and answers are joined on the way back. Rows that every shard needs come from the shard
above; the first one asks those that have them. Whatever is missing is asked for again.
"""

from __future__ import annotations

import asyncio
import pickle
import threading
import time
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from distributed import get_worker
from distributed.core import send_recv
from distributed.protocol import to_serialize
from distributed.utils import sync

from ..._memory import default_limit
from ..._threads import Workers
from ..._types import Indices
from . import freed
from .answers import join
from .holdings import Holdings
from .messages import Call, Fit, Placed, Reply, above_of, below_of, packed, unpacked
from .orders import Ground, Rows
from .shard import Shard
from .transport import Answer

# The share of a worker's memory for distances that are kept, if nobody says.
_SHARE = 0.3
# Shards that a worker remembers at most: those of fits that have ended badly make room.
_REMEMBERED = 64
# What workers are asked by, and seconds to reach another worker.
OP, _PATIENCE = "medoids", 10.0


class _Lost(Exception):
    """A shard that rows should come from could not be reached."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Served:
    """A shard, and the rows that it was given.

    Parameters
    ----------
    fit : Fit
    number : int
    shard : Shard
    things, weights : sequence
        What its partitions hold, as the user gave it; and the weights of their rows, or None.
    numbers : sequence of int
        Which partitions they are.
    """

    def __init__(
        self, fit: Fit, number: int, shard: Shard, numbers: Sequence[int], things: Any, weights: Any
    ) -> None:
        self.fit, self.number, self.shard = fit, number, shard
        self._things = dict(zip(numbers, things, strict=True))
        self._weights = None if weights is None else dict(zip(numbers, weights, strict=True))
        self._ids: dict[str, Indices] = {}
        self._rows: dict[str, asyncio.Future[Rows]] = {}
        self._ground: Ground | None = None

    def learn(self, call: Call) -> bool:
        """Take in what a call tells; whether it can be answered now."""
        for name in call.released:
            self._ids.pop(name, None)
            self._rows.pop(name, None)
        self._ids.update(call.ids)
        self._ground = call.ground or self._ground
        return self._ground is not None and all(name in self._ids for name in call.names)

    async def rows(self, name: str, call: Call, worker: Any) -> Rows:
        """Rows by their name, which are fetched once."""
        if name not in self._rows:
            self._rows[name] = asyncio.ensure_future(self._fetch(name, call, worker))
        try:
            return await asyncio.shield(self._rows[name])
        except Exception:  # to be asked for again
            self._rows.pop(name, None)
            raise

    async def _fetch(self, name: str, call: Call, worker: Any) -> Rows:
        above = above_of(self.number, len(call.places))
        if above is None:
            return await self._collect(self._ids[name], call, worker)
        # The one above may not have heard of them yet.
        ids = {name: self._ids[name]}
        asked = call._replace(order=None, names=(name,), ids=ids, ground=self._ground)
        found: Rows = await _ask(worker, above, {"what": "rows"}, asked)
        return found

    async def _collect(self, ids: Indices, call: Call, worker: Any) -> Rows:
        """Rows of several shards as one set, in their order."""
        assert self._ground is not None
        starts = np.array(self._ground.starts)
        which = np.searchsorted(starts, ids, side="right") - 1
        owner = np.array(self.fit.owners)[which]
        asked, order = [], []
        for shard in np.unique(owner).tolist():
            mine = np.flatnonzero(owner == shard)
            local = ids[mine] - starts[which[mine]]
            wanted = {"what": "take", "at": which[mine], "local": local}
            asked.append(_ask(worker, shard, wanted, call._replace(order=None, ids={})))
            order.append(mine)
        taken = await asyncio.gather(*asked)
        back = np.argsort(np.concatenate(order))
        weights = [some for _, some in taken if some is not None]
        weighed = np.concatenate(weights)[back] if weights else None
        return Rows(ids, self.fit.reader.join([some for some, _ in taken], back), weighed)

    def take(self, at: Indices, local: Indices) -> tuple[Any, Any]:
        """Some rows of the partitions, and their weights."""
        parts, order, weighed = [], [], []
        for i in np.unique(at).tolist():
            mine = np.flatnonzero(at == i)
            parts.append(self.fit.reader.pick(self._things[i], local[mine]))
            order.append(mine)
            if self._weights is not None:
                weighed.append(np.asarray(self._weights[i], dtype=np.float64)[local[mine]])
        back = np.argsort(np.concatenate(order))
        found = np.concatenate(weighed)[back] if weighed else None
        return self.fit.reader.join(parts, back), found

    def do(self, call: Call, rows: dict[str, Rows]) -> Reply:
        """What the shard says to the order of a call."""
        assert call.order is not None
        assert self._ground is not None
        start = time.perf_counter()
        try:
            with self.shard.turn, self.shard.workers:
                said = self.shard.do(call.order, self._ground, rows)
                answer = Answer(said, self.shard.take_count())
        except Exception as error:  # the client raises it
            return Reply(error=error)
        return Reply(answer, seconds=time.perf_counter() - start)


_served: dict[tuple[str, int], Served] = {}
_lock = threading.Lock()


# --- tasks


def load(fit: Fit, number: int, numbers: Sequence[int], things: Any, weights: Any) -> Placed:
    """Make a shard of partitions that are here."""
    worker = get_worker()
    worker.handlers[OP] = _Handler(worker).medoids
    with _lock:
        served = _served.get((fit.name, number))
    if served is None:
        jobs = fit.jobs or worker.state.nthreads
        limit = worker.memory_manager.memory_limit
        room = _SHARE * limit if limit else default_limit()
        things = [list(each) if _is_stream(each) else each for each in things]
        held = Holdings(fit.reader, numbers, things, weights, Workers(jobs), fit.tuning, room)
        served = Served(fit, number, Shard(held), numbers, things, weights)
        with _lock:
            while len(_served) >= _REMEMBERED:
                _served.pop(next(iter(_served)))
            served = _served.setdefault((fit.name, number), served)
            freed.keep()
    with served.shard.turn, served.shard.workers:
        return Placed(served.shard.load(), worker.address)


def _is_stream(things: Any) -> bool:
    """Whether a partition of a bag is no list yet."""
    return not hasattr(things, "shape") and not isinstance(things, list)


def answer(call: bytes, number: int) -> Reply:
    """A round as a task: what one shard says."""
    asked: Call = pickle.loads(call)
    served = _served.get((asked.fit, number))
    if served is None:
        return Reply(lost=(number,))
    worker = get_worker()
    found = sync(worker.loop, _rows_for, served, asked, worker)
    return found if isinstance(found, Reply) else served.do(asked, found)


def forget(name: str) -> None:
    """A fit is over."""
    with _lock:
        for key in [key for key in _served if key[0] == name]:
            del _served[key]
        if not _served:
            freed.give_back()


# --- messages


class _Handler:
    """Answers messages of other processes to a worker.

    A call comes with what is wanted: "answer" that of shards and of those below them, "rows" those
    of a shard, "take" some rows of its partitions.
    """

    def __init__(self, worker: Any) -> None:
        self._worker = worker

    async def medoids(
        self, call: bytes, what: str, numbers: Sequence[int], args: bytes = b""
    ) -> dict[str, Any]:
        more = pickle.loads(args) if args else {}
        asked: Call = pickle.loads(call)
        said = await self.answer(asked, call, what, numbers, **more)
        is_short = what == "answer" and asked.order is not None  # else it is rows
        return {"status": "OK", "said": packed(said) if is_short else to_serialize(said)}

    async def answer(
        self, asked: Call, call: bytes | None, what: str, numbers: Sequence[int], **args: Any
    ) -> Any:
        worker = self._worker
        if what == "answer":
            mine = [i for i in numbers if asked.places[i] == worker.address]
            every = await asyncio.gather(*(self._below(asked, call, i) for i in mine))
            return reduce(join, every, None)
        served = _served.get((asked.fit, numbers[0]))
        if served is None:
            raise _Lost(numbers[0])
        if what == "take":
            return served.take(**args)
        served.learn(asked)
        return await served.rows(asked.names[0], asked, worker)

    async def _below(self, asked: Call, call: bytes | None, number: int) -> Reply:
        """What a shard says and those below it, at the same time."""
        below = range(0) if asked.alone else below_of(number, len(asked.places))
        every = [_ask_below(self._worker, i, asked, call) for i in below]
        found = await asyncio.gather(_answer(self._worker, number, asked), *every)
        return reduce(Reply.joined, found)


async def _answer(worker: Any, number: int, asked: Call) -> Reply:
    served = _served.get((asked.fit, number))
    if served is None:
        return Reply(lost=(number,))
    found = await _rows_for(served, asked, worker)
    if isinstance(found, Reply):
        return found
    if asked.order is None:
        return Reply(Answer(found[asked.names[0]], 0))
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(worker.executors["default"], served.do, asked, found)


async def _rows_for(served: Served, asked: Call, worker: Any) -> dict[str, Rows] | Reply:
    """The rows that a call needs; or what to say, if they cannot be had."""
    if not served.learn(asked):
        return Reply(lacks=True)
    try:
        every = await asyncio.gather(*(served.rows(name, asked, worker) for name in asked.names))
    except _Lost as lost:
        return Reply(lost=(lost.number,))
    except Exception as error:  # the client raises it
        return Reply(error=error)
    return dict(zip(asked.names, every, strict=True))


async def _ask_below(worker: Any, number: int, asked: Call, call: bytes | None) -> Reply:
    try:
        found = await _send(worker, asked.places[number], asked, call, "answer", (number,))
    except _Lost:
        found = None
    reply: Reply = found or Reply(lost=(number,))
    return reply


async def _ask(worker: Any, number: int, wanted: dict[str, Any], asked: Call) -> Any:
    """What another shard gives; `_Lost` if it does not."""
    try:
        address = asked.places[number]
        return await _send(worker, address, asked, None, numbers=(number,), **wanted)
    except _Lost:
        raise _Lost(number) from None


async def _send(
    worker: Any, address: str, asked: Call, call: bytes | None, what: str, numbers: Any, **args: Any
) -> Any:
    """Send a call to a worker, perhaps to this one."""
    if address == worker.address:
        return await _Handler(worker).answer(asked, call, what, numbers, **args)
    message = pickle.dumps(asked) if call is None else call
    try:
        comm = await worker.rpc.connect(address, timeout=_PATIENCE)
        try:
            sent = {"call": message, "what": what, "numbers": numbers, "args": pickle.dumps(args)}
            found = await send_recv(comm, op=OP, **sent)
        finally:
            worker.rpc.reuse(address, comm)
    except (TimeoutError, OSError, _Lost):
        raise _Lost(-1) from None
    return unpacked(found["said"])
