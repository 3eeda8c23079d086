"""Every method of the library, and its peers: seconds, and loss against PAM's.

Every fit runs in a process of its own (`_child.py`), and its record is kept at once in
results/methods.jsonl: a run that was stopped goes on where it was. `--duel` has methods
fit in turn, for what is claimed of one against another.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
from fnmatch import fnmatch

from _duels import DUELS, run_duel
from _methods_picture import draw_methods
from _methods_tables import duel_tables, method_tables
from _records import Case, Record, Records
from _report import BUSY
from bench import RESULTS, child, machine

SIZES = (1000, 3000, 10_000, 30_000, 70_000)
CASES = [
    *(Case("mnist", n, k) for n in SIZES for k in (5, 10, 50, 100)),
    *(Case("digits", 1797, k) for k in (10, 50)),
    *(Case("mixture", 10_000, k) for k in (10, 50)),
]
QUICK = ["mnist-n1000-k5", "mnist-n1000-k50", "mnist-n3000-k10", "digits-n1797-k10"]
METHODS = [
    "medoids banditpam", "medoids banditpam eager (random)", "medoids banditpam_original",
    "medoids pam", "medoids fastpam1", "medoids fastpam", "medoids fasterpam (random)",
    "medoids alternate (random)", "medoids clara", "medoids clarans (random)",
    "medoids onebatch (random)", "matrix + FastPAM1", "matrix + FasterPAM",
    "onebatch", "onebatch, batch x 3", "k-means",
]  # fmt: skip
# These draw nothing at random, so that one seed is enough.
EXACT = ["medoids pam", "medoids fastpam1", "medoids fastpam", "matrix + FastPAM1"]
KEPT = ("seconds", "mean_loss", "distances", "swaps", "peak_mb", "other_cores")


def runs_on(method: str, n: int) -> bool:
    """Whether the distances fit into the library's default limit of 2 GB."""
    if method == "medoids banditpam_original":
        return n <= 10_000
    held = method in EXACT or "fasterpam" in method.lower()
    return not held or (8 if method == "medoids pam" else 4) * n**2 <= 2e9


def measure(case: Case, method: str, seed: int, budget: float) -> Record:
    """Fit once: the rows are the same for every seed."""
    record = case._asdict() | {"method": method, "seed": seed}
    options = ("--data", case.data, "--rows", 0, "--seed", seed, "--budget", budget)
    try:
        found = child("fit", method, case.n, case.k, *options)
    except subprocess.CalledProcessError as error:
        if error.returncode != -signal.SIGALRM:
            raise
        return record | {"over": budget, "ran": True}
    return record | {name: found[name] for name in KEPT if name in found}


def run_case(case: Case, records: Records, seeds: int, budget: float) -> int:
    """Measure what is not there yet; the number of fits that failed."""
    failed = 0
    for seed in range(seeds):
        for method in METHODS:
            if not runs_on(method, case.n) or (seed and method in EXACT):
                continue
            if "seconds" in records.fits.get((case, method, seed), {}):
                continue
            if records.over(case, method) >= budget:
                left_out = {"method": method, "seed": seed, "over": budget, "ran": False}
                if not records.of(case, method):
                    records.add(case._asdict() | left_out)
                continue
            print(f"  {method:<34}", end="", flush=True)
            try:
                record = measure(case, method, seed, budget)
            except subprocess.CalledProcessError as error:
                print(f" failed with status {error.returncode}")
                failed += 1
                continue
            records.add(record)
            busy = record.get("other_cores", 0)
            warning = f"  ({busy} cores were busy with something else)" if busy > BUSY else ""
            if "over" in record:
                print(f"    > {budget:5g} s", flush=True)
            else:
                print(f"{record['seconds']:11.3f} s{warning}", flush=True)
    return failed


def run_duels(chosen: list[str], quick: bool) -> str:
    """Each duel is run as a whole; those not chosen keep what an earlier run found."""
    path = RESULTS / "duels.json"
    found = json.loads(path.read_text()) if path.is_file() and not quick else {}
    for name in chosen:
        for duel in DUELS[name]:
            if quick:
                duel = duel._replace(n=min(duel.n, 2000), turns=2)
            print(f"{name}: {duel.title}", flush=True)
            found[duel.title] = run_duel(duel)
            if not quick:
                path.write_text(json.dumps(found, indent=1) + "\n")
    return duel_tables(found)


def report(records: Records) -> None:
    path = RESULTS / "duels.json"
    known = [case for case in CASES if any(case == other for other, _, _ in records.fits)]
    text = method_tables(records, known, METHODS)
    text += duel_tables(json.loads(path.read_text())) if path.is_file() else ""
    (RESULTS / "methods.md").write_text(text)
    if known:
        draw_methods(records, known, RESULTS / "methods.png")
    print(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = ", ".join(case.name for case in CASES)
    add = parser.add_argument
    add("--only", nargs="+", metavar="CASE", help=f"some, by name or as 'mnist-*': {names}")
    add("--quick", action="store_true", help="one seed of " + ", ".join(QUICK) + "; small duels")
    add("--seeds", type=int, default=3, help="fits of methods that draw at random (3)")
    add("--budget", type=float, default=120, metavar="S", help="seconds for a fit (120)")
    add("--fresh", action="store_true", help="measure again what an earlier run found")
    add("--report", action="store_true", help="tables and picture from records alone")
    add("--duel", nargs="*", choices=list(DUELS), help="these, or all, and no cases")
    args = parser.parse_args()
    chosen = args.only or (QUICK if args.quick else ["*"])
    cases = [case for case in CASES if any(fnmatch(case.name, name) for name in chosen)]
    if not cases:
        parser.error(f"no case is named {' or '.join(chosen)}: choose of {names}")
    records, failed = Records(RESULTS / "methods.jsonl"), 0
    RESULTS.mkdir(exist_ok=True)
    if not args.report and records.machine != machine():
        records.add({"machine": machine()})
    if not records.machine:
        parser.error(f"there is no {records.path}: measure something first")
    if args.duel is not None:
        text = run_duels(args.duel or list(DUELS), args.quick)
        if args.quick:
            print(text)  # of no use to keep
            return 0
    elif not args.report:
        if args.fresh:
            records.forget(cases)
        for case in cases:
            print(case.name, flush=True)
            failed += run_case(case, records, 1 if args.quick else args.seeds, args.budget)
    report(records)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
