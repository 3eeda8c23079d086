"""BUILD on a matrix: carried sums give the medoids of plain ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from medoids._threads import Workers
from medoids.engines.cpu import kernels
from medoids.engines.cpu.kernels.few import FEW
from medoids.engines.cpu.matrix import CPUMatrix
from medoids.engines.cpu.points.matrix import PrecomputedPoints
from medoids.methods.pam import best_of


def greedily(matrix: np.ndarray, k: int) -> list[int]:
    """BUILD by its definition; of ties the lowest row."""
    medoids, pays = [], np.full(matrix.shape[1], np.inf)
    for _ in range(k):
        sums = np.minimum(matrix, pays).sum(axis=1)
        sums[medoids] = np.inf
        medoids.append(int(sums.argmin()))
        pays = np.minimum(pays, matrix[medoids[-1]])
    return medoids


@pytest.mark.parametrize("kind", ["batch", "grid", "copies"])
def test_build_takes_the_medoids_of_plain_sums(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, n = np.random.default_rng(0), FEW + 300
    carried: list[int] = []
    plain = kernels.carry_joins

    def counted(rows: np.ndarray, lines: np.ndarray, *rest: np.ndarray) -> None:
        carried.append(len(lines))
        plain(rows, lines, *rest)

    monkeypatch.setattr(kernels, "carry_joins", counted)
    X = rng.normal(size=(n, 2))
    refs = X[:80]
    if kind == "grid":  # ties everywhere: sums of whole numbers are exact
        X = refs = np.stack(np.divmod(np.arange(n), 48), axis=1).astype(float)
    elif kind == "copies":  # more ties than are decided one by one
        X = refs = np.repeat(rng.integers(0, 9, (n // 100, 2)), 100, axis=0).astype(float)
    matrix = cdist(X, refs, "cityblock")
    with Workers(1) as workers:
        counter = PrecomputedPoints(np.zeros((1, 1)), workers)
        found = CPUMatrix(matrix, 12, counter)
        for position in range(12):
            arm, _ = best_of(found)(False)[-2:]
            found.place(position, int(arm))
    assert found.medoids == greedily(matrix, 12)
    assert carried
    assert max(carried) < 0.5 * len(refs)
