"""Where all n² distances fit into memory: is a fit ever slower than FastPAM1, or computes more?

Both run in turn in this process, the faster of two runs each counts, and the data is the same.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from medoids import KMedoids
from medoids.datasets import load_mnist

RESULT = Path(__file__).parent / "results" / "bounded.md"
Case = tuple[str, Any, str, int]


def mixture(n: int, d: int, groups: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(groups, d)) * 3
    return centres[rng.integers(groups, size=n)] + rng.normal(size=(n, d))


def towns(n: int, seed: int) -> np.ndarray:
    """Points on a sphere, in groups of very different sizes: near ties everywhere."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform((-1.2, -3), (1.2, 3), size=(60, 2))
    share = rng.pareto(1.0, size=60) + 0.05
    owner = rng.choice(60, n, p=share / share.sum())
    return centres[owner] + rng.normal(scale=0.08, size=(n, 2))


def far_groups(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)) + 1e4 * rng.integers(2, size=(n, 1))


MADE: dict[str, tuple[Callable[[int, int], np.ndarray], str]] = {
    "towns on a sphere": (towns, "haversine"),
    "mixture in 2 dimensions": (lambda n, seed: mixture(n, 2, 10, seed), "l2"),
    "mixture in 16 dimensions": (lambda n, seed: mixture(n, 16, 10, seed), "l2"),
    "mixture in 64 dimensions": (lambda n, seed: mixture(n, 64, 10, seed), "l1"),
    "integers 0 to 9": (
        lambda n, seed: np.random.default_rng(seed).integers(0, 10, size=(n, 4)).astype(float),
        "l1",
    ),
    "heavy tails": (lambda n, seed: np.random.default_rng(seed).standard_t(2, size=(n, 4)), "l2"),
    "far groups": (far_groups, "l2"),
}


def cases(sizes: list[int]) -> Iterator[Case]:
    try:
        images = load_mnist()[0]
    except FileNotFoundError as error:
        print(error)
        images = None
    for n in sizes:
        for name, (make, metric) in MADE.items():
            for k in (5, 30):
                yield f"{name}, n = {n:,}", make(n, n + 7), metric, k
        if images is not None:
            for k in (5, 30):
                yield f"MNIST, n = {n:,}", images[:n], "l2", k


def timed(X: Any, k: int, **options: Any) -> tuple[float, KMedoids]:
    began = time.perf_counter()
    km = KMedoids(k, random_state=0, **options).fit(X)
    return time.perf_counter() - began, km


def row(case: Case) -> str:
    name, X, metric, k = case
    runs = [
        (timed(X, k, metric=metric), timed(X, k, metric=metric, method="fastpam1"))
        for _ in range(2)
    ]
    ours, theirs = (min(run[i][0] for run in runs) for i in (0, 1))
    km, exact = runs[0][0][1], runs[0][1][1]
    same = set(km.medoid_indices_) == set(exact.medoid_indices_)
    share = km.n_distances_ / len(X) ** 2
    cells = f"{ours:>7.2f} | {theirs:>8.2f} | {theirs / ours:>5.1f} | {share:>12.1%}"
    return f"| {name:<36} | {k:>2} | {cells} | {'yes' if same else 'no':>4} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 3000, 6000, 12000])
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for _, X, metric, _ in cases([600]):  # compiled before anything is timed
        timed(X, 3, metric=metric)
        timed(mixture(5000, 2, 3, 0), 3, metric=metric)
        timed(X, 3, metric=metric, method="fastpam1")
    head = [
        f"| {'data':<36} |  k | ours, s | FastPAM1 | times | share of n² | same |",
        f"|{'-' * 38}|---:|--------:|---------:|------:|------------:|-----:|",
    ]
    print(*head, sep="\n")
    rows = []
    for case in cases(args.sizes):
        rows.append(row(case))
        print(rows[-1], flush=True)
    about = " ".join(__doc__.split())
    RESULT.write_text("\n".join(["# Never slower than FastPAM1", "", about, "", *head, *rows, ""]))


if __name__ == "__main__":
    main()
