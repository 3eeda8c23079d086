"""The arms of one step, of which no more than a few are known here."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cpu.rewards.fitted import MOST_LED
from ..cpu.step import SLACK
from ..protocol import Ids, Values
from .answers import BEST, Keyed, Standing, Sums
from .common import Common, values_of
from .orders import Command, Order, StepOrder
from .sampled import Judged

# Arms whose rows go to all workers at a time.
_AT_ONCE = 512


class Talk:
    """What was said to the shards in one step, and what is known from their answers.

    Parameters
    ----------
    common : Common
    at : Order
        Where the fit is.
    step : StepOrder
    stays : ndarray
        What keeps each medoid from going.

    Attributes
    ----------
    values : dict of int to float
        Of the arms that are valued.
    worth : dict
        Of these: what each is worth if no medoid goes, what is added where its own does, and the
        position of the latter.
    """

    def __init__(self, common: Common, at: Order, step: StepOrder, stays: Values) -> None:
        self.common, self.at, self.step, self.stays = common, at, step, stays
        self.values: dict[int, float] = {}
        self.worth: dict[int, tuple[float, float, int]] = {}
        self.judged: Judged
        self.version = 0  # how often estimates or values have changed,
        self.refined = 0  # and estimates alone
        self.views = 1
        self._log: list[Command] = []
        self._names: list[str] = [step.more]
        self._lifted: list[int] = []

    def say(self, command: Command, *names: str) -> None:
        """To be done with the next order."""
        if self._lifted and command.word == "drop":
            ids, self._lifted = self._lifted, []
            values = np.array([self.values[arm] for arm in ids])
            self._log.append(Command("lift", 0, {"ids": np.array(ids), "values": values}))
        self._log.append(command)
        self._names += names

    def lift(self, arms: list[int]) -> None:
        """The values of these arms are known: their bounds follow them."""
        self._lifted += arms

    def ask(self, word: str, **args: Any) -> Any:
        at, common = self.at, self.common
        order = Order(word, at.medoids, at.book, args, self.step, tuple(self._log))
        levels = [name for command in self._log for name in command.args.get("levels", ())]
        return common.ask(order, common.names(at.book, *self._names, *levels))

    def ask_standing(self, word: str, view: int, bar: float) -> Standing:
        found = self.ask(word, view=view, bar=bar)
        if word == "screen":
            self.judged = found.judged
        standing: Standing = found.standing if word == "screen" else found
        return standing


class DaskArms:
    """Arms that were screened; see `Arms` for what each method promises."""

    def __init__(
        self,
        talk: Talk,
        view: int,
        count: int,
        foreseen: tuple[float, int, Standing] | None = None,
    ) -> None:
        common, whole = talk.common, talk.step.whole
        self._talk, self._view = talk, view
        self.count = self._left = count
        self.first, self.total = common.first, common.n
        self._tuning = common.tuning
        self.depth = self._depth()
        self._standing: Standing | None = None
        self._version = -1  # of the talk that the standing is from
        # What a bar would leave, if arms are dropped by it next; and the version it is from.
        self._foreseen: tuple[float, int, Standing] | None = foreseen
        # When arms were dropped: the bar, and how often arms had been refined; those that were
        # valued then, and those that are known to have been left.
        self._dropped, self._gone, self._told = (np.nan, 0), set[int](), set[int]()
        self.slack, self.sigma = talk.judged.slack, talk.judged.sigma
        rough = 4 * SLACK * float(whole.removal.max())
        self.exact = self.first >= self.total and rough <= self.slack

    @classmethod
    def screened(cls, talk: Talk, n_arms: int) -> DaskArms:
        """All arms of a step, which every shard screens now; `n_arms` may be medoids, or are."""
        allowed, mine = talk.common.allowed, set(talk.at.medoids)
        if allowed is not None:
            mine &= set(allowed.tolist())
        bar = SLACK * talk.step.whole.nearest if talk.step.swap else np.inf
        standing = talk.ask_standing("screen", 0, bar)
        return cls(talk, 0, n_arms - len(mine), (bar, talk.version, standing))

    def _depth(self) -> int:
        # As with one machine: many clusters have few leaders each at first.
        tuning, k = self._tuning, len(self._talk.step.means)
        depth = min(self.first * (2 if k >= tuning.many else 1), self.total)
        while depth < min(tuning.fewest_regressed, self.total):
            depth = min(2 * depth, self.total)
        return depth

    def _bar(self) -> float:
        """The bar that a search is likely to drop arms by next."""
        known = min(self._talk.values.values(), default=np.inf)
        return (min(known, 0.0) if self._talk.step.swap else known) + self.slack

    @property
    def left(self) -> int:
        return self._left

    def drop(self, bar: float) -> int:
        talk, foreseen = self._talk, self._foreseen
        talk.say(Command("drop", self._view, {"bar": bar}))
        new = [arm for arm in talk.values if arm not in self._gone]
        if foreseen is not None and foreseen[:2] == (bar, talk.version):
            standing = foreseen[2]  # the round that would tell was spared
        elif (bar, talk.refined) == self._dropped and self._told.issuperset(new):
            # No arm goes but those that were left then, and are valued now.
            self._left -= len(new)
            self._gone.update(new)
            return self._left
        else:
            standing = talk.ask_standing("drop", self._view, np.inf)
        self._foreseen = None
        self._standing, self._version = standing, talk.version
        self._dropped = bar, talk.refined
        self._gone, self._told = set(talk.values), set()
        self._left = int(standing.left.sum())
        return self._left

    def lowest(self, count: int, *, below: float = np.inf, each: bool = False) -> Ids:
        standing, talk = self._standing, self._talk
        fresh = standing is not None and self._version == talk.version
        if standing is not None and fresh and (count <= BEST or standing.is_whole):
            found = standing.best.at(np.flatnonzero(standing.best.keys < below))
        else:
            args = {"view": self._view, "count": count, "below": below, "each": each}
            found = talk.ask("lowest", **args)
        if each:
            found = found.lowest(count)
        order = np.lexsort((found.ids, found.keys))
        return self._tell(found.ids[order if each else order[:count]])

    def _tell(self, arms: Ids) -> Ids:
        """Arms that are left, as far as is known here."""
        self._told.update(arms.tolist())
        return arms

    def leaders(self, depth: int) -> Ids:
        tuning, talk, standing = self._tuning, self._talk, self._now()
        k, swap, built = len(standing.left), talk.step.swap, bool(talk.at.medoids)
        most = tuning.own_leaders * (1 if swap else 2) if built else tuning.leaders
        known = standing.known.lowest(most)
        have = np.bincount(known.groups, minlength=k)
        # So many as the references up to that depth would cost, from the better part of a sample.
        cost = tuning.leading * standing.left * depth / self.total
        wanted = np.minimum(most - have, cost.astype(int))
        best = standing.best
        order = np.lexsort((best.ids, best.keys))
        new = [known.ids, best.ids[order[: tuning.promoted]]]
        some = standing.some
        for g in np.flatnonzero(wanted > 0):
            mine = np.flatnonzero(some.groups == g)
            mine = mine[np.lexsort((some.ids[mine], some.values[mine]))]
            better = mine[: max(len(mine) // 3, 1)]
            places = np.linspace(0, len(better), wanted[g], endpoint=False).astype(int)
            first = np.flatnonzero(best.groups == g)[:1]
            new += [best.ids[first], some.ids[better[np.unique(places)]]]
        return self._tell(np.unique(np.concatenate(new)))

    def _now(self) -> Standing:
        """How the arms stand, asked for if it is not known."""
        if self._standing is None or self._version != self._talk.version:
            self._standing = self._talk.ask_standing("look", self._view, np.inf)
            self._version = self._talk.version
        return self._standing

    def narrowed(self, each: int) -> DaskArms:
        ids, talk = self.lowest(each, each=True), self._talk
        other = DaskArms(talk, talk.views, len(ids))
        talk.views += 1
        talk.say(Command("narrow", other._view, {"ids": ids}))
        return other

    def refine(self, depth: int, leaders: Ids) -> None:
        talk = self._talk
        levels = talk.common.levels_up_to(max(depth, self.first))
        led = self._led(leaders)
        args = {"levels": levels, "leaders": led}
        talk.say(Command("refine", self._view, args), *{name for name, *_ in led})
        talk.version, talk.refined = talk.version + 1, talk.refined + 1
        bar = self._bar()
        self._foreseen = bar, talk.version, talk.ask_standing("refine", self._view, bar)
        self._standing = None

    def _led(self, leaders: Ids) -> list[tuple[str, int, int, int, float, float]]:
        """The leaders that a regression may choose from: where their rows are, and their worth."""
        held, worth = self._talk.common.held, self._talk.worth
        found, of_each = [], np.zeros(len(self._talk.step.means), dtype=np.int64)
        most = MOST_LED // (2 if self._talk.step.swap else 1)
        for rank, arm in enumerate(leaders.tolist()):
            if arm not in worth or arm not in held:
                continue
            alone, extra, home = worth[arm]
            of_each[home] += 1
            if rank < MOST_LED or of_each[home] <= most:
                name, place = held[arm]
                found.append((name, place, arm, home, alone, extra))
        return found

    def worth_refining(self, depth: int) -> bool:
        common, tuning, left = self._talk.common, self._tuning, self._left
        if depth >= self.total or depth > common.deepest:
            return False
        # Arms are divided among the shards; references and regressions are the same for all.
        share, k = left / common.transport.shards, len(self._talk.step.means)
        given = tuning.giving * common.row_bytes
        alone = k * tuning.fitting + MOST_LED * common.cost
        refined = share * depth * (common.cost / 2 + tuning.refined) + alone * depth
        refined += tuning.refining + max(depth - common.reached, 0) * given
        return refined < share * self.total * (common.cost + tuning.valued) + left * given

    def value(self, arms: Ids | None = None) -> float:
        talk = self._talk
        arms = self.lowest(self._left) if arms is None else arms
        new = [arm for arm in arms.tolist() if arm not in talk.values]
        if new and self.exact:
            ids = np.array(new)
            found: Keyed = talk.ask("estimates", ids=ids)
            talk.values |= dict(zip(found.ids.tolist(), found.keys.tolist(), strict=True))
            talk.say(Command("value", 0, {"ids": ids, "entries": []}))
            talk.version += 1
        elif new:
            for at in range(0, len(new), _AT_ONCE):
                self._value(new[at : at + _AT_ONCE])
            talk.version += 1
        return min(talk.values.values(), default=np.inf)

    def _value(self, arms: list[int]) -> None:
        talk = self._talk
        step = talk.step
        entries, order = talk.common.entries(arms)
        ids = np.array(arms)[np.argsort(order)]  # as the entries have them
        command = Command("value", 0, {"ids": ids, "entries": entries})
        talk.say(command, *(name for name, _ in entries))
        found: Sums = talk.ask("value")
        shared, extra, homes = found
        values = values_of(shared, extra, step.whole, talk.stays, step.swap)
        alone = shared / step.whole.n
        at = np.arange(len(ids))
        added = np.zeros(len(ids))
        if step.swap:
            added = values[at, homes] - alone - (step.whole.removal + talk.stays)[homes]
        talk.values |= dict(zip(ids.tolist(), values.min(axis=1).tolist(), strict=True))
        worth = zip(alone.tolist(), added.tolist(), homes.tolist(), strict=True)
        talk.worth |= dict(zip(ids.tolist(), worth, strict=True))
        talk.lift(ids.tolist())

    def valued(self, bar: float = np.inf) -> Ids:
        found = [(value, arm) for arm, value in self._talk.values.items() if value <= bar]
        return np.array([arm for _, arm in sorted(found)], dtype=np.int64)

    def close(self) -> None:
        """What a search cost is no reason here to compute all distances."""
