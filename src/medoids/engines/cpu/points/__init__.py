"""Points: data with its dissimilarity, as the engine computes with it.

`points_of` makes the points of a fit from any kind of data; `distances_between` compares medoids
with new things. One file a kind: `dense` (its rows are `shaped`, have a `frame`, and `panels` in
float32), `sparse` (with `sparse_rows`), `matrix`, `objects`, and `among` for some of other points.

It imports `medoids.data`, `medoids.dissimilarities` and the engine's kernels, and nothing else of
the engine. Start with `base`, the seam that a search stands on, then `make`.
"""

from .make import distances_between, points_of

__all__ = ["distances_between", "points_of"]
