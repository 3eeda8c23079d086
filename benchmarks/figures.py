"""Hold the figures that README and docs quote against the results files they come from.

    python benchmarks/figures.py            # says where they differ, and fails
    python benchmarks/figures.py --write    # writes tables and files anew; numbers stay yours

Three things are checked, and the markers are comments that no reader sees:

- `results/*.md` is what the records beside it say (`FILES`).
- A table between `<!-- figures: NAME -->` and `<!-- /figures -->` is the one that `TABLES` makes.
- A number before `<!-- figure: FILE PATH -->` is the value there, rounded as the text rounds it:
  `4.4 s<!-- figure: bench.json n70000-k10/medoids/seconds -->`; with `in 1e6` after the path,
  in millions.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _methods_tables import duel_tables, excess_of, measured, method_tables, percent
from _records import Case, Records
from _report import title, write_tables
from bench import CASES as BENCHED
from methods import CASES, METHODS

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"
TABLE = re.compile(r"(<!-- figures: (\S+) -->\n\n)(.*?)(\n\n<!-- /figures -->)", re.S)
NUMBER = re.compile(r"([\d,]*\.?\d+)([^\d\n<|]*)<!-- figure: (\S+) (.+?)(?: in (\S+))? -->")
# Columns of README's table, rows of that in docs/methods.md, and what their results are called.
PEERS = {
    "medoids": "medoids",
    "`banditpam` 6.0.2": "banditpam",
    "matrix + FastPAM1": "matrix + FastPAM1",
    "matrix + FasterPAM": "matrix + FasterPAM",
    "OneBatchPAM": "onebatch",
    "k-means": "k-means",
}
CHOICES = {
    "`banditpam`": "medoids banditpam",
    '`banditpam`, `swap="eager"`, random start': "medoids banditpam eager (random)",
    "`banditpam_original`": "medoids banditpam_original",
    "`pam`": "medoids pam",
    "`fastpam1`": "medoids fastpam1",
    "`fastpam`": "medoids fastpam",
    "`fasterpam`, random start": "medoids fasterpam (random)",
    "`alternate`, random start": "medoids alternate (random)",
    "`clara`": "medoids clara",
    "`clarans`, random start": "medoids clarans (random)",
    "`onebatch`, random start": "medoids onebatch (random)",
    "PyPI `kmedoids`: matrix + FastPAM1": "matrix + FastPAM1",
    "PyPI `kmedoids`: matrix + FasterPAM": "matrix + FasterPAM",
    "PyPI `onebatch`": "onebatch",
    "PyPI `onebatch`, batch × 3": "onebatch, batch x 3",
    "k-means (another loss)": "k-means",
}
CHOSEN = [(1000, 10), (10_000, 10), (10_000, 100), (70_000, 10), (70_000, 50)]


def bench() -> dict[str, Any]:
    return json.loads((RESULTS / "bench.json").read_text())


def records() -> Records:
    return Records(RESULTS / "methods.jsonl")


def two_digits(seconds: float) -> str:
    return f"{seconds:#.2g}".rstrip(".") + " s"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    text = ["| " + " | ".join(line) + " |" for line in lines]
    text[1] = text[1].replace(" ", "")
    return "\n".join(text)


def speed() -> str:
    """README's table: seconds, and in brackets times ours."""
    rows = []
    found = bench()
    for name in BENCHED:
        case, row = found[name], [title(name)]
        for method in PEERS.values():
            ratio = case[method]["seconds"] / case["medoids"]["seconds"] if method in case else 0
            times = f" ({ratio:.{0 if ratio >= 10 else 1}f}×)" if method != "medoids" else ""
            row.append(two_digits(case[method]["seconds"]) + times if method in case else "")
        rows.append(row)
    return table(["case", *PEERS], rows)


def choices() -> str:
    """The table of docs/methods.md: seconds, and how far the mean loss is above PAM's."""
    found = records()

    def cell(case: Case, method: str) -> str:
        over = [one["over"] for one in found.of(case, method) if "over" in one]
        if over:
            return f"> {over[0]:g} s"
        seconds = measured(found, case, method, "seconds")
        if not seconds:
            return "–"
        excess = excess_of(found, case, method)
        above = percent(excess)
        after = "" if excess is None else f", {above}" if above == "0" else f", {above}%"
        return two_digits(statistics.median(seconds)) + after

    cases = [Case("mnist", n, k) for n, k in CHOSEN]
    rows = [[name, *(cell(case, method) for case in cases)] for name, method in CHOICES.items()]
    return table(["method", *(f"n = {case.n:,}, k = {case.k}" for case in cases)], rows)


def bench_file() -> str:
    found = bench()
    return write_tables(found, {name: found[name] for name in BENCHED if name in found})


def methods_file() -> str:
    found = records()
    known = [case for case in CASES if any(case == other for other, _, _ in found.fits)]
    duels = json.loads((RESULTS / "duels.json").read_text())
    return method_tables(found, known, METHODS) + duel_tables(duels)


TABLES: dict[str, Callable[[], str]] = {"speed": speed, "choices": choices}
FILES: dict[str, Callable[[], str]] = {"bench.md": bench_file, "methods.md": methods_file}


def value(file: str, path: str) -> float:
    """What a results file says; of methods.jsonl, the median over the seeds."""
    keys = path.split("/")
    if file == "methods.jsonl":
        data, n, k = re.fullmatch(r"(\w+)-n(\d+)-k(\d+)", keys[0]).groups()
        return statistics.median(measured(records(), Case(data, int(n), int(k)), *keys[1:]))
    found: Any = json.loads((RESULTS / file).read_text())
    for key in keys:
        found = found[key]
    return float(found)


def wrong_numbers(text: str) -> list[str]:
    """What is wrong with the numbers that name their source; a marker without a number too."""
    wrong = []
    matches = list(NUMBER.finditer(text))
    for found in matches:
        written, _, file, path, unit = found.groups()
        written = written.replace(",", "")
        try:
            measured = value(file, path) / float(unit or 1)
        except (LookupError, ValueError, OSError, AttributeError, TypeError):
            wrong.append(f"there is no {path} in {file}")
            continue
        right = f"{measured:.{len(written.partition('.')[2])}f}"
        if right != written:
            wrong.append(f"{written} is {right} in {file}, {path}")
    if text.count("<!-- figure: ") != len(matches):
        wrong.append("a marker 'figure' has no number before it, or is misspelt")
    return wrong


def checked(path: Path, write: bool) -> list[str]:
    """What differs on a page; its tables are mended first, if that is asked for."""
    text, wrong = path.read_text(encoding="utf-8"), []
    found = TABLE.findall(text)
    if text.count("<!-- figures: ") != len(found):
        wrong.append("a marker 'figures' is not closed, or has no empty lines around its table")
    for _, name, table, _ in found:
        if name not in TABLES:
            wrong.append(f"no table is named {name}")
        elif table != (right := TABLES[name]()):
            if write:
                text = text.replace(table, right)
            else:
                wrong += differences(table, right, f"table {name}")
    if write:
        path.write_text(text, encoding="utf-8")
    return wrong + wrong_numbers(text)


def differences(have: str, right: str, what: str) -> list[str]:
    lines, others = have.splitlines(), right.splitlines()
    if len(lines) != len(others):
        return [f"{what} has {len(lines)} lines, its results make {len(others)}"]
    pairs = zip(lines, others, strict=True)
    return [f"{what}:\n    {a}\n    {b}" for a, b in pairs if a != b]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write tables and files anew")
    write = parser.parse_args().write
    wrong = 0
    for name, make in FILES.items():
        path, right = RESULTS / name, make()
        if write:
            path.write_text(right, encoding="utf-8")
        for line in differences(path.read_text(encoding="utf-8"), right, "the file"):
            wrong += 1
            print(f"{path.relative_to(ROOT)}: {line}")
    marked = 0
    for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        marked += path.read_text(encoding="utf-8").count("<!-- figure")
        for line in checked(path, write):
            wrong += 1
            print(f"{path.relative_to(ROOT)}: {line}")
    print(f"{marked} tables and numbers name their results; {wrong} differ.")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
