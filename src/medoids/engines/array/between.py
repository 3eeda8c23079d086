"""From each of some rows to each of others, once both are as a metric compares them."""

from __future__ import annotations

import math

from .namespace import Array, Side, Space

SQUARES = ("euclidean", "sqeuclidean", "cosine", "correlation", "haversine")
DIRECTIONS = ("cosine", "correlation")
# Of so few columns, differences are taken one by one: a product would lose digits for nothing.
_THIN = 8


class Between:
    """A metric of rows on a device.

    Parameters
    ----------
    space : Space
    metric : str
    width : int
        Columns of a row, as they are compared.

    Attributes
    ----------
    by_product : bool
        Squared differences are those of lengths and products.
    held : int
        Numbers that are held for each pair of rows.
    """

    def __init__(self, space: Space, metric: str, width: int) -> None:
        self.space, self.metric, self.width = space, metric, width
        self.by_product = metric in SQUARES and width > _THIN
        self.held = width if metric not in SQUARES and not space.is_torch else 1

    def compare(self, left: Side, right: Side) -> Array:
        """From each of some rows to each of others, in the type that they have."""
        if self.by_product:
            return self.finish(self.space.squares_between(left, right))
        if self.metric in SQUARES:
            columns = range(left.rows.shape[1])
            each = ((left.rows[:, c][:, None] - right.rows[:, c][None, :]) ** 2 for c in columns)
            return self.finish(sum(each))
        if self.space.is_torch:
            return self._by_torch(left.rows, right.rows)
        return self.norm(left.rows[:, None, :] - right.rows[None, :, :])

    def _by_torch(self, left: Array, right: Array) -> Array:
        """torch computes these without the differences of all pairs at once."""
        import torch

        if self.metric == "hamming":
            return torch.cdist(left, right, p=0.0) / self.width
        return torch.cdist(left, right, p=1.0 if self.metric == "manhattan" else math.inf)

    def finish(self, squares: Array) -> Array:
        """What squared differences amount to; they may be overwritten."""
        xp = self.space.xp
        if self.metric == "sqeuclidean":
            return squares
        if self.metric in DIRECTIONS:
            return squares / 2
        if self.metric == "haversine":
            return 2 * xp.asin(xp.clip(xp.sqrt(squares) / 2, max=1.0))
        return squares.sqrt_() if self.space.is_torch else xp.sqrt(squares)

    def norm(self, differences: Array) -> Array:
        """What differences of rows, along the last axis, amount to."""
        xp = self.space.xp
        if self.metric in SQUARES:
            if self.metric == "euclidean":
                return xp.linalg.vector_norm(differences, axis=-1)
            return self.finish(xp.sum(differences * differences, axis=-1))
        if self.metric == "hamming":
            differs = self.space.cast(differences != 0, differences.dtype)
            return xp.sum(differs, axis=-1) / self.width
        if self.metric == "chebyshev":
            return xp.max(xp.abs(differences), axis=-1)
        return xp.sum(xp.abs(differences), axis=-1)
