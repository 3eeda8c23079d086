"""Where the time of a fit goes, and how far each stage is from the machine's limit."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from functools import partial
from typing import Any

import numpy as np

from _child import best_of
from _data import DATA
from medoids import k_medoids
from medoids.engines.cpu.cache.columns import Columns
from medoids.engines.cpu.cache.levels import Levels
from medoids.engines.cpu.cache.rows import ExactRows, Rows
from medoids.engines.cpu.nearby import Nearby
from medoids.engines.cpu.rewards.regression import Regression
from medoids.engines.cpu.rewards.rewards import Rewards
from medoids.engines.cpu.swaps import EagerSwaps


def watch(seconds: Counter[str], distances: Counter[str]) -> None:
    """Have each stage add up its time and its distances."""
    stages = {
        (Columns, "__init__"): "first block",
        (Levels, "measure"): "deeper blocks",
        (Rows, "fetch"): "whole rows",
        (Rewards, "__init__"): "screen",
        (Rewards, "value"): "value whole rows",
        (ExactRows, "of"): "confirm in float64",
        (Regression, "__init__"): "regression: features",
        (Regression, "estimate"): "regression: arms",
        (Nearby, "judge"): "points around clusters",
        (Nearby, "by_all"): "arms by all points",
        (Nearby, "go_on"): "arms carried over",
        (EagerSwaps, "_swap_in"): "swaps",
        (EagerSwaps, "sharpen"): "medoids in float64",
    }
    silent = {"screen", "value whole rows", "regression: features", "regression: arms"}
    inner: list[float] = [0.0]
    for (owner, name), stage in stages.items():
        plain = getattr(owner, name)

        def timed(self: Any, *args: Any, plain: Any = plain, stage: str = stage) -> Any:
            holder = args[0] if plain.__name__ == "__init__" else self
            holder = getattr(getattr(holder, "screened", holder), "cache", holder)
            points = getattr(holder, "points", holder)
            counted, began = points.n_distances, time.perf_counter()
            inner.append(0.0)
            result = plain(self, *args)
            whole = time.perf_counter() - began
            seconds[stage] += whole - inner.pop()  # less what the stages within took
            inner[-1] += whole
            if stage not in silent:
                distances[stage] += points.n_distances - counted
            return result

        setattr(owner, name, timed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", choices=list(DATA), default="mnist")
    parser.add_argument("-n", type=int, default=10**9, help="rows, at most (all)")
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--swap", choices=["best", "eager"], default="best")
    args = parser.parse_args()
    data = DATA[args.data]().some(args.n)
    X, fit = data.X, partial(k_medoids, metric=data.metric, swap=args.swap, random_state=0)
    # Of BLAS where it is at its best, whatever the data are.
    part, other = (np.ones((rows, 784), dtype=np.float32) for rows in (20_000, 1024))
    peak = part.shape[0] * len(other) * 784 / best_of(5, lambda: part @ other.T) / 1e9
    memory = part.nbytes / best_of(5, lambda: part.sum()) / 1e9
    print(f"BLAS, all cores: {peak:.0f} G multiply-adds/s; reading, one core: {memory:.0f} GB/s")
    fit(X[:3000], args.k)
    seconds: Counter[str] = Counter()
    distances: Counter[str] = Counter()
    watch(seconds, distances)
    fit(X, args.k)
    seconds.clear()
    distances.clear()
    began = time.perf_counter()
    result = fit(X, args.k)
    total = time.perf_counter() - began
    seconds["all else"] = total - sum(seconds.values())
    steps = len(result.history)
    print(
        f"{args.data}, n = {len(X)}, k = {args.k}: {total:.2f} s, {steps} steps,"
        f" {result.n_distances:,} distances"
    )
    for stage, spent in seconds.most_common():
        line = f"{stage:22} {spent:6.2f} s {spent / total:5.0%}"
        if distances[stage]:
            each = 1e9 * spent / distances[stage]
            line += f" {distances[stage] / 1e6:8.1f} M distances, {each:5.2f} ns"
            if data.metric in ("l2", "cosine"):
                rate = distances[stage] * X.shape[1] / spent / 1e9
                line += f", {rate:4.0f} G/s ({rate / peak:.0%} of BLAS)"
        if stage == "screen" and args.swap == "best":
            block = 4e-9 * steps * len(X) * min(max(512, 100 * args.k), len(X))
            line += f" {block:8.1f} GB read, {block / spent:.0f} GB/s"
        print(line)


if __name__ == "__main__":
    main()
