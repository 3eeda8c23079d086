"""How a step was searched, and what it found."""

from __future__ import annotations

from typing import NamedTuple


class Round(NamedTuple):
    """One round of a search: arms that came in, references used so far, arms left."""

    arms: int
    references: int
    survivors: int


class Choice(NamedTuple):
    """The arm that joins the medoids, or replaces the one at `position`; -1 if none is worth it."""

    rounds: list[Round]
    sigma: list[float] | None = None
    arm: int = -1
    position: int = -1
