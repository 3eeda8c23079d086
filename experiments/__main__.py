"""Run the paper's experiments and draw its figures: `make reproduce`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from medoids import __version__

from . import (
    _data,
    appendix1,
    appendix2,
    appendix3,
    appendix4,
    appendix5,
    claims,
    delta,
    fig1a,
    fig1b,
    fig2,
    fig3,
    ladder,
)
from ._publish import publish
from ._records import Record, Records, Run
from ._runner import do, expected
from ._scale import Scale

FIGURES: dict[str, Any] = {
    "fig1a": fig1a,
    "fig1b": fig1b,
    "fig2": fig2,
    "fig3": fig3,
    "appendix1": appendix1,
    "appendix2": appendix2,
    "appendix3": appendix3,
    "appendix4": appendix4,
    "appendix5": appendix5,
    "claims": claims,
    "delta": delta,
    "ladder": ladder,
}


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    add = parser.add_argument
    add("--full", action="store_true", help="the paper's sizes; without it, small ones")
    add("--tiny", action="store_true", help="sizes that only show that the code works")
    add("--only", nargs="+", choices=list(FIGURES), default=list(FIGURES), metavar="FIGURE",
        help=", ".join(FIGURES))  # fmt: skip
    add("--repeats", type=int, metavar="N", help="random subsets, instead of each figure's own")
    add("--draw", action="store_true", help="run nothing: draw from records")
    add("--plan", action="store_true", help="run nothing: say what is left to run")
    add("--fresh", action="store_true", help="forget the records of earlier runs")
    add("--synthetic", action="store_true", help="use made data even if there is real data")
    add("--records", type=Path, metavar="DIR", help="take records from there too")
    add("--out", type=Path, default=Path("out/reproduce"), metavar="DIR", help="%(default)s")
    add(
        "--publish",
        action="store_true",
        help="of a full run: into docs/paper.md, experiments/records",
    )
    args = parser.parse_args(arguments)
    if args.full and (args.tiny or args.synthetic):
        parser.error("--full is of real data at the paper's sizes: drop --tiny and --synthetic")
    if args.repeats is not None and args.repeats < 1:
        parser.error("--repeats must be 1 or more")
    if args.publish and (not args.full or args.repeats or len(args.only) < len(FIGURES)):
        parser.error("--publish is of a whole full run: add --full, drop --only and --repeats")
    return args


def with_data(runs: list[Run], args: argparse.Namespace, records: Records) -> list[Run]:
    """The runs of a figure: on real data, or all on made data where a file is missing.

    If they are only drawn, a file counts as missing where no run on it is recorded.
    """
    if args.synthetic:
        real = set()
    elif args.draw:
        real = {_file(run) for run in runs if records.find(run)}
    else:
        real = {_file(run) for run in runs if args.full or _data.is_there(run.data)}
    return [
        run if run.synthetic or _file(run) in real else run._replace(synthetic=True) for run in runs
    ]


def _file(run: Run) -> str:
    return _data.KINDS[run.data].file


def unique(runs: Iterable[Run]) -> list[Run]:
    return list({run.key: run for run in runs}.values())


def plan(wanted: dict[str, list[Run]], records: Records) -> list[tuple[str, Run]]:
    """What is not recorded yet, each once, with the first figure that needs it."""
    todo: dict[str, tuple[str, Run]] = {}
    for figure, runs in wanted.items():
        for run in runs:
            if records.find(run) is None:
                todo.setdefault(run.key, (figure, run))
    return list(todo.values())


def missing_files(todo: list[tuple[str, Run]]) -> list[str]:
    """Files of data that a run needs, and that are not there. MNIST can be fetched."""
    names = {run.data for _, run in todo if not run.synthetic and run.data != "mnist"}
    return sorted({_data.KINDS[name].file for name in names if not _data.is_there(name)})


def show_plan(wanted: dict[str, list[Run]], todo: list[tuple[str, Run]]) -> None:
    for figure, runs in wanted.items():
        mine = [run for name, run in todo if name == figure]
        seconds = sum(map(expected, mine))
        print(f"{figure:<10} {len(mine):>4} of {len(runs):>4} runs left, about {seconds:,.0f} s")


def draw(found: dict[str, list[Record]], wanted: dict[str, list[Run]], folder: Path) -> None:
    """Each figure from what is recorded of it, and its tables."""
    pages = []
    versions = {one["version"] for records in found.values() for one in records}
    if others := ", ".join(sorted(versions - {__version__})):
        print(f"Some records are of medoids {others}, this is {__version__}.", file=sys.stderr)
    for name, records in found.items():
        missing = len(wanted[name]) - len(records)
        if missing:
            print(f"{name}: {missing} of {len(wanted[name])} runs are missing", file=sys.stderr)
        if not records:
            continue
        FIGURES[name].draw(records, folder / f"{name}.png")
        pages.append(f"## {name}: {FIGURES[name].TITLE}\n\n{FIGURES[name].tables(records)}\n")
        print(folder / f"{name}.png")
    (folder / "tables.md").write_text("\n".join(pages))
    print(folder / "tables.md")


def main(arguments: list[str] | None = None) -> int:
    args = parse(arguments)
    scale = Scale("full" if args.full else "tiny" if args.tiny else "quick", args.repeats)
    folder = args.out / scale.name
    if args.fresh:
        (folder / "records.jsonl").unlink(missing_ok=True)
    others = sorted(args.records.glob("*.jsonl")) if args.records else []
    records = Records(folder / "records.jsonl", others)
    wanted = {
        name: unique(with_data(FIGURES[name].runs(scale), args, records)) for name in args.only
    }
    todo = plan(wanted, records)
    if args.plan:
        show_plan(wanted, todo)
        return 0
    if todo and not args.draw:
        if files := missing_files(todo):
            print(
                f"Missing: {', '.join(files)}. Set MEDOIDS_DATA to a folder that has them, or leave"
                " out --full (FULL=1) for small sizes on made data.",
                file=sys.stderr,
            )
            return 2
        try:
            do(todo, records)
        except KeyboardInterrupt:
            print("Stopped. The same command goes on where it was.", file=sys.stderr)
            return 130
    folder.mkdir(parents=True, exist_ok=True)
    found = {
        name: [one for run in runs if (one := records.find(run))] for name, runs in wanted.items()
    }
    draw(found, wanted, folder)
    if args.publish:
        if plan(wanted, records):
            print("Not published: runs are missing. Run without --draw first.", file=sys.stderr)
            return 1
        publish(FIGURES, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
