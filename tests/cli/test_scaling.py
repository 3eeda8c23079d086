"""`--scale`, the warning where one column decides alone, and degrees on a sphere."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_files import COUNTS, labels_of, result_of
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import RobustScaler, StandardScaler

from medoids import KMedoids
from medoids.__main__ import main

WINE = load_wine()


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Path("wine.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(WINE.feature_names)
        lines.writerows(WINE.data.tolist())


def test_one_column_that_decides_alone_is_told(capsys: Any) -> None:
    assert main(["cluster", "wine.csv", "-k", "3"]) == 0
    err = capsys.readouterr().err
    assert "warning: column 'proline' makes up 99.8% of the distances: --scale standard" in err
    assert main(["scan", "wine.csv", "-k", "2:3", "--no-resample", "--metric", "l1"]) == 0
    assert "warning: column 'proline' makes up" in capsys.readouterr().err
    for more in (["--scale", "none"], ["--scale", "standard"], ["--metric", "canberra"]):
        assert main(["cluster", "wine.csv", "-k", "3", "--force", *more]) == 0
        assert "warning" not in capsys.readouterr().err, more


def test_columns_of_like_size_are_no_trouble(capsys: Any) -> None:
    rng = np.random.default_rng(0)
    np.save("even.npy", rng.normal(size=(40, 4)) * [1, 2, 3, 4])
    np.save("same.npy", np.ones((40, 4)))
    np.save("one.npy", rng.normal(size=(40, 1)))
    np.save("images.npy", np.pad(rng.normal(size=(40, 1, 1)), ((0, 0), (0, 3), (0, 3))))
    for name in ("even", "one", "images"):
        assert main(["cluster", f"{name}.npy", "-k", "2"]) == 0
        assert "makes up" not in capsys.readouterr().err, name
    assert main(["cluster", "same.npy", "-k", "1"]) == 0
    assert "makes up" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("way", "scaler"), [("standard", StandardScaler()), ("robust", RobustScaler())]
)
def test_scaled_columns_find_the_cultivars(way: str, scaler: Any) -> None:
    assert main(["cluster", "wine.csv", "-k", "3", "--scale", way]) == 0
    labels = labels_of(Path("wine-medoids/labels.csv"))[1]
    km = KMedoids(3, random_state=0).fit(scaler.fit_transform(WINE.data))
    np.testing.assert_array_equal(labels, km.labels_)
    assert adjusted_rand_score(WINE.target, labels) > 0.7
    result = result_of(Path("wine-medoids"))
    assert result["data"]["scaling"]["way"] == way
    assert f"--scale {way}" in result["command"]
    # The medoids are told as the file has them.
    medoids = [each["row"] for each in result["medoids"]]
    assert result["centers"] == WINE.data[medoids].tolist()


def test_new_rows_are_scaled_as_those_of_the_fit(capsys: Any) -> None:
    assert main(["cluster", "wine.csv", "-k", "3", "--scale", "standard"]) == 0
    some = Path("wine.csv").read_text().splitlines()
    Path("new.csv").write_text("\n".join([some[0], *some[100:103]]) + "\n")
    capsys.readouterr()
    assert main(["predict", "wine-medoids", "new.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    _, labels, _, own = labels_of(Path("wine-medoids/labels.csv"))
    assert [each["cluster"] for each in found] == labels[99:102].tolist()
    assert [each["distance"] for each in found] == pytest.approx(own[99:102].tolist())


def test_a_column_of_mostly_one_value_does_not_decide_alone() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 3))
    rows[:, 0] = np.where(rng.uniform(size=200) < 0.1, 5000.0, 0.0)
    np.save("rows.npy", np.hstack([rows, np.full((200, 1), 7.0)]))
    assert main(["cluster", "rows.npy", "-k", "2", "--scale", "robust"]) == 0
    unit = result_of(Path("rows-medoids"))["data"]["scaling"]["unit"]
    assert unit[0] == pytest.approx(rows[:, 0].std())
    assert unit[3] == 1, "a constant column stays"


def test_sparse_rows_stay_sparse(capsys: Any) -> None:
    sparse.save_npz("counts.npz", COUNTS)
    assert main(["cluster", "counts.npz", "-k", "3", "--scale", "standard"]) == 0
    dense = COUNTS.toarray()
    km = KMedoids(3, metric="l1", random_state=0).fit(dense / dense.std(axis=0))
    labels = labels_of(Path("counts-medoids/labels.csv"))[1]
    np.testing.assert_array_equal(labels, km.labels_)
    capsys.readouterr()
    assert main(["cluster", "counts.npz", "-k", "3", "--scale", "robust", "--force"]) == 2
    assert "use --scale standard" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("--scale big", "--scale 'big' is unknown: choose one of standard, robust, none."),
        ("--scale standard --metric gower", "which scales each column by its range"),
        ("--scale robust --metric haversine", "whose columns are angles"),
    ],
)
def test_scales_that_make_no_sense(more: str, says: str, capsys: Any) -> None:
    assert main(["cluster", "missing.csv", "-k", "3", *more.split()]) == 2
    assert says in capsys.readouterr().err, "before any file is read"


def test_texts_have_no_scale(capsys: Any) -> None:
    Path("words.txt").write_text("spam\neggs\n")
    assert main(["cluster", "words.txt", "-k", "1", "--scale", "standard"]) == 2
    assert "--scale is for rows of numbers" in capsys.readouterr().err


def test_degrees_on_a_sphere(capsys: Any) -> None:
    places = np.random.default_rng(0).uniform([-80, -180], [80, 180], (60, 2)).round(3)
    lines = ["lat,lon", *(f"{lat},{lon}" for lat, lon in places.tolist())]
    Path("places.csv").write_text("\n".join(lines) + "\n")
    assert main(["cluster", "places.csv", "-k", "3", "--metric", "haversine"]) == 0
    assert "taken as degrees" in capsys.readouterr().err
    km = KMedoids(3, metric="haversine", random_state=0).fit(np.radians(places))
    _, labels, _, own = labels_of(Path("places-medoids/labels.csv"))
    np.testing.assert_array_equal(labels, km.labels_)
    np.testing.assert_allclose(own, km.transform(np.radians(places)).min(axis=1))
    medoids = result_of(Path("places-medoids"))["centers"]
    assert medoids == places[km.medoid_indices_].tolist()
    # Few degrees, which could be radians, are degrees if those of the fit were.
    Path("near.csv").write_text("lat,lon\n1,2\n")
    assert main(["predict", "places-medoids", "near.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)[0]["distance"]
    assert found == pytest.approx(km.transform(np.radians([[1.0, 2.0]])).min())
    order = ["--columns", "lon,lat", "--force"]
    assert main(["cluster", "places.csv", "-k", "3", "--metric", "haversine", *order]) == 2
    assert "which is no latitude: name latitude first" in capsys.readouterr().err


def test_radians_stay_as_they_are() -> None:
    np.save("places.npy", np.random.default_rng(0).uniform(-1.5, 1.5, (40, 2)))
    assert main(["cluster", "places.npy", "-k", "3", "--metric", "haversine"]) == 0
    assert result_of(Path("places-medoids"))["data"]["scaling"] is None
