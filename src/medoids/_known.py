"""Labels that were known before: which clusters they fall into."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._mixed_columns import is_missing

# Labels beyond these, the most frequent ones, are counted together.
_MOST = 40


class Known(NamedTuple):
    """A label for each row.

    Attributes
    ----------
    name : str
        What they say, such as "species".
    levels : list of str
        The labels that there are, in order; of very many the last is "other".
    codes : ndarray of int
        For each row the place of its label among these; -1 where there is none.
    """

    name: str
    levels: list[str]
    codes: NDArray[np.int64]


def known(labels: Any, n: int, name: str = "labels") -> Known:
    """Labels of any kind; a Series brings its name, and a categorical its order."""
    given = getattr(labels, "name", None)
    ordered = getattr(getattr(labels, "dtype", None), "categories", None)
    values = list(labels)
    if len(values) != n:
        raise ValueError(f"{name} has {len(values)} entries for {n} rows: give one for each.")
    texts = [None if is_missing(value) else _text(value) for value in values]
    levels = _order([value for value in values if not is_missing(value)])
    if ordered is not None:
        there = set(texts)
        levels = [_text(each) for each in ordered if _text(each) in there]
    if len(levels) > _MOST:
        often = Counter(text for text in texts if text is not None)
        kept = {text for text, _ in often.most_common(_MOST - 1)}
        levels = [*(text for text in levels if text in kept), "other"]
        texts = [text if text is None or text in kept else "other" for text in texts]
    place = {text: at for at, text in enumerate(levels)}
    codes = [-1 if text is None else place[text] for text in texts]
    return Known(name if given is None else str(given), levels, np.array(codes, dtype=np.int64))


def contingency(labels: NDArray[np.int32], known: Known, k: int) -> NDArray[np.int64]:
    """How many rows of each cluster have each label; of shape (k, number of labels)."""
    counts = np.zeros((k, len(known.levels)), dtype=np.int64)
    has = known.codes >= 0
    np.add.at(counts, (labels[has], known.codes[has]), 1)
    return counts


def agreement(labels: NDArray[np.int32], given: Any) -> float | None:
    """The adjusted Rand index over the rows that have a label; None where there is no such row."""
    from sklearn.metrics import adjusted_rand_score

    values = [None if is_missing(value) else _text(value) for value in given]
    has = np.array([value is not None for value in values], dtype=bool)
    if not has.any():
        return None
    texts = np.array([value for value in values if value is not None])
    return float(adjusted_rand_score(texts, labels[has]))


def _text(value: Any) -> str:
    """1 and 1.0 are the same label, as a column with holes has it."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _order(values: Sequence[Any]) -> list[str]:
    """Numbers by size, all else by its letters."""
    try:
        ordered = sorted(set(values))
    except TypeError:  # of several kinds
        ordered = sorted(set(values), key=str)
    return list(dict.fromkeys(_text(value) for value in ordered))
