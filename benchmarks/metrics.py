"""The speed of each metric, by its block operation, beside others on the same pairs.

All on one core: one thread of ours, of BLAS and of OpenMP. Our call and the peer's take turns,
and the median of each counts. With `--only` the other rows keep what an earlier run found.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from _metric_cases import FAMILIES, Case, Work
from _report import BUSY
from bench import RESULTS, cpu_seconds, machine
from medoids._threads import Workers

# Turns: at least so many, and at most so many while seconds are left.
LEAST, MOST, SECONDS = 5, 51, 1.5
PEERS = (
    "medoids",
    "scipy",
    "scikit-learn",
    "rapidfuzz",
    "zss",
    "apted",
    "dtaidistance",
    "gower",
    "aeon",
    "rdkit",
    "mdtraj",
)
Row = dict[str, Any]


def seconds_of(work: Work) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def others_busy(before: tuple[float, float, float]) -> float:
    """How many cores were busy with something else since then."""
    machine_s, own_s, clock = np.subtract(so_far(), before)
    return round(float(max(machine_s - own_s, 0) / clock), 2)


def so_far() -> tuple[float, float, float]:
    times = os.times()
    return cpu_seconds()[0], times.user + times.system, time.perf_counter()


def measure(case: Case, name: str, peer: Work | None, quick: bool) -> Row:
    """Have ours and the peer fill the block in turn."""
    block = case.fresh()()  # compiles what is not yet compiled
    if peer is not None:
        truth = np.asarray(peer(), dtype=np.float64)
        np.testing.assert_allclose(block, truth, rtol=1e-3, atol=1e-4 * np.abs(truth).max())
    mine: list[float] = []
    theirs: list[float] = []
    before = so_far()
    least, seconds = (1, 0.0) if quick else (LEAST, SECONDS)
    while len(mine) < least or (len(mine) < MOST and time.perf_counter() - before[2] < seconds):
        mine.append(seconds_of(case.fresh()))
        if peer is not None:
            theirs.append(seconds_of(peer))
    row: Row = {"metric": case.metric, "input": case.input, "unit": case.unit, "peer": name}
    row |= {"ours_speed": case.amount / statistics.median(mine), "other_cores": others_busy(before)}
    row |= {"amount": case.amount, "ours_seconds": mine}
    if peer is not None:
        row |= {"peer_speed": case.amount / statistics.median(theirs), "peer_seconds": theirs}
    return row


def run(families: list[str], quick: bool) -> list[Row]:
    found = []
    with threadpool_limits(1), Workers(1) as workers:  # peers' threads too
        for family in families:
            for case in FAMILIES[family](workers):
                for name, peer in (case.peers or {"": None}).items():
                    row = measure(case, name, peer, quick) | {"family": family}
                    found.append(row)
                    print("  " + table_line(row), flush=True)
    return found


def short(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.2g}"


def table_line(row: Row) -> str:
    mark = " †" if row["other_cores"] > BUSY else ""
    cells = [row["metric"] + mark, row["input"], row["unit"], short(row["ours_speed"])]
    if "peer_speed" in row:
        ratio = row["ours_speed"] / row["peer_speed"]
        cells += [f"{short(row['peer_speed'])} ({row['peer']})", short(ratio)]
    else:
        cells += ["–", "–"]
    return f"| {' | '.join(cells)} |"


def versions() -> dict[str, str]:
    """Of the packages that are there."""
    found = {}
    for name in PEERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def write_table(about: dict[str, Any], rows: list[Row]) -> str:
    packages = ", ".join(f"{name} {number}" for name, number in about["packages"].items())
    lines = [
        "# Speed of the metrics",
        "",
        f"One core of {about['cores']} ({about['cpu']}), Python {about['python']}; {packages}.",
        "",
        "A block of distances, filled by the operation that a fit uses (in float32 for named",
        "metrics of rows, else in float64), and the same pairs by a peer in the same run (SciPy in",
        "float64, its only type). The medians of several turns; the values agree. A column is one",
        "coordinate of one pair.",
    ]
    if any(row["other_cores"] > BUSY for row in rows):
        lines += ["", "† The machine was busy with something else meanwhile: measure this again."]
    lines += ["", "| metric | input | unit | ours | peer | ours / peer |"]
    lines += ["|---|---|---|---:|---:|---:|", *map(table_line, rows)]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = list(FAMILIES)
    parser.add_argument("--only", nargs="+", choices=names, metavar="KIND", help=", ".join(names))
    parser.add_argument(
        "--quick", action="store_true", help="one turn each, and no file is written"
    )
    args = parser.parse_args()
    chosen = args.only or names
    rows = run(chosen, args.quick)
    if args.quick:
        return
    path = RESULTS / "metrics.json"
    old = json.loads(path.read_text())["rows"] if path.is_file() else []
    rows += [row for row in old if row["family"] not in chosen]
    rows.sort(key=lambda row: names.index(row["family"]))
    about = machine() | {"packages": versions()}
    RESULTS.mkdir(exist_ok=True)
    path.write_text(json.dumps({"machine": about, "rows": rows}, indent=1) + "\n")
    (RESULTS / "metrics.md").write_text(write_table(about, rows))


if __name__ == "__main__":
    main()
