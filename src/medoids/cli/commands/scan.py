"""`medoids scan`: several numbers of clusters in one run, and a suggestion."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ... import Scan
from ... import scan as scan_rows
from ..._history import Progress, watching
from ..output.compiling import COMPILING, telling
from ..output.folder import check_file, new_file
from ..output.results import plain
from ..output.screen import Screen, number, short
from ..problem import Problem, headless_plot, need
from ..readers.inputs import Input, Reading
from ..readers.read import read
from ..readers.source import Source
from .choose import choose
from .fitting import in_plain_words

_PICTURES = (".png", ".svg", ".pdf")
# The most and the fewest places for a bar.
_BAR, _SHORTEST = 24, 6
_EIGHTHS = " ▏▎▍▌▋▊▉█"


class Target(NamedTuple):
    """The picture to draw, if any, and whether it may replace another."""

    picture: Path | None
    force: bool


def scan(
    source: Source,
    reading: Reading,
    params: dict[str, Any],
    ks: range,
    resample: bool,
    target: Target,
    screen: Screen,
) -> int:
    """Fit all k on the same data; show a table, a suggestion, and perhaps a picture."""
    if target.picture is not None:
        _check_picture(target.picture, target.force)
    made = read(source, reading)
    params = params | {"metric": choose(params, made, reading.scale, source.name)}
    if ks[-1] > made.n:
        raise Problem(f"-k up to {ks[-1]} is more than the {made.n} rows there are.")
    began = time.perf_counter()
    with in_plain_words(made) as warned, _progress(made, ks, resample, screen):
        found = scan_rows(made.X, ks, sample_weight=made.sample_weight, resample=resample, **params)
    screen.warn(*made.warnings, *dict.fromkeys(warned))
    seconds = time.perf_counter() - began
    screen.json(plain(_facts(made, found, seconds)))
    _show(found, seconds, screen)
    if target.picture is not None:
        _draw(target.picture, found, target.force)
        screen.notes([f"picture in {target.picture}"])
    return 0


def _check_picture(path: Path, force: bool) -> None:
    if path.suffix.lower() not in _PICTURES:
        raise Problem(f"--out {path} is no picture: end it in {' or '.join(_PICTURES)}.")
    need("matplotlib", "plot", "a picture")
    check_file(path, force)


@contextmanager
def _progress(made: Input, ks: range, resample: bool, screen: Screen) -> Iterator[None]:
    """Say which k is fitted; at the first step, when no option can be wrong, also the notes."""
    then = ", then other samples for stability and gap" if resample and len(ks) > 1 else ""
    told = False
    with screen.doing("measuring") as status:

        def tell(progress: Progress) -> None:
            nonlocal told
            if not told:
                screen.notes(made.notes)
                told = True
            if status is not None:
                status.update(f"k = {len(progress.medoids)} of {ks[0]} to {ks[-1]}{then}")

        def compiling() -> None:
            if status is not None:
                status.update(COMPILING)

        with watching(tell), telling(compiling):
            yield


def _facts(made: Input, found: Scan, seconds: float) -> dict[str, Any]:
    """All that was found, for JSON."""
    trials = []
    for each in found:
        lists = {"sizes": each.sizes.tolist(), "medoid_indices": each.medoid_indices.tolist()}
        trials.append(each._asdict() | lists | {"smallest": each.sizes.min()})
    return {
        "status": "done",
        "n": made.n,
        "weights": None if made.weights is None else made.weights.column,
        "trials": trials,
        "suggestion": found.suggestion,
        "reason": found.reason,
        "votes": found.votes,
        "distances": found.n_distances,
        "seconds": seconds,
    }


def _show(found: Scan, seconds: float, screen: Screen) -> None:
    bare = Measurement.get(screen.out, screen.out.options, scan_table(found, 0)).maximum
    room = min(screen.out.width - bare - 3, _BAR)
    screen.show(scan_table(found, room if room >= _SHORTEST else 0))
    screen.show("")
    screen.show(f"{short(found.n_distances)} distances · {seconds:.1f} s")
    screen.show(Text(found.reason, style="bold" if found.suggestion else ""))


def scan_table(found: Scan, room: int) -> Table:
    """A row for each k; the silhouette also as a bar, if there is room for one."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for name in ("k", "loss", "change", "smallest", "silhouette", "stability", "gap"):
        table.add_column(name, justify="right", no_wrap=True)
    if room:
        table.add_column("", no_wrap=True)
    top = max(each.silhouette or 0.0 for each in found)
    for before, each in zip([None, *found], found, strict=False):
        change = f"{each.loss / before.loss - 1:+.1%}" if before and before.loss > 0 else ""
        bars = [Text(bar(each.silhouette or 0.0, top, room), style="cyan")] if room else []
        table.add_row(
            str(each.k), number(each.loss), change, f"{each.sizes.min():,}",
            _score(each.silhouette), _score(each.stability), _score(each.gap), *bars,
            style="bold" if each.k == found.suggestion else "",
        )  # fmt: skip
    return table


def _score(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def bar(value: float, top: float, width: int) -> str:
    """A bar of blocks, to an eighth of a place."""
    eighths = round(width * 8 * max(value, 0.0) / top) if top > 0 else 0
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


def _draw(path: Path, found: Scan, force: bool) -> None:
    ax = headless_plot("a picture").scan(found)
    with new_file(path, force) as staged:
        ax.figure.savefig(staged, dpi=150, bbox_inches="tight")
