"""A dissimilarity of objects: what it packs them into, and how it fills a block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._threads import Workers
from .._types import Floats, Indices

# Of two objects, the medoid first.
Function = Callable[[Any, Any], float]
# Pairs that a thread takes at a time, about.
_PAIRS = 2048


class Measure(ABC):
    """A dissimilarity of objects. What it learns of the data in a fit serves new objects too.

    Attributes
    ----------
    takes : str
        What it compares: "objects" of any kind, the rows of a "table", or "rows" of numbers;
        "bits", "series" or "frames" of atoms, which may come in arrays.
    cost : float
        About how many nanoseconds a dissimilarity takes.
    distance : bool
        It is never negative, and zero from an object to itself.
    symmetric : bool
        And the same both ways round.
    tried : int
        Dissimilarities that were computed to find out how to compute others.
    """

    takes = "objects"
    cost = 1000.0
    distance = True
    symmetric = False
    tried = 0

    def own(self, packed: Any, n: int) -> NDArray[np.float64]:
        """The dissimilarity of every object from itself."""
        return np.zeros(n)

    def learned(self) -> dict[str, Any]:
        """What new objects are measured by, of the data of the fit: plain values, to be stored."""
        return {}

    def recall(self, learned: Mapping[str, Any]) -> None:  # noqa: B027
        """Measure by what another one has learned."""

    @abstractmethod
    def pack(self, objects: Sequence[Any]) -> Any:
        """Objects in the form that `fill` wants; an error names the first that is wrong."""

    @abstractmethod
    def fill(
        self, left: Any, arms: Indices, right: Any, refs: Indices, out: Floats, workers: Workers
    ) -> None:
        """Fill `out[i, j]` with the dissimilarity from `left[arms[i]]` to `right[refs[j]]`."""


def in_slices(
    work: Callable[[slice, slice, NDArray[np.float64]], None], out: Floats, workers: Workers
) -> None:
    """Call `work(arms, refs, part)` for slices of the longer side of `out`; threads share it.

    The part is a new array of float64, so that a kernel is compiled for nothing else.
    """
    arms, refs = out.shape
    along = 0 if arms >= refs else 1
    size = max(_PAIRS // max(min(arms, refs), 1), 1)

    def fill(start: int, stop: int) -> None:
        some = slice(start, stop) if along == 0 else slice(0, arms)
        others = slice(0, refs) if along == 0 else slice(start, stop)
        part = np.empty((some.stop - some.start, others.stop - others.start))
        work(some, others, part)
        out[some, others] = part

    workers.each(fill, max(arms, refs), size)


def along_the_longer(
    work: Callable[[Any, Indices, Any, Indices], Floats],
    sides: tuple[Any, Indices, Any, Indices],
    out: Floats,
    workers: Workers,
    pairs: int,
    least: int,
) -> None:
    """Fill `out` by a measure that does not mind which of two things comes first.

    Parameters
    ----------
    work : callable
        Of packed things and which of them, few, and the same of many: a block with a row for
        each of the few.
    sides : tuple
        Left, arms, right and refs, as for `fill`.
    out : ndarray
    workers : Workers
        Share the longer side.
    pairs, least : int
        About how many pairs a thread takes at a time, and at least so many of the longer side.
    """
    left, arms, right, refs = sides
    if len(arms) > len(refs):
        left, arms, right, refs, out = right, refs, left, arms, out.T

    def fill(start: int, stop: int) -> None:
        out[:, start:stop] = work(left, arms, right, refs[start:stop])

    workers.each(fill, len(refs), max(pairs // max(len(arms), 1), least))
