"""Rows of medoids need not be kept: what a swap takes away is measured anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from helpers import mixture
from medoids import KMedoids
from medoids._threads import Workers
from medoids._tuning import Tuning, tuned
from medoids.dissimilarities.metrics import resolve
from medoids.engines.cpu.engine import CPUEngine
from medoids.engines.cpu.points.dense import DensePoints
from medoids.engines.cpu.state import State


@pytest.mark.parametrize("side", [3, 1000])  # many ties, few
def test_a_state_without_rows_is_the_same(side: int) -> None:
    n, k = 400, 7
    rng = np.random.default_rng(side)
    matrix = cdist(*[rng.integers(side, size=(n, 2)).astype(float)] * 2, "cityblock")
    kept, lean = State(n, k), State(n, 0)
    asked = 0

    def between(refs: np.ndarray) -> np.ndarray:
        nonlocal asked
        asked += len(refs)
        found: np.ndarray = matrix[np.ix_(np.array(lean.medoids), refs)]
        return found

    for medoid in rng.choice(n, k, replace=False).tolist():
        kept.add(medoid, matrix[medoid])
        lean.add(medoid, matrix[medoid])
    for _ in range(60):
        position = int(rng.integers(k))
        arm = int(rng.choice(np.setdiff1d(np.arange(n), kept.medoids)))
        before = int(((lean.owner == position) | (lean.other == position)).sum())
        asked = 0
        lean.replace(position, arm, matrix[arm], between)
        kept.replace(position, arm, matrix[arm])
        assert asked == before
        assert lean.loss == kept.loss
        for name in ("owner", "other", "nearest", "second"):
            assert np.array_equal(getattr(lean, name), getattr(kept, name))
    assert not lean._rows.size


def _kinds() -> dict[str, tuple[Any, Any]]:
    rows = mixture(1500, 6, 5, 3)
    counts = sparse.random(700, 60, 0.2, random_state=0, format="csr")
    words = ["".join(word) for word in np.random.default_rng(0).choice(list("abc"), (300, 5))]
    return {
        "l2": (rows, "l2"),
        "l1": (rows, "l1"),
        "cosine": (rows, "cosine"),
        "sparse": (counts, "l1"),
        "precomputed": (cdist(rows[:600], rows[:600]), "precomputed"),
        "strings": (words, "levenshtein"),
        "function": (rows[:200], lambda a, b: float(abs(a[0] - b[0]) + abs(a[1] - b[1]) ** 1.5)),
    }


@pytest.mark.parametrize("swap", ["best", "eager"])
@pytest.mark.parametrize("kind", list(_kinds()))
def test_a_fit_without_rows_of_medoids_is_the_same(kind: str, swap: str) -> None:
    X, metric = _kinds()[kind]
    km = KMedoids(6, metric=metric, swap=swap, init="random", random_state=4)
    with tuned(first_block=128):
        kept = km.fit(X)
        medoids, inertia, labels = kept.medoid_indices_, kept.inertia_, kept.labels_
        with tuned(medoid_rows=0.0):
            lean = km.fit(X)
    assert lean.inertia_ == inertia
    assert np.array_equal(lean.medoid_indices_, medoids)
    assert np.array_equal(lean.labels_, labels)


@pytest.mark.parametrize("metric", ["l2", "cosine", "l1"])
@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("swaps", [1, 6, 30])
def test_medoids_that_were_swapped_in_roughly_are_sharpened(
    metric: str, keeps: bool, swaps: int
) -> None:
    """As those of a state that never knew anything but float64, to the last bit."""
    n, k = 1500, 40
    X = np.concatenate([mixture(n // 2, 6, 5, 3), mixture(n // 2, 6, 5, 3) + 1e-7])
    rng, tuning = np.random.default_rng(swaps), Tuning(medoid_rows=0.05 if keeps else 0.0)
    with Workers(2) as workers:
        _, row, p = resolve(metric, {})
        points = DensePoints(X, row, p, workers)
        engine = CPUEngine(points, k, 1e9, rng, tuning)
        engine.start(rng.choice(n, k, replace=False).tolist())
        assert engine.state.keeps_rows == keeps
        arms = np.setdiff1d(rng.permutation(n), engine.medoids)
        for _ in range(swaps):
            arm = int(rng.choice(np.setdiff1d(arms, engine.medoids)))
            values, _ = engine.confirm(np.array([arm]), True)
            # However bad: any swap will do.
            engine.swap_in(np.array([arm]), -abs(float(values[0])) * n - engine.loss)
        whole = CPUEngine(points, k, 1e9, rng, tuning)
        whole.start(engine.medoids)
        assert any(
            (getattr(engine.state, each) != getattr(whole.state, each)).any()
            for each in ("nearest", "second")
        ), "known in float32"
        engine.sharpen()
        for each in ("nearest", "second", "owner"):
            np.testing.assert_array_equal(getattr(engine.state, each), getattr(whole.state, each))
        assert engine.loss == whole.loss
        version = engine.state.version
        engine.sharpen()
        assert engine.state.version == version
