"""The claims of the abstract, measured: from the runs of figures 1 to 3."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import fig1a, fig1b, fig2, fig3
from ._records import Record, Run, chosen, values
from ._scale import BANDITS, Scale
from ._scaling import Panel
from ._stats import mean_of, per_iteration
from ._style import LOOKS, QUIET, label_ends, marks, panels, plain, quiet, save
from ._tables import table, times

TITLE = "The claims"
PANELS = [*fig2.PANELS, fig3.MNIST, fig3.SCRNA, *fig1b.PANELS]
FEWER, FASTER = 200, 4  # "up to 200x fewer", "4x faster"


def runs(scale: Scale) -> list[Run]:
    return [run for figure in (fig1a, fig1b, fig2, fig3) for run in figure.runs(scale)]


def largest(records: list[Record]) -> list[Record]:
    return chosen(records, n=max(values(records, "n")))


def of(records: list[Record], panel: Panel, method: str) -> list[Record]:
    """The runs of a panel, without those of figure 1a, which has no FastPAM1."""
    least = min(values(panel.of(records, "fastpam1"), "n"), default=0)
    return [one for one in panel.of(records, method) if one["n"] >= least]


def known(records: list[Record], wanted: Sequence[Panel] = PANELS) -> list[Panel]:
    """The panels that both methods ran on."""
    return [panel for panel in wanted if all(of(records, panel, method) for method in BANDITS)]


def fewer(records: list[Record], panel: Panel, method: str) -> tuple[int, float, float]:
    """At the largest n: times fewer distances than PAM an iteration, and than the matrix a fit."""
    mine = largest(of(records, panel, method))
    n = mine[0]["n"]
    each = mean_of([per_iteration(one, "distances") for one in mine]).value
    whole = mean_of([one["distances"] for one in mine]).value
    return n, panel.k * n**2 / each, n**2 / whole


def faster(records: list[Record], panel: Panel, method: str) -> dict[int, tuple[float, bool]]:
    """For each n: times faster than FastPAM1 an iteration, and whether that is measured.

    Beyond what FastPAM1 was measured on, its time grows by n².
    """
    exact = of(records, panel, "fastpam1")
    if not exact:
        return {}
    level = np.exp(
        np.mean([np.log(per_iteration(one, "seconds") / one["n"] ** 2) for one in exact])
    )
    found = {}
    for n in values(of(records, panel, method), "n"):
        mine = mean_of(_seconds(of(records, panel, method), n)).value
        theirs = _seconds(exact, n)
        found[n] = ((mean_of(theirs).value if theirs else level * n**2) / mine, bool(theirs))
    return found


def _seconds(records: list[Record], n: int) -> list[float]:
    return [per_iteration(one, "seconds") for one in chosen(records, n=n)]


def draw(records: list[Record], path: Path) -> None:
    figure, axes = panels(1, 2, 12, 4.2)
    if known(records):
        _draw_fewer(axes[0, 0], records)
    if all(faster(records, fig2.PANELS[0], method) for method in BANDITS):
        _draw_faster(axes[0, 1], records)
    save(
        figure, path,
        "Right, large markers: FastPAM1 was measured at the same n; small dots: against its time"
        " extrapolated by n².",
    )  # fmt: skip


def _draw_fewer(ax: Any, records: list[Record]) -> None:
    shown = known(records)
    for method in BANDITS:
        x = [fewer(records, panel, method)[1] for panel in shown]
        ax.plot(x, range(len(x)), ls="", **marks(method))
        ax.annotate(
            method, (x[0], 0), (0, 8), textcoords="offset points", ha="center", fontsize=8,
            color=LOOKS[method].colour,
        )  # fmt: skip
    names = [
        f"{each.title(records)}\nn = {fewer(records, each, 'banditpam')[0]:,}" for each in shown
    ]
    ax.set_yticks(range(len(shown)), names)
    ax.set_ylim(len(shown) - 0.3, -0.7)
    ax.axvline(FEWER, color=QUIET, ls=":", lw=1)
    ax.annotate(
        "paper: up to 200×", (FEWER, len(shown) - 0.5), (4, 0), textcoords="offset points",
        fontsize=8, color=QUIET, va="center",
    )  # fmt: skip
    ax.set_xscale("log")
    plain(ax, "x", "×")
    quiet(ax, "Fewer distances", "times fewer than PAM (kn²), an iteration", "")


def _draw_faster(ax: Any, records: list[Record]) -> None:
    ends, panel = {}, fig2.PANELS[0]
    for method in BANDITS:
        found = faster(records, panel, method)
        x, y = list(found), [factor for factor, _ in found.values()]
        colour = LOOKS[method].colour
        ax.plot(x, y, ls=LOOKS[method].line, color=colour, lw=1, marker=".", ms=4)
        measured = [n for n in x if found[n][1]]
        ax.plot(measured, [found[n][0] for n in measured], ls="", **marks(method))
        ends[method] = (x[-1], y[-1], method)
    ax.set_yscale("log")
    ax.axhline(FASTER, color=QUIET, ls=":", lw=1)
    ax.annotate(
        "paper: 4×", (x[0], FASTER), (0, 3), textcoords="offset points", fontsize=8, color=QUIET
    )
    ax.set_xticks(x, [f"{n:,}" for n in x], rotation=30, ha="right")
    plain(ax, "y", "×")
    title = f"Faster: {panel.title(records)}"
    quiet(ax, title, "n, points", "times faster than our FastPAM1, an iteration")
    label_ends(ax, ends)


def tables(records: list[Record]) -> str:
    return "\n\n".join([_fewer_table(records), _faster_table(records), _same_table(records)])


def _fewer_table(records: list[Record]) -> str:
    rows = []
    for panel in known(records):
        found = {method: fewer(records, panel, method) for method in BANDITS}
        name = f"{panel.title(records)}, n = {found['banditpam'][0]:,}"
        rows.append(
            [
                name,
                *(times(found[method][1]) for method in BANDITS),
                *(times(found[method][2]) for method in BANDITS),
            ]
        )
    head = [
        "times fewer distances (paper: up to 200×)",
        *(f"than kn² an iteration, `{method}`" for method in BANDITS),
        *(f"than n² a fit, `{method}`" for method in BANDITS),
    ]
    return table(head, rows)


def _faster_table(records: list[Record]) -> str:
    rows = []
    for panel in known(records, [*fig2.PANELS, fig3.MNIST, fig3.SCRNA]):
        found = {method: faster(records, panel, method) for method in BANDITS}
        both = [n for n in found["banditpam"] if n in found["banditpam_original"]]
        measured = [n for n in both if found["banditpam"][n][1]]
        for n in sorted({*measured[-1:], *both[-1:]}):
            how = "measured" if n in measured else "FastPAM1 extrapolated by n²"
            cells = [times(found[method][n][0]) for method in BANDITS]
            rows.append([f"{panel.title(records)}, n = {n:,}", how, *cells])
    head = [
        "times faster than our FastPAM1 (paper: 4×)",
        "",
        *(f"`{method}`" for method in BANDITS),
    ]
    return table(head, rows)


def _same_table(records: list[Record]) -> str:
    small = chosen(records, data="mnist", metric="l2", k=5)
    rows = []
    for method in BANDITS:
        same, count = fig1a.same_medoids(small, method)
        rows.append([f"`{method}`", f"{same} of {count}"])
    return table(["PAM's medoids, figure 1a (paper: in almost all cases)", "fits"], rows)
