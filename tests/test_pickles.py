"""A fitted estimator in a pickle: it names public places only, and compares as before."""

from __future__ import annotations

import copy
import datetime as dt
import io
import pickle
import pickletools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numba import njit
from scipy import sparse
from scipy.spatial.distance import cdist

from helpers import mixture
from medoids import KMedoids


def largest(a: Any, b: Any) -> float:
    most = 0.0
    for i in range(a.shape[0]):
        most = max(most, abs(a[i] - b[i]))
    return most


compiled = njit(largest)


def by_length(a: str, b: str) -> float:
    return float(abs(len(a) - len(b)))


def weighted(a: Any, b: Any, weight: float = 1.0) -> float:
    return float(weight * np.abs(a - b).sum())


WORDS = ["spam", "ham", "eggs", "egg", "bacon", "beacon", "sausage", "usage", "spamalot", "sauce"]
TREES: list[Any] = [("a", [("b", [])] * (1 + at % 5)) for at in range(12)]
TREES += [{"type": "a", "children": [{"type": "c"}] * (at % 4)} for at in range(6)]
SERIES = [np.sin(np.arange(5 + at % 4) * (1 + at % 3)) for at in range(15)]
MIXED = [
    [float(at % 7), "ab"[at % 2], None if at % 5 else "x", dt.date(2020, 1, 1 + at)]
    for at in range(20)
]
FRAME = pd.DataFrame(MIXED, columns=["n", "letter", "hole", "day"])


def cases() -> Iterator[tuple[str, Any, Any, dict[str, Any]]]:
    """A name, data to fit, new data, and parameters."""
    X, new = mixture(60, 4, 3, 0), mixture(9, 4, 3, 1)
    for metric in ("euclidean", "l1", "cosine", "correlation", "jaccard", "canberra"):
        yield f"dense {metric}", X, new, {"metric": metric}
        thin, other = sparse.csr_array(np.maximum(X, 0)), sparse.csr_array(np.maximum(new, 0))
        yield f"sparse {metric}", thin, other, {"metric": metric}
    yield "whole numbers", (X * 9).astype(np.int16), new, {}
    yield "minkowski", X, new, {"metric": "minkowski", "metric_params": {"p": 3}}
    yield "haversine", X[:, :2], new[:, :2], {"metric": "haversine"}
    yield (
        "frame",
        pd.DataFrame(X, columns=list("abcd")),
        pd.DataFrame(new, columns=list("abcd")),
        {},
    )
    edits = {"insert": 1.0, "delete": 2.0, "rename": 0.5}
    yield "trees", TREES, TREES[:3], {"metric": "tree_edit", "metric_params": edits}
    yield "series", SERIES, SERIES[4:7], {"metric": "dtw", "metric_params": {"window": 3}}
    for metric in ("levenshtein", "normalized_damerau_levenshtein"):
        yield metric, WORDS, ["spa", "beam", ""], {"metric": metric}
    yield "tokens", [[*word, 3] for word in WORDS], [["s", 3]], {"metric": "levenshtein"}
    beyond = [[99.0, "c", None, dt.date(2030, 1, 1)], [2.0, None, "x", dt.date(2019, 1, 1)]]
    yield "gower rows", MIXED, beyond, {"metric": "gower"}
    yield "gower", FRAME, pd.DataFrame(beyond, columns=FRAME.columns), {"metric": "gower"}
    schema = list(FRAME.columns)
    pair = (pl.DataFrame(rows, schema=schema, orient="row") for rows in (MIXED, beyond))
    yield "gower polars", *pair, {"metric": "gower"}
    yield "plain function", X, new, {"metric": largest}
    yield "compiled function", X, new, {"metric": compiled}
    params = {"metric_params": {"weight": 2.0}}
    yield "function with keywords", X, new, {"metric": weighted, **params}
    yield "function of objects", WORDS, ["spa", ""], {"metric": by_length}
    yield "precomputed", cdist(X, X), cdist(new, X), {"metric": "precomputed"}


@pytest.fixture(scope="module")
def fits() -> dict[str, tuple[KMedoids, Any]]:
    return {
        name: (KMedoids(3, random_state=0, **params).fit(X), new)
        for name, X, new, params in cases()
    }


NAMES = [case[0] for case in cases()]


class Recorder(pickle.Unpickler):
    """Keeps the names that it looks up."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))
        self.names: set[str] = set()

    def find_class(self, module: str, name: str) -> Any:
        self.names.add(f"{module} {name}")
        return super().find_class(module, name)


@pytest.mark.parametrize("name", NAMES)
def test_no_inner_place_is_named(fits: Any, name: str) -> None:
    km, _ = fits[name]
    # Protocol 2 says each name in full, where later ones refer to what they said before.
    codes = pickletools.genops(pickle.dumps(km, protocol=2))
    said = {str(value) for code, value, _ in codes if code.name == "GLOBAL"}
    recorder = Recorder(pickle.dumps(km, protocol=pickle.HIGHEST_PROTOCOL))
    recorder.load()
    for names in (said, recorder.names):
        ours = {each for each in names if each.partition(" ")[0].partition(".")[0] == "medoids"}
        assert ours == {"medoids KMedoids"}


@pytest.mark.parametrize("name", NAMES)
def test_the_same_distances_after_a_pickle(fits: Any, name: str) -> None:
    km, new = fits[name]
    for again in (pickle.loads(pickle.dumps(km)), copy.deepcopy(km)):
        assert "_medoids" not in vars(again)
        assert type(again.cluster_centers_) is type(km.cluster_centers_)
        np.testing.assert_array_equal(again.transform(new), km.transform(new))
        np.testing.assert_array_equal(again.predict(new), km.predict(new))
        twice = pickle.loads(pickle.dumps(again))
        np.testing.assert_array_equal(twice.predict(new), km.predict(new))


def test_the_same_distances_in_another_process(fits: Any, tmp_path: Path) -> None:
    held = {name: (km, new, np.asarray(km.transform(new))) for name, (km, new) in fits.items()}
    (tmp_path / "held").write_bytes(pickle.dumps(held))
    script = (
        "import pickle, sys; sys.path.insert(0, sys.argv[2])\n"
        "held = pickle.load(open(sys.argv[1], 'rb'))\n"
        "for name, (km, new, was) in held.items():\n"
        "    now = km.transform(new)\n"
        "    assert (now == was).all(), name\n"
        "    assert (km.predict(new) == was.argmin(axis=1)).all(), name\n"
        "print(len(held))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "held"), str(Path(__file__).parent)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(NAMES)


def test_what_is_set_after_the_fit_changes_no_comparison() -> None:
    X = mixture(60, 4, 3, 0)
    km = KMedoids(3, metric="l1", random_state=0).fit(X)
    before = km.transform(X)
    again = pickle.loads(pickle.dumps(km.set_params(metric="cosine")))
    np.testing.assert_array_equal(again.transform(X), before)


def test_an_estimator_that_is_not_fitted() -> None:
    km = pickle.loads(pickle.dumps(KMedoids(4, metric="tree_edit")))
    assert km.get_params() == KMedoids(4, metric="tree_edit").get_params()
    assert not hasattr(km, "labels_")
