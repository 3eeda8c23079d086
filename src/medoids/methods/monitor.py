"""What a fit did: the history of its steps, and a progress bar while it runs."""

from __future__ import annotations

import sys
import time
from typing import Any

from .._history import WATCH, HistoryEntry, Progress
from ..engines.protocol import Medoids
from ..search.rounds import Round


class Monitor:
    """Writes a record for each BUILD and each SWAP step, and shows how far the fit is.

    Parameters
    ----------
    verbose : int
        0 is silent, 1 shows a progress bar, 2 also a line for each step.
    starts : int, default=1
        How many starts there will be: records tell of which they are, if there are several.

    Attributes
    ----------
    history : list of dict
    start, starts : int
        Which start this is, and of how many.
    stopped : bool
        The method was stopped by `max_iter`, before it had come to its own end.
    """

    def __init__(self, verbose: int = 0, starts: int = 1) -> None:
        self.verbose, self.starts, self.start = verbose, starts, 0
        self._from = 0
        self.history: list[HistoryEntry] = []
        self.stopped = False
        self._bar: Any = None
        self._began = time.perf_counter()
        self._counted = 0
        self._shown = ""
        self._watch = WATCH.get()
        if self._watch is not None:
            if self._watch.told_by is None:
                self._watch.told_by = self
            else:  # CLARA's fit of a sample, whose medoids are not rows of the data
                self._watch = None

    def begin(self, start: int) -> None:
        """What comes is of another start."""
        self.start, self._from = start, len(self.history)

    def apart(self, engine: Medoids) -> Monitor:
        """A silent one for a trial, whose records may be adopted."""
        other = Monitor()
        other._counted = engine.n_distances
        return other

    def adopt(self, trial: Monitor, engine: Medoids) -> None:
        """Go on from a trial: what was done since the last record, in vain or not, is in its first.

        Only the last record is shown.
        """
        now, counted = time.perf_counter(), engine.n_distances
        first = trial.history[0]
        first["distances"] += counted - self._counted - sum(e["distances"] for e in trial.history)
        first["seconds"] += now - self._began - sum(e["seconds"] for e in trial.history)
        for entry in trial.history if self.starts > 1 else []:
            entry["start"] = self.start
        self.history += trial.history
        self._began, self._counted = now, counted
        self._tell(trial.history[-1], engine)

    def record(
        self,
        phase: str,
        engine: Medoids,
        rounds: list[Round],
        sigma: list[float] | None = None,
        swaps: int = 0,
    ) -> None:
        """One more step is done: `phase` is "init", "build" or "swap"."""
        now, counted = time.perf_counter(), engine.n_distances
        entry: HistoryEntry = {
            "phase": phase,
            "step": sum(old["phase"] == phase for old in self.history[self._from :]),
            "arms": rounds[0].arms if rounds else 0,
            "swaps": swaps,
            "rounds": [
                {"arms": each.arms, "references": each.references, "survivors": each.survivors}
                for each in rounds
            ],
            "distances": counted - self._counted,
            "loss": engine.loss * engine.unit,
            "sigma": None if sigma is None else [each * engine.unit for each in sigma],
            "seconds": now - self._began,
        }
        if self.starts > 1:
            entry["start"] = self.start
        self.history.append(entry)
        self._began, self._counted = now, counted
        self._tell(entry, engine)

    def _tell(self, entry: HistoryEntry, engine: Medoids) -> None:
        if self.verbose:
            self._show(entry, engine)
        if self._watch is not None:
            now_at = tuple(engine.medoids), engine.n_clusters, self._counted, engine.n_arms
            self._watch.tell(Progress(entry, *now_at))

    def _show(self, entry: HistoryEntry, engine: Medoids) -> None:
        total = float(engine.n_arms) ** 2
        which = f"start {self.start + 1} of {self.starts}: " if self.starts > 1 else ""
        text = f"{which}{entry['phase']} loss {entry['loss']:.6g}"
        counted = engine.n_distances
        saved = f"{counted:,} distances ({counted / total:.2%} of n²)"
        if self._bar is None:
            try:
                from tqdm.auto import tqdm
            except ImportError:  # the extra "progress" is not there: plain lines
                print(f"medoids: {text}, {saved}", file=sys.stderr)
                return
            self._bar = tqdm(total=engine.n_clusters, unit="step", dynamic_ncols=True)
        if entry["phase"] == "swap" and self._shown != "swap":
            # Nobody knows how many swaps there will be.
            self._bar.total = None
        self._shown = entry["phase"]
        self._bar.set_description(text, refresh=False)
        self._bar.set_postfix_str(saved, refresh=False)
        self._bar.update()
        if self.verbose > 1:
            self._bar.write(f"{text}, {saved}, {entry['seconds']:.3f} s", file=sys.stderr)

    def close(self) -> None:
        if self._watch is not None:
            self._watch.told_by = None
        if self._bar is not None:
            self._bar.close()
            self._bar = None
