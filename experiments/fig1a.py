"""Figure 1a: the loss of each method relative to PAM's."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from . import _data
from ._records import Record, Run, chosen, values
from ._scale import Scale
from ._stats import mean_of
from ._style import LOOKS, QUIET, label_ends, marks, panels, quiet, save
from ._tables import table

TITLE = "Loss relative to PAM"
PAPERS = ["banditpam", "banditpam_original", "fastpam", "clarans", "alternate"]
OURS = ["banditpam", "fasterpam", "onebatch", "clara"]
RANDOM = {"clarans", "alternate", "fasterpam", "onebatch"}  # as their papers start
METHODS = ["pam", *PAPERS, *OURS[1:]]


def runs(scale: Scale) -> list[Run]:
    return [
        Run("mnist", n, 5, "l2", method, seed, {"init": "random"} if method in RANDOM else {})
        for n in scale.pick((200, 300), (500, 1000, 2000), tuple(range(500, 3001, 500)))
        for seed in scale.seeds(2, 3, 10)
        for method in METHODS
    ]


def ratios(records: list[Record], method: str, n: int) -> list[float]:
    """The loss over PAM's on the same points."""
    exact = {one["seed"]: one["loss"] for one in chosen(records, method="pam", n=n)}
    found = chosen(records, method=method, n=n)
    return [one["loss"] / exact[one["seed"]] for one in found if one["seed"] in exact]


def same_medoids(records: list[Record], method: str) -> tuple[int, int]:
    """How often they are PAM's, and of how many."""
    exact = {(one["n"], one["seed"]): one["medoids"] for one in chosen(records, method="pam")}
    found = [
        one["medoids"] == exact[one["n"], one["seed"]]
        for one in chosen(records, method=method)
        if (one["n"], one["seed"]) in exact
    ]
    return sum(found), len(found)


def draw(records: list[Record], path: Path) -> None:
    figure, axes = panels(1, 2, 11, 4.2, sharey=True)
    made = records[0]["synthetic"]
    repeats = len(values(records, "seed"))
    for ax, methods, title in zip(
        axes[0], (PAPERS, OURS), ("as in the paper", "others"), strict=True
    ):
        ends = _draw_methods(ax, records, methods)
        ax.axhline(1, color=QUIET, lw=0.8, zorder=1)
        quiet(
            ax,
            f"{_data.title('mnist', made)}, l2, k = 5: {title}",
            "n, points",
            "loss / loss of PAM" if ax is axes[0, 0] else "",
        )
        ax.set_xticks(values(records, "n"), [f"{n:,}" for n in values(records, "n")])
        ax.margins(y=0.12)
        label_ends(ax, ends)
    save(
        figure,
        path,
        f"Means of {repeats} random subsets; bars are 95% intervals. Markers are set side by side.",
    )


def _draw_methods(ax: Any, records: list[Record], methods: list[str]) -> dict[str, Any]:
    ends = {}
    every = values(records, "n")
    step = min((b - a for a, b in pairwise(every)), default=every[0]) / 9
    for i, method in enumerate(methods):
        sizes = [n for n in every if ratios(records, method, n)]
        if not sizes:
            continue
        means = [mean_of(ratios(records, method, n)) for n in sizes]
        x = [n + step * (i - len(methods) / 2) for n in sizes]  # so that bars can be told apart
        ax.errorbar(
            x, [mean.value for mean in means], [mean.half for mean in means], capsize=2, lw=1.2,
            ls=LOOKS[method].line, **marks(method),
        )  # fmt: skip
        ends[method] = (x[-1], means[-1].value, method)
    return ends


def tables(records: list[Record]) -> str:
    sizes = values(records, "n")
    rows = []
    for method in METHODS[1:]:
        same, count = same_medoids(records, method)
        if not all(ratios(records, method, n) for n in (sizes[0], sizes[-1])):
            continue
        cells = []
        for n in (sizes[0], sizes[-1]):
            mean = mean_of(ratios(records, method, n))
            cells.append(f"{mean.value:.4f} ± {mean.half:.4f}")
        rows.append([f"`{method}`", *cells, f"{same} of {count}"])
    head = ["method", *(f"loss / PAM's, n = {n:,}" for n in (sizes[0], sizes[-1])), "PAM's medoids"]
    return table(head, rows)
