"""A search for many good arms, rather than for the best."""

from __future__ import annotations

import numpy as np

from ..engines.protocol import Ids
from .search import Search


class EagerSearch(Search):
    """A search that ends as soon as it knows arms that are good; see `Search`."""

    @property
    def threshold(self) -> float:
        return self.null + self.arms.slack

    def good(self, everywhere: bool = False) -> Ids:
        """Arms that lower the loss, the best first.

        Only those that seem best in their clusters are tried; if these fail, and one is to
        look `everywhere`, all are: there is none then, if none is found.
        """
        arms, tried = self.arms, self.tuning.tried
        self._drop()
        if arms.exact:
            best = arms.lowest(4 * tried, each=True, below=self.null - arms.slack)
            self._value()
            return best
        self._value(arms.lowest(tried, each=True, below=self.null))
        if everywhere and not len(self._good()):
            self._drop()
            self._narrow()
            self._value()
        return self._good()

    def _good(self) -> Ids:
        return self.arms.valued(float(np.nextafter(self.null - self.arms.slack, -np.inf)))

    def close(self) -> Ids:
        """Arms that float32 cannot tell from those that change nothing, in ascending order."""
        return np.sort(self.arms.valued(self.threshold))
