"""What `medoids.scan` suggests for data with known clusters: `python examples/which_k.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from sklearn.preprocessing import StandardScaler

from medoids import scan


def mixture(k: int) -> Any:
    """k Gaussians in five dimensions, of which some may overlap."""
    return make_blobs(100 * k, 5, centers=k, cluster_std=1.0, random_state=k)[0]


def data() -> dict[str, tuple[Any, str]]:
    """Rows by name, with what is known of them."""
    noise = np.random.default_rng(0).uniform(size=(600, 5))
    return {
        "iris": (load_iris().data, "3 species"),
        "wine, standardised": (StandardScaler().fit_transform(load_wine().data), "3 cultivars"),
        "digits": (load_digits().data, "10 digits"),
        "3 Gaussians": (mixture(3), "3"),
        "7 Gaussians": (mixture(7), "7"),
        "15 Gaussians": (mixture(15), "15"),
        "uniform noise": (noise, "none"),
    }


def main() -> None:
    for name, (X, known) in data().items():
        found = scan(X, range(2, 21), random_state=0)
        print(f"{name} ({len(X):,} x {X.shape[1]}; known: {known})")
        print(f"    {found.reason}")


if __name__ == "__main__":
    main()
