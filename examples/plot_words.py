"""
Names typed by hand
===================

The same city in forty spellings: medoids under the edit distance are the spellings that the others
are nearest to, which is nearly always the right one. No list of right names is needed.
"""

# %%
# Cities, each typed many times, with up to three slips.

import numpy as np
from sklearn.metrics import adjusted_rand_score

from medoids import KMedoids, plot, scan

CITIES = [
    "Amsterdam", "Barcelona", "Copenhagen", "Edinburgh", "Istanbul",
    "Manchester", "Reykjavik", "Stockholm", "Thessaloniki", "Vienna",
]  # fmt: skip
LETTERS = list("abcdefghijklmnopqrstuvwxyz")
rng = np.random.default_rng(3)


def typed(city: str) -> str:
    """The name, with letters left out, doubled, changed or swapped."""
    letters = list(city)
    for _ in range(rng.integers(0, 4)):
        at = int(rng.integers(len(letters) - 1))
        slip = rng.integers(4)
        if slip == 0:
            del letters[at]
        elif slip == 1:
            letters.insert(at, letters[at])
        elif slip == 2:
            letters[at] = str(rng.choice(LETTERS))
        else:
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return "".join(letters)


truth = np.repeat(np.arange(len(CITIES)), 40)
words = [typed(CITIES[at]) for at in truth]
print(words[:6])

# %%
# How many names are there? `scan` compares numbers of clusters.

found = scan(words, range(6, 15), metric="normalized_levenshtein", random_state=0)
print(found.reason)
plot.scan(found)

# %%

km = KMedoids(10, metric="normalized_levenshtein", random_state=0).fit(words)
print(sorted(km.cluster_centers_))
print(f"adjusted Rand index: {adjusted_rand_score(truth, km.labels_):.3f}")
plot.medoids(km)

# %%
# Every spelling, placed by its distances. The ones between two clusters are the doubtful ones.

plot.map(km, words)

# sphinx_gallery_thumbnail_number = 3
