"""What every engine promises, held against brute force on matrices.

An engine is tested by a class of a few lines, see `engines/test_contract_reference.py`:

    class TestContract(EngineContract):
        def engine(self, matrix, n_clusters, seed=0, first=64):
            return MyEngine(...)

Estimates and bounds do not leave an engine. They are seen through `lowest`, with `below` at many
bars, and through `drop` of arms that were `narrowed` before.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import (
    Floats,
    asymmetric,
    best_swap,
    build_by_force,
    duplicates,
    heavy_tails,
    lattice,
    loss_of,
    mixture,
    pam_by_force,
    swaps_by_force,
)
from medoids._arrays import to_host
from medoids._tuning import Tuning
from medoids.engines.protocol import Arms, Engine, Ids
from medoids.methods.banditpam import banditpam
from medoids.methods.monitor import Monitor
from medoids.methods.settings import Settings
from medoids.methods.starts import start
from medoids.search.search import half_width

N = 700
FIRST = 64
Z = 3.5  # bounds are wrong with a chance of 0.002
KINDS = ["mixture", "ties", "one way", "negative", "copies", "small groups", "heavy tails"]
# Every engine is held against these while one works; against all of them before a merge.
USUAL = ["mixture", "ties", "one way"]
# Medoids so far, swap.
STEPS = [(0, False), (3, False), (1, True), (5, True), (12, True)]
NONE = np.empty(0, dtype=np.int64)


@cache
def matrix_of(kind: str, n: int = N, seed: int = 0) -> Floats:
    """Distances, that from row i to column j being the one of the candidate medoid i."""
    if kind in ("one way", "negative"):
        # A row at its own pace: who takes columns for rows finds other medoids.
        pace = np.random.default_rng(seed).uniform(0.5, 1.5, size=(n, 1))
        matrix = asymmetric(n, seed) * pace + np.diag(np.linspace(0, 0.2, n))
        return matrix - 1.5 if kind == "negative" else matrix
    if kind == "ties":
        X = lattice(n, seed)
        return cdist(X, X, "cityblock")
    X = {
        "mixture": lambda: mixture(n, 4, 5, seed),
        "copies": lambda: duplicates(n, seed),
        "small groups": lambda: mixture(n, 3, 2, seed),
        "heavy tails": lambda: heavy_tails(n, seed),
    }[kind]()
    if kind == "small groups":
        X[-6:] += 60
        X[-20:-6] -= 90
    return cdist(X, X)


class Case:
    """A step, and the true value of each of its arms."""

    def __init__(self, kind: str, k: int, swap: bool, n: int = N) -> None:
        self.matrix, self.k, self.swap, self.n = matrix_of(kind, n), k, swap, n
        # Medoids that are good for some rows alone, so that there is something to gain.
        self.medoids = build_by_force(self.matrix[:80, :80], k)
        self.others = np.setdiff1d(np.arange(n), self.medoids)
        near = self.matrix[self.medoids].min(axis=0, initial=np.inf)
        self.owner = self.matrix[self.medoids].argmin(axis=0) if k else np.zeros(n, dtype=int)
        if swap:
            self.losses = swaps_by_force(self.matrix, self.medoids)
        else:
            self.losses = np.minimum(self.matrix, near).sum(axis=1, keepdims=True)
        before = loss_of(self.matrix, self.medoids) if k else 0.0
        self.true = (self.losses.min(axis=1) - before) / n
        self.size = float(np.abs(self.matrix).mean())
        self.best = int(self.others[self.true[self.others].argmin()])
        # How much an arm's rewards vary over the points, what its removal costs being known.
        position = self.losses.argmin(axis=1)
        rests = [np.delete(self.matrix[self.medoids], m, axis=0) for m in range(k)]
        rest = np.array([each.min(axis=0, initial=np.inf) for each in rests] if swap else [near])
        base = np.where(np.isfinite(rest), rest, near if k else 0.0)
        self.sigma = (np.minimum(self.matrix, rest[position]) - base[position]).std(axis=1)


@cache
def case_of(kind: str, k: int, swap: bool) -> Case:
    return Case(kind, k, swap)


def marks_of(kind: str) -> tuple[pytest.MarkDecorator, ...]:
    return () if kind in USUAL else (pytest.mark.slow,)


every_case = pytest.mark.parametrize(
    "case",
    [pytest.param((kind, *step), marks=marks_of(kind)) for kind in KINDS for step in STEPS],
    ids=[f"{kind}-{'swap' if swap else 'build'}-{k}" for kind in KINDS for k, swap in STEPS],
)
every_kind = pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=marks_of(kind)) for kind in KINDS]
)


def every(arms: Arms) -> list[int]:
    """All arms that are left, the lowest estimate first."""
    return arms.lowest(arms.total).tolist()


def survivors(arms: Arms, bar: float) -> set[int]:
    """Those that a bar would leave; the arms stay as they are."""
    view = arms.narrowed(arms.total)
    left = view.drop(bar)
    found = set(every(view))
    assert len(found) == left == view.left
    return found


def wrong_bounds(arms: Arms, case: Case) -> set[int]:
    """Arms whose bound is above their true value, as far as many bars tell."""
    left = [arm for arm in every(arms) if arm not in arms.valued()]
    true = dict(zip(left, case.true[left], strict=True))
    ranked = sorted(true.values())
    bars = [*ranked[:8], *ranked[8 :: max(len(ranked) // 24, 1)]]
    wrong = set()
    for bar in np.add(bars, arms.slack):
        wrong |= {arm for arm in left if true[arm] + arms.slack <= bar} - survivors(arms, bar)
    return wrong


def estimates(arms: Arms, low: float, high: float, steps: int = 80) -> dict[int, float]:
    """The estimate of each arm, but for a step between the bars."""
    bars = np.linspace(low, high, steps)
    found = dict.fromkeys(every(arms), high)
    for bar in bars[::-1]:
        for arm in arms.lowest(arms.total, below=bar).tolist():
            found[arm] = bar
    return found


def descend(matrix: Floats, medoids: Sequence[int]) -> list[int]:
    """PAM's swaps, straight from their definition."""
    medoids = list(medoids)
    while True:
        losses = swaps_by_force(matrix, medoids)
        losses[medoids] = np.inf
        arm, position = np.unravel_index(losses.argmin(), losses.shape)
        if losses[arm, position] >= loss_of(matrix, medoids) - 1e-12 * np.abs(matrix).sum():
            return medoids
        medoids[position] = int(arm)


class EngineContract:
    """The suite; a subclass says how to make an engine, where `first` is less than half of n."""

    def engine(self, matrix: Floats, n_clusters: int, seed: int = 0, first: int = FIRST) -> Engine:
        raise NotImplementedError

    def at(self, case: Case, seed: int = 0, first: int = FIRST) -> Engine:
        """An engine at the step of a case."""
        engine = self.engine(case.matrix, max(case.k, 1), seed, first)
        if case.k:
            engine.start(case.medoids)
        return engine

    def fit(
        self, engine: Engine, swap: str = "best", init: str | list[int] = "build", seed: int = 0
    ) -> Engine:
        rng = np.random.default_rng(seed)
        settings = Settings(engine, init, 300, None, swap, rng, Monitor(0), Tuning())  # type: ignore[arg-type]
        found, swaps = banditpam(settings)
        assert swaps >= 0
        return found  # type: ignore[return-value]

    # --- the medoids so far

    @every_kind
    def test_an_engine_begins_without_medoids(self, kind: str) -> None:
        matrix = matrix_of(kind)
        engine = self.engine(matrix, 4)
        assert (engine.n, engine.n_arms, engine.n_clusters) == (N, N, 4)
        assert engine.medoids == []
        assert engine.loss == np.inf
        assert np.frexp(engine.unit)[0] == 0.5
        assert matrix.min() >= 0 or not engine.nonnegative
        assert engine.first == FIRST

    @every_kind
    def test_placements_and_what_all_points_pay(self, kind: str) -> None:
        """The loss, the labels and what a replacement would bring, along a random way."""
        matrix, k, rng = matrix_of(kind), 6, np.random.default_rng(1)
        engine, medoids, tied = self.engine(matrix, k), [], 0
        # With copies and neighbours of medoids among them.
        pool = rng.choice(N, 40, replace=False)
        pool = np.unique(
            [*pool, *np.argsort(matrix[pool[0]])[:3], *np.argsort(matrix[pool[1]])[:3]]
        )
        for turn in range(40):
            free = np.setdiff1d(pool, medoids)
            position, medoid = min(turn, int(rng.integers(k)), len(medoids)), int(rng.choice(free))
            if len(medoids) < k:
                position = len(medoids)
                medoids.append(medoid)
            else:
                medoids[position] = medoid
                expected = loss_of(matrix, medoids)
                assert engine.loss_after(position, medoid) * engine.unit == pytest.approx(
                    expected, rel=1e-12, abs=1e-12
                )
            engine.place(position, medoid)
            assert engine.medoids == medoids
            assert engine.loss * engine.unit == pytest.approx(
                loss_of(matrix, medoids), rel=1e-12, abs=1e-12
            )
            labels = to_host(engine.labels())
            assert labels.dtype == np.int32
            np.testing.assert_array_equal(labels, matrix[medoids].argmin(axis=0))
            tied += int(((matrix[medoids] == matrix[medoids].min(axis=0)).sum(axis=0) > 1).sum())
        assert tied > 100 or kind not in ("ties", "copies")
        other = self.engine(matrix, k)
        other.start(medoids)
        assert other.medoids == medoids
        assert other.loss == pytest.approx(engine.loss, rel=1e-12)

    def test_a_replacement_by_itself_changes_nothing(self) -> None:
        matrix = matrix_of("ties")
        engine = self.engine(matrix, 3)
        engine.start([5, 6, 7])
        before = engine.loss
        assert engine.loss_after(1, 6) == before
        engine.place(1, 6)
        assert (engine.loss, engine.medoids) == (before, [5, 6, 7])

    @every_case
    def test_confirmed_values(self, case: tuple[str, int, bool]) -> None:
        it = case_of(*case)
        engine = self.at(it)
        arms = np.sort(np.random.default_rng(0).choice(it.others, 40, replace=False))
        values, positions = engine.confirm(arms, it.swap)
        np.testing.assert_allclose(
            np.asarray(values) * engine.unit, it.true[arms], rtol=1e-12, atol=1e-12 * it.size
        )
        losses = it.losses[arms]
        best = np.isclose(losses, losses.min(axis=1, keepdims=True), rtol=1e-12, atol=0)
        np.testing.assert_array_equal(positions, best.argmax(axis=1))

    @every_case
    def test_values_do_not_depend_on_who_is_asked_with_them(
        self, case: tuple[str, int, bool]
    ) -> None:
        """Nor do those of copies differ in a bit: else a tie is decided by chance."""
        it = case_of(*case)
        engine, other = self.at(it), self.at(it)
        arms = it.others[:33]
        values = np.asarray(engine.confirm(arms, it.swap)[0])
        alone = [float(other.confirm(arms[i : i + 1], it.swap)[0][0]) for i in range(33)]
        np.testing.assert_array_equal(values, alone)
        for i in range(33):
            copies = np.flatnonzero((it.matrix[arms] == it.matrix[arms[i]]).all(axis=1))
            assert (values[copies] == values[i]).all()

    # --- chance

    @pytest.mark.parametrize("itself", [0.0, 2.0])
    def test_a_point_is_drawn_in_proportion_to_what_it_pays(self, itself: float) -> None:
        """But for medoids, which may pay too."""
        matrix = matrix_of("mixture", 40) + itself * np.eye(40)
        engine, rng = self.engine(matrix, 3, first=8), np.random.default_rng(3)
        medoids: list[int] = []
        for _ in range(3):
            weight = matrix[medoids].min(axis=0) if medoids else np.ones(40)
            weight[medoids] = 0
            drawn = np.bincount([engine.draw(rng) for _ in range(2000)], minlength=40)
            chance = weight / weight.sum()
            error = (drawn - 2000 * chance) / np.sqrt(np.maximum(2000 * chance, 1))
            assert (drawn[medoids] == 0).all()
            assert np.abs(error).max() < 4.5
            medoids.append(int(drawn.argmax()))
            engine.place(len(medoids) - 1, medoids[-1])

    def test_who_pays_less_than_nothing_is_not_drawn(self) -> None:
        matrix = matrix_of("negative", 40) + 0.7
        engine, rng = self.engine(matrix, 2, first=8), np.random.default_rng(3)
        engine.start([3, 9])
        pays = matrix[[3, 9]].min(axis=0)
        drawn = {engine.draw(rng) for _ in range(1000)}
        assert 0 < (pays > 0).sum() < 38
        assert drawn == set(np.flatnonzero(pays > 0)) - {3, 9}

    def test_only_copies_are_left(self) -> None:
        matrix = np.zeros((6, 6))
        engine, rng = self.engine(matrix, 2, first=2), np.random.default_rng(0)
        engine.start([4, 1])
        assert {engine.draw(rng) for _ in range(200)} == {0, 2, 3, 5}
        assert engine.loss == 0
        assert to_host(engine.labels()).tolist() == [0] * 6
        values, positions = engine.confirm(np.array([0, 2, 3, 5]), True)
        assert np.asarray(values).tolist() == [0.0] * 4
        assert np.asarray(positions).tolist() == [0] * 4

    @every_kind
    def test_the_best_among_some(self, kind: str) -> None:
        matrix, rng = matrix_of(kind), np.random.default_rng(0)
        engine, medoids = self.engine(matrix, 4), []
        for _ in range(4):
            some = np.sort(rng.choice(np.setdiff1d(np.arange(N), medoids), 60, replace=False))
            near = matrix[medoids].min(axis=0, initial=np.inf)[some]
            pays = np.minimum(matrix[np.ix_(some, some)], near).sum(axis=1)
            found = engine.best_among(some)
            assert pays[some == found][0] <= pays.min() + 1e-5 * np.abs(pays).mean()
            if kind == "ties":
                assert found == some[pays.argmin()]
            medoids.append(int(some[pays.argmin()]))
            engine.place(len(medoids) - 1, medoids[-1])

    # --- the screen

    @every_case
    def test_what_a_screen_says_of_itself(self, case: tuple[str, int, bool]) -> None:
        it = case_of(*case)
        arms = self.at(it).screen(it.swap, Z)
        assert (arms.count, arms.left, arms.total) == (len(it.others), len(it.others), N)
        assert arms.first == FIRST <= arms.depth <= N
        assert not arms.exact
        assert 0 < arms.slack < 1e-4 * it.size
        assert len(arms.sigma) == 5
        assert np.isfinite(arms.sigma).all()
        assert (np.diff([0, *arms.sigma]) >= 0).all()
        assert arms.sigma[-1] > 0
        assert sorted(every(arms)) == it.others.tolist()
        assert arms.valued().tolist() == []

    @every_case
    def test_estimates_are_near_the_values(self, case: tuple[str, int, bool]) -> None:
        it = case_of(*case)
        errors, expected = [], []
        low, high = it.true[it.others].min(), it.true[it.others].max()
        margin = (high - low) / 2
        for seed in range(3):
            arms = self.at(it, seed).screen(it.swap, Z)
            found = estimates(arms, low - margin, high + margin)
            ids = list(found)
            errors.append(np.array(list(found.values())) - it.true[ids])
            expected.append(it.sigma[ids] / np.sqrt(FIRST))
        rms = np.sqrt(np.mean(np.square(errors)))
        assert rms < 2 * np.sqrt(np.mean(np.square(expected))) + (high - low) / 50

    @every_case
    def test_bounds_hold(self, case: tuple[str, int, bool]) -> None:
        """After the screen, and from more references; that of the best arm above all."""
        it = case_of(*case)
        wrong = total = 0
        for seed in range(3):
            arms = self.at(it, seed).screen(it.swap, Z)
            for depth in (0, 4 * FIRST):
                if depth:
                    arms.refine(max(depth, arms.depth), arms.valued())
                found = wrong_bounds(arms, it)
                assert it.best not in found
                wrong, total = wrong + len(found), total + arms.left
                if not depth:  # leaders, that are valued and need no bound
                    arms.value(arms.leaders(depth))
        assert wrong <= 0.02 * total

    def test_bounds_hold_where_the_sample_has_missed_a_group(self) -> None:
        """The best arm has a reward at itself alone: as few references tell."""
        it = case_of("small groups", 3, False)
        assert it.best >= N - 20
        for seed in range(20):
            arms = self.at(it, seed, first=16).screen(it.swap, 4.0)
            assert it.best in survivors(arms, it.true[it.best] + arms.slack)

    @every_case
    def test_bounds_are_of_use(self, case: tuple[str, int, bool]) -> None:
        """They are not below all bars, and nearer to the values with more references."""
        it = case_of(*case)
        arms = self.at(it, first=256).screen(it.swap, 2.0)
        bars = np.quantile(it.true[it.others], [0.0, 0.05, 0.25])
        before = [len(survivors(arms, bar)) for bar in bars]
        arms.refine(512, _led(arms))
        after = [len(survivors(arms, bar)) for bar in bars]
        assert sum(after) <= sum(before)
        assert after[0] < N / 2 or it.k > 5 or case[0] == "small groups"

    @every_case
    def test_all_references_leave_nothing_to_chance(self, case: tuple[str, int, bool]) -> None:
        it = case_of(*case)
        whole, sampled = (self.at(it, first=first) for first in (N, FIRST))
        refined = sampled.screen(it.swap, Z)
        refined.refine(N, _led(refined))
        screened = whole.screen(it.swap, Z)
        assert screened.exact or it.swap  # rounding may be in the way of SWAP
        assert screened.first == screened.depth == N
        for arms in (screened, refined):
            near = 20 * arms.slack + 1e-5 * it.size
            for bar in np.quantile(it.true[it.others], [0.001, 0.1, 0.5, 0.9]):
                others = np.setdiff1d(it.others, arms.valued())
                below = set(others[it.true[others] < bar - near])
                upto = set(it.others[it.true[it.others] < bar + near])
                found = survivors(arms, bar)
                assert found <= upto
                # A bound that was wrong after the screen may stay.
                assert len(below - found) <= (0.01 * N if arms is refined else 0)
                assert below <= set(arms.lowest(N, below=bar).tolist()) <= upto

    # --- which arms are left

    @every_kind
    def test_drop(self, kind: str) -> None:
        it = case_of(kind, 5, True)
        arms = self.at(it).screen(True, Z)
        bars = np.quantile(it.true[it.others], [0.9, 0.5, 0.1, 0.0])
        assert arms.drop(np.inf) == arms.left == arms.count
        for bar in bars:
            expected, before = survivors(arms, bar), every(arms)
            assert arms.drop(bar) == arms.left == len(expected)
            assert every(arms) == [arm for arm in before if arm in expected]
            assert it.best in expected
        some = np.array(every(arms)[:7])
        arms.value(some)
        left = arms.left
        assert arms.drop(np.inf) == left - 7
        assert not set(every(arms)) & set(some.tolist())
        assert arms.count == len(it.others)

    def test_a_bound_at_the_bar_is_kept(self) -> None:
        """Here every arm is worth the same, and nothing is rounded."""
        matrix = np.ones((64, 64))
        arms = self.engine(matrix, 1, first=64).screen(False, Z)
        assert arms.drop(float(arms.value(np.array([9])))) >= 63 - arms.valued(0.0).size
        assert arms.drop(0.5) == 0

    @every_kind
    def test_lowest(self, kind: str) -> None:
        it = case_of(kind, 5, True)
        engine = self.at(it)
        arms = engine.screen(True, Z)
        ranked = every(arms)
        assert len(set(ranked)) == len(ranked)
        assert arms.lowest(9).tolist() == ranked[:9]
        assert arms.lowest(0).tolist() == []
        for bar in np.quantile(it.true[it.others], [0.0, 0.3, 0.6, 1.0]):
            below = arms.lowest(N, below=bar).tolist()
            assert below == ranked[: len(below)]
            assert arms.lowest(5, below=bar).tolist() == below[:5]
        each = arms.lowest(3, each=True).tolist()
        first = [[arm for arm in ranked if it.owner[arm] == g][:3] for g in range(5)]
        assert sorted(each) == sorted(arm for some in first for arm in some)
        assert each == [arm for arm in ranked if arm in each]

    @every_kind
    def test_leaders_are_left_and_the_most_promising_is_among_them(self, kind: str) -> None:
        it = case_of(kind, 5, True)
        arms = self.at(it).screen(True, Z)
        ranked = every(arms)
        for depth in (FIRST, 4 * FIRST):
            leaders = arms.leaders(depth).tolist()
            assert len(set(leaders)) == len(leaders) < len(ranked)
            assert ranked[0] in leaders
            assert set(leaders) <= set(ranked)
        arms.value(arms.leaders(FIRST))
        arms.drop(np.inf)
        assert not set(arms.leaders(FIRST).tolist()) & set(arms.valued().tolist())

    @every_kind
    def test_narrowed_arms_share_what_is_learnt(self, kind: str) -> None:
        it = case_of(kind, 5, True)
        arms = self.at(it).screen(True, Z)
        some = arms.narrowed(6)
        ids = np.array(every(some))
        assert ids.tolist() == arms.lowest(6, each=True).tolist()
        assert some.left == len(ids) < arms.left == arms.count
        others = [arm for arm in every(arms) if arm not in ids]
        some.refine(N, NONE)
        assert [arm for arm in every(arms) if arm not in ids] == others
        near = 20 * arms.slack + 1e-5 * it.size
        for arm in ids.tolist():
            assert arm in arms.lowest(N, below=it.true[arm] + near)
            assert arm not in arms.lowest(N, below=it.true[arm] - near)
        arms.value(ids[:3])
        assert some.drop(np.inf) == len(ids) - 3
        assert some.valued().tolist() == arms.valued().tolist()
        assert arms.left == arms.count

    # --- values

    @every_case
    def test_values(self, case: tuple[str, int, bool]) -> None:
        it = case_of(*case)
        arms = self.at(it).screen(it.swap, Z)
        some = np.random.default_rng(0).choice(it.others, 25, replace=False)
        some = some[np.argsort(-it.true[some], kind="stable")]
        lowest = np.inf
        for arm in some:  # from the worst on, so that each is the lowest so far
            found = arms.value(np.array([arm]))
            assert found == pytest.approx(min(lowest, it.true[arm]), abs=2 * arms.slack)
            lowest = found
        assert arms.value(some[:3]) == lowest
        assert arms.value(NONE) == lowest
        valued = arms.valued()
        assert sorted(valued.tolist()) == sorted(some.tolist())
        assert (np.diff(it.true[valued]) > -2 * arms.slack).all()
        assert valued[0] in arms.valued(lowest)
        assert arms.valued(float(np.nextafter(lowest, -np.inf))).tolist() == []
        middle = float(np.median(it.true[some]))
        upto = set(arms.valued(middle).tolist())
        assert set(some[it.true[some] < middle - 2 * arms.slack]) <= upto
        assert upto <= set(some[it.true[some] < middle + 2 * arms.slack])
        arms.drop(np.inf)
        assert arms.value() == pytest.approx(it.true[it.others].min(), abs=2 * arms.slack)
        assert len(arms.valued()) == len(it.others)
        arms.close()

    # --- from step to step

    @every_kind
    @pytest.mark.parametrize("k", [4, 12])
    def test_bounds_hold_along_a_fit(self, kind: str, k: int) -> None:
        """What is learnt in one step may serve the next; and does not mislead it."""
        matrix, rng = matrix_of(kind), np.random.default_rng(2)
        engine = self.engine(matrix, k, first=128)
        wrong = total = 0
        for turn in range(k + 4):
            swap = turn >= k
            if turn % 3 < 2:
                engine.forget()
            if swap or turn in (1, 2, k - 1):
                it = _now(matrix, engine.medoids, swap)
                arms = engine.screen(swap, Z)
                found = wrong_bounds(arms, it)
                assert it.best not in found
                wrong, total = wrong + len(found), total + arms.left
                arms.value(arms.lowest(N // 2))
                arms.close()
            position = int(rng.integers(k)) if swap else turn
            # Close to the one that goes: most points hardly notice, or not at all.
            near = np.argsort(matrix[engine.medoids[position]])[:12] if swap else np.arange(N)
            engine.place(position, int(rng.choice(np.setdiff1d(near, engine.medoids))))
        assert wrong <= 0.02 * total

    def test_distances_are_counted(self) -> None:
        it = case_of("mixture", 5, True)
        engine = self.engine(it.matrix, 5)
        count = [engine.n_distances]

        def more(most: float) -> int:
            count.append(engine.n_distances)
            assert 0 <= count[-1] - count[-2] <= most
            return count[-1] - count[-2]

        engine.start(it.medoids)
        assert more(6 * N) >= 5 * N
        arms = engine.screen(True, Z)
        assert more(1.5 * FIRST * N) >= FIRST * N
        engine.screen(True, Z)
        assert more(0) == 0
        some = arms.lowest(10)
        arms.value(some)
        assert more(10 * N) >= 10 * (N - 1.5 * FIRST)
        arms.value(some)
        assert more(0) == 0
        engine.loss_after(2, int(some[0]))
        engine.confirm(some, True)
        more(11 * N)
        engine.place(2, int(some[0]))
        more(N)
        engine.screen(True, Z)
        assert more(0.5 * FIRST * N) < 0.5 * FIRST * N
        arms = engine.screen(True, Z)
        arms.drop(float(np.quantile(it.true, 0.1)))
        arms.refine(2 * FIRST, NONE)
        assert more(2 * FIRST * arms.left + N) > 0

    def test_fresh_engines(self) -> None:
        it = case_of("one way", 5, True)
        engine = self.at(it)
        engine.screen(True, Z)
        other = engine.fresh()
        assert (other.n, other.n_clusters, other.medoids, other.loss) == (N, 5, [], np.inf)
        assert other.nonnegative == engine.nonnegative
        assert other.unit == engine.unit
        assert other.n_distances >= engine.n_distances >= FIRST * N
        other.start([3, 1])
        assert other.loss * other.unit == pytest.approx(loss_of(it.matrix, [3, 1]), rel=1e-12)
        assert engine.medoids == it.medoids
        assert engine.loss * engine.unit == pytest.approx(loss_of(it.matrix, it.medoids), rel=1e-12)
        np.testing.assert_array_equal(to_host(engine.labels()), it.owner)

    def test_the_same_seed_gives_the_same(self) -> None:
        it = case_of("heavy tails", 5, True)
        found = []
        for seed in (0, 0, 1):
            engine = self.at(it, seed)
            arms = engine.screen(True, Z)
            arms.refine(4 * FIRST, NONE)
            found.append((every(arms), arms.sigma, engine.n_distances))
        assert found[0] == found[1]
        assert found[0][0] != found[2][0]

    @pytest.mark.parametrize("factor", [1e-30, 1e30])
    def test_numbers_of_any_size(self, factor: float) -> None:
        it = case_of("mixture", 5, True)
        engine = self.engine(it.matrix * factor, 5)
        engine.start(it.medoids)
        unit = engine.unit / factor
        assert engine.loss * unit == pytest.approx(loss_of(it.matrix, it.medoids), rel=1e-12)
        values, _ = engine.confirm(it.others[:9], True)
        np.testing.assert_allclose(
            np.asarray(values) * unit, it.true[it.others[:9]], atol=1e-12 * it.size
        )
        arms = engine.screen(True, Z)
        assert arms.sigma[2] > 0
        assert it.best in survivors(arms, it.true[it.best] / unit + arms.slack)
        assert arms.value() * unit == pytest.approx(it.true[it.best], abs=2 * arms.slack * unit)

    # --- eager steps

    @every_kind
    def test_arms_that_seem_best(self, kind: str) -> None:
        matrix = matrix_of(kind)
        engine, exact = self.engine(matrix, 3), self.engine(matrix, 3, first=N)
        for _ in range(3):
            some = engine.seem_best(8)
            assert some.tolist() == sorted(set(some.tolist()) - set(engine.medoids))
            assert len(some) == 8
            it = _now(matrix, engine.medoids, False)
            # Good ones by the first references; and the very best by all.
            assert it.true[some].mean() < it.true[it.others].mean() or kind == "heavy tails"
            bar = np.sort(it.true[it.others])[7]
            assert (it.true[exact.seem_best(8)] <= bar + 1e-5 * it.size).all()
            arm = engine.place_best(some)
            assert arm in some
            assert it.true[arm] <= it.true[some].min() + 1e-5 * it.size
            assert engine.medoids[-1] == arm
            assert len(exact.medoids) == len(engine.medoids) - 1
            exact.place(len(exact.medoids), arm)
            assert engine.loss == pytest.approx(exact.loss, rel=1e-5)
            if kind == "copies":  # they cannot be told apart
                same = some[it.true[some] == it.true[some].min()]
                assert arm == same.min()
        engine.sharpen()
        assert engine.loss == pytest.approx(exact.loss, rel=1e-12)
        assert sorted(engine.seem_best(10 * N)) == sorted(set(range(N)) - set(engine.medoids))

    @every_kind
    def test_swaps_that_are_taken(self, kind: str) -> None:
        it = case_of(kind, 5, True)
        before = loss_of(it.matrix, it.medoids)
        slack = 1e-5 * abs(before)
        good = it.others[np.argsort(it.true[it.others], kind="stable")]
        good = good[it.true[good] * N < -slack]
        assert len(good) > 5
        engine = self.at(it)
        assert engine.swap_in(good, 2 * abs(before) + 1.0) == 0
        assert engine.medoids == it.medoids
        bad = it.others[it.true[it.others] * N > slack]
        assert engine.swap_in(bad[:20], slack) == 0
        assert engine.swap_in(np.array(it.medoids), slack) == 0
        assert engine.swap_in(NONE, 0.0) == 0
        assert engine.loss == pytest.approx(before, rel=1e-12)
        assert engine.swap_in(good[:1], slack) == 1
        assert engine.medoids[int(it.losses[good[0]].argmin())] == good[0] or kind == "copies"
        assert engine.loss == pytest.approx(it.losses[good[0]].min(), rel=1e-5)
        now, margin = engine.loss, max(slack, 1e-3 * abs(before))
        done = engine.swap_in(good[1:60], margin)
        assert engine.loss <= now - done * margin + slack
        assert done >= len(set(engine.medoids) & set(good[1:60].tolist()))
        assert len(set(engine.medoids)) == 5
        engine.sharpen()
        assert engine.loss == pytest.approx(loss_of(it.matrix, engine.medoids), rel=1e-12)
        np.testing.assert_array_equal(
            to_host(engine.labels()), it.matrix[engine.medoids].argmin(axis=0)
        )

    @every_kind
    def test_all_medoids_at_once(self, kind: str) -> None:
        matrix, medoids = matrix_of(kind), [7, 3, 50, 20, 300]
        engine = self.engine(matrix, 5)
        engine.place_all(medoids[:2])
        engine.place_all(medoids[2:])
        expected = loss_of(matrix, medoids) / engine.unit
        assert engine.medoids == medoids
        assert engine.loss == pytest.approx(expected, rel=1e-5)
        engine.sharpen()
        assert engine.loss == pytest.approx(expected, rel=1e-12)

    @every_kind
    def test_swaps_by_the_points_around_clusters(self, kind: str) -> None:
        it = case_of(kind, 5, True)
        engine = self.at(it)
        for level in range(4):
            before, medoids = engine.loss, list(engine.medoids)
            near = engine.swap_near(level)
            if near is None:  # searches find all swaps
                assert engine.medoids == medoids
                return
            assert near.swaps >= len(set(engine.medoids) - set(medoids))
            assert engine.loss < before or not near.swaps

    @every_kind
    def test_some_points_are_an_engine_of_their_own(self, kind: str) -> None:
        matrix = matrix_of(kind)
        engine = self.engine(matrix, 5)
        seen: list[int] = []
        for which in range(3):
            found = engine.some_points(100, which)
            assert found is not None
            some, rows = found
            assert (some.n, some.n_clusters, some.medoids) == (len(rows), 5, [])
            assert len(set(rows.tolist())) == 100
            seen += rows.tolist()
            some.start([7, 3, 50])
            expected = matrix[np.ix_(rows[[7, 3, 50]], rows)]
            size = np.abs(matrix).mean()
            assert some.loss * some.unit / engine.unit == pytest.approx(
                expected.min(axis=0).sum() / engine.unit, abs=1e-4 * size * 100
            )
            # All of them are references of each other.
            assert some.first == 100
        assert len(set(seen)) == 300, "others each time"
        assert engine.medoids == []
        assert engine.some_points(19, 0) is None, "too few for five clusters"

    # --- whole fits

    @every_kind
    @pytest.mark.parametrize(("n", "k", "first"), [(1000, 4, 96), (600, 8, 64)])
    def test_banditpam_finds_pams_medoids(self, kind: str, n: int, k: int, first: int) -> None:
        matrix = matrix_of(kind, n, 5)
        engine = self.fit(self.engine(matrix, k, 1, first))
        expected = pam_by_force(matrix, k)
        assert engine.medoids == expected
        assert engine.loss * engine.unit == pytest.approx(loss_of(matrix, expected), rel=1e-12)
        np.testing.assert_array_equal(to_host(engine.labels()), matrix[expected].argmin(axis=0))

    @every_kind
    def test_eager_fits_end_where_no_swap_helps(self, kind: str) -> None:
        matrix = matrix_of(kind, 600, 6)
        engine = self.fit(self.engine(matrix, 8, 2, 64), swap="eager")
        loss = loss_of(matrix, engine.medoids)
        assert len(set(engine.medoids)) == 8
        assert engine.loss * engine.unit == pytest.approx(loss, rel=1e-12)
        assert best_swap(matrix, np.array(engine.medoids)) >= loss - 1e-11 * abs(loss)

    @pytest.mark.parametrize("init", ["random", "k-medoids++", "lab"])
    @pytest.mark.parametrize("swap", ["best", "eager"])
    def test_fits_from_other_starts(self, init: str, swap: str) -> None:
        matrix, k = matrix_of("one way", 600, 7), 5
        for seed in range(2):
            begun = self.engine(matrix, k, seed)
            start(begun, init, np.random.default_rng(seed))
            engine = self.fit(self.engine(matrix, k, seed), swap, init, seed)
            if swap == "best":
                assert engine.medoids == descend(matrix, begun.medoids)
            loss = loss_of(matrix, engine.medoids)
            assert best_swap(matrix, np.array(engine.medoids)) >= loss - 1e-11 * abs(loss)

    @pytest.mark.parametrize("swap", ["best", "eager"])
    @pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (3, 2), (5, 4), (5, 5), (9, 3)])
    def test_few_points(self, n: int, k: int, swap: str) -> None:
        for kind in ("mixture", "one way", "ties"):
            matrix = matrix_of(kind, n)
            engine = self.fit(self.engine(matrix, k, first=n), swap)
            if swap == "best":
                assert engine.medoids == pam_by_force(matrix, k)
            loss = loss_of(matrix, engine.medoids)
            assert best_swap(matrix, np.array(engine.medoids)) >= loss - 1e-11

    def test_the_interval_is_as_wide_as_asked(self) -> None:
        """A larger z leaves more arms; the one of the strictest search leaves the best."""
        it = case_of("mixture", 5, True)
        engine = self.at(it)
        left = []
        for z in (0.1, 2.0, half_width(3e-5)):
            engine.forget()
            left.append(len(survivors(engine.screen(True, z), it.true[it.best])))
        assert left[0] < left[1] < left[2]
        engine.forget()
        arms = engine.screen(True, 1e-6)
        for bar in np.quantile(it.true[it.others], [0.1, 0.5]):
            assert len(survivors(arms, bar)) <= len(arms.lowest(N, below=bar)) + 0.02 * N


def _led(arms: Arms) -> Ids:
    """A leader, valued."""
    some = arms.lowest(1)
    arms.value(some)
    return some


def _now(matrix: Floats, medoids: Sequence[int], swap: bool) -> Case:
    """The step that an engine with these medoids is at."""
    it = Case.__new__(Case)
    it.matrix, it.medoids, it.n = matrix, list(medoids), len(matrix)
    it.others = np.setdiff1d(np.arange(it.n), it.medoids)
    near = matrix[it.medoids].min(axis=0, initial=np.inf)
    losses = np.minimum(matrix, near).sum(axis=1)
    if swap:
        losses = swaps_by_force(matrix, it.medoids).min(axis=1)
    before = near.sum() if it.medoids else 0.0
    it.true = (losses - before) / it.n
    it.size = float(np.abs(matrix).mean())
    it.best = int(it.others[it.true[it.others].argmin()])
    return it
