"""Tables of docs: the speed of metrics, and what a model of a cluster says beside what was run."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from _figure_tables import Missing, read, table
from metrics import short
from scale_model import RUNS, Fit, Machine, cost

Row = dict[str, Any]


def speeds() -> list[Row]:
    found: list[Row] = json.loads(read("metrics.json"))["rows"]
    return found


def only(metric: str, family: str, peer: str = "") -> Row | None:
    """The row of a metric and a peer, or the first of a metric."""
    for row in speeds():
        name = row["metric"].partition(",")[0]
        if (name, row["family"]) == (metric, family) and row.get("peer", "").startswith(peer):
            return row
    return None


def ratio(row: Row | None) -> str:
    return short(row["ours_speed"] / row["peer_speed"]) if row else ""


def rows() -> str:
    """Metrics of rows: dense beside SciPy and scikit-learn, sparse beside our own dense kernel."""
    lines = []
    names = {row["metric"].partition(",")[0]: row for row in speeds() if row["family"] == "rows"}
    for name, first in names.items():
        unit = first["unit"].removesuffix(" columns/s").removesuffix(" pairs/s")
        what = "columns" if "columns" in first["unit"] else "pairs"
        called = f"`{name}`" + first["metric"].removeprefix(name)
        sparse = only(name, "sparse", "ours")
        lines.append([
            called, f"{short(only(name, 'rows')['ours_speed'])} {unit} {what}/s",
            ratio(only(name, "rows", "SciPy")), ratio(only(name, "rows", "scikit-learn")),
            f"{short(sparse['ours_speed'])} M pairs/s" if sparse else "",
            ratio(sparse), ratio(only(name, "sparse", "scikit-learn")),
        ])  # fmt: skip
    head = ["metric", "dense", "× SciPy", "× scikit-learn", "sparse", "× our dense",
            "× scikit-learn, sparse"]  # fmt: skip
    return table(head, lines)


def objects() -> str:
    """Metrics of objects, tables and functions, each beside its peers."""
    lines = []
    for row in speeds():
        if row["family"] in ("trees", "strings", "tables", "functions"):
            unit = row["unit"]
            peer = f"{short(row['peer_speed'])} {unit} ({row['peer']})"
            name = row["metric"] if row["family"] == "functions" else f"`{row['metric']}`"
            lines.append([name, row["input"], f"{short(row['ours_speed'])} {unit}", peer])
    return table(["metric", "of", "ours", "beside"], lines, words=2)


def model_runs() -> str:
    """The model beside fits in one process."""
    lines = []
    for n, steps, distances, first, seconds in RUNS:
        fit = Fit(n, 16, 10, steps, distances, references=first)
        model = cost(fit, 1, 1, Machine()).compute
        lines.append([f"{n:,}", str(steps), f"{distances:,}", f"{seconds:.1f}", f"{model:.1f}"])
    return table(["n", "steps", "distances / n", "CPU seconds", "model"], lines)


def model_cluster() -> str:
    """The model beside two workers that keep no columns, and so have 512 first references."""
    found, lines = json.loads(read("dask.json")), []
    for name in ("slope 1000000", "workers 2", "slope 4000000"):
        if name not in found:
            raise Missing(f"dask.json has no {name}: python benchmarks/on_dask.py measures it")
        one = found[name]
        fit = Fit(one["n"], one["d"], one["k"], one["steps"], kept=False, references=512)
        model = cost(fit, 2, 1, Machine())
        distances = fit.distances + (fit.steps - 1) * fit.first
        lines.append([
            f"{one['n']:,}", str(one["steps"]), f"{one['distances'] / one['n']:,.0f}",
            f"{distances:,.0f}", f"{one['busiest']:.0f}", f"{model.compute:.0f}",
            f"{one['seconds']:.0f}",
        ])  # fmt: skip
    head = ["n", "steps", "distances / n", "model", "busiest worker, s", "model", "by the clock, s"]
    return table(head, lines)


def span(seconds: float) -> str:
    """In seconds, or in what people count such spans by."""
    for unit, size in (("days", 86_400.0), ("hours", 3600.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def model_billion() -> str:
    """10⁹ rows of 768 columns on 100 machines of 32 cores."""
    fit, lines = Fit(1e9, 768, 10, 30), []
    for name, some in {
        "k = 10": fit,
        "the same, columns not kept": fit._replace(kept=False),
        "k = 100, 250 steps": fit._replace(k=100, steps=250),
        "k = 10,000, 20,000 steps": fit._replace(k=10_000, steps=20_000),
    }.items():
        found = cost(some, 100, 32, Machine())
        kept = f"{found.columns / 100 / 1e9:,.0f} GB" if some.kept else "–"
        lines.append([
            name, span(found.compute), span(found.latency),
            f"{span(found.broadcast)} ({found.sent / 1e6:,.0f} MB each)", span(found.total), kept,
        ])  # fmt: skip
    head = ["fit", "compute", "rounds", "rows sent", "in all", "columns kept, each"]
    return table(head, lines)


SPEEDS: dict[str, Callable[[], str]] = {
    "rows": rows, "objects": objects, "model-runs": model_runs, "model-cluster": model_cluster,
    "model-billion": model_billion,
}  # fmt: skip
