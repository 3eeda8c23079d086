"""
Time series, shifted and stretched
==================================

Three shapes, each early or late, fast or slow. Row by row (l2) a late bell is nearer to a flat line
than to an early bell. Dynamic time warping aligns them first.
"""

# %%
# Ninety series of different lengths, where l2 could not even be computed.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score

from medoids import KMedoids

rng = np.random.default_rng(1)
SHAPES = {
    "bell": lambda t: np.exp(-0.5 * ((t - 0.5) / 0.08) ** 2),
    "two bells": lambda t: (
        np.exp(-0.5 * ((t - 0.35) / 0.06) ** 2) + np.exp(-0.5 * ((t - 0.7) / 0.06) ** 2)
    ),
    "ramp": lambda t: np.clip((t - 0.3) / 0.4, 0, 1),
}


def draw(shape: str, length: int) -> np.ndarray:
    """The shape at another pace, shifted, with noise."""
    t = np.linspace(0, 1, length) ** rng.uniform(0.75, 1.3) + rng.uniform(-0.12, 0.12)
    return SHAPES[shape](t) + rng.normal(0, 0.08, length)


truth = np.repeat(np.arange(3), 30)
series = [draw(list(SHAPES)[at], int(rng.integers(60, 100))) for at in truth]

# %%
# Under `dtw`, with a window that keeps the warping sober:

km = KMedoids(3, metric="dtw", metric_params={"window": 25}, random_state=0).fit(series)
print(f"dtw: adjusted Rand index {adjusted_rand_score(truth, km.labels_):.2f}")

# %%
# Under l2, on series brought to one length:

even = np.array([np.interp(np.linspace(0, 1, 80), np.linspace(0, 1, len(s)), s) for s in series])
flat = KMedoids(3, random_state=0).fit(even)
print(f"l2: adjusted Rand index {adjusted_rand_score(truth, flat.labels_):.2f}")

# %%
# Above with warping, below without: the members of each cluster, and its medoid.

figure, axes = plt.subplots(2, 3, figsize=(10, 5), sharey=True, layout="constrained")
for line, (name, fit, rows) in enumerate((("dtw", km, series), ("l2", flat, even))):
    for label, ax in enumerate(axes[line]):
        for row in np.flatnonzero(fit.labels_ == label):
            ax.plot(rows[row], color="#b6bdc7", linewidth=0.7)
        ax.plot(rows[fit.medoid_indices_[label]], color="#f2664f", linewidth=2.2)
        ax.set_title(f"{name}, cluster {label}: {(fit.labels_ == label).sum()} series", fontsize=10)
