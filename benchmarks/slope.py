"""How the distances of a fit grow with n, the swaps being fixed.

BUILD and so many swaps as `--swaps` says, k = 10, default settings, from 10,000 rows up: each size
with three sets of rows. The slope is that of a line through the logarithms: 1 is a number of
distances in proportion to n, 2 that of all pairs. Fits that end with fewer swaps are named, since
they count fewer steps. These are searches at every size: as it comes, a fit of so few rows computes
half of all distances, once, where that takes less time.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from _data import DATA, NAMES
from _limited import Results, measured

RESULTS = Path(__file__).parent / "results"
SIZES = {"airports": [10_000, 14_000, 20_000, 28_298], "scrna-pca": [10_000, 20_000, 40_000]}
OTHERS = [10_000, 20_000, 40_000, 70_000]
SEEDS, K, SWAPS = 3, 10, 3


def measure(name: str, n: int, seed: int, swaps: int) -> dict[str, Any]:
    """In the child: one fit."""
    from sklearn.exceptions import ConvergenceWarning

    from medoids import KMedoids
    from medoids._tuning import tuned

    warnings.simplefilter("ignore", ConvergenceWarning)
    data = DATA[name]()
    rows = np.random.default_rng(seed).permutation(len(data.X))[:n]
    with tuned(searching=0.0):
        km = KMedoids(K, metric=data.metric, max_iter=swaps, random_state=seed).fit(data.X[rows])
    return {"distances": int(km.n_distances_), "swaps": int(km.n_iter_)}


def slope_of(counts: list[tuple[int, int]]) -> str:
    """With its 95% interval."""
    from scipy import stats

    if len({n for n, _ in counts}) < 2:
        return "–"
    line = stats.linregress(*np.log(np.array(counts, dtype=float)).T)
    half = stats.t.ppf(0.975, max(len(counts) - 2, 1)) * line.stderr
    return f"{line.slope:.2f} ± {half:.2f}"


def table(results: Results) -> list[str]:
    lines = ["| data | n: distances / n, mean | slope | fewer swaps |", "|---|---|---:|---|"]
    for name in DATA:
        fits = {
            (int(n), int(seed)): entry
            for (data, n, seed), entry in results.found.items()
            if data == name
        }
        if not fits:
            continue
        good = {key: entry for key, entry in fits.items() if "failed" not in entry}
        sizes = sorted({n for n, _ in good})
        means = [
            np.mean([e["distances"] / n for (m, _), e in good.items() if m == n]) for n in sizes
        ]
        shown = ", ".join(f"{n:,}: {mean:,.0f}" for n, mean in zip(sizes, means, strict=True))
        counts = [(n, entry["distances"]) for (n, _), entry in good.items()]
        most = max((entry["swaps"] for entry in good.values()), default=0)
        fewer = sorted({n for (n, _), entry in good.items() if entry["swaps"] < most})
        notes = [f"n = {n:,}" for n in fewer]
        notes += [f"n = {n:,}: {e['failed']}" for (n, _), e in fits.items() if "failed" in e]
        lines.append(
            f"| {NAMES[name]} | {shown} | {slope_of(counts)} | {', '.join(notes) or '–'} |"
        )
    return lines


def page(results: Results) -> str:
    text = ["# Distances against n", "", *__doc__.splitlines()[2:], "", *table(results), ""]
    return "\n".join(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", nargs="+", choices=list(DATA), default=list(DATA))
    parser.add_argument("--swaps", type=int, default=SWAPS, help=f"of each fit ({SWAPS})")
    parser.add_argument("--limit", type=float, default=180, help="seconds for each fit (180)")
    parser.add_argument("--sizes", nargs="+", type=int, help="numbers of rows, to try it out")
    parser.add_argument("--child", nargs=2, type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        try:
            found = measure(args.case[0], *args.child, args.swaps)
        except FileNotFoundError as error:  # data that is not at hand
            found = {"failed": str(error)}
        print(json.dumps(found))
        return
    folder = RESULTS if args.sizes is None else Path("out")
    results = Results(folder / "slope.jsonl")
    for name in args.case:
        for n in args.sizes or SIZES.get(name, OTHERS):
            for seed in range(SEEDS):
                child = ["--case", name, "--swaps", str(args.swaps), "--child", str(n), str(seed)]
                entry = measured(__file__, child, args.limit)
                results.add((name, str(n), str(seed)), entry)
                print(name, n, seed, json.dumps(entry), flush=True)
                (folder / "slope.md").write_text(page(results), encoding="utf-8")
    print((folder / "slope.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
