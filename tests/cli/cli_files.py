"""Files of every format for the tests of the command line, and ways to run it."""

from __future__ import annotations

import csv
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import io, sparse

from helpers import mixture

N = 60
ROWS = mixture(N, 4, 3, 0).round(3)
NAMES = [f"r{at:02}" for at in range(N)]
COLUMNS = ["a", "b", "c", "d"]
COUNTS = sparse.csr_matrix(
    np.random.default_rng(1).poisson(0.6, (N, 12)) * np.repeat([[1], [4], [9]], N // 3, axis=0)
)
WORDS = ["".join(np.random.default_rng(at).choice(list("abcd"), 3 + at % 5)) for at in range(N)]
TREES: list[Any] = [
    {"type": "root", "children": [{"type": "ab"[at % 2]}] * (1 + at % 4)} for at in range(N)
]
SEQUENCES = [np.round(np.sin(np.arange(6 + at % 5) * (1 + at % 3)), 3).tolist() for at in range(N)]
KINDS = ["red", "green", "blue"]


class Case(NamedTuple):
    """A file that can be clustered.

    Attributes
    ----------
    write : callable
        Makes the file at a path.
    file : str
        Its name.
    X : Any
        What the library is to be given for the same result.
    metric : str
        The metric that is to be chosen.
    names : list of str
        The row names that are to be found.
    options : tuple of str
        What has to be said besides.
    """

    write: Callable[[Path], object]
    file: str
    X: Any
    metric: str
    names: list[str]
    options: tuple[str, ...] = ()


def numbers(n: int, first: int = 0) -> list[str]:
    return [str(at) for at in range(first, first + n)]


def table(path: Path, separator: str = ",", names: bool = True) -> None:
    lines = [separator.join((["id"] if names else []) + COLUMNS)]
    for name, row in zip(NAMES, ROWS.tolist(), strict=True):
        lines.append(separator.join(([name] if names else []) + [repr(each) for each in row]))
    text = "\n".join(lines) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def parquet(path: Path) -> None:
    import pandas as pd

    pd.DataFrame(ROWS, columns=COLUMNS, index=pd.Index(NAMES, name="id")).to_parquet(path)


def mixed(path: Path) -> None:
    text = "name,size,colour,on\n"
    for at in range(N):
        size = "" if at == 7 else f"{ROWS[at, 0]}"
        text += f"{NAMES[at]},{size},{KINDS[at % 3]},{at % 2 == 0}\n"
    path.write_text(text)


def mixed_frame() -> Any:
    import pandas as pd

    size = ROWS[:, 0].copy()
    size[7] = np.nan
    columns = {"size": size, "colour": [KINDS[at % 3] for at in range(N)]}
    return pd.DataFrame(columns | {"on": [at % 2 == 0 for at in range(N)]})


def h5ad(path: Path) -> None:
    import anndata
    import pandas as pd

    genes = pd.DataFrame(index=[f"g{at}" for at in range(COUNTS.shape[1])])
    cells = anndata.AnnData(COUNTS.astype(np.float32), pd.DataFrame(index=NAMES), genes)
    cells.obsm["X_pca"] = ROWS
    cells.write_h5ad(path)


def json_lines(values: list[Any]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        text = "".join(json.dumps(value) + "\n" for value in values)
        path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())

    return write


def text(path: Path) -> None:
    path.write_text("\n".join(WORDS) + "\n")


CASES: dict[str, Case] = {
    "csv": Case(table, "rows.csv", ROWS, "l2", NAMES),
    "csv.gz": Case(table, "rows.csv.gz", ROWS, "l2", NAMES),
    "tsv": Case(lambda path: table(path, "\t"), "rows.tsv", ROWS, "l2", NAMES),
    "parquet": Case(parquet, "rows.parquet", ROWS, "l2", NAMES),
    "npy": Case(lambda path: np.save(path, ROWS), "rows.npy", ROWS, "l2", numbers(N)),
    "npz": Case(
        lambda path: np.savez(path, X=ROWS, y=np.arange(N)), "rows.npz", ROWS, "l2", numbers(N)
    ),
    "sparse npz": Case(
        lambda path: sparse.save_npz(path, COUNTS), "counts.npz", COUNTS, "l1", numbers(N)
    ),
    "mtx": Case(
        lambda path: io.mmwrite(path, COUNTS), "counts.mtx", COUNTS, "l1", numbers(N)
    ),
    "h5ad": Case(h5ad, "cells.h5ad", COUNTS, "l1", NAMES),
    "text": Case(text, "words.txt", WORDS, "levenshtein", numbers(N, 1)),
    "trees": Case(
        json_lines([{"astId": 7 * at, "ast": tree} for at, tree in enumerate(TREES)]),
        "trees.jsonl.gz", TREES, "tree_edit", [str(7 * at) for at in range(N)],
    ),
    "sequences": Case(
        json_lines([{"v": each} for each in SEQUENCES]), "waves.jsonl", SEQUENCES, "dtw",
        numbers(N, 1), ("--field", "v"),
    ),
    "mixed": Case(mixed, "mixed.csv", None, "gower", NAMES, ("--metric", "gower")),
}  # fmt: skip


def run(*argv: str | Path, cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """The real command, in its own process."""
    return subprocess.run(
        [sys.executable, "-m", "medoids", *map(str, argv)],
        cwd=cwd, capture_output=True, text=True, timeout=300, env=plain_env(), **more,
    )  # fmt: skip


def plain_env() -> dict[str, str]:
    """An environment in which no colour is asked for, 80 columns wide."""
    wanted = ("FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "GITHUB_ACTIONS", "NO_COLOR")
    env = {name: value for name, value in os.environ.items() if name not in wanted}
    return env | {"COLUMNS": "80", "TERM": "xterm-256color"}


def result_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "result.json").read_text())  # type: ignore[no-any-return]


def lines_of(file: Path) -> list[list[str]]:
    """The cells of a labels.csv that those of `cluster` and of `predict` have in common."""
    with file.open(newline="") as lines:
        return [row[:4] for row in csv.reader(lines)]


def clearness_of(file: Path) -> tuple[list[str], list[str]]:
    """The silhouette and the second cluster of each row, as they are written."""
    with file.open(newline="") as lines:
        header, *rows = csv.reader(lines)
    assert header[4:] == ["silhouette", "second", "outlier"]
    return [row[4] for row in rows], [row[5] for row in rows]


def weighted(path: Path, weights: list[Any]) -> None:
    """The table, with a column of weights before all others."""
    lines = [f"count,id,{','.join(COLUMNS)}"]
    for weight, name, row in zip(weights, NAMES, ROWS.tolist(), strict=True):
        lines.append(",".join([str(weight), name, *map(repr, row)]))
    path.write_text("\n".join(lines) + "\n")


def labels_of(file: Path) -> tuple[list[str], NDArray[np.int64], list[str], NDArray[np.float64]]:
    """Names, clusters, medoids and distances of a labels.csv."""
    header, *rows = lines_of(file)
    assert header == ["name", "cluster", "medoid", "distance"]
    names, labels, medoids, own = zip(*rows, strict=True)
    return list(names), np.array(labels, dtype=int), list(medoids), np.array(own, dtype=float)
