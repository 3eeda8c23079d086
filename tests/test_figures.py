"""Figures in the text are those of the results files, and a difference is told."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="the benchmarks need the extra 'plot'")
BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
if str(BENCHMARKS) not in sys.path:
    sys.path.append(str(BENCHMARKS))
figures = importlib.import_module("figures")
PAGE = """\
Text.

<!-- figures: speed -->

{table}

<!-- /figures -->

58 million<!-- figure: bench.json n70000-k5/medoids/distances in 1e6 --> distances,
0.81 s<!-- figure: methods.jsonl mnist-n10000-k10/medoids banditpam/seconds -->.
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(PAGE.format(table=figures.speed()), encoding="utf-8")
    return path


def test_the_repository_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["figures.py"])
    assert figures.main() == 0


def test_readme_names_its_results() -> None:
    text = (BENCHMARKS.parent / "README.md").read_text(encoding="utf-8")
    assert "<!-- figures: speed -->" in text
    assert figures.NUMBER.search(text)


def test_a_page_that_agrees(page: Path) -> None:
    assert figures.checked(page, write=False) == []


@pytest.mark.parametrize(
    ("right", "other", "told"),
    [
        ("58 million", "59 million", "59 is 58 in bench.json"),
        ("0.81 s", "0.810 s", "0.810 is 0.813 in methods.jsonl"),
        ("n70000-k5/", "n80000-k5/", "there is no n80000-k5/medoids/distances in bench.json"),
        ("58 million", "some", "no number before it"),
        ("<!-- /figures -->", "", "is not closed"),
        ("figures: speed", "figures: sped", "no table is named sped"),
        ("| n = 1,000, k = 5 |", "| n = 1,000, k = 6 |", "table speed"),
    ],
)
def test_a_difference_is_told(page: Path, right: str, other: str, told: str) -> None:
    text = page.read_text(encoding="utf-8")
    assert right in text
    page.write_text(text.replace(right, other), encoding="utf-8")
    (line,) = figures.checked(page, write=False)
    assert told in line


def test_tables_are_written_anew_and_numbers_are_not(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("k = 5 |", "k = 6 |").replace("58 m", "59 m"), encoding="utf-8")
    (line,) = figures.checked(page, write=True)
    assert "59 is 58" in line
    assert page.read_text(encoding="utf-8") == text.replace("58 m", "59 m")
