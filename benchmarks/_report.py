"""What `bench.py` found, as tables and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

Case = dict[str, dict[str, Any]]
# Cores busy with something else, above which a measurement is marked.
BUSY = 0.1


def title(name: str) -> str:
    n, k = name[1:].split("-k")
    return f"n = {int(n):,}, k = {k}"


def case_table(case: Case) -> list[str]:
    lines = [
        "| method | seconds | × medoids | mean loss | distances | peak MB |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    unit = case["medoids"]["seconds"]
    for method, row in case.items():
        loss = f"{row['mean_loss']:.6f}"
        count = f"{row['distances'] / 1e6:,.1f} M" if "distances" in row else "–"
        mark = " †" if row["other_cores"] > BUSY else ""
        lines.append(
            f"| {method}{mark} | {row['seconds']:.3g} | {row['seconds'] / unit:.2f} "
            f"| {loss if 'medoids' in row else f'({loss})'} | {count} | {row['peak_mb']:,.0f} |"
        )
    return lines


def write_tables(results: dict[str, Any], cases: dict[str, Case]) -> str:
    about = results["machine"]
    packages = ", ".join(f"{name} {number}" for name, number in about["packages"].items())
    lines = [
        "# Benchmarks",
        "",
        f"{about['cores']} cores ({about['cpu']}), Python {about['python']}; {packages}.",
        "",
        "MNIST / 255, float32, l2. Seconds are the median of the runs, warmed up (the first fit",
        "of a process is measured apart). The mean loss is computed anew from the medoids, in",
        "float64. Distances are those computed, in millions, where the method tells. Peak MB is",
        "what the fit adds to the process that holds the data. k-means' loss, in brackets, is",
        "the mean distance to its centres, which are no rows of the data: not comparable.",
    ]
    if any(row["other_cores"] > BUSY for case in cases.values() for row in case.values()):
        lines += ["", "† The machine was busy with something else meanwhile: measure this again."]
    for name, case in cases.items():
        lines += ["", f"## {title(name)}", "", *case_table(case)]
    if "scaling" in results:
        lines += ["", "## Distances an iteration, against n", ""]
        for k, found in results["scaling"].items():
            low, high = found["interval"]
            lines.append(
                f"- k = {k[1:]}: n to the power {found['slope']:.3f}"
                f" (95% interval {low:.3f} to {high:.3f})"
            )
    if "l1" in results:
        found = results["l1"]
        lines += ["", "## l1 block kernel, one thread, 784 dimensions", ""]
        lines.append(
            f"{found['medoids']:.1f} G dimensions/s; SciPy's cdist {found['scipy']:.1f}:"
            f" {found['ratio']:.1f} times."
        )
    if "import" in results:
        found = results["import"]
        lines += ["", "## Import", ""]
        lines.append(
            f"`import sklearn.cluster` {found['sklearn']:.2f} s; with `medoids`"
            f" {found['with_medoids']:.2f} s. Numba is {'' if found['numba'] else 'not '}loaded."
        )
    if "first-fit" in results:
        lines += ["", "## First fit of a process, n = 1,000, k = 5", ""]
        for cache, found in results["first-fit"].items():
            lines.append(f"- {cache}: {found['first']:.2f} s, then {found['second']:.3f} s")
    return "\n".join(lines) + "\n"


def draw(cases: dict[str, Case], path: Path) -> None:
    """A panel for each case, a line for each method, a dot at its seconds."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    heights = [len(case) + 1 for case in cases.values()]
    figure, axes = plt.subplots(
        len(cases), 1, sharex=True, squeeze=False, figsize=(8, 0.27 * sum(heights) + 0.9),
        gridspec_kw={"height_ratios": heights}, layout="constrained", dpi=150,
    )  # fmt: skip
    for ax, (name, case) in zip(axes.flat, cases.items(), strict=True):
        for y, (method, row) in enumerate(case.items()):
            mine = method.startswith("medoids")
            weight = "bold" if method == "medoids" else "normal"
            ax.plot(
                row["seconds"], y, "D" if mine else "o", ms=7,
                color="#1f4e8c", mfc="#1f4e8c" if mine else "white", zorder=3,
            )  # fmt: skip
            ax.annotate(
                f"{row['seconds']:.3g} s", (row["seconds"], y), (9, 0), va="center",
                textcoords="offset points", fontsize=8, fontweight=weight,
                bbox={"fc": "white", "ec": "none", "pad": 1},
            )  # fmt: skip
        ax.set_title(title(name), loc="left", fontsize=10, fontweight="bold")
        ax.set_yticks(range(len(case)), list(case), fontsize=9)
        ax.get_yticklabels()[0].set_fontweight("bold")
        ax.set_ylim(len(case) - 0.4, -0.6)
        ax.set_xscale("log")
        ax.grid(axis="x", which="major", color="#d0d7de", lw=0.8)
        ax.hlines(range(len(case)), 0, 1, transform=ax.get_yaxis_transform(), color="#eef1f4")
        ax.tick_params(which="both", length=0)
        ax.spines[:].set_visible(False)
    slowest = max(row["seconds"] for case in cases.values() for row in case.values())
    axes[-1, 0].set_xlim(right=3 * slowest)
    axes[-1, 0].xaxis.set_major_formatter("{x:g}")
    axes[-1, 0].set_xlabel("seconds, logarithmic scale; MNIST, l2; filled: this library")
    figure.savefig(path, facecolor="white")
    plt.close(figure)
