"""Medoids on a GPU beside those of the CPU engine, on random instances of many kinds.

    python benchmarks/gpu_instances.py [--first 0] [--count 200] [--seed 0] [--many]

Half of the fits measure 512 references first, so that they sample; a quarter holds all distances,
rounded to float16, as fits of more than 31,000 rows do.

With `--many` clusters (33 to 64) all measure 512 or 1,024 references first, so that bounds are
carried. Half of these fits are eager, and end elsewhere than PAM does: there the CPU engine looks
for a swap that is left.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch

from medoids import KMedoids
from medoids._tuning import tuned
from medoids.engines.array import held

PAIRS = held._PAIRS


def rows(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Rows of a kind."""
    width = int(rng.choice([2, 4, 8, 16, 32, 64]))
    if kind == "grid":
        return rng.integers(0, 12, (n, min(width, 6))).astype(np.float32)
    if kind == "heavy tails":
        return rng.standard_t(3, (n, width)).astype(np.float32)
    if kind == "uniform":
        return rng.random((n, width), dtype=np.float32)
    groups = int(rng.integers(3, 20))
    size = rng.random(groups) ** 2 + 0.02
    which = rng.choice(groups, n, p=size / size.sum())
    centres = rng.normal(0, rng.uniform(0.5, 4), (groups, width))
    return (centres[which] + rng.normal(size=(n, width))).astype(np.float32)


def is_right(i: int, X: np.ndarray, rng: np.random.Generator) -> bool:
    """Whether a fit with many clusters ends as it is to, by the CPU engine."""
    k, metric = int(rng.integers(33, 65)), str(rng.choice(["l2", "l1", "cosine"]))
    swap = "eager" if i % 2 else "best"
    km = KMedoids(k, metric=metric, random_state=i, swap=swap)
    with tuned(first_block=int(rng.choice([512, 1024]))):
        km.fit(torch.as_tensor(X, device="cuda"))
    begin = km.medoid_indices_ if swap == "eager" else "build"
    cpu = KMedoids(k, metric=metric, init=begin, random_state=i).fit(X)
    if swap == "eager":
        right = cpu.n_iter_ == 0
    else:
        right = cpu.medoid_indices_.tolist() == km.medoid_indices_.tolist()
    if not right:
        worse = km.inertia_ / cpu.inertia_ - 1
        print(f"{i}: {X.shape} k = {k} {metric} {swap}: loss {worse:+.2e}", flush=True)
    return right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--many", action="store_true", help="many clusters")
    given = parser.parse_args()
    same, began, seconds = 0, time.perf_counter(), [0.0, 0.0]
    for i in range(given.first, given.first + given.count):
        rng = np.random.default_rng([given.seed, i])
        kind = str(rng.choice(["mixture", "mixture", "grid", "heavy tails", "uniform"]))
        X = rows(kind, int(rng.integers(5_000, 20_001)), rng)
        if given.many:
            same += is_right(i, X, rng)
            took = time.perf_counter() - began
            print(f"{same} of {i + 1 - given.first} right, {took:.0f} s", flush=True)
            continue
        k = int(rng.integers(2, 13))
        metric = str(rng.choice(["l2", "l1", "cosine", "sqeuclidean"]))
        km = KMedoids(k, metric=metric, random_state=i)
        held._PAIRS = 0 if i % 4 == 0 else PAIRS
        with tuned(first_block=512 if i % 2 else None):
            start = time.perf_counter()
            there = KMedoids(**km.get_params()).fit(torch.as_tensor(X, device="cuda"))
            middle = time.perf_counter()
            km.fit(X)
            seconds[0] += middle - start
            ended = time.perf_counter()
            seconds[1] += ended - middle
        if ended - start > 30:
            print(f"{i}: GPU {middle - start:.0f} s, CPU {ended - middle:.0f} s", flush=True)
        alike = there.medoid_indices_.tolist() == km.medoid_indices_.tolist()
        same += alike
        if not alike:
            worse = there.inertia_ / km.inertia_ - 1
            print(f"{i}: {kind} {X.shape} k = {k} {metric}: loss {worse:+.2e}", flush=True)
        if i % 20 == 19:
            took = time.perf_counter() - began
            print(f"{same} of {i + 1} alike, {took:.0f} s (GPU, CPU: {seconds})", flush=True)
    print(f"{same} of {given.count} alike")


if __name__ == "__main__":
    main()
