"""Input that lies, breaks in the middle, or is not what it looks like.

Each is clustered rightly, or refused in one line; nothing hangs, crashes or is left half done.
"""

from __future__ import annotations

import copy
import datetime as dt
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numba
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from helpers import asymmetric, mixture, one_line
from medoids import KMedoids, k_medoids
from medoids._checks import chance, memory
from medoids._silhouette import fit_distances
from medoids._threads import Workers, effective_jobs
from medoids.data.kinds import read
from medoids.dissimilarities.compiled import Compiled
from medoids.engines.cpu.points import distances_between

X = mixture(40, 3, 3, 0)


class TestPrecomputed:
    """New points are rows, however many there are."""

    def test_as_many_new_points_as_in_the_fit(self) -> None:
        matrix = asymmetric(30, 0)
        km = KMedoids(3, metric="precomputed", random_state=0).fit(matrix)
        to_new = np.random.default_rng(1).uniform(size=(30, 30))
        expected = to_new[:, km.medoid_indices_]
        for n_new in (29, 30):
            np.testing.assert_array_equal(km.transform(to_new[:n_new]), expected[:n_new])
            labels = km.predict(to_new[:n_new])
            np.testing.assert_array_equal(labels, expected[:n_new].argmin(axis=1))
        assert km.score(to_new) == pytest.approx(-expected.min(axis=1).sum())
        np.testing.assert_array_equal(km.predict(matrix.T), km.labels_)

    @pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, np.ndarray.tolist])
    def test_the_matrix_of_the_fit_for_pictures_and_pages(self, kind: Any) -> None:
        matrix = asymmetric(30, 0)
        km = KMedoids(3, metric="precomputed", random_state=0).fit(kind(matrix))
        found = fit_distances(km, kind(matrix))
        np.testing.assert_array_equal(found.argmin(axis=1), km.labels_)
        assert found.min(axis=1).sum() == pytest.approx(km.inertia_)
        with pytest.raises(ValueError, match="give the X of the fit") as caught:
            fit_distances(km, matrix[:5, :5])
        one_line(caught.value)


class TestAFitThatFails:
    @pytest.mark.parametrize(
        ("new", "changes"),
        [
            (X[:, :2], {"n_clusters": 100}),
            (X[:, :2], {"method": "nonsense"}),
            (pd.DataFrame(X[:, :2], columns=["u", "v"]), {"init": [1, 2]}),
            (X[:, :2], {"metric": lambda a, b: 1 / 0}),
            (["a", "b"], {"metric": "levenshtein", "n_clusters": 3}),
            (X[:, :2], {"metric": "haversine", "delta": 2}),
        ],
    )
    def test_leaves_all_as_it_was(self, new: Any, changes: dict[str, Any]) -> None:
        frame = pd.DataFrame(X, columns=["a", "b", "c"])
        km = KMedoids(3, random_state=0).fit(frame)
        before = {name: value for name, value in vars(km).items() if name.endswith("_")}
        labels = km.predict(frame)
        km.set_params(**changes)
        with pytest.raises((ValueError, TypeError, ZeroDivisionError)):
            km.fit(new)
        after = {name: value for name, value in vars(km).items() if name.endswith("_")}
        assert before.keys() == after.keys()
        assert all(before[name] is after[name] for name in before)
        np.testing.assert_array_equal(km.predict(frame), labels)
        with pytest.raises(ValueError, match="feature"):
            km.transform(frame[["a", "b"]])

    def test_an_interrupt_leaves_all_as_it_was(self) -> None:
        calls = 0

        def metric(a: Any, b: Any) -> float:
            nonlocal calls
            calls += 1
            if calls > 100:
                raise KeyboardInterrupt
            return float(abs(a[0] - b[0]))

        km = KMedoids(3, random_state=0).fit(X)
        before = dict(vars(km))
        km.set_params(metric=metric)
        with pytest.raises(KeyboardInterrupt):
            km.fit(X[:, :2].tolist())
        assert vars(km) == before | {"metric": metric}

    def test_a_first_fit_that_fails_leaves_nothing(self) -> None:
        km = KMedoids(100)
        with pytest.raises(ValueError, match="n_clusters=100"):
            km.fit(X)
        assert vars(km) == vars(KMedoids(100))

    def test_names_of_columns_are_forgotten_by_a_fit_without(self) -> None:
        km = KMedoids(2).fit(pd.DataFrame(X, columns=["a", "b", "c"]))
        km.fit(X[:, :2])
        assert not hasattr(km, "feature_names_in_")
        assert km.n_features_in_ == 2
        km.set_params(metric="levenshtein").fit(["a", "b", "cc"])
        assert not hasattr(km, "n_features_in_")


COUNTS = np.random.default_rng(0).poisson(0.5, size=(30, 8)).astype(float)


def _at(array: Any, place: int, value: int) -> None:
    array[place] = value


# How to damage a sparse matrix of 30 rows and 8 columns after it was made.
DAMAGES: dict[str, tuple[str, Callable[[Any], None], str]] = {
    "column beyond": ("csr", lambda m: _at(m.indices, 3, 10**6), "index 1000000, out of 0 to 7"),
    "column 8": ("csr", lambda m: _at(m.indices, 3, 8), "index 8, out of 0 to 7"),
    "negative column": ("csr", lambda m: _at(m.indices, 3, -5), "index -5, out of 0 to 7"),
    "start beyond": ("csr", lambda m: _at(m.indptr, 4, 10**6), "indptr that does not rise"),
    "last start beyond": ("csr", lambda m: _at(m.indptr, -1, 10**6), "1000000 entries but"),
    "first start": ("csr", lambda m: _at(m.indptr, 0, -7), "indptr that does not rise"),
    "falling starts": ("csr", lambda m: _at(m.indptr, 20, 0), "indptr that does not rise"),
    "few starts": ("csr", lambda m: setattr(m, "indptr", m.indptr[:5]), r"indptr of shape \(5,\)"),
    "few columns": ("csr", lambda m: setattr(m, "indices", m.indices[:5]), r"indices of shape"),
    "few values": ("csr", lambda m: setattr(m, "data", m.data[:5]), r"values of shape \(5,\)"),
    "nested": ("csr", lambda m: setattr(m, "indices", m.indices[:, None]), "indices of shape"),
    "float columns": ("csr", lambda m: setattr(m, "indices", m.indices * 1.0), "type float64"),
    "csc row beyond": ("csc", lambda m: _at(m.indices, 3, 10**6), "index 1000000, out of 0 to 29"),
    "csc start": ("csc", lambda m: _at(m.indptr, 4, 10**6), "indptr that does not rise"),
    "coo row": ("coo", lambda m: _at(m.row, 3, 10**6), "index 1000000, out of 0 to 29"),
    "coo column": ("coo", lambda m: _at(m.col, 3, -7), "index -7, out of 0 to 7"),
    "coo values": ("coo", lambda m: setattr(m, "data", m.data[:5]), "for 5 values"),
    "bsr column": ("bsr", lambda m: _at(m.indices, 3, 10**6), "index 1000000, out of 0 to"),
}


class TestSparse:
    @pytest.mark.parametrize("damage", DAMAGES)
    @pytest.mark.parametrize("through", ["fit", "predict", "transform", "function"])
    def test_arrays_that_contradict_the_shape(self, damage: str, through: str) -> None:
        kind, spoil, says = DAMAGES[damage]
        matrix = getattr(sparse, f"{kind}_matrix")(COUNTS)
        spoil(matrix)
        metric = (lambda a, b: 1.0) if through == "function" else "l1"
        km = KMedoids(3, metric=metric)
        if through in ("predict", "transform"):
            km.fit(sparse.csr_array(COUNTS))
        with pytest.raises(ValueError, match=says) as caught:
            getattr(km, "fit" if through == "function" else through)(matrix)
        one_line(caught.value)

    def test_an_order_that_is_remembered_but_gone(self) -> None:
        matrix = sparse.csr_array(COUNTS)
        assert matrix.has_canonical_format
        matrix.indices[:2] = matrix.indices[:2][::-1]
        matrix.data[:2] = 5, 7
        found = k_medoids(matrix, 3, metric="l1").inertia
        assert found == k_medoids(matrix.toarray(), 3, metric="l1").inertia

    def test_room_at_the_end_is_not_read(self) -> None:
        matrix = sparse.csr_array(COUNTS)
        matrix.data = np.append(matrix.data, np.nan)
        matrix.indices = np.append(matrix.indices, 10**6)
        found = k_medoids(matrix, 3, metric="l1").inertia
        assert found == k_medoids(COUNTS, 3, metric="l1").inertia

    @pytest.mark.parametrize("metric", ["l1", "cosine", "chebyshev"])
    def test_whatever_the_arrays_are_like(self, metric: str) -> None:
        row, column = np.divmod(np.arange(COUNTS.size)[::-1], COUNTS.shape[1])
        halves = np.tile(COUNTS[row, column] / 2, 2)  # duplicates, explicit zeros, no order
        places = np.tile(row, 2), np.tile(column, 2)
        expected = k_medoids(COUNTS, 3, metric=metric).inertia
        coo = sparse.coo_array((halves, places), shape=COUNTS.shape)
        kinds = [coo, coo.tocsr(), coo.tocsc(), coo.tolil(), coo.todok(), coo.tobsr()]
        wide = sparse.csr_array(COUNTS)
        wide.indices, wide.indptr = wide.indices.astype("i8"), wide.indptr.astype("i8")
        for matrix in [*kinds, wide]:
            assert k_medoids(matrix, 3, metric=metric).inertia == pytest.approx(expected)


class TestNumbersOfAllSizes:
    @pytest.mark.parametrize("limit", [np.inf, 1e300, 10**400, "9" * 400, "9" * 400 + "GB"])
    def test_all_the_memory_that_there_is(self, limit: Any) -> None:
        assert memory(limit, 40, 2) == 2.0**63
        found = [k_medoids(X, 3, memory_limit=each, random_state=0) for each in (None, limit)]
        assert found[0].inertia == found[1].inertia

    @pytest.mark.parametrize("limit", ["inf", "nan", "1e400", "", "-3MB"])
    def test_no_sizes(self, limit: str) -> None:
        with pytest.raises(ValueError, match="is not a size: write it like '300MB'"):
            k_medoids(X, 3, memory_limit=limit)

    @pytest.mark.parametrize("method", ["banditpam", "banditpam_original"])
    @pytest.mark.parametrize("delta", [5e-324, 1e-320, Fraction(1, 10**400), np.float16(0.1)])
    def test_any_chance(self, delta: Any, method: str) -> None:
        assert 0 < chance(delta) < 1
        found = k_medoids(X, 3, delta=delta, method=method, random_state=0)
        assert found.inertia == pytest.approx(k_medoids(X, 3, method="pam").inertia)

    @pytest.mark.parametrize(
        ("delta", "error"),
        [(1j, TypeError), (np.complex128(0.1), TypeError), (10**400, ValueError), ([], TypeError)],
    )
    def test_no_chances(self, delta: Any, error: type[Exception]) -> None:
        with pytest.raises(error, match="delta") as caught:
            k_medoids(X, 3, delta=delta)
        one_line(caught.value)

    def test_more_jobs_than_there_is_room_for(self) -> None:
        assert 16 <= effective_jobs(10**9) == effective_jobs(10**30) < 10**4
        assert effective_jobs(-(10**30)) == 1
        words = ["ab", "ac", "xyz", "xyzz"]
        for data, metric in ((X, "l1"), (words, "levenshtein")):
            found = [k_medoids(data, 2, metric=metric, n_jobs=jobs) for jobs in (1, 10**9)]
            assert found[0].inertia == found[1].inertia

    def test_a_share_of_the_cores_that_is_no_number(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OMP_NUM_THREADS", "²")
        assert effective_jobs(None) == effective_jobs(-1)

    @pytest.mark.parametrize("window", [10**30, 2**63 - 1, 2**31, 100])
    def test_a_window_beyond_the_ends(self, window: int) -> None:
        found = [
            k_medoids(X, 3, metric="dtw", metric_params=params)
            for params in ({"window": window}, {})
        ]
        assert found[0].inertia == found[1].inertia

    @pytest.mark.parametrize(
        ("metric", "params", "says"),
        [
            ("tree_edit", {"insert": 10**400}, "must be at least 0.0 and finite"),
            ("tree_edit", {"insert": np.nan}, "must be at least 0.0 and finite"),
            ("minkowski", {"p": 10**400}, "out of 0.01 to 100.*chebyshev"),
            ("minkowski", {"p": 1e300}, "out of 0.01 to 100.*chebyshev"),
            ("minkowski", {"p": 1e-300}, "out of 0.01 to 100"),
            ("minkowski", {"p": 2j}, "must be a positive finite number"),
            ("dtw", {"window": -1}, "below 0"),
        ],
    )
    def test_parameters_out_of_range(self, metric: str, params: Any, says: str) -> None:
        with pytest.raises(ValueError, match=says) as caught:
            k_medoids(X, 3, metric=metric, metric_params=params)
        one_line(caught.value)

    def test_a_parameter_of_numpys(self) -> None:
        found = [
            k_medoids(X, 3, metric="minkowski", metric_params={"p": p}) for p in (3, np.float32(3))
        ]
        assert found[0].inertia == found[1].inertia

    def test_whole_numbers_without_end(self) -> None:
        assert k_medoids(X, 3, max_iter=10**5000).n_iter < 100
        for k in (10**30, 10**5000):
            with pytest.raises(ValueError, match="more than the n_samples=40"):
                k_medoids(X, k)
        with pytest.raises(ValueError, match="too small"):
            k_medoids(X, -(10**5000))


TIMES = np.arange(80).reshape(40, 2)


@pytest.mark.parametrize("metric", ["l2", "l1", "precomputed"])
@pytest.mark.parametrize(
    "data",
    [
        TIMES.astype("m8[s]"),
        TIMES.astype("M8[D]"),
        TIMES.astype("m8[s]").tolist(),
        pd.DataFrame(TIMES.astype("M8[s]")),
        pd.DataFrame({"a": TIMES[:, 0].astype("m8[s]"), "b": 1.0}),
        [[dt.date(2020, 1, 1)], [dt.date(2021, 1, 1)]],
    ],
)
def test_times_are_no_numbers(data: Any, metric: str) -> None:
    with pytest.raises(TypeError, match=r"X (holds values of type|cannot be read as)") as caught:
        k_medoids(data, 2, metric=metric)
    one_line(caught.value)


def distances(objects: Any, metric: str, others: Any = None) -> np.ndarray:
    data = read(objects, metric, None)
    with Workers(1) as workers:
        return distances_between(data, data if others is None else data.like(others), workers)


class TestSequences:
    def test_other_channels_than_in_the_fit(self) -> None:
        km = KMedoids(2, metric="dtw").fit([[1.0, 2.0], [3.0], [4.0, 9.0, 1.0]])
        with pytest.raises(ValueError, match="2 channels, but the fit had 1") as caught:
            km.predict([[[1.0, 2.0], [3.0, 4.0]]])
        one_line(caught.value)
        assert km.predict([[[3.0], [3.0]]]).shape == (1,)

    @pytest.mark.parametrize("value", [TIMES[0].astype("M8[s]"), ["1", "2"], [10**400], [1j], "12"])
    def test_what_is_no_number(self, value: Any) -> None:
        with pytest.raises(TypeError, match=r"X\[1\] is no sequence of numbers") as caught:
            k_medoids([[1.0], value], 1, metric="dtw")
        one_line(caught.value)


class TestEdits:
    """Elements are equal where Python says so."""

    @pytest.mark.parametrize(
        ("left", "right", "edits"),
        [
            (["a"], [97], 1),
            ("abc", b"abc", 3),
            ("abc", ["a", "b", "c"], 0),
            (b"abc", [97, 98, 99], 0),
            ([-1], [-2], 1),
            ([2**61 - 1], [0], 1),
            (["ab"], ["a", "b"], 2),
            ([("x", 1)], [("x", 1)], 0),
            (["a", None], ["a"], 1),
            ("", [], 0),
            ("", b"", 0),
            ([""], [], 1),
            ([chr(0x10FFFF)], [0x10FFFF], 1),
        ],
    )
    @pytest.mark.parametrize("metric", ["levenshtein", "damerau_levenshtein"])
    def test_pairs(self, left: Any, right: Any, edits: int, metric: str) -> None:
        assert distances([left, right], metric).tolist() == [[0, edits], [edits, 0]]
        assert distances([left], metric, [right, left]).tolist() == [[edits, 0]]

    def test_elements_that_have_no_hash(self) -> None:
        with pytest.raises(
            TypeError, match=r"X\[1\] has elements that cannot be compared"
        ) as caught:
            k_medoids([["a"], [["b"]]], 1, metric="levenshtein")
        one_line(caught.value)

    def test_strings_are_passed_on(self) -> None:
        words = ["spam", "ham"]
        packed = read(words, "levenshtein", None).packed
        assert all(mine is theirs for mine, theirs in zip(packed, words, strict=True))


DAYS = [0, 1, 10, 100]
DATES = [dt.date(2020, 1, 1) + dt.timedelta(day) for day in DAYS]
MOMENTS = [dt.datetime(2020, 1, 1, 12, 30) + dt.timedelta(day) for day in DAYS]
SPANS = [dt.timedelta(day) for day in DAYS]
COLUMNS: dict[str, Any] = {
    "dates": DATES,
    "datetimes": MOMENTS,
    "aware": [each.replace(tzinfo=dt.UTC) for each in MOMENTS],
    "spans": SPANS,
    "numpy dates": np.array(DATES, dtype="M8[D]"),
    "numpy times": np.array(MOMENTS, dtype="M8[ns]"),
    "numpy spans": np.array(DAYS).astype("m8[D]").astype("m8[ms]"),
    "pandas dates": pd.Series(MOMENTS),
    "pandas aware": pd.Series(MOMENTS).dt.tz_localize("Asia/Tokyo"),
    "pandas spans": pd.Series(SPANS),
    "polars dates": pl.Series(DATES),
    "polars times": pl.Series(MOMENTS),
    "polars spans": pl.Series(SPANS),
    "decimals": [Decimal(day) for day in DAYS],
    "fractions": [Fraction(day, 7) for day in DAYS],
    "nullable": pd.array(DAYS, dtype="Int64"),
}
GAPS = np.abs(np.subtract.outer(DAYS, DAYS)) / 100


class TestMixedTables:
    @pytest.mark.parametrize("name", COLUMNS)
    def test_what_can_be_measured_is_no_category(self, name: str) -> None:
        column = COLUMNS[name]
        rows = [[value] for value in column]
        np.testing.assert_allclose(distances(rows, "gower"), GAPS, atol=1e-9)
        kind = pl.DataFrame if isinstance(column, pl.Series) else pd.DataFrame
        np.testing.assert_allclose(distances(kind({"a": column}), "gower"), GAPS, atol=1e-9)

    def test_what_is_missing_among_dates(self) -> None:
        column = pd.Series([*MOMENTS, pd.NaT])
        table = pd.DataFrame({"a": column, "b": [1, 1, 1, 1, 2]})
        assert distances(table, "gower")[4, :4].tolist() == [1, 1, 1, 1]

    @pytest.mark.parametrize("new", [3.0, "yesterday", dt.timedelta(1), np.timedelta64(1, "D")])
    def test_other_things_than_dates_at_predict(self, new: Any) -> None:
        km = KMedoids(2, metric="gower").fit([[each] for each in DATES])
        with pytest.raises(ValueError, match="which holds times: put a finite one") as caught:
            km.predict([[new]])
        one_line(caught.value)

    def test_a_span_among_numbers_at_predict(self) -> None:
        km = KMedoids(2, metric="gower").fit([[day] for day in DAYS])
        with pytest.raises(ValueError, match="which holds numbers: put a finite one"):
            km.predict([[np.timedelta64(1, "D")]])

    @pytest.mark.filterwarnings("error")
    def test_numbers_as_large_as_there_are(self) -> None:
        table = [[-1.7e308], [0.0], [1.7e308]]
        expected = [[0, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 0]]
        np.testing.assert_allclose(distances(table, "gower"), expected)
        assert distances([[0.0], [1e-300]], "gower", [[1.7e308]]).tolist() == [[1], [1]]
        tiny = [[0.0], [5e-324], [1e-323]]
        np.testing.assert_allclose(distances(tiny, "gower"), expected)

    @pytest.mark.parametrize("value", [[1, 2], {"a": 1}, np.array([1, 2])])
    def test_cells_that_cannot_be_compared(self, value: Any) -> None:
        with pytest.raises(TypeError, match=r"column 1 that cannot be compared") as caught:
            k_medoids([[1, "a"], [2, value]], 1, metric="gower")
        one_line(caught.value)


def chain(depth: int, kind: str) -> Any:
    """A tree that is one long branch."""
    tree: Any = {"id": 7, "type": "end"} if kind == "dicts" else ("end", [])
    for at in range(depth):
        pair = ("a", [tree]) if kind == "tuples" else ["a", (tree,)]
        tree = {"type": "a", "children": [tree], "id": at} if kind == "dicts" else pair
    return tree


def _in_itself() -> dict[str, Any]:
    pair: Any = ["a", []]
    pair[1].append(pair)
    node: Any = {"type": "a"}
    node["children"] = [("b", []), ("c", [node])]
    below: Any = []
    below.append(("a", below))
    return {"list": pair, "dict": node, "children": ("root", below)}


def _doubled(times: int) -> Any:
    tree: Any = ("a", [])
    for _ in range(times):
        tree = ("a", [tree, tree])
    return tree


class TestTrees:
    @pytest.mark.parametrize("kind", _in_itself())
    def test_a_tree_that_contains_itself(self, kind: str) -> None:
        trees = [("a", []), _in_itself()[kind]]
        with pytest.raises(ValueError, match=r"X\[1\] is a tree that contains itself") as caught:
            k_medoids(trees, 1, metric="tree_edit")
        one_line(caught.value)
        km = KMedoids(1, metric="tree_edit").fit(trees[:1])
        with pytest.raises(ValueError, match=r"X\[1\] is a tree that contains itself"):
            km.predict(trees)

    @pytest.mark.parametrize("tree", [_doubled(40), ("a", [("b", [])] * 10**6)])
    def test_more_nodes_than_can_be_compared(self, tree: Any) -> None:
        with pytest.raises(ValueError, match=r"X\[1\] has more than 10000 nodes") as caught:
            k_medoids([("a", []), tree], 1, metric="tree_edit")
        one_line(caught.value)

    def test_a_subtree_in_two_places(self) -> None:
        assert distances([_doubled(3)], "tree_edit", [("a", [])]).tolist() == [[14]]

    @pytest.mark.parametrize(
        "bad", [None, (), "ab", ("a", "b"), [_in_itself()["list"]] * 3, ((["x"], 1), [])]
    )
    def test_what_is_no_tree(self, bad: Any) -> None:
        with pytest.raises(TypeError, match=r"X\[1\]") as caught:
            k_medoids([("a", []), bad], 1, metric="tree_edit")
        one_line(caught.value)

    @pytest.mark.parametrize("kind", ["tuples", "lists", "dicts"])
    @pytest.mark.parametrize("way", ["pickle", "joblib", "copy"])
    def test_deep_trees_are_stored(self, kind: str, way: str, tmp_path: Path) -> None:
        km = KMedoids(2, metric="tree_edit").fit([chain(5000, kind), chain(1, kind), ("c", [])])
        if way == "joblib":
            joblib.dump(km, tmp_path / "km")
            again = joblib.load(tmp_path / "km")
        else:
            again = copy.deepcopy(km) if way == "copy" else pickle.loads(pickle.dumps(km))
        assert again.cluster_centers_ is again._medoids.things
        for mine, theirs in zip(again.cluster_centers_, km.cluster_centers_, strict=True):
            left, right = mine, theirs
            while True:
                assert type(left) is type(right)
                if isinstance(left, dict):
                    assert left.get("id") == right.get("id")
                    assert list(left) == list(right)
                    left, right = left.get("children"), right.get("children")
                else:
                    assert left[0] == right[0]
                    left, right = left[1], right[1]
                assert type(left) is type(right)
                if not left:
                    break
                left, right = left[0], right[0]
        new = [chain(3, kind), ("c", [])]
        np.testing.assert_array_equal(again.transform(new), km.transform(new))

    def test_nodes_of_a_class_of_the_users(self) -> None:
        trees = [Node("a", [Node("b", [])]), Node("c", []), Node("a", [])]
        km = pickle.loads(pickle.dumps(KMedoids(2, metric="tree_edit").fit(trees)))
        assert all(type(tree) is Node for tree in km.cluster_centers_)


class Node(NamedTuple):
    label: str
    children: list[Any]


def beyond(a: Any, b: Any) -> float:
    total = 0.0
    for i in range(a.shape[0] + 1):
        total += abs(a[i] - b[i])
    return total


def beyond_for_some(a: Any, b: Any) -> float:
    return abs(a[int(a[0])] - b[int(b[0])])


def meddling(a: Any, b: Any) -> float:
    a[0] = 5.0
    return abs(a[0] - b[0])


def aligned(a: Any, b: Any) -> float:
    total = 0.0
    for i in range(len(a)):
        total += abs(a[i] - b[i])
    return total


class TestFunctions:
    """What compiled code would not look for is looked for before."""

    @pytest.mark.parametrize("compiled", [False, True])
    @pytest.mark.parametrize("kind", ["array", "rows"])
    def test_reading_beyond_the_end(self, compiled: bool, kind: str) -> None:
        metric = numba.njit(beyond) if compiled else beyond
        data = list(X) if kind == "rows" else X
        with pytest.raises((ValueError, IndexError), match="out of bounds") as caught:
            k_medoids(data, 2, metric=metric)
        if compiled or kind == "array":
            assert str(caught.value).startswith("metric(X[0], X[39]) reads beyond the end")
        else:
            assert caught.value.__notes__ == ["raised by metric(X[0], X[0])"]
        one_line(caught.value)

    def test_reading_beyond_the_end_of_some_rows(self) -> None:
        data = np.zeros((200, 3))
        data[150:, 0] = 10**6
        with pytest.raises(ValueError, match=r"reads beyond the end, index 1000000"):
            k_medoids(data, 2, metric=numba.njit(beyond_for_some))

    def test_sequences_of_different_lengths(self) -> None:
        data = [np.arange(5.0), np.arange(3.0), np.arange(4.0)]
        with pytest.raises(ValueError, match=r"metric\(X\[0\], X\[2\]\) reads beyond the end"):
            k_medoids(data, 2, metric=numba.njit(aligned))

    @pytest.mark.parametrize("compiled", [False, True])
    def test_changing_the_rows(self, compiled: bool) -> None:
        data = X.copy()
        with pytest.raises(ValueError, match=r"metric\(X\[0\], X\[39\]\) changes its rows"):
            k_medoids(data, 2, metric=numba.njit(meddling) if compiled else meddling)
        np.testing.assert_array_equal(data, X)

    def test_changing_the_rows_pair_by_pair(self) -> None:
        data = X.copy()
        with pytest.raises(ValueError, match="read-only"):
            k_medoids(data, 2, metric=lambda a, b, p: meddling(a, b), metric_params={"p": 1})
        np.testing.assert_array_equal(data, X)

    def test_the_rows_from_themselves_are_computed_once(self) -> None:
        calls = 0

        def function(a: Any, b: Any) -> float:
            nonlocal calls
            calls += 1
            return float(abs(a - b).sum() + a[0])

        measure = Compiled(lambda a, b: 0.0)
        measure._kernels["function"] = function
        np.testing.assert_array_equal(measure.own(X, len(X)), X[:, 0])
        assert calls == len(X)

    @pytest.mark.parametrize(
        ("gives", "error", "says"),
        [
            (None, TypeError, "gives a NoneType"),
            ("3", TypeError, "gives a str"),
            (np.ones(2), TypeError, "gives a ndarray"),
            (np.ones((1, 1)), TypeError, "gives a ndarray"),
            (1j, TypeError, "gives a complex"),
            (np.nan, ValueError, "nan"),
            (np.inf, ValueError, "inf"),
        ],
    )
    @pytest.mark.parametrize("data", [X, ["a", "b", "c"]], ids=["rows", "objects"])
    def test_what_is_no_number(self, gives: Any, error: Any, says: str, data: Any) -> None:
        with pytest.raises(error, match=says) as caught:
            k_medoids(data, 2, metric=lambda a, b: gives)
        one_line(caught.value)

    def test_what_it_raises_is_passed_on(self) -> None:
        def metric(a: Any, b: Any) -> float:
            raise RuntimeError("no such luck")

        with pytest.raises(RuntimeError, match="no such luck") as caught:
            k_medoids(X, 2, metric=metric)
        assert caught.value.__notes__ == ["raised by metric(X[0], X[0])"]


INTERRUPTS = """
import os, signal, sys, time
import numpy as np
from threadpoolctl import threadpool_info
from medoids import KMedoids
from medoids._threads import Workers

def stop(*_):
    raise KeyboardInterrupt

def blas():
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]

def workers():
    for jobs in (2, 1, 2):
        with Workers(jobs) as some:
            some.each(lambda start, stop: None, 4, 1)

X = np.random.default_rng(0).normal(size=(60, 3))
km = KMedoids(3, random_state=0, n_jobs=2).fit(X)
before, hits = blas(), 0
signal.signal(signal.SIGALRM, stop)
for attempt in range(400):
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, 1e-5 + 0.003 * (attempt // 2) / 200)
            km.fit(X) if attempt % 2 else workers()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except (KeyboardInterrupt, RuntimeError):  # an interrupt may break locks of Python's own
        hits += 1
deadline = time.monotonic() + 5
while blas() != before and time.monotonic() < deadline:
    time.sleep(0.01)
assert hits > 100, hits
assert blas() == before, (before, blas())
with Workers(2):
    assert set(blas()) == {1}, blas()
assert blas() == before
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_interrupts_leave_no_limit_on_blas() -> None:
    asked = os.environ | {"OPENBLAS_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"}
    command = [sys.executable, "-c", INTERRUPTS]
    done = subprocess.run(command, env=asked, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]


MASKED = np.ma.masked_array(X, mask=np.zeros_like(X, dtype=bool))
MASKED[3, 1] = np.ma.masked
HOLES = pd.DataFrame(X).astype("Float64")
HOLES.iloc[3, 1] = pd.NA
READ_ONLY = X.copy()
READ_ONLY.flags.writeable = False
# The same numbers in other clothes.
SAME: dict[str, Any] = {
    "objects": X.astype(object),
    "nothing masked": np.ma.masked_array(X, mask=np.zeros_like(X, dtype=bool)),
    "read-only": READ_ONLY,
    "every other column": np.repeat(X, 2, axis=1)[:, ::2],
    "fortran": np.asfortranarray(X),
    "big-endian": X.astype(">f8"),
    "longdouble": X.astype(np.longdouble),
    "nullable": pd.DataFrame(X).astype("Float64"),
    "polars": pl.DataFrame(X),
    "lists": X.tolist(),
    "tuples": tuple(map(tuple, X)),
    "list of arrays": list(X),
    "memoryview": memoryview(X),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_numbers_in_other_clothes(name: str) -> None:
    found = k_medoids(SAME[name], 3, random_state=0)
    assert found.inertia == k_medoids(X, 3, random_state=0).inertia


# Data, the metric, and what is said of it.
REFUSED: list[tuple[str, Any, Any, str]] = [
    ("an empty list", [], "l2", "2D array"),
    ("empty rows", [[], []], "l2", "0 feature"),
    ("None", None, "l2", "2D array"),
    ("rows of None", [[1.0, None], [2.0, 3.0]], "l2", "X contains NaN at row 0, column 1"),
    ("no dimensions", np.array(3.0), "l2", "2D array"),
    ("masked", MASKED, "l2", "X is masked at row 3"),
    ("masked sequences", MASKED, "dtw", "X is masked at row 3"),
    ("masked table", MASKED, "gower", "X is masked at row 3"),
    ("np.matrix", X.view(np.matrix), "l2", "np.matrix is not supported"),
    ("complex", X * 1j, "l2", "Complex data not supported"),
    ("sparse complex", sparse.csr_array(X * 1j), "l2", "Complex data not supported"),
    ("structured", np.zeros(5, dtype=[("a", float)]), "l2", "2D array"),
    ("an int beyond floats", [[10**400], [1]], "l2", "int too large to convert to float"),
    ("longdouble beyond floats", X.astype("g") * np.longdouble("1e4000"), "l2", "infinity at row"),
    ("a generator", (row for row in X), "l2", "2D array"),
    ("a generator of words", (word for word in "ab"), "levenshtein", "X is generator"),
    ("a dict", {"a": [1]}, "l2", "2D array"),
    ("a dict of words", {"a": "b"}, "levenshtein", "X is dict"),
    ("one word", "spam", "levenshtein", "X is str"),
    ("no words", [], "levenshtein", "X is empty"),
    ("None among words", ["a", None], "levenshtein", r"X\[1\] is NoneType"),
    ("a word without dimensions", np.array("a"), "levenshtein", "X is ndarray"),
    ("NA", HOLES, "l2", "X contains NaN at row 3, column 1"),
    ("polars null", pl.DataFrame({"a": [1.0, None]}), "l2", "X contains NaN at row 1, column 0"),
    ("a series", pd.Series([1.0, 2.0]), "l2", "2-dimensional container"),
    ("categories", pd.DataFrame({"a": pd.Categorical(["x", "y"])}), "l2", "string to float: 'x'"),
    ("texts", np.array([["a"], ["b"]]), "l2", "strings"),
    ("cubes", [[[1.0]], [[2.0]]], "l2", "dim 3"),
    ("no table", [1, 2], "gower", "X is no table"),
]
LINE = sparse.coo_array([1.0, 2.0])  # a row of two columns before SciPy 1.13
if LINE.ndim == 1:
    REFUSED.append(("a line of sparse", LINE, "l2", r"X has shape \(2,\)"))


@pytest.mark.parametrize(
    ("data", "metric", "says"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_data_that_is_refused(data: Any, metric: Any, says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says) as caught:
        k_medoids(data, 1, metric=metric)
    one_line(caught.value)


ARGUMENTS: list[tuple[dict[str, Any], str]] = [
    ({"n_clusters": np.bool_(True)}, "n_clusters must be a whole number"),
    ({"n_clusters": np.array(2)}, "n_clusters must be a whole number"),
    ({"n_clusters": np.nan}, "n_clusters must be a whole number"),
    ({"init": [[0, 1]]}, "flat list of row indices"),
    ({"init": [[0], [1, 2]]}, "flat list of row indices"),
    ({"init": np.array([True, False])}, "flat list of row indices"),
    ({"init": []}, "flat list of row indices"),
    ({"init": {0, 1}}, "flat list of row indices"),
    ({"init": [0, 10**30]}, "flat list of row indices"),
    ({"init": np.array([0, 2**64 - 1], dtype="u8")}, "row 18446744073709551615, out of range"),
    ({"random_state": np.random.default_rng(0)}, "Generator.*is no seed"),
    ({"random_state": -1}, "random_state=.-1. is no seed"),
    ({"verbose": True}, "verbose must be a whole number"),
    ({"verbose": None}, "verbose must be a whole number"),
    ({"metric": None}, "metric must be a name or a function"),
    ({"metric": np.array(["l1"])}, "metric must be a name or a function"),
    ({"method": np.array(["pam"])}, "is unknown: choose one of"),
    ({"metric_params": {1: 2}}, r"unknown keys \[1\]"),
    ({"n_jobs": np.bool_(True)}, "n_jobs must be a whole number"),
    ({"memory_limit": b"3MB"}, "memory_limit must be bytes or a text"),
]


@pytest.mark.parametrize(("given", "says"), ARGUMENTS)
def test_arguments_that_are_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says) as caught:
        k_medoids(X, **{"n_clusters": 2} | given)
    one_line(caught.value)


@pytest.mark.parametrize("method", ["predict", "transform", "score"])
@pytest.mark.parametrize(
    ("data", "says"),
    [
        (X[0], "2D array"),
        (X[:0], "0 sample"),
        (X[None], "dim 3"),
        (np.ones((2, 4)), "4 features, but KMedoids is expecting 3"),
        (sparse.csr_array(np.ones((2, 4))), "4 features, but KMedoids is expecting 3"),
        (MASKED, "X is masked"),
        (None, "2D array"),
        (X * 1j, "Complex data"),
    ],
)
def test_new_rows_that_are_refused(data: Any, says: str, method: str) -> None:
    km = KMedoids(2, random_state=0).fit(X)
    with pytest.raises((ValueError, TypeError), match=says) as caught:
        getattr(km, method)(data)
    one_line(caught.value)
