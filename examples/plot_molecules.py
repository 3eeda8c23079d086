"""
Which compounds to buy
======================

A supplier offers a library of compounds, and the budget buys some forty. Each that is bought should
stand for many that are not: medoids under the Tanimoto distance of fingerprints.
"""

# %%
# A combinatorial library, as SMILES: twelve scaffolds, each with two places for what is added. Some
# scaffolds were made often and some seldom, as in any library.
#
# Fingerprints are Morgan's where RDKit is installed (`medoids.chemistry.fingerprints`), else
# LINGOs: the pieces of four letters that the SMILES are made of, hashed to 1,024 bits.

from importlib.util import find_spec
from zlib import crc32

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score

from medoids import KMedoids, chemistry, plot

SCAFFOLDS = {
    "benzamide": "O=C(N{a})c1ccc({b})cc1",
    "sulfonamide": "O=S(=O)(N{a})c1ccc({b})cc1",
    "indole": "c1ccc2c(c1)c({b})cn2{a}",
    "quinoline": "c1cc({a})c2ccc({b})cc2n1",
    "piperazine": "C1CN(c2ccc({b})cc2)CCN1{a}",
    "thiazole": "c1sc({a})nc1{b}",
    "pyrimidine": "c1cc({b})nc(N{a})n1",
    "coumarin": "O=c1cc({a})c2ccc({b})cc2o1",
    "benzimidazole": "c1cc2[nH]c({a})nc2cc1{b}",
    "penicillin": "CC1(C)SC2C(NC(=O){a})C(=O)N2C1C(=O){b}",
    "steroid": "CC12CCC3c4ccc({a})cc4CCC3C1CCC2{b}",
    "purine": "c1nc({b})c2ncn({a})c2n1",
}
ADDED = [
    "C", "CC", "C(C)C", "C9CC9", "C9CCCCC9", "CC(F)(F)F", "CCO", "CCN(C)C", "Cc9ccccc9",
    "CC(=O)O", "c9ccccc9", "c9ccncc9", "c9ccc(F)cc9", "c9ccc(Cl)cc9", "C(=O)OCC", "CCOC",
]  # fmt: skip

rng = np.random.default_rng(0)
smiles, kind = [], []
for at, scaffold in enumerate(SCAFFOLDS.values()):
    pairs = [(a, b) for a in ADDED for b in ADDED]
    for pick in rng.choice(len(pairs), size=int(rng.integers(20, 240)), replace=False):
        a, b = pairs[pick]
        smiles.append(scaffold.format(a=a, b=b))
        kind.append(at)


def lingos(text: str) -> np.ndarray:
    """One bit for each piece of four letters."""
    bits = np.zeros(1024, dtype=bool)
    bits[[crc32(text[at : at + 4].encode()) % 1024 for at in range(len(text) - 3)]] = True
    return bits


if find_spec("rdkit"):
    bits = chemistry.fingerprints(smiles, n_bits=1024)
else:
    bits = np.packbits([lingos(text) for text in smiles], axis=1)
print(f"{len(bits)} compounds, {bits.shape[1] * 8} bits each; the first: {smiles[0]}")

# %%
# As many medoids as scaffolds: which scaffold is most frequent in each cluster, and how frequent?
# What is added can be as large as a scaffold, so a cluster may be of one or of the other.

km = KMedoids(12, metric="tanimoto", random_state=0).fit(bits)
names = np.array(list(SCAFFOLDS))[kind]
for label, row in enumerate(km.medoid_indices_):
    found, often = np.unique(names[km.labels_ == label], return_counts=True)
    top = often.argmax()
    print(f"{often.sum():4}, {often[top] / often.sum():4.0%} {found[top]:13} like {smiles[row]}")
print(f"adjusted Rand index against the scaffolds: {adjusted_rand_score(kind, km.labels_):.2f}")
plot.map(km, bits)

# %%
# Buy forty. The usual way to choose diverse compounds is MaxMin: each next one is the farthest from
# all chosen so far. That finds what is odd. Medoids find what is typical of the rest.

BUDGET = 40


def max_min(rows: np.ndarray, count: int) -> list[int]:
    """Each next row is the farthest from those that are chosen."""
    first = KMedoids(1, metric="tanimoto", init=[0], max_iter=0).fit(rows)
    chosen, near = [0], first.transform(rows)[:, 0]
    while len(chosen) < count:
        chosen.append(int(near.argmax()))
        one = KMedoids(1, metric="tanimoto", init=chosen[-1:], max_iter=0).fit(rows)
        near = np.minimum(near, one.transform(rows)[:, 0])
    return chosen


bought = KMedoids(BUDGET, metric="tanimoto", random_state=0).fit(bits)
choices = {
    "medoids": bought.medoid_indices_,
    "MaxMin": max_min(bits, BUDGET),
    "drawn at random": rng.choice(len(bits), BUDGET, replace=False),
}
radii = np.round(np.linspace(0, 1, 41), 3).tolist()
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for name, rows in choices.items():
    fit = KMedoids(BUDGET, metric="tanimoto", init=rows, max_iter=0).fit(bits)
    covered = chemistry.coverage(fit, bits, radii)
    mean = fit.inertia_ / len(bits)
    print(f"{name:15}: half are within {np.median(fit.transform(bits).min(axis=1)):.2f}, "
          f"{covered[0.5]:.0%} within 0.5, the mean is {mean:.3f}")  # fmt: skip
    ax.plot(radii, list(covered.values()), label=name)
ax.set(xlabel="Tanimoto distance to the nearest that is bought", ylabel="share of the library")
ax.grid(alpha=0.3)
ax.legend()

# %%
# For the farthest compounds MaxMin is the better choice, since it looks at nothing else: all curves
# cross. For most of the library, medoids are.

# sphinx_gallery_thumbnail_number = 2
