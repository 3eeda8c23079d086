"""Record one search for the step-through of the site: `search_steps.py FILE.js`.

Two searches in a few lines of NumPy, to be read: Algorithm 1 of the paper, and the same with
rewards compared with those of a leader. Both look for the second medoid of BUILD among points in
the plane. The package does more than this (docs/algorithm.md).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs

N, BATCH, SHOWN = 2_000, 100, 120
GROUPS = {(-6, -2): 0.15, (0, 5): 0.2, (5, -3): 0.45, (8, 5): 0.15, (-3, -8): 0.05}
Z = np.sqrt(2 * np.log(1000 * N))  # delta = 1 / (1000 n), as in the paper


def search(rewards: Any, order: Any, leading: bool) -> list[dict[str, Any]]:
    """Estimates, half widths and survivors after each round; `rewards` is arms by references."""
    alive, whole = np.ones(N, bool), set()
    mean, half, cost, rounds = np.zeros(N), np.zeros(N), 0, []
    for end in range(BATCH, N + 1, BATCH):
        cost += BATCH * int(alive.sum())
        seen = rewards[alive][:, order[:end]]
        mean[alive] = seen.mean(axis=1)
        bar = np.inf
        if leading:  # the best so far is measured on all references; others differ from it by less
            leader = int(np.flatnonzero(alive)[mean[alive].argmin()])
            whole.add(leader)
            seen = seen - rewards[leader, order[:end]]
            mean[alive] = seen.mean(axis=1) + rewards[leader].mean()
            bar = min(rewards[at].mean() for at in whole)
        # Drawn without replacement: with all references there is no doubt left.
        half[alive] = Z * seen.std(axis=1) * np.sqrt((1 - end / N) / end)
        bar = min(bar, (mean + half)[alive].min())
        was = alive.copy()
        alive &= mean - half <= bar
        rounds.append({
            "references": end, "bar": bar, "mean": mean.copy(), "half": half.copy(),
            "was": was, "left": alive.copy(), "cost": cost + N * len(whole),
        })  # fmt: skip
        if alive.sum() == 1:
            break
    return rounds


def told(rounds: list[dict[str, Any]], values: Any, shown: Any) -> dict[str, Any]:
    """What the page draws of a search."""
    dropped = np.full(N, -1)
    for at, one in enumerate(rounds):
        dropped[one["was"] & ~one["left"]] = at
    last = rounds[-1]
    if np.where(last["left"], last["mean"], np.inf).argmin() != values.argmin():
        raise SystemExit("the search did not find the best arm: it must not be shown as if it had")
    return {
        "dropped": dropped.tolist(),
        "rounds": [
            {
                "references": one["references"],
                "left": int(one["left"].sum()),
                "share": round(one["cost"] / N**2, 4),
                "bar": round(float(one["bar"]), 3),
                "mean": one["mean"][shown].round(3).tolist(),
                "half": one["half"][shown].round(3).tolist(),
            }
            for one in rounds
        ],
    }


def record() -> dict[str, Any]:
    """Both searches, and their points."""
    sizes = [round(share * N) for share in GROUPS.values()]
    X, _ = make_blobs(sizes, centers=list(GROUPS), cluster_std=1.6, random_state=0)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    first = int(D.sum(axis=1).argmin())
    rewards = np.minimum(D - D[first], 0)  # what each arm gains beside the first medoid
    values = rewards.mean(axis=1)
    order = np.random.default_rng(1).permutation(N)
    shown = np.argsort(values)[:: N // SHOWN]  # some arms, from the best to the worst
    return {
        "points": X.round(2).tolist(),
        "first": first,
        "winner": int(values.argmin()),
        "shown": shown.tolist(),
        "values": values[shown].round(3).tolist(),
        "searches": [told(search(rewards, order, way), values, shown) for way in (False, True)],
    }


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"window.searchSteps = {json.dumps(record(), separators=(',', ':'))};\n")
