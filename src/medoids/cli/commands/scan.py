"""`medoids scan`: the loss and the silhouette for several numbers of clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from ..._silhouette import fit_distances, medoid_silhouette
from ..interrupts import INTERRUPTED
from ..output.folder import check_file, new_file
from ..output.screen import Screen, number, short
from ..problem import Problem, headless_plot, need
from ..readers.inputs import Input, Reading
from ..readers.read import read
from ..readers.source import Source
from .choose import choose
from .fitting import fit

_PICTURES = (".png", ".svg", ".pdf")
_BAR = 24
_EIGHTHS = " ▏▎▍▌▋▊▉█"


class Trial(NamedTuple):
    """One number of clusters; the silhouette is None for k = 1, and for negative distances."""

    k: int
    loss: float
    silhouette: float | None
    smallest: int
    seconds: float
    distances: int


def scan(
    source: Source,
    reading: Reading,
    params: dict[str, Any],
    ks: range,
    picture: Path | None,
    force: bool,
    screen: Screen,
) -> int:
    """Fit for each k on the same data; show a table, a suggestion, and perhaps a picture."""
    if picture is not None:
        if picture.suffix.lower() not in _PICTURES:
            raise Problem(f"--out {picture} is no picture: end it in {' or '.join(_PICTURES)}.")
        need("matplotlib", "plot", "a picture")
        check_file(picture, force)
    made = read(source, reading)
    params = params | {"metric": choose(params["metric"], made, source.name)}
    if ks[-1] > made.n:
        raise Problem(f"-k up to {ks[-1]} is more than the {made.n} rows there are.")
    trials: list[Trial] = []
    interrupted = False
    for k in ks:
        try:
            trial = _try(made, params | {"n_clusters": k}, screen)
        except KeyboardInterrupt:
            trial = None
        if trial is None:
            interrupted = True
            break
        trials.append(trial)
    if not trials:
        raise KeyboardInterrupt
    best, reason = suggest(trials, interrupted)
    facts = {"status": "interrupted" if interrupted else "done", "n": made.n}
    _show(trials, best, reason, facts, screen)
    if picture is not None and not interrupted:
        _draw(picture, trials, best, force)
        screen.notes([f"picture in {picture}"])
    return INTERRUPTED if interrupted else 0


def _try(made: Input, params: dict[str, Any], screen: Screen) -> Trial | None:
    """One number of clusters; None if it was interrupted."""
    km, interrupted, seconds = fit(made, params, screen, f"k = {params['n_clusters']}: ")
    if interrupted:
        return None
    distances = fit_distances(km, made.X)
    clear = distances.shape[1] > 1 and distances.min() >= 0
    mean = float(medoid_silhouette(distances).mean()) if clear else None
    smallest = int(np.bincount(km.labels_, minlength=params["n_clusters"]).min())
    return Trial(
        params["n_clusters"], float(km.inertia_), mean, smallest, seconds, int(km.n_distances_)
    )


def suggest(trials: list[Trial], interrupted: bool = False) -> tuple[int | None, str]:
    """The number of clusters that are clearest apart, and why."""
    known = [each for each in trials if each.silhouette is not None]
    if not known and any(each.k > 1 for each in trials):
        return None, "no suggestion: where distances are below 0 there is no silhouette"
    if len(known) < 2:
        return None, "no suggestion: scan at least two numbers of clusters, from 2 on"
    ranked = sorted(known, key=lambda each: (-(each.silhouette or 0.0), each.k))
    best, next_ = ranked[0], ranked[1]
    reason = (
        f"k = {best.k}: the highest mean medoid silhouette, {best.silhouette:.3f}"
        f" (next {next_.silhouette:.3f} at k = {next_.k})"
    )
    if interrupted:
        reason += "; the scan was interrupted"
    elif best.k == max(each.k for each in known):
        reason += "; it is the largest k tried, so look further"
    return best.k, reason


def _show(
    trials: list[Trial], best: int | None, reason: str, facts: dict[str, Any], screen: Screen
) -> None:
    shown = [each._asdict() for each in trials]
    screen.json(facts | {"trials": shown, "suggestion": best, "reason": reason})
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for name in ("k", "loss", "change", "smallest", "silhouette"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    top = max((each.silhouette or 0.0 for each in trials), default=0.0)
    for before, each in zip([None, *trials], trials, strict=False):
        change = f"{each.loss / before.loss - 1:+.1%}" if before and before.loss > 0 else ""
        known = each.silhouette is not None
        table.add_row(
            str(each.k), number(each.loss), change, f"{each.smallest:,}",
            f"{each.silhouette:.3f}" if known else "–",
            Text(bar(each.silhouette or 0.0, top), style="cyan"),
            style="bold" if each.k == best else "",
        )  # fmt: skip
    screen.show(table)
    screen.show("")
    total = sum(each.seconds for each in trials)
    screen.show(f"{short(sum(each.distances for each in trials))} distances · {total:.1f} s")
    screen.show(Text(reason, style="bold" if best else ""))


def bar(value: float, top: float) -> str:
    """A bar of blocks, to an eighth of a place."""
    eighths = round(_BAR * 8 * max(value, 0.0) / top) if top > 0 else 0
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


def _draw(path: Path, trials: list[Trial], best: int | None, force: bool) -> None:
    silhouettes = [np.nan if each.silhouette is None else each.silhouette for each in trials]
    ax = headless_plot("a picture").scan(
        [each.k for each in trials], [each.loss for each in trials], silhouettes, best=best
    )
    with new_file(path, force) as staged:
        ax.figure.savefig(staged, dpi=150, bbox_inches="tight")
