"""
Feedback on student programs
============================

Thousands submit programs for one task. A teacher has time for a few comments. If she comments on
the medoids, how many submissions does that reach? Programs are trees, compared by edits, and each
counts as often as it was submitted.
"""

# %%
# Made programs, or the 500 most frequent of Hour of Code (HOC4) where `$MEDOIDS_DATA` has them.

import os
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from medoids import KMedoids
from medoids.datasets import load_hoc4
from programs_by_count import load_counts

WANTED = ["move", "left", "move", "right", "move", "move"]


def attempt(rng: np.random.Generator) -> tuple:
    """The wanted program with some mistakes, as a tree; a third wrap it in a loop."""
    steps = list(WANTED)
    for _ in range(rng.poisson(1.2)):
        at, step = int(rng.integers(len(steps))), str(rng.choice(["move", "left", "right"]))
        # Nothing, another step, or one step more: a step left out, changed, or added.
        steps[at : at + 1] = [[], [step], [steps[at], step]][rng.integers(3)]
        steps = steps or ["move"]
    body = [(step, []) for step in steps]
    return ("program", [("repeat", body)] if rng.random() < 0.3 else body)


def made_programs(n: int = 5_000) -> tuple[list, np.ndarray]:
    """The different programs among n submissions, and how often each was submitted."""
    rng = np.random.default_rng(0)
    trees: dict[str, tuple] = {}
    count: Counter[str] = Counter()
    for _ in range(n):
        tree = attempt(rng)
        trees.setdefault(repr(tree), tree)
        count[repr(tree)] += 1
    usual = count.most_common(300)
    return [trees[text] for text, _ in usual], np.array([often for _, often in usual])


if (Path(os.environ.get("MEDOIDS_DATA", "")) / "hoc4.jsonl.gz").is_file():
    programs, count = load_hoc4()[:500], load_counts()[:500]
else:
    programs, count = made_programs()
print(f"{len(programs)} different programs, {count.sum():,} submissions")

# %%
# For each number of comments, the share of submissions that are a medoid, or some edits from one:

ks = [1, 2, 3, 5, 8, 12, 20]
near = {}
for k in ks:
    km = KMedoids(k, metric="tree_edit", random_state=0).fit(programs, sample_weight=count)
    way = km.transform(programs).min(axis=1)
    near[k] = [count[way <= edits].sum() / count.sum() for edits in (0, 1, 2)]
    print(f"{k:2} comments: {near[k][0]:.0%} exactly, {near[k][1]:.0%} within one edit")

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for edits, words in enumerate(("the medoid itself", "within one edit", "within two edits")):
    ax.plot(ks, [near[k][edits] for k in ks], marker="o", label=words)
ax.set(xlabel="comments (medoids)", ylabel="share of submissions", ylim=(0, 1.02))
ax.grid(alpha=0.3)
ax.legend()

# %%
# Weights matter: without them the medoids are in the middle of *programs*, most of which one person
# wrote.

once = KMedoids(5, metric="tree_edit", random_state=0).fit(programs)
often = KMedoids(5, metric="tree_edit", random_state=0).fit(programs, sample_weight=count)
for name, fit in (("each program once", once), ("by submissions", often)):
    way = np.average(fit.transform(programs).min(axis=1), weights=count)
    print(f"{name}: a submission is {way:.2f} edits from its medoid")
