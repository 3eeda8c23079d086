"""BERTopic: `KMedoids` as its cluster model, and the documents that stand for the topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

__all__ = ["representatives"]

Document = TypeVar("Document")


def representatives(topic_model: Any, documents: Sequence[Document]) -> dict[int, list[Document]]:
    """The medoids of each topic: documents that were given, and nearest to all others of theirs.

    Parameters
    ----------
    topic_model : BERTopic
        Fitted, with a `KMedoids` as its `hdbscan_model`.
    documents : sequence
        What it was fitted on.

    Returns
    -------
    dict of list
        From each topic to its medoids: one, or several where topics were merged. BERTopic shows
        them after `topic_model.representative_docs_ = representatives(topic_model, documents)`.

    Examples
    --------
    A fitted `BERTopic(hdbscan_model=KMedoids(…))` has these two attributes:

    >>> from types import SimpleNamespace
    >>> from medoids import KMedoids
    >>> from medoids.bertopic import representatives
    >>> km = KMedoids(2).fit([[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]])
    >>> model = SimpleNamespace(hdbscan_model=km, topics_=km.labels_.tolist())
    >>> representatives(model, ["sea", "ship", "sail", "oven", "bread", "flour"])
    {0: ['ship'], 1: ['bread']}
    """
    rows = getattr(topic_model.hdbscan_model, "medoid_indices_", None)
    if rows is None:
        raise TypeError(
            "topic_model has no medoids: give BERTopic(hdbscan_model=KMedoids(…)) after its fit."
        )
    if len(documents) != len(topic_model.topics_):
        raise ValueError(
            f"documents has {len(documents)} entries, but the fit had {len(topic_model.topics_)}:"
            " give those of the fit."
        )
    found: dict[int, list[Document]] = {}
    for row in rows.tolist():
        found.setdefault(int(topic_model.topics_[row]), []).append(documents[row])
    return dict(sorted(found.items()))
