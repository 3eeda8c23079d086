"""Beyond the paper: loss and distances against delta, a trade that it leaves to future work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _data
from ._records import Record, Run, chosen, values
from ._scale import BANDITS, Scale
from ._stats import mean_of
from ._style import LOOKS, label_ends, marks, panels, plain, quiet, save
from ._tables import table

TITLE = "Loss and distances against delta"
DELTAS = (1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.3)
QUANTITIES = {
    "loss": "loss above PAM's, %",
    "same": "fits with PAM's medoids, %",
    "distances": "distances computed",
}


def runs(scale: Scale) -> list[Run]:
    n = scale.pick(300, 2500, 5000)
    found = []
    for seed in scale.seeds(1, 3, 10):
        found.append(Run("mnist", n, 5, "l2", "fastpam1", seed))
        for delta in scale.pick((1e-4, 0.3), DELTAS[::2] + DELTAS[-1:], DELTAS):
            found += [Run("mnist", n, 5, "l2", each, seed, {"delta": delta}) for each in BANDITS]
    return found


def measured(records: list[Record], method: str, delta: float, what: str) -> list[float]:
    """One number for each repeat."""
    exact = {one["seed"]: one for one in chosen(records, method="fastpam1")}
    found = chosen(records, method=method, options={"delta": delta})
    found = [one for one in found if one["seed"] in exact]
    if what == "loss":
        return [100 * (one["loss"] / exact[one["seed"]]["loss"] - 1) for one in found]
    if what == "same":
        return [100.0 * (one["medoids"] == exact[one["seed"]]["medoids"]) for one in found]
    return [one["distances"] for one in found]


def deltas(records: list[Record]) -> list[float]:
    return sorted({one["options"]["delta"] for one in records if one["options"]})


def draw(records: list[Record], path: Path) -> None:
    figure, axes = panels(1, 3, 13, 4)
    for ax, (what, label) in zip(axes[0], QUANTITIES.items(), strict=True):
        _draw_quantity(ax, records, what, label)
    n, made = records[0]["n"], records[0]["synthetic"]
    repeats = len(values(records, "seed"))
    save(
        figure, path,
        f"{_data.title('mnist', made)}, l2, n = {n:,}, k = 5, {repeats} random subsets; bars are"
        " 95% intervals. Defaults: 0.00003 (banditpam); 1 / (1000 targets), here from"
        f" {1 / (5000 * n):.0e} to {1 / (1000 * n):.0e} (banditpam_original).",
    )  # fmt: skip


def _draw_quantity(ax: Any, records: list[Record], what: str, label: str) -> None:
    ends = {}
    for method in BANDITS:
        x = [delta for delta in deltas(records) if measured(records, method, delta, what)]
        if not x:
            continue
        means = [mean_of(measured(records, method, delta, what)) for delta in x]
        y, half = [mean.value for mean in means], [mean.half for mean in means]
        ax.errorbar(
            x, y, None if what == "same" else half, capsize=2, lw=1.2, ls=LOOKS[method].line,
            **marks(method),
        )  # fmt: skip
        ends[method] = (x[-1], y[-1], method)
    ax.set_xscale("log")
    if what == "distances":
        ax.set_yscale("log")
        plain(ax, "y")
    else:
        ax.set_ylim(bottom=0 if what == "same" else None, top=104 if what == "same" else None)
    quiet(ax, "", "delta", label)
    label_ends(ax, ends)


def tables(records: list[Record]) -> str:
    rows = []
    for delta in deltas(records):
        cells = [f"{delta:g}"]
        for method in BANDITS:
            if not measured(records, method, delta, "loss"):
                cells += ["–"] * 3
                continue
            loss, same, count = (measured(records, method, delta, what) for what in QUANTITIES)
            cells.append(f"{mean_of(loss).value:+.3f}%")
            cells.append(f"{sum(each > 0 for each in same)} of {len(same)}")
            cells.append(f"{mean_of(count).value / 1e6:.1f} M")
        rows.append(cells)
    names = [f"{what}, `{method}`" for method in BANDITS for what in ("loss", "PAM's", "distances")]
    return table(["delta", *names], rows)
