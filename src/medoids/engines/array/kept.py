"""Whole rows of distances in float32 that are kept: those of leaders serve again and again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

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
        self._rows: OrderedDict[int, Array] = OrderedDict()

    def parts(self, arms: Ids) -> Iterator[tuple[slice, Array]]:
        """Some of the arms at a time: which, and their rows."""
        size = min(_AT_ONCE, self.most)
        for start in range(0, len(arms), size):
            part = slice(start, min(start + size, len(arms)))
            yield part, self.of(arms[part])

    def among(self, arms: Ids) -> Ids:
        """Those whose rows are at hand."""
        if self.sample.first == self.points.n:
            return arms
        return np.array([arm for arm in arms.tolist() if arm in self._rows], dtype=np.int64)

    def of(self, arms: Ids) -> Array:
        """The rows of a few arms."""
        space, rows = self.points.space, self._rows
        new = [int(arm) for arm in arms if int(arm) not in rows]
        held = [self.sample.row(arm) for arm in new]
        if new and held[0] is None:
            found = self.points.whole(space.ids(new))
            # Copies: one row that is kept would keep all that were computed with it.
            held = [space.xp.asarray(found[i, :], copy=True) for i in range(len(new))]
        rows.update(zip(new, held, strict=True))
        for arm in arms:
            rows.move_to_end(int(arm))
        chosen = space.xp.stack([rows[int(arm)] for arm in arms])
        while len(rows) > self.most:
            rows.popitem(last=False)
        return chosen
