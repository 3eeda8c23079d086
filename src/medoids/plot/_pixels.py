"""Rows of numbers as images."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

# Rows that are looked at to learn what the background is.
_LOOK = 500


class Pixels:
    """Turns rows into images of bytes, all on one scale.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Gives the scale: its lowest value is 0 and its highest 255.
    image_shape : tuple of int
        Height and width, and 3 for colours; their product is the number of features.

    Attributes
    ----------
    ink : bool
        A third of a grey image or more is its lowest value, as in handwriting: drawn dark on
        white.
    """

    def __init__(self, X: Any, image_shape: tuple[int, ...]) -> None:
        self.shape = tuple(int(side) for side in image_shape)
        rows = X if issparse(X) else np.asarray(X)
        columns = rows.shape[1] if rows.ndim == 2 else 0
        if len(self.shape) not in (2, 3) or self.shape[2:] not in ((), (3,)):
            raise ValueError(
                f"image_shape={image_shape} is no image: give (height, width) or"
                " (height, width, 3)."
            )
        if int(np.prod(self.shape)) != columns:
            raise ValueError(
                f"image_shape={image_shape} has {int(np.prod(self.shape))} pixels, but X has"
                f" {columns} columns: give a shape whose product is {columns}."
            )
        self.low, high = float(rows.min()), float(rows.max())
        self.unit = 255 / ((high - self.low) or 1.0)
        step = max(rows.shape[0] // _LOOK, 1)
        some = self._bytes(rows[::step])
        self.ink = len(self.shape) == 2 and float((some < 16).mean()) > 1 / 3

    def images(self, rows: Any) -> NDArray[np.uint8]:
        """The images of some rows, ready to be shown."""
        values = self._bytes(rows)
        return 255 - values if self.ink else values

    def _bytes(self, rows: Any) -> NDArray[np.uint8]:
        values = rows.toarray() if issparse(rows) else np.asarray(rows, dtype=np.float64)
        scaled = np.clip((values - self.low) * self.unit, 0, 255)
        return np.rint(scaled).astype(np.uint8).reshape(-1, *self.shape)
