"""One measurement in a fresh process; the result is one line of JSON on stdout.

python _child.py fit METHOD N K [--seed S] [--repeat R]
python _child.py l1
python _child.py first-fit
"""

from __future__ import annotations

import argparse
import ctypes
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

Fitted = dict[str, Any]  # "medoids" or "centres", and what else is known


def ours(X: np.ndarray, k: int, seed: int, **options: Any) -> Fitted:
    from medoids import k_medoids

    found = k_medoids(X, k, metric="l2", random_state=seed, **options)
    return {
        "medoids": found.medoid_indices,
        "distances": int(found.n_distances),
        "swaps": int(found.n_iter),
    }


def bandit_pam(X: np.ndarray, k: int, seed: int) -> Fitted:
    from banditpam import KMedoids

    km = KMedoids(n_medoids=k, algorithm="BanditPAM")
    km.seed = seed
    km.fit(X, "L2")
    return {"medoids": km.medoids}


def matrix_and(name: str, init: str) -> Callable[..., Fitted]:
    def fit(X: np.ndarray, k: int, seed: int) -> Fitted:
        import kmedoids
        from sklearn.metrics import euclidean_distances

        D = euclidean_distances(X)
        found = getattr(kmedoids, name)(D, k, init=init, max_iter=300, random_state=seed)
        return {"medoids": found.medoids, "distances": D.size}

    return fit


def onebatch(X: np.ndarray, k: int, seed: int, n_jobs: int | None) -> Fitted:
    from onebatch import OneBatchPAM

    km = OneBatchPAM(n_medoids=k, distance="euclidean", random_state=seed, n_jobs=n_jobs).fit(X)
    return {"medoids": km.medoid_indices_}


def kmeans(X: np.ndarray, k: int, seed: int) -> Fitted:
    from sklearn.cluster import KMeans

    return {"centres": KMeans(k, n_init=1, random_state=seed).fit(X).cluster_centers_}


METHODS: dict[str, Callable[..., Fitted]] = {
    "medoids": lambda X, k, seed: ours(X, k, seed, n_jobs=2),
    "medoids, 1 thread": lambda X, k, seed: ours(X, k, seed, n_jobs=1),
    "medoids, 300 MB": lambda X, k, seed: ours(X, k, seed, n_jobs=2, memory_limit=300e6),
    "banditpam": bandit_pam,
    "matrix + FastPAM1": matrix_and("fastpam1", "build"),
    "matrix + FasterPAM": matrix_and("fasterpam", "random"),
    "onebatch": lambda X, k, seed: onebatch(X, k, seed, None),
    "onebatch, 2 jobs": lambda X, k, seed: onebatch(X, k, seed, 2),
    "k-means": kmeans,
}


def rows(n: int, seed: int) -> np.ndarray:
    """The first n rows of a permutation; with seed 0, all of MNIST is in its own order."""
    from medoids.datasets import load_mnist

    X, _ = load_mnist()
    if n >= len(X) and seed == 0:
        return X
    return X[np.random.default_rng(seed).permutation(len(X))[:n]]


def mean_loss(X: np.ndarray, centres: np.ndarray) -> float:
    """The mean distance to the nearest centre, from differences in float64."""
    wide = centres.astype(np.float64)
    parts = (X[i : i + 2000].astype(np.float64) for i in range(0, len(X), 2000))
    return sum(float(cdist(part, wide).min(axis=1).sum()) for part in parts) / len(X)


def memory(field: str) -> float:
    """VmRSS, or its peak VmHWM, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(field)) * 1024 / 1e6


def fit(method: str, n: int, k: int, seed: int, repeat: int) -> dict[str, Any]:
    X, run = rows(n, seed), METHODS[method]
    # Compiles and loads what the fit needs. The bandit wants more than its first block.
    run(X[: 3000 if method.startswith("medoids") else 200], 5, seed)
    # Memory that the warm-up left in the heap would hide what the fit takes.
    ctypes.CDLL(None).malloc_trim(0)
    # The kernel keeps the peak itself, so nothing has to sample it beside a held GIL.
    Path("/proc/self/clear_refs").write_text("5")
    before, seconds = memory("VmRSS"), []
    # Short fits jump by a factor of 8 between runs: they are repeated for a second.
    while len(seconds) < repeat or (repeat > 1 and sum(seconds) < 1 and len(seconds) < 31):
        began = time.perf_counter()
        found = run(X, k, seed)
        seconds.append(time.perf_counter() - began)
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


def best_of(count: int, work: Callable[[], object]) -> float:
    times = []
    for _ in range(count):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def l1() -> dict[str, float]:
    """The l1 block kernel on one thread, against SciPy's cdist: G dimensions a second."""
    from medoids._kmedoids import make_points
    from medoids._threads import Workers

    X = np.random.default_rng(0).random((1256, 784), dtype=np.float32)
    arms, refs = np.arange(256), np.arange(256, 1256)
    work = 256 * 1000 * 784 / 1e9
    out = np.empty((256, 1000), dtype=np.float32)
    with Workers(1) as workers:
        points = make_points(X, "l1", None, workers, 1e9)
        points.block(arms, refs, out)
        mine = work / best_of(5, lambda: points.block(arms, refs, out))
    left, right = X[arms].astype(np.float64), X[refs].astype(np.float64)
    assert np.allclose(out, cdist(left, right, "cityblock"), rtol=1e-4)
    scipy = work / best_of(5, lambda: cdist(left, right, "cityblock"))
    return {"medoids": mine, "scipy": scipy, "ratio": mine / scipy}


def first_fit() -> dict[str, float]:
    """The first fit of a process, and the second."""
    from medoids import k_medoids

    X = rows(1000, 0)
    first, second = (best_of(1, lambda: k_medoids(X, 5, random_state=0)) for _ in range(2))
    return {"first": first, "second": second}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["fit", "l1", "first-fit"])
    parser.add_argument("case", nargs="*", help="METHOD N K")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=1)
    args = parser.parse_args()
    if args.what == "fit":
        method, n, k = args.case
        result = fit(method, int(n), int(k), args.seed, args.repeat)
    else:
        result = l1() if args.what == "l1" else first_fit()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
