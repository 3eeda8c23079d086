"""Distances from medoids to new things, by the engine that suits them."""

from __future__ import annotations

from typing import Any

from .._threads import Workers
from ..data.elsewhere import ArrayData, Chosen
from ..data.kinds import Data


def distances_between(
    medoids: Data, others: Any, n_jobs: int | None, fitted: int | None = None
) -> Any:
    """From each medoid to each of the others, which are `medoids.like(X)`, in float64.

    The medoids were found among `fitted` rows, if that is known: the same bits as there.
    """
    if isinstance(medoids, ArrayData):
        from .array.rows import ArrayRows

        if isinstance(medoids, Chosen):  # a row for each new point
            return medoids.of(others.things)
        points = ArrayRows(others.things, medoids.name)
        with points.space.exact_products():
            return points.exact_from(medoids.things)
    from .cpu.points import distances_between as on_cpu

    with Workers(n_jobs) as workers:
        return on_cpu(medoids, others, workers, fitted)
