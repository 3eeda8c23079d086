"""
Embeddings and topics
=====================

Texts become vectors, and vectors that point the same way are about the same thing. Under the cosine
distance each medoid is a text, which names its topic: no list of words has to be read.
"""

# %%
# Made headlines, embedded by TF-IDF and latent semantic analysis. Vectors of a language model are
# used in the same way.

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

from medoids import KMedoids, outlier_scores, plot

TOPICS = {
    "weather": "storm rain wind coast flood snow forecast river heat frost",
    "football": "goal match striker league coach penalty cup defender final club",
    "markets": "shares bank profit rates bonds trade inflation merger investors dollar",
    "space": "rocket orbit moon probe telescope launch crew planet satellite lander",
    "health": "vaccine hospital trial patients virus doctors surgery clinic dose nurses",
}
COMMON = ["new", "after", "before", "first", "again", "two", "week", "city", "report", "says"]
rng = np.random.default_rng(0)


def headline(topic: str) -> str:
    """Four to six words of a topic, two that all have, and now and then one of another topic."""
    words = list(rng.choice(TOPICS[topic].split(), rng.integers(4, 7), replace=False))
    words += list(rng.choice(COMMON, 2, replace=False))
    if rng.random() < 0.3:
        words.append(rng.choice(TOPICS[rng.choice(list(TOPICS))].split()))
    return " ".join(rng.permutation(words))


truth = rng.integers(0, len(TOPICS), 1_500)
texts = [headline(list(TOPICS)[at]) for at in truth]
vectors = make_pipeline(TfidfVectorizer(), TruncatedSVD(20, random_state=0)).fit_transform(texts)

# %%

km = KMedoids(5, metric="cosine", random_state=0).fit(vectors)
for label, row in enumerate(km.medoid_indices_):
    print(f"{(km.labels_ == label).sum():4} headlines like: {texts[row]}")
print(f"adjusted Rand index against the topics: {adjusted_rand_score(truth, km.labels_):.2f}")

# %%

plot.map(km, vectors)

# %%
# Those that fit their topic least:

for row in np.argsort(-outlier_scores(km, vectors))[:4]:
    print(texts[row])
