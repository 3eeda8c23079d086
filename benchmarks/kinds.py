"""Whole fits of each kind of data: sparse beside dense, a user's function beside ours, trees.

Contestants take turns on the same data, and the median of each counts. The peak of memory
is measured in a process of its own, above what it had once the data was read.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from scipy import sparse

from _report import BUSY
from bench import RESULTS, machine
from medoids import k_medoids
from medoids.datasets import load_hoc4, load_mnist, load_scrna
from metrics import others_busy, so_far

Row = dict[str, Any]
Fit = Callable[[], Any]
PEAK = """
import sys
sys.path.insert(0, {folder!r})
from kinds import cells, status, k_medoids
X = cells({n})
k_medoids(X[:2000], 3, metric="l1")
open("/proc/self/clear_refs", "w").write("5")
before = status("VmRSS")
k_medoids(X, 5, metric="l1", random_state=0)
print(status("VmHWM") - before)
"""


@njit
def taxi(a, b):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(a.shape[0]):
        total += abs(a[i] - b[i])
    return total


def cells(n: int) -> sparse.csr_matrix:
    X, _ = load_scrna()
    return X[np.sort(np.random.default_rng(0).permutation(X.shape[0])[:n])]


def status(key: str) -> int:
    """Bytes, as Linux counts them for this process."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(key)) * 1024


def fit(X: Any, k: int, metric: Any) -> Fit:
    return lambda: k_medoids(X, k, metric=metric, random_state=0)


def in_turn(what: str, fits: dict[str, Fit], turns: int) -> Row:
    """Seconds of each contestant; all must find the same medoids."""
    found = {name: work() for name, work in fits.items()}  # compiles what is not yet compiled
    first = next(iter(found.values()))
    same = all((each.medoid_indices == first.medoid_indices).all() for each in found.values())
    seconds: dict[str, list[float]] = {name: [] for name in fits}
    before = so_far()
    for _ in range(turns):
        for name, work in fits.items():
            began = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - began)
    busy = others_busy(before)
    return {"what": what, "seconds": seconds, "same": bool(same), "other_cores": busy}


def peak(n: int) -> Row:
    code = PEAK.format(folder=str(Path(__file__).parent), n=n)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {"what": f"scRNA, l1, n = {n:,}, k = 5: peak above the data", "bytes": int(done.stdout)}


def run(quick: bool) -> list[Row]:
    turns = 1 if quick else 5
    rows = []
    for n in (4000, 8000, 16000)[: 1 if quick else 3]:
        X = cells(n)
        fits = {"sparse": fit(X, 5, "l1"), "dense": fit(X.toarray(), 5, "l1")}
        rows.append(in_turn(f"scRNA, l1, n = {n:,}, k = 5", fits, turns))
    n = 4000 if quick else 40_000
    rows.append(in_turn(f"scRNA, l1, n = {n:,}, k = 5", {"sparse": fit(cells(n), 5, "l1")}, turns))
    rows.append(peak(n))
    X = load_mnist()[0][: 3000 if quick else 10_000]
    fits = {"l1": fit(X, 5, "l1"), "l1 of the user, compiled": fit(X, 5, taxi)}
    rows.append(in_turn(f"MNIST, n = {len(X):,}, k = 5", fits, turns))
    trees = load_hoc4()[: 300 if quick else None]
    fits = {"tree_edit": fit(trees, 2, "tree_edit")}
    rows.append(in_turn(f"HOC4, n = {len(trees):,}, k = 2", fits, min(turns, 3)))
    return rows


def table_line(row: Row) -> str:
    if "bytes" in row:
        return f"| {row['what']} | {row['bytes'] / 1e6:,.0f} MB | | |"
    medians = {name: statistics.median(each) for name, each in row["seconds"].items()}
    mark = " †" if row["other_cores"] > BUSY else ""
    own, *others = medians.items()
    cells = [row["what"] + mark, f"{own[1]:.2f} s ({own[0]})", "", ""]
    if others:
        cells[2] = f"{others[0][1]:.2f} s ({others[0][0]})"
        cells[3] = f"{others[0][1] / own[1]:.1f}" + ("" if row["same"] else ", other medoids")
    return f"| {' | '.join(cells)} |"


def page(about: dict[str, Any], rows: list[Row]) -> str:
    lines = ["# Fits of each kind of data", ""]
    lines += [f"{about['cores']} cores ({about['cpu']}). Medians; contestants take turns.", ""]
    if any(row.get("other_cores", 0) > BUSY for row in rows):
        lines += ["† The machine was busy with something else meanwhile: measure this again.", ""]
    lines += ["| fit | ours | beside | times |", "|---|---:|---:|---:|", *map(table_line, rows)]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="less data, and no file is written")
    args = parser.parse_args()
    rows = run(args.quick)
    about = machine()
    print(page(about, rows))
    if not args.quick:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "kinds.json").write_text(json.dumps({"machine": about, "rows": rows}, indent=1))
        (RESULTS / "kinds.md").write_text(page(about, rows))


if __name__ == "__main__":
    main()
