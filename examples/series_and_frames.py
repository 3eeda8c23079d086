"""Medoids of time series, and of the frames of a trajectory.

`python examples/series_and_frames.py`. Both are made: heartbeats of four kinds that come early or
late, and a chain of 40 atoms that folds into one of three shapes while it tumbles. Pictures are
written to docs/gallery.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from medoids import KMedoids, plot

PICTURES = Path(__file__).parents[1] / "docs" / "gallery"


def beats(n: int = 400) -> tuple[list[NDArray[np.float64]], NDArray[np.int64]]:
    """Series of 80 to 120 times, and their kinds."""
    rng = np.random.default_rng(0)
    kinds = rng.integers(4, size=n)
    found = []
    for kind in kinds:
        length = int(rng.integers(80, 121))
        t = np.linspace(0, 1, length) + rng.normal(0, 0.05)
        spike = np.exp(-(((t - 0.4) / 0.03) ** 2)) * (1.0, 1.0, -0.8, 0.5)[kind]
        wave = np.exp(-(((t - 0.7) / 0.08) ** 2)) * (0.35, -0.35, 0.35, 0.8)[kind]
        found.append(spike + wave + 0.04 * rng.normal(size=length))
    return found, kinds


def trajectory(n: int = 600, atoms: int = 40) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Frames of shape (frame, atom, 3), and the shape that each is near."""
    rng = np.random.default_rng(0)
    at = np.linspace(0, 4 * np.pi, atoms)
    shapes = np.stack([
        np.c_[np.cos(at), np.sin(at), at / 4],
        np.c_[np.cos(at / 2) * 3, np.sin(at / 2) * 3, 0.2 * np.sin(3 * at)],
        np.c_[at / 2, np.abs(at % 4 - 2), 0.3 * np.cos(at)],
    ])  # fmt: skip
    which = rng.integers(3, size=n)
    turned = Rotation.random(n, random_state=0).as_matrix()
    frames = shapes[which] + 0.25 * rng.normal(size=(n, atoms, 3))
    moved = np.einsum("fac,fcd->fad", frames, turned) + 5 * rng.normal(size=(n, 1, 3))
    return moved.astype(np.float32), which


def agreement(labels: NDArray[np.int32], truth: NDArray[np.int64]) -> str:
    from sklearn.metrics import adjusted_rand_score

    return f"adjusted Rand index {adjusted_rand_score(truth, labels):.2f}"


def main() -> None:
    series, kinds = beats()
    # The cost of a split suits the size of the values, which are below 1.
    for metric, params in (("msm", {"c": 0.02}), ("twe", {"lmbda": 0.05}), ("dtw", None)):
        km = KMedoids(4, metric=metric, metric_params=params, random_state=0).fit(series)
        print(f"{metric}: {agreement(km.labels_, kinds)}, {km.n_distances_:,} distances")
        if metric == "msm":
            plot.medoids(km).figure.savefig(PICTURES / "medoids_series.png", dpi=130)
    frames, shapes = trajectory()
    km = KMedoids(3, metric="rmsd", random_state=0).fit(frames)
    print(f"rmsd: {agreement(km.labels_, shapes)}; frames {km.medoid_indices_.tolist()}")
    plot.map(km, frames).figure.savefig(PICTURES / "map_frames.png", dpi=130)


if __name__ == "__main__":
    main()
