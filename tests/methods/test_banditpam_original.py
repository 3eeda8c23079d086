"""Algorithm 1 as published."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers import asymmetric, duplicates, mixture, one_line, precomputed, state_of
from medoids import KMedoidsResult, k_medoids
from medoids._threads import Workers
from medoids.engines.cpu.points.base import Points
from medoids.engines.cpu.step import Step
from medoids.engines.cpu.targets import batch_sums

RUNGS = [
    {},
    {"cache": True},
    {"cache": True, "paired": True},
    {"cache": True, "paired": True, "replacement": False},
    {"cache": True, "paired": True, "replacement": False, "null_arm": True},
]


def original(X: np.ndarray, k: int, **options: object) -> KMedoidsResult:
    return k_medoids(X, k, method="banditpam_original", **options)  # type: ignore[arg-type]


def watch_blocks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[np.ndarray, np.ndarray]]:
    """The arms and the references of every block that is computed."""
    seen: list[tuple[np.ndarray, np.ndarray]] = []
    block = Points.block

    def watch(self: Points, arms: np.ndarray, refs: np.ndarray, out: np.ndarray) -> None:
        seen.append((arms.copy(), refs.copy()))
        block(self, arms, refs, out)

    monkeypatch.setattr(Points, "block", watch)
    return seen


def test_mostly_pams_loss() -> None:
    equal = 0
    for seed in range(10):
        X = mixture(600, 4, 4, seed)
        exact = k_medoids(X, 4, method="pam")
        found = k_medoids(X, 4, method="banditpam_original", random_state=seed)
        equal += found.inertia <= exact.inertia * (1 + 1e-9)
        assert found.inertia <= exact.inertia * 1.02
    assert equal >= 9


def test_batches_of_one_hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = watch_blocks(monkeypatch)
    found = k_medoids(mixture(600, 4, 4, 0), 4, method="banditpam_original", random_state=0)
    assert {len(refs) for _, refs in blocks} == {100}
    steps = [step for step in found.history if step["phase"] in ("build", "swap")]
    assert len(steps) == 4 + found.n_iter + 1
    for step in steps:
        used = [each["references"] for each in step["rounds"]]
        assert used == list(range(100, 100 * len(used) + 1, 100))
        assert used[-1] < 600 + 100
        came = [each["arms"] for each in step["rounds"]]
        left = [each["survivors"] for each in step["rounds"]]
        assert came[1:] == left[:-1]
    # A target of SWAP is a pair of a medoid and a point.
    assert steps[0]["arms"] == 600
    assert steps[-1]["arms"] == 4 * 596


def test_references_are_drawn_with_replacement() -> None:
    drawn: list[np.ndarray] = []
    rng = np.random.default_rng(0)

    class Watched:
        def integers(self, *args: int, **options: int) -> np.ndarray:
            drawn.append(rng.integers(*args, **options))
            return drawn[-1]

    from medoids._tuning import Tuning
    from medoids.engines.cpu.engine import CPUEngine
    from medoids.methods.banditpam_original import banditpam_original
    from medoids.methods.monitor import Monitor
    from medoids.methods.settings import Settings

    watched: Any = Watched()
    engine = CPUEngine(precomputed(asymmetric(150, 0)), 2, 1e9, watched, Tuning())
    settings = Settings(engine, "build", 5, None, "best", watched, Monitor(), Tuning())
    banditpam_original(settings)
    assert drawn
    assert all(len(refs) == 100 for refs in drawn)
    assert any(len(np.unique(refs)) < 100 for refs in drawn)


def test_distances_are_counted() -> None:
    X = mixture(600, 4, 4, 0)
    found = k_medoids(X, 4, method="banditpam_original", random_state=0)
    # Every step measures at least all arms on one batch; nothing is kept between steps.
    assert found.n_distances >= (4 + found.n_iter + 1) * 596 * 100
    assert sum(step["distances"] for step in found.history) == found.n_distances


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("against", [False, True])
def test_sums_of_a_batch(swap: bool, against: bool) -> None:
    matrix = asymmetric(80, 0)
    points = precomputed(matrix)
    medoids = [3, 50, 20]
    state = state_of(points, medoids)
    rng = np.random.default_rng(0)
    refs = rng.integers(80, size=100)
    less = rng.normal(size=100) if against else np.zeros(100)
    block = points.block_array(np.arange(80), refs)
    sums, squares = batch_sums(Workers(1), Step(state, swap), block, refs, less)
    for arm in (0, 17, 79):
        for m in range(3 if swap else 1):
            others = np.delete(medoids, m) if swap else np.array(medoids)
            after = np.minimum(matrix[arm, refs], matrix[np.ix_(others, refs)].min(axis=0))
            reward = after - matrix[np.ix_(medoids, refs)].min(axis=0) - less
            assert sums[arm, m] == pytest.approx(reward.sum(), abs=1e-4)
            assert squares[arm, m] == pytest.approx((reward**2).sum(), abs=1e-4)


def test_one_cluster() -> None:
    # With k = 1 there is no second medoid, whose infinite distance must not show.
    X = mixture(600, 4, 4, 1)
    exact = k_medoids(X, 1, method="pam")
    found = k_medoids(X, 1, method="banditpam_original", random_state=0)
    assert found.inertia <= exact.inertia * (1 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["images", "mixture"])
def test_each_change_saves_distances(kind: str, images: np.ndarray) -> None:
    X = images[:3000] if kind == "images" else mixture(4000, 4, 6, 0)
    exact = k_medoids(X, 5, method="fastpam1")
    counts = []
    for rung in RUNGS:
        found = original(X, 5, method_params=rung, random_state=0)
        assert set(found.medoid_indices) == set(exact.medoid_indices), rung
        counts.append(found.n_distances)
    assert counts[1] < counts[0] / 2
    assert counts[2] < counts[1] / 1.2
    assert counts[3] < counts[2]
    assert counts[4] <= counts[3]


def test_cache_computes_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    X = mixture(1000, 4, 4, 0)
    blocks = watch_blocks(monkeypatch)
    original(X, 4, method_params={"cache": True, "replacement": False}, random_state=0)
    times = np.zeros((1000, 1000), dtype=int)
    for arms, refs in blocks:
        np.add.at(times, np.ix_(arms, refs), 1)
    assert times.max() == 1


def test_cache_within_memory() -> None:
    X = mixture(1000, 4, 4, 0)
    least, most = (
        original(X, 4, method_params={"cache": True}, memory_limit=limit, random_state=0)
        for limit in (1e6, None)
    )
    assert set(least.medoid_indices) == set(most.medoid_indices)
    assert least.n_distances > 1.5 * most.n_distances


def test_without_replacement(monkeypatch: pytest.MonkeyPatch) -> None:
    X = mixture(1050, 4, 4, 0)
    blocks = watch_blocks(monkeypatch)
    found = original(X, 4, method_params={"replacement": False}, random_state=0)
    start = 0
    for step in found.history:
        drawn = np.concatenate([refs for _, refs in blocks[start : start + len(step["rounds"])]])
        start += len(step["rounds"])
        assert len(np.unique(drawn)) == len(drawn) == step["rounds"][-1]["references"] <= 1050
        # All references are known at the end: no interval is left.
        assert step["rounds"][-1]["survivors"] == 1
    # Unless they are kept, every search draws an order of its own.
    assert (blocks[0][1] != blocks[len(found.history[0]["rounds"])][1]).any()


def test_null_arm_ends_the_last_search() -> None:
    X = mixture(3000, 4, 4, 0)
    best = k_medoids(X, 4, method="pam").medoid_indices.tolist()
    params = {"paired": True, "replacement": False}
    plain = original(X, 4, init=best, method_params=params, random_state=0)
    null = original(X, 4, init=best, method_params=params | {"null_arm": True}, random_state=0)
    assert plain.n_iter == null.n_iter == 0
    assert plain.history[-1]["rounds"][-1]["survivors"] == 1
    assert null.history[-1]["rounds"][-1]["survivors"] == 0


@pytest.mark.parametrize("rung", RUNGS[1:])
def test_changes_on_small_and_tied_data(rung: dict[str, bool]) -> None:
    for X, k in [
        (duplicates(400, 0), 3),
        (mixture(90, 3, 3, 0), 3),
        (mixture(300, 3, 3, 0), 1),
        (np.arange(5.0)[:, None], 4),
        (np.zeros((150, 2)), 1),
    ]:
        exact = k_medoids(X, k, method="pam")
        found = original(X, k, method_params=rung, random_state=0)
        assert found.inertia <= exact.inertia * 1.02 + 1e-12


def test_a_change_is_on_or_off() -> None:
    with pytest.raises(TypeError, match=r"'cache'.*True or False.*'no'") as caught:
        original(mixture(50, 2, 2, 0), 2, method_params={"cache": "no"})
    one_line(caught.value)
