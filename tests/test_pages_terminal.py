"""What the pages type into a terminal: it is run, and says what the page says that it says."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from medoids.__main__ import main

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    path
    for pattern in ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "benchmarks/results/*.md")
    for path in ROOT.glob(pattern)
)
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)
# "python" is run by test_docs.py, test_readme.py, test_coming_from.py and test_pages_elsewhere.py,
# which has "py" too, as far as there are GPU and cluster; the others are no code of ours.
LANGUAGES = {"python", "py", "text", "diff", "r"}
LONG = re.compile(r"\d+\.\d{9,}")
SECONDS = re.compile(r"· [\d.,]+ (s|min)\b")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def sessions(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Each command of a page, and the lines that it is said to print."""
    for language, text in blocks(page):
        lines = text.splitlines()
        if language == "" and lines[0].startswith("$ "):
            yield lines[0][2:], lines[1:]
        elif language == "":
            yield from ((line, []) for line in lines)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the pages speak of."""
    pd = pytest.importorskip("pandas", reason="the command line needs the extra 'cli'")
    pytest.importorskip("typer", reason="the command line needs the extra 'cli'")
    pytest.importorskip("plotly", reason="--report needs the extra 'report'")
    iris = load_iris()
    columns = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    table = pd.DataFrame(iris.data, columns=columns)
    table["species"] = iris.target_names[iris.target]
    table.to_csv(tmp_path / "iris.csv", index=False)
    table.iloc[[0, 100]].to_csv(tmp_path / "new.csv", index=False)
    wine = load_wine(as_frame=True)
    known = wine.target_names[wine.target]
    wine.data.assign(cultivar=known).to_csv(tmp_path / "wine.csv", index=False)
    rows = np.random.default_rng(0).normal(size=(120, 5)).round(3)
    pd.DataFrame(rows, columns=list("abcde")).to_csv(tmp_path / "rows.csv", index=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def programs(folder: Path) -> None:
    """The 600 most frequent programs of Hour of Code."""
    source = Path(os.environ.get("MEDOIDS_DATA", "")) / "hoc4.jsonl.gz"
    if not source.is_file():
        pytest.skip("$MEDOIDS_DATA has no hoc4.jsonl.gz")
    with gzip.open(source, "rt") as lines, gzip.open(folder / "programs.jsonl.gz", "wt") as few:
        few.writelines(line for _, line in zip(range(600), lines, strict=False))


def cells(folder: Path) -> None:
    anndata = pytest.importorskip("anndata", reason="the extra 'anndata' is not installed")
    counts = np.random.default_rng(0).poisson(1.0, (60, 30)).astype(np.float32)
    anndata.AnnData(counts).write_h5ad(folder / "cells.h5ad")


def as_said(line: str) -> str:
    """Without seconds, and without the last digits of a number, which a machine may round."""
    line = SECONDS.sub("· 0 s", line)
    return LONG.sub(lambda number: f"{float(number[0]):.8f}", line).rstrip()


def assert_said(said: list[str], expected: list[str]) -> None:
    """Line by line; `…` stands for some lines."""
    said, expected = ([as_said(line) for line in lines] for lines in (said, expected))
    parts = [list(lines) for gap, lines in groupby(expected, lambda line: line == "…") if not gap]
    open_start = expected[0] == "…"
    at = 0
    for part in parts:
        starts = range(at, len(said) - len(part) + 1) if open_start else [at]
        found = [start for start in starts if said[start : start + len(part)] == part]
        assert found, "\n".join(["the page says", *part, "and the command", *said])
        at, open_start = found[0] + len(part), True
    assert at == len(said), "\n".join(["the page leaves out", *said[at:]])


COMMANDS = {f"{name_of(page)}: {at[0]}": at for page in PAGES for at in sessions(page)}
OURS = [name for name, (command, _) in COMMANDS.items() if command.startswith("medoids ")]


@pytest.mark.parametrize("name", OURS)
def test_a_command_runs_and_says_what_the_page_says(
    name: str, here: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, expected = COMMANDS[name]
    ours, _, after = command.partition(" | ")
    argv = shlex.split(ours, comments=True)[1:]
    if "programs.jsonl.gz" in argv:
        programs(here)
    if "cells.h5ad" in argv:
        cells(here)
    if argv[0] == "predict":  # of a fit that an earlier command of the page has made
        fit = [argv[1].removesuffix("-medoids") + ".csv", "-k", "3"]
        kind = ["--metric", "gower"] if fit[0] == "iris.csv" else []
        new = "new.csv" if kind else "rows.csv"
        assert main(["cluster", *fit, *kind]) == 0
        argv[2] = new
        capsys.readouterr()
    if argv[0] == "demo":  # of the digits of scikit-learn, which are there
        monkeypatch.delenv("MEDOIDS_DATA", raising=False)
    code = main(argv)
    out, err = capsys.readouterr()
    assert code == (2 if expected and expected[-1].endswith("lists all.") else 0), err
    if after:  # what jq is asked for
        assert after == "jq '.medoids[].name'"
        assert len([each["name"] for each in json.loads(out)["medoids"]]) == 8
    elif expected:
        assert_said((err + out).splitlines(), expected)


def test_there_are_such_commands() -> None:
    assert len(OURS) >= 14
    assert {name.split(":")[0] for name in OURS} >= {"README.md", "docs/cli.md", "docs/tutorial.md"}


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in OURS])
def test_other_commands_name_what_there_is(name: str) -> None:
    words = shlex.split(COMMANDS[name][0], comments=True)
    if words[0] == "make":
        targets = [word for word in words[1:] if "=" not in word]
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert targets
        for target in targets:
            assert re.search(rf"^{target}:", makefile, re.M), f"there is no make {target}"
    elif words[0] == "python":
        assert (ROOT / words[1]).is_file(), words[1]
    else:
        assert words[:2] == ["pip", "install"], "mark what is no command as ```text"
        extras = re.search(r"\[(.*)\]", words[-1])
        known = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        for extra in extras[1].split(",") if extras else []:
            assert re.search(rf"^{extra} = \[", known, re.M), f"there is no extra {extra}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_says_what_it_is(page: Path) -> None:
    for language, text in blocks(page):
        assert language in LANGUAGES | {""} or language[0] == "{", text
        if language == "" and not text.startswith("$ "):
            firsts = {line.split()[0] for line in text.splitlines() if line}
            assert firsts <= {"medoids", "make", "pip", "python"}, text
