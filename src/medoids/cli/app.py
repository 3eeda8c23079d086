"""The commands. Each gives back what it would do, for `run` to do.

What they do is imported when they do it: help comes at once.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import __version__
from . import options as opt
from .output.screen import Screen
from .parsing import parse_init, parse_list, parse_params, parse_range, parse_shape
from .readers.inputs import Reading
from .readers.source import open_source

Job = Callable[[], int]
# Options that decide nothing about the result.
_NOT_PART = ("file", "out", "force", "as_json", "quiet", "debug", "jobs")

app = typer.Typer(
    name="medoids",
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _examples(command: str, *lines: str) -> str:
    """The end of a help page: command lines that can be copied."""
    shown = [f"[dim]$[/dim] {' '.join(f'medoids {command} {line}'.split())}" for line in lines]
    return "\n".join(["[bold]Examples[/bold]", *shown])


@app.callback(
    invoke_without_command=True,
    epilog=_examples(
        "",
        "demo",
        "cluster iris.csv -k 3 --metric gower --report",
        "scan iris.csv -k 2:8 --metric gower",
        "predict iris-medoids new.csv",
    ),
)
def _top(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """k-medoids clustering: PAM's answer, for any data and any dissimilarity."""
    if version:
        print(f"medoids {__version__}")
    elif ctx.invoked_subcommand is None:
        print(ctx.get_help())


@app.command(
    "cluster",
    epilog=_examples(
        "cluster",
        "iris.csv -k 3 --columns sepal_length,petal_length",
        "cells.h5ad -k 12 --normalize --report",
        "programs.jsonl.gz -k 5 --out programs",
        "names.txt -k 20 --metric normalized_levenshtein",
        "- -k 4 --json < rows.csv",
    ),
)
def _cluster(
    ctx: typer.Context,
    file: opt.File,
    k: opt.Clusters,
    metric: opt.MetricName = None,
    metric_param: opt.MetricParam = None,
    method: opt.Method = "banditpam",
    swap: opt.Swap = "best",
    init: opt.InitOrRows = "build",
    max_iter: opt.MaxIter = 300,
    delta: opt.Delta = None,
    memory_limit: opt.MemoryLimit = None,
    device: opt.Device = None,
    seed: opt.Seed = 0,
    seeds: opt.Seeds = 1,
    jobs: opt.Jobs = None,
    format: opt.FormatName = None,
    columns: opt.ColumnNames = None,
    exclude: opt.Exclude = None,
    names: opt.Names = None,
    weights: opt.WeightsColumn = None,
    labels: opt.LabelsColumn = None,
    coordinates: opt.Coordinates = None,
    field: opt.Field = None,
    image_shape: opt.ImageShape = None,
    transpose: opt.Transpose = False,
    normalize: opt.Normalize = False,
    scale: opt.Scale = None,
    out: opt.OutFolder = None,
    report: opt.Report = False,
    force: opt.Force = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> Job:
    """Find k medoids, and the cluster of each row.

    Reads CSV, TSV, Parquet, NumPy (.npy, .npz), Matrix Market, AnnData (.h5ad),
    plain text (a string a line) and JSON lines. Writes labels.csv, medoids.csv
    (or .jsonl), result.json and, with --report, report.html to a folder.
    """
    reading = _reading(ctx)
    shape, screen = parse_shape(image_shape), Screen(quiet, as_json)

    def job() -> int:
        from .commands.cluster import Target, cluster
        from .output.folder import check_target

        params = {"n_clusters": k, **_params(ctx), **_starts(ctx)}
        if out is not None:
            check_target(out, force)
        source = open_source(file, format)
        target = Target(out or Path(f"{source.stem}-medoids"), force, report)
        return cluster(source, reading, shape, params, target, screen, _command(ctx, source.name))

    return job


@app.command(
    "scan",
    epilog=_examples(
        "scan",
        "iris.csv -k 2:10 --columns sepal_length,petal_length",
        "digits.npy -k 5:50:5 --swap eager --out scan.png",
    ),
)
def _scan(
    ctx: typer.Context,
    file: opt.File,
    k: opt.ClusterRange,
    metric: opt.MetricName = None,
    metric_param: opt.MetricParam = None,
    method: opt.Method = "banditpam",
    swap: opt.Swap = "best",
    init: opt.InitName = "build",
    max_iter: opt.MaxIter = 300,
    delta: opt.Delta = None,
    memory_limit: opt.MemoryLimit = None,
    device: opt.Device = None,
    seed: opt.Seed = 0,
    jobs: opt.Jobs = None,
    no_resample: opt.NoResample = False,
    format: opt.FormatName = None,
    columns: opt.ColumnNames = None,
    exclude: opt.Exclude = None,
    names: opt.Names = None,
    weights: opt.WeightsColumn = None,
    field: opt.Field = None,
    transpose: opt.Transpose = False,
    normalize: opt.Normalize = False,
    scale: opt.Scale = None,
    out: opt.OutPicture = None,
    force: opt.Force = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> Job:
    """Compare numbers of clusters, and suggest one.

    Four criteria: the mean medoid silhouette (1 - d1 / d2, of the distances to the
    nearest medoid and the second), the elbow of the loss, stability (the clusters
    of one half of the rows, found again in the other), and the gap to rows without
    clusters. A number is suggested where two of them agree.
    """
    reading = _reading(ctx)
    ks, screen = parse_range(k), Screen(quiet, as_json)

    def job() -> int:
        from .commands.scan import Target, scan

        params = _params(ctx)
        target = Target(out, force)
        return scan(open_source(file, format), reading, params, ks, not no_resample, target, screen)

    return job


@app.command(
    "predict",
    epilog=_examples("predict", "iris-medoids new.csv", "iris-medoids new.csv --out labels.csv"),
)
def _predict(
    result: opt.ResultFolder,
    file: opt.File,
    format: opt.FormatName = None,
    names: opt.Names = None,
    field: opt.Field = None,
    max_distance: opt.MaxDistance = None,
    jobs: opt.Jobs = None,
    out: opt.OutLabels = None,
    force: opt.Force = False,
    as_json: opt.Json = False,
    quiet: opt.QuietLines = False,
    debug: opt.Debug = False,
) -> Job:
    """Give new rows the cluster of their nearest medoid.

    Takes the folder that 'medoids cluster' wrote and a file with the same columns.
    Prints a line for each row: its name, cluster, medoid, and distance from it.
    """
    given, screen = Reading(field=field, names=names), Screen(quiet, as_json)

    def job() -> int:
        from .commands.predict import predict

        source = open_source(file, format)
        return predict(result, source, given, out, force, jobs, max_distance, screen)

    return job


@app.command("metrics", epilog=_examples("metrics", "", "--json"))
def _metrics(as_json: opt.Json = False, debug: opt.Debug = False) -> Job:
    """List the metrics: names, data they are for, parameters."""

    def job() -> int:
        from .commands.metrics import metrics

        return metrics(Screen(as_json=as_json))

    return job


@app.command("demo", epilog=_examples("demo", "", "--out digits"))
def _demo(
    out: opt.OutDemo = Path("out/demo"),
    force: opt.Force = False,
    jobs: opt.Jobs = None,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> Job:
    """Cluster handwritten digits, and draw their medoids.

    MNIST where the folder $MEDOIDS_DATA has mnist.npz, else scikit-learn's digits.
    Writes a picture and a page to explore, besides all that 'medoids cluster' writes.
    """

    def job() -> int:
        from .commands.demo import demo

        return demo(out, force, jobs, Screen(quiet, as_json))

    return job


def _params(ctx: typer.Context) -> dict[str, Any]:
    """What the estimator is given, of the options that `cluster` and `scan` share."""
    from .commands.choose import check_names

    given = ctx.params
    check_names(given["metric"], given["method"], given["scale"])
    return {
        "metric": given["metric"], "metric_params": parse_params(given["metric_param"] or []),
        "method": given["method"], "swap": given["swap"], "init": given["init"],
        "max_iter": given["max_iter"], "delta": given["delta"],
        "memory_limit": given["memory_limit"], "device": given["device"],
        "n_jobs": given["jobs"], "random_state": given["seed"],
    }  # fmt: skip


def _starts(ctx: typer.Context) -> dict[str, Any]:
    """Where to start, and how often."""
    from .commands.choose import first_rows

    given = ctx.params
    source = ctx.get_parameter_source("init")
    default = source is not None and source.name == "DEFAULT"
    init = None if default else parse_init(given["init"])
    return {
        "init": first_rows(init, given["method"], given["seeds"]),
        "n_init": given["seeds"] if given["seeds"] > 1 else "auto",
    }


def _reading(ctx: typer.Context) -> Reading:
    """What `cluster` and `scan` are told about the file."""
    given = ctx.params
    return Reading(
        parse_list(given["columns"]), given["field"], given["names"], given["transpose"],
        given["normalize"], given["metric"] == "gower", weights=given["weights"],
        exclude=parse_list(given["exclude"]), labels=given.get("labels"),
        coordinates=parse_list(given.get("coordinates")), scale=given["scale"],
    )  # fmt: skip


def _command(ctx: typer.Context, name: str) -> str:
    """The command line that gives this result again, without where files are."""
    parts = ["medoids", str(ctx.info_name), "-" if name == "standard input" else name]
    for param in ctx.command.params:
        value = ctx.params.get(str(param.name))
        if param.name in _NOT_PART or value in (None, [], (), param.default):
            continue
        for each in value if isinstance(value, list) else [value]:
            parts += [param.opts[0]] if each is True else [param.opts[0], str(each)]
    return shlex.join(parts)
