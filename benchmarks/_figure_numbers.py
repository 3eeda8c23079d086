"""Numbers that README and docs quote and no results file has as a field: they follow from some."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable

import on_dask
from _figure_tables import bench, cells, number, read, records
from _methods_tables import excess_of
from bench import CASES as BENCHED
from methods import CASES

Work = Callable[[], float]


def excesses(method: str) -> list[float]:
    """How far a peer's loss is above ours in each case of bench.json, in percent."""
    cases = [case for name, case in bench().items() if name in BENCHED and method in case]
    return [100 * (case[method]["mean_loss"] / case["medoids"]["mean_loss"] - 1) for case in cases]


def above_pam(method: str, ks: range = range(1, 1000)) -> list[float]:
    """How far the loss of a method of methods.jsonl is above PAM's, in percent, in each case."""
    found = records()
    over = [excess_of(found, case, f"medoids {method}") for case in CASES if case.k in ks]
    return [excess for excess in over if excess is not None]


def column(file: str, name: str, **where: str) -> list[float]:
    """The numbers of a column, of the rows that have these cells."""
    rows = cells(file)
    return [number(row[name]) for row in rows if all(row[at] == it for at, it in where.items())]


def gpu(over: str, under: str) -> list[float]:
    """Ratios of seconds in gpu.md: a column, or the CPU engine's where there are any."""
    found = []
    for row in cells("gpu.md"):
        seconds = {
            "cpu": row["medoids as on the CPU (seconds there)"].removeprefix("yes, "),
            "k-means": row["k-means, s"],
            "medoids": row["medoids, s"],
        }
        if seconds[over][0].isdigit():
            found.append(number(seconds[over]) / number(seconds[under]))
    return found


def cluster(over: str, under: str, field: str) -> float:
    found = json.loads(read("dask.json"))
    return float(found[over][field]) / float(found[under][field])


def in_turns(field: str) -> float:
    found = json.loads(read("dask.json"))
    return statistics.median(on_dask.in_turns(found["mnist one"], found["mnist two"], field))


def duel(title: str, name: str) -> float:
    return statistics.median(json.loads(read("duels.json"))[title][name]["seconds"])


ALONE = "FasterPAM alone, from the same starts on a given float32 matrix, n = 10,000, k = 5"
FEW, MANY = range(1, 11), range(50, 1000)
# Each has a `least` and a `most`.
RANGES: dict[str, Callable[[], list[float]]] = {
    "onebatch": lambda: excesses("onebatch"),
    "fasterpam": lambda: excesses("matrix + FasterPAM"),
    "eager": lambda: above_pam("banditpam eager (random)"),
    "alternate": lambda: above_pam("alternate (random)"),
    "clara": lambda: above_pam("clara"),
    "clarans": lambda: above_pam("clarans (random)"),
    "onebatch, few clusters": lambda: above_pam("onebatch (random)", FEW),
    "onebatch, many clusters": lambda: above_pam("onebatch (random)", MANY),
    "starts": lambda: column("starts.md", "mean loss"),
    "starts, worst": lambda: column("starts.md", "worst"),
    "starts, CPU, build": lambda: column("starts.md", "CPU time", init="build"),
    "starts, CPU, random": lambda: column("starts.md", "CPU time", init="random"),
    "bounded": lambda: column("bounded.md", "times"),
    "gpu, times the CPU": lambda: gpu("cpu", "medoids"),
    "gpu, times k-means": lambda: gpu("medoids", "k-means"),
}
WORKED_OUT: dict[str, Work] = {
    **{f"{name}/least": lambda of=of: min(of()) for name, of in RANGES.items()},
    **{f"{name}/most": lambda of=of: max(of()) for name, of in RANGES.items()},
    "methods/budget": lambda: max(one.get("over", 0) for one in records().fits.values()),
    "starts/mean": lambda: statistics.fmean(column("starts.md", "mean loss")),
    "bounded/slower": lambda: sum(times < 0.95 for times in column("bounded.md", "times")),
    "bounded/cases": lambda: len(column("bounded.md", "times")),
    "fasterpam alone/ours": lambda: duel(ALONE, "medoids fasterpam"),
    "fasterpam alone/theirs": lambda: duel(ALONE, "kmedoids.fasterpam"),
    "cluster/times as long": lambda: in_turns("seconds"),
    "cluster/times the CPU": lambda: in_turns("cpu"),
    "cluster/busiest": lambda: 2 * in_turns("busiest"),
    "cluster/two workers": lambda: cluster("workers 1", "workers 2", "seconds"),
}
