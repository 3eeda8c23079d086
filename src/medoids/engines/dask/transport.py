"""How orders reach the shards, and rows of one reach all: in this process, or over a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..._threads import Workers
from ..._tuning import Tuning
from ..._types import Indices
from .answers import Loaded, join
from .holdings import Holdings, alone
from .orders import Ground, Order, Rows
from .part import Part
from .reader import Reader
from .shard import Shard


class Answer(NamedTuple):
    """What a shard says, or several together, and how many distances were computed for it."""

    said: Any
    computed: int

    def joined(self, other: Answer) -> Answer:
        return Answer(join(self.said, other.said), self.computed + other.computed)


class Transport(Protocol):
    """What an engine asks of the way to its shards.

    Attributes
    ----------
    shards : int
        How many there are.
    rounds : int
        Orders that were sent so far.
    """

    shards: int
    rounds: int

    def load(self) -> list[Loaded]:
        """Let every shard read its partitions."""

    def begin(self, ground: Ground) -> None:
        """What all have in common from now on."""

    def rows(self, ids: Indices, name: str) -> None:
        """Give some rows to every shard, under this name."""

    def release(self, name: str) -> None:
        """These rows are needed no more."""

    def laid_out(self, name: str, ground: Ground) -> Part:
        """Some rows, a few, here and laid out."""

    def ask(self, order: Order, names: Sequence[str]) -> Answer:
        """Send an order to all shards, with the rows that it needs; what they say together."""

    def ask_one(self, order: Order, names: Sequence[str]) -> Answer:
        """Send an order to one of them."""


class InProcess:
    """Shards in this process: for tests, and to see what a fit does without a cluster.

    Parameters
    ----------
    reader : callable
        Makes a `Reader`, one for each shard.
    partitions : sequence
        The things of each partition.
    groups : sequence of sequences of int
        Which partitions each shard has.
    weights : sequence, default=None
        Of each partition's rows.
    tuning : Tuning
    room : float
        Bytes for distances that a shard keeps.
    loses : callable, default=None
        Is asked before every order whether a shard, by its number, has been lost with all that
        it knew.
    """

    def __init__(
        self,
        reader: Callable[[], Reader],
        partitions: Sequence[Any],
        groups: Sequence[Sequence[int]],
        weights: Sequence[Any] | None,
        tuning: Tuning,
        room: float,
        loses: Callable[[int, Order], bool] | None = None,
    ) -> None:
        self.shards, self.rounds = len(groups), 0
        self._reader, self._partitions, self._groups = reader, partitions, groups
        self._weights, self._tuning, self._room, self._loses = weights, tuning, room, loses
        self._workers = Workers(1)
        self._made: dict[int, Shard] = {}
        self._payloads: dict[str, Rows] = {}

    def _shard(self, number: int) -> Shard:
        if number not in self._made:
            mine = self._groups[number]
            weights = None if self._weights is None else [self._weights[i] for i in mine]
            things = [self._partitions[i] for i in mine]
            given = self._reader(), mine, things, weights
            held = Holdings(*given, self._workers, self._tuning, self._room)
            self._made[number] = Shard(held)
        return self._made[number]

    def load(self) -> list[Loaded]:
        return [self._shard(i).load() for i in range(self.shards)]

    def begin(self, ground: Ground) -> None:
        self._ground = ground

    def rows(self, ids: Indices, name: str) -> None:
        starts = np.array(self._ground.starts)
        which = np.searchsorted(starts, ids, side="right") - 1
        parts, order, weights = [], [], []
        for i in np.unique(which):
            mine = np.flatnonzero(which == i)
            local = ids[mine] - starts[i]
            parts.append(Reader.pick(self._partitions[i], local))
            order.append(mine)
            if self._weights is not None:
                weights.append(np.asarray(self._weights[i], dtype=float)[local])
        back = np.argsort(np.concatenate(order))
        weighed = np.concatenate(weights)[back] if weights else None
        self._payloads[name] = Rows(ids, Reader.join(parts, back), weighed)

    def release(self, name: str) -> None:
        self._payloads.pop(name, None)

    def laid_out(self, name: str, ground: Ground) -> Part:
        return alone(self._reader(), self._payloads[name], ground)

    def ask(self, order: Order, names: Sequence[str]) -> Answer:
        self.rounds += 1
        return reduce(join, (self._ask(i, order, names) for i in range(self.shards)))

    def ask_one(self, order: Order, names: Sequence[str]) -> Answer:
        self.rounds += 1
        return self._ask(0, order, names)

    def _ask(self, number: int, order: Order, names: Sequence[str]) -> Answer:
        if self._loses is not None and self._loses(number, order):
            self._made.pop(number, None)
        shard = self._shard(number)
        payloads = {name: self._payloads[name] for name in names}
        said = shard.do(order, self._ground, payloads)
        return Answer(said, shard.take_count())
