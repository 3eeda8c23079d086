"""Draw seconds against n on a GPU and on its host, from results/gpu_curve.json."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from medoids.plot._style import BLUE, INK, QUIET, RED, RULE

HERE = Path(__file__).resolve().parent
LINES = {
    "medoids, GPU": (BLUE, "-"), "k-means, GPU": (RED, "-"),
    "medoids, CPU": (BLUE, "--"), "k-means, CPU": (RED, "--"),
}  # fmt: skip


def main() -> None:
    points = json.loads((HERE / "results" / "gpu_curve.json").read_text())
    figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for name, (colour, dash) in LINES.items():
        known = [(each["n"], each[name]) for each in points if name in each]
        n, seconds = zip(*known, strict=True)
        ax.plot(n, seconds, dash, color=colour, marker="o", markersize=4)
        # Lines that end last are near each other: the upper one's words are above.
        beside = [each[other] for each in points for other in LINES
                  if each["n"] == n[-1] and other != name and other in each]  # fmt: skip
        near = n[-1] == points[-1]["n"] and beside
        shift = 0 if not near else 7 if seconds[-1] > max(beside) else -7
        ax.annotate(f"{name}: {seconds[-1]:.2g} s", (n[-1], seconds[-1]), xytext=(7, shift),
                    textcoords="offset points", color=INK, fontsize=9, va="center")  # fmt: skip
    ax.set(xscale="log", yscale="log", xlabel="rows of 784 columns", ylabel="seconds, k = 10")
    ax.set_xlim(8_000, 4_500_000)
    ax.set_xticks([each["n"] for each in points], [f"{each['n']:,}" for each in points])
    ax.minorticks_off()
    ax.grid(color=RULE, linewidth=0.6)
    ax.tick_params(colors=QUIET)
    ax.spines[["top", "right"]].set_visible(False)
    to = HERE.parent / "docs" / "performance" / "gpu.png"
    to.parent.mkdir(exist_ok=True)
    figure.savefig(to, dpi=140)


if __name__ == "__main__":
    main()
