"""Hold the figures that README and docs quote against the results files they come from.

    python benchmarks/figures.py            # says where they differ, and fails
    python benchmarks/figures.py --write    # writes tables, numbers and files anew

Five things are checked, and the markers are comments that no reader sees:

- `results/*.md` is what the records beside it say (`FILES`), and docs/paper.md what those of the
  experiments do.
- A table between `<!-- figures: NAME -->` and `<!-- /figures -->` is the one that `TABLES` makes.
- A number before `<!-- figure: FILE PATH -->` is the value there, rounded as the text rounds it:
  `4.4 s<!-- figure: bench.json n70000-k10/medoids/seconds -->`; with `in 1e6` after the path,
  in millions. Of a page of results the path is a row and a column, as
  `<!-- figure: gpu.md MNIST, k = 10; medoids, s -->` (cells that tell the row, in their order, or
  what is in brackets at the end of a cell; then the head of the column); `worked-out` is one of
  `WORKED_OUT`. `a to b` is two numbers, each with its marker.
- What was measured once, by hand, is between `<!-- notes: WHEN -->` and `<!-- /notes -->`, and the
  text tells the reader so: it is how things were then, and nobody keeps it up to date.
- Any other number of seconds, speed or loss is an error: it says neither where it is from nor when.
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

import hard
import kinds
import metrics
import on_dask
import slope
from _figure_numbers import WORKED_OUT
from _figure_speeds import SPEEDS
from _figure_tables import RESULTS, Missing, bench, cells, number, read, records
from _figure_tables import TABLES as OTHERS
from _limited import Results
from _methods_tables import duel_tables, measured, method_tables
from _records import Case
from _report import write_tables
from bench import CASES as BENCHED
from methods import CASES, METHODS

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT))
TABLES = {**OTHERS, **SPEEDS}
TABLE = re.compile(r"(<!-- figures: (\S+) -->\n\n)(.*?)(\n\n<!-- /figures -->)", re.S)
NUMBER = re.compile(r"(−?[\d,]*\.?\d+)([^\d\n<|]*)<!-- figure: (\S+) (.+?)(?: in (\S+))? -->")

# What no page may say without a marker: seconds and their parts, speeds, and losses in percent.
UNIT = r"(?:s|ms|µs|ns|seconds|minutes|hours)\b(?!/)|[GMk] (?:dimensions|pairs|columns)/s"
LOSS = r"%(?= (?:above|below|lower|higher|of PAM's))"
TIMES = r" times (?:as (?:fast|long|slow)|faster|slower)"
MEASURED = re.compile(
    r"(?<![\w.,=\"-])\d[\d,]*(?:\.\d+)?(?:(?: to | and | / )[\d.,]+)?"
    rf"(?: (?:{UNIT})|{LOSS}|{TIMES})"
)
# Where they are no matter of ours: code, tables that scripts write, and notes.
ELSEWHERE = re.compile(
    r"^```.*?^```$|`[^`\n]+`|<!-- figures: .*?<!-- /figures -->|<!-- notes: .*?<!-- /notes -->"
    r"|<!-- (fig\w+|appendix\w+|claims|delta|ladder|machine) -->.*?<!-- /\1 -->",
    re.M | re.S,
)


def bench_file() -> str:
    found = bench()
    return write_tables(found, {name: found[name] for name in BENCHED if name in found})


def methods_file() -> str:
    found = records()
    known = [case for case in CASES if any(case == other for other, _, _ in found.fits)]
    duels = json.loads(read("duels.json"))
    return method_tables(found, known, METHODS) + duel_tables(duels)


def hard_file() -> str:
    """As it is, with the table of its records: what is above it tells of the machine."""
    before = read("hard.md").partition("| case |")[0]
    return before + "\n".join([*hard.table(Results(RESULTS / "hard.jsonl")), ""])


def paper_file() -> str:
    """docs/paper.md, with the tables of the records that were published."""
    from experiments.__main__ import FIGURES
    from experiments._publish import kept, page

    return page(FIGURES, kept(FIGURES))


def rows_of(name: str, page: Callable[[dict[str, Any], list[Any]], str]) -> str:
    found = json.loads(read(name))
    return page(found["machine"], found["rows"])


FILES: dict[str, Callable[[], str]] = {
    "bench.md": bench_file,
    "methods.md": methods_file,
    "hard.md": hard_file,
    "slope.md": lambda: slope.page(Results(RESULTS / "slope.jsonl")),
    "metrics.md": lambda: rows_of("metrics.json", metrics.write_table),
    "kinds.md": lambda: rows_of("kinds.json", kinds.page),
    "dask.md": lambda: on_dask.table(json.loads(read("dask.json"))),
}


def tells(row: dict[str, str], words: list[str]) -> bool:
    """Whether the cells of a row have these words, in this order."""
    rest = iter(row.values())
    return all(any(cell == word or cell.endswith(f"({word})") for cell in rest) for word in words)


def value(file: str, path: str) -> float:
    """What a results file says; of methods.jsonl, the median over the seeds."""
    if file == "worked-out":
        return WORKED_OUT[path]()
    if file.endswith(".md"):
        *words, column = path.split("; ")
        found = [row for row in cells(file) if tells(row, words)]
        if len(found) != 1:
            raise LookupError(path)
        return number(found[0][column])
    keys = path.split("/")
    if file == "methods.jsonl":
        data, n, k = re.fullmatch(r"(\w+)-n(\d+)-k(\d+)", keys[0]).groups()
        return statistics.median(measured(records(), Case(data, int(n), int(k)), *keys[1:]))
    at: Any = json.loads(read(file))
    for key in keys:
        at = at[int(key)] if isinstance(at, list) else at[key]
    return float(at)


def as_written(measured: float, like: str) -> str:
    """A number with as many digits behind the point as another, and commas where that has some."""
    decimals = len(like.partition(".")[2])
    commas = "," if "," in like or measured >= 10_000 else ""
    text = f"{measured:{commas}.{decimals}f}".replace("-", "−")
    return text.lstrip("−") if not float(text.replace(",", "").replace("−", "-")) else text


def wrong_numbers(text: str) -> tuple[list[str], str]:
    """What is wrong with the numbers that name their source; and the text with the right ones."""
    wrong, parts, end = [], [], 0
    matches = list(NUMBER.finditer(text))
    for found in matches:
        written, _, file, path, unit = found.groups()
        try:
            right = as_written(value(file, path) / float(unit or 1), written)
        except Missing as missing:
            wrong.append(str(missing))
            continue
        except (LookupError, ValueError, AttributeError, TypeError):
            wrong.append(f"there is no {path} in {file}")
            continue
        if right.replace(",", "") != written.replace(",", ""):
            wrong.append(f"{written} is {right} in {file}, {path}")
            parts += [text[end : found.start()], right]
            end = found.end(1)
    if text.count("<!-- figure: ") != len(matches):
        wrong.append("a marker 'figure' has no number before it, or is misspelt")
    return wrong, "".join([*parts, text[end:]])


def unmarked(text: str) -> list[str]:
    """Figures that say neither where they are from nor when they were measured."""

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0])

    wrong = []
    for found in MEASURED.finditer(ELSEWHERE.sub(blank, text)):
        if not text.startswith("<!-- figure: ", found.end()):
            line = text.count("\n", 0, found.start()) + 1
            wrong.append(f"line {line}: {found[0]!r} has no marker, and is in no notes")
    if text.count("<!-- notes: ") != text.count("<!-- /notes -->"):
        wrong.append("a marker 'notes' is not closed")
    return wrong


def checked(path: Path, write: bool) -> list[str]:
    """What differs on a page; its tables and numbers are mended first, if that is asked for."""
    text, wrong = path.read_text(encoding="utf-8"), []

    def mended(found: re.Match[str]) -> str:
        before, name, table, after = found.groups()
        try:
            right = TABLES[name]()
        except KeyError:
            wrong.append(f"no table is named {name}")
        except Missing as missing:
            wrong.append(f"table {name}: {missing}")
        else:
            if write:
                return f"{before}{right}{after}"
            if table != right:
                wrong.extend(differences(table, right, f"table {name}"))
        return found[0]

    if text.count("<!-- figures: ") != len(TABLE.findall(text)):
        return ["a marker 'figures' is not closed, or has no empty lines around its table"]
    text = TABLE.sub(mended, text)
    numbers, right = wrong_numbers(text)
    if write:
        path.write_text(right, encoding="utf-8")
        numbers, _ = wrong_numbers(right)
    return wrong + numbers + unmarked(right)


def differences(have: str, right: str, what: str) -> list[str]:
    lines, others = have.splitlines(), right.splitlines()
    if len(lines) != len(others):
        return [f"{what} has {len(lines)} lines, its results make {len(others)}"]
    pairs = zip(lines, others, strict=True)
    return [f"{what}:\n    {a}\n    {b}" for a, b in pairs if a != b]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write tables, numbers and files anew")
    write = parser.parse_args().write
    wrong = 0
    pages = {RESULTS / name: make for name, make in FILES.items()}
    for path, make in {**pages, ROOT / "docs" / "paper.md": paper_file}.items():
        try:
            right = make()
        except Missing as missing:
            wrong += 1
            print(f"{path.relative_to(ROOT)}: {missing}")
            continue
        if write:
            path.write_text(right, encoding="utf-8")
        for line in differences(path.read_text(encoding="utf-8"), right, "the file"):
            wrong += 1
            print(f"{path.relative_to(ROOT)}: {line}")
    marked = 0
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        marked += path.read_text(encoding="utf-8").count("<!-- figure")
        for line in checked(path, write):
            wrong += 1
            print(f"{path.relative_to(ROOT)}: {line}")
    print(f"{marked} tables and numbers name their results; {wrong} differ.")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
