"""The hard cases beside the easy ones: near ties, few dimensions, many clusters, large n.

Every case is fitted by us and by its peers, one after the other in one process, on the same rows;
the first fit of each only warms up and is given apart. k-means knows no cosine and no sphere: it is
given rows of length 1, or places as points in space. FasterPAM is given its matrix, and the
time for that counts.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from medoids import KMedoids
from medoids.datasets import load_airports, load_glove, load_mnist, load_scrna

RESULT = Path(__file__).parent / "results" / "hard.md"
# FasterPAM's matrix takes 4 bytes for each pair.
MATRIX = 30_000


class Data(NamedTuple):
    """Rows, our metric, and the rows as k-means and others with l2 alone may have them."""

    X: np.ndarray
    metric: str
    flat: np.ndarray


def components(X: Any, count: int, solver: str = "auto") -> np.ndarray:
    from sklearn.decomposition import PCA

    found = PCA(count, svd_solver=solver, random_state=0).fit_transform(X)
    return np.asarray(found, dtype=np.float32)


@cache
def airports() -> Data:
    X = load_airports()[0]
    lat, lon = X.T
    space = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)
    return Data(X, "haversine", space.astype(np.float32))


@cache
def glove() -> Data:
    X = load_glove()
    return Data(X, "cosine", X / np.linalg.norm(X, axis=1, keepdims=True))


@cache
def mnist() -> Data:
    X = load_mnist()[0]
    return Data(X, "l2", X)


@cache
def mnist_pca() -> Data:
    X = components(mnist().X, 50)
    return Data(X, "l2", X)


@cache
def scrna_pca() -> Data:
    X = components(load_scrna()[0], 10, "arpack")
    return Data(X, "l2", X)


@cache
def mixture(n: int, d: int) -> Data:
    """Ten Gaussian groups that overlap a little."""
    rng = np.random.default_rng(0)
    centres = 2 * rng.normal(size=(10, d))
    X = (centres[rng.integers(10, size=n)] + rng.normal(size=(n, d))).astype(np.float32)
    return Data(X, "l2", X)


CASES: dict[str, tuple[Callable[[], Data], int, str]] = {
    "airports 28,298, k = 10": (airports, 10, "best"),
    "airports 28,298, k = 30": (airports, 30, "best"),
    "airports 28,298, k = 100": (airports, 100, "best"),
    "scRNA, 10 components, 40,000, k = 10": (scrna_pca, 10, "best"),
    "scRNA, 10 components, 40,000, k = 50": (scrna_pca, 50, "best"),
    "GloVe 100,000 x 50, cosine, k = 10": (glove, 10, "best"),
    "MNIST, 50 components, 70,000, k = 10": (mnist_pca, 10, "best"),
    "mixture 100,000 x 16, k = 10": (lambda: mixture(100_000, 16), 10, "best"),
    "mixture 100,000 x 2, k = 10": (lambda: mixture(100_000, 2), 10, "best"),
    "mixture 1,000,000 x 16, k = 10": (lambda: mixture(1_000_000, 16), 10, "best"),
    "MNIST 70,000 x 784, k = 5": (mnist, 5, "best"),
    "MNIST 70,000 x 784, k = 10": (mnist, 10, "best"),
    "MNIST 70,000 x 784, k = 100, eager": (mnist, 100, "eager"),
    "GloVe 100,000 x 50, cosine, k = 1,000, eager": (glove, 1000, "eager"),
}
# What ends within a minute or so.
USUAL = [name for name in CASES if "k = 100" not in name and "1,000" not in name.split(",")[-1]]


def ours(data: Data, k: int, swap: str) -> dict[str, Any]:
    found = KMedoids(k, metric=data.metric, swap=swap, random_state=0).fit(data.X)
    return {"distances": found.n_distances_ / len(data.X), "medoids": found.medoid_indices_}


def k_means(data: Data, k: int, swap: str) -> dict[str, Any]:
    from sklearn.cluster import KMeans

    KMeans(k, n_init=1, random_state=0).fit(data.flat)
    return {}


def one_batch(data: Data, k: int, swap: str) -> dict[str, Any]:
    from onebatch import OneBatchPAM

    found = OneBatchPAM(k, distance="euclidean", random_state=0, n_jobs=2).fit(data.flat)
    return {"medoids": found.medoid_indices_}


def faster_pam(data: Data, k: int, swap: str) -> dict[str, Any]:
    import kmedoids
    from sklearn.metrics import pairwise_distances

    D = pairwise_distances(data.X, metric=data.metric, n_jobs=2).astype(np.float32)
    found = kmedoids.fasterpam(D, k, init="random", random_state=0)
    return {"medoids": found.medoids, "distances": float(len(D))}


def peers(data: Data) -> Iterator[tuple[str, Callable[..., dict[str, Any]]]]:
    yield "medoids", ours
    yield "k-means", k_means
    if data.metric == "l2":
        yield "OneBatchPAM", one_batch
    if len(data.X) <= MATRIX:
        yield "matrix + FasterPAM", faster_pam


def loss_of(data: Data, medoids: np.ndarray) -> float:
    """The mean over the rows of the distance to the nearest medoid."""
    from sklearn.metrics import pairwise_distances

    centres, total = data.X[medoids], 0.0
    for at in range(0, len(data.X), 5000):
        rows = pairwise_distances(data.X[at : at + 5000], centres, metric=data.metric)
        total += float(rows.min(axis=1).sum(dtype=float))
    return total / len(data.X)


def run(name: str, repeat: int) -> list[str]:
    make, k, swap = CASES[name]
    data = make()
    lines = []
    for label, fit in peers(data):
        seconds: list[float] = []
        for _ in range(1 + repeat):
            began = time.perf_counter()
            try:
                found = fit(data, k, swap)
            except ModuleNotFoundError as error:
                print(f"Skipped: {label}. {error}")
                break
            seconds.append(time.perf_counter() - began)
            if seconds[0] > 60:
                break
        if not seconds:
            continue
        warm = min(seconds[1:] or seconds)
        count = f"{found['distances']:,.0f}" if "distances" in found else "–"
        loss = f"{loss_of(data, found['medoids']):.6f}" if "medoids" in found else "–"
        lines.append(f"| {name} | {label} | {seconds[0]:.2f} | {warm:.2f} | {count} | {loss} |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=list(CASES), metavar="CASE")
    parser.add_argument("--all", action="store_true", help="those that take minutes, too")
    parser.add_argument("--repeat", type=int, default=2, help="warm fits, at least (2)")
    args = parser.parse_args()
    head = [
        "| case | method | first s | warm s | distances / n | mean loss |",
        "|---|---|---:|---:|---:|---:|",
    ]
    print(*head, sep="\n")
    lines: list[str] = []
    for name in args.only or (list(CASES) if args.all else USUAL):
        try:
            lines += run(name, args.repeat)
        except FileNotFoundError as error:
            print(f"Skipped: {name}. {error}")
    if not args.only:
        about = f"{os.cpu_count()} cores; all methods use all of them."
        RESULT.parent.mkdir(exist_ok=True)
        text = [__doc__.splitlines()[0], "", *__doc__.splitlines()[2:], "", about, ""]
        RESULT.write_text("\n".join(["# Hard cases", "", *text, *head, *lines, ""]))


if __name__ == "__main__":
    main()
