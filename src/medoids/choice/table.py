"""What a scan has found, as users see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class ScanEntry(NamedTuple):
    """One number of clusters.

    Attributes
    ----------
    k : int
    loss : float
    silhouette : float or None
        The mean medoid silhouette; None for k = 1, and where distances are below 0.
    stability, stability_error : float or None
        How far two halves of the rows agree (adjusted Rand index), and its standard error.
    gap, gap_error : float or None
        The gap statistic and its error; for rows of numbers alone.
    sizes : ndarray of int
        How many rows each cluster has.
    medoid_indices : ndarray of int
    """

    k: int
    loss: float
    silhouette: float | None
    stability: float | None
    stability_error: float | None
    gap: float | None
    gap_error: float | None
    sizes: NDArray[np.int64]
    medoid_indices: NDArray[np.int64]


class Scan:
    """The fits for several numbers of clusters, what they say, and a suggestion.

    It prints as a table, `to_frame()` is a data frame, and `medoids.plot.scan` draws it.

    Attributes
    ----------
    entries : list of ScanEntry
        In ascending order of k; `scan[k]` is the one for k.
    suggestion : int or None
        The number of clusters that the criteria agree on; None if they do not.
    reason : str
        Why, in a line.
    votes : dict
        What each criterion says: stability, gap, silhouette, elbow.
    n_distances : int
        Distances computed.

    Examples
    --------
    >>> import numpy as np
    >>> from medoids import scan
    >>> X = np.random.default_rng(0).normal(size=(60, 1)) + np.repeat([0, 20, 40], 20)[:, None]
    >>> found = scan(X, range(2, 5), resample=False, random_state=0)
    >>> found.n_clusters, found[3].sizes.tolist()
    ([2, 3, 4], [20, 20, 20])
    >>> found.labels(3).shape
    (60,)
    """

    def __init__(
        self,
        entries: list[ScanEntry],
        labels: dict[int, NDArray[np.int32]],
        suggestion: int | None,
        reason: str,
        votes: dict[str, int | None],
        n_distances: int,
    ) -> None:
        self.entries, self._labels = entries, labels
        self.suggestion, self.reason, self.votes = suggestion, reason, votes
        self.n_distances = n_distances

    @property
    def n_clusters(self) -> list[int]:
        """The numbers of clusters that were tried."""
        return [each.k for each in self.entries]

    @property
    def losses(self) -> NDArray[np.float64]:
        return np.array([each.loss for each in self.entries])

    @property
    def silhouettes(self) -> NDArray[np.float64]:
        """Mean medoid silhouettes; NaN where there is none."""
        values = [each.silhouette for each in self.entries]
        return np.array([np.nan if value is None else value for value in values])

    def labels(self, k: int) -> NDArray[np.int32]:
        """The cluster of each row, with k clusters."""
        return self._labels[self[k].k]

    def __getitem__(self, k: int) -> ScanEntry:
        for each in self.entries:
            if each.k == k:
                return each
        raise KeyError(f"k = {k} was not tried: {', '.join(map(str, self.n_clusters))} were.")

    def __iter__(self) -> Iterator[ScanEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def to_frame(self) -> Any:
        """A pandas data frame, a row for each k."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_frame needs pandas: pip install pandas.") from None
        rows = [each._asdict() | {"suggested": each.k == self.suggestion} for each in self.entries]
        return pd.DataFrame(rows).set_index("k")

    def __repr__(self) -> str:
        head = ("k", "loss", "smallest", "silhouette", "stability", "gap")
        lines = [head]
        for each in self.entries:
            lines.append((
                f"{each.k}", f"{each.loss:.6g}", f"{each.sizes.min():,}",
                _shown(each.silhouette), _shown(each.stability), _shown(each.gap),
            ))  # fmt: skip
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        text = []
        for line in lines:
            mark = " <" if line[0] == str(self.suggestion) else ""
            cells = (cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            text.append("  ".join(cells) + mark)
        return "\n".join([*text, "", self.reason])


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
