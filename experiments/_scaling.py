"""Cost an iteration against n, on logarithmic scales: figures 1b, 2, 3 and appendix figure 5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _data
from ._records import Record, Run, chosen, values
from ._scale import BANDITS
from ._stats import Slope, geometric_mean_of, per_iteration, slope_of
from ._style import LOOKS, label_ends, marks, plain, quiet
from ._tables import table

METRICS = {"l2": "l2", "l1": "l1", "cosine": "cosine", "tree_edit": "tree edit distance"}
UNITS = {"seconds": "seconds", "distances": "distances computed"}
NOTE = (
    "An iteration: the whole fit over (swaps + 1). Geometric means of random subsets, with 95%"
    " intervals."
)
Ends = dict[str, tuple[float, float, str]]


class Panel(NamedTuple):
    """A panel: the data, and the slope that the paper reports (0 where it has none)."""

    data: str
    metric: str
    k: int
    paper: float

    def runs(self, sizes: Sequence[int], seeds: Sequence[int]) -> list[Run]:
        return [
            Run(self.data, n, self.k, self.metric, method, seed)
            for n in sizes
            for seed in seeds
            for method in BANDITS
        ]

    def exact_runs(self, sizes: Sequence[int], most: int, seeds: Sequence[int]) -> list[Run]:
        """FastPAM1, as far as its matrix may grow."""
        return [
            Run(self.data, n, self.k, self.metric, "fastpam1", seed, {"memory_limit": 4e9})
            for n in sizes
            if n <= most
            for seed in seeds
        ]

    def of(self, records: list[Record], method: str) -> list[Record]:
        mine = chosen(records, k=self.k, method=method)
        mine = [one for one in mine if one["data"].removesuffix("-matrix") == self.data]
        return [one for one in mine if one["metric"] in (self.metric, "precomputed")]

    def title(self, records: list[Record]) -> str:
        made = any(one["synthetic"] for method in BANDITS for one in self.of(records, method))
        return f"{_data.title(self.data, made)}, {METRICS[self.metric]}, k = {self.k}"

    def heading(self, records: list[Record]) -> str:
        paper = f"; the paper's slope: {self.paper}" if self.paper else ""
        return self.title(records) + paper


def slope(records: list[Record], what: str) -> Slope | None:
    """Of the cost an iteration; None if there are fewer than two sizes."""
    if len(values(records, "n")) < 2:
        return None
    return slope_of([one["n"] for one in records], [per_iteration(one, what) for one in records])


def draw_panel(ax: Any, panel: Panel, records: list[Record], what: str) -> None:
    ends: Ends = {}
    ax.set_xscale("log")
    ax.set_yscale("log")
    for method in BANDITS:
        ends |= _draw_method(ax, panel.of(records, method), method, what)
    sizes = values([one for method in BANDITS for one in panel.of(records, method)], "n")
    exact = panel.of(records, "fastpam1")
    if what == "distances":
        level = 1.0
    elif exact:
        # The line of slope 2 through what was measured.
        level = np.exp(np.mean([np.log(per_iteration(one, what) / one["n"] ** 2) for one in exact]))
        n = [one["n"] for one in exact]
        ax.plot(n, [per_iteration(one, what) for one in exact], **marks("fastpam1"), ls="")
    if sizes and (what == "distances" or exact):
        names = ("FastPAM1: n²", "PAM: kn²")
        if what == "seconds":
            names = ("FastPAM1 (slope 2)", "PAM (k × FastPAM1)")
        ends |= _draw_reference(ax, "fastpam1", sizes, level, names[0])
        ends |= _draw_reference(ax, "pam", sizes, panel.k * level, names[1])
    first = ax.get_subplotspec().is_first_col()
    quiet(ax, panel.heading(records), "n, points", f"{UNITS[what]} an iteration" if first else "")
    ax.set_xticks(sizes, [f"{n:,}" for n in sizes], fontsize=7, rotation=30, ha="right")
    ax.set_xticks([], minor=True)
    ax.margins(x=0.06)
    plain(ax, "y")
    label_ends(ax, ends)


def _draw_method(ax: Any, records: list[Record], method: str, what: str) -> Ends:
    sizes = values(records, "n")
    if not sizes:
        return {}
    means = [
        geometric_mean_of([per_iteration(one, what) for one in chosen(records, n=n)]) for n in sizes
    ]
    middle, below, above = zip(*means, strict=True)
    ax.errorbar(sizes, middle, (below, above), ls="", capsize=2, lw=1, **marks(method), zorder=3)
    line = slope(records, what)
    if line is None:
        return {method: (sizes[-1], middle[-1], method)}
    ax.plot(sizes, line.at(sizes), ls=LOOKS[method].line, color=LOOKS[method].colour, lw=1.2)
    return {method: (sizes[-1], line.at(sizes[-1:])[0], f"{method}\nslope {line}")}


def _draw_reference(ax: Any, method: str, sizes: list[int], level: float, text: str) -> Ends:
    y = level * np.square(np.array(sizes, dtype=float))
    ax.plot(sizes, y, ls=LOOKS[method].line, color=LOOKS[method].colour, lw=1)
    return {method: (sizes[-1], y[-1], text)}


def scaling_table(panels: Sequence[Panel], records: list[Record], what: str) -> str:
    """For each panel and method: the cost at both ends, and the slope beside the paper's.

    Seconds have a part that does not depend on n, so that of distances is given too.
    """
    rows, costs = [], dict.fromkeys((what, "distances"))
    for panel in panels:
        for method in BANDITS:
            mine = panel.of(records, method)
            sizes = values(mine, "n")
            if not sizes:
                continue
            ends = [
                geometric_mean_of([per_iteration(one, what) for one in chosen(mine, n=n)])[0]
                for n in (sizes[0], sizes[-1])
            ]
            shown = [f"{end:.3g} s" if what == "seconds" else f"{end:,.0f}" for end in ends]
            paper = f"{panel.paper}" if panel.paper else "–"
            cells = [f"{n:,}: {text}" for n, text in zip((sizes[0], sizes[-1]), shown, strict=True)]
            slopes = [str(slope(mine, each) or "–") for each in costs]
            rows.append(
                [panel.title(records), f"`{method}`", *cells, slopes[0], paper, *slopes[1:]]
            )
    unit = UNITS[what]
    head = ["", "method", f"{unit} an iteration at the least n", "at the most", "slope", "paper's"]
    return table([*head, "slope of distances"] if len(costs) > 1 else head, rows)
