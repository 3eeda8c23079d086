"""Algorithm 1 as published."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import asymmetric, mixture, precomputed, state_of
from medoids import k_medoids
from medoids._original import _batch_sums
from medoids._points import Points
from medoids._step import Step


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
    widths: list[int] = []
    block = Points.block

    def watch(self: Points, arms: np.ndarray, refs: np.ndarray, out: np.ndarray) -> None:
        widths.append(len(refs))
        block(self, arms, refs, out)

    monkeypatch.setattr(Points, "block", watch)
    found = k_medoids(mixture(600, 4, 4, 0), 4, method="banditpam_original", random_state=0)
    assert set(widths) == {100}
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

    from medoids._monitor import Monitor
    from medoids._original import banditpam_original
    from medoids._settings import Settings

    points = precomputed(asymmetric(150, 0))
    settings = Settings(points, 2, "build", 5, None, 1e9, Watched(), Monitor(points))  # type: ignore[arg-type]
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
def test_sums_of_a_batch(swap: bool) -> None:
    matrix = asymmetric(80, 0)
    points = precomputed(matrix)
    medoids = [3, 50, 20]
    state = state_of(points, medoids)
    refs = np.random.default_rng(0).integers(80, size=100)
    block = points.block_array(np.arange(80), refs)
    sums, squares = _batch_sums(Step(state, swap), block, refs)
    for arm in (0, 17, 79):
        for m in range(3 if swap else 1):
            others = np.delete(medoids, m) if swap else np.array(medoids)
            after = np.minimum(matrix[arm, refs], matrix[np.ix_(others, refs)].min(axis=0))
            reward = after - matrix[np.ix_(medoids, refs)].min(axis=0)
            assert sums[arm, m] == pytest.approx(reward.sum(), abs=1e-4)
            assert squares[arm, m] == pytest.approx((reward**2).sum(), abs=1e-4)


def test_one_cluster() -> None:
    # With k = 1 there is no second medoid, whose infinite distance must not show.
    X = mixture(600, 4, 4, 1)
    exact = k_medoids(X, 1, method="pam")
    found = k_medoids(X, 1, method="banditpam_original", random_state=0)
    assert found.inertia <= exact.inertia * (1 + 1e-9)
