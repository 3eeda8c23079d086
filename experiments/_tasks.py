"""What a run does: a fit, or the true rewards of some arms in the first BUILD step."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from medoids import __version__, k_medoids
from medoids._threads import Workers
from medoids.data.kinds import read
from medoids.engines.cpu.points import points_of

from . import _data
from ._records import Record, Run

BINS = 60
PART = 50  # arms whose distances are held at once
WARM = 2500  # rows that make `banditpam` sample, and so compile all that it needs


def perform(run: Run) -> Record:
    """Do it; what is found, how long it took, and on what machine."""
    rows, things = _data.sample(run.data, run.synthetic, run.n, run.seed)
    if run.task == "fit":
        _warm_up(run.data, run.synthetic, run.metric, run.method)
    return TASKS[run.task](things, rows, run) | {"version": __version__, "machine": machine()}


def fit(things: Any, rows: np.ndarray, run: Run) -> Record:
    """One clustering. Medoids are rows of the whole data."""
    began, cpu = time.perf_counter(), time.process_time()
    found = k_medoids(
        things, run.k, metric=run.metric, method=run.method, random_state=run.seed, **run.options
    )
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    stages = {
        phase: sum(step["seconds"] for step in found.history if step["phase"] == phase)
        for phase in ("init", "build", "swap")
    }
    stages["read"] = seconds - sum(stages.values())
    sigma = [step["sigma"] for step in found.history if step["phase"] == "build"]
    return {
        "loss": found.inertia,
        "medoids": sorted(rows[found.medoid_indices].tolist()),
        "distances": int(found.n_distances),
        "swaps": int(found.n_iter),
        "seconds": short(seconds),
        "cpu_seconds": short(cpu),
        "stages": {phase: short(taken) for phase, taken in stages.items() if taken},
        "sigma": [[short(each, 4) for each in five] for five in sigma if five],
    }


def means(things: Any, rows: np.ndarray, run: Run) -> Record:
    """The means of some arms, over all references."""
    arms = np.random.default_rng(run.seed).choice(run.n, run.options["arms"], replace=False)
    found = [part.mean(axis=1, dtype=float) for part in _rewards(things, arms, run.metric)]
    return {"arms": rows[arms].tolist(), "means": [short(each) for each in np.concatenate(found)]}


def rewards(things: Any, rows: np.ndarray, run: Run) -> Record:
    """All rewards of a few arms, as histograms; and how heavy their tails are."""
    arms = np.random.default_rng(run.seed).choice(run.n, run.options["arms"], replace=False)
    found = []
    for arm, row in zip(
        arms, np.concatenate(list(_rewards(things, arms, run.metric))), strict=True
    ):
        counts, edges = np.histogram(row, BINS)
        found.append(
            {
                "arm": int(rows[arm]),
                "counts": counts.tolist(),
                "low": short(edges[0]),
                "high": short(edges[-1]),
                "mean": short(row.mean(dtype=float)),
                "sigma": short(row.std(dtype=float)),
                "skewness": short(stats.skew(row, axis=None)),
                "kurtosis": short(stats.kurtosis(row, axis=None)),
            }
        )
    return {"histograms": found}


TASKS: dict[str, Callable[[Any, np.ndarray, Run], Record]] = {
    "fit": fit,
    "means": means,
    "rewards": rewards,
}


def _rewards(things: Any, arms: np.ndarray, metric: str) -> Any:
    """In the first BUILD step the reward of an arm at a reference is the distance."""
    with Workers() as workers:
        points = points_of(read(things, metric, None), workers, 2e9)
        for part in np.array_split(arms, -(-len(arms) // PART)):
            yield points.block_array(part, np.arange(points.n))


@cache
def _warm_up(data: str, synthetic: bool, metric: str, method: str) -> None:
    """A fit that is not timed: it compiles what is not compiled yet."""
    large = method == "banditpam" and data != "hoc4"  # whose distances take their time
    n = min(WARM if large else 300, _data.size(_data.load(data, synthetic)))
    things = _data.sample(data, synthetic, n, 0)[1]
    k_medoids(things, 3, metric=metric, method=method, random_state=0)


def short(value: float, digits: int = 6) -> float:
    """So many digits are enough, and make short lines."""
    return float(f"{value:.{digits}g}")


@cache
def machine() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba"))
    cpu = models[0] if models else platform.processor()
    return f"{os.cpu_count()} x {cpu}, Python {platform.python_version()}, {packages}"
