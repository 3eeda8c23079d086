"""`medoids cluster`: find the medoids of a file, and write what was found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from rich.text import Text

from ..interrupts import INTERRUPTED, interruptible, patience
from ..output.folder import check_target, new_folder, new_text
from ..output.results import (
    Fitted,
    beside,
    centers,
    describe,
    plain,
    summarise,
    write_labels,
    write_medoids,
    write_result,
)
from ..output.screen import Screen, clusters_table, number, saved
from ..problem import headless_plot, need, printable
from ..readers.inputs import Input, Reading
from ..readers.read import read
from ..readers.source import Source
from .choose import choose
from .fitting import fit, membership

# What the extra `report` brings.
REPORT_NEEDS = ("jinja2", "plotly", "PIL")


class Target(NamedTuple):
    """Where results go, and which.

    Attributes
    ----------
    folder : Path
    force : bool
        Replace the results that are there.
    report, picture : bool
        Write the page report.html too, and the medoids as medoids.png.
    """

    folder: Path
    force: bool
    report: bool
    picture: bool = False


def cluster(
    source: Source,
    reading: Reading,
    shape: tuple[int, ...] | None,
    params: dict[str, Any],
    target: Target,
    screen: Screen,
    command: str,
) -> int:
    """Read, fit, write, show; the exit code."""
    check_target(target.folder, target.force)
    if target.report:
        for module in REPORT_NEEDS:
            need(module, "report", "--report")
    made = read(source, reading)
    if shape is not None:
        made.set_image_shape(shape, source.name)
    params = params | {"metric": choose(params, made, reading.scale, source.name)}
    facts = describe(source, made, reading)
    source.forget()
    with patience() as waiting:
        fitted = fit(made, params, screen)
        code = finish(made, fitted, facts, params, target, screen, command)
    return INTERRUPTED if waiting.came else code


def finish(
    made: Input,
    fitted: Fitted,
    facts: dict[str, Any],
    params: dict[str, Any],
    target: Target,
    screen: Screen,
    command: str,
) -> int:
    """Write what was found, and show it."""
    failed: BaseException | None = None
    doing = screen.doing("writing (Ctrl-C twice gives it up)")
    with doing, new_folder(target.folder, target.force) as folder:
        rows = membership(fitted.km, made.X)
        if not fitted.interrupted:
            try:
                with interruptible():
                    _draw(folder, made, fitted, target, facts["file"], command)
            except (Exception, KeyboardInterrupt) as error:  # no page must cost the result
                failed = error
        result = summarise(made, fitted, rows.distance, params, command)
        held = centers(made, fitted.km.medoid_indices_)
        write_medoids(folder, made, result["medoids"], held)
        names = [each["name"] for each in result["medoids"]]
        with new_text(folder / "labels.csv") as file:
            labels = fitted.km.labels_
            more = beside(rows) | ({} if made.labels is None else {"label": made.labels.values})
            write_labels(file, made.names, labels, names, rows.distance, more)
        there = [each.name for each in folder.iterdir()]
        result |= {"files": sorted([*there, "result.json"]), "data": facts}
        write_result(folder, result | {"centers": held, "history": fitted.km.history_})
    texts = held if made.kind == "strings" or made.texts is not None else None
    show(result, texts, target.folder, screen)
    if isinstance(failed, KeyboardInterrupt):
        screen.warn("interrupted: what was still to be drawn is left out")
    elif failed is not None:
        raise failed
    return INTERRUPTED if fitted.interrupted or failed is not None else 0


def _draw(
    folder: Path, made: Input, fitted: Fitted, target: Target, file: str, command: str
) -> None:
    """The page and the picture that are wanted; none that is not whole."""
    if target.report:
        with _whole(folder / "report.html") as path:
            k = len(fitted.km.medoid_indices_)
            labels = None
            if made.labels is not None:
                pandas = need("pandas", "cli", "a table")
                labels = pandas.Series(made.labels.values, name=made.labels.column, dtype=object)
            fitted.km.report(
                made.X, path, names=made.names, feature_names=made.features, command=command,
                texts=made.texts,
                image_shape=made.image_shape, title=f"{file}: {k:,} medoids of {made.n:,} rows",
                values=made.unscaled, labels=labels, annotations=made.annotations,
                coordinates=made.coordinates,
            )  # fmt: skip
    if target.picture:
        plot = headless_plot("a picture")
        with _whole(folder / "medoids.png") as path:
            ax = plot.medoids(fitted.km, made.X, image_shape=made.image_shape)
            ax.figure.savefig(path, dpi=150, bbox_inches="tight")


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """A file that is removed if it cannot be finished."""
    try:
        yield path
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def show(result: dict[str, Any], texts: list[str] | None, folder: Path, screen: Screen) -> None:
    """The table of clusters, the loss, and where all is; or the same as JSON."""
    screen.json(plain(result) | {"out": str(folder)})
    screen.show(clusters_table(result["medoids"], texts))
    n, swaps = result["n"], result["swaps"]
    screen.show("")
    what = "loss" if result["weights"] is None else "weighted loss"
    screen.show(
        f"{what} {number(result['loss'])} (mean {number(result['mean_loss'])})"
        f" · {swaps} swap{'s' if swaps != 1 else ''} · {saved(result['distances'], n)}"
        f" · {result['seconds']:.1f} s"
    )
    if result["starts"] is not None:
        losses = result["starts"]
        least, most = number(min(losses)), number(max(losses))
        ends = f"all ended at {least}" if least == most else f"ended between {least} and {most}"
        screen.show(f"{len(losses)} starts, of which the best is kept: {ends}")
    if result["labels"] is not None and result["labels"]["adjusted_rand"] is not None:
        column, index = result["labels"]["column"], result["labels"]["adjusted_rand"]
        screen.show(Text(f"against {printable(column)!r}: adjusted Rand index {index:.3f}"))
    if result["status"] == "interrupted":
        k = result["parameters"]["n_clusters"]
        found = len(result["medoids"])
        screen.warn(f"interrupted: the best {found} of {k} medoids so far")
    screen.show(f"written to {folder}: {', '.join(result['files'])}")
