"""Eager swaps beside PAM's: where they end, from ten seeds, and what they cost.

For each data set some rows of one half of it (the tuning constants of the starts were chosen on
rows of the other half), fitted by `swap="best"`, which gives PAM's medoids, and ten times by
`swap="eager"`. A loss is in percent above PAM's; CPU time, which other work on the machine
disturbs less than seconds, and distances are shares of what `swap="best"` takes.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from _data import airports, glove, mnist_pca, scrna_pca
from medoids import KMedoids

RESULT = Path(__file__).parent / "results" / "starts.md"
KS, SEEDS = (5, 10, 30), 10
NAMES = {
    "airports": "airports, haversine",
    "scrna": "scRNA, 10 components",
    "mnist": "MNIST, 50 components",
    "glove": "GloVe, cosine",
    "mix2": "mixture, 2 dimensions",
    "mix16": "mixture, 16 dimensions",
    "mix64": "mixture, 64 dimensions",
}


def mixture(d: int) -> np.ndarray:
    """25 Gaussian groups of unequal size, more than there are clusters in most fits."""
    rng = np.random.default_rng(600 + d)
    centres, shares = 2 * rng.normal(size=(25, d)), rng.dirichlet(np.full(25, 2.0))
    drawn = centres[rng.choice(25, size=40_000, p=shares)]
    noise = rng.normal(size=drawn.shape) * rng.uniform(0.3, 1.2, size=(1, d))
    return (drawn + noise).astype(np.float32)


def rows(name: str, n: int) -> tuple[np.ndarray, str]:
    if name.startswith("mix"):
        half, metric = mixture(int(name[3:])), "l2"
    else:
        sets = {"airports": airports, "scrna": scrna_pca, "mnist": mnist_pca, "glove": glove}
        data = sets[name]()
        order = np.random.default_rng(77).permutation(len(data.X))
        half, metric = data.X[order[len(order) // 2 :]], data.metric
    return half[np.random.default_rng(1000).permutation(len(half))[:n]], metric


def fit(X: np.ndarray, k: int, seed: int, **options: Any) -> dict[str, float]:
    began = time.process_time()
    km = KMedoids(k, random_state=seed, **options).fit(X)
    return {
        "loss": km.inertia_,
        "cpu": time.process_time() - began,
        "dist": km.n_distances_ / len(X),
    }


def measure(names: list[str], n: int, path: Path) -> None:
    """Append a line of JSON for each fit."""
    for swap in ("best", "eager"):  # compile
        fit(rows("mix2", 5000)[0], 8, 0, swap=swap)
    with path.open("a", encoding="utf-8") as out:
        for name in names:
            X, metric = rows(name, n)
            for k in KS:
                # The cheaper of two runs: it is what all others are compared with.
                both = [fit(X, k, seed, metric=metric) for seed in range(2)]
                best = {**both[0], "cpu": min(each["cpu"] for each in both)}
                found = [("best", 0, best)]
                for init in ("build", "random"):
                    for seed in range(SEEDS):
                        one = fit(X, k, seed, metric=metric, swap="eager", init=init)
                        found.append((init, seed, one))
                for init, seed, figures in found:
                    line = {"name": name, "k": k, "init": init, "seed": seed, **figures}
                    print(json.dumps(line), file=out, flush=True)


def table(path: Path) -> list[str]:
    lines = [
        "| data | k | init | mean loss | worst | CPU time | distances |",
        "|---|---:|---|---:|---:|---:|---:|",
    ]
    fits: dict[tuple[str, int, str], list[dict[str, Any]]] = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(text)
        fits.setdefault((entry["name"], entry["k"], entry["init"]), []).append(entry)
    for (name, k, init), some in fits.items():
        if init == "best":
            continue
        pam = fits[name, k, "best"][0]
        above = 100 * (np.array([each["loss"] for each in some]) / pam["loss"] - 1)
        shares = [np.mean([each[of] for each in some]) / pam[of] for of in ("cpu", "dist")]
        lines.append(
            f"| {NAMES[name]} | {k} | {init} | {above.mean():+.2f}% | {above.max():+.2f}%"
            f" | {shares[0]:.2f} | {shares[1]:.2f} |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=list(NAMES), metavar="DATA")
    parser.add_argument("--n", type=int, default=8000, help="rows of each data set (8000)")
    default = Path("out/starts.jsonl")
    parser.add_argument("--fits", type=Path, default=default, help="a fit a line, as JSON")
    parser.add_argument("--table", action="store_true", help="only write the table of these fits")
    args = parser.parse_args()
    if not args.table:
        args.fits.parent.mkdir(exist_ok=True)
        measure(args.only or list(NAMES), args.n, args.fits)
    about = f"{args.n:,} rows of each, {SEEDS} seeds."
    text = ["# Eager swaps beside PAM's", "", *__doc__.splitlines()[2:], "", about, ""]
    RESULT.write_text("\n".join([*text, *table(args.fits), ""]), encoding="utf-8")
    print(RESULT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
