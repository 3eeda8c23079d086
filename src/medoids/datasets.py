"""Real data for examples and benchmarks, read from disk where it is there."""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def load_mnist() -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The 70,000 handwritten digits of MNIST, 28 x 28 pixels each.

    They are read from `mnist.npz` (keys `X`, uint8, and `y`) in the folder that the
    environment variable MEDOIDS_DATA names; else fetched by scikit-learn's
    `fetch_openml`, which keeps a copy for later.

    Returns
    -------
    X : ndarray of float32 of shape (70000, 784)
        A row for each image, pixels from 0 to 1; the 60,000 training images first.
    y : ndarray of int64 of shape (70000,)
        The digit that each shows.

    Raises
    ------
    FileNotFoundError
        If there is no file and the data cannot be fetched.

    Examples
    --------
    >>> from medoids.datasets import load_mnist
    >>> X, y = load_mnist()  # doctest: +SKIP
    >>> X.shape, X.dtype  # doctest: +SKIP
    ((70000, 784), dtype('float32'))
    """
    path = _file("mnist.npz")
    if path is not None:
        with np.load(path) as data:
            X, y = data["X"], data["y"]
    else:
        X, y = _fetch()
    pixels = X.astype(np.float32)
    pixels /= 255
    return pixels, y.astype(np.int64)


def load_scrna() -> tuple[sparse.csr_matrix, NDArray[np.str_]]:
    """Single-cell RNA: 40,000 human immune cells, pooled from several public studies.

    Read from `scrna.npz` (CSR counts) and `scrna_genes.txt.gz` in the folder that
    MEDOIDS_DATA names. Each cell is brought to 1,000 counts, and then log(1 + x) taken.

    Returns
    -------
    X : CSR matrix of float32 of shape (40000, 10170)
    genes : ndarray of str of shape (10170,)

    Raises
    ------
    FileNotFoundError
        If a file is not there.

    Examples
    --------
    >>> from medoids.datasets import load_scrna
    >>> cells, genes = load_scrna()  # doctest: +SKIP
    >>> cells.shape  # doctest: +SKIP
    (40000, 10170)
    """
    counts = sparse.load_npz(_needed("scrna.npz")).astype(np.float64)
    with gzip.open(_needed("scrna_genes.txt.gz"), "rt", encoding="utf-8") as lines:
        genes = np.array(lines.read().split("\n")[: counts.shape[1]])
    total = np.maximum(np.asarray(counts.sum(axis=1)).ravel(), 1)
    cells = (sparse.diags(1000 / total) @ counts).log1p().astype(np.float32)
    return sparse.csr_matrix(cells), genes


def load_hoc4() -> list[dict[str, Any]]:
    """Hour of Code 4: 3,629 student programs as trees, for `metric="tree_edit"`.

    Read from `hoc4.jsonl.gz` in the folder that MEDOIDS_DATA names: a JSON object a line,
    with the tree as its `ast`.

    Returns
    -------
    list of dict
        Each a node, with its `type` and its `children`.

    Raises
    ------
    FileNotFoundError
        If the file is not there.

    Examples
    --------
    >>> from medoids.datasets import load_hoc4
    >>> programs = load_hoc4()  # doctest: +SKIP
    >>> len(programs)  # doctest: +SKIP
    3629
    """
    with gzip.open(_needed("hoc4.jsonl.gz"), "rt", encoding="utf-8") as lines:
        return [json.loads(line)["ast"] for line in lines]


def load_airports() -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Places of 28,298 airports, for `metric="haversine"`: few dimensions, many near ties.

    Read from `airports.csv.gz` in the folder that MEDOIDS_DATA names.

    Returns
    -------
    X : ndarray of shape (28298, 2)
        Latitude and longitude, in radians.
    names : ndarray of str of shape (28298,)

    Raises
    ------
    FileNotFoundError
        If the file is not there.

    Examples
    --------
    >>> from medoids.datasets import load_airports
    >>> X, names = load_airports()  # doctest: +SKIP
    >>> X.shape  # doctest: +SKIP
    (28298, 2)
    """
    with gzip.open(_needed("airports.csv.gz"), "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    places = np.radians([(float(row["lat"]), float(row["lon"])) for row in rows])
    return places, np.array([row["name"] for row in rows])


def load_glove() -> NDArray[np.float32]:
    """Vectors of 100,000 words (GloVe 6B, 50 dimensions), for `metric="cosine"`.

    Read from `glove_100k.npy` in the folder that MEDOIDS_DATA names.

    Returns
    -------
    X : ndarray of float32 of shape (100000, 50)

    Raises
    ------
    FileNotFoundError
        If the file is not there.

    Examples
    --------
    >>> from medoids.datasets import load_glove
    >>> X = load_glove()  # doctest: +SKIP
    >>> X.shape  # doctest: +SKIP
    (100000, 50)
    """
    return np.asarray(np.load(_needed("glove_100k.npy")), dtype=np.float32)


def _file(name: str) -> Path | None:
    """A file in the folder of the user's data, if it is there."""
    folder = os.environ.get("MEDOIDS_DATA")
    path = Path(folder) / name if folder else None
    return path if path is not None and path.is_file() else None


def _needed(name: str) -> Path:
    path = _file(name)
    if path is None:
        raise FileNotFoundError(f"{name} is missing: set MEDOIDS_DATA to a folder that has it.")
    return path


def _fetch() -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    from sklearn.datasets import fetch_openml

    try:
        return fetch_openml(  # type: ignore[no-any-return]
            "mnist_784", version=1, as_frame=False, parser="auto", return_X_y=True
        )
    except (OSError, ValueError) as error:
        raise FileNotFoundError(
            "MNIST is missing: set MEDOIDS_DATA to a folder with mnist.npz (X uint8 of shape"
            " (70000, 784), and y), or connect to the network for fetch_openml('mnist_784')."
        ) from error
