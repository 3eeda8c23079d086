"""What an engine says that has no shortcuts for many clusters: its searches find all swaps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from .protocol import AllArms, Near


class WithoutNear(ABC):
    """The part of `Engine` that needs nothing else; see there for what each method promises."""

    near = False

    @abstractmethod
    def start(self, medoids: Sequence[int]) -> None:
        """Add these medoids, in float64."""

    def place_all(self, medoids: Sequence[int]) -> None:
        self.start(medoids)

    def swap_near(self, level: int) -> Near | None:
        return None

    def carrying(self) -> AllArms | None:
        return None
