"""The paper's data, read from $MEDOIDS_DATA; or made data of the same kind, to try things out."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from medoids._threads import Workers
from medoids.data.kinds import read
from medoids.datasets import load_hoc4, load_mnist, load_scrna
from medoids.engines.cpu.points import points_of

COMPONENTS = 10
Things = Any  # an array, a sparse matrix, or a list of trees


def folder() -> Path:
    return Path(os.environ.get("MEDOIDS_DATA") or "no folder is named")


def mnist() -> np.ndarray:
    return load_mnist()[0]


def scrna() -> sparse.csr_matrix:
    return load_scrna()[0]


def prepare(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """Each cell is brought to 1,000 counts; then log(1 + x), which leaves zeros alone."""
    total = np.maximum(np.asarray(counts.sum(axis=1)).ravel(), 1)
    return (sparse.diags(1000 / total) @ counts).log1p().tocsr().astype(np.float32)


def components(cells: sparse.csr_matrix) -> np.ndarray:
    """Each cell on the principal components of all cells."""
    pca = PCA(COMPONENTS, svd_solver="arpack", random_state=0)
    return pca.fit_transform(cells).astype(np.float32)


def made_digits() -> np.ndarray:
    rng = np.random.default_rng(0)
    digits = load_digits().data / 16
    rows = digits[rng.integers(len(digits), size=20_000)]
    return (rows + rng.normal(scale=0.15, size=rows.shape)).astype(np.float32)


def made_cells() -> sparse.csr_matrix:
    """Counts of 600 genes in cells of eight types; how many counts a cell has varies much."""
    rng = np.random.default_rng(0)
    profiles = rng.gamma(0.1, size=(8, 600)) + 0.01
    rates = profiles[rng.integers(8, size=6000)] * rng.lognormal(sigma=0.5, size=(6000, 1))
    return prepare(sparse.csr_matrix(rng.poisson(rates)))


def made_programs() -> list[Any]:
    """Trees that grew from one another, a node at a time."""
    rng = np.random.default_rng(0)
    trees: list[Any] = [("program", [])]
    while len(trees) < 2000:
        parent = trees[int(rng.integers(len(trees)))]
        trees.append(_grown(parent, rng))
    return trees


def _grown(tree: Any, rng: np.random.Generator) -> Any:
    label, children = tree
    if not children or rng.random() < 0.4:
        place = int(rng.integers(len(children) + 1))
        leaf = (str(rng.choice(["move", "left", "right", "repeat", "if"])), [])
        return label, [*children[:place], leaf, *children[place:]]
    place = int(rng.integers(len(children)))
    return label, [*children[:place], _grown(children[place], rng), *children[place + 1 :]]


def heavy_tails() -> np.ndarray:
    """Student's t with two degrees of freedom, which has no variance."""
    return np.random.default_rng(0).standard_t(2, size=(100_000, 4)).astype(np.float32)


def matrix(trees: list[Any]) -> np.ndarray:
    """All tree edit distances, computed once for many runs."""
    with Workers() as workers:
        return points_of(read(trees, "tree_edit", None), workers, 2e9).whole()


class Kind(NamedTuple):
    """A data set: its name in a figure, its file, and how to read it or make one like it.

    `square` is for a matrix of distances. Without a file it is always made, and stands for
    nothing else.
    """

    title: str
    file: str
    read: Callable[[], Things]
    made_title: str
    make: Callable[[], Things]
    square: bool = False


KINDS = {
    "mnist": Kind("MNIST", "mnist.npz", mnist, "made digits", made_digits),
    "scrna": Kind("scRNA", "scrna.npz", scrna, "made cells", made_cells),
    "scrna-pca": Kind(
        "scRNA-PCA", "scrna.npz", lambda: components(load("scrna", False)),
        "made cells, PCA", lambda: components(load("scrna", True)),
    ),
    "hoc4": Kind("HOC4", "hoc4.jsonl.gz", load_hoc4, "made trees", made_programs),
    "hoc4-matrix": Kind(
        "HOC4", "hoc4.jsonl.gz", lambda: matrix(load("hoc4", False)),
        "made trees", lambda: matrix(load("hoc4", True)), square=True,
    ),
    "student-t": Kind("Student's t", "", heavy_tails, "Student's t", heavy_tails),
}  # fmt: skip


def is_there(name: str) -> bool:
    return (folder() / KINDS[name].file).is_file()


@lru_cache(maxsize=2)
def load(name: str, made: bool) -> Things:
    return KINDS[name].make() if made else KINDS[name].read()


def size(things: Things) -> int:
    return len(things) if isinstance(things, list) else int(things.shape[0])


def sample(name: str, made: bool, n: int, seed: int) -> tuple[np.ndarray, Things]:
    """Some rows at random, and the things there; all of them in their own order."""
    things = load(name, made)
    total = size(things)
    if n > total:
        raise ValueError(f"{n} rows are asked for, but {title(name, made)} has {total}.")
    rows = np.random.default_rng(seed).choice(total, n, replace=False)
    rows = np.arange(total) if n == total else rows
    if isinstance(things, list):
        return rows, [things[i] for i in rows]
    return rows, things[np.ix_(rows, rows)] if KINDS[name].square else things[rows]


def title(name: str, made: bool) -> str:
    kind = KINDS[name]
    return f"{kind.made_title} (stand-in)" if made and kind.file else kind.title
