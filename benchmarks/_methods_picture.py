"""What `methods.py` found, as a picture: loss against seconds."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

from _labels import GREY, label_all
from _methods_tables import DATA, excess_of, measured, pam_of
from _records import Case, Records

PANELS = [Case("mnist", n, k) for k in (10, 100) for n in (3000, 10_000, 70_000)]
# The name in the picture, and the marker: filled for this library, hollow for its peers.
MARKS = {
    "medoids banditpam": ("banditpam", "D"),
    "medoids banditpam eager (random)": ("banditpam eager", "d"),
    "medoids banditpam_original": ("banditpam_original", "X"),
    "medoids pam": ("pam", "s"),
    "medoids fastpam1": ("fastpam1", "P"),
    "medoids fastpam": ("fastpam", "p"),
    "medoids fasterpam (random)": ("fasterpam", "h"),
    "medoids alternate (random)": ("alternate", "v"),
    "medoids clara": ("clara", "o"),
    "medoids clarans (random)": ("clarans", "^"),
    "medoids onebatch (random)": ("onebatch", "*"),
    "matrix + FastPAM1": ("kmedoids fastpam1", "P"),
    "matrix + FasterPAM": ("kmedoids fasterpam", "h"),
    "onebatch": ("PyPI onebatch", "*"),
    "onebatch, batch x 3": ("PyPI onebatch, batch × 3", "<"),
}
Dot = tuple[float, float]  # seconds, and % above PAM's loss
BLUE = "#1f4e8c"


def draw_panel(ax: Any, case: Case, dots: dict[str, Dot], pam: str, kmeans: float) -> list[Any]:
    """Everything but the names of the methods; the texts that these must not cover."""
    for method, at in dots.items():
        _, marker = MARKS[method]
        mine = method.startswith("medoids")
        face, edge = (BLUE, "white") if mine else ("white", BLUE)
        size = 8 + mine + 2 * (marker == "*")
        ax.plot(*at, marker, ms=size, mfc=face, mec=edge, mew=0.6 if mine else 1.2, zorder=3)
    ax.set_title(f"{DATA[case.data]}, n = {case.n:,}, k = {case.k}", loc="left", fontsize=10)
    ax.set_xscale("log")
    ax.set_yscale("symlog", linthresh=0.1, linscale=0.6)
    ax.axhline(0, color=GREY, lw=0.8, zorder=1)
    small = {"fontsize": 7, "color": GREY, "va": "bottom"}
    texts = [ax.text(0.005, 0, f" PAM ({pam})", transform=ax.get_yaxis_transform(), **small)]
    if kmeans:
        ax.axvline(kmeans, color=GREY, lw=0.8, ls=":", zorder=1)
        texts.append(ax.text(kmeans, 0, " k-means", transform=ax.get_xaxis_transform(), **small))
    ax.margins(x=0.18, y=0.12)
    ax.grid(which="major", color="#d0d7de", lw=0.6)
    ax.tick_params(which="both", length=0, labelsize=8)
    ax.spines[:].set_visible(False)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter("")
    ax.yaxis.set_major_formatter(lambda y, _: f"{y:+g}".replace("-", "−") if y else "0")
    return texts


def dots_of(records: Records, case: Case) -> dict[str, Dot]:
    """Seconds and loss of each method that was measured."""
    found = {}
    for method in MARKS:
        seconds = measured(records, case, method, "seconds")
        excess = excess_of(records, case, method)
        if seconds and excess is not None:
            found[method] = (statistics.median(seconds), excess)
    return found


def draw_methods(records: Records, cases: list[Case], path: Path) -> None:
    """A panel for each of some cases, a marker for each method."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ready = [case for case in cases if pam_of(records, case)]
    chosen = [case for case in PANELS if case in ready] or ready[:6]
    if not chosen:
        return
    wide = min(len(chosen), 3)
    tall = -(-len(chosen) // wide)
    figure, axes = plt.subplots(
        tall, wide, sharex="col", sharey=True, squeeze=False, figsize=(5.2 * wide, 4.4 * tall),
        layout="constrained", dpi=150,
    )  # fmt: skip
    panels = list(zip(axes.flat, chosen, strict=False))
    for ax in axes.flat[len(chosen) :]:
        ax.set_visible(False)
    texts = []
    for ax, case in panels:
        dots, pam = dots_of(records, case), pam_of(records, case)[1].split()[1]
        kmeans = statistics.median(measured(records, case, "k-means", "seconds") or [0])
        texts.append(draw_panel(ax, case, dots, pam, kmeans))
    figure.supxlabel("seconds, logarithmic scale; filled: this library, hollow: peers", fontsize=9)
    axes[0, 0].set_ylabel("% above PAM's loss", fontsize=9)
    # Names go last: they have to know where everything is.
    low, high = axes[0, 0].get_ylim()
    axes[0, 0].set_ylim(min(low, -0.4), max(high, 2))  # room around the line of PAM
    figure.canvas.draw()
    figure.set_layout_engine("none")
    for (ax, case), fixed in zip(panels, texts, strict=True):
        dots = dots_of(records, case)
        label_all(ax, {MARKS[method][0]: dot for method, dot in dots.items()}, fixed)
    figure.savefig(path, facecolor="white")
    plt.close(figure)
