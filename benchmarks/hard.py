"""The hard cases beside the easy ones: near ties, few dimensions, many clusters, large n.

Every method of every case has a process of its own, with a limit of time. The first fit there is
given apart (nothing is loaded yet, though compiled before); "warm" is the best of those that
follow. k-means knows no cosine and no sphere: it is given rows of length 1, or places as points in
space. FasterPAM is given its matrix, and the time for that counts. The loss is the mean over all
rows of the distance to the nearest medoid. Some of the tuning constants were chosen on these data.
MNIST's rows are compared as bytes, which this processor does. The rows of a case are of one run;
cases may be of different days and machines of one kind, whose speeds differ by up to a half.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from _data import DATA, Data, mixture
from _limited import Results, measured, peak_gb

RESULTS = Path(__file__).parent / "results"
# FasterPAM's matrix takes 4 bytes for each pair.
MATRIX = 30_000
# So many cores beside ours make times doubtful.
BUSY = 0.3


class Case(NamedTuple):
    """Rows of some data, a number of clusters, and how we swap."""

    data: str
    n: int
    k: int
    swap: str = "best"

    def rows(self) -> Data:
        if self.data == "mix16" and self.n > 100_000:
            return mixture(self.n, 16)
        return DATA[self.data]().some(self.n)


CASES = {
    "airports-10": Case("airports", 28_298, 10),
    "airports-30": Case("airports", 28_298, 30),
    "airports-100": Case("airports", 28_298, 100),
    "scrna-pca-10": Case("scrna-pca", 40_000, 10),
    "scrna-pca-50": Case("scrna-pca", 40_000, 50),
    "glove-10": Case("glove", 100_000, 10),
    "mnist-pca-10": Case("mnist-pca", 70_000, 10),
    "mix2-10": Case("mix2", 100_000, 10),
    "mix16-10": Case("mix16", 100_000, 10),
    "mix64-10": Case("mix64", 100_000, 10),
    "mix16-1m-10": Case("mix16", 1_000_000, 10),
    "mnist-10k-5": Case("mnist", 10_000, 5),
    "mnist-5": Case("mnist", 70_000, 5),
    "mnist-10": Case("mnist", 70_000, 10),
    "mnist-100": Case("mnist", 70_000, 100),
    "mnist-10-eager": Case("mnist", 70_000, 10, "eager"),
    "mnist-100-eager": Case("mnist", 70_000, 100, "eager"),
    "airports-100-eager": Case("airports", 28_298, 100, "eager"),
    "scrna-pca-50-eager": Case("scrna-pca", 40_000, 50, "eager"),
    "glove-1000-eager": Case("glove", 100_000, 1000, "eager"),
    "glove-5000-eager": Case("glove", 100_000, 5000, "eager"),
}


def ours(data: Data, k: int, swap: str, **options: Any) -> dict[str, Any]:
    from medoids import KMedoids

    km = KMedoids(k, metric=data.metric, random_state=0, swap=swap, **options).fit(data.X)
    found = {"distances": km.n_distances_ / len(data.X), "medoids": km.medoid_indices_}
    if swap == "eager":
        found["near_end"] = near_end(km.history_)
    return found


def near_end(history: Any, share: float = 0.002) -> float:
    """The seconds after which the loss was within this share of where the fit ended."""
    bar, spent = history[-1]["loss"] * (1 + share), 0.0
    for entry in history:
        spent += entry["seconds"]
        if entry["phase"] != "build" and entry["loss"] <= bar:
            return spent
    return spent


def one_batch_of_ours(data: Data, k: int, swap: str) -> dict[str, Any]:
    return ours(data, k, "best", method="onebatch")


def k_means(data: Data, k: int, swap: str) -> dict[str, Any]:
    from sklearn.cluster import KMeans

    KMeans(k, n_init=1, random_state=0).fit(data.flat)
    return {}


def one_batch(data: Data, k: int, swap: str) -> dict[str, Any]:
    from onebatch import OneBatchPAM

    found = OneBatchPAM(k, distance="euclidean", random_state=0, n_jobs=2).fit(data.flat)
    return {"medoids": found.medoid_indices_}


def matrix(data: Data) -> np.ndarray:
    """All distances in float32: for places by products of points in space, which is fastest."""
    from sklearn.metrics import pairwise_distances

    if data.metric != "haversine":
        return pairwise_distances(data.X, metric=data.metric, n_jobs=2).astype(np.float32)
    points = np.ascontiguousarray(data.flat, dtype=np.float32)
    D = np.empty((len(points), len(points)), dtype=np.float32)

    def fill(at: int) -> None:
        part = np.clip(points[at : at + 500] @ points.T, -1, 1)
        np.arccos(part, out=D[at : at + 500])

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(fill, range(0, len(points), 500)))
    return D


def faster_pam(data: Data, k: int, swap: str) -> dict[str, Any]:
    import kmedoids

    D = matrix(data)
    found = kmedoids.fasterpam(D, k, init="random", random_state=0)
    return {"medoids": found.medoids, "distances": float(len(D))}


METHODS: dict[str, Callable[[Data, int, str], dict[str, Any]]] = {
    "medoids": ours,
    "medoids, onebatch": one_batch_of_ours,
    "k-means": k_means,
    "OneBatchPAM": one_batch,
    "matrix + FasterPAM": faster_pam,
}


def contestants(case: Case) -> list[str]:
    names = ["medoids", "k-means"]
    if case.swap == "eager":
        names.append("medoids, onebatch")
    if case.data not in ("airports", "glove"):
        names.append("OneBatchPAM")
    if case.n <= MATRIX:
        names.append("matrix + FasterPAM")
    return names


def loss_of(data: Data, medoids: np.ndarray) -> float:
    """The mean over the rows of the distance to the nearest medoid."""
    from sklearn.metrics import pairwise_distances

    centres, total = data.X[medoids], 0.0
    for at in range(0, len(data.X), 5000):
        rows = pairwise_distances(data.X[at : at + 5000], centres, metric=data.metric)
        total += float(rows.min(axis=1).sum(dtype=float))
    return total / len(data.X)


def measure(case: Case, method: str, repeat: int, budget: float) -> dict[str, Any]:
    """In the child: fit once, and again while there is time."""
    data = case.rows()
    seconds, cpu, found = [], [], {}
    while len(seconds) < 1 + repeat and sum(seconds) < budget:
        began, used = time.perf_counter(), time.process_time()
        found = METHODS[method](data, case.k, case.swap)
        seconds.append(time.perf_counter() - began)
        cpu.append(time.process_time() - used)
    peak = peak_gb()
    medoids = found.pop("medoids", None)
    if medoids is not None:
        found["loss"] = loss_of(data, np.asarray(medoids))
    return {
        "first": seconds[0],
        "warm": min(seconds[1:], default=None),
        "cpu": min(cpu[1:] or cpu),
        "peak_gb": peak,
        **found,
    }


def table(results: Results) -> list[str]:
    lines = [
        "| case | n | k | method | first s | warm s | CPU s | to 0.2% | n distances | mean loss"
        " | peak GB |",
        "|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|",
    ]

    def shown(value: float | None, digits: int) -> str:
        return "–" if value is None else f"{value:,.{digits}f}"

    for name, case in CASES.items():
        for method in METHODS:
            entry = results.found.get((name, method))
            if entry is None:
                continue
            start = f"| {name} | {case.n:,} | {case.k:,} | {method} |"
            if "failed" in entry:
                lines.append(f"{start} {entry['failed']} | | | | | | |")
                continue
            busy = " *" if entry["other_cores"] > BUSY else ""
            cells = [("first", 2), ("warm", 2), ("cpu", 2), ("near_end", 2), ("distances", 0)]
            cells += [("loss", 6), ("peak_gb", 2)]
            text = " | ".join(shown(entry.get(key), digits) for key, digits in cells)
            lines.append(f"{start} {text}{busy} |")
    return lines


def machine() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    name = models[0] if models else platform.processor()
    return (
        f"{os.cpu_count()} cores ({name}). Ours, k-means and OneBatchPAM use all cores (OneBatchPAM"
        " two); FasterPAM computes its matrix with two, and swaps with as many as it likes. A star:"
        " other work took part of the machine. \"To 0.2%\": seconds until the loss was within 0.2%"
        " of the end, of eager fits; \"n distances\" are multiples of n."
    )  # fmt: skip


def write(results: Results) -> None:
    about = [*__doc__.splitlines()[2:], machine(), ""]
    text = ["# Hard cases", "", *about, *table(results), ""]
    (RESULTS / "hard.md").write_text("\n".join(text), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", nargs="+", choices=list(CASES), default=list(CASES))
    parser.add_argument("--method", nargs="+", choices=list(METHODS), help="others are left out")
    parser.add_argument("--repeat", type=int, default=3, help="fits after the first (3)")
    parser.add_argument("--limit", type=float, default=600, help="seconds for each method (600)")
    parser.add_argument("--rows", type=int, help="at most so many rows, to try it out")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        case = CASES[args.case[0]]
        case = case._replace(n=min(case.n, args.rows or case.n))
        try:
            found = measure(case, args.method[0], args.repeat, args.limit / 4)
        except (ModuleNotFoundError, FileNotFoundError) as error:  # a peer, or data, not at hand
            found = {"failed": str(error)}
        print(json.dumps(found))
        return
    results = Results(RESULTS / "hard.jsonl" if args.rows is None else Path("out/hard.jsonl"))
    for name in args.case:
        for method in contestants(CASES[name]):
            if args.method and method not in args.method:
                continue
            options = ["--repeat", str(args.repeat), "--limit", str(args.limit)]
            if args.rows:
                options += ["--rows", str(args.rows)]
            arguments = ["--child", "--case", name, "--method", method, *options]
            entry = measured(__file__, arguments, args.limit)
            results.add((name, method), entry)
            print(name, method, json.dumps(entry), flush=True)
            if args.rows is None:
                write(results)
    if args.rows is not None:
        print(*table(results), sep="\n")


if __name__ == "__main__":
    main()
