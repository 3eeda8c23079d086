"""What `methods.py` found, as tables."""

from __future__ import annotations

import statistics
from itertools import groupby
from typing import Any

import numpy as np

from _records import Case, Records
from _report import BUSY

# Whose loss stands for PAM's, up to so many points.
PAM = {
    "medoids pam": 3000,
    "medoids fastpam1": 10_000,
    "medoids banditpam": float("inf"),
}
DATA = {
    "mnist": "MNIST",
    "digits": "digits of scikit-learn",
    "mixture": "Gaussian mixture, 20 dimensions, 50 groups of uneven size",
}
ABOUT = """\
# Methods

{cores} cores ({cpu}), Python {python}; {packages}.

Each cell: seconds / how much the mean loss is above PAM's, in %. Seconds are the median, and
the loss is the mean, over the seeds ({seeds}); the rows are the same for every seed. All data
is float32, the metric is l2, and the fits are warmed up. The loss is computed anew from the
medoids, in float64; "0" is exactly PAM's.

- PAM's loss is that of the method named in the last row of each table: `pam` up to 3,000
  points, `fastpam1` up to 10,000, and beyond, where no matrix fits, `banditpam`, which finds
  PAM's answer by adaptive search (so its own "0" there says nothing). Where one was too slow,
  the next stands in.
- "(random)": from a random start, as in the paper of the method; the others start by BUILD.
  Of the peers, FasterPAM and onebatch start at random too.
- "matrix + ..." is PyPI kmedoids on scikit-learn's `euclidean_distances`, which are counted in.
  "onebatch" is PyPI onebatch; "batch x 3" has three times its default batch, so as to allow it
  more time. k-means is here for its time alone.
- "–": not run; a matrix would be above the default memory_limit of 2 GB, or it is
  `banditpam_original` above 10,000 points. "> {budget}": stopped after so many seconds;
  in brackets: not run, since fewer points took longer than that already.
"""
BUSY_NOTE = "\n† The machine was busy with something else meanwhile: measure this again.\n"


def measured(records: Records, case: Case, method: str, field: str) -> list[float]:
    """A field for every seed; none, if one of them took too long."""
    found = records.of(case, method)
    return [] if any("over" in one for one in found) else [one[field] for one in found]


def loss_of(records: Records, case: Case, method: str) -> float | None:
    losses = measured(records, case, method, "mean_loss")
    return statistics.fmean(losses) if losses else None


def pam_of(records: Records, case: Case) -> tuple[float, str] | None:
    """PAM's mean loss, and the method that it is from."""
    for method, most in PAM.items():
        loss = loss_of(records, case, method)
        if case.n <= most and loss is not None:
            return loss, method
    return None


def excess_of(records: Records, case: Case, method: str) -> float | None:
    """How much the mean loss is above PAM's, in %."""
    loss, pam = loss_of(records, case, method), pam_of(records, case)
    if loss is None or pam is None or method == "k-means":
        return None
    return 100 * (loss / pam[0] - 1)


def percent(excess: float | None) -> str:
    if excess is None:
        return "–"
    return "0" if abs(excess) < 1e-9 else f"{excess:+.2f}".replace("-", "−")


def cell(records: Records, case: Case, method: str) -> str:
    over = [one for one in records.of(case, method) if "over" in one]
    if over:
        text = f"> {over[0]['over']:g}"
        return text if any(one["ran"] for one in over) else f"({text})"
    seconds = measured(records, case, method, "seconds")
    if not seconds:
        return "–"
    busy = max(measured(records, case, method, "other_cores")) > BUSY
    excess = percent(excess_of(records, case, method))
    return f"{statistics.median(seconds):.3g} / {excess}{' †' if busy else ''}"


def method_tables(records: Records, cases: list[Case], methods: list[str]) -> str:
    about = records.machine
    packages = ", ".join(f"{name} {number}" for name, number in about["packages"].items())
    counts = sorted({len(records.of(case, "medoids banditpam")) for case in cases} - {0})
    budgets = sorted({one["over"] for one in records.fits.values() if "over" in one})
    text = ABOUT.format(
        packages=packages, seeds=" or ".join(map(str, counts)),
        budget=" or ".join(f"{one:g}" for one in budgets) or "120",
        **{name: about[name] for name in ("cores", "cpu", "python")},
    )  # fmt: skip
    if any(one.get("other_cores", 0) > BUSY for one in records.fits.values()):
        text += BUSY_NOTE
    for (data, n), group in groupby(cases, key=lambda case: (case.data, case.n)):
        columns = list(group)
        lines = [
            "| method | " + " | ".join(f"k = {case.k}" for case in columns) + " |",
            "|---|" + "---:|" * len(columns),
        ]
        for method in methods:
            cells = [cell(records, case, method) for case in columns]
            if set(cells) != {"–"}:
                lines.append(f"| {method} | {' | '.join(cells)} |")
        losses = [pam_of(records, case) for case in columns]
        cells = [f"{one[0]:.4f} ({one[1].split()[1]})" if one else "–" for one in losses]
        lines.append(f"| PAM's mean loss | {' | '.join(cells)} |")
        text += "\n".join(["", f"## {DATA[data]}, n = {n:,}", "", *lines, ""])
    return text


def duel_row(name: str, one: dict[str, Any], first: dict[str, Any]) -> str:
    seconds, losses = np.array(one["seconds"]), np.array(one["losses"])
    ratio = np.median(seconds) / np.median(first["seconds"])
    above = 100 * (losses / np.array(first["losses"]) - 1)
    error = above.std(ddof=1) / len(above) ** 0.5 if len(above) > 1 else np.nan
    against = "–" if one is first else f"{percent(above.mean())} ± {error:.2f}"
    return (
        f"| {name}{' †' if one['other_cores'] > BUSY else ''} | {np.median(seconds):.3g} "
        f"| {seconds.min():.3g} to {seconds.max():.3g} | {ratio:.2f} | {losses.mean():.4f} "
        f"| {against} |"
    )


def duel_tables(duels: dict[str, Any]) -> str:
    text = """
# Duels

MNIST, l2. The contestants of a duel fitted the same rows in turn, in one run, each turn with a
new seed. The last column is the mean over the turns of how much the loss is above that of the
first row in the same turn, in %, with its standard error.
"""
    for title, found in duels.items():
        first = next(iter(found.values()))
        lines = [
            "| contestant | seconds, median | range | × first | mean loss | loss, % of first |",
            "|---|---:|---:|---:|---:|---:|",
            *(duel_row(name, one, first) for name, one in found.items()),
        ]
        turns = len(first["losses"])
        text += "\n".join(["", f"## {title} ({turns} turns)", "", *lines, ""])
    return text
