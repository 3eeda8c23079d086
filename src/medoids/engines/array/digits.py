"""How many digits rows have: what they are made of, to be multiplied on tensor cores."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

from .namespace import Array, Space

# Rows are made at most so large, to be multiplied in float16 (which ends at 65,504);
_FACTOR = 2.0**6
# or whole numbers of up to this, all of which float16 has. Some rows tell most others apart.
_WHOLE, _SOME = 2048.0, 1024
# The squared differences of so many bytes have a sum in four bytes.
_BYTES_SUMMED = 1 << 14


class Digits:
    """Of rows of numbers on a device.

    Parameters
    ----------
    space : Space
    parts : list of (int, int)
        Where parts of the rows start and stop: all of them, some at a time.
    between : callable
        Gives the rows between two places, as they are compared, in a type.
    directions, streamed : bool
        All rows have length 1; rows come from the host, so that one more look at them takes longer
        than it would save.
    """

    def __init__(
        self,
        space: Space,
        parts: list[tuple[int, int]],
        between: Callable[[int, int, Any], Array],
        directions: bool,
        streamed: bool,
    ) -> None:
        self._space, self._parts, self._between = space, parts, between
        self._directions, self._streamed = directions, streamed

    def factors(self, n: int, width: int) -> Any:
        """Room for so many rows, to be multiplied by others."""
        by, split = self.factor
        return self._space.fused.Factors(n, width, by, split, self._space.device)

    def bytes(self, n: int, width: int) -> Any:
        """Room for so many rows, where they are whole numbers of a byte; else None."""
        less = self._less if width <= _BYTES_SUMMED else None
        if less is None:
            return None
        return self._space.fused.Bytes(n, width, self.factor[0], less, self._space.device)

    @property
    def _less(self) -> float | None:
        """What rows are diminished by to be bytes, where they are whole numbers of a byte."""
        (lowest, least, largest), (by, split) = self._sizes, self.factor
        if split or not least or by != 1 / least or largest * by > 255:
            return None
        if largest * by <= 127:
            return 0.0
        return 128.0 if lowest >= 0 else None

    @cached_property
    def factor(self) -> tuple[float, bool]:
        """What rows are multiplied by, to be in float16; and whether that loses digits."""
        _, least, largest = self._sizes
        usual = _FACTOR / 2 ** math.ceil(math.log2(largest))
        if self._streamed:
            return usual, True
        # Pixels, counts, marks are multiples of the least of them.
        tried = [1 / least, usual] if largest <= _WHOLE * least else [usual]
        few, kind = self._space.fused.has_few_digits, self._space.xp.float32
        parts = [(0, min(_SOME, self._parts[0][1])), *self._parts]
        for by in tried:
            if all(few(self._between(*part, kind), by) for part in parts):
                return by, False
        return usual, True

    @cached_property
    def _sizes(self) -> tuple[float, float, float]:
        """The lowest number of all; the least and the largest above 0, without signs."""
        if self._directions:
            return -1.0, 0.0, 1.0
        xp, sizes = self._space.xp, self._space.fused.sizes
        found = [sizes(self._between(*part, xp.float32)) for part in self._parts]
        lowest, least, largest = self._space.host(xp.min(xp.stack(found), axis=0)).tolist()
        return (lowest, least, -largest) if largest < 0 else (0.0, 1.0, 1.0)
