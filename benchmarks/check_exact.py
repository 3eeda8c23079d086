"""Is it PAM? Compare method="banditpam" with exact PAM on many random instances.

Every instance is fitted with the default first block and with a small one, so that
the bandit really samples. It passes if of each kind 99 in 100 have the same medoids (one
may differ where there are fewer than 100), and the loss of the rest is within 0.01%.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

from medoids import KMedoids
from medoids._tuning import tuned
from medoids.datasets import load_airports, load_glove, load_hoc4, load_mnist, load_scrna

RESULT = Path(__file__).parent / "results" / "check_exact.md"
SMALL_BLOCK, TOLERANCE = 256, 1e-4
Rng = np.random.Generator
# Data, the metric, and k.
Instance = tuple[np.ndarray | list[dict[str, object]], str, int]


def size(rng: Rng, least: int, most: int, cap: int) -> int:
    return int(rng.integers(least, max(min(most, cap), least) + 1))


def some_k(rng: Rng) -> int:
    return int(rng.integers(3, 11))


mnist = cache(lambda: load_mnist()[0])
scrna = cache(lambda: load_scrna()[0])
programs = cache(load_hoc4)


airports = cache(lambda: load_airports()[0])
glove = cache(load_glove)


@cache
def scrna_components() -> np.ndarray:
    from sklearn.decomposition import PCA

    found = PCA(10, svd_solver="arpack", random_state=0).fit_transform(scrna())
    return np.asarray(found, dtype=np.float32)


def mnist_rows(rng: Rng, cap: int) -> np.ndarray:
    n = size(rng, 1000, 5000, cap)
    return mnist()[rng.choice(len(mnist()), n, replace=False)]


def mnist_l2(rng: Rng, cap: int) -> Instance:
    return mnist_rows(rng, cap), "l2", some_k(rng)


def mnist_cosine(rng: Rng, cap: int) -> Instance:
    return mnist_rows(rng, cap), "cosine", some_k(rng)


def scrna_l1(rng: Rng, cap: int) -> Instance:
    cells = scrna()[rng.choice(scrna().shape[0], size(rng, 1200, 2000, cap), replace=False)]
    mean = np.asarray(cells.mean(axis=0)).ravel()
    spread = np.asarray(cells.multiply(cells).mean(axis=0)).ravel() - mean**2
    genes = np.sort(np.argsort(-spread, kind="stable")[:500])
    return cells[:, genes].toarray().astype(np.float32), "l1", some_k(rng)


def hoc4_trees(rng: Rng, cap: int) -> Instance:
    chosen = rng.choice(len(programs()), size(rng, 700, 1100, cap), replace=False)
    return [programs()[i] for i in chosen], "tree_edit", some_k(rng)


def mixture(rng: Rng, n: int, d: int, groups: int, apart: float) -> np.ndarray:
    centres = rng.normal(size=(groups, d)) * apart
    return centres[rng.integers(groups, size=n)] + rng.normal(size=(n, d))


def gaussian(rng: Rng, cap: int) -> Instance:
    n, d, k = size(rng, 1500, 4000, cap), int(rng.integers(2, 11)), some_k(rng)
    return mixture(rng, n, d, k, rng.uniform(0.5, 6)), "l2", k


def heavy_tails(rng: Rng, cap: int) -> Instance:
    n, d = size(rng, 1500, 4000, cap), int(rng.integers(2, 11))
    return rng.standard_t(2, size=(n, d)), str(rng.choice(["l1", "l2"])), some_k(rng)


def far_groups(rng: Rng, cap: int) -> Instance:
    """Cluster sizes by Pareto's law, so that some have a few points, far from the rest."""
    n, d, k = size(rng, 1500, 4000, cap), int(rng.integers(2, 11)), some_k(rng)
    share = rng.pareto(1.0, size=2 * k) + 0.01
    centres = rng.normal(size=(2 * k, d)) * 20
    owner = rng.choice(2 * k, size=n, p=share / share.sum())
    return centres[owner] + rng.normal(size=(n, d)), "l2", k


def duplicates(rng: Rng, cap: int) -> Instance:
    n, d, k = size(rng, 1500, 3500, cap), int(rng.integers(2, 11)), some_k(rng)
    rows = mixture(rng, n // 3, d, k, 3.0)
    X = np.repeat(rows, rng.integers(2, 6, size=len(rows)), axis=0)
    return rng.permutation(X), "l2", k


def some_rows(rng: Rng, X: np.ndarray, least: int, most: int, cap: int) -> np.ndarray:
    return X[rng.choice(len(X), size(rng, least, most, cap), replace=False)]


def airport_places(rng: Rng, cap: int) -> Instance:
    return some_rows(rng, airports(), 3000, 8000, cap), "haversine", int(rng.integers(3, 31))


def scrna_pca(rng: Rng, cap: int) -> Instance:
    return some_rows(rng, scrna_components(), 3000, 8000, cap), "l2", int(rng.integers(3, 31))


def words(rng: Rng, cap: int) -> Instance:
    return some_rows(rng, glove(), 3000, 6000, cap), "cosine", some_k(rng)


def integer_grid(rng: Rng, cap: int) -> Instance:
    """Integers in two or three dimensions: ties everywhere."""
    n, d = size(rng, 3000, 6000, cap), int(rng.integers(2, 4))
    X = rng.integers(0, 40 if d == 2 else 14, size=(n, d)).astype(float)
    return X, str(rng.choice(["l1", "l2"])), some_k(rng)


def unequal(rng: Rng, cap: int) -> Instance:
    """Groups of very unequal sizes, close together, in few dimensions."""
    n, d, k = size(rng, 3000, 6000, cap), int(rng.integers(2, 6)), int(rng.integers(3, 21))
    share = 0.6 ** np.arange(k)
    centres = rng.normal(size=(k, d)) * 3
    owner = rng.choice(k, size=n, p=share / share.sum())
    return (
        centres[owner] + rng.normal(size=(n, d)) * rng.uniform(0.2, 1.5, size=k)[owner, None],
        "l2",
        k,
    )


def distances(X: np.ndarray) -> np.ndarray:
    squares = np.square(X).sum(axis=1)
    return np.sqrt(np.maximum(squares[:, None] + squares - 2 * X @ X.T, 0))


def asymmetric(rng: Rng, cap: int) -> Instance:
    """Every row has its own scale, and every entry its own noise."""
    n, k = size(rng, 1500, 2500, cap), some_k(rng)
    D = distances(mixture(rng, n, 5, k, 3.0)) * rng.uniform(0.8, 1.2, size=(n, 1))
    D *= rng.uniform(0.8, 1.25, size=(n, n))
    np.fill_diagonal(D, 0)
    return D, "precomputed", k


def negative(rng: Rng, cap: int) -> Instance:
    """Similarities with the sign turned: minus a kernel, and noise around zero."""
    n, k = size(rng, 1500, 2500, cap), some_k(rng)
    D = distances(mixture(rng, n, 5, k, 3.0))
    return rng.normal(size=(n, n)) * 0.1 - np.exp(-D / D.mean()), "precomputed", k


KINDS: dict[str, Callable[[Rng, int], Instance]] = {
    "MNIST l2": mnist_l2,
    "MNIST cosine": mnist_cosine,
    "scRNA l1": scrna_l1,
    "HOC4 trees": hoc4_trees,
    "Gaussian mixtures": gaussian,
    "heavy tails": heavy_tails,
    "small far groups": far_groups,
    "duplicates": duplicates,
    "asymmetric": asymmetric,
    "negative entries": negative,
    "airports": airport_places,
    "scRNA components": scrna_pca,
    "GloVe cosine": words,
    "integer grids": integer_grid,
    "unequal groups": unequal,
}


@contextmanager
def first_block(length: int | None) -> Iterator[None]:
    """Let every arm be measured on so many references at first; None is the default."""
    with tuned(first_block=length, completes=length is None):
        yield


class Tally:
    """What was found for one kind and one first block."""

    def __init__(self, kind: str, block: int | None) -> None:
        self.kind, self.block = kind, block
        self.count, self.same = 0, 0
        self.rest: list[float] = []
        self.shares: list[float] = []

    def add(self, ours: KMedoids, exact: KMedoids) -> None:
        self.count += 1
        self.shares.append(ours.n_distances_ / len(ours.labels_) ** 2)
        if set(ours.medoid_indices_) == set(exact.medoid_indices_):
            self.same += 1
        else:
            self.rest.append((ours.inertia_ - exact.inertia_) / abs(exact.inertia_))

    def faults(self) -> list[str]:
        missed, found = self.count - self.same, []
        if missed > max(1, self.count // 100):
            found.append(f"{missed} of {self.count} differ")
        if self.rest and max(self.rest) > TOLERANCE:
            found.append(f"loss {max(self.rest):+.4%}")
        name = f"{self.kind}, first block {self.block or 'default'}"
        return [f"{name}: {fault}" for fault in found]

    def row(self) -> str:
        worst = f"{max(self.rest):+.4%}" if self.rest else "–"
        block = self.block or "default"
        share = f"{np.mean(self.shares):.1%}" if self.shares else "–"
        cells = f"{self.count:>9} | {self.same:>12} | {worst:>18} | {share:>11}"
        return f"| {self.kind:<17} | {block:>11} | {cells} |"


HEAD = (
    "| kind              | first block | instances | same medoids "
    "| worst loss of rest | share of n² |\n"
    "|-------------------|------------:|----------:|-------------:"
    "|-------------------:|------------:|"
)


def compare(kind: str, start: int, count: int, cap: int) -> list[Tally]:
    tallies = [Tally(kind, None), Tally(kind, SMALL_BLOCK)]
    number = list(KINDS).index(kind)
    for i in range(start, start + count):
        X, metric, k = KINDS[kind](np.random.default_rng([number, i]), cap)
        exact = KMedoids(k, metric=metric, method="pam").fit(X)
        for tally in tallies:
            with first_block(tally.block):
                tally.add(KMedoids(k, metric=metric, random_state=i).fit(X), exact)
    return tallies


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--per-kind", type=int, default=20, metavar="N", help="instances (20)")
    parser.add_argument("--start", type=int, default=0, metavar="I", help="first instance (0)")
    parser.add_argument("--quick", action="store_true", help="2 small instances of each kind")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    args = parser.parse_args()
    count, cap = (2, 1500) if args.quick else (args.per_kind, sys.maxsize)
    began = time.perf_counter()
    tallies: list[Tally] = []
    notes: list[str] = []
    print(HEAD)
    for kind in args.kinds:
        try:
            found = compare(kind, args.start, count, cap)
        except FileNotFoundError as error:
            notes.append(f"Skipped: {kind}. {error}")
            continue
        tallies += found
        print(*(tally.row() for tally in found), sep="\n", flush=True)
    total = Tally("total", None)
    total.count, total.same = sum(t.count for t in tallies), sum(t.same for t in tallies)
    total.rest = [loss for t in tallies for loss in t.rest]
    total.shares = [share for t in tallies for share in t.shares]
    last = total.row().replace("default", "   both")
    faults = [fault for tally in tallies for fault in tally.faults()]
    verdict = [f"FAILED: {fault}" for fault in faults] or ["Passed."]
    closing = [*notes, *verdict, f"{time.perf_counter() - began:.0f} s."]
    print(last, "", *closing, sep="\n")
    if not args.quick and args.kinds == list(KINDS):
        rows = [HEAD, *(tally.row() for tally in tallies), last]
        about = " ".join(__doc__.split())
        RESULT.parent.mkdir(exist_ok=True)
        RESULT.write_text("\n".join(["# Exactness", "", about, "", *rows, "", *closing, ""]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
