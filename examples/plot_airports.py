"""
Hubs, some of which are fixed
=============================

Where should the next hubs be, given those that exist? Distances are those on the sphere, and each
place counts by how much there is around it.
"""

# %%
# Made places around forty cities, or every sixth of 28,298 airports where `$MEDOIDS_DATA` has them.

import os
from pathlib import Path

import numpy as np
from sklearn.neighbors import BallTree

from medoids import KMedoids, plot
from medoids.datasets import load_airports

EARTH = 6371.0  # km
HUBS = {"London": (51.5, -0.5), "New York": (40.6, -73.8), "Tokyo": (35.6, 139.8)}

if (Path(os.environ.get("MEDOIDS_DATA", "")) / "airports.csv.gz").is_file():
    X = load_airports()[0][::6]
else:
    rng = np.random.default_rng(0)
    centres = np.column_stack([rng.uniform(-45, 65, 40), rng.uniform(-170, 170, 40)])
    size = rng.integers(20, 120, 40)
    X = np.radians(np.repeat(centres, size, axis=0) + rng.normal(0, 4, (size.sum(), 2)))
tree = BallTree(X, metric="haversine")
near = tree.query_radius(X, 300 / EARTH, count_only=True)  # places within 300 km
fixed = tree.query(np.radians(list(HUBS.values())), return_distance=False).ravel()
print(f"{len(X):,} places; the nearest to {', '.join(HUBS)} are fixed")

# %%
# Eight hubs: three stay, five are placed. `fixed` rows have the first labels.

km = KMedoids(8, metric="haversine", fixed=fixed, random_state=0).fit(X, sample_weight=near)
free = KMedoids(8, metric="haversine", random_state=0).fit(X, sample_weight=near)
total = near.sum() / EARTH
print(f"mean way to a hub: {km.inertia_ / total:.0f} km")
print(f"with all eight placed freely: {free.inertia_ / total:.0f} km")
assert (km.medoid_indices_[:3] == fixed).all()

plot.map(km, X).set_title("Hubs 0, 1 and 2 are fixed", loc="left")

# %%
# Only some places may have a hub: here, those with at least ten others near.

few = KMedoids(8, metric="haversine", fixed=fixed, candidates=near >= 10, random_state=0)
few.fit(X, sample_weight=near)
print(f"{(near >= 10).sum():,} candidates: {few.inertia_ / total:.0f} km")

# %%
# How much does each further hub save?

ways = {}
for k in range(3, 11):
    more = KMedoids(k, metric="haversine", fixed=fixed, random_state=0).fit(X, sample_weight=near)
    ways[k] = more.inertia_ / total
ax = plot.scan(list(ways), list(ways.values()))
ax.set_ylabel("mean way, km")
