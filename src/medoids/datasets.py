"""Real data for examples and benchmarks, read from disk where it is there."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


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
    folder = os.environ.get("MEDOIDS_DATA")
    path = Path(folder) / "mnist.npz" if folder else None
    if path is not None and path.is_file():
        with np.load(path) as data:
            X, y = data["X"], data["y"]
    else:
        X, y = _fetch()
    pixels = X.astype(np.float32)
    pixels /= 255
    return pixels, y.astype(np.int64)


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
