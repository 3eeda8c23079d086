"""
Handwritten digits
==================

A medoid is a digit that somebody wrote. The mean of k-means is a blur.
"""

# %%
# 1,797 digits of 8 x 8 pixels, or the first 5,000 of MNIST where `$MEDOIDS_DATA` has it.

import os
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from medoids import KMedoids, plot
from medoids.datasets import load_mnist

if (Path(os.environ.get("MEDOIDS_DATA", "")) / "mnist.npz").is_file():
    X, digit = (part[:5_000] for part in load_mnist())
    shape = (28, 28)
else:
    X, digit = load_digits(return_X_y=True)
    shape = (8, 8)

km = KMedoids(10, random_state=0).fit(X)
print(f"{len(X):,} rows, {km.n_distances_ / len(X) ** 2:.1%} of n² distances")
print(f"adjusted Rand index against the digits: {adjusted_rand_score(digit, km.labels_):.2f}")

# %%
# The medoids, the one of the largest cluster first:

plot.medoids(km, X, image_shape=shape)

# %%
# Beside the centres of k-means. These are lower in squared distance, since they need not be digits.

means = KMeans(10, n_init=3, random_state=0).fit(X)
figure, axes = plt.subplots(2, 10, figsize=(10, 2.6), layout="constrained")
for row, (name, centres) in enumerate(
    {"medoids": km.cluster_centers_, "means": means.cluster_centers_}.items()
):
    for ax, centre in zip(axes[row], centres, strict=True):
        ax.imshow(centre.reshape(shape), cmap="gray_r")
        ax.set(xticks=[], yticks=[])
    axes[row, 0].set_ylabel(name)

# %%
# Which digit is in which cluster: some digits are written in two ways, and some are hard to tell
# apart under l2.

plot.contingency(km, digit)

# %%
# All of them in the plane:

plot.map(km, X)

# sphinx_gallery_thumbnail_number = 1
