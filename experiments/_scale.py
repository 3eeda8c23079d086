"""How large the experiments are: tiny for tests, quick to see that all works, full as published."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

Size = TypeVar("Size")


class Scale(NamedTuple):
    name: str
    repeats: int | None = None  # instead of each figure's own

    def pick(self, tiny: Size, quick: Size, full: Size) -> Size:
        return {"tiny": tiny, "quick": quick, "full": full}[self.name]

    def seeds(self, tiny: int, quick: int, full: int) -> range:
        """A seed for each repeat."""
        return range(self.repeats or self.pick(tiny, quick, full))


BANDITS = ("banditpam_original", "banditpam")
