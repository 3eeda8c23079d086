"""One step on one worker: which arms are left, and what is known of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._types import Indices
from ..cpu.rewards.sample import sort_owners
from .answers import BEST, SOME, Keyed, Standing, Sums
from .carried import Carried, lowest
from .holdings import Holdings
from .orders import REFERENCES, Command, Order, Rows
from .part import Part
from .refined import Leader, Regression
from .sampled import Judged, Sampled


class Screening(NamedTuple):
    """How a step stands after the screen, and what the judges say, who are the same everywhere."""

    standing: Standing
    judged: Judged

    def joined(self, other: Screening) -> Screening:
        return Screening(self.standing.joined(other.standing), self.judged)


class Stage:
    """The arms of a shard in one step, after all of them were screened.

    Parameters
    ----------
    shard : Holdings
    order : Order
        The first of the step.
    book : Part or None
        The medoids.
    payloads : mapping of str to Rows
    before : Stage or None
        The step before, whose bounds may still hold.
    """

    def __init__(
        self,
        shard: Holdings,
        order: Order,
        book: Part | None,
        payloads: Mapping[str, Rows],
        before: Stage | None,
    ) -> None:
        assert order.step is not None
        self.shard, self.order, self.medoids = shard, order.step, order.medoids
        self._book = book
        more = self._referred(order.step.more, payloads) if order.step.more else None
        first = self._referred(f"{REFERENCES}0", payloads)
        shard.follow(shard.judges, order.medoids, book)
        self.sampled = Sampled(order.step, first, more, shard.tuning, shard.ground.heaviest)
        self.judged: Judged = self.sampled.judged(shard.judges, shard.judging)
        triples = zip(shard.parts, shard.columns, shard.lines(order.step.swap), strict=True)
        self.screened = [
            self.sampled.screen(*triple[:2], self.judged, triple[2]) for triple in triples
        ]
        if before is not None:
            self._carry(before)
        self.carried = self._carried(first) if order.step.swap else None
        self._alive = {0: [shard.open(part) for part in shard.parts]}
        self._is_valued = [np.zeros(part.n, dtype=bool) for part in shard.parts]
        self._done = 0

    def _referred(self, name: str, payloads: Mapping[str, Rows]) -> Part:
        """References, and what they pay."""
        part = self.shard.book(name, payloads)
        self.shard.follow(part, self.medoids, self._book)
        return part

    def _carry(self, before: Stage) -> None:
        """In BUILD an arm gains less in every later step: a bound goes on to hold."""
        k, carried, changed = len(before.medoids), before.carried, self.order.changed
        if carried is not None and changed is not None and carried.number == changed[0]:
            self._carry_swaps(carried, changed[1])
            return
        build = not self.order.swap and not before.order.swap
        if build and k and self.medoids[:k] == before.medoids:
            for now, then in zip(self.screened, before.screened, strict=True):
                np.fmax(now.lower, then.lower - self.judged.slack, out=now.lower)

    def _carry_swaps(self, carried: Carried, count: int) -> None:
        """What the swaps since then change is estimated."""
        shard, screened = self.shard, self.screened
        parts = [
            (each.part, cols, each.step) for each, cols in zip(screened, shard.columns, strict=True)
        ]
        first = self.sampled.first
        if carried.move(count, self.order.z, first, shard.judging, shard.tuning, parts):
            for now, lines in zip(screened, carried.lines, strict=True):
                if lines is not None and lines.shape == now.lines.shape:
                    np.fmax(now.lines, lines, out=now.lines)
                    now.lower[:] = lowest(now.lines)

    def _carried(self, first: Part) -> Carried | None:
        lines = [each.lines if len(each.lines) > 1 else None for each in self.screened]
        if all(each is None for each in lines):
            return None
        own = [each.own for each in self.screened]
        parts = self.shard.parts
        return Carried(self.order.number, self.sampled.step, first, parts, lines, own)

    def changed(self, medoids: Sequence[int]) -> tuple[int, int] | None:
        """How many points have changed since this step, with its number; None: too much has."""
        found = None if self.carried is None else self.carried.count(self.shard.parts, medoids)
        return None if found is None else (self.order.number, found)

    # --- what is done

    def answer(self, order: Order, payloads: Mapping[str, Rows]) -> Any:
        """Do what is not done yet; what is asked last."""
        for command in order.log[self._done :]:
            getattr(self, f"_{command.word}")(command, payloads)
        self._done = len(order.log)
        if order.word == "lowest":
            return self._lowest(**order.args)
        if order.word == "estimates":
            return self._estimates(**order.args)
        if order.word == "value":
            return self._values(order.log[-1], payloads)
        standing = self._standing(**order.args)
        return Screening(standing, self.judged) if order.word == "screen" else standing

    def _drop(self, command: Command, payloads: Mapping[str, Rows]) -> None:
        bar, alive = command.args["bar"], self._alive[command.view]
        alive[:] = [self._below(p, some, bar) for p, some in enumerate(alive)]

    def _below(self, p: int, arms: Indices, bar: float) -> Indices:
        return arms[(self.screened[p].lower[arms] <= bar) & ~self._is_valued[p][arms]]

    def _narrow(self, command: Command, payloads: Mapping[str, Rows]) -> None:
        ids = command.args["ids"]
        local = [part.local(ids) for part in self.shard.parts]
        self._alive[command.view] = [np.sort(each[each >= 0]) for each in local]

    def _value(self, command: Command, payloads: Mapping[str, Rows]) -> None:
        """These arms are valued; what they are worth comes later, from all shards together."""
        for part, is_valued in zip(self.shard.parts, self._is_valued, strict=True):
            local = part.local(command.args["ids"])
            is_valued[local[local >= 0]] = True

    def _lift(self, command: Command, payloads: Mapping[str, Rows]) -> None:
        """What arms are worth is known: so it is their bound."""
        ids, values = command.args["ids"], command.args["values"]
        for screened in self.screened:
            local = screened.part.local(ids)
            mine = local >= 0
            at = local[mine]
            screened.lower[at] = np.fmax(screened.lower[at], values[mine] - self.judged.slack)

    def _refine(self, command: Command, payloads: Mapping[str, Rows]) -> None:
        shard, names = self.shard, command.args["levels"]
        leaders = [
            Leader(shard.book(name, payloads), *rest) for name, *rest in command.args["leaders"]
        ]
        levels = {name: self._referred(name, payloads) for name in names}
        regression = Regression(self.sampled, levels, leaders, shard.led)
        for p, screened in enumerate(self.screened):
            arms = self._alive[command.view][p]
            if not len(arms):
                continue
            kept = [shard.level(p, name, levels[name]) for name in names]
            found, lower = regression.estimate(screened, shard.columns[p], kept, arms)
            screened.estimate[arms] = found
            lines = np.fmax(screened.lines[:, arms], lower)
            screened.lines[:, arms] = lines
            screened.lower[arms] = np.fmax(screened.lower[arms], lowest(lines))

    # --- what is told

    def _values(self, command: Command, payloads: Mapping[str, Rows]) -> Sums:
        step = self.order
        return self.shard.totals(payloads, command.args["entries"], step.swap, step.whole)

    def _estimates(self, ids: Indices) -> Keyed:
        """The estimates of some arms, as far as they are here."""
        found = []
        for screened in self.screened:
            local = screened.part.local(ids)
            at = local[local >= 0]
            found.append(_keyed(screened.estimate[at], screened.part, at))
        return Keyed.together(found)

    def _lowest(self, view: int, count: int, below: float, each: bool) -> Keyed:
        found = []
        for p, arms in enumerate(self._alive[view]):
            screened = self.screened[p]
            arms = arms[screened.estimate[arms] < below]
            found.append(_keyed(screened.estimate[arms], screened.part, arms))
        every = Keyed.together(found)
        if not each:
            every = every._replace(groups=np.zeros_like(every.groups))
        return every.lowest(count)

    def _standing(self, view: int, bar: float) -> Standing:
        """How the arms of a view stand that a bar would leave."""
        shard, k = self.shard, self.sampled.k
        kept = np.array(shard.rows_kept, dtype=np.int64)
        left = np.zeros(k, dtype=np.int64)
        best, some, known = [], [], []
        for p, every in enumerate(self._alive[view]):
            arms, screened = self._below(p, every, bar), self.screened[p]
            part, owner = screened.part, screened.part.state.owner[arms]
            left += np.bincount(owner, minlength=k)
            estimate, hashes = screened.estimate[arms], shard.order[p][arms]
            at = _lowest_of_each(estimate, owner, BEST, k)
            best.append(_keyed(estimate[at], part, arms[at]))
            at = _lowest_of_each(hashes, owner, SOME, k)
            some.append(
                _keyed(hashes[at], part, arms[at])._replace(values=estimate[at].astype(float))
            )
            mine = part.local(kept)
            at = np.flatnonzero(np.isin(arms, mine)) if (mine >= 0).any() else mine[:0]
            known.append(_keyed(estimate[at], part, arms[at]))
        together = Keyed.together
        return Standing(
            left, together(best).lowest(BEST), together(some).lowest(SOME),
            together(known).lowest(BEST),
        )  # fmt: skip


def _keyed(keys: NDArray[Any], part: Part, arms: Indices) -> Keyed:
    owner = part.state.owner[arms].astype(np.int64)
    return Keyed(keys, part.ids[arms], owner, np.zeros(len(arms)))


def _lowest_of_each(keys: NDArray[Any], groups: Indices, count: int, k: int) -> Indices:
    """The places of the lowest keys of each group, in any order."""
    if len(keys) <= count:
        return np.arange(len(keys))
    order = sort_owners(groups)
    bounds = np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=k))])
    found = []
    for g in range(k):
        mine = order[bounds[g] : bounds[g + 1]]
        if len(mine) > count:
            # Equal keys at the end of the list: the lower ids are taken.
            bar = np.partition(keys[mine], count - 1)[count - 1]
            below, at_bar = mine[keys[mine] < bar], mine[keys[mine] == bar]
            mine = np.concatenate([below, np.sort(at_bar)[: count - len(below)]])
        found.append(mine)
    return np.concatenate(found)
