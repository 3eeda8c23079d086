"""The engine of a cluster: it sends orders to shards, and adds up what they say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from functools import reduce
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..._tuning import Tuning
from ..._types import Indices
from ..cpu.step import SLACK, Step, Whole
from ..protocol import Engine, Ids, Values
from .arms import DaskArms, Talk
from .orders import Entry, Ground, Keyed, Loaded, Order, Paid, StepOrder, add_parts
from .shard import REFERENCES
from .transport import Transport

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
        self.row_bytes = loaded.row_bytes
        sizes = [loaded.sizes[i] for i in range(len(loaded.sizes))]
        starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
        self.weighs = loaded.weights is not None and loaded.weights[0] < loaded.weights[1]
        heaviest = loaded.weights[1] if self.weighs and loaded.weights is not None else None
        scale = 1.0 if heaviest is None else 2.0 ** int(np.frexp(heaviest)[1])
        self.scale = scale
        self.first = self._first(n_clusters)
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
        found = self.ask(Order("references", args={"count": self.deepest}), [])
        keyed = reduce(Keyed.joined, found)
        self.references: Indices = keyed.lowest(self.deepest).ids
        self._levels: list[int] = [0]
        self.levels_up_to(self.first)

    def _first(self, n_clusters: int) -> int:
        """How many references every arm is measured on; all, where that is hardly more."""
        n, tuning = self.n, self.tuning
        if tuning.first_block is not None:
            return min(tuning.first_block, n)
        first = max(tuning.fewest_first, tuning.per_cluster * n_clusters)
        small = n**2 <= tuning.small_pairs
        return n if small or 2 * first >= n else first

    def levels_up_to(self, depth: int) -> list[str]:
        """The names of the stretches of references that reach so deep."""
        while self._levels[-1] < min(depth, self.deepest):
            start = self._levels[-1]
            stop = min(2 * start if start else self.first, self.deepest)
            self._send(self.references[start:stop], f"{REFERENCES}{len(self._levels) - 1}")
            self._levels.append(stop)
        count = int(np.searchsorted(self._levels, min(depth, self.deepest)))
        return [f"{REFERENCES}{i}" for i in range(max(count, 1))]

    def ask(self, order: Order, names: Sequence[str]) -> list[Any]:
        """What each shard says to an order."""
        answers = self.transport.ask(order, names)
        self.computed += sum(answer.computed for answer in answers)
        return [answer.said for answer in answers]

    def ask_one(self, order: Order, names: Sequence[str]) -> Any:
        answer = self.transport.ask_one(order, names)
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


class DaskEngine:
    """Points in partitions, and a search for medoids among them.

    See `Engine` for what each method promises. What has length n stays with the shards.
    """

    def __init__(self, common: Common, n_clusters: int) -> None:
        self.common, self.n_clusters = common, n_clusters
        self.n = self.n_rows = common.n
        self.n_arms = common.n if common.allowed is None else len(common.allowed)
        self._unit: float | None = None
        self._begin()

    def _begin(self) -> None:
        self.medoids: list[int] = []
        self.book = ""
        self._paid: Paid | None = None
        self.loss = np.inf
        self._after: dict[int, Values] = {}
        self._fresh = True

    @property
    def first(self) -> int:
        return self.common.first

    @property
    def n_distances(self) -> int:
        return self.common.computed

    @property
    def fixed(self) -> list[int]:
        return list(self.common.fixed)

    def _shared(self) -> tuple[float, bool]:
        """The unit, and whether no distance is below zero: shards agree on them."""
        if self._unit is None:
            found = self.common.ask_one(Order("settled"), self.names())
            self._unit, self._nonnegative = found
        return self._unit, self._nonnegative

    @property
    def unit(self) -> float:
        return self._shared()[0] * self.common.scale

    @property
    def nonnegative(self) -> bool:
        return self._shared()[1]

    # --- orders

    def names(self, *more: str) -> list[str]:
        """The rows that every order needs, and others."""
        found = [f"{REFERENCES}0", *([self.book] if self.book else []), *more]
        return list(dict.fromkeys(name for name in found if name))

    def order(self, word: str, **args: Any) -> Order:
        return Order(word, tuple(self.medoids), self.book, args)

    def _ask(self, word: str, names: Sequence[str] = (), **args: Any) -> list[Any]:
        return self.common.ask(self.order(word, **args), self.names(*names))

    # --- the medoids so far

    def start(self, medoids: Sequence[int]) -> None:
        if len(medoids):
            self._place([*self.medoids, *(int(medoid) for medoid in medoids)])

    def place(self, position: int, medoid: int) -> None:
        medoids = list(self.medoids)
        medoids[position : position + 1] = [int(medoid)]
        self._place(medoids)

    def _place(self, medoids: list[int]) -> None:
        old = self.book
        self.medoids, self.book = medoids, self.common.send(np.array(medoids), "medoids")
        found = [paid for some in self._ask("place") for paid in some]
        if old:
            self.common.transport.release(old)
        tuning = self.common.tuning
        heaviest = int(tuning.heaviest * self.first)
        self._paid = reduce(lambda a, b: a.joined(b, heaviest, tuning.seen), found)
        self.loss = math.fsum(self._paid.loss.ravel())
        self._after = {}

    def loss_after(self, position: int, medoid: int) -> float:
        if medoid not in self._after:
            self.confirm(np.array([medoid]), True)
        return float(self._after[medoid][position])

    def confirm(self, arms: Ids, swap: bool) -> tuple[Values, Ids]:
        entries, order = self.common.entries([int(arm) for arm in arms])
        names = [name for name, _ in entries]
        found = reduce(add_parts, self._ask("confirm", names, entries=entries, swap=swap))[order]
        before = [] if self._paid is None else (-self._paid.loss).ravel().tolist()
        values, positions = np.empty(len(arms)), np.zeros(len(arms), dtype=np.int64)
        for i, arm in enumerate(arms.tolist()):
            stays = found[i, 0].ravel().tolist()
            if not swap:
                values[i] = math.fsum(stays + before) / self.n
                continue
            whole = _compressed(stays)
            after, changes = np.full(len(self.medoids), np.inf), np.full(len(self.medoids), np.inf)
            for m in range(len(self.common.fixed), len(self.medoids)):
                parts = [*whole, *(-found[i, 0, m]).tolist(), *found[i, 1, m].tolist()]
                after[m], changes[m] = math.fsum(parts), math.fsum(parts + before)
            self._after[arm] = after
            positions[i] = changes.argmin()
            values[i] = changes[positions[i]] / self.n
        return values, positions

    def labels(self) -> NDArray[np.int32]:
        """All of them, here: a fit over a cluster asks for none, and leaves them there."""
        found: dict[int, Any] = {}
        for some in self._ask("labels"):
            found |= some
        return np.concatenate([found[start] for start in sorted(found)]).astype(np.int32)

    def draw(self, rng: np.random.Generator) -> int:
        return int(self._drawn(1, rng, by_pay=True)[0])

    def draw_some(self, count: int, rng: np.random.Generator) -> Ids:
        return self._drawn(count, rng, by_pay=False)

    def _drawn(self, count: int, rng: np.random.Generator, by_pay: bool) -> Ids:
        args = {"count": count, "by_pay": by_pay, "weighs": self.common.weighs}
        found = self._ask("draw", seed=int(rng.integers(2**62)), **args)
        drawn = reduce(Keyed.joined, found)
        return drawn.ids[np.lexsort((drawn.ids, drawn.values, drawn.keys))[:count]]

    def free(self) -> int:
        taken = set(self.medoids)
        rows = range(self.n) if self.common.allowed is None else self.common.allowed.tolist()
        return next(row for row in rows if row not in taken)

    def missed_least(self) -> int:
        removal = self._whole(True).removal.copy()
        removal[: len(self.common.fixed)] = np.inf
        return int(removal.argmin())

    def silhouette(self) -> float | None:
        if self._paid is None or len(self.medoids) < 2 or self._paid.lowest < 0:
            return None
        total, weight = self._paid.ratio
        return float(1 - total / weight)

    def best_among(self, some: Ids) -> int:
        name = self.common.send(some, "arms")
        order = Order("among", tuple(self.medoids), self.book, {"name": name, "medoids": self.book})
        sums = self.common.ask_one(order, self.names(name))
        self.common.transport.release(name)
        return int(some[sums.argmin()])

    # --- searches

    def _whole(self, swap: bool) -> Whole:
        """What a step is to know of all points."""
        paid = self._paid
        if paid is None:
            return Whole(self.n, 0.0, 0.0, np.zeros(1))
        nearest, second = (paid.sizes / self.n).tolist()
        removal = np.zeros(len(self.medoids))
        if swap and len(self.medoids) > 1:
            removal = (paid.second - paid.near) / self.n
        return Whole(self.n, nearest, second, removal)

    def _step(self, swap: bool, z: float) -> StepOrder:
        """The step as all shards are to see it: its strata, and what is known of all points."""
        paid, tuning, k = self._paid, self.common.tuning, max(len(self.medoids), 1)
        self.common.steps += 1
        whole, none = self._whole(swap), np.empty(0, dtype=np.int64)
        number, fresh, self._fresh = self.common.steps, self._fresh, False
        if paid is None:
            sizes, means = np.array([self.n, 0]), np.ones((1, 1))
            pairs = StepOrder.no_pairs()
            return StepOrder(
                number, swap, z, whole, sizes, means, pairs, none, none, "", fresh
            )
        heavy = paid.heavy
        if self.first < self.n:
            heavy = heavy.at(np.flatnonzero(-heavy.keys > tuning.heavy * whole.nearest))
        else:
            heavy = heavy.at(none)
        first = self.common.references[: self.first]
        most = max(min(tuning.seen, self.first // (4 * k)), 2)
        firsts = paid.firsts.lowest(most).ids
        more = np.unique(np.concatenate([firsts, heavy.ids]))
        more = more[~np.isin(more, first)] if self.first < self.n else none
        name = self.common.send_more(more)
        apart = np.bincount(heavy.groups, minlength=k)
        sizes = np.concatenate([paid.members - apart, apart])
        known = [paid.near] + ([paid.second] if swap and k > 1 else [])
        means = np.stack([paid.members, *known], axis=1) / self.n
        codes = heavy.groups * k + heavy.values.astype(np.int64)
        light = paid.pairs.sums[:, 0].astype(np.int64)
        for code in codes.tolist() if k > 1 else []:
            light[np.searchsorted(paid.pairs.codes, code)] -= 1
        return StepOrder(
            number, swap, z, whole, sizes, means, paid.pairs, light, heavy.ids, name, fresh
        )

    def screen(self, swap: bool, z: float) -> DaskArms:
        self.common.prune()
        talk = Talk(self, self._step(swap, z), self._stays(swap))
        return DaskArms.screened(talk)

    def _stays(self, swap: bool) -> Values:
        """What keeps a medoid that is fixed from going, as in `Step`."""
        stays = np.zeros(max(len(self.medoids), 1))
        if swap and len(stays) > 1:
            whole = self._whole(swap)
            stays[: len(self.common.fixed)] = 4 * (whole.nearest + whole.second)
        return stays

    def forget(self) -> None:
        self._fresh = True

    def seem_best(self, count: int) -> Ids:
        return np.sort(self.screen(False, 1.0).lowest(min(count, self.n_arms - len(self.medoids))))

    def place_best(self, arms: Ids) -> int:
        values, _ = self.confirm(arms, False)
        arm = int(arms[values == values.min()].min())
        self.place(len(self.medoids), arm)
        return arm

    def swap_in(self, arms: Ids, margin: float) -> int:
        done, left = 0, [arm for arm in arms.tolist() if arm not in self.medoids]
        while left:
            changes = self._changes(left)
            found = np.flatnonzero(changes.min(axis=1) < -margin)
            if not len(found):
                break
            at = int(found[0])
            self.place(int(changes[at].argmin()), left[at])
            done, left = done + 1, left[at + 1 :]
        return done

    def _changes(self, arms: list[int]) -> Values:
        """What each arm would change of the loss, in the place of each medoid: in float32."""
        entries, order = self.common.entries(arms)
        whole = self._whole(True)
        found = self._ask("look", [name for name, _ in entries], entries=entries, whole=whole)
        shared, extra = (sum(each[i] for each in found)[order] for i in range(2))
        return values_of(shared, extra, whole, self._stays(True), True) * self.n

    def sharpen(self) -> None:
        """The medoids' distances are in float64 always."""

    def prepared(self) -> Self:
        return self

    def fresh(self) -> Self:
        other = copy(self)
        other._begin()
        return other

    def again(self, n_clusters: int | None = None) -> Self:
        other = self.fresh()
        other.n_clusters = n_clusters or self.n_clusters
        return other


def values_of(shared: Values, extra: Values, whole: Whole, stays: Values, swap: bool) -> Values:
    """The values of arms' swaps, of sums over all points (as `Step.of_sums`)."""
    if not swap:
        return shared[:, None] / whole.n
    values = (shared[:, None] + extra) / whole.n
    return np.asarray(values + stays + (0.0 if Step.is_cancelled(whole) else whole.removal))


def slack_of(whole: Whole) -> float:
    """Values closer than this are the same to float32."""
    return SLACK * whole.nearest


def _compressed(parts: list[float]) -> list[float]:
    """A sum without rounding, in three parts."""
    found: list[float] = []
    for _ in range(3):
        found.append(math.fsum(parts + [-each for each in found]))
    return found


if TYPE_CHECKING:
    _offers: type[Engine] = DaskEngine
