"""Rows of medoids need not be kept: what a swap takes away is measured anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from helpers import mixture
from medoids import KMedoids
from medoids._tuning import tuned
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
