"""What the criteria say together."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

# Two halves agree by so much that there are clusters, whatever the gap says.
SURE = 0.9


class Votes(NamedTuple):
    """The number of clusters that each criterion asks for; None where it says nothing.

    1 is what `stability` and `gap` say of data without clusters.
    """

    stability: int | None = None
    gap: int | None = None
    silhouette: int | None = None
    elbow: int | None = None


def suggest(votes: Votes, largest: int, steady: float = 0.0) -> tuple[int | None, str]:
    """One number of clusters and why; or None, where the criteria do not agree.

    Two of the four must name it. Where two pairs stand against each other, the gap decides: the
    medoid silhouette favours few clusters. Where the clusters are not stable there is none to
    suggest, nor where the gap sees one, unless all others agree and the clusters are
    found again all but surely: `steady` is the stability of those that it names.
    """
    named = {name: k for name, k in votes._asdict().items() if k is not None}
    if not named:
        return None, "no clear answer: no criterion can be computed here"
    said = ", ".join(f"{name} says {k}" for name, k in named.items())
    if named.get("stability") == named.get("gap") == 1:
        return None, f"no clear answer: the data look like a single cluster ({said})"
    if named.get("stability") == 1:
        return None, f"no clear answer: the clusters are not found again in other samples ({said})"
    counted = Counter(k for k in named.values() if k > 1)
    agreed = [k for k, count in counted.items() if count >= 2]
    if not agreed:
        if len(named) == 1:
            return None, f"no clear answer: only one criterion can be computed ({said})"
        return None, f"no clear answer: the criteria disagree ({said})"
    best = max(agreed, key=lambda k: (counted[k], k == named.get("gap"), -k))
    for_it = [name for name, k in named.items() if k == best]
    against = [f"{name} says {k}" for name, k in named.items() if k != best]
    if named.get("gap") == 1 and (len(for_it) < 3 or steady < SURE):
        return None, f"no clear answer: even rows without clusters fall apart so far ({said})"
    reason = f"k = {best}: {' and '.join(_listed(for_it))} agree"
    if against:
        reason += f" ({', '.join(against)})"
    if best == largest:
        reason += "; it is the largest k tried, so look further"
    return best, reason


def _listed(names: list[str]) -> list[str]:
    return [", ".join(names[:-1]), names[-1]] if len(names) > 1 else names
