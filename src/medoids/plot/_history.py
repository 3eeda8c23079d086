"""How the medoids were found, from the record of each step."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import Any

from .._fitted import FittedKMedoids, on_host
from ._style import BLUE, INK, QUIET, RED, RULE, axes, quiet, title

_PHASES = {"init": QUIET, "build": BLUE, "swap": RED}


def loss(km: FittedKMedoids, ax: Any = None) -> Any:
    """The loss after each BUILD step and each SWAP step.

    Parameters
    ----------
    km : KMedoids
        Fitted.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from medoids import KMedoids, plot
    >>> km = KMedoids(2).fit([[1.0], [2.0], [3.0], [10.0], [11.0]])
    >>> plot.loss(km).get_ylabel()
    'loss'
    """
    km, _ = on_host(km)
    ax = axes(ax, 7, 4)
    steps = [(at, step["loss"], step["phase"]) for at, step in enumerate(km.history_, 1)]
    size = 5 if len(steps) <= 40 else 2.5
    before: list[Any] = []  # the last step of the phase before, where the line goes on
    for phase, group in groupby(steps, key=itemgetter(2)):
        own = list(group)
        at, losses, _ = zip(*before, *own, strict=True)
        ax.plot(at, losses, color=_PHASES[phase], linewidth=1.6)
        ax.plot(at[len(before) :], losses[len(before) :], "o", color=_PHASES[phase], ms=size)
        before = own[-1:]
    ax.annotate(
        f"{km.history_[-1]['loss']:,.6g}", (len(steps), km.history_[-1]["loss"]), xytext=(0, 8),
        textcoords="offset points", ha="right", fontsize=9, color=INK,
    )  # fmt: skip
    ax.set(xlabel="step", ylabel="loss")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.yaxis.set_major_formatter("{x:,.10g}")
    quiet(ax, "y")
    _phases(ax, km)
    title(ax, f"The loss in {len(steps)} steps")
    return ax


def search(km: FittedKMedoids, ax: Any = None) -> Any:
    """How many arms survive each round of each search; the darker, the more references.

    A column is one BUILD or SWAP step. It starts at the top with all arms, and each dot below
    is a round. The lowest are the arms whose value was then computed exactly.

    Parameters
    ----------
    km : KMedoids
        Fitted.
    ax : matplotlib Axes, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from medoids import KMedoids, plot
    >>> km = KMedoids(2).fit([[1.0], [2.0], [3.0], [10.0], [11.0]])
    >>> plot.search(km).get_ylabel()
    'arms that survive'
    """
    km, _ = on_host(km)
    ax = axes(ax, 7, 4.2)
    rounds = [
        # A search that ends with no survivor has shown that nothing improves.
        (at, each["references"], max(each["survivors"], 1))
        for at, step in enumerate(km.history_, 1)
        for each in step["rounds"]
    ]
    for at, step in enumerate(km.history_, 1):
        if step["rounds"]:
            ends = [step["arms"], max(step["rounds"][-1]["survivors"], 1)]
            ax.plot((at, at), ends, color=RULE, linewidth=1, zorder=1)
            ax.plot(at, step["arms"], "_", color=QUIET, markersize=6, zorder=1)
    depths = sorted({references for _, references, _ in rounds})
    size = 28 if len(km.history_) <= 40 else 9
    for references, shade in zip(depths, _ramp(len(depths)), strict=True):
        some = [(at, left) for at, seen, left in rounds if seen == references]
        ax.scatter(*zip(*some, strict=True), s=size, color=shade, label=f"{references:,}")
    ax.set(yscale="log", xlabel="step", ylabel="arms that survive")
    ax.xaxis.get_major_locator().set_params(integer=True)
    quiet(ax, "y")
    _phases(ax, km)
    if rounds:
        ax.legend(
            title="references", title_fontsize=9, frameon=False, fontsize=9, labelcolor=INK,
            loc="upper left", bbox_to_anchor=(1, 1), handletextpad=0.2,
        )  # fmt: skip
    share = km.n_distances_ / len(km.labels_) ** 2
    title(ax, f"{km.n_distances_:,} distances computed: {share:.1%} of n²")
    return ax


def _ramp(count: int) -> list[Any]:
    """Blues, from light to dark."""
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("references", ["#9ec5ea", BLUE, "#12294a"])
    return [shades(at / max(count - 1, 1)) for at in range(count)]


def _phases(ax: Any, km: FittedKMedoids) -> None:
    """Name the phases along the top, with a rule where SWAP starts."""
    names = [step["phase"] for step in km.history_]
    for phase in dict.fromkeys(names):
        first = names.index(phase) + 0.5
        if first > 1:
            ax.axvline(first, color=QUIET, linewidth=0.8, linestyle=(0, (1, 2)), zorder=0.5)
        ax.annotate(
            phase.upper(), (first, 1), xycoords=("data", "axes fraction"), xytext=(4, 0),
            textcoords="offset points", va="bottom", fontsize=8, color=_PHASES[phase],
        )  # fmt: skip
    ax.set_xlim(0.5, len(names) + 0.5)
