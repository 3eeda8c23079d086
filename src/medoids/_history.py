"""What is known of a fit, step by step: the records, and those who watch it run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, NotRequired, TypedDict


class RoundEntry(TypedDict):
    """One round of a search: arms that came in, references used so far, arms left."""

    arms: int
    references: int
    survivors: int


class HistoryEntry(TypedDict):
    """One BUILD step, one SWAP step or pass, or the start, as in `history_`.

    Attributes
    ----------
    phase : {"init", "build", "swap"}
    step : int
        Which one of its phase, from 0.
    arms, swaps : int
        Arms at the beginning, and swaps done.
    rounds : list of RoundEntry
    distances : int
        Distances computed in this step.
    loss : float
        The loss after it.
    sigma : list of float or None
        Minimum, quartiles and maximum over the arms.
    seconds : float
    start : int
        Which start it is of, from 0; there, if there are several.
    """

    phase: str
    step: int
    arms: int
    swaps: int
    rounds: list[RoundEntry]
    distances: int
    loss: float
    sigma: list[float] | None
    seconds: float
    start: NotRequired[int]


class Progress(NamedTuple):
    """How far a fit is after a step.

    Attributes
    ----------
    entry : HistoryEntry
        The record of the step.
    medoids : tuple of int
        The medoids so far.
    n_clusters, n : int
        How many there will be, and of how many points.
    n_distances : int
        Distances computed so far.
    """

    entry: HistoryEntry
    medoids: tuple[int, ...]
    n_clusters: int
    n_distances: int
    n: int


class Watch:
    """Who is told, and which fit tells: a fit within a fit keeps silent."""

    def __init__(self, tell: Callable[[Progress], None]) -> None:
        self.tell = tell
        self.told_by: object = None


WATCH: ContextVar[Watch | None] = ContextVar("medoids_watch", default=None)


@contextmanager
def watching(tell: Callable[[Progress], None]) -> Iterator[None]:
    """Call `tell` after each step of every fit that this thread begins inside the block.

    What it raises ends the fit. The medoids that it was given are good ones to start
    another fit from: so a fit that is interrupted is not lost.
    """
    token = WATCH.set(Watch(tell))
    try:
        yield
    finally:
        WATCH.reset(token)
