"""Edit distances of strings, and of sequences of anything hashable."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from .._threads import Workers
from .._types import Floats, Indices
from .base import Measure


class EditDistance(Measure):
    """Edits between strings, or sequences of anything hashable, by rapidfuzz.

    A string is the sequence of its characters. Elements of other sequences are equal where
    Python says so; rapidfuzz would compare their hashes, and 97 be the same as "a".
    """

    symmetric = True

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
