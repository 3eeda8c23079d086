"""The engine of a cluster: it sends orders to shards, and adds up what they say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..._threads import Workers
from ..cpu.engine import CPUEngine
from ..cpu.points.matrix import PrecomputedPoints
from ..cpu.step import Whole
from ..plain import WithoutNear
from ..protocol import Engine, Ids, Values
from .answers import Paid, Spread
from .arms import DaskArms, Talk
from .common import Common, values_of
from .orders import Order, StepOrder

# Arms that are looked at together, to be swapped in.
_LOOKED = 8


class DaskEngine(WithoutNear):
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
            found = self.common.ask_one(Order("settled"), self.common.names(self.book))
            self._unit, self._nonnegative = found
        return self._unit, self._nonnegative

    @property
    def unit(self) -> float:
        return self._shared()[0] * self.common.scale

    @property
    def nonnegative(self) -> bool:
        return self._shared()[1]

    # --- orders

    def order(self, word: str, **args: Any) -> Order:
        return Order(word, tuple(self.medoids), self.book, args)

    def _ask(self, word: str, names: Sequence[str] = (), **args: Any) -> Any:
        return self.common.ask(self.order(word, **args), self.common.names(self.book, *names))

    # --- the medoids so far

    def start(self, medoids: Sequence[int]) -> None:
        if len(medoids):
            self._place([*self.medoids, *(int(medoid) for medoid in medoids)])

    def place(self, position: int, medoid: int, spread: bool = True) -> None:
        medoids = list(self.medoids)
        medoids[position : position + 1] = [int(medoid)]
        self._place(medoids, spread)

    def _place(self, medoids: list[int], spread: bool = True) -> None:
        """`spread`: a step comes next, and is told what it asks."""
        common = self.common
        book = common.send(np.array(medoids), "medoids")
        order = Order("place", tuple(medoids), book, {"spread": spread})
        paid: Paid = common.ask(order, common.names(book))
        # All at once: who is interrupted before has the medoids of before.
        old, self.book, self.medoids, self._paid = self.book, book, medoids, paid
        self.loss, self._after = math.fsum(paid.loss.ravel()), {}
        if old:
            common.transport.release(old)

    def _spread(self) -> Spread:
        """How what all points pay is spread over them, asked for if it is not known."""
        assert self._paid is not None
        if self._paid.spread is None:
            self._paid = self._ask("place", spread=True)
        spread: Spread = self._paid.spread  # type: ignore[assignment]
        return spread

    @property
    def members(self) -> Ids:
        """How many points each medoid has."""
        return np.zeros(0, dtype=np.int64) if self._paid is None else self._paid.members

    def loss_after(self, position: int, medoid: int) -> float:
        if medoid not in self._after:
            self.confirm(np.array([medoid]), True)
        return float(self._after[medoid][position])

    def confirm(self, arms: Ids, swap: bool) -> tuple[Values, Ids]:
        entries, order = self.common.entries([int(arm) for arm in arms])
        names = [name for name, _ in entries]
        found = self._ask("confirm", names, entries=entries, swap=swap).sums[order]
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
        found: dict[int, Any] = self._ask("labels")
        return np.concatenate([found[start] for start in sorted(found)]).astype(np.int32)

    def draw(self, rng: np.random.Generator) -> int:
        return int(self._drawn(1, rng, by_pay=True)[0])

    def draw_some(self, count: int, rng: np.random.Generator) -> Ids:
        return self._drawn(count, rng, by_pay=False)

    def _drawn(self, count: int, rng: np.random.Generator, by_pay: bool) -> Ids:
        seed, weighs = int(rng.integers(2**62)), self.common.weighs
        drawn = self._ask("draw", seed=seed, count=count, by_pay=by_pay, weighs=weighs)
        order = np.lexsort((drawn.ids, drawn.values, drawn.keys))
        ids: Ids = drawn.ids[order[:count]]
        return ids

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
        total, weight = self._spread().ratio
        return float(1 - total / weight)

    def best_among(self, some: Ids) -> int:
        name = self.common.send(some, "arms")
        order = Order("among", tuple(self.medoids), self.book, {"name": name, "medoids": self.book})
        sums = self.common.ask_one(order, self.common.names(self.book, name))
        self.common.transport.release(name)
        return int(some[sums.argmin()])

    # --- searches

    def _whole(self, swap: bool) -> Whole:
        """What a step is to know of all points."""
        paid = self._paid
        if paid is None:
            return Whole(self.n, 0.0, 0.0, np.zeros(1))
        nearest, second = (paid.sizes / self.n).tolist()
        lost = np.zeros(len(self.medoids))
        if swap and len(self.medoids) > 1:
            lost = paid.second - paid.near
        return Whole(self.n, nearest, second, lost)

    def _step(self, swap: bool, z: float) -> StepOrder:
        """The step as all shards are to see it: its strata, and what is known of all points."""
        paid, tuning, k = self._paid, self.common.tuning, max(len(self.medoids), 1)
        self.common.steps += 1
        whole, none = self._whole(swap), np.empty(0, dtype=np.int64)
        number, fresh, self._fresh = self.common.steps, self._fresh, False
        if paid is None:
            sizes, means = np.array([self.n, 0]), np.ones((1, 1))
            pairs = StepOrder.no_pairs()
            return StepOrder(number, swap, z, whole, sizes, means, pairs, none, none, "", fresh)
        spread = self._spread()
        heavy, pairs = spread.heavy, spread.pairs
        if self.first < self.n:
            heavy = heavy.at(np.flatnonzero(-heavy.keys > tuning.heavy * whole.nearest))
        else:
            heavy = heavy.at(none)
        first = self.common.references[: self.first]
        most = max(min(tuning.seen, self.first // (4 * k)), 2)
        firsts = spread.firsts.lowest(most).ids
        more = np.unique(np.concatenate([firsts, heavy.ids]))
        more = more[~np.isin(more, first)] if self.first < self.n else none
        name = self.common.send_more(more)
        apart = np.bincount(heavy.groups, minlength=k)
        sizes = np.concatenate([paid.members - apart, apart])
        known = [paid.near] + ([paid.second] if swap and k > 1 else [])
        means = np.stack([paid.members, *known], axis=1) / self.n
        codes = heavy.groups * k + heavy.values.astype(np.int64)
        light = pairs.sums[:, 0].astype(np.int64)
        for code in codes.tolist() if k > 1 else []:
            light[np.searchsorted(pairs.codes, code)] -= 1
        return StepOrder(
            number, swap, z, whole, sizes, means, pairs, light, heavy.ids, name, fresh,
            spread.changed,
        )  # fmt: skip

    def screen(self, swap: bool, z: float) -> DaskArms:
        self.common.prune()
        talk = Talk(self.common, self.order(""), self._step(swap, z), self._stays(swap))
        return DaskArms.screened(talk, self.n_arms)

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
        arm = int(arms[0])
        if len(arms) > 1:
            values, _ = self.confirm(arms, False)
            arm = int(arms[values == values.min()].min())
        # A single one is of a rehearsal: others follow.
        self.place(len(self.medoids), arm, spread=len(arms) > 1)
        return arm

    def swap_in(self, arms: Ids, margin: float) -> int:
        done, left = 0, [arm for arm in arms.tolist() if arm not in self.medoids]
        while left:
            # After a swap the others are looked at again: so only some of them are.
            some = left[:_LOOKED]
            changes = self._changes(some)
            found = np.flatnonzero(changes.min(axis=1) < -margin)
            if not len(found):
                left = left[len(some) :]
                continue
            at = int(found[0])
            self.place(int(changes[at].argmin()), left[at], spread=at + 1 == len(left))
            done, left = done + 1, left[at + 1 :]
        return done

    def _changes(self, arms: list[int]) -> Values:
        """What each arm would change of the loss, in the place of each medoid: in float32."""
        entries, order = self.common.entries(arms)
        whole = self._whole(True)
        found = self._ask("look", [name for name, _ in entries], entries=entries, whole=whole)
        return (
            values_of(found.shared[order], found.extra[order], whole, self._stays(True), True)
            * self.n
        )

    def sharpen(self) -> None:
        """The medoids' distances are in float64 always."""

    def some_points(self, count: int, which: int) -> tuple[Any, Ids] | None:
        """Some thousand rows are fetched, as a step sends them, and rehearse here."""
        size = min(count, self.n)
        if size < self.common.tuning.fewest_each * self.n_clusters:
            return None
        block, rows = self.common.some_points(size, which)
        points = PrecomputedPoints(block, Workers(1))
        room, rng = 32.0 * size**2, np.random.default_rng([self.common.ground.seed, which])
        return CPUEngine(points, self.n_clusters, room, rng, self.common.tuning), rows

    def prepared(self, rough: bool = False) -> Self:
        return self

    def fresh(self) -> Self:
        other = copy(self)
        other._begin()
        return other

    def again(self, n_clusters: int | None = None) -> Self:
        other = self.fresh()
        other.n_clusters = n_clusters or self.n_clusters
        return other


def _compressed(parts: list[float]) -> list[float]:
    """A sum without rounding, in three parts."""
    found: list[float] = []
    for _ in range(3):
        found.append(math.fsum(parts + [-each for each in found]))
    return found


if TYPE_CHECKING:
    _offers: type[Engine] = DaskEngine
