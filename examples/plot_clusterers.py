"""
Beside other clusterers, and where medoids are the wrong choice
===============================================================

After scikit-learn's well-known comparison: data in the plane, a column for each clusterer; with one
case more, in which a few rows are far from everything.
"""

# %%
# The number in each picture is the adjusted Rand index against the groups as they were made.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn import cluster, datasets
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from medoids import KMedoids

N = 400
rng = np.random.default_rng(0)


def outliers() -> tuple[np.ndarray, np.ndarray]:
    """Three groups, and a few rows far out, which belong to none: they are not counted."""
    X, y = datasets.make_blobs(
        N, centers=[[-2, 0], [2, 0], [0, 3]], cluster_std=0.5, random_state=1
    )
    far = rng.normal([17, -14], 2, (4, 2))
    return np.concatenate([X, far]), np.concatenate([y, np.full(4, -1)])


def slanted() -> tuple[np.ndarray, np.ndarray]:
    X, y = datasets.make_blobs(N, random_state=170)
    return X @ np.array([[0.6, -0.6], [-0.4, 0.8]]), y


DATA = {
    "groups": (datasets.make_blobs(N, random_state=8), 3),
    "outliers": (outliers(), 3),
    "unequal": (datasets.make_blobs(N, cluster_std=[1.0, 2.5, 0.5], random_state=170), 3),
    "slanted": (slanted(), 3),
    "moons": (datasets.make_moons(N, noise=0.05, random_state=1), 2),
    "rings": (datasets.make_circles(N, factor=0.5, noise=0.05, random_state=1), 2),
}

figure, axes = plt.subplots(len(DATA), 4, figsize=(10, 14), layout="constrained")
scores = {}
for line, (name, ((X, y), k)) in enumerate(DATA.items()):
    if name != "outliers":
        X = StandardScaler().fit_transform(X)
    tools = {
        "k-means": cluster.KMeans(k, n_init=5, random_state=0),
        "k-medoids": KMedoids(k, random_state=0),
        "spectral": cluster.SpectralClustering(
            k, affinity="nearest_neighbors", assign_labels="cluster_qr", random_state=0
        ),
        "HDBSCAN": cluster.HDBSCAN(min_cluster_size=20, copy=True),
    }
    known = y >= 0
    for column, (tool, model) in enumerate(tools.items()):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Graph is not fully connected")
            labels = model.fit_predict(X)
        scores[name, tool] = adjusted_rand_score(y[known], labels[known])
        ax = axes[line, column]
        colours = ["#c4c9d0" if at < 0 else f"C{at % 10}" for at in labels]  # grey: noise
        ax.scatter(*X.T, s=5, c=colours)
        if tool == "k-medoids":
            ax.scatter(*model.cluster_centers_.T, s=90, c="#1b1f24", marker="*", zorder=3)
        if name == "outliers":  # those far out are beyond the picture
            ax.set(xlim=(-4, 4), ylim=(-2, 5))
        ax.set(xticks=[], yticks=[])
        ax.text(0.98, 0.02, f"{scores[name, tool]:.2f}", transform=ax.transAxes, ha="right")
        if line == 0:
            ax.set_title(tool)
        if column == 0:
            ax.set_ylabel(name)

# %%
# - **Groups**: all agree. Take what is fastest, or medoids if the centre has to be a real row.
# - **Outliers**: four rows far out take a mean of k-means for themselves, and two groups become
#   one. A medoid that moved there would leave a group that pays more. HDBSCAN calls them noise.
# - **Unequal** and **slanted**: centres, of either kind, cut where the distance is equal, not where
#   it is empty.
# - **Moons** and **rings**: no centre describes them. Medoids are the wrong choice, and so is
#   k-means: take HDBSCAN or spectral clustering.

print(" " * 9, *(f"{tool:>9}" for tool in tools))
for name in DATA:
    print(f"{name:9}", *(f"{scores[name, tool]:9.2f}" for tool in tools))
