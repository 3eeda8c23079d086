"""What engines on the same shards share: the way to them, and the rows that all of them have."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from ..._tuning import Tuning
from ..._types import Floats, Indices
from ..cpu.step import Step, Whole
from ..protocol import Values
from .answers import Keyed, Loaded
from .orders import REFERENCES, Entry, Ground, Order
from .transport import Answer, Transport

# References go no deeper than so many times the first ones: each is a row that all workers get.
_DEEPEST = 16
# Sets of rows that are kept for arms that are looked at again.
_KEPT = 24


class Common:
    """What all engines on the same shards share.

    Parameters
    ----------
    transport : Transport
    n_clusters : int
    seed : int
        Of the order of the references.
    tuning : Tuning
    fixed : sequence of int, default=()
        Rows that are medoids, the first ones, and stay.
    allowed : ndarray of int, default=None
        The rows that may be medoids, those that are fixed among them. None: all.
    room : float, default=None
        Bytes for distances that each worker keeps. None is a share of its memory.
    loaded : Loaded, default=None
        What the shards know, if they were asked before.

    Attributes
    ----------
    references : ndarray of int
        The first rows in the order of the references.
    deepest : int
        How many these are.
    computed : int
        Distances computed so far.
    broadcast : float
        Bytes of rows that went to the shards, about.
    row_bytes, cost : float
        How much a row takes, about; and how many nanoseconds a distance does.
    """

    def __init__(
        self,
        transport: Transport,
        n_clusters: int,
        seed: int,
        tuning: Tuning,
        fixed: Sequence[int] = (),
        allowed: Indices | None = None,
        room: float | None = None,
        loaded: Loaded | None = None,
    ) -> None:
        self.transport, self.tuning, self.fixed, self.allowed = transport, tuning, fixed, allowed
        loaded = load(transport) if loaded is None else loaded
        assert loaded.described is not None
        self.n = loaded.described.n
        self.row_bytes, self.cost = loaded.row_bytes, loaded.cost
        sizes = [loaded.sizes[i] for i in range(len(loaded.sizes))]
        starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
        self.weighs = loaded.weights is not None and loaded.weights[0] < loaded.weights[1]
        heaviest = loaded.weights[1] if self.weighs and loaded.weights is not None else None
        scale = 1.0 if heaviest is None else 2.0 ** int(np.frexp(heaviest)[1])
        self.scale = scale
        held = loaded.room if room is None else room * transport.shards
        in_bytes = loaded.described.marks is not None
        self.first = self._first(n_clusters, held, in_bytes)
        self.ground = Ground(
            self.n, tuple(starts.tolist()), loaded.described, seed, self.first, n_clusters, scale,
            None if heaviest is None else heaviest / scale, len(fixed), allowed, room,
        )  # fmt: skip
        transport.begin(self.ground)
        self.computed, self.broadcast = 0, 0.0
        self._names = 0
        self.steps = 0
        self.held: dict[int, tuple[str, int]] = {}
        self._sets: list[str] = []
        self._more: tuple[Indices, str] = np.empty(0, dtype=np.int64), ""
        self.deepest = min(self.n, _DEEPEST * self.first)
        keyed: Keyed = self.ask(Order("references", args={"count": self.deepest}), [])
        self.references: Indices = keyed.lowest(self.deepest).ids
        self._levels: list[int] = [0]
        self.levels_up_to(self.first)

    def _first(self, n_clusters: int, room: float, in_bytes: bool) -> int:
        """How many references every arm is measured on; all, where that is hardly more.

        Fewer, where their distances cannot be kept: they are computed in every step then.
        """
        n, tuning = self.n, self.tuning
        if tuning.first_block is not None:
            return min(tuning.first_block, n)
        each = tuning.per_cluster_bytes if in_bytes else tuning.per_cluster
        first = max(tuning.fewest_first, each * n_clusters)
        small = n**2 <= tuning.small_pairs
        if small or 2 * first >= n:
            return n
        kept = int(tuning.columns * room / (4.0 * n) / 1.25)  # a quarter more are seen besides
        return max(min(first, kept), tuning.fewest_first)

    def levels_up_to(self, depth: int) -> list[str]:
        """The names of the stretches of references that reach so deep."""
        while self._levels[-1] < min(depth, self.deepest):
            start = self._levels[-1]
            stop = min(2 * start if start else self.first, self.deepest)
            self._send(self.references[start:stop], f"{REFERENCES}{len(self._levels) - 1}")
            self._levels.append(stop)
        count = int(np.searchsorted(self._levels, min(depth, self.deepest)))
        return [f"{REFERENCES}{i}" for i in range(max(count, 1))]

    @property
    def reached(self) -> int:
        """How many references the shards were given."""
        return self._levels[-1]

    def some_points(self, size: int, which: int) -> tuple[Floats, Indices]:
        """The distances between some rows, which are others for each `which`; and these rows.

        They are the last ones in the order of the references.
        """
        count = min((which + 1) * size, self.n)
        last: Keyed = self.ask(Order("references", args={"count": count, "last": True}), [])
        order = np.lexsort((last.ids, last.keys))
        places = np.arange(which * size, (which + 1) * size) % self.n
        ids = np.sort(last.ids[order[places]])
        name = self.send(ids, "rehearsed")
        part = self.transport.laid_out(name, self.ground)
        self.transport.release(name)
        block = np.empty((size, size), dtype=np.float32)
        part.measure(part.side, np.arange(size), block)
        self.computed += size**2
        return block, ids

    def ask(self, order: Order, names: Sequence[str]) -> Any:
        """What all shards together say to an order."""
        return self._counted(self.transport.ask(order, names))

    def ask_one(self, order: Order, names: Sequence[str]) -> Any:
        """What any one of them does."""
        return self._counted(self.transport.ask_one(order, names))

    def _counted(self, answer: Answer) -> Any:
        self.computed += answer.computed
        return answer.said

    def _send(self, ids: Indices, name: str) -> None:
        self.transport.rows(np.asarray(ids, dtype=np.int64), name)
        self.broadcast += self.row_bytes * len(ids) * self.transport.shards

    def send(self, ids: Indices, what: str) -> str:
        """Give rows to all shards; under which name."""
        self._names += 1
        name = f"{what}-{self._names}"
        self._send(ids, name)
        return name

    def send_more(self, ids: Indices) -> str:
        """Give further references to all shards, unless they are those of the step before."""
        if not len(ids):
            return ""
        if not np.array_equal(ids, self._more[0]):
            if self._more[1]:
                self.transport.release(self._more[1])
            self._more = ids, self.send(ids, "more")
        return self._more[1]

    def entries(self, arms: Sequence[int]) -> tuple[list[Entry], Indices]:
        """Where the rows of arms are, which go to all shards if they have not; and in what order.

        The second tells for each arm which of those entries' it is.
        """
        new = [arm for arm in arms if arm not in self.held]
        if new:
            name = self.send(np.array(new), "arms")
            self._sets.append(name)
            self.held |= {arm: (name, i) for i, arm in enumerate(new)}
        places: dict[str, list[int]] = {}
        at: dict[str, list[int]] = {}
        for i, arm in enumerate(arms):
            name, place = self.held[arm]
            places.setdefault(name, []).append(place)
            at.setdefault(name, []).append(i)
        order = np.argsort(np.concatenate([np.array(some) for some in at.values()]))
        return [(name, np.array(some)) for name, some in places.items()], order

    @staticmethod
    def names(book: str, *more: str) -> list[str]:
        """The rows that every order needs, those of the medoids, and others."""
        return list(dict.fromkeys(name for name in (f"{REFERENCES}0", book, *more) if name))

    def prune(self) -> None:
        """Rows that nobody has looked at for long are needed no more."""
        for name in self._sets[:-_KEPT]:
            self.transport.release(name)
        self._sets = self._sets[-_KEPT:]
        kept = set(self._sets)
        self.held = {arm: where for arm, where in self.held.items() if where[0] in kept}


def load(transport: Transport) -> Loaded:
    """What all shards know of their partitions."""
    return reduce(Loaded.joined, transport.load())


def values_of(shared: Values, extra: Values, whole: Whole, stays: Values, swap: bool) -> Values:
    """The values of arms' swaps, of sums over all points (as `Step.of_sums`)."""
    if not swap:
        return shared[:, None] / whole.n
    lost = 0.0 if Step.is_cancelled(whole) else whole.lost
    return np.asarray((shared[:, None] + extra + lost) / whole.n + stays)
