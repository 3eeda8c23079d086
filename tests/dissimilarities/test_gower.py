"""Gower's dissimilarity of mixed tables, against its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from helpers import Floats, one_line, pam_by_force
from medoids import KMedoids, k_medoids
from medoids._threads import Workers
from medoids.data.kinds import read
from medoids.engines.cpu.points import distances_between


def frame(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "height": rng.normal(170, 10, n),
            "children": rng.integers(0, 5, n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "smokes": rng.random(n) < 0.3,
            "ward": pd.Categorical(rng.integers(1, 4, n)),
        }
    )
    table.loc[rng.random(n) < 0.2, "height"] = np.nan
    table.loc[rng.random(n) < 0.2, "colour"] = None
    return table


def by_definition(table: pd.DataFrame) -> Floats:
    n = len(table)
    total, count = np.zeros((n, n)), np.zeros((n, n))
    for name in table:
        column = table[name]
        known = column.notna().to_numpy()
        both = known[:, None] & known
        if name in ("height", "children"):
            values = column.to_numpy(dtype=float)
            gap = np.abs(values[:, None] - values) / (np.nanmax(values) - np.nanmin(values))
        else:
            values = column.astype(object).to_numpy()
            gap = np.array([[float(a != b) for b in values] for a in values])
        total += np.where(both, gap, 0.0)
        count += both
    return total / count


def distances(table: Any) -> Floats:
    data = read(table, "gower", None)
    with Workers(2) as workers:
        return distances_between(data, data, workers)


def test_the_definition() -> None:
    table = frame(60, 0)
    np.testing.assert_allclose(distances(table), by_definition(table), atol=1e-12)


def test_polars_and_rows_give_the_same() -> None:
    table = frame(40, 1).drop(columns="ward")
    expected = distances(table)
    columns = {
        name: [None if pd.isna(value) else value for value in table[name].tolist()]
        for name in table
    }
    np.testing.assert_allclose(distances(pl.DataFrame(columns)), expected, atol=1e-12)
    rows = table.astype(object).to_numpy().tolist()
    np.testing.assert_allclose(distances(rows), expected, atol=1e-12)


def test_medoids_and_new_rows() -> None:
    table = frame(80, 2)
    km = KMedoids(3, metric="gower", random_state=0).fit(table)
    assert km.medoid_indices_.tolist() == pam_by_force(by_definition(table), 3)
    assert list(km.feature_names_in_) == list(table)
    pd.testing.assert_frame_equal(km.cluster_centers_, table.iloc[km.medoid_indices_])
    np.testing.assert_array_equal(km.predict(table), km.labels_)
    # Ranges and categories are those of the fit, and a new category is a new one.
    new = table.iloc[:2].copy()
    new["colour"] = "violet"
    new["height"] = 1000.0
    assert (km.transform(new) <= 1).all()
    np.testing.assert_array_equal(km.predict(table.iloc[5:8]), km.labels_[5:8])


def test_rows_that_share_nothing_are_far() -> None:
    found = distances([[1.0, None], [None, "a"], [2.0, "a"]])
    assert found[0, 1] == 1
    assert found[1, 2] == 0


def test_constant_and_empty_columns() -> None:
    table = pd.DataFrame({"same": [3.0, 3.0, 3.0], "none": [None] * 3, "x": [0.0, 1.0, 4.0]})
    np.testing.assert_allclose(distances(table)[0], [0, 0.125, 0.5])


@pytest.mark.parametrize(
    ("bad", "error", "says"),
    [
        (["ab", "cd"], TypeError, "X is no table"),
        ([1, 2], TypeError, "X is no table"),
        ([[1, 2], [3]], ValueError, r"X has rows of \[1, 2\] columns"),
        (pd.DataFrame({"a": []}), ValueError, "X is empty"),
    ],
)
def test_what_is_no_table(bad: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        k_medoids(bad, 1, metric="gower")
    one_line(caught.value)


def test_other_columns_at_predict() -> None:
    table = frame(30, 3)
    km = KMedoids(2, metric="gower").fit(table)
    with pytest.raises(ValueError, match=r"columns \['height', .* but the fit had .*'colour'"):
        km.predict(table.drop(columns="colour"))


@pytest.mark.parametrize("bad", [np.inf, -np.inf, 10**400], ids=["inf", "-inf", "huge"])
def test_infinity_is_refused(bad: Any) -> None:
    rows = [[1.0, "x"], [2.0, "y"], [bad, "x"], [4, "y"]]
    with pytest.raises(
        ValueError, match=r"X\[2\] has .* in column 0, which holds numbers"
    ) as caught:
        k_medoids(rows, 2, metric="gower")
    one_line(caught.value)


def test_new_rows_name_what_is_wrong() -> None:
    table = pd.DataFrame({"v": [1.0, 2.0, 3.0]})
    km = KMedoids(2, metric="gower").fit(table)
    for bad in ("unknown", np.inf):
        with pytest.raises(ValueError, match=rf"X\[1\] has '{bad}' in column 'v'"):
            km.predict(pd.DataFrame({"v": [1.0, bad]}))
