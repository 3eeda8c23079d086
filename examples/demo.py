"""Cluster handwritten digits, and draw the medoids: `make demo`.

The full MNIST where the folder $MEDOIDS_DATA has it, else scikit-learn's own digits.
"""

from __future__ import annotations

import os
import textwrap
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from medoids import KMedoids
from medoids.datasets import load_mnist

PICTURE = Path("out") / "demo.png"
INK, QUIET, BLUE = "#1b1f24", "#6e7781", "#2f6db3"


def load() -> tuple[str, np.ndarray]:
    folder = os.environ.get("MEDOIDS_DATA")
    if folder and (Path(folder) / "mnist.npz").is_file():
        return "MNIST", load_mnist()[0]
    X, _ = load_digits(return_X_y=True)
    return "scikit-learn's digits", (X / 16).astype(np.float32)


def summarise(name: str, X: np.ndarray, km: KMedoids, seconds: float) -> str:
    n, d = X.shape
    side = int(d**0.5)
    share = km.n_distances_ / n**2
    lines = {
        "data": f"{name}: {n:,} images of {side} x {side} pixels",
        "medoids": ", ".join(map(str, km.medoid_indices_)),
        "loss": f"{km.inertia_:,.2f} in all, {km.inertia_ / n:.6f} an image",
        "distances": f"{km.n_distances_:,} computed, {share:.1%} of n² = {n**2:,}",
        **({"": "(so few rows are measured whole; thousands are not)"} if share > 0.9 else {}),
        "swaps": f"{km.n_iter_}",
        "time": f"{seconds:.2f} s",
        "picture": str(PICTURE),
    }
    hang = " " * 11
    return "\n".join(
        textwrap.fill(text, 80, initial_indent=f"{key:<11}", subsequent_indent=hang)
        for key, text in lines.items()
    )


def draw(name: str, X: np.ndarray, km: KMedoids) -> None:
    """Each medoid, the largest cluster first, over a bar for the size of its cluster."""
    n, side = len(X), int(X.shape[1] ** 0.5)
    sizes = np.bincount(km.labels_, minlength=len(km.medoid_indices_))
    columns = 5
    rows = -(-len(sizes) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(1.75 * columns, 2.05 * rows + 1), dpi=150)
    for ax in axes.flat:
        ax.set_axis_off()
    for ax, label in zip(axes.flat, np.argsort(-sizes, kind="stable"), strict=False):
        image = km.cluster_centers_[label].reshape(side, side)
        ax.imshow(image, cmap="gray_r", extent=(0, 1, 0, 1), interpolation="nearest")
        frame = {"clip_on": False, "linewidth": 0}
        ax.add_patch(plt.Rectangle((0, 0), 1, 1, fill=False, edgecolor="#d0d7de", clip_on=False))
        ax.add_patch(plt.Rectangle((0, -0.08), 1, 0.04, facecolor="#e7ebef", **frame))
        share = sizes[label] / sizes.max()
        ax.add_patch(plt.Rectangle((0, -0.08), share, 0.04, facecolor=BLUE, **frame))
        text = {"va": "top", "fontsize": 9}
        ax.text(0, -0.12, f"{sizes[label]:,} images", color=INK, **text)
        ax.text(0, -0.25, f"row {km.medoid_indices_[label]}", color=QUIET, **text)
    height = figure.get_figheight()
    figure.subplots_adjust(0.05, 0.52 / height, 0.95, 1 - 0.8 / height, 0.22, 0.38)
    title = {"ha": "left", "va": "top", "x": 0.05}
    figure.text(
        y=1 - 0.2 / height,
        s=f"The {len(sizes)} images that stand for {n:,}",
        fontsize=14,
        fontweight="bold",
        color=INK,
        **title,
    )
    subtitle = (
        f"{name}, k-medoids: mean distance {km.inertia_ / n:.4f}, "
        f"{km.n_distances_ / n**2:.1%} of all n² distances computed"
    )
    figure.text(y=1 - 0.48 / height, s=subtitle, fontsize=9, color=QUIET, **title)
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, facecolor="white")
    plt.close(figure)


def main() -> None:
    name, X = load()
    began = time.perf_counter()
    km = KMedoids(n_clusters=10, metric="l2", random_state=0, verbose=1).fit(X)
    seconds = time.perf_counter() - began
    draw(name, X, km)
    print(summarise(name, X, km, seconds))


if __name__ == "__main__":
    main()
