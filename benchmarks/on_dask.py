"""A cluster of two workers of one thread, against one process with two threads.

    python benchmarks/on_dask.py                       # all cases
    python benchmarks/on_dask.py --only mnist slope    # those whose names begin so
    python benchmarks/on_dask.py --only huge           # 10,000,000 x 32, made on the workers
    python benchmarks/on_dask.py --scale 0.05 --out /tmp/results   # smaller: does it run?

Every case runs in a process of its own (`_dask_child.py`) with a limit of time; its result is
written as it comes, to `results/dask.json`, and the tables to `results/dask.md`. Where the machine
has other work, seconds of CPU time tell more than the clock: both are in the tables.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
SLOPE = (100_000, 1_000_000, 4_000_000)
# Bytes of distances that are kept on all workers together, so that they differ in nothing else.
KEPT = 2e9


class Case(NamedTuple):
    """What is measured; `sizes` begin with n, which `--scale` makes smaller."""

    what: str
    sizes: tuple[int, ...] = ()
    workers: int = 2
    parts: int = 8
    swap: str = "best"
    seconds: int = 900

    def command(self, scale: float) -> list[str]:
        sizes = list(self.sizes)
        if sizes:
            sizes[0] = round(sizes[0] * scale / self.parts) * self.parts
        found = [sys.executable, str(HERE / "_dask_child.py"), self.what, *map(str, sizes)]
        if self.what == "mixture":
            found += ["--workers", str(self.workers), "--parts", str(self.parts)]
            found += ["--swap", self.swap, "--memory", str(scale * KEPT / self.workers)]
        return found


CASES = {
    "rounds": Case("rounds", seconds=120),
    "mnist": Case("mnist", (70_000, 10), seconds=400),
    "workers 1": Case("mixture", (2_000_000, 16, 10), workers=1),
    "workers 2": Case("mixture", (2_000_000, 16, 10), workers=2),
    **{f"slope {n}": Case("mixture", (n, 16, 10)) for n in SLOPE},
    "huge": Case("mixture", (10_000_000, 32, 20), parts=40, swap="eager", seconds=1500),
}


def run(case: Case, scale: float) -> dict[str, Any]:
    """The result of a case; or why there is none."""
    load = os.getloadavg()[0]
    child = subprocess.Popen(
        case.command(scale), stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        out, _ = child.communicate(timeout=case.seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)  # its cluster too
        child.wait()
        return {"failed": f"not done after {case.seconds} s", "load": load}
    if child.returncode:
        return {"failed": f"exit status {child.returncode}", "load": load}
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found | {"load": load}


def apart(name: str, found: dict[str, Any]) -> dict[str, Any]:
    """The rows of a case: of MNIST one for a single process, and one for two workers."""
    if name != "mnist":
        return {name: found}
    if "failed" in found:
        return dict.fromkeys(("mnist one", "mnist two"), found)
    return {f"mnist {which}": found[which] | {"load": found["load"]} for which in ("one", "two")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help=", ".join(CASES))
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of rows")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    args = parser.parse_args()
    chosen = [name for name in CASES if args.only is None or name.startswith(tuple(args.only))]
    if not chosen:
        parser.error(f"no case is called {args.only[0]!r}: they are {', '.join(CASES)}")
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / "dask.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    for name in chosen:
        found = run(CASES[name], args.scale)
        kept |= apart(name, found)
        path.write_text(json.dumps(kept, indent=1) + "\n")
        (args.out / "dask.md").write_text(table(kept))
        print(f"{name}: {found.get('failed') or 'done'}", file=sys.stderr, flush=True)
    print(table(kept))


def table(kept: dict[str, Any]) -> str:
    lines = [
        "# A cluster of two workers", "",
        "`python benchmarks/on_dask.py`. Workers have one thread each, and are on one machine of"
        f" {os.cpu_count()} cores with the client and the scheduler, which may have other work too:"
        " the load is the mean number of processes that were ready to run when a case began. CPU"
        " is the time of all processes; of the busiest in brackets. Sent are rows to all workers."
        " Peaks are those of the client (with the scheduler), of the workers, and the sum of all"
        " processes' peaks.", "",
    ]  # fmt: skip
    if _done(kept, "rounds"):
        row = kept["rounds"]
        times = {name: each for name, each in row.items() if name != "load"}
        shown = [f"{name} {q[1]:.1f} ms ({q[0]:.1f}, {q[2]:.1f})" for name, q in times.items()]
        lines += [
            "An empty round to two workers, median (a tenth of them less, a tenth more):"
            f" {'; '.join(shown)}. Load {row['load']:.1f}.", "",
        ]  # fmt: skip
    head = ["| | n | seconds | CPU s | distances / n | steps | rounds | MB sent | peak MB | load |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---|---:|"]  # fmt: skip
    parts: list[tuple[str, list[str], Any]] = [
        ("MNIST, k = 10", ["mnist one", "mnist two"], _against_one),
        ("Mixture, 16 columns, k = 10", ["workers 1", "workers 2"], _gain),
        ("How time grows with n", [f"slope {n}" for n in SLOPE], _slopes),
        ("Mixture, 32 columns, k = 20, eager", ["huge"], lambda rows: ""),
    ]
    for title, names, conclude in parts:
        ran = [name for name in names if name in kept]
        if not ran:
            continue
        lines += [f"## {title}", "", *head, *(_line(name, kept[name]) for name in ran), ""]
        done = [kept[name] for name in names if _done(kept, name)]
        if len(done) == len(names) and conclude(done):
            lines += [conclude(done), ""]
    return "\n".join(lines).rstrip() + "\n"


def _done(kept: dict[str, Any], name: str) -> bool:
    return name in kept and "failed" not in kept[name]


def _against_one(rows: list[dict[str, Any]]) -> str:
    one, two = rows
    same = sorted(one["medoids"]) == sorted(two["medoids"])
    shown = ", ".join(f"{each:.2f}" for each in in_turns(one, two, "seconds"))
    return (
        f"{'The same medoids' if same else 'OTHER medoids'}; turn by turn the cluster takes {shown}"
        f" times as long; in the median {np.median(in_turns(one, two, 'cpu')):.2f} times the CPU"
        f" time, and its busiest process {2 * np.median(in_turns(one, two, 'busiest')):.2f} times"
        " that of one of the two threads."
    )


def in_turns(one: dict[str, Any], two: dict[str, Any], field: str) -> list[float]:
    """How many times as much two workers took as one process just before."""
    pairs = zip(two["runs"][field], one["runs"][field], strict=True)
    return [ours / theirs for ours, theirs in pairs]


def _gain(rows: list[dict[str, Any]]) -> str:
    one, two = rows
    return (
        f"Two workers are {one['seconds'] / two['seconds']:.2f} times as fast as one; the busiest"
        f" process has {one['busiest'] / two['busiest']:.2f} times less to do."
    )


def _slopes(rows: list[dict[str, Any]]) -> str:
    logs = [np.log([row[what] for row in rows]) for what in ("n", "seconds", "cpu", "busiest")]
    clock, cpu, busiest = (np.polyfit(logs[0], each, 1)[0] for each in logs[1:])
    return (
        f"Slopes in logarithms: {clock:.2f} by the clock, {cpu:.2f} of CPU time, {busiest:.2f} of"
        " the busiest process."
    )


def _line(name: str, row: dict[str, Any]) -> str:
    if "failed" in row:
        return f"| {name} | {row['failed']} | | | | | | | | {row['load']:.1f} |"
    peaks = ""
    if "peaks" in row:
        (client,), workers = row["peaks"]["client and scheduler"], row["peaks"]["workers"]
        total = client + sum(workers) + sum(row["peaks"]["others"])
        peaks = f"{client:,.0f}; {', '.join(f'{each:,.0f}' for each in workers)}; {total:,.0f}"
    more = [str(row.get("steps", "")), str(row.get("rounds", ""))]
    sent = f"{row['mb_sent']:.1f}" if "mb_sent" in row else ""
    return (
        f"| {name} | {row['n']:,} | {row['seconds']:.1f} | {row['cpu']:.1f}"
        f" ({row['busiest']:.1f}) | {row['distances'] / row['n']:,.0f} | {' | '.join(more)} |"
        f" {sent} | {peaks} | {row['load']:.1f} |"
    )


if __name__ == "__main__":
    main()
