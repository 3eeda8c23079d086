"""Speed, loss, distances and memory, against other packages on the same data (MNIST, l2).

Every method of every case runs in a process of its own (`_child.py`). With `--only`, the
other cases keep what an earlier run found; all rows of one case are from one run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from _report import BUSY, draw, write_tables

HERE = Path(__file__).parent
RESULTS = HERE / "results"
STAT = Path("/proc/stat")
CASES = {
    f"n{n}-k{k}": (n, k)
    for n, k in [(1000, 5), (10_000, 5), (10_000, 100), (70_000, 5), (70_000, 10)]
}
OTHERS = ["scaling", "l1", "import", "first-fit"]
QUICK = ["n1000-k5", "n10000-k5", "l1", "import", "first-fit"]
SCALING = [10_000, 20_000, 40_000, 70_000]
PACKAGES = ("medoids", "banditpam", "kmedoids", "onebatch", "scikit-learn", "numpy", "numba")


def methods(n: int, k: int, slow: bool) -> list[str]:
    """What runs on a case: a peer is left out where it takes minutes or 20 GB."""
    names = ["medoids", "medoids, 1 thread"]
    if (n, k) == (70_000, 10):
        names.append("medoids, 300 MB")
    if n <= 1000 or (n, k) == (10_000, 5) or slow:
        names.append("banditpam")
    if n <= 10_000:
        names += ["matrix + FastPAM1", "matrix + FasterPAM"]
    return [*names, "onebatch", "onebatch, 2 jobs", "k-means"]


def cpu_seconds() -> tuple[float, float]:
    """Processor time so far: of the whole machine, and of our own children."""
    user, nice, system, _, _, *rest = map(float, STAT.read_text().split()[1:9])
    times = os.times()
    busy = user + nice + system + sum(rest)
    return busy / os.sysconf("SC_CLK_TCK"), times.children_user + times.children_system


def child(*arguments: object, env: dict[str, str] | None = None) -> dict[str, Any]:
    """Run `_child.py`. `other_cores` tells how many cores were busy with something else.

    Methods with several threads suffer most from that: k-means by a factor of 15.
    """
    command = [sys.executable, str(HERE / "_child.py"), *map(str, arguments)]
    began, before = time.perf_counter(), cpu_seconds()
    done = subprocess.run(
        command, env=os.environ | (env or {}), check=True, stdout=subprocess.PIPE, text=True
    )
    all_, own = np.subtract(cpu_seconds(), before)
    others = max(all_ - own, 0) / (time.perf_counter() - began)
    return json.loads(done.stdout.splitlines()[-1]) | {"other_cores": round(float(others), 2)}


def run_case(n: int, k: int, repeat: int, slow: bool) -> dict[str, Any]:
    found = {}
    for method in methods(n, k, slow):
        once = n > 1000 and method in ("banditpam", "matrix + FastPAM1")
        found[method] = child("fit", method, n, k, "--repeat", 1 if once else repeat)
        busy = found[method]["other_cores"]
        warning = f"  ({busy} cores were busy with something else)" if busy > BUSY else ""
        print(f"  {method:<20} {found[method]['seconds']:9.3f} s{warning}", flush=True)
    # The better of the two stands for the package.
    two = found.pop("onebatch, 2 jobs")
    found["onebatch"] = min(found["onebatch"], two, key=lambda each: each["seconds"])
    return found


def run_scaling() -> dict[str, Any]:
    """Distances an iteration against n: the slope of a line through the logarithms."""
    found: dict[str, Any] = {}
    for k in (5, 10):
        counts = []
        for n in SCALING:
            for seed in (1, 2, 3):
                one = child("fit", "medoids", n, k, "--seed", seed)
                counts.append([n, one["distances"] / (one["swaps"] + 1)])
            print(f"  k = {k}, n = {n:,}: {counts[-1][1]:,.0f} an iteration", flush=True)
        line = stats.linregress(*np.log(np.array(counts)).T)
        half = stats.t.ppf(0.975, len(counts) - 2) * line.stderr
        found[f"k{k}"] = {
            "slope": line.slope,
            "interval": [line.slope - half, line.slope + half],
            "counts": counts,
        }
    return found


def seconds_of(code: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - began


def run_import() -> dict[str, Any]:
    lines = ["import sklearn.cluster", "import sklearn.cluster, medoids"]
    times: list[list[float]] = [[], []]
    for _ in range(6):  # the first only warms the disk
        for line, taken in zip(lines, times, strict=True):
            taken.append(seconds_of(line))
    code = "import sys, medoids; print('numba' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    alone, both = (statistics.median(taken[1:]) for taken in times)
    return {"sklearn": alone, "with_medoids": both, "numba": said.stdout.strip() == "True"}


def run_first_fit() -> dict[str, Any]:
    child("first-fit")  # fills the cache on disk
    with tempfile.TemporaryDirectory() as empty:
        return {
            "compiled before": child("first-fit"),
            "nothing compiled": child("first-fit", env={"NUMBA_CACHE_DIR": empty}),
        }


def machine() -> dict[str, Any]:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cores": os.cpu_count(),
        "cpu": models[0] if models else platform.processor(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [*CASES, *OTHERS]
    parser.add_argument("--only", nargs="+", choices=names, metavar="CASE", help=", ".join(names))
    parser.add_argument("--quick", action="store_true", help="only " + ", ".join(QUICK))
    parser.add_argument("--slow", action="store_true", help="banditpam on the large cases too")
    parser.add_argument("--repeat", type=int, default=3, help="runs, at least (3)")
    args = parser.parse_args()
    chosen = args.only or (QUICK if args.quick else names)
    path = RESULTS / "bench.json"
    results = json.loads(path.read_text()) if path.is_file() and chosen != names else {}
    results["machine"] = machine()
    RESULTS.mkdir(exist_ok=True)
    others = {
        "scaling": run_scaling,
        "l1": lambda: child("l1"),
        "import": run_import,
        "first-fit": run_first_fit,
    }
    for name in chosen:
        print(name, flush=True)
        if name in CASES:
            results[name] = run_case(*CASES[name], args.repeat, args.slow)
        else:
            results[name] = others[name]()
        path.write_text(json.dumps(results, indent=1) + "\n")
    cases = {name: results[name] for name in CASES if name in results}
    text = write_tables(results, cases)
    (RESULTS / "bench.md").write_text(text)
    if cases:
        draw(cases, RESULTS / "bench.png")
    print(text)


if __name__ == "__main__":
    main()
