"""The page and the pictures of series, fingerprints and frames of atoms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_report import payload

from medoids import KMedoids, plot

RNG = np.random.default_rng(0)
WALKS = [RNG.normal(size=RNG.integers(3, 300)).cumsum() for _ in range(12)]
CUBE = RNG.normal(size=(12, 2, 30)).cumsum(axis=2)
BITS = RNG.random((12, 40)) < 0.3
FRAMES = RNG.normal(size=(12, 5, 3))


@pytest.mark.parametrize(
    ("X", "metric", "kind"),
    [
        (WALKS, "twe", "curve"),
        (CUBE, "msm", "curve"),
        (CUBE[:, 0], "dtw", "curve"),
        (np.packbits(BITS, axis=1), "tanimoto", "none"),
        (BITS, "tanimoto", "row"),
        (FRAMES, "rmsd", "none"),
    ],
)
def test_what_is_drawn(X: Any, metric: str, kind: str, tmp_path: Path) -> None:
    km = KMedoids(2, metric=metric, random_state=0).fit(X)
    km.report(X, tmp_path / "page.html", texts=[f"thing {at}" for at in range(12)])
    found = payload(tmp_path / "page.html")
    assert found["kind"] == kind
    assert found["sample"]["texts"][0] == "thing 0"
    ax = plot.medoids(km, X)
    plot.map(km, X)
    assert ax.lines if kind == "curve" else ax.texts


def test_curves_are_on_one_scale(tmp_path: Path) -> None:
    """Channels on their own lines, heights between the lowest and the highest of all."""
    X = np.array([[[0.0, 1, 2], [4, 4, 4]], [[-4.0, 0, 0], [0, 0, 0]]])
    km = KMedoids(2, metric="dtw").fit(X)
    km.report(X, tmp_path / "page.html")
    found = payload(tmp_path / "page.html")
    assert found["sample"]["contents"] == [
        [[500, 625, 750], [1000, 1000, 1000]], [[0, 500, 500], [500, 500, 500]],
    ]  # fmt: skip
    last = KMedoids(2, metric="dtw").fit(list(X.transpose(0, 2, 1)))
    last.report(list(X.transpose(0, 2, 1)), tmp_path / "other.html")
    assert payload(tmp_path / "other.html")["sample"] == found["sample"]


def test_long_curves_are_thinned(tmp_path: Path) -> None:
    X = [np.arange(1000.0), np.arange(900.0)]
    KMedoids(2, metric="dtw").fit(X).report(X, tmp_path / "page.html")
    found = payload(tmp_path / "page.html")
    assert [len(each[0]) for each in found["sample"]["contents"]] == [60, 60]
    assert [len(each["content"][0]) for each in found["clusters"]] == [240, 240]
