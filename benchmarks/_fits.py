"""Every contestant as a function of the rows, k and a seed, and the data they are given."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

Fitted = dict[str, Any]  # "medoids" or "centres", and what else is known


def ours(X: np.ndarray, k: int, seed: int, metric: str = "l2", **options: Any) -> Fitted:
    from medoids import k_medoids

    found = k_medoids(X, k, metric=metric, random_state=seed, **options)
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


def matrix_and(X: np.ndarray, k: int, seed: int, name: str, init: str) -> Fitted:
    import kmedoids
    from sklearn.metrics import euclidean_distances

    D = euclidean_distances(X)
    found = getattr(kmedoids, name)(D, k, init=init, max_iter=300, random_state=seed)
    return {"medoids": found.medoids, "distances": D.size, "swaps": int(found.n_swap)}


def one_batch(
    X: np.ndarray, k: int, seed: int, times: int = 1, n_jobs: int | None = None
) -> Fitted:
    """OneBatchPAM with its own batch of 100 ln(kn), or one so many times as large."""
    from onebatch import OneBatchPAM

    own = max(int(100 * math.log(max(2, len(X) * k))), k)
    size = "auto" if times == 1 else min(times * own, len(X))
    km = OneBatchPAM(k, distance="euclidean", batch_size=size, random_state=seed, n_jobs=n_jobs)
    return {"medoids": km.fit(X).medoid_indices_, "distances": len(X) * min(times * own, len(X))}


def kmeans(X: np.ndarray, k: int, seed: int) -> Fitted:
    from sklearn.cluster import KMeans

    return {"centres": KMeans(k, n_init=1, random_state=seed).fit(X).cluster_centers_}


RANDOM = {"init": "random"}
METHODS: dict[str, Callable[..., Fitted]] = {
    "medoids": partial(ours, n_jobs=2),
    "medoids, 1 thread": partial(ours, n_jobs=1),
    "medoids, 300 MB": partial(ours, n_jobs=2, memory_limit=300e6),
    "medoids banditpam": ours,
    "medoids banditpam eager": partial(ours, swap="eager"),
    "medoids banditpam eager (random)": partial(ours, swap="eager", **RANDOM),
    "medoids banditpam_original": partial(ours, method="banditpam_original"),
    "medoids pam": partial(ours, method="pam"),
    "medoids fastpam1": partial(ours, method="fastpam1"),
    "medoids fastpam": partial(ours, method="fastpam"),
    "medoids fasterpam (random)": partial(ours, method="fasterpam", **RANDOM),
    "medoids alternate (random)": partial(ours, method="alternate", **RANDOM),
    "medoids clara": partial(ours, method="clara"),
    "medoids clarans (random)": partial(ours, method="clarans", **RANDOM),
    "medoids onebatch (random)": partial(ours, method="onebatch", **RANDOM),
    "banditpam": bandit_pam,
    "matrix + FastPAM1": partial(matrix_and, name="fastpam1", init="build"),
    "matrix + FasterPAM": partial(matrix_and, name="fasterpam", init="random"),
    "onebatch": one_batch,
    "onebatch, 2 jobs": partial(one_batch, n_jobs=2),
    "onebatch, batch x 3": partial(one_batch, times=3),
    "k-means": kmeans,
}


def mnist(n: int, seed: int) -> np.ndarray:
    """The first n rows of a permutation; with seed 0, all of MNIST is in its own order."""
    from medoids.datasets import load_mnist

    X, _ = load_mnist()
    if n >= len(X) and seed == 0:
        return X
    return X[np.random.default_rng(seed).permutation(len(X))[:n]]


def digits(n: int, seed: int) -> np.ndarray:
    from sklearn.datasets import load_digits

    X = load_digits().data.astype(np.float32)
    return X[np.random.default_rng(seed).permutation(len(X))[:n]]


def mixture(n: int, seed: int) -> np.ndarray:
    """50 Gaussian groups in 20 dimensions that overlap a little; their sizes are uneven."""
    rng = np.random.default_rng(seed)
    shares, centres = rng.dirichlet(np.ones(50)), 1.5 * rng.normal(size=(50, 20))
    owner = rng.choice(50, size=n, p=shares)
    return (centres[owner] + rng.normal(size=(n, 20))).astype(np.float32)


DATA: dict[str, Callable[[int, int], np.ndarray]] = {
    "mnist": mnist,
    "digits": digits,
    "mixture": mixture,
}
