"""The named dissimilarities of objects: trees, strings, sequences, rows of mixed tables."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._checks import is_real
from .._threads import Workers
from ..engines.cpu.points.base import Floats, Indices
from .base import Measure, in_slices
from .gower import Gower
from .trees import pack


class TreeEdit(Measure):
    """The least cost of inserting, deleting and renaming nodes (Zhang and Shasha 1989)."""

    def __init__(self, insert: float = 1.0, delete: float = 1.0, rename: float = 1.0) -> None:
        self.costs = tuple(
            _number(value, name, least=0.0)
            for name, value in {"insert": insert, "delete": delete, "rename": rename}.items()
        )
        self._numbers: dict[Hashable, int] = {}

    def pack(self, objects: Sequence[Any]) -> Any:
        return pack(objects, self._numbers)

    def fill(
        self, left: Any, arms: Indices, right: Any, refs: Indices, out: Floats, workers: Workers
    ) -> None:
        from .kernels.trees import tree_block

        def work(some: slice, others: slice, part: NDArray[np.float64]) -> None:
            tree_block(left, right, arms[some], refs[others], *self.costs, part)

        in_slices(work, out, workers)


class DynamicTimeWarping(Measure):
    """The least sum of distances along a path that aligns two sequences.

    Parameters
    ----------
    window : int, default=None
        How far from the diagonal the path may go (Sakoe and Chiba 1978), at least the
        difference of the lengths. None is no limit.
    """

    def __init__(self, window: int | None = None) -> None:
        if window is not None:
            if isinstance(window, bool) or not isinstance(window, numbers.Integral):
                raise TypeError(f"metric_params['window'] must be a whole number, got {window!r}.")
            if window < 0:
                raise ValueError(f"metric_params['window']={window} is below 0: give at least 0.")
        # None of the sequences is so long; and a place in one plus the window must not overflow.
        self._channels: int | None = None
        self.window = -1 if window is None else min(int(window), 2**31)

    def learned(self) -> dict[str, Any]:
        return {"channels": self._channels}

    def recall(self, learned: Mapping[str, Any]) -> None:
        self._channels = learned["channels"]

    def pack(self, objects: Sequence[Any]) -> Any:
        rows = [_sequence(each, index) for index, each in enumerate(objects)]
        channels = {row.shape[1] for row in rows}
        if len(channels) > 1:
            raise ValueError(
                f"X has sequences of {sorted(channels)} channels: give all the same number."
            )
        (found,) = channels
        if self._channels is None:
            self._channels = found
        if found != self._channels:
            raise ValueError(
                f"X has sequences of {found} channels, but the fit had {self._channels}: give"
                " as many."
            )
        starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        return starts, np.concatenate(rows)

    def fill(
        self, left: Any, arms: Indices, right: Any, refs: Indices, out: Floats, workers: Workers
    ) -> None:
        from .kernels.sequences import dtw_block

        def work(some: slice, others: slice, part: NDArray[np.float64]) -> None:
            dtw_block(left, right, arms[some], refs[others], self.window, part)

        in_slices(work, out, workers)


class EditDistance(Measure):
    """Edits between strings, or sequences of anything hashable, by rapidfuzz.

    A string is the sequence of its characters. Elements of other sequences are equal where
    Python says so; rapidfuzz would compare their hashes, and 97 be the same as "a".
    """

    def __init__(self, kind: str, normalised: bool) -> None:
        try:
            import rapidfuzz  # noqa: F401
        except ImportError as error:
            raise ImportError(
                f"metric={kind.lower()!r} needs rapidfuzz: pip install 'medoids[objects]'."
            ) from error
        self.kind, self.normalised = kind, normalised
        self._codes: dict[Hashable, int] = {}

    def pack(self, objects: Sequence[Any]) -> Any:
        return [
            each if isinstance(each, str) else self._coded(each, index)
            for index, each in enumerate(objects)
        ]

    def _coded(self, sequence: Any, index: int) -> list[int]:
        """A number for each element: a character's own, or one beyond all characters."""
        if not isinstance(sequence, Sequence):
            raise TypeError(
                f"X[{index}] is {type(sequence).__name__}, but an edit distance needs strings or"
                " sequences: convert it."
            )
        codes = self._codes
        try:
            return [
                ord(each)
                if isinstance(each, str) and len(each) == 1
                else codes.setdefault(each, sys.maxunicode + 1 + len(codes))
                for each in sequence
            ]
        except TypeError as error:
            raise TypeError(
                f"X[{index}] has elements that cannot be compared, {error}: give texts, numbers"
                " or tuples."
            ) from None

    def fill(
        self, left: Any, arms: Indices, right: Any, refs: Indices, out: Floats, workers: Workers
    ) -> None:
        from rapidfuzz import distance
        from rapidfuzz.process import cdist

        name = "normalized_distance" if self.normalised else "distance"
        out[:] = cdist(
            [left[i] for i in arms], [right[j] for j in refs],
            scorer=getattr(getattr(distance, self.kind), name),
            workers=workers.n_jobs, dtype=np.float64,
        )  # fmt: skip


MEASURES: dict[str, Callable[..., Measure]] = {
    "tree_edit": TreeEdit,
    "dtw": DynamicTimeWarping,
    "gower": Gower,
    "levenshtein": lambda: EditDistance("Levenshtein", False),
    "normalized_levenshtein": lambda: EditDistance("Levenshtein", True),
    "damerau_levenshtein": lambda: EditDistance("DamerauLevenshtein", False),
    "normalized_damerau_levenshtein": lambda: EditDistance("DamerauLevenshtein", True),
}


def measure(name: str, params: Mapping[str, Any]) -> Measure:
    """The measure of objects called `name`."""
    known = list(signature(MEASURES[name]).parameters)
    for key in params:
        if key not in known:
            there = f"it has {', '.join(known)}" if known else "it has none"
            raise ValueError(f"metric={name!r} has no parameter {key!r} in metric_params: {there}.")
    return MEASURES[name](**params)


def _number(value: Any, name: str, least: float) -> float:
    if not is_real(value):
        raise TypeError(f"metric_params[{name!r}] must be a number, got {value!r}.")
    if not least <= value <= sys.float_info.max:
        raise ValueError(f"metric_params[{name!r}]={value} must be at least {least} and finite.")
    return float(value)


def _sequence(value: Any, index: int) -> NDArray[np.float64]:
    """A sequence of numbers, or of rows of numbers, one row a time."""
    try:
        row = np.asarray(value)
        if row.dtype.kind not in "fiubO":
            raise TypeError(f"it has values of type {row.dtype}")
        row = row.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        said = str(error).splitlines()[0]
        raise TypeError(f"X[{index}] is no sequence of numbers: {said}.") from None
    if row.ndim not in (1, 2) or not row.size:
        raise ValueError(
            f"X[{index}] has shape {row.shape}, but dtw needs a sequence of at least one number,"
            " or of rows of numbers."
        )
    if not np.isfinite(row).all():
        raise ValueError(f"X[{index}] contains NaN or infinity: remove or fill it in.")
    return row.reshape(len(row), -1)
