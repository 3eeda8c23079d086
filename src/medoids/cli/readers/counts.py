"""Counts, such as of genes in cells: how many there are in a row is often no news."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..problem import Problem
from .inputs import Input

_TOTAL = 10_000


def normalize(made: Input) -> None:
    """Scale each row to 10,000 counts in all, and take log(1 + x)."""
    if made.kind not in ("rows", "sparse", "cells"):
        raise Problem("--normalize is for rows of counts, which this is not: leave it out.")
    totals = np.asarray(made.X.sum(axis=1, dtype=np.float64)).ravel()
    if made.X.min() < 0:
        raise Problem("--normalize is for counts, but there are values below 0: leave it out.")
    scale = np.divide(_TOTAL, totals, out=np.zeros_like(totals), where=totals > 0)
    if sparse.issparse(made.X):
        scaled = made.X.astype(np.float32)
        scaled.data *= np.repeat(scale, np.diff(scaled.indptr)).astype(np.float32)
        scaled.data = np.log1p(scaled.data)
        made.X = scaled
    else:
        made.X = np.log1p(made.X * scale[:, None]).astype(np.float32)
    made.notes.append(f"each row scaled to {_TOTAL:,} counts, then log(1 + x)")


def are_raw(made: Input) -> bool:
    """Whether these look like counts as they were counted."""
    if made.kind not in ("sparse", "cells"):
        return False
    some = made.X[:1000]
    values = some.data if sparse.issparse(some) else np.asarray(some)
    return bool(values.size and values.min() >= 0 and (values == np.floor(values)).all())
