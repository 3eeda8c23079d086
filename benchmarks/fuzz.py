"""Differential fuzzing: random fits of many kinds against exact PAM, and against themselves.

Every fit is held against method="pam" on the same data, and against distances that SciPy and
scikit-learn compute: its loss, its labels, that no swap helps, and its counts. A miss is
printed with the line that shows it again.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from _fuzz_cases import KINDS, Case, kind_of, make, matrix_of
from check_exact import first_block
from medoids import KMedoids

# Sums of distances agree to these shares: of two libraries, of one, and those in float32.
ROUNDING, TIE, SINGLE = 1e-10, 1e-12, 1e-6
DEFAULT_LIMIT = 2e9
MISSES = (
    "medoids", "tie", "swap helps", "loss", "labels", "count", "history", "threads", "warning",
    "error",
)  # fmt: skip
Found = Iterator[tuple[str, str]]


class Outcome(NamedTuple):
    """What came of a case: misses as (kind, text), or why the fit was refused.

    `share` is that of n² distances, and `excess` that of the loss above PAM's.
    """

    misses: list[tuple[str, str]]
    share: float = 1.0
    excess: float = 0.0
    refused: str = ""

    @property
    def sampled(self) -> bool:
        return self.share < 0.5


def against_pam(km: KMedoids, exact: KMedoids) -> Found:
    """The medoids are PAM's."""
    ours, theirs = km.medoid_indices_.tolist(), exact.medoid_indices_.tolist()
    if ours != theirs:
        excess = excess_of(km, exact)
        same = "the same in another order" if set(ours) == set(theirs) else f"loss {excess:+.2e}"
        yield ("tie" if abs(excess) < TIE else "medoids"), f"{same}: {ours} for {theirs}"


def excess_of(km: KMedoids, exact: KMedoids) -> float:
    return float((km.inertia_ - exact.inertia_) / max(abs(exact.inertia_), np.finfo(float).tiny))


def against_start(km: KMedoids) -> Found:
    """Eager swaps end no higher than BUILD did, whose loss is known in float32."""
    start = [step["loss"] for step in km.history_ if step["phase"] != "swap"][-1]
    if km.inertia_ > start + SINGLE * abs(start):
        yield "loss", f"{km.inertia_!r} is above the start's {start!r}"


def loss_and_labels(km: KMedoids, matrix: np.ndarray) -> Found:
    """`inertia_` and `labels_` are those of the medoids; of tied labels any will do."""
    rows = matrix[km.medoid_indices_]
    nearest = rows.min(axis=0)
    slack = ROUNDING * np.abs(nearest).sum() + np.finfo(float).tiny
    if not abs(km.inertia_ - nearest.sum()) <= slack:
        yield "loss", f"{km.inertia_!r}, by other libraries {nearest.sum()!r}"
    paid = rows[km.labels_, np.arange(len(matrix))]
    allowed = nearest + ROUNDING * (np.abs(nearest) + np.median(np.abs(rows)))
    if (paid > allowed).any():
        at = int(np.argmax(paid - allowed))
        yield "labels", f"row {at} pays {paid[at]!r} rather than {nearest[at]!r}"


def no_swap_helps(km: KMedoids, matrix: np.ndarray, at_once: int = 256) -> Found:
    """No exchange of a medoid for another row lowers the loss."""
    medoids, n = km.medoid_indices_, len(matrix)
    rows = np.vstack([matrix[medoids], np.full(n, np.inf)])
    owner = rows.argmin(axis=0)
    nearest, second = np.partition(rows, 1, axis=0)[:2]
    # A column for each medoid: what its members lose when it goes, as FastPAM1 adds it up.
    by_owner = np.zeros((n, len(medoids)))
    by_owner[np.arange(n), owner] = 1
    best, swap = 0.0, (-1, -1)
    for start in range(0, n, at_once):
        block = matrix[start : start + at_once]
        joins = np.minimum(block - nearest, 0).sum(axis=1)
        change = joins[:, None] + (np.clip(block, nearest, second) - nearest) @ by_owner
        arm, position = np.unravel_index(change.argmin(), change.shape)
        if change[arm, position] < best:
            best, swap = change[arm, position], (start + arm, medoids[position])
    if best < -ROUNDING * np.abs(nearest).sum() - np.finfo(float).tiny:
        yield "swap helps", f"row {swap[0]} for {swap[1]}: {best / nearest.sum():+.2e} of the loss"


def counted(km: KMedoids, case: Case) -> Found:
    """Distances are counted, step by step; and are no more than n² where these can be held."""
    total, n = km.n_distances_, case.n
    steps = sum(step["distances"] for step in km.history_)
    # Eager swaps measure the medoids once more at the end, after the last step.
    rest = case.k * n if case.swap == "eager" else 0
    if total <= 0 or not 0 <= total - steps <= rest:
        yield "history", f"{total:,} distances, of which {steps:,} in the steps"
    # The rest of the limit is for what a fit needs beside them. A first block that is forced
    # keeps a fit from computing the matrix.
    if (
        case.first is None
        and 4 * n**2 <= 0.95 * (case.limit or DEFAULT_LIMIT)
        and total > 1.05 * n**2
    ):
        yield "count", f"{total / n**2:.2f} n² distances"


def same_on_two_threads(km: KMedoids, other: KMedoids) -> Found:
    """Nothing but the seconds depends on the number of threads."""
    for name, value in result(km).items():
        if value != result(other)[name]:
            yield "threads", f"{name} differs between one thread and two"


def result(km: KMedoids) -> dict[str, Any]:
    steps = [{key: step[key] for key in step if key != "seconds"} for step in km.history_]
    return {
        "medoid_indices_": km.medoid_indices_.tolist(), "labels_": km.labels_.tobytes(),
        "inertia_": km.inertia_, "n_distances_": km.n_distances_, "history_": steps,
    }  # fmt: skip


def fit(case: Case, **options: Any) -> KMedoids:
    return KMedoids(**{"n_jobs": 1, **case.options(), **options}).fit(case.X)


def searched(case: Case, n_jobs: int) -> KMedoids:
    """The fit that is examined."""
    with first_block(case.first):
        return fit(
            case, swap=case.swap, memory_limit=case.limit, random_state=case.random_state,
            n_jobs=n_jobs,
        )  # fmt: skip


@contextmanager
def noticing(misses: list[tuple[str, str]]) -> Iterator[None]:
    """Note what NumPy warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
    said = {str(each.message) for each in caught if issubclass(each.category, RuntimeWarning)}
    misses.extend(("warning", text) for text in sorted(said))


def examine(case: Case) -> Outcome:
    """Fit, and check."""
    misses: list[tuple[str, str]] = []
    try:
        with noticing(misses):
            km = searched(case, n_jobs=1)
            exact = fit(case, method="pam") if case.swap == "best" else None
            other = searched(case, n_jobs=2) if case.threads else None
    except Exception as error:
        if isinstance(error, ValueError) and "scale" in str(error):
            return Outcome(misses, refused=str(error))
        return Outcome([*misses, ("error", f"{type(error).__name__}: {error}")])
    matrix = matrix_of(case)
    misses += against_start(km) if exact is None else against_pam(km, exact)
    misses += loss_and_labels(km, matrix)
    misses += no_swap_helps(km, matrix)
    misses += counted(km, case)
    misses += same_on_two_threads(km, other) if other else ()
    excess = excess_of(km, exact) if exact else 0.0
    return Outcome(misses, km.n_distances_ / case.n**2, excess)


def run(case: Case) -> Outcome:
    """Examine a case, and print what is wrong."""
    outcome = examine(case)
    again = f"python benchmarks/fuzz.py --case {case.seed}:{case.number}  # {case}"
    for kind, text in outcome.misses:
        print(f"MISS {kind}: {text[:300]}\n  {again}", flush=True)
    if outcome.refused:
        print(f"refused: {outcome.refused}\n  {again}", flush=True)
    return outcome


class Tally:
    """What was found in the cases of each kind of data."""

    def __init__(self) -> None:
        self.found: dict[str, Counter[str]] = {}
        self.most: dict[str, float] = {}
        self.worst: dict[str, float] = {}

    def add(self, kind: str, outcome: Outcome) -> None:
        for name in (kind, "total"):
            row = self.found.setdefault(name, Counter())
            row.update(fits=1, sampled=outcome.sampled, refused=bool(outcome.refused))
            row.update({miss for miss, _ in outcome.misses})
            self.most[name] = max(self.most.get(name, 0.0), outcome.share)
            self.worst[name] = max(self.worst.get(name, 0.0), outcome.excess, key=abs)

    @property
    def missed(self) -> int:
        return sum(self.found.get("total", Counter())[miss] for miss in MISSES)

    def table(self) -> str:
        heads = ("fits", "sampled", *MISSES, "refused", "most n²", "worst excess")
        lines = [f"| {'kind':<16} | " + " | ".join(heads) + " |"]
        lines.append(
            "|------------------|" + "|".join("-" * (len(h) + 1) + ":" for h in heads) + "|"
        )
        for kind in [*(kind for kind in KINDS if kind in self.found), "total"]:
            row = self.found.get(kind, Counter())
            cells = [f"{row[head]:>{len(head)}}" for head in heads[:-2]]
            cells.append(f"{self.most.get(kind, 0.0):>7.2f}")
            cells.append(f"{self.worst.get(kind, 0.0):>+12.1e}")
            lines.append(f"| {kind:<16} | " + " | ".join(cells) + " |")
        return "\n".join(lines)


def fuzz(seed: int, seconds: float, kinds: list[str], say: Callable[[str], None]) -> Tally:
    """Run one case after the other until the time is over."""
    tally, began, said = Tally(), time.monotonic(), time.monotonic()
    for number in count():
        now = time.monotonic()
        if now - began > seconds:
            break
        kind = kind_of(seed, number)
        if kind not in kinds:
            continue
        tally.add(kind, run(make(seed, number)))
        if now - said > 30:
            fits = tally.found["total"]["fits"]
            say(f"{now - began:.0f} s, case {seed}:{number}, {fits} fits, {tally.missed} misses")
            said = now
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10, help="how long (10)")
    parser.add_argument("--seed", type=int, default=0, help="other cases (0)")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--case", metavar="SEED:NUMBER", help="one case again")
    args = parser.parse_args()
    if args.case:
        case = make(*map(int, args.case.split(":")))
        outcome = run(case)
        print(f"{case}: {'missed' if outcome.misses else 'passed'}")
        return bool(outcome.misses)
    tally = fuzz(
        args.seed, 60 * args.minutes, args.kinds, lambda text: print(text, file=sys.stderr)
    )
    print(tally.table())
    return bool(tally.missed)


if __name__ == "__main__":
    sys.exit(main())
