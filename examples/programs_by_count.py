"""Student programs, each counted as often as it was submitted: `programs_by_count.py`.

3,629 different programs stand for 1.13 million submissions. It needs hoc4.jsonl.gz in the folder
that the environment variable MEDOIDS_DATA names.
"""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from medoids import KMedoids
from medoids.datasets import load_hoc4


def load_counts() -> Any:
    """How often each program was submitted; `load_hoc4` gives the trees alone."""
    path = Path(os.environ["MEDOIDS_DATA"]) / "hoc4.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return np.array([json.loads(line)["count"] for line in lines])


def size(tree: dict[str, Any]) -> int:
    return 1 + sum(size(child) for child in tree.get("children", []))


def main() -> None:
    trees: Any = load_hoc4()
    count = load_counts()
    print(f"{len(trees):,} programs, {count.sum():,} submissions")
    for name, weight in (("each program once", None), ("by submissions", count)):
        km = KMedoids(5, metric="tree_edit", random_state=0).fit(trees, sample_weight=weight)
        way = np.average(np.min(km.transform(trees), axis=1), weights=count)
        print(f"\n{name}: a submission is {way:.2f} edits from its medoid")
        print("medoid   nodes   rows   submissions   of the medoid itself")
        for label, row in enumerate(km.medoid_indices_):
            mine = km.labels_ == label
            print(
                f"{row:6} {size(trees[row]):7} {mine.sum():6,} {count[mine].sum():13,}"
                f" {count[row]:22,}"
            )


if __name__ == "__main__":
    main()
