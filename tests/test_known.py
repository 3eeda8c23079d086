"""Known labels of any kind, and how clusters agree with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix

from medoids._known import agreement, contingency, known

RNG = np.random.default_rng(0)
CLUSTERS = RNG.integers(0, 4, 200).astype(np.int32)


@pytest.mark.parametrize(
    ("labels", "levels"),
    [
        (RNG.choice(["b", "a", "c"], 200), ["a", "b", "c"]),
        (RNG.choice([10, 9, 2], 200), ["2", "9", "10"]),
        (RNG.choice([True, False], 200).tolist(), ["False", "True"]),
        (["x", 1, ("t",)] * 66 + ["x", 1], ["('t',)", "1", "x"]),
        (pd.Categorical(["low", "high"] * 100, ["low", "mid", "high"]), ["low", "high"]),
    ],
)
def test_labels_of_any_kind(labels: Any, levels: list[str]) -> None:
    given = known(labels, 200)
    assert given.levels == levels
    texts = [given.levels[code] for code in given.codes]
    assert texts == [str(value) for value in labels]
    counts = contingency(CLUSTERS, given, 4)
    np.testing.assert_array_equal(counts, contingency_matrix(CLUSTERS, given.codes))
    assert agreement(CLUSTERS, labels) == pytest.approx(adjusted_rand_score(texts, CLUSTERS))


def test_rows_without_a_label_are_not_counted() -> None:
    labels = pd.Series([1, 2, None, 1, np.nan] * 40, name="kind")
    given = known(labels, 200)
    assert (given.name, given.levels) == ("kind", ["1", "2"])
    assert (given.codes < 0).sum() == 80
    has = labels.notna().to_numpy()
    assert contingency(CLUSTERS, given, 4).sum() == 120
    expected = adjusted_rand_score(labels[has], CLUSTERS[has])
    assert agreement(CLUSTERS, labels) == pytest.approx(expected)
    assert agreement(CLUSTERS, [None] * 200) is None
    assert known([None] * 200, 200).levels == []


def test_very_many_labels_are_counted_together() -> None:
    labels = [f"common {at % 5}" for at in range(100)] + [f"rare {at}" for at in range(100)]
    given = known(labels, 200)
    assert len(given.levels) == 40
    assert given.levels[-1] == "other"
    counts = contingency(CLUSTERS, given, 4)
    assert counts.sum() == 200
    assert counts[:, :5].sum() == 100
    assert agreement(CLUSTERS, labels) == pytest.approx(adjusted_rand_score(labels, CLUSTERS))


def test_too_few_labels() -> None:
    with pytest.raises(ValueError, match="labels has 3 entries for 200 rows"):
        known(["a", "b", "c"], 200)
