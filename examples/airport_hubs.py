"""Five hubs that exist and five to place among 28,298 airports: `airport_hubs.py [PICTURE]`.

A place counts by how many airports are within 200 km of it. It needs airports.csv.gz in the
folder that the environment variable MEDOIDS_DATA names, and matplotlib.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.transforms import Bbox
from numpy.typing import NDArray
from sklearn.neighbors import BallTree

from medoids import KMedoids
from medoids.datasets import load_airports

EARTH = 6371.0  # km
# Latitude and longitude, in degrees.
CITIES = {
    "London": (51.47, -0.45),
    "New York": (40.64, -73.78),
    "Tokyo": (35.55, 139.78),
    "São Paulo": (-23.43, -46.47),
    "Johannesburg": (-26.14, 28.25),
}
COLOURS = (
    "#4269d0", "#e8a90c", "#f2664f", "#5bbaa4", "#3ca951",
    "#f57fae", "#a463f2", "#7ea9ef", "#9c6b4e", "#8a9a2b",
)  # fmt: skip

# Where a name may stand, in points from its hub.
SIDES = (
    (0, -15, "center"), (0, 15, "center"), (12, 0, "left"), (-12, 0, "right"),
    (0, -28, "center"), (0, 28, "center"), (12, -14, "left"), (-12, -14, "right"),
)  # fmt: skip


def place(row: NDArray[np.float64]) -> str:
    lat, lon = np.degrees(row)
    return f"{abs(lat):.1f}°{'NS'[int(lat < 0)]} {abs(lon):.1f}°{'EW'[int(lon < 0)]}"


def name(figure: Any, ax: Any, km: KMedoids, X: NDArray[np.float64]) -> None:
    """Write at each hub what it is, on a side where there is room."""
    figure.canvas.draw()
    lat, lon = np.degrees(X[km.medoid_indices_]).T
    spots = ax.transData.transform(np.column_stack([lon, lat]))
    taken = [Bbox.from_extents(*(spot - 10), *(spot + 10)) for spot in spots]
    for label, spot in enumerate(zip(lon, lat, strict=True)):
        row = X[km.medoid_indices_[label]]
        words = list(CITIES)[label] if label < len(CITIES) else place(row)
        for x, y, side in SIDES:
            text = ax.annotate(
                words, spot, xytext=(x, y), textcoords="offset points", ha=side, va="center",
                fontsize=8.5, color="#1b1f24", zorder=3,
                bbox={"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 1},
            )  # fmt: skip
            box = text.get_window_extent()
            if not any(box.overlaps(other) for other in taken):
                break
            text.remove()
        else:
            raise RuntimeError(f"there is no room for {words!r}: give SIDES more places")
        taken.append(box)


def draw(km: KMedoids, X: NDArray[np.float64], path: Path) -> None:
    """A map without coasts: the airports show them."""
    figure, ax = plt.subplots(figsize=(11, 5.6), layout="constrained")
    lat, lon = np.degrees(X).T
    ax.scatter(lon, lat, s=6, c="#dfe3e8", linewidths=0)
    ax.scatter(lon, lat, s=2.5, c=np.array(COLOURS)[km.labels_], alpha=0.7, linewidths=0)
    for label, row in enumerate(km.medoid_indices_):
        fixed = label < len(CITIES)
        ax.scatter(
            lon[row], lat[row], marker="s" if fixed else "*", s=70 if fixed else 210,
            c=COLOURS[label], edgecolors="#1b1f24", linewidths=1.1, zorder=4,
        )  # fmt: skip
    ax.set(xlim=(-180, 180), ylim=(-60, 85), aspect=1.2)
    ax.set_xticks(range(-180, 181, 60), [f"{abs(at)}°" for at in range(-180, 181, 60)])
    ax.set_yticks(range(-60, 61, 30), [f"{abs(at)}°" for at in range(-60, 61, 30)])
    ax.tick_params(length=0, labelsize=8, labelcolor="#6e7781")
    for side in ax.spines.values():
        side.set_visible(False)
    ax.set_title("Five fixed hubs (squares), and five placed (stars)", loc="left", fontsize=11)
    name(figure, ax, km, X)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100, facecolor="white")
    print(path)


def main(path: Path) -> None:
    X, names = load_airports()
    tree = BallTree(X, metric="haversine")
    near = tree.query_radius(X, 200 / EARTH, count_only=True)
    fixed = tree.query(np.radians(list(CITIES.values())), return_distance=False).ravel()

    km = KMedoids(10, metric="haversine", fixed=fixed, random_state=0)
    km.fit(X, sample_weight=near)
    free = KMedoids(10, metric="haversine", random_state=0).fit(X, sample_weight=near)

    for label, row in enumerate(km.medoid_indices_):
        kind = "fixed " if label < len(fixed) else "placed"
        rows = int((km.labels_ == label).sum())
        print(f"{kind}  {place(X[row]):16} {rows:6,} airports  {names[row]}")
    total = near.sum() / EARTH
    print(f"mean way to a hub: {km.inertia_ / total:.0f} km")
    print(f"with all ten placed freely: {free.inertia_ / total:.0f} km")
    draw(km, X, path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/airport_hubs.png"))
