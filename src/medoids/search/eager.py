"""A search for many good arms, rather than for the best."""

from __future__ import annotations

import numpy as np

from .._tuning import Tuning
from ..engines.protocol import Arms, Ids
from .search import Search


class EagerSearch(Search):
    """A search that ends as soon as it knows arms that are good.

    With few clusters that is one; with many, those that seem best in their clusters.

    Parameters
    ----------
    arms, null, tuning
        As for `Search`.
    clusters : int
        How many there are.

    Attributes
    ----------
    is_hasty : bool
        The first good arms end it.
    """

    def __init__(self, arms: Arms, null: float, tuning: Tuning, clusters: int) -> None:
        super().__init__(arms, null, tuning)
        self.clusters, self.is_hasty = clusters, clusters < tuning.many
        self._finishes = False

    @property
    def threshold(self) -> float:
        return self.null + self.arms.slack

    def good(self, everywhere: bool = False) -> Ids:
        """Arms that lower the loss, the best first.

        Only those that seem best in their clusters are tried; if hardly any of these is good, and
        there are many clusters, some more, with better estimates. If all fail, and one is to look
        `everywhere`, all are: there is none then, if none is found.
        """
        arms, tried = self.arms, self.tuning.tried
        self._drop()
        if arms.exact:
            best = arms.lowest(4 * tried, each=True, below=self.null - arms.slack)
            self._value()
            return best
        # Where hardly any arm is dropped, the screen tells little of which are the best.
        vague = self.is_hasty and arms.left > self.tuning.vague * arms.total
        if not vague:
            self._value(arms.lowest(tried, each=True, below=self.null))
        if not self.is_hasty and len(self._good()) * 16 < self.clusters:
            self._drop()
            self._look_closely()
        if (everywhere or vague) and not len(self._good()):
            self._drop()
            self._narrow()
            if not len(self._good()):
                self._value()
        return self._good()

    def _knows_enough(self) -> bool:
        """As soon as an arm is known to be good: the others can wait for the next pass."""
        arms = self.arms
        if self._finishes or not self.is_hasty:
            return False
        if not len(self._good()) and len(self.rounds) > 1:
            self._value(arms.lowest(self.tuning.tried, each=True, below=self.null))
            self._drop()
        return len(self._good()) > 0

    def finish(self) -> None:
        """Look at all arms that are left after all, where one that was known to be good was not."""
        if self.arms.exact or not len(self._good()):
            return
        self._finishes = True
        self._drop()
        self._narrow()
        self._value()

    def _look_closely(self) -> None:
        arms = self.arms
        some, depth = arms.narrowed(self.tuning.hopeful), 4 * arms.first
        if some.left and depth < arms.total:
            self._refine(depth, some)
            self._value(some.lowest(2 * self.tuning.tried, each=True, below=self.null))

    def _good(self) -> Ids:
        return self.arms.valued(float(np.nextafter(self.null - self.arms.slack, -np.inf)))

    def close(self) -> Ids:
        """Arms that float32 cannot tell from those that change nothing, in ascending order."""
        return np.sort(self.arms.valued(self.threshold))
