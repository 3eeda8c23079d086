"""What every method is given."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._tuning import Tuning
from .._types import Init
from ..engines.protocol import FullEngine
from .monitor import Monitor


class Settings(NamedTuple):
    """The engine, what is asked of it, and the limits.

    A method is a function of these, and of keywords that are its own, that returns an
    engine at the final medoids and the number of swaps done.
    """

    engine: FullEngine
    init: Init
    max_iter: int
    delta: float | None
    swap: str
    rng: np.random.Generator
    monitor: Monitor
    tuning: Tuning

    def needs(self, method: str, size: float, instead: str, what: str = "") -> None:
        """Refuse at once what cannot fit into the memory limit."""
        room = self.engine.room
        if size > room:
            what = what or f"the distance matrix of {self.engine.n} points"
            raise ValueError(
                f"method={method!r} needs {size / 1e9:.3g} GB for {what}, but memory_limit"
                f" allows {room / 1e9:.3g} GB: raise memory_limit, or use"
                f" method={instead!r}."
            )
