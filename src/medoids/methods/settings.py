"""What every method is given."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..engines.cpu.points.base import Points
from ..engines.cpu.points.matrix import HeldPoints
from .monitor import Monitor
from .starts import Init


class Settings(NamedTuple):
    """The points, what is asked of them, and the limits.

    A method is a function of these, and of keywords that are its own, that returns the
    final state and the number of swaps done.
    """

    points: Points
    n_clusters: int
    init: Init
    max_iter: int
    delta: float | None
    memory_limit: float
    rng: np.random.Generator
    monitor: Monitor

    def needs(self, method: str, size: float, instead: str, what: str = "") -> None:
        """Refuse at once what cannot fit into the memory limit."""
        if size > self.memory_limit:
            what = what or f"the distance matrix of {self.points.n} points"
            raise ValueError(
                f"method={method!r} needs {size / 1e9:.3g} GB for {what}, but memory_limit"
                f" allows {self.memory_limit / 1e9:.3g} GB: raise memory_limit, or use"
                f" method={instead!r}."
            )

    def held(self, method: str, instead: str) -> Settings:
        """The same on points that hold all their distances, or an error if they can't."""
        self.needs(method, self.points.whole_bytes, instead)
        return self._replace(points=HeldPoints(self.points))
