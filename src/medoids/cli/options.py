"""The options of the commands, each said once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from .readers.formats import FORMATS

# As in the table of methods, which takes longer to import than help may take.
METHODS = (
    "banditpam", "banditpam_original", "pam", "fastpam1", "fastpam", "fasterpam", "alternate",
    "clara", "clarans", "onebatch",
)  # fmt: skip
_INPUT, _SEARCH, _OUTPUT = "Input", "Clustering", "Output"


def _metrics(incomplete: str) -> list[str]:
    from .._names import METRIC_NAMES

    return _starting(METRIC_NAMES, incomplete)


def _methods(incomplete: str) -> list[str]:
    return _starting(METHODS, incomplete)


def _formats(incomplete: str) -> list[str]:
    return _starting(FORMATS, incomplete)


def _starting(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


File = Annotated[
    str, typer.Argument(metavar="FILE", help="The data; - is standard input.", show_default=False)
]
Clusters = Annotated[
    int,
    typer.Option("-k", "--clusters", min=1, metavar="N", help="How many.", show_default=False),
]
ClusterRange = Annotated[
    str,
    typer.Option(
        "-k", "--clusters", metavar="2:20[:step]", show_default=False,
        help="From, to, and perhaps in which steps.",
    ),
]  # fmt: skip
ResultFolder = Annotated[
    Path,
    typer.Argument(metavar="RESULT", help="A folder of results.", show_default=False),
]
FormatName = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="NAME", autocompletion=_formats, rich_help_panel=_INPUT,
        help=f"If the name of the file does not tell: {', '.join(FORMATS)}.",
    ),
]  # fmt: skip
ColumnNames = Annotated[
    str | None,
    typer.Option(
        "--columns", metavar="A,B,…", rich_help_panel=_INPUT,
        help="Cluster by these columns only; a name with a comma in quotes.",
    ),
]  # fmt: skip
Exclude = Annotated[
    str | None,
    typer.Option(
        "--exclude", metavar="A,B,…", rich_help_panel=_INPUT,
        help="Cluster by all columns but these.",
    ),
]  # fmt: skip
Names = Annotated[
    str | None,
    typer.Option(
        "--names", metavar="COLUMN", rich_help_panel=_INPUT,
        help="The column, or JSON field, with the names of the rows.",
    ),
]  # fmt: skip
WeightsColumn = Annotated[
    str | None,
    typer.Option(
        "--weights", metavar="COLUMN", rich_help_panel=_INPUT,
        help="The column (JSON field, obs column) that says how much each row counts.",
    ),
]  # fmt: skip
LabelsColumn = Annotated[
    str | None,
    typer.Option(
        "--labels", metavar="COLUMN", rich_help_panel=_INPUT,
        help="Known labels, to compare with: a column (JSON field, obs column, array of .npz).",
    ),
]  # fmt: skip
Coordinates = Annotated[
    str | None,
    typer.Option(
        "--coordinates", metavar="X,Y", rich_help_panel=_INPUT,
        help="Two columns, or one of obsm such as X_umap, that place the rows on the map.",
    ),
]  # fmt: skip
Field = Annotated[
    str | None,
    typer.Option(
        "--field", metavar="NAME", rich_help_panel=_INPUT,
        help="The array of an .npz, the layer or obsm of an .h5ad, the field of JSON lines.",
    ),
]  # fmt: skip
ImageShape = Annotated[
    str | None,
    typer.Option(
        "--image-shape", metavar="28x28", rich_help_panel=_INPUT,
        help="Rows are images of this height and width; the report draws them.",
    ),
]  # fmt: skip
Transpose = Annotated[
    bool,
    typer.Option(
        "--transpose", rich_help_panel=_INPUT,
        help="Cluster the columns of a matrix (10x files have a column for each cell).",
    ),
]  # fmt: skip
Normalize = Annotated[
    bool,
    typer.Option(
        "--normalize", rich_help_panel=_INPUT,
        help="Scale each row of counts to 10,000 and take log(1 + x).",
    ),
]  # fmt: skip
Scale = Annotated[
    str | None,
    typer.Option(
        "--scale", metavar="standard|robust|none", rich_help_panel=_INPUT,
        help="Scale each column by its deviation, or by its quartiles; none: as they are.",
    ),
]  # fmt: skip
MetricName = Annotated[
    str | None,
    typer.Option(
        "--metric", metavar="NAME", autocompletion=_metrics, rich_help_panel=_SEARCH,
        help="See 'medoids metrics'. By default one that fits the data.",
    ),
]  # fmt: skip
MetricParam = Annotated[
    list[str] | None,
    typer.Option(
        "--metric-param", metavar="NAME=VALUE", rich_help_panel=_SEARCH,
        help="A parameter of the metric, such as p=3; may be given again.",
    ),
]  # fmt: skip
Method = Annotated[
    str,
    typer.Option(
        "--method", metavar="NAME", autocompletion=_methods, rich_help_panel=_SEARCH,
        help=f"{', '.join(METHODS)}.",
    ),
]  # fmt: skip
Swap = Annotated[
    str,
    typer.Option(
        "--swap", metavar="best|eager", rich_help_panel=_SEARCH,
        help="Of banditpam: eager is faster for many clusters.",
    ),
]  # fmt: skip
InitOrRows = Annotated[
    str,
    typer.Option(
        "--init", metavar="NAME", rich_help_panel=_SEARCH,
        help="build, random, k-medoids++, lab, or row numbers such as 3,17,40.",
    ),
]  # fmt: skip
InitName = Annotated[
    str,
    typer.Option(
        "--init", metavar="NAME", rich_help_panel=_SEARCH,
        help="build, random, k-medoids++ or lab.",
    ),
]  # fmt: skip
MaxIter = Annotated[
    int,
    typer.Option(
        "--max-iter", min=0, metavar="N", rich_help_panel=_SEARCH, help="The most swaps to do."
    ),
]
Delta = Annotated[
    float | None,
    typer.Option(
        "--delta", metavar="P", rich_help_panel=_SEARCH,
        help="The chance that a search may drop the best arm; smaller is safer and slower.",
    ),
]  # fmt: skip
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit", metavar="SIZE", rich_help_panel=_SEARCH,
        help="For the distances that are kept, such as 500MB; else a quarter of what is free.",
    ),
]  # fmt: skip
Device = Annotated[
    str | None,
    typer.Option(
        "--device", metavar="NAME", rich_help_panel=_SEARCH,
        help="Where to compute: cuda, cuda:1, ... for a GPU (extra gpu); else the CPU.",
    ),
]  # fmt: skip
Seeds = Annotated[
    int,
    typer.Option(
        "--seeds", min=1, metavar="N", rich_help_panel=_SEARCH,
        help="Random starts to try; the best end is kept.",
    ),
]  # fmt: skip
Seed = Annotated[
    int,
    typer.Option(
        "--seed", min=0, metavar="N", rich_help_panel=_SEARCH, help="For all that is random."
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", metavar="N", rich_help_panel=_SEARCH, help="Threads; by default all cores."
    ),
]
NoResample = Annotated[
    bool,
    typer.Option(
        "--no-resample", rich_help_panel=_SEARCH,
        help="Faster: leave out stability and gap, which fit other samples.",
    ),
]  # fmt: skip
MaxDistance = Annotated[
    float | None,
    typer.Option(
        "--max-distance", metavar="D", rich_help_panel=_SEARCH,
        help="Rows farther than this from every medoid are of no cluster: -1.",
    ),
]  # fmt: skip
OutFolder = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="DIR", rich_help_panel=_OUTPUT,
        help="The folder to write; by default the name of the file with -medoids.",
    ),
]  # fmt: skip
OutPicture = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="FILE", rich_help_panel=_OUTPUT,
        help="Draw what was found: .png, .svg or .pdf (extra plot).",
    ),
]  # fmt: skip
OutLabels = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="FILE", rich_help_panel=_OUTPUT,
        help="Write the lines to a file, not to standard output.",
    ),
]  # fmt: skip
OutDemo = Annotated[
    Path,
    typer.Option("--out", metavar="DIR", rich_help_panel=_OUTPUT, help="The folder to write."),
]
Report = Annotated[
    bool,
    typer.Option("--report", rich_help_panel=_OUTPUT, help="Write report.html, a page to explore."),
]
Force = Annotated[
    bool,
    typer.Option("--force", rich_help_panel=_OUTPUT, help="Replace what is there."),
]
Json = Annotated[
    bool,
    typer.Option("--json", rich_help_panel=_OUTPUT, help="JSON on standard output."),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", rich_help_panel=_OUTPUT, help="Say nothing but errors."),
]
QuietLines = Annotated[
    bool,
    typer.Option("--quiet", "-q", rich_help_panel=_OUTPUT, help="Say nothing besides the lines."),
]
Debug = Annotated[
    bool,
    typer.Option("--debug", rich_help_panel=_OUTPUT, help="Show where an error comes from."),
]
