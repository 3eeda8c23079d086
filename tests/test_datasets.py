"""Loaders: what they read, and what they say when it is not there."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from helpers import one_line
from medoids.datasets import load_hoc4, load_mnist, load_scrna

THERE = Path(os.environ.get("MEDOIDS_DATA", "nowhere"))


def needs(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not (THERE / name).is_file(), reason=f"MEDOIDS_DATA has no {name}")


@pytest.mark.slow
@needs("mnist.npz")
def test_mnist() -> None:
    X, y = load_mnist()
    assert X.shape == (70_000, 784)
    assert X.dtype == np.float32
    assert X[0].max() == 1
    assert float(X.mean(dtype=np.float64)) * 255 == pytest.approx(33.386, abs=1e-3)
    counts = [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958]
    assert np.bincount(y).tolist() == counts


@pytest.mark.slow
@needs("scrna.npz")
def test_scrna() -> None:
    X, genes = load_scrna()
    assert X.shape == (40_000, 10_170)
    assert X.dtype == np.float32
    assert len(genes) == 10_170
    assert len(set(genes)) > 10_000
    assert all(genes)
    totals = np.expm1(X[::100].toarray().astype(np.float64)).sum(axis=1)
    np.testing.assert_allclose(totals, 1000, rtol=1e-4)


@needs("hoc4.jsonl.gz")
def test_hoc4() -> None:
    def nodes(tree: dict) -> int:
        return 1 + sum(nodes(child) for child in tree.get("children") or [])

    sizes = [nodes(tree) for tree in load_hoc4()]
    assert len(sizes) == 3629
    assert np.median(sizes) == 15
    assert max(sizes) == 199


@pytest.mark.parametrize("load", [load_scrna, load_hoc4])
def test_what_is_missing_is_said(
    load: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEDOIDS_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="MEDOIDS_DATA") as caught:
        load()  # type: ignore[operator]
    one_line(caught.value)
