"""The data of the hard cases: rows, our metric, and rows that a method with l2 alone may have."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from medoids.datasets import load_airports, load_glove, load_mnist, load_scrna


class Data(NamedTuple):
    """Rows, our metric, and the rows as k-means and others with l2 alone may have them.

    k-means knows no cosine and no sphere: it is given rows of length 1, or places as points in
    space.
    """

    X: np.ndarray
    metric: str
    flat: np.ndarray

    def some(self, n: int, seed: int = 0) -> Data:
        """So many of the rows, at random; all of them in their own order."""
        if n >= len(self.X):
            return self
        rows = np.random.default_rng(seed).permutation(len(self.X))[:n]
        return Data(self.X[rows], self.metric, self.flat[rows])


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


# As people are shown them, and as they are named on a command line.
NAMES = {
    "airports": "airports, haversine",
    "scrna-pca": "scRNA, 10 components",
    "glove": "GloVe x 50, cosine",
    "mnist-pca": "MNIST, 50 components",
    "mnist": "MNIST x 784",
    "mix2": "mixture x 2",
    "mix16": "mixture x 16",
    "mix64": "mixture x 64",
}
DATA: dict[str, Callable[[], Data]] = {
    "airports": airports,
    "scrna-pca": scrna_pca,
    "glove": glove,
    "mnist-pca": mnist_pca,
    "mnist": mnist,
    "mix2": lambda: mixture(100_000, 2),
    "mix16": lambda: mixture(100_000, 16),
    "mix64": lambda: mixture(100_000, 64),
}
