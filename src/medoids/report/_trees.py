"""Trees as lines, each with its depth and its words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from .._types import Indices
from ..plot._things import lines
from ._pack import NAME, clipped

# Lines of one tree that the page carries.
_MEMBER, _MEDOID = 60, 400


class Trees:
    kind = "tree"

    def __init__(self, trees: Sequence[Any]) -> None:
        self.trees = trees
        self._words: dict[str, int] = {}

    def members(self, rows: Indices) -> list[list[int]]:
        return [self._lines(self.trees[row], _MEMBER) for row in rows]

    def medoid(self, label: int, row: int) -> dict[str, Any]:
        return {"content": self._lines(self.trees[row], _MEDOID)}

    def shared(self) -> dict[str, Any]:
        return {"words": list(self._words)}

    def _lines(self, tree: Any, most: int) -> list[int]:
        """Depth and word, depth and word; a word is a number, since trees share them."""
        found = list(islice(lines(tree), most + 1))
        if len(found) > most:
            found[most] = (0, "…")
        return [
            part
            for depth, text in found
            for part in (depth, self._words.setdefault(clipped(text, NAME), len(self._words)))
        ]
