"""Names that are not quite right, and things in the wrong place: the error says what was meant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from helpers import mixture, one_line
from medoids import KMedoids, k_medoids

X = mixture(40, 3, 3, 0)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"metric": "manhatan"}, "metric='manhatan' is unknown: did you mean 'manhattan'?"),
        ({"metric": "Euclidean"}, "metric='Euclidean' is unknown: did you mean 'euclidean'"),
        ({"metric": "levenstein"}, "did you mean 'levenshtein'"),
        ({"metric": "zzz"}, "metric='zzz' is unknown: choose one of 'bit_hamming'"),
        ({"method": "faster_pam"}, "method='faster_pam' is unknown: did you mean 'fasterpam'"),
        ({"method": "zzz"}, "method='zzz' is unknown: choose one of 'banditpam'"),
    ],
)
def test_what_was_meant(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match="unknown") as caught:
        KMedoids(3, **given).fit(X)
    assert says in one_line(caught.value)


@pytest.mark.parametrize(
    "words", [["spam", "ham"], ("spam", "ham"), np.array(["spam", "ham"]), pd.Series(["a", "b"])]
)
def test_texts_are_pointed_to_their_metric(words: Any) -> None:
    with pytest.raises(ValueError, match=r"texts.*metric='levenshtein'") as caught:
        KMedoids(2).fit(words)
    one_line(caught.value)


@pytest.mark.parametrize("y", ["L2", "l2", b"L2", 3, 0.5, np.int64(3), len])
@pytest.mark.parametrize("name", ["fit", "fit_predict", "fit_transform"])
def test_a_setting_in_the_place_of_y(name: str, y: Any) -> None:
    km = KMedoids(3)
    with pytest.raises(TypeError, match=r"no use for y=.*metric='l2'") as caught:
        getattr(km, name)(X, y)
    one_line(caught.value)
    assert not hasattr(km, "labels_")


@pytest.mark.parametrize(
    "y", [None, np.zeros(40), [0] * 40, ["cat"] * 40, pd.Series(range(40)), np.zeros((40, 2))]
)
def test_targets_are_ignored(y: Any) -> None:
    plain = KMedoids(3, random_state=0).fit(X)
    for km in (KMedoids(3, random_state=0).fit(X, y), KMedoids(3, random_state=0)):
        np.testing.assert_array_equal(km.fit_predict(X, y), plain.labels_)
    pipe = make_pipeline(StandardScaler(), KMedoids(3, random_state=0))
    assert pipe.fit(X, y).fit_predict(X, y).shape == (40,)


def test_a_result_shows_itself_in_a_few_lines() -> None:
    found = k_medoids(mixture(3000, 2, 4, 0), 4, random_state=0)
    text = repr(found)
    assert text.startswith(f"KMedoidsResult(medoid_indices={found.medoid_indices!r}, labels=")
    assert f"inertia={found.inertia!r}, n_iter={found.n_iter}" in text
    assert text.endswith(f"history=[{len(found.history)} steps])")
    assert len(text) < 500
