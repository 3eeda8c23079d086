"""One measurement in a fresh process; the result is one line of JSON on stdout.

python _child.py fit METHOD N K [--seed S] [--repeat R] [--data D] [--rows S] [--budget B]
python _child.py given N K [--repeat R]
python _child.py l1
python _child.py first-fit
"""

from __future__ import annotations

import argparse
import ctypes
import json
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from _fits import DATA, METHODS, mnist, ours


def mean_loss(X: np.ndarray, centres: np.ndarray) -> float:
    """The mean distance to the nearest centre, from differences in float64."""
    wide = centres.astype(np.float64)
    parts = (X[i : i + 2000].astype(np.float64) for i in range(0, len(X), 2000))
    return sum(float(cdist(part, wide).min(axis=1).sum()) for part in parts) / len(X)


def memory(field: str) -> float:
    """VmRSS, or its peak VmHWM, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(field)) * 1024 / 1e6


def fit(
    method: str, X: np.ndarray, k: int, seed: int, repeat: int, budget: float
) -> dict[str, Any]:
    """Fit until `repeat` is reached; a fit that outlasts the budget ends the process."""
    run = METHODS[method]
    # Compiles and loads what the fit needs. The bandit wants more than its first block.
    slow = method == "medoids banditpam_original"
    run(X[: 3000 if method.startswith("medoids") and not slow else 200], 5, seed)
    # Memory that the warm-up left in the heap would hide what the fit takes.
    ctypes.CDLL(None).malloc_trim(0)
    # The kernel keeps the peak itself, so nothing has to sample it beside a held GIL.
    Path("/proc/self/clear_refs").write_text("5")
    before, seconds = memory("VmRSS"), []
    # Short fits jump by a factor of 8 between runs: they are repeated for a second.
    while len(seconds) < repeat or (sum(seconds) < 1 and len(seconds) < 31):
        # Nothing handles this signal, so that the kernel ends even a fit that holds the GIL.
        signal.setitimer(signal.ITIMER_REAL, budget)
        began = time.perf_counter()
        found = run(X, k, seed)
        seconds.append(time.perf_counter() - began)
        signal.setitimer(signal.ITIMER_REAL, 0)
        if len(seconds) == 1:
            peak = memory("VmHWM") - before
    centres = found.pop("centres", None)
    if centres is None:
        found["medoids"] = sorted(int(i) for i in found["medoids"])
        centres = X[found["medoids"]]
    return found | {
        "seconds": float(np.median(seconds)),
        "all_seconds": seconds,
        "mean_loss": mean_loss(X, centres),
        "peak_mb": peak,
    }


def given(X: np.ndarray, k: int, repeat: int) -> dict[str, dict[str, list[float]]]:
    """FasterPAM alone, ours and that of kmedoids in turn, on one float32 matrix.

    Both start from the same random medoids, new ones in each turn.
    """
    import kmedoids
    from sklearn.metrics import euclidean_distances

    D = euclidean_distances(X)
    warnings.filterwarnings("ignore", "Seed will be ignored", UserWarning)

    def theirs(start: np.ndarray, seed: int, n_cpu: int) -> np.ndarray:
        # The seed still shuffles the candidates.
        return kmedoids.fasterpam(D, start, 300, random_state=seed, n_cpu=n_cpu).medoids

    def mine(start: np.ndarray, seed: int) -> np.ndarray:
        return ours(D, k, seed, "precomputed", method="fasterpam", init=start)["medoids"]

    contestants: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
        "medoids fasterpam": mine,
        "kmedoids.fasterpam": lambda start, seed: theirs(start, seed, -1),
        "kmedoids.fasterpam, 1 thread": lambda start, seed: theirs(start, seed, 1),
    }
    found: dict[str, Any] = {name: {"seconds": [], "losses": []} for name in contestants}
    for turn in range(repeat + 1):
        start = np.random.default_rng(turn).choice(len(X), k, replace=False)
        for name, run in contestants.items():
            began = time.perf_counter()
            medoids = run(start, turn)
            taken = time.perf_counter() - began
            if turn:  # the first only warms up
                found[name]["seconds"].append(taken)
                found[name]["losses"].append(mean_loss(X, X[medoids]))
    return found


def best_of(count: int, work: Callable[[], object]) -> float:
    times = []
    for _ in range(count):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def l1() -> dict[str, float]:
    """The l1 block kernel on one thread, against SciPy's cdist: G dimensions a second."""
    from medoids._threads import Workers
    from medoids.data.kinds import read
    from medoids.engines.cpu.points import points_of

    X = np.random.default_rng(0).random((1256, 784), dtype=np.float32)
    arms, refs = np.arange(256), np.arange(256, 1256)
    work = 256 * 1000 * 784 / 1e9
    out = np.empty((256, 1000), dtype=np.float32)
    with Workers(1) as workers:
        points = points_of(read(X, "l1", None), workers, 1e9)
        points.block(arms, refs, out)
        mine = work / best_of(5, lambda: points.block(arms, refs, out))
    left, right = X[arms].astype(np.float64), X[refs].astype(np.float64)
    assert np.allclose(out, cdist(left, right, "cityblock"), rtol=1e-4)
    scipy = work / best_of(5, lambda: cdist(left, right, "cityblock"))
    return {"medoids": mine, "scipy": scipy, "ratio": mine / scipy}


def first_fit() -> dict[str, float]:
    """The first fit of a process, and the second."""
    from medoids import k_medoids

    X = mnist(1000, 0)
    first, second = (best_of(1, lambda: k_medoids(X, 5, random_state=0)) for _ in range(2))
    return {"first": first, "second": second}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["fit", "given", "l1", "first-fit"])
    parser.add_argument("case", nargs="*", help="METHOD N K, or N K")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--data", choices=list(DATA), default="mnist")
    parser.add_argument("--rows", type=int, help="seed of the rows, if not that of the method")
    parser.add_argument("--budget", type=float, default=0, help="seconds for a fit; 0 is any")
    args = parser.parse_args()
    if args.what in ("fit", "given"):
        *method, n, k = args.case
        X = DATA[args.data](int(n), args.seed if args.rows is None else args.rows)
    if args.what == "fit":
        result = fit(*method, X, int(k), args.seed, args.repeat, args.budget)
    elif args.what == "given":
        result = given(X, int(k), args.repeat)
    else:
        result = l1() if args.what == "l1" else first_fit()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
