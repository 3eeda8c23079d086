"""Whole rows of distances in float32 that are kept: those of leaders serve again and again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container, Iterator

import numpy as np

from ..protocol import Ids
from .namespace import Array
from .sample import Sample

# So many rows are computed at a time.
_AT_ONCE = 128
# And kept at most.
_MOST = 256


class KeptRows:
    """From arms to all points.

    Parameters
    ----------
    sample : Sample
        Where all points are references, it has the rows.
    room : float
        Bytes that the rows may take.
    """

    def __init__(self, sample: Sample, room: float) -> None:
        self.sample, self.points = sample, sample.points
        self.most = min(max(int(room // (4 * self.points.n)), 4), _MOST)
        self._place: OrderedDict[int, int] = (
            OrderedDict()
        )  # of each arm, those used last at the end
        self._rows: Array = None

    @property
    def _all_held(self) -> bool:
        return self.sample.exact

    def parts(self, arms: Ids) -> Iterator[tuple[slice, Array]]:
        """Some of the arms at a time: which, and their rows."""
        size = min(_AT_ONCE, self.most)
        for start in range(0, len(arms), size):
            part = slice(start, min(start + size, len(arms)))
            yield part, self.of(arms[part])

    def among(self, arms: Ids) -> Ids:
        """Those whose rows are at hand."""
        if self._all_held:
            return arms
        return np.array([arm for arm in arms.tolist() if arm in self._place], dtype=np.int64)

    def of(self, arms: Ids) -> Array:
        """The rows of a few arms."""
        if self._all_held:
            return self.sample.whole(self.points.space.ids(arms))
        space = self.points.space
        new = [arm for arm in arms.tolist() if arm not in self._place]
        if len(new) == len(arms):
            rows = self.points.whole(space.ids(arms))
            self._keep(new, rows)
            return rows
        if new:
            self._keep(new, self.points.whole(space.ids(new)), apart_from=set(arms.tolist()))
        return space.take(self._rows, space.ids(self._places(arms)))

    def at(self, arms: Ids, refs: Array) -> Array:
        """From arms whose rows are at hand to some points."""
        space = self.points.space
        if self._all_held:
            return space.take(self.sample.whole(space.ids(arms)), refs, axis=1)
        return space.pairs(self._rows, space.ids(self._places(arms)), refs)

    def _places(self, arms: Ids) -> list[int]:
        for arm in arms.tolist():
            self._place.move_to_end(arm)
        return [self._place[arm] for arm in arms.tolist()]

    def _keep(self, new: list[int], rows: Array, apart_from: Container[int] = ()) -> None:
        """Keep rows, in the places of those that were not used for longest."""
        space = self.points.space
        if self._rows is None:
            shape = (self.most, self.points.n)
            self._rows = space.xp.empty(shape, dtype=space.xp.float32, device=space.device)
        places = list(range(len(self._place), min(len(self._place) + len(new), self.most)))
        old = [arm for arm in self._place if arm not in apart_from]
        places += [self._place.pop(arm) for arm in old[: len(new) - len(places)]]
        self._place.update(zip(new, places, strict=True))
        space.put_rows(self._rows, places, rows)
