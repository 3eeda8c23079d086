"""Every example of docs/coming-from runs as it is written, and says what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PAGES = Path(__file__).parents[2] / "docs" / "coming-from"


def run(page: str) -> dict[str, Any]:
    """The names that a page's code has made."""
    blocks = re.findall(r"```python\n(.*?)```", (PAGES / page).read_text(), re.DOTALL)
    assert len(blocks) >= 2
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    return names


def test_every_page_is_tested() -> None:
    here = {"banditpam.md", "kmedoids.md", "r-cluster.md", "scikit-learn-extra.md"}
    assert {page.name for page in PAGES.glob("*.md")} == here


def test_scikit_learn_extra() -> None:
    names = run("scikit-learn-extra.md")
    assert names["km"].medoid_indices_.tolist() == [99, 7, 120, 126]
    assert round(names["km"].inertia_, 2) == 85.66
    assert names["clara"].inertia_ >= names["km"].inertia_


def test_kmedoids() -> None:
    names = run("kmedoids.md")
    assert names["auto"].bestk == 3
    assert names["auto"].rangek.tolist() == list(range(2, 11))
    assert sorted(np.bincount(names["km"].labels_)) == [50, 50, 50]


def test_banditpam() -> None:
    names = run("banditpam.md")
    assert sorted(names["kmed"].medoids.tolist()) == sorted(names["km"].medoid_indices_.tolist())
    assert names["kmed"].average_loss == pytest.approx(names["km"].inertia_ / 600)


def test_r() -> None:
    pytest.importorskip("pandas", reason="a table of a scan")
    names = run("r-cluster.md")
    assert sorted(names["km"].medoid_indices_ + 1) == [8, 79, 113]
    assert sorted(np.bincount(names["by_matrix"].labels_)) == [39, 50, 61]
    assert len(names["by_stand"].medoid_indices_) == len(names["clara"].medoid_indices_) == 3


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if not target.startswith("https://"):
            assert (page.parent / target).exists(), target
