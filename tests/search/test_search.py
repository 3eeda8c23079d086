"""The search on synthetic arms: no data, no metric."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from medoids._tuning import Tuning
from medoids.search.eager import EagerSearch
from medoids.search.search import Search, settle

Values = NDArray[np.float64]
Ids = NDArray[np.integer]


class FakeArms:
    """Arms of known values, estimated with bounded noise that falls with the depth.

    Bounds hold, except for the arms in `blunder`, whose lower bounds are far too high in
    the rounds named; `optimism` puts the estimates of some arms too low.
    """

    def __init__(
        self,
        true: Values,
        noise: float,
        seed: int,
        first: int,
        total: int,
        *,
        candidates: NDArray[np.bool_] | None = None,
        blunder: Ids | None = None,
        optimism: Values | None = None,
    ) -> None:
        n = len(true)
        self.true, self.noise, self.rng = true, noise, np.random.default_rng(seed)
        self.first = self.depth = first
        self.total, self.slack, self.exact = total, 0.0, False
        self.sigma = [noise] * 5
        self.optimism = np.zeros(n) if optimism is None else optimism
        self.late_blunder: Ids = np.empty(0, dtype=int)
        self.values = dict[int, float]()
        self.refined: list[tuple[int, int]] = []
        self.led: list[set[int]] = []
        self.alive = np.arange(n) if candidates is None else np.flatnonzero(candidates)
        self.count = len(self.alive)
        self.estimate, self.lower = np.zeros(n), np.zeros(n)
        self._estimate(first, np.empty(0) if blunder is None else blunder)

    def _estimate(self, depth: int, blunder: Ids) -> None:
        arms = self.alive
        width = self.noise * np.sqrt((1 - depth / self.total) / depth)
        error = np.clip(self.rng.normal(scale=width, size=len(arms)), -4 * width, 4 * width)
        mean = self.true[arms] + error
        self.lower[arms] = np.where(np.isin(arms, blunder), 1e6, mean - 4 * width)
        self.estimate[arms] = mean - self.optimism[arms]

    @property
    def left(self) -> int:
        return len(self.alive)

    def drop(self, bar: float) -> int:
        open_ = (self.lower[self.alive] <= bar) & ~np.isin(self.alive, list(self.values))
        self.alive = self.alive[open_]
        return self.left

    def lowest(self, count: int, *, below: float = np.inf, each: bool = False) -> Ids:
        ranked = self.alive[np.argsort(self.estimate[self.alive], kind="stable")]
        return ranked[self.estimate[ranked] < below][:count]

    def leaders(self, depth: int) -> Ids:
        assert depth >= self.depth
        return self.lowest(8)

    def refine(self, depth: int, leaders: Ids) -> None:
        self.refined.append((depth, self.left))
        self.led.append(set(leaders.tolist()))
        self._estimate(depth, self.late_blunder)

    def worth_refining(self, depth: int) -> bool:
        return depth < self.total

    def value(self, arms: Ids | None = None) -> float:
        for arm in (self.alive if arms is None else arms).tolist():
            self.values.setdefault(arm, self.rounded(arm))
        return min(self.values.values(), default=np.inf)

    def rounded(self, arm: int) -> float:
        """The value of an arm as float32 has it."""
        return float(self.true[arm])

    def valued(self, bar: float = np.inf) -> Ids:
        found = sorted((value, arm) for arm, value in self.values.items() if value <= bar)
        return np.array([arm for _, arm in found], dtype=np.int64)

    def confirm(self, arms: Ids) -> tuple[Values, Ids]:
        return self.true[arms].copy(), arms % 5


def search(arms: FakeArms, null: float = np.inf) -> tuple[int, Search]:
    """The arm that wins (-1: none), and the search."""
    made = Search(arms, null, Tuning())  # type: ignore[arg-type]
    arm, position = settle(made.run(), null, arms.confirm)
    assert arm < 0 or position == arm % 5
    return arm, made


def arms_of(seed: int, n: int = 1500) -> Values:
    return np.random.default_rng(seed).normal(scale=0.3, size=n)


@pytest.mark.parametrize("noise", [0.0, 0.3, 3.0, 30.0])
@pytest.mark.parametrize("seed", range(10))
def test_the_best_arm_wins(seed: int, noise: float) -> None:
    true = arms_of(seed)
    found, _ = search(FakeArms(true, noise, seed, 64, 1500))
    assert found == true.argmin()


@pytest.mark.parametrize("seed", range(5))
def test_few_arms_are_valued_exactly(seed: int) -> None:
    arms = FakeArms(arms_of(seed), 0.3, seed, 64, 1500)
    search(arms)
    assert 0 < len(arms.values) < 150


@pytest.mark.parametrize("seed", range(10))
def test_the_leader_survives_its_own_round(seed: int) -> None:
    # Its own bounds lie above its value from the first refining on: by rounding, or by bad luck.
    true = arms_of(seed)
    best = int(true.argmin())
    arms = FakeArms(true, 3.0, seed, 64, 1500, optimism=np.where(true == true.min(), 100.0, 0.0))
    arms.late_blunder = np.array([best])
    found, _ = search(arms)
    assert arms.refined, "there was a round to survive"
    assert all(best in leaders for leaders in arms.led)
    assert found == best


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("noise", [0.3, 3.0])
def test_arms_that_the_screen_drops_never_win(seed: int, noise: float) -> None:
    true = arms_of(seed)
    out = np.random.default_rng(seed).choice(1500, 400, replace=False)
    out = np.union1d(out, np.argsort(true)[:5])
    # The best are among them, and their estimates lead.
    optimism = np.zeros(1500)
    optimism[out] = 100.0
    arms = FakeArms(true, noise, seed, 64, 1500, blunder=out, optimism=optimism)
    found, _ = search(arms, null=0.0)
    rest = true.copy()
    rest[out] = np.inf
    assert found == rest.argmin()
    assert not set(arms.values) & set(out.tolist())


@pytest.mark.parametrize("seed", range(10))
def test_arms_that_a_later_round_drops_never_win(seed: int) -> None:
    true = arms_of(seed)
    out = np.argsort(true)[:5]
    optimism = np.zeros(1500)
    optimism[out] = -100.0  # so that none of them leads
    arms = FakeArms(true, 30.0, seed, 64, 1500, optimism=optimism)
    arms.late_blunder = out
    found, _ = search(arms)
    rest = true.copy()
    rest[out] = np.inf
    assert found == rest.argmin()
    assert not set(arms.values) & set(out.tolist())


@pytest.mark.parametrize("seed", range(10))
def test_arms_that_are_no_candidates_never_win(seed: int) -> None:
    true = arms_of(seed)
    candidates = np.ones(1500, dtype=bool)
    candidates[np.argsort(true)[:30]] = False
    arms = FakeArms(true, 1.0, seed, 64, 1500, candidates=candidates)
    found, made = search(arms)
    assert found == np.where(candidates, true, np.inf).argmin()
    assert candidates[list(arms.values)].all()
    assert made.rounds[0].arms == candidates.sum()


@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(10))
def test_ties_go_to_the_lowest_index(seed: int, noise: float) -> None:
    true = arms_of(seed)
    equal = np.random.default_rng(seed).choice(1500, 70, replace=False)
    true[equal] = true.min() - 0.1
    found, _ = search(FakeArms(true, noise, seed, 64, 1500))
    assert found == equal.min()


def test_all_arms_equal() -> None:
    assert search(FakeArms(np.zeros(300), 1.0, 0, 64, 300))[0] == 0


@pytest.mark.parametrize("noise", [0.0, 0.3, 3.0])
@pytest.mark.parametrize("seed", range(5))
def test_doing_nothing_wins_where_nothing_helps(seed: int, noise: float) -> None:
    true = np.abs(arms_of(seed))
    true[7] = 0.0  # no better than doing nothing
    assert search(FakeArms(true, noise, seed, 64, 1500), null=0.0)[0] == -1


@pytest.mark.parametrize("seed", range(10))
def test_one_arm_that_helps_is_found(seed: int) -> None:
    true = np.abs(arms_of(seed)) + 0.01
    true[1234] = -0.01
    assert search(FakeArms(true, 3.0, seed, 64, 1500), null=0.0)[0] == 1234


def test_doing_nothing_saves_work() -> None:
    true = np.abs(arms_of(0)) + 1.0
    arms = FakeArms(true, 0.3, 0, 64, 1500)
    assert search(arms, null=0.0)[0] == -1
    assert arms.values == {}
    assert arms.refined == []


def test_float32_values_within_the_slack_are_settled_in_float64() -> None:
    true = np.full(200, 1.0)
    true[150] = 1.0 - 1e-9
    arms = FakeArms(true, 0.0, 0, 64, 200)
    arms.slack = 1e-6
    arms.rounded = lambda arm: true[arm] + 5e-7 * (arm == 150)  # type: ignore[method-assign]
    assert search(arms)[0] == 150


def test_exact_estimates_need_no_more_than_a_screen() -> None:
    true = arms_of(4)
    arms = FakeArms(true, 0.0, 0, 1500, 1500)
    arms.exact = True
    found, made = search(arms)
    assert found == true.argmin()
    assert len(made.rounds) == 1
    assert arms.refined == []


@pytest.mark.parametrize("noise", [3.0, 30.0])
def test_rounds_double_the_references_and_lose_arms(noise: float) -> None:
    arms = FakeArms(arms_of(3), noise, 3, 64, 1500)
    _, made = search(arms)
    assert made.rounds[0].references == 64
    for before, after in zip(made.rounds, made.rounds[1:], strict=False):
        assert before.references <= after.references <= 4 * before.references
        assert after.arms == before.survivors
        assert 0 <= after.survivors <= after.arms
    depths = [depth for depth, _ in arms.refined]
    assert depths == sorted(depths)
    assert max(depths) <= 1500
    assert all(leaders <= set(arms.values) for leaders in arms.led)


@pytest.mark.parametrize("n", [1, 2, 25])
def test_few_arms(n: int) -> None:
    true = arms_of(1, n)
    assert search(FakeArms(true, 1.0, 0, 1, n))[0] == true.argmin()


@pytest.mark.parametrize("seed", range(10))
def test_an_eager_search_ends_as_soon_as_an_arm_is_known_to_be_good(seed: int) -> None:
    """Where many arms are good it need not tell them apart; where none is, it looks at all."""
    refined = {}
    for lift in (0.0, 1.2):
        arms = FakeArms(np.abs(arms_of(seed)) - 1.0 + lift, 30.0, seed, 64, 1500)
        good = eager_search(arms).good(everywhere=True)
        assert (arms.true[good] < 0).all()
        assert len(good) == 0 if lift else 0 < len(good) < 100
        refined[lift] = sum(depth * left for depth, left in arms.refined)
        if lift:
            unknown = (arms.lower <= 0) & ~np.isin(np.arange(1500), list(arms.values))
            assert not unknown.any()
    assert refined[0.0] < refined[1.2] / 2


@pytest.mark.parametrize("seed", range(10))
def test_an_eager_search_finishes_where_what_seemed_good_was_not(seed: int) -> None:
    """The engine may find that no good arm lowers the loss: then all others are looked at."""
    arms = FakeArms(np.abs(arms_of(seed)) - 1.0, 30.0, seed, 64, 1500)
    made = eager_search(arms)
    made.good(everywhere=True)
    made.finish()
    unknown = (arms.lower <= 0) & ~np.isin(np.arange(1500), list(arms.values))
    assert not unknown.any()


@pytest.mark.parametrize("seed", range(5))
def test_where_the_screen_tells_little_leaders_are_tried(seed: int) -> None:
    """They serve to estimate others, as the arms that seem best do not."""
    tried = {}
    for vague in (0.75, 1.0):
        arms = FakeArms(np.abs(arms_of(seed)) + 0.2, 100.0, seed, 64, 1500)
        eager_search(arms, vague=vague).good()
        tried[vague] = len(arms.values), len(arms.refined)
    assert tried[0.75][1] > 0
    assert tried[1.0] == (2, 0)


def eager_search(arms: FakeArms, **tuning: float) -> EagerSearch:
    return EagerSearch(arms, 0.0, Tuning()._replace(**tuning), 1)  # type: ignore[arg-type]
