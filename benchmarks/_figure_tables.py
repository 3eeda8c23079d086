"""The tables that README and docs show, each made from the results files alone."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from _methods_tables import excess_of, measured, percent
from _records import Case, Records
from _report import BUSY, title
from bench import CASES as BENCHED

RESULTS = Path(__file__).parent / "results"
# Cases of eager swaps, and what they are called.
EAGER = {
    "mnist-10": "MNIST 70,000 x 784, k = 10",
    "mnist-100": "MNIST 70,000 x 784, k = 100",
    "airports-100": "airports 28,298, k = 100",
    "scrna-pca-50": "scRNA components 40,000 x 10, k = 50",
    "glove-1000": "GloVe 100,000 x 50, k = 1,000",
}
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


# What writes each results file.
MADE_BY = {
    "bench.json": "make bench",
    "hard.md": "make bench",
    "methods.jsonl": "make bench-methods",
    "duels.json": "make bench-methods",
    "gpu.md": "python benchmarks/gpu.py, on a GPU",
    "slope.md": "make bench",
    "metrics.json": "make bench-data",
    "kinds.md": "make bench-data",
    "starts.md": "make bench-starts",
    "bounded.md": "python benchmarks/bounded.py",
    "dask.json": "python benchmarks/on_dask.py",
    "tests.json": "make coverage KEEP=1",
}
# The cases of hard.md that README shows, and what they are called there: near ties and few
# dimensions first, easy ones last.
HARD = {
    "airports-10": "airports 28,298, haversine, k = 10",
    "airports-30": "airports, k = 30",
    "airports-100": "airports, k = 100",
    "scrna-pca-10": "cells 40,000, 10 components, k = 10",
    "scrna-pca-50": "cells, k = 50",
    "glove-10": "GloVe 100,000 x 50, cosine, k = 10",
    "mnist-pca-10": "MNIST 70,000, 50 components, k = 10",
    "mix16-10": "mixture 100,000 x 16, k = 10",
    "mnist-10k-5": "MNIST 10,000 x 784, k = 5",
    "mnist-5": "MNIST 70,000 x 784, k = 5",
    "mnist-10": "MNIST 70,000 x 784, k = 10",
}
# And those of gpu.md.
ON_GPU = {
    "airports-10": "airports 28,298, haversine, k = 10",
    "glove-10": "GloVe 100,000 x 50, cosine, k = 10",
    "mnist-5": "MNIST 70,000 x 784, k = 5",
    "mnist-10": "MNIST, k = 10",
}
HARD_PEERS = ["medoids", "k-means", "OneBatchPAM", "matrix + FasterPAM"]


class Missing(Exception):
    """A result that a figure needs is not there; says what to run."""


def read(name: str) -> str:
    """A results file."""
    path = RESULTS / name
    if not path.is_file():
        made = MADE_BY.get(name)
        how = f": {made} writes it" if made else ""
        raise Missing(f"there is no benchmarks/results/{name}{how}")
    return path.read_text(encoding="utf-8")


def bench() -> dict[str, Any]:
    return json.loads(read("bench.json"))


def records() -> Records:
    read("methods.jsonl")
    return Records(RESULTS / "methods.jsonl")


def cells(name: str) -> list[dict[str, str]]:
    """The rows of all tables of a page of results, each by the heads of its columns."""
    found: list[dict[str, str]] = []
    for lines in re.findall(r"(?:^\|.*\|[ ]*$\n?)+", read(name), re.M):
        head, _, *rows = ([at.strip() for at in line.strip()[1:-1].split("|")] for line in
                          lines.splitlines())  # fmt: skip
        found += [dict(zip(head, row, strict=True)) for row in rows]
    return found


def number(text: str) -> float:
    """The number that a cell begins with."""
    found = re.match(r"[-−+]?[\d,]*\.?\d+", text)
    if found is None:
        raise LookupError(text)
    return float(found[0].replace(",", "").replace("−", "-"))


def two_digits(seconds: float) -> str:
    return (f"{seconds:.0f}" if seconds >= 99.5 else f"{seconds:#.2g}".rstrip(".")) + " s"


def as_times(ratio: float) -> str:
    return f"{ratio:.1g}×" if ratio < 0.095 else f"{ratio:.{0 if ratio >= 10 else 1}f}×"


def signed(percent: float) -> str:
    """With a sign, to the digit that says something; `0%` is the very same."""
    return "0%" if abs(percent) < 5e-5 else f"{percent:+.2g}%".replace("-", "−")


def table(head: list[str], rows: list[list[str]], words: int = 1) -> str:
    """With so many columns of words first, and numbers in all others."""
    lines = [head, ["---"] * words + ["---:"] * (len(head) - words), *rows]
    text = ["| " + " | ".join(line) + " |" for line in lines]
    text[1] = text[1].replace(" ", "")
    return "\n".join(text)


def with_note(text: str) -> str:
    """Under a table in which something has a dagger, what that is."""
    note = "\n\n† The machine had other work meanwhile: alone it would take less."
    return text + note * ("†" in text)


def speed() -> str:
    """README's table: seconds, and in brackets times ours."""
    rows = []
    found = bench()
    for name in BENCHED:
        if "medoids" not in found.get(name, {}):
            raise Missing(f"bench.json has no {name}: {MADE_BY['bench.json']} measures it")
        case, row = found[name], [title(name)]
        for method in PEERS.values():
            row.append("")
            if method in case:
                seconds, ours = case[method]["seconds"], case["medoids"]["seconds"]
                times = "" if method == "medoids" else f" ({as_times(seconds / ours)})"
                busy = " †" * (case[method].get("other_cores", 0) > BUSY)
                row[-1] = two_digits(seconds) + times + busy
        rows.append(row)
    return with_note(table(["case", *PEERS], rows))


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


def hard() -> str:
    """README's table of hard cases: seconds, times ours, and how far the loss is above ours."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for row in cells("hard.md"):
        found.setdefault(row["case"], {})[row["method"]] = row
    peers = [name for name in HARD_PEERS if any(name in found.get(case, {}) for case in HARD)]
    on_gpu = cells("gpu.md") if ON_GPU.keys() & HARD.keys() else []
    there = {row["case"]: row["medoids, s"] for row in on_gpu if "medoids, s" in row}
    rows = []
    for name, called in HARD.items():
        case = found.get(name, {})
        if "medoids" not in case:
            raise Missing(f"hard.md has no {name!r}: {MADE_BY['hard.md']} measures it")
        ours = case["medoids"]
        busy = " †" * ours.get("peak GB", "").endswith("*")
        row = [called, two_digits(number(ours["warm s"])) + busy]
        if there:
            row.append(f"{there[ON_GPU[name]]} s" if name in ON_GPU else "")
        row.append(ours["n distances"])
        for peer in peers[1:]:
            row.append("")
            if peer in case and case[peer]["warm s"] != "–":
                seconds = number(case[peer]["warm s"])
                row[-1] = f"{two_digits(seconds)} ({as_times(seconds / number(ours['warm s']))})"
                with suppress(LookupError):  # k-means has no medoids
                    excess = number(case[peer]["mean loss"]) / number(ours["mean loss"]) - 1
                    row[-1] = f"{row[-1][:-1]}, {signed(100 * excess)})"
                row[-1] += " †" * case[peer].get("peak GB", "").endswith("*")
        rows.append(row)
    head = ["case", "medoids", *(["on an H200"] if there else []), "distances / n", *peers[1:]]
    return with_note(table(head, rows))


def eager() -> str:
    """README's table of eager swaps: seconds, and the loss beside that of the best swaps."""
    found = {(row["case"], row["method"]): row for row in cells("hard.md")}
    rows = []
    for name, called in EAGER.items():
        row, best = [called], found.get((name, "medoids"))
        eager = f"{name}-eager"
        if (eager, "medoids") not in found:
            raise Missing(f"hard.md has no {eager!r}: {MADE_BY['hard.md']} measures it")
        row.append(two_digits(number(best["warm s"])) if best else "")
        for method in ("medoids", "medoids, onebatch", "k-means"):
            one = found.get((eager, method))
            known = one is not None and "warm s" in one and one["warm s"] != "–"
            row.append(two_digits(number(one["warm s"])) if one and known else "")
            if best and one and known and one["mean loss"] != "–":
                excess = number(one["mean loss"]) / number(best["mean loss"]) - 1
                row[-1] += f", {signed(100 * excess)}"
        rows.append(row)
    return table(["case", '`swap="best"`', '`swap="eager"`', "`onebatch`", "k-means"], rows)


def gpu() -> str:
    """The table of docs/gpu.md: seconds on a GPU, and of the CPU engine on the same machine."""
    rows = []
    for row in cells("gpu.md"):
        if "medoids, s" in row:
            same = row["medoids as on the CPU (seconds there)"]
            there = f"{same.partition(', ')[2]}" if same.startswith("yes") else ""
            k_means = f"{row['k-means, s'].partition(' ')[0]} s"
            rows.append([row["case"], k_means, f"{row['medoids, s']} s", there])
    return table(["case", "k-means", "medoids", "CPU engine, 16 cores"], rows)


def slope() -> str:
    """The table of docs/performance.md: how distances grow with n."""
    rows = [[row["data"], row["n: distances / n, mean"], row["slope"]] for row in cells("slope.md")]
    return table(["data", "n: distances / n, mean of three", "exponent of n"], rows)


TABLES: dict[str, Callable[[], str]] = {
    "speed": speed, "choices": choices, "hard": hard, "eager": eager, "gpu": gpu, "slope": slope,
}  # fmt: skip
