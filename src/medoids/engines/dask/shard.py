"""A shard: what one worker does with the partitions that it holds, order by order.

What it knows follows from its partitions and from the order it is given: the medoids, the rows
that every worker has, and what was done in the step so far. So one that is lost is made again.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from ..._types import Indices
from ..cpu import kernels
from ..cpu.rewards.sample import sort_owners
from ..cpu.step import Whole
from ..protocol import Values
from .answers import Keyed, Loaded, Paid, Pairs, Parts, Spread, Sums, join
from .holdings import AT_ONCE, Holdings
from .orders import REFERENCES, Entry, Ground, Order, Rows
from .part import Part
from .stage import Stage


class Shard:
    """Partitions that answer to orders.

    Parameters
    ----------
    holdings : Holdings
    """

    def __init__(self, holdings: Holdings) -> None:
        self._own, self.workers = holdings, holdings.workers
        self.turn = threading.Lock()  # one order at a time
        self._stage: Stage | None = None

    def load(self) -> Loaded:
        """What the partitions are."""
        return self._own.load()

    def take_count(self) -> int:
        """Distances computed since this was asked before."""
        return self._own.take_count()

    def do(self, order: Order, ground: Ground, payloads: Mapping[str, Rows]) -> Any:
        """Do what an order says, and all before it that is not done here yet; and the answer."""
        self._own.begin(ground)
        if order.word == "references":
            return self._references(**order.args)
        self._own.lay_out(payloads[f"{REFERENCES}0"])
        self._own.k = len(order.medoids)
        book = self._own.book(order.book, payloads) if order.book else None
        for part in self._own.parts:
            self._own.follow(part, order.medoids, book)
        if order.step is not None:
            return self._at(order, book, payloads)
        return getattr(self, f"_{order.word}")(payloads, **order.args)

    # --- words that belong to no step

    def _references(self, count: int, last: bool = False) -> Keyed:
        """The first rows in the order of the references, or the last, the last one first."""
        found = []
        for number, hashes in self._own.hashes.items():
            hashes = ~hashes if last else hashes
            some = np.argpartition(hashes, count)[:count] if count < len(hashes) else slice(None)
            ids = (np.arange(len(hashes)) + self._own.ground.starts[number])[some]
            found.append(Keyed(hashes[some], ids, np.zeros_like(ids), np.zeros(len(ids))))
        return Keyed.together(found).lowest(count)

    def _settled(self, payloads: Mapping[str, Rows]) -> tuple[float, bool]:
        """What a distance of 1 is to the user; and whether none is below zero."""
        return self._own.space.unit, self._own.space.nonnegative

    def _place(self, payloads: Mapping[str, Rows], spread: bool) -> Paid | None:
        """What all points pay, and how that is spread if this is asked; None if there are none."""
        pairs = zip(self._own.parts, self._own.order, strict=True)
        every = (self._paid(part, hashes if spread else None) for part, hashes in pairs)
        found: Paid | None = reduce(join, every, None)
        if found is not None and found.spread is not None and self._stage is not None:
            changed = self._stage.changed(self._own.parts[0].state.medoids)
            found = found._replace(spread=found.spread._replace(changed=changed))
        return found

    def _paid(self, part: Part, hashes: Any) -> Paid:
        state, k = part.state, part.state.k
        loss, owner = np.zeros((1, k, 3)), state.owner
        kernels.split_sums(state.nearest, state.nearest, state.second, owner, loss)
        second = state.second if k > 1 else np.zeros(part.n)
        near_sums, second_sums = (
            np.bincount(owner, each, k).astype(float) for each in (state.nearest, second)
        )
        sizes = near_sums.sum(), second_sums.sum()
        if not self._own.space.nonnegative:
            sizes = np.abs(state.nearest).sum(), np.abs(second).sum()
        return Paid(
            loss[0], np.bincount(owner, minlength=k), near_sums, second_sums, np.array(sizes),
            float(state.nearest.min()),
            None if hashes is None else self._spread(part, second, hashes),
        )  # fmt: skip

    def _spread(self, part: Part, second: Values, hashes: Any) -> Spread:
        state, k, owner = part.state, part.state.k, part.state.owner
        limit = int(self._own.tuning.heaviest * self._own.ground.first)
        heaviest, pays = min(limit, part.n), np.abs(state.nearest)
        most = np.argpartition(-pays, heaviest - 1)[:heaviest] if heaviest else np.empty(0, int)
        heavy = Keyed(
            -pays[most],
            part.ids[most],
            owner[most].astype(np.int64),
            state.other[most].astype(float),
        )
        order = sort_owners(owner)
        bounds = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=k))])
        seen, some = self._own.tuning.seen, []
        for g in range(k):
            mine = order[bounds[g] : bounds[g + 1]]
            if len(mine) > seen:
                mine = mine[np.argpartition(hashes[mine], seen)[:seen]]
            some.append(mine)
        chosen = np.concatenate(some)
        firsts = Keyed(
            hashes[chosen], part.ids[chosen], owner[chosen].astype(np.int64), np.zeros(len(chosen))
        )
        weights = np.ones(part.n) if part.weights is None else part.weights
        ratio = np.divide(state.nearest, second, out=np.zeros(part.n), where=second > 0)
        return Spread(
            _pairs(owner.astype(np.int64) * k + state.other, state.nearest, second, k), heavy,
            firsts, np.array([(weights * ratio).sum(), weights.sum()]), limit, seen, None,
        )  # fmt: skip

    def _confirm(self, payloads: Mapping[str, Rows], entries: Sequence[Entry], swap: bool) -> Parts:
        """What all points pay if each of some arms comes, in float64."""
        for part in self._own.parts:
            part.exact_rows = {}
        found = [self._exact_sums(self._own.book(name, payloads), at, swap) for name, at in entries]
        return Parts(np.concatenate(found))

    def _exact_sums(self, book: Part, places: Indices, swap: bool) -> Values:
        out = np.zeros((len(places), 2 if swap else 1, max(self._own.k, 1), 3))
        for part in self._own.parts:
            size = max(AT_ONCE // (8 * part.n), 1)
            for at in range(0, len(places), size):
                some = places[at : at + size]
                rows = part.exact(book.side, some)

                def add(
                    start: int, stop: int, at: int = at, rows: Any = rows, now: Any = part.state
                ) -> None:
                    for i in range(start, stop):
                        sums = out[at + i]
                        kernels.split_sums(rows[i], now.nearest, now.second, now.owner, sums)

                self.workers.each(add, len(some), 1)
                for i, arm in enumerate(book.ids[some].tolist()):
                    if len(part.exact_rows) < self._own.room_for_exact:
                        part.exact_rows[arm] = rows[i]
        return out

    def _look(self, payloads: Mapping[str, Rows], entries: Sequence[Entry], whole: Whole) -> Sums:
        """What arms would change in SWAP, in float32: as `Step.sums` has it."""
        return self._own.totals(payloads, entries, True, whole)

    def _draw(
        self, payloads: Mapping[str, Rows], seed: int, count: int, by_pay: bool, weighs: bool
    ) -> Keyed:
        """Rows that may be medoids and are none, at random: the lowest of -log(u) / chance."""
        found = []
        for part in self._own.parts:
            chance = np.ones(part.n)
            if by_pay and part.state.k:
                chance = np.maximum(part.state.nearest, 0.0)
            elif weighs and part.weights is not None:
                chance = part.weights
            u = (kernels.mixed(part.ids, np.uint64(seed)) >> np.uint64(11)) * 2.0**-53
            with np.errstate(divide="ignore"):
                keys = -np.log1p(-u) / chance
            mine = self._own.open(part)
            # Those without a chance come last, in random order.
            keys = np.where(chance > 0, keys, np.inf)[mine]
            order = np.lexsort((u[mine], keys))[:count]
            ids = part.ids[mine[order]]
            found.append(Keyed(keys[order], ids, np.zeros_like(ids), u[mine[order]]))
        return Keyed.together(found)

    def _among(self, payloads: Mapping[str, Rows], name: str, medoids: str) -> Values:
        """What some points pay in all if each of them comes."""
        some = self._own.book(name, payloads)
        book = self._own.book(medoids, payloads) if medoids else None
        self._own.follow(some, [] if book is None else book.ids.tolist(), book)
        block = np.empty((some.n, some.n), dtype=np.float32)
        some.measure(some.side, np.arange(some.n), block)
        nearest = some.state.nearest
        if some.weights is not None:  # they were drawn by weight: now each counts the same
            weights = np.where(some.weights > 0, some.weights, 1.0)
            return np.asarray(
                np.minimum(block / weights, nearest / weights).sum(axis=1, dtype=np.float64)
            )
        return np.asarray(np.minimum(block, nearest).sum(axis=1, dtype=np.float64))

    def _labels(self, payloads: Mapping[str, Rows]) -> dict[int, Any]:
        """The position of each point's medoid, by the row that a partition begins with."""
        return self._own.labels()

    # --- words of a step

    def _at(self, order: Order, book: Part | None, payloads: Mapping[str, Rows]) -> Any:
        assert order.step is not None
        before = self._stage
        if before is None or before.order.number != order.step.number:
            carried = None if before is None or order.step.fresh else before
            self._stage = Stage(self._own, order, book, payloads, carried)
        assert self._stage is not None
        return self._stage.answer(order, payloads)


def _pairs(codes: Indices, nearest: Values, second: Values, k: int) -> Pairs:
    """Points by their nearest and second medoid; none, where there is no second."""
    if k == 1:
        return Pairs(codes[:0], np.empty((0, 3)))
    places, at = np.arange(k * k), codes
    if k * k > 4 * len(codes):  # most would be empty
        places, at = np.unique(codes, return_inverse=True)
    size = len(places)
    columns = [np.bincount(at, weights, size) for weights in (None, nearest, second)]
    sums = np.stack(columns, axis=1).astype(float)
    some = sums[:, 0] > 0
    return Pairs(places[some], sums[some])
