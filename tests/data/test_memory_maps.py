"""Data in files, larger than the memory that is allowed: rows are read in blocks."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medoids import KMedoids, k_medoids
from medoids.data import rows as _rows
from medoids.dissimilarities import compiled as _compiled

LIMIT = 4_000_000
# Blocks of rows, and what else a fit holds: labels, sums, rows of distances.
BLOCK, REST = 2**17, 10_500_000
TYPES = (np.uint8, np.int32, np.float32, np.float64)


def taxi(a: np.ndarray, b: np.ndarray) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        total += abs(a[i] - b[i])
    return total


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("metric", "dtype"),
    [
        ("cosine", np.uint8),
        *(pytest.param("cosine", dtype, marks=pytest.mark.slow) for dtype in TYPES[1:]),
        *(
            pytest.param(at, dtype, marks=pytest.mark.slow)
            for at in ("l2", "l1")
            for dtype in TYPES
        ),
        pytest.param(taxi, np.uint8, marks=pytest.mark.slow),
    ],
)
def test_the_whole_file_is_never_in_memory(
    dtype: type, metric: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (_rows, _compiled):
        monkeypatch.setattr(module, "_BYTES", BLOCK)
    rng = np.random.default_rng(0)
    centres = rng.integers(0, 200, size=(3, 800))
    X = (centres[rng.integers(3, size=6000)] + rng.integers(0, 50, size=(6000, 800))).astype(dtype)
    np.save(tmp_path / "rows.npy", X)
    # One swap reads as much of the file at a time as a whole fit, which takes long here.
    options: dict[str, Any] = {"metric": metric, "init": [0, 1, 2], "max_iter": 1}
    expected = k_medoids(X, 3, random_state=0, **options)
    del X, centres
    rows = np.load(tmp_path / "rows.npy", mmap_mode="r")
    km = KMedoids(3, random_state=0, memory_limit=LIMIT, **options)
    km.fit(rows).predict(rows)  # compiling takes memory too
    gc.collect()
    tracemalloc.start()
    km.fit(rows)
    labels = km.predict(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows.size * 4 > 1.3 * (LIMIT + REST)  # a copy would be seen
    assert peak < LIMIT + REST
    assert km.medoid_indices_.tolist() == expected.medoid_indices.tolist()
    np.testing.assert_array_equal(labels, expected.labels)
