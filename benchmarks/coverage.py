"""Are the intervals honest? Lower bounds of whole fits, held against the true values.

Random data of the fuzzer's kinds, whose matrix is computed in full; first blocks are small, so
that the searches sample. Counted are the bounds that are above the true value, and the steps
whose best arm was dropped.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from _fuzz_cases import KINDS, Case, kind_of, make
from fuzz import searched
from medoids.engines.cpu.step import Step
from medoids.search.search import Search


class Tally:
    """Bounds, those that are too high, and steps that lost their best arm, by kind and stage."""

    def __init__(self) -> None:
        self.bounds: Counter[tuple[str, str]] = Counter()
        self.wrong: Counter[tuple[str, str]] = Counter()
        self.lost: Counter[tuple[str, str]] = Counter()

    def look(self, search: Search, arms: Any, true: Any, key: tuple[str, str]) -> None:
        lower, slack = search._lower, 2 * search.rewards.slack
        self.bounds[key] += len(arms)
        self.wrong[key] += int((lower[arms] > true[arms] + slack).sum())
        rivals = np.flatnonzero(search.candidates)
        best = rivals[true[rivals].argmin()]
        wanted = true[best] < search.null and bool((arms == best).any())
        self.lost[key] += int(wanted and lower[best] > true[best] + slack)

    def row(self, key: tuple[str, str]) -> str:
        bounds, wrong = self.bounds[key], self.wrong[key]
        name = f"| {key[0]:<16} | {key[1]:<6} | {bounds:>11,} | {wrong:>7,}"
        return f"{name} | {wrong / max(bounds, 1):>8.4%} | {self.lost[key]:>4} |"


def true_values(search: Search) -> Any:
    """The best value of each arm, from all distances in float64."""
    rewards: Any = search.rewards
    points = rewards.cache.points
    if not hasattr(points, "all_distances"):
        counted = points.n_distances
        points.all_distances = points.exact(np.arange(points.n))
        points.n_distances = counted
    step = Step(rewards.state, rewards.swap)
    rows = points.all_distances
    return step.values(rows, np.arange(points.n), points.workers).min(axis=1)


@contextmanager
def watched(tally: Tally, kind: str) -> Iterator[None]:
    """Look at the bounds after every screen and every refining of any search."""
    screen, refine = Search._screen, Search._refine

    def screened(self: Search) -> Any:
        found = screen(self)
        arms = np.flatnonzero(self.candidates)
        tally.look(self, arms, true_values(self), (kind, "screen"))
        return found

    def refined(self: Search, alive: Any, depth: int, estimate: Any) -> Any:
        found = refine(self, alive, depth, estimate)
        tally.look(self, alive, true_values(self), (kind, "refine"))
        return found

    Search._screen, Search._refine = screened, refined
    try:
        yield
    finally:
        Search._screen, Search._refine = screen, refine


def suits(case: Case) -> bool:
    return 1200 <= case.n <= 3600 and 2 <= case.k <= 30 and case.swap == "best"


def cases(seed: int, per_kind: int) -> Iterator[Case]:
    """So many of each kind; first blocks of 256 and 512 in turn."""
    done: Counter[str] = Counter()
    number = 0
    while min(done[kind] for kind in KINDS) < per_kind:
        number += 1
        kind = kind_of(seed, number)
        if done[kind] < per_kind and suits(case := make(seed, number)):
            done[kind] += 1
            first = 512 if case.k > 12 or number % 2 else 256
            yield case._replace(first=first, limit=None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--per-kind", type=int, default=6, metavar="N", help="fits (6)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    tally, fits = Tally(), 0
    for case in cases(args.seed, args.per_kind):
        with watched(tally, case.kind):
            searched(case, 2)
        fits += 1
    print("| kind             | stage  |      bounds |   wrong |    share | lost |")
    print("|------------------|--------|------------:|--------:|---------:|-----:|")
    for key in sorted(tally.bounds):
        print(tally.row(key))
    for part in (tally.bounds, tally.wrong, tally.lost):
        part["total", ""] = sum(part.values())
    print(tally.row(("total", "")), f"\n{fits} fits.")


if __name__ == "__main__":
    main()
