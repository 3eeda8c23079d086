"""The cases of `fuzz.py`: random data of many kinds, and the fits that are asked of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import haversine_distances

Rng = np.random.Generator
Maker = Callable[[Rng, int], Any]


class Case(NamedTuple):
    """A fit: everything in it follows from `seed` and `number`."""

    seed: int
    number: int
    kind: str
    X: Any
    metric: str
    k: int
    swap: str
    first: int | None
    limit: float | None
    random_state: int
    threads: bool

    @property
    def n(self) -> int:
        return int(self.X.shape[0])

    def options(self) -> dict[str, Any]:
        """What `KMedoids` is asked, by any method."""
        params = {"p": 3} if self.metric == "minkowski" else None
        metric = lopsided if self.metric == "function" else self.metric
        return {"n_clusters": self.k, "metric": metric, "metric_params": params}

    def __str__(self) -> str:
        return (
            f"{self.kind}, {self.metric}, {self.X.dtype} {self.X.shape}, k={self.k},"
            f" swap={self.swap}, first={self.first}, memory_limit={self.limit},"
            f" random_state={self.random_state}"
        )


@njit
def lopsided(medoid: Any, point: Any) -> float:
    """A user's function, not symmetric: what the medoid has too much counts twice."""
    total = 0.0
    for i in range(medoid.size):
        more = medoid[i] - point[i]
        total += 2 * more if more > 0 else -more
    return total


def normal(rng: Rng, n: int) -> Any:
    return rng.normal(size=(n, rng.integers(1, 17)))


def mixture(rng: Rng, n: int) -> Any:
    d, groups = int(2 ** rng.uniform(1, 6)), rng.integers(2, 25)
    centres = rng.normal(size=(groups, d)) * rng.uniform(0.3, 8)
    return centres[rng.integers(groups, size=n)] + rng.normal(size=(n, d))


def integers(rng: Rng, n: int) -> Any:
    dtype = rng.choice([np.uint8, np.int64, np.float64])
    return rng.integers(rng.choice([10, 100]), size=(n, rng.integers(1, 9))).astype(dtype)


def grid(rng: Rng, n: int) -> Any:
    """Every place of a regular grid once, in any order."""
    d = int(rng.integers(1, 4))
    side = [np.arange(round(n ** (1 / d)))] * d
    places = np.stack(np.meshgrid(*side), axis=-1).reshape(-1, d)
    return rng.permutation(places) * rng.choice([1.0, 0.25, 0.1])


def binary(rng: Rng, n: int) -> Any:
    share = rng.uniform(0.05, 0.5)
    dtype = rng.choice([np.bool_, np.uint8, np.float64])
    return (rng.random((n, rng.integers(4, 65))) < share).astype(dtype)


def duplicates(rng: Rng, n: int) -> Any:
    rows = mixture(rng, max(n // int(rng.integers(2, 30)), 2))
    return rows[rng.integers(len(rows), size=n)]


def heavy_tails(rng: Rng, n: int) -> Any:
    shape = n, rng.integers(1, 9)
    law = rng.choice(["pareto", "cauchy", "t2"])
    if law == "pareto":
        return rng.pareto(1.3, size=shape)
    return rng.standard_cauchy(size=shape) if law == "cauchy" else rng.standard_t(2, size=shape)


def outliers(rng: Rng, n: int) -> Any:
    X = mixture(rng, n)
    few = rng.choice(n, rng.integers(1, 12), replace=False)
    X[few] += rng.normal(size=(len(few), X.shape[1])) * 10 ** rng.uniform(1, 5)
    return X


def unequal(rng: Rng, n: int) -> Any:
    """Cluster sizes by Pareto's law: some have a few points, far from the rest."""
    groups, d = int(rng.integers(3, 40)), int(rng.integers(2, 11))
    share = rng.pareto(1.0, size=groups) + 0.01
    centres = rng.normal(size=(groups, d)) * rng.uniform(5, 50)
    return centres[rng.choice(groups, size=n, p=share / share.sum())] + rng.normal(size=(n, d))


def far_groups(rng: Rng, n: int) -> Any:
    X = rng.normal(size=(n, rng.integers(1, 9)))
    X[rng.random(n) < rng.uniform(0.02, 0.5)] += 10 ** rng.uniform(1, 6)
    return X


def constant_columns(rng: Rng, n: int) -> Any:
    X = mixture(rng, n)
    X[:, rng.random(X.shape[1]) < 0.5] = rng.choice([0.0, 1.0, -37.5, 1e4])
    return X


def scaled(rng: Rng, n: int) -> Any:
    """Numbers of any size; half of them where squares leave the range of float32."""
    power = rng.uniform(-150, 150) if rng.random() < 0.5 else rng.uniform(-30, 30)
    return rng.choice([mixture, integers, heavy_tails, far_groups])(rng, n) * 10.0**power


def plain_matrix(rng: Rng, n: int) -> Any:
    X = mixture(rng, min(n, 3000))
    return cdist(X, X)


def asymmetric(rng: Rng, n: int) -> Any:
    """Every row has its own scale, and every entry its own noise."""
    D = plain_matrix(rng, n)
    D *= rng.uniform(0.8, 1.2, size=(len(D), 1)) * rng.uniform(0.8, 1.25, size=D.shape)
    np.fill_diagonal(D, 0)
    return D


def negative(rng: Rng, n: int) -> Any:
    """Minus a kernel and noise, or whole numbers on both sides of zero."""
    if rng.random() < 0.3:
        n = min(n, 3000)
        return rng.integers(-9, 10, size=(n, n)).astype(float)
    D = plain_matrix(rng, n)
    return rng.normal(size=D.shape) * 0.1 - np.exp(-D / D.mean())


def sphere(rng: Rng, n: int) -> Any:
    """Latitudes and longitudes: of all the world, or of a few towns."""
    towns = rng.normal(size=(rng.integers(1, 30), 3))
    spread = 10 ** rng.uniform(-4, 1)
    x, y, z = (towns[rng.integers(len(towns), size=n)] + rng.normal(size=(n, 3)) * spread).T
    return np.stack([np.arctan2(z, np.hypot(x, y)), np.arctan2(y, x)], axis=1)


def pixels(rng: Rng, n: int) -> Any:
    """Wide rows of whole numbers that fit into a byte, as they are, scaled or moved.

    Some are copies, some have one number alone.
    """
    most, d = int(rng.choice([1, 4, 20, 255])), int(rng.integers(32, 120))
    centres = rng.uniform(-0.2 * most, 1.2 * most, (rng.integers(1, 20), d))
    X = centres[rng.integers(len(centres), size=n)] + rng.normal(size=(n, d)) * rng.uniform(0, most)
    X = np.clip(np.round(X), 0, most)
    X[rng.integers(n, size=n // 20)] = X[rng.integers(n, size=n // 20)]
    X[rng.integers(n, size=5)] = float(rng.integers(most + 1))
    if rng.random() < 0.3:
        X = X * rng.choice([1 / 255, 0.1, 1e-20, 1e15])
    return X + most * rng.integers(-3, 4) * (rng.random() < 0.2)


def counts(rng: Rng, n: int) -> Any:
    """Sparse counts: a few words of many, by topic."""
    topics = rng.gamma(0.1, size=(rng.integers(2, 20), rng.integers(20, 200)))
    rate = topics[rng.integers(len(topics), size=n)]
    return sparse.csr_array(rng.poisson(rate).astype(rng.choice([np.float32, np.float64])))


REAL = ("l1", "l2", "sqeuclidean", "cosine", "correlation", "chebyshev", "canberra", "minkowski")
WHOLE = ("l1", "l2", "sqeuclidean", "chebyshev", "hamming", "canberra", "braycurtis", "function")
KINDS: dict[str, tuple[Maker, tuple[str, ...]]] = {
    "normal": (normal, (*REAL, "function")),
    "mixture": (mixture, (*REAL, "function")),
    "integers": (integers, (*WHOLE, "l1", "l2", "cosine")),
    "grid": (grid, ("l1", "l2", "sqeuclidean", "chebyshev", "minkowski", "function")),
    "binary": (binary, ("hamming", "jaccard", "l1", "l2", "cosine", "braycurtis", "correlation")),
    "duplicates": (duplicates, REAL),
    "heavy tails": (heavy_tails, ("l1", "l2", "sqeuclidean", "chebyshev", "minkowski", "canberra")),
    "outliers": (outliers, REAL),
    "unequal clusters": (unequal, REAL),
    "far groups": (far_groups, ("l1", "l2", "sqeuclidean", "chebyshev", "minkowski")),
    "constant columns": (constant_columns, REAL),
    "scaled": (scaled, REAL),
    "asymmetric": (asymmetric, ("precomputed",)),
    "negative": (negative, ("precomputed",)),
    "sphere": (sphere, ("haversine",)),
    "pixels": (pixels, ("l1", "l2", "sqeuclidean", "cosine", "correlation")),
    "counts": (counts, ("l1", "l2", "sqeuclidean", "cosine", "correlation", "braycurtis")),
}


def kind_of(seed: int, number: int) -> str:
    """The kind of a case, without its data."""
    return str(np.random.default_rng([seed, number]).choice(list(KINDS)))


def make(seed: int, number: int) -> Case:
    kind, rng = kind_of(seed, number), np.random.default_rng([seed, number, 1])
    maker, metrics = KINDS[kind]
    X = _rounded(rng, maker(rng, _size(rng)))
    n = int(X.shape[0])
    k = 1 if rng.random() < 0.1 else int(2 * 30.5 ** (rng.random() ** 2))
    # A correlation needs three columns to be more than a sign.
    fits = [each for each in metrics if each != "correlation" or X.shape[1] > 2]
    return Case(
        seed, number, kind, X, str(rng.choice(fits)), k,
        swap="eager" if rng.random() < 0.125 else "best",
        first=None if rng.random() < 0.25 else int(rng.choice([64, 128, 256, 512])),
        # In little memory nothing is kept, and many clusters take minutes.
        limit=None if rng.random() < 0.85 or k > 12 else _small_limit(rng, n, k),
        random_state=int(rng.integers(2**31)),
        threads=rng.random() < 0.125,
    )  # fmt: skip


def _size(rng: Rng) -> int:
    low, high = ((300, 2000), (2000, 4000), (4000, 6000))[rng.choice(3, p=[0.3, 0.62, 0.08])]
    return int(rng.integers(low, high + 1))


def _small_limit(rng: Rng, n: int, k: int) -> float:
    """Little more than room for 64 references and the medoids' rows; or up to 20 times so."""
    return float(np.ceil(n * (8 * 64 + 8 * (k + 8)) * 10 ** rng.uniform(0.05, 1.3)))


def _rounded(rng: Rng, X: Any) -> Any:
    """One time in four in float32, where that holds the numbers."""
    if X.dtype != np.float64 or rng.random() > 0.25 or not 1e-30 < np.abs(X).max() < 1e30:
        return X
    return X.astype(np.float32)


DEGREE = {"sqeuclidean": 2, "l1": 1, "l2": 1, "chebyshev": 1, "minkowski": 1, "function": 1}
SCIPY = {"l1": "cityblock", "l2": "euclidean"}


def matrix_of(case: Case) -> np.ndarray:
    """All distances of a case in float64, by SciPy and scikit-learn."""
    X = case.X.toarray() if sparse.issparse(case.X) else case.X
    X = np.asarray(X, dtype=np.float64)
    if case.metric == "precomputed":
        return X
    if case.metric == "haversine":
        return haversine_distances(X)
    # SciPy's powers leave the range of float64 sooner than the distances do.
    unit = 2.0 ** np.floor(np.log2(np.abs(X).max()))
    return _moderate_matrix(X / unit, case.metric) * unit ** DEGREE.get(case.metric, 0)


def _moderate_matrix(X: np.ndarray, metric: str) -> np.ndarray:
    if metric in ("cosine", "correlation"):
        return _angles(X - X.mean(axis=1, keepdims=True) if metric == "correlation" else X, X)
    if metric == "function":
        size = X.sum(axis=1)
        return 1.5 * cdist(X, X, "cityblock") + 0.5 * (size[:, None] - size)
    matrix = cdist(X, X, SCIPY.get(metric, metric), **({"p": 3} if metric == "minkowski" else {}))
    return np.nan_to_num(matrix, copy=False) if metric == "braycurtis" else matrix


def _angles(rows: np.ndarray, X: np.ndarray) -> np.ndarray:
    """1 - cosine as half a squared chord, which keeps the digits of small angles."""
    largest = np.abs(rows).max(axis=1)
    dead = largest <= 1e-13 * np.abs(X).max(axis=1)
    unit = rows / np.where(dead, 1, largest)[:, None]
    unit /= np.where(dead, 1, np.sqrt(np.square(unit).sum(axis=1)))[:, None]
    matrix = cdist(unit, unit, "sqeuclidean") / 2
    matrix[dead] = matrix[:, dead] = 1
    matrix[np.ix_(dead, dead)] = 0
    return matrix
