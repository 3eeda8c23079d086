"""What weights, several starts and a scan over k cost, beside the plain fit of the same rows.

Every figure is a ratio to a plain fit in the same process: of CPU time, which other work on the
machine disturbs less than seconds, and of distances. The first fit of each kind warms up and is
not counted; ten starts and scans run once. Weighted fits are compared with `KMedoids(k)`, ten
starts of `swap="eager", init="random"` with one, and `scan` for 2 to 20 clusters (without
resampling) with the fit of 20. A scan's losses are held against fits of their own.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from medoids import KMedoids, Scan, scan
from medoids.datasets import load_mnist

RESULT = Path(__file__).parent / "results" / "choice.md"
K, MOST = 10, 20


class Cost(NamedTuple):
    """CPU seconds, and distances."""

    seconds: float
    distances: float


def mixture(n: int, d: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    centres = 2 * rng.normal(size=(10, d))
    return (centres[rng.integers(10, size=n)] + rng.normal(size=(n, d))).astype(np.float32)


def mnist(n: int) -> np.ndarray:
    X = load_mnist()[0]
    return X[np.random.default_rng(1).permutation(len(X))[:n]]


DATA: dict[str, Callable[[int], np.ndarray]] = {
    "MNIST": mnist,
    "mixture, 16 dimensions": lambda n: mixture(n, 16),
    "mixture, 2 dimensions": lambda n: mixture(n, 2),
}
WEIGHTS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "1, 2 or 3": lambda rng, n: rng.integers(1, 4, size=n).astype(float),
    "exponential": lambda rng, n: rng.exponential(size=n),
}


def cost(fit: Callable[[], float], repeat: int) -> Cost:
    """Of the cheapest of some runs; `fit` gives the distances that it computed."""
    costs = []
    for _ in range(1 + repeat):
        began = time.process_time()
        distances = fit()
        costs.append(Cost(time.process_time() - began, distances))
    return min(costs[1:] or costs)


def fitted(X: np.ndarray, k: int, weights: np.ndarray | None = None, **options: Any) -> float:
    return KMedoids(k, random_state=0, **options).fit(X, sample_weight=weights).n_distances_


def row(data: str, what: str, found: Cost, plain: Cost, other: str = "") -> str:
    ratio = Cost(found.seconds / plain.seconds, found.distances / plain.distances)
    figures = f"{plain.seconds:.2f} | {ratio.seconds:.2f} | {ratio.distances:.2f}"
    line = f"| {data} | {what} | {figures} | {other} |"
    print(line, flush=True)
    return line


def worse(X: np.ndarray, found: Scan) -> str:
    """How many k of a scan end more than 0.1% above a fit of their own, of some."""
    some = range(2, MOST + 1, 3)
    above = [found[k].loss / KMedoids(k, random_state=0).fit(X).inertia_ > 1.001 for k in some]
    return f"{sum(above)} of {len(above)} k more than 0.1% above their own fit"


def run(name: str, n: int, repeat: int) -> list[str]:
    X, rng = DATA[name](n), np.random.default_rng(2)
    lines = []
    plain = cost(lambda: fitted(X, K), repeat)
    for kind, draw in WEIGHTS.items():
        weights = draw(rng, n)
        found = cost(lambda w=weights: fitted(X, K, w), repeat)
        lines.append(row(name, f"weights {kind}", found, plain))
    options: dict[str, Any] = {"swap": "eager", "init": "random"}
    one = cost(lambda: fitted(X, K, **options), repeat)
    ten = cost(lambda: fitted(X, K, n_init=10, **options), 0)
    lines.append(row(name, "ten eager starts", ten, one))
    largest = cost(lambda: fitted(X, MOST), repeat)
    scans: list[Scan] = []

    def scanned() -> float:
        scans.append(scan(X, range(2, MOST + 1), resample=False, random_state=0))
        return scans[-1].n_distances

    path = cost(scanned, 0)
    lines.append(row(name, f"scan of 2 to {MOST}", path, largest, worse(X, scans[-1])))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=5000, help="rows (5000)")
    parser.add_argument("--repeat", type=int, default=1, help="fits that count (1)")
    parser.add_argument("--only", nargs="+", choices=list(DATA), metavar="DATA")
    args = parser.parse_args()
    head = [
        "| data | what | plain fit, CPU s | × CPU | × distances | |",
        "|---|---|---:|---:|---:|---|",
    ]
    print(*head, sep="\n")
    lines: list[str] = []
    for name in args.only or DATA:
        try:
            lines += run(name, args.n, args.repeat)
        except FileNotFoundError as error:
            print(f"Skipped: {name}. {error}")
    if not args.only:
        about = f"{args.n:,} rows, k = {K}; {os.cpu_count()} cores, shared with other work."
        text = ["# Weights, starts, scans", "", *__doc__.splitlines(), "", about, "", *head]
        RESULT.parent.mkdir(exist_ok=True)
        RESULT.write_text("\n".join([*text, *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
