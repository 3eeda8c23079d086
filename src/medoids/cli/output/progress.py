"""The progress bar: the phase, the loss so far, the distances saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from ..._history import HistoryEntry, Progress
from .compiling import COMPILING, telling
from .screen import Screen, number, of_all

_PHASES = {"build": "BUILD", "init": "start", "swap": "SWAP"}


class Follower:
    """Keeps the best medoids of a fit, all records of it, and moves the bar.

    Parameters
    ----------
    begin : callable
        Called at the first step.
    bar, task : optional
        The bar, and what it shows.

    Attributes
    ----------
    medoids : tuple of int
        The best so far; empty while there are none.
    history : list of dict
    n_distances : int
    """

    def __init__(self, begin: Callable[[], None], bar: Bar | None = None, task: Any = None) -> None:
        self._begin, self._bar, self._task = begin, bar, task
        self.medoids: tuple[int, ...] = ()
        self.history: list[HistoryEntry] = []
        self.n_distances = 0
        self._loss = float("inf")

    def __call__(self, progress: Progress) -> None:
        entry = progress.entry
        if not self.history:
            self._begin()
        self.history.append(entry)
        self.n_distances = progress.n_distances
        # A walk of CLARANS may end above the one before.
        if len(progress.medoids) > len(self.medoids) or entry["loss"] < self._loss:
            self.medoids, self._loss = progress.medoids, entry["loss"]
        if self._bar is not None:
            self._move(progress)

    def compiling(self) -> None:
        """Show why nothing moves."""
        if self._bar is not None:
            self._bar.update(self._task, description=COMPILING)

    def _move(self, progress: Progress) -> None:
        assert self._bar is not None
        phase = progress.entry["phase"]
        swaps = sum(each["swaps"] for each in self.history)
        counted = f"{len(progress.medoids)} of {progress.n_clusters}"
        if phase == "swap":
            counted = f"{swaps} swap{'s' if swaps != 1 else ''}"
        self._bar.update(
            self._task,
            description=f"{_PHASES[phase]} {counted}",
            # One more than BUILD has: nobody knows how many swaps there will be.
            total=progress.n_clusters + 1,
            completed=len(progress.medoids),
            loss=f"loss {number(self._loss)}",
            saved=f"{of_all(progress.n_distances, progress.n)} distances",
        )


@contextmanager
def following(screen: Screen, begin: Callable[[], None]) -> Iterator[Follower]:
    """A follower with a bar, if there is a terminal to draw it on.

    It calls `begin` after the first step, when no option can be wrong any more.
    """
    if not screen.moving:
        yield Follower(begin)
        return
    columns = (
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=14),
        TextColumn("{task.fields[loss]}"), TextColumn("{task.fields[saved]}", style="dim"),
        TimeElapsedColumn(),
    )  # fmt: skip
    with Bar(*columns, console=screen.err, transient=True) as bar:
        task = bar.add_task("measuring", total=None, loss="", saved="")
        follower = Follower(begin, bar, task)
        with telling(follower.compiling):
            yield follower
