"""Beyond the paper: what each change brings, from `banditpam_original` to `banditpam`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from . import _data
from ._records import Record, Run, chosen
from ._scale import Scale
from ._stats import mean_of
from ._style import label_ends, panels, plain, quiet, save
from ._tables import table

TITLE = "What each change brings"
CHANGES = {
    "as published": {},
    "+ cache": {"cache": True},
    "+ paired differences": {"paired": True},
    "+ no replacement": {"replacement": False},
    "+ null arm": {"null_arm": True},
}
MEMORY = 4e9  # for the distances that are kept


class Case(NamedTuple):
    data: str
    n: int
    k: int

    def title(self, records: list[Record]) -> str:
        made = any(one["synthetic"] for one in chosen(records, **self._asdict()))
        return f"{_data.title(self.data, made)}, {self.n:,}, k = {self.k}"


def rungs() -> dict[str, tuple[str, dict[str, Any]]]:
    """The method and the options of each: every change is added to those before it."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    so_far: dict[str, bool] = {}
    for name, change in CHANGES.items():
        so_far = so_far | change
        options = {"method_params": so_far, "memory_limit": MEMORY} if so_far else {}
        found[name] = ("banditpam_original", options)
    return found | {"banditpam": ("banditpam", {})}


def cases(scale: Scale) -> dict[Case, range]:
    """Each with its repeats."""
    small, large = scale.pick((400, 500), (3000, 6000), (10_000, 70_000))
    many, one = scale.seeds(1, 2, 5), scale.seeds(1, 1, 1)
    return {
        Case("mnist", small, 5): many,
        Case("mnist", small, 10): many,
        Case("mnist", large, 5): one,
        Case("mnist", large, 10): one,
        Case("scrna-pca", small, 5): many,
        Case("student-t", small, 5): many,
    }


def runs(scale: Scale) -> list[Run]:
    found = []
    for case, seeds in cases(scale).items():
        made = case.data == "student-t"
        tries = list(rungs().values())
        if case.n <= 30_000:
            tries.insert(0, ("fastpam1", {"memory_limit": 4e9}))
        found += [
            Run(*case, "l2", method, seed, options, synthetic=made)
            for seed in seeds
            for method, options in tries
        ]
    return found


def of(records: list[Record], case: Case, rung: str) -> list[Record]:
    method, options = rungs()[rung]
    return chosen(records, **case._asdict(), method=method, options=options)


def excess(records: list[Record], case: Case, rung: str) -> list[float]:
    """Loss above PAM's in percent; above that of `banditpam` where PAM is out of reach."""
    exact = chosen(records, **case._asdict(), method="fastpam1") or of(records, case, "banditpam")
    losses = {one["seed"]: one["loss"] for one in exact}
    found = [one for one in of(records, case, rung) if one["seed"] in losses]
    return [100 * (one["loss"] / losses[one["seed"]] - 1) for one in found]


def known(records: list[Record]) -> list[Case]:
    found = {Case(one["data"], one["n"], one["k"]): None for one in records}
    return [case for case in found if all(of(records, case, rung) for rung in rungs())]


LOOKS = [
    ("o", "-", "#1f4e8c"),
    ("s", (0, (5, 2)), "#b3541e"),
    ("D", "-.", "#4d7c3a"),
    ("^", (0, (1, 1)), "#7a3e9d"),
    ("v", (0, (3, 1, 1, 1)), "#8a6d1d"),
    ("X", (0, (5, 1, 1, 1, 1, 1)), "#1b1f24"),
]


def draw(records: list[Record], path: Path) -> None:
    figure, axes = panels(1, 3, 13, 4.4)
    names = {"distances": "distances computed", "seconds": "seconds", "loss": "loss above PAM's, %"}
    for ax, (what, label) in zip(axes[0], names.items(), strict=True):
        quiet(ax, "", "", label)
        ax.set_xticks(range(len(rungs())), list(rungs()), rotation=35, ha="right", fontsize=8)
        _draw_quantity(ax, records, what)
    save(
        figure,
        path,
        "Each change is added to those before it; banditpam has further ones. Where PAM's matrix"
        " does not fit, the loss is against that of banditpam.",
    )


def _draw_quantity(ax: Any, records: list[Record], what: str) -> None:
    ends, colours = {}, {}
    for case, (marker, line, colour) in zip(known(records), LOOKS, strict=False):
        if what == "loss":
            y = [mean_of(excess(records, case, rung)).value for rung in rungs()]
        else:
            y = [mean_of([one[what] for one in of(records, case, rung)]).value for rung in rungs()]
        ax.plot(range(len(y)), y, marker=marker, ls=line, color=colour, lw=1.2, ms=5)
        ends[case], colours[case] = (len(y) - 1, y[-1], case.title(records)), colour
    if what != "loss":
        ax.set_yscale("log")
        plain(ax, "y")
    label_ends(ax, ends, colours)


def tables(records: list[Record]) -> str:
    rows = []
    for case in known(records):
        for rung in rungs():
            mine = of(records, case, rung)
            above = excess(records, case, rung)
            same = sum(abs(each) < 1e-7 for each in above)
            rows.append(
                [
                    case.title(records),
                    rung,
                    f"{mean_of([one['distances'] for one in mine]).value / 1e6:.1f} M",
                    f"{mean_of([one['seconds'] for one in mine]).value:.2f} s",
                    f"{mean_of(above).value:+.4f}%",
                    f"{same} of {len(above)}",
                ]
            )
    return table(["", "", "distances", "seconds", "loss above PAM's", "PAM's loss"], rows)
