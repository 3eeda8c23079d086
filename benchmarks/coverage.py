"""Are the intervals honest? Lower bounds of whole fits, held against the true values.

Random data of the fuzzer's kinds, whose matrix is computed in full; first blocks are small, so
that the searches sample, and so are regions, that there are any. Counted are the bounds that are
above the true value, and the steps whose best arm was dropped.
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
from medoids._tuning import tuned
from medoids.engines.cpu.arms import CPUArms
from medoids.engines.cpu.rewards.rewards import Rewards


class Tally:
    """Bounds, those that are too high, and steps that lost their best arm, by kind and stage."""

    def __init__(self) -> None:
        self.bounds: Counter[tuple[str, str]] = Counter()
        self.wrong: Counter[tuple[str, str]] = Counter()
        self.lost: Counter[tuple[str, str]] = Counter()

    def look(self, rewards: Rewards, arms: Any, lower: Any, key: tuple[str, str]) -> None:
        """Hold lower bounds of some arms against their true values."""
        true, slack = true_values(rewards), 2 * rewards.slack
        self.bounds[key] += len(arms)
        wrong = lower > true[arms] + slack
        self.wrong[key] += int(wrong.sum())
        step = rewards.step
        rivals = np.setdiff1d(np.arange(step.n), step.state.medoids)
        best = rivals[true[rivals].argmin()]
        wanted = true[best] < 0 or not step.swap
        self.lost[key] += int(wanted and bool(wrong[arms == best].any()))

    def row(self, key: tuple[str, str]) -> str:
        bounds, wrong = self.bounds[key], self.wrong[key]
        name = f"| {key[0]:<16} | {key[1]:<6} | {bounds:>11,} | {wrong:>7,}"
        return f"{name} | {wrong / max(bounds, 1):>8.4%} | {self.lost[key]:>4} |"


def true_values(rewards: Rewards) -> Any:
    """The best value of each arm, from all distances in float64."""
    points: Any = rewards.cache.points
    if not hasattr(points, "all_distances"):
        counted = points.n_distances
        points.all_distances = points.exact(np.arange(points.n))
        points.n_distances = counted
    rows = points.all_distances
    return rewards.step.values(rows, np.arange(points.n), points.workers).min(axis=1)


@contextmanager
def watched(tally: Tally, kind: str) -> Iterator[None]:
    """Look at the bounds after every screen and every refining of any search."""
    made, refine = CPUArms.__init__, Rewards.refine

    def screened(self: CPUArms, rewards: Rewards, learn: Any, alive: Any, *rest: Any) -> None:
        made(self, rewards, learn, alive, *rest)
        if not rest:
            tally.look(rewards, alive, rewards.lower[alive], (kind, "screen"))

    def refined(self: Rewards, arms: Any, *rest: Any) -> Any:
        found = refine(self, arms, *rest)
        tally.look(self, arms, found[1], (kind, "refine"))
        return found

    CPUArms.__init__, Rewards.refine = screened, refined  # type: ignore[method-assign]
    try:
        yield
    finally:
        CPUArms.__init__, Rewards.refine = made, refine  # type: ignore[method-assign]


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
    parser.add_argument("--region", type=int, default=100, metavar="N", help="arms of one (100)")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    tally, fits = Tally(), 0
    for case in cases(args.seed, args.per_kind):
        with watched(tally, case.kind), tuned(region=args.region):
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
