"""Pick 100 diverse molecules, and draw how many others they cover at each radius.

`python examples/diverse_molecules.py [FILE.smi]`. Of a file of SMILES (a molecule a line) with
RDKit; without either, of made fingerprints: 5,000 in families, each a template with some bits
changed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from medoids import KMedoids, chemistry

PICTURE = Path(__file__).parents[1] / "docs" / "gallery" / "coverage.png"
RADII = np.round(np.arange(0.0, 1.01, 0.05), 2).tolist()


def made(n: int = 5000, families: int = 150) -> tuple[list[str], NDArray[np.uint8]]:
    """Fingerprints of 2,048 bits, about 50 of them set."""
    rng = np.random.default_rng(0)
    family = rng.integers(families, size=n)
    templates = rng.random((families, 2048)) < 0.025
    kept = rng.random((n, 2048)) < rng.uniform(0.6, 0.95, size=n)[:, None]
    bits = (templates[family] & kept) | (rng.random((n, 2048)) < 0.004)
    return [f"family {each}" for each in family], np.packbits(bits, axis=1)


def main() -> None:
    if len(sys.argv) > 1:
        names = [line.split()[0] for line in Path(sys.argv[1]).read_text().splitlines() if line]
        bits = chemistry.fingerprints(names)
    else:
        names, bits = made()
    k = min(100, len(bits) // 2)
    km = KMedoids(k, metric="tanimoto", random_state=0).fit(bits)
    random = np.random.default_rng(0).choice(len(bits), k, replace=False)
    drawn = KMedoids(k, metric="tanimoto", init=random, max_iter=0).fit(bits)
    ours, theirs = (chemistry.coverage(each, bits, RADII) for each in (km, drawn))
    print("the first ten:", *(names[row] for row in km.medoid_indices_[:10]), sep="\n  ")
    for radius in (0.3, 0.5, 0.7):
        print(f"within {radius}: {ours[radius]:.0%}; of a random choice {theirs[radius]:.0%}")
    _, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
    for shares, name, colour in ((ours, "medoids", "#4269d0"), (theirs, "random rows", "#9aa0a6")):
        ax.plot(RADII, list(shares.values()), label=f"{k} {name}", color=colour)
    ax.set(xlabel="Tanimoto distance to the nearest chosen", ylabel="share of molecules")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    ax.figure.savefig(PICTURE, dpi=130)


if __name__ == "__main__":
    main()
