"""
Single cells
============

Counts of genes are sparse, and l1 is computed on the non-zeros. A medoid is a cell that was
measured: its genes can be looked up, and no gene in it is a mean over cells that do not have it.
"""

# %%
# Made counts of four types of cells, or 2,000 real ones where `$MEDOIDS_DATA` has them.

import os
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from medoids import KMedoids, plot
from medoids.datasets import load_scrna

GENES = 600


def made_cells(per_type: int = 250) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Counts of four types that differ in 40 genes each, and in how deep they were read."""
    rng = np.random.default_rng(0)
    usual = rng.gamma(0.4, 1.0, GENES)
    parts = []
    for kind in range(4):
        mean = usual.copy()
        mean[kind * 40 : kind * 40 + 40] += 3
        depth = rng.lognormal(0, 0.3, (per_type, 1))
        parts.append(rng.poisson(depth * rng.gamma(2, mean / 2, (per_type, GENES))))
    return sparse.csr_matrix(np.concatenate(parts)), np.repeat(np.arange(4), per_type)


def normalised(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """Each cell to 10,000 counts, and log(1 + x): zeros stay zeros."""
    scale = sparse.diags(1e4 / np.maximum(np.asarray(counts.sum(axis=1)).ravel(), 1))
    return (scale @ counts).tocsr().log1p()


real = (Path(os.environ.get("MEDOIDS_DATA", "")) / "scrna.npz").is_file()
if real:
    rows, genes = load_scrna()
    X, kind = rows[:2_000], None
else:
    counts, kind = made_cells()
    X, genes = normalised(counts), np.array([f"gene {at}" for at in range(GENES)])
print(f"{X.shape[0]:,} cells, {X.shape[1]:,} genes, {X.nnz / np.prod(X.shape):.0%} not zero")

# %%

km = KMedoids(4, metric="l1", random_state=0).fit(X)
print(f"{km.n_distances_ / X.shape[0] ** 2:.0%} of n² distances; sizes {np.bincount(km.labels_)}")
if kind is not None:
    print(f"adjusted Rand index against the types: {adjusted_rand_score(kind, km.labels_):.2f}")

# %%
# The genes in which each cluster is highest against all cells:

whole = np.asarray(X.mean(axis=0)).ravel()
for label in range(4):
    here = np.asarray(X[km.labels_ == label].mean(axis=0)).ravel()
    print(label, ", ".join(genes[np.argsort(whole - here)[:5]]))

# %%

plot.map(km, X)

# %%
# How well each cell fits its cluster: 1 - d1 / d2, of the nearest and the second-nearest medoid.

plot.silhouette(km, X)

# %%
# With AnnData the same is one line, and the labels are in `adata.obs["kmedoids"]`:

try:
    from anndata import AnnData
except ImportError:
    print("anndata is not installed")
else:
    from medoids.scanpy import kmedoids

    adata = AnnData(X)
    kmedoids(adata, 4, metric="l1")
    print(adata.obs["kmedoids"].value_counts().to_dict())

# sphinx_gallery_thumbnail_number = 1
