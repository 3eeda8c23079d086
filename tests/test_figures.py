"""Figures in the text are those of the results files, and a difference is told."""

from __future__ import annotations

import importlib
import json
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="the benchmarks need the extra 'plot'")
pytest.importorskip("tqdm", reason="the experiments need the extra 'progress'")
BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
if str(BENCHMARKS) not in sys.path:
    sys.path.append(str(BENCHMARKS))
figures = importlib.import_module("figures")
tables = importlib.import_module("_figure_tables")
BENCH = json.loads((BENCHMARKS / "results" / "bench.json").read_text(encoding="utf-8"))
# Millions of distances, as the results file has them.
MANY = round(BENCH["n70000-k5"]["medoids"]["distances"] / 1e6)
PAGE = """\
Text.

<!-- figures: speed -->

{table}

<!-- /figures -->

{many} million<!-- figure: bench.json n70000-k5/medoids/distances in 1e6 --> distances,
0.81 s<!-- figure: methods.jsonl mnist-n10000-k10/medoids banditpam/seconds -->.
{more}
"""
# Results that are made here, so that it is known what they say.
HARD = """\
| case | method | first s | warm s | n distances | mean loss |
|---|---|---:|---:|---:|---:|
| far, k = 3 | medoids | 9.1 | 2.0 | 1,234 | 4.000000 |
| far, k = 3 | k-means | 1.0 | 0.01 | – | – |
| far, k = 3 | OneBatchPAM | 1.0 | 0.5 | – | 4.100000 |
| flat, k = 3 | medoids | 9.1 | 30 | 56 | 1.000000 |
| flat, k = 3 | matrix + FasterPAM | 9.1 | 600 | 99 | 0.999990 |
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(
        PAGE.format(table=figures.TABLES["speed"](), many=MANY, more=""), encoding="utf-8"
    )
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
        (f"{MANY} million", f"{MANY + 1} million", f"{MANY + 1} is {MANY} in bench.json"),
        ("0.81 s<!--", "0.810 s<!--", "0.810 is 0.813 in methods.jsonl"),
        ("n70000-k5/", "n80000-k5/", "there is no n80000-k5/medoids/distances in bench.json"),
        (f"{MANY} million", "some", "no number before it"),
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


def test_tables_and_numbers_are_written_anew(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    other = text.replace("k = 5 |", "k = 6 |").replace(f"{MANY} m", f"{MANY + 1} m")
    page.write_text(other, encoding="utf-8")
    assert figures.checked(page, write=True) == []
    assert page.read_text(encoding="utf-8") == text


def test_two_tables_that_are_alike_become_two(page: Path) -> None:
    both = "".join(f"<!-- figures: {name} -->\n\n|x|\n\n<!-- /figures -->\n\n" for name in "ab")
    page.write_text(both, encoding="utf-8")
    tables = {"a": lambda: "|1|", "b": lambda: "|2|"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "TABLES", tables)
        assert figures.checked(page, write=True) == []
    assert re.findall(r"\|\d\|", page.read_text(encoding="utf-8")) == ["|1|", "|2|"]


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of results with a hard.md alone."""
    (tmp_path / "hard.md").write_text(HARD, encoding="utf-8")
    monkeypatch.setattr(tables, "RESULTS", tmp_path)
    monkeypatch.setattr(tables, "HARD", {name: name for name in ("far, k = 3", "flat, k = 3")})
    return tmp_path


@pytest.mark.usefixtures("results")
def test_hard_cases() -> None:
    assert tables.hard().splitlines() == [
        "| case | medoids | distances / n | k-means | OneBatchPAM | matrix + FasterPAM |",
        "|---|---:|---:|---:|---:|---:|",
        "| far, k = 3 | 2.0 s | 1,234 | 0.010 s (0.005×) | 0.50 s (0.2×, +2.5%) |  |",
        "| flat, k = 3 | 30 s | 56 |  |  | 600 s (20×, −0.001%) |",
    ]


def test_a_case_that_was_not_alone_has_a_dagger(results: Path) -> None:
    head, line, *rows = HARD.splitlines()
    ends = [" peak GB |", "---:|", " 1.0 |", " 0.5 * |", " 0.5 |", " 2.0 * |", " 2.0 |"]
    lines = [text + end for text, end in zip([head, line, *rows], ends, strict=True)]
    (results / "hard.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    _, _, far, flat, _, note = tables.hard().splitlines()
    assert "| 2.0 s | 1,234 | 0.010 s (0.005×) † | 0.50 s (0.2×, +2.5%) |" in far
    assert "| 30 s † | 56 |" in flat
    assert note.startswith("† ")


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("1,000<!-- figure: hard.md far, k = 3; medoids; n distances -->", "1,234"),
        ("1.0 s<!-- figure: hard.md flat, k = 3; matrix + FasterPAM; warm s -->", "600.0"),
        ("9<!-- figure: hard.md flat, k = 3; medoids; warm s in 1e3 -->", "0"),
    ],
)
@pytest.mark.usefixtures("results")
def test_numbers_of_a_page_of_results(text: str, right: str) -> None:
    wrong, mended = figures.wrong_numbers(text)
    assert len(wrong) == 1
    assert mended.startswith(right)
    assert figures.wrong_numbers(mended) == ([], mended)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1<!-- figure: hard.md near, k = 3; medoids; warm s -->", "there is no near, k = 3"),
        ("1<!-- figure: hard.md far, k = 3; warm s -->", "there is no far, k = 3; warm s in"),
        ("1<!-- figure: hard.md far, k = 3; k-means; mean loss -->", "there is no far, k = 3; k-m"),
        ("1<!-- figure: bench.json a/b -->", "there is no benchmarks/results/bench.json: make b"),
        ("1<!-- figure: other.json a/b -->", "there is no benchmarks/results/other.json"),
    ],
)
@pytest.mark.usefixtures("results")
def test_a_result_that_is_missing_is_told(text: str, told: str) -> None:
    ((line,), _) = figures.wrong_numbers(text)
    assert line.startswith(told)


@pytest.mark.parametrize(
    "text",
    [
        "It takes 4.4 s here.",
        "| ours | 0.25 s |",
        "between 3 and 5 ms",
        "ten thousand, 1,000 ns each",
        "2.5 times as fast as theirs",
        "43 G columns/s",
        "1% to 8% above",
    ],
)
def test_a_figure_without_a_source_or_a_date_is_told(text: str) -> None:
    (line,) = figures.unmarked(f"A page.\n\n{text}\n")
    assert line.startswith("line 3: ")
    assert line.endswith("has no marker, and is in no notes")
    noted = f"<!-- notes: May 2026 -->\n{text}\n<!-- /notes -->"
    assert figures.unmarked(noted) == []
    assert figures.unmarked(noted.replace("<!-- /notes -->", ""))[-1].endswith("is not closed")


@pytest.mark.parametrize(
    "text",
    [
        "4.4 s<!-- figure: bench.json a/b --> here",
        "`sleep 4 s`",
        "```text\n4.4 s\n```",
        "<!-- figures: speed -->\n\n| 4.4 s |\n\n<!-- /figures -->",
        "Python 3.11, k = 5, 2 GB, 70,000 rows, 1% of n²",
    ],
)
def test_what_is_no_such_figure(text: str) -> None:
    assert figures.unmarked(text) == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["far"], True),
        (["far", "SciPy"], True),
        (["SciPy"], True),
        (["SciPy", "far"], False),
        (["3.6"], False),
    ],
)
def test_words_that_tell_a_row(words: list[str], found: bool) -> None:
    row = {"case": "far", "ours": "43", "peer": "3.6 (SciPy)"}
    assert figures.tells(row, words) == found


@pytest.mark.parametrize("name", ["speed", "choices"])
def test_a_table_whose_results_are_missing_is_told(name: str, results: Path) -> None:
    page = results / "page.md"
    page.write_text(f"<!-- figures: {name} -->\n\n|x|\n\n<!-- /figures -->\n")
    (line,) = figures.checked(page, write=True)
    assert line.startswith(f"table {name}: there is no benchmarks/results/")
    assert "|x|" in page.read_text()


EAGER = """
| case | method | warm s | mean loss |
|---|---|---:|---:|
| flat | medoids | 4.00 | 2.00 |
| flat-eager | medoids | 1.00 | 2.01 |
| flat-eager | medoids, onebatch | 0.50 | 2.10 |
| flat-eager | k-means | 3.00 | – |
"""


def test_eager_swaps_stand_beside_the_best(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "EAGER", {"flat": "flat data"})
    (results / "hard.md").write_text(EAGER)
    assert (
        tables.eager().splitlines()[-1]
        == "| flat data | 4.0 s | 1.0 s, +0.5% | 0.50 s, +5% | 3.0 s |"
    )
    # Where the best swaps take too long, there is nothing to compare with.
    (results / "hard.md").write_text(EAGER.replace("| flat | medoids | 4.00 | 2.00 |\n", ""))
    assert tables.eager().splitlines()[-1] == "| flat data |  | 1.0 s | 0.50 s | 3.0 s |"
    (results / "hard.md").write_text(
        EAGER.replace("flat-eager | medoids |", "flat-eager | other |")
    )
    with pytest.raises(tables.Missing, match="has no 'flat-eager': make bench measures it"):
        tables.eager()


def test_a_hard_case_that_is_missing_is_told(results: Path) -> None:
    (results / "hard.md").write_text(HARD.replace("flat, k = 3 | medoids", "flat, k = 3 | other"))
    with pytest.raises(tables.Missing, match="has no 'flat, k = 3': make bench measures it"):
        tables.hard()
