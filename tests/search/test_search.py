"""The search on synthetic arms: no data, no metric."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from medoids.search.search import Found, Search

Values = NDArray[np.float64]
Arms = NDArray[np.integer]


class FakeRewards:
    """Arms of known values, estimated with bounded noise that falls with the depth.

    Bounds hold, except for the arms in `blunder`, whose lower bounds are far too high in
    the rounds named; `optimism` puts the estimates of some arms too low.
    """

    def __init__(self, true: Values, noise: float, seed: int, first: int, total: int) -> None:
        self.true, self.noise = true, noise
        self.rng = np.random.default_rng(seed)
        self.first, self.total = first, total
        self.slack = self.rough = 0.0
        self.depth, self.keeps_all = first, False
        self.owner = np.arange(len(true)) % 5
        self.blunder: dict[str, list[int]] = {"screen": [], "refine": []}
        self.optimism = np.zeros(len(true))
        self.exact_calls: list[int] = []
        self.refined: list[tuple[int, int]] = []
        self.leaders: list[set[int]] = []

    def _estimate(self, arms: Arms, depth: int, stage: str) -> tuple[Values, Values]:
        width = self.noise * np.sqrt((1 - depth / self.total) / depth)
        error = np.clip(self.rng.normal(scale=width, size=len(arms)), -4 * width, 4 * width)
        mean = self.true[arms] + error
        lower = np.where(np.isin(arms, self.blunder[stage]), 1e6, mean - 4 * width)
        return mean - self.optimism[arms], lower

    def screen(self) -> tuple[Values, Values, Values]:
        every = np.arange(len(self.true))
        mean, lower = self._estimate(every, self.first, "screen")
        return mean, lower, np.full(len(every), self.noise)

    def refine(self, arms: Arms, depth: int, leaders: Arms) -> tuple[Values, Values]:
        self.refined.append((depth, len(arms)))
        self.leaders.append(set(leaders.tolist()))
        return self._estimate(arms, depth, "refine")

    def exact(self, arms: Arms) -> Values:
        self.exact_calls += arms.tolist()
        return self.true[arms].copy()

    def confirm(self, arms: Arms) -> tuple[Values, Arms, Values]:
        rows = np.repeat(arms[:, None].astype(float), 3, axis=1)
        return self.true[arms].copy(), arms % 5, rows


def search(
    rewards: FakeRewards,
    candidates: NDArray[np.bool_] | None = None,
    null: float = np.inf,
    known: NDArray[np.bool_] | None = None,
) -> tuple[Found | None, Search]:
    n = len(rewards.true)
    made = Search(
        rewards,
        np.ones(n, dtype=bool) if candidates is None else candidates,
        first=rewards.first,
        total=rewards.total,
        null=null,
        known=np.zeros(n, dtype=bool) if known is None else known,
    )
    return made.run(), made


def arms_of(seed: int, n: int = 1500) -> Values:
    return np.random.default_rng(seed).normal(scale=0.3, size=n)


@pytest.mark.parametrize("noise", [0.0, 0.3, 3.0, 30.0])
@pytest.mark.parametrize("seed", range(10))
def test_the_best_arm_wins(seed: int, noise: float) -> None:
    true = arms_of(seed)
    found, _ = search(FakeRewards(true, noise, seed, 64, 1500))
    assert found is not None
    assert found.arm == true.argmin()
    assert found.replaces == found.arm % 5
    np.testing.assert_array_equal(found.row, np.full(3, found.arm))


@pytest.mark.parametrize("seed", range(5))
def test_few_arms_are_valued_exactly(seed: int) -> None:
    rewards = FakeRewards(arms_of(seed), 0.3, seed, 64, 1500)
    search(rewards)
    assert len(rewards.exact_calls) < 150
    assert len(set(rewards.exact_calls)) == len(rewards.exact_calls), "an arm valued twice"


@pytest.mark.parametrize("seed", range(10))
def test_the_leader_survives_its_own_round(seed: int) -> None:
    # Its own bounds lie above its value: by rounding, or by bad luck.
    true = arms_of(seed)
    rewards = FakeRewards(true, 3.0, seed, 64, 1500)
    best = int(true.argmin())
    rewards.optimism[best] = 100.0
    rewards.blunder = {"screen": [best], "refine": [best]}
    found, _ = search(rewards)
    assert rewards.refined, "there was a round to survive"
    assert all(best in leaders for leaders in rewards.leaders)
    assert found is not None
    assert found.arm == best


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("noise", [0.3, 3.0])
def test_arms_that_the_screen_drops_never_win(seed: int, noise: float) -> None:
    true = arms_of(seed)
    rewards = FakeRewards(true, noise, seed, 64, 1500)
    out = np.random.default_rng(seed).choice(1500, 400, replace=False)
    out = np.union1d(out, np.argsort(true)[:5])
    # The best are among them, and their estimates lead.
    rewards.blunder["screen"] = out.tolist()
    rewards.optimism[out] = 100.0
    found, _ = search(rewards, null=0.0)
    assert found is not None
    rest = true.copy()
    rest[out] = np.inf
    assert found.arm == rest.argmin()
    assert not set(rewards.exact_calls) & set(out.tolist())


@pytest.mark.parametrize("seed", range(10))
def test_arms_that_a_later_round_drops_never_win(seed: int) -> None:
    true = arms_of(seed)
    rewards = FakeRewards(true, 30.0, seed, 64, 1500)
    out = np.argsort(true)[:5]
    rewards.blunder["refine"] = out.tolist()
    rewards.optimism[out] = -100.0  # so that none of them leads
    found, _ = search(rewards)
    assert found is not None
    rest = true.copy()
    rest[out] = np.inf
    assert found.arm == rest.argmin()
    assert not set(rewards.exact_calls) & set(out.tolist())


@pytest.mark.parametrize("seed", range(10))
def test_arms_that_are_no_candidates_never_win(seed: int) -> None:
    true = arms_of(seed)
    candidates = np.ones(1500, dtype=bool)
    candidates[np.argsort(true)[:30]] = False
    known = ~candidates  # medoids' distances are often known
    rewards = FakeRewards(true, 1.0, seed, 64, 1500)
    found, made = search(rewards, candidates, known=known)
    assert found is not None
    assert found.arm == np.where(candidates, true, np.inf).argmin()
    assert candidates[rewards.exact_calls].all()
    assert made.rounds[0].arms == candidates.sum()


@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(10))
def test_ties_go_to_the_lowest_index(seed: int, noise: float) -> None:
    true = arms_of(seed)
    equal = np.random.default_rng(seed).choice(1500, 70, replace=False)
    true[equal] = true.min() - 0.1
    found, _ = search(FakeRewards(true, noise, seed, 64, 1500))
    assert found is not None
    assert found.arm == equal.min()


def test_all_arms_equal() -> None:
    found, _ = search(FakeRewards(np.zeros(300), 1.0, 0, 64, 300))
    assert found is not None
    assert found.arm == 0


@pytest.mark.parametrize("noise", [0.0, 0.3, 3.0])
@pytest.mark.parametrize("seed", range(5))
def test_doing_nothing_wins_where_nothing_helps(seed: int, noise: float) -> None:
    true = np.abs(arms_of(seed))
    true[7] = 0.0  # no better than doing nothing
    found, _ = search(FakeRewards(true, noise, seed, 64, 1500), null=0.0)
    assert found is None


@pytest.mark.parametrize("seed", range(10))
def test_one_arm_that_helps_is_found(seed: int) -> None:
    true = np.abs(arms_of(seed)) + 0.01
    true[1234] = -0.01
    found, _ = search(FakeRewards(true, 3.0, seed, 64, 1500), null=0.0)
    assert found is not None
    assert found.arm == 1234


def test_doing_nothing_saves_work() -> None:
    true = np.abs(arms_of(0)) + 1.0
    rewards = FakeRewards(true, 0.3, 0, 64, 1500)
    assert search(rewards, null=0.0)[0] is None
    assert rewards.exact_calls == []
    assert rewards.refined == []


def test_float32_values_within_the_slack_are_settled_in_float64() -> None:
    true = np.full(200, 1.0)
    true[150] = 1.0 - 1e-9
    rewards = FakeRewards(true, 0.0, 0, 64, 200)
    rewards.slack = 1e-6
    rewards.exact = lambda arms: true[arms] + 5e-7 * (arms == 150)  # type: ignore[method-assign]
    found, _ = search(rewards)
    assert found is not None
    assert found.arm == 150


@pytest.mark.parametrize("noise", [3.0, 30.0])
def test_rounds_double_the_references_and_lose_arms(noise: float) -> None:
    rewards = FakeRewards(arms_of(3), noise, 3, 64, 1500)
    _, made = search(rewards)
    assert made.rounds[0].references == 64
    for before, after in zip(made.rounds, made.rounds[1:], strict=False):
        assert before.references <= after.references <= 2 * before.references
        assert after.arms == before.survivors
        assert 0 <= after.survivors <= after.arms
    depths = [depth for depth, _ in rewards.refined]
    assert depths == sorted(depths)
    assert max(depths) <= 1500
    assert all(leaders <= set(rewards.exact_calls) for leaders in rewards.leaders)


def test_sigma_is_summed_up_in_five_numbers() -> None:
    rewards = FakeRewards(arms_of(0), 0.3, 0, 64, 1500)
    _, made = search(rewards)
    np.testing.assert_allclose(made.sigma, np.full(5, 0.3))


@pytest.mark.parametrize("n", [1, 2, 25])
def test_few_arms(n: int) -> None:
    true = arms_of(1, n)
    found, _ = search(FakeRewards(true, 1.0, 0, 1, n))
    assert found is not None
    assert found.arm == true.argmin()
