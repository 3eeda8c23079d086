"""`KMedoids` as the cluster model of BERTopic: what it asks for, and the package itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from helpers import mixture, one_line
from medoids import KMedoids
from medoids.bertopic import representatives

WORDS = {
    "sea": "ship harbour sail wave captain island storm anchor",
    "kitchen": "bread oven flour butter recipe sugar cook dinner",
    "space": "planet orbit rocket star moon telescope galaxy comet",
}


def corpus(n: int) -> tuple[list[str], np.ndarray]:
    """Documents of three topics, of 5 : 3 : 2, and which."""
    rng = np.random.default_rng(0)
    topics = rng.choice(3, size=n, p=[0.3, 0.2, 0.5])
    words = [text.split() for text in WORDS.values()]
    return [" ".join(rng.choice(words[topic], size=9)) for topic in topics], topics


def test_what_bertopic_asks_of_a_cluster_model() -> None:
    """It fits with a y of topics or of nothing, reads `labels_`, and predicts."""
    X = mixture(200, 5, 3, 0, spread=8)
    model = KMedoids(3, metric="cosine", random_state=0)
    for y in (None, np.full(200, -1), np.arange(200) % 3):
        model.fit(X, y=y)
        assert model.labels_.shape == (200,)
        assert set(model.labels_) == {0, 1, 2}
        np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert not hasattr(model, "probabilities_")


def test_representatives_follow_the_topics_numbers() -> None:
    """BERTopic numbers topics by their sizes, and may merge some."""
    km = SimpleNamespace(medoid_indices_=np.array([2, 0, 3]))
    model = SimpleNamespace(hdbscan_model=km, topics_=[1, 1, 0, 1])
    assert representatives(model, ["a", "b", "c", "d"]) == {0: ["c"], 1: ["a", "d"]}


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SimpleNamespace(hdbscan_model=object(), topics_=[0]), "has no medoids"),
        (
            SimpleNamespace(
                hdbscan_model=SimpleNamespace(medoid_indices_=np.array([0])), topics_=[0, 0]
            ),
            "1 entries, but the fit had 2",
        ),
    ],
)
def test_what_has_no_representatives(model: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words) as caught:
        representatives(model, ["a"])
    one_line(caught.value)


def test_the_package() -> None:
    bertopic = pytest.importorskip("bertopic")
    from bertopic.dimensionality import BaseDimensionalityReduction
    from sklearn.feature_extraction.text import TfidfVectorizer

    documents, truth = corpus(240)
    vectorizer = TfidfVectorizer()
    embeddings = vectorizer.fit_transform(documents).toarray()
    km = KMedoids(3, metric="cosine", random_state=0)
    model = bertopic.BERTopic(
        umap_model=BaseDimensionalityReduction(), hdbscan_model=km, embedding_model=None
    )
    topics, _ = model.fit_transform(documents, embeddings)
    assert len({(a, b) for a, b in zip(topics, truth.tolist(), strict=True)}) == 3
    stand = representatives(model, documents)
    assert sorted(stand) == [0, 1, 2]
    for topic, (document,) in stand.items():
        assert topics[documents.index(document)] == topic
    again, _ = model.transform(documents[:20], embeddings[:20])
    np.testing.assert_array_equal(again, topics[:20])
    model.representative_docs_ = stand
    assert model.get_representative_docs(0) == stand[0]
