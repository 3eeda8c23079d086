"""The explorer page as a file: what it carries, and that it is safe. See also the browser's."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from helpers import mixture, one_line
from medoids import KMedoids, plot
from medoids.report._snippet import snippet

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><b>bold</b>",
    "<!-- {{ 7 * 7 }}",
    "\u2028 ' & \ud800",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "report.html"


def payload(path: Path) -> dict[str, Any]:
    """The data in the page, as a browser reads it."""
    html = path.read_text(encoding="utf-8")
    match = re.search(r'<script type="application/json" id="payload">(.*?)</script', html, re.S)
    assert match
    return json.loads(match[1])  # type: ignore[no-any-return]


def unpacked(text: str, kind: str) -> Any:
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def report(
    X: Any, path: Path, k: int = 3, *, metric: Any = "euclidean", **options: Any
) -> KMedoids:
    km = KMedoids(k, metric=metric, random_state=0).fit(X)
    assert km.report(X, path, **options) == path
    return km


def test_carries_each_row_with_both_distances(path: Path) -> None:
    X = mixture(400, 5, 3, seed=0)
    km = report(X, path)
    found = payload(path)
    distances = np.sort(km.transform(X), axis=1)
    index = found["index"]
    np.testing.assert_array_equal(unpacked(index["label"], "<i4"), km.labels_)
    np.testing.assert_allclose(unpacked(index["first"], "<f4"), distances[:, 0], rtol=1e-6)
    np.testing.assert_allclose(unpacked(index["far"], "<f4"), distances[:, 1], rtol=1e-6)
    sizes = np.bincount(km.labels_).tolist()
    assert [cluster["size"] for cluster in found["clusters"]] == sizes
    assert [cluster["medoid"] for cluster in found["clusters"]] == km.medoid_indices_.tolist()
    assert len(found["steps"]) == len(km.history_)


def test_large_data_is_sampled_and_says_so(path: Path) -> None:
    X = mixture(3000, 3, 4, seed=0)
    km = report(X, path, 4, max_members=200)
    at = unpacked(payload(path)["sample"]["at"], "<u4")
    assert 150 < len(at) <= 204
    assert set(km.medoid_indices_) <= set(at.tolist())
    assert f"draws {len(at)} of the 3,000 rows" in path.read_text()
    report(X, path, 4)
    assert "This page draws" not in path.read_text()


def test_more_rows_than_can_be_found(path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("medoids.report._rows._KNOWN", 1000)
    km = report(mixture(1500, 3, 3, seed=0), path, max_members=100)
    found = payload(path)
    rows = unpacked(found["index"]["rows"], "<u4")
    assert len(rows) == len(unpacked(found["sample"]["at"], "<u4")) <= 103
    medoids = [rows[cluster["medoid"]] for cluster in found["clusters"]]
    assert medoids == km.medoid_indices_.tolist()
    assert "Only these can be found" in path.read_text()


def test_only_its_own_scripts_may_run_and_nothing_is_loaded(path: Path) -> None:
    report(mixture(50, 3, 3, seed=0), path)
    html = path.read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    assert policy
    rules = policy[1].replace("&#39;", "'")
    assert "default-src 'none'" in rules
    assert "script-src 'sha256-" in rules
    scripts = re.findall(r"<script>(.*?)</script>", html, re.S)
    assert len(scripts) == 2
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in rules
    for tag in re.findall(
        r"<[a-z]+ [^>]*(?:src|href)=[^>]*>", re.sub(r"<script.*?</script>", "", html, flags=re.S)
    ):
        assert 'href="#' in tag, tag


def test_hostile_text_is_carried_as_text(path: Path) -> None:
    n = len(HOSTILE)
    names = pd.Index(HOSTILE, dtype=object)  # one has half a pair, which pandas' strings refuse
    frame = pd.DataFrame(np.arange(n * n, dtype=float).reshape(n, n), columns=names)
    report(
        frame, path, 2, names=HOSTILE, texts=HOSTILE, title=HOSTILE[0], command=HOSTILE[1],
        feature_names=HOSTILE,
    )  # fmt: skip
    html = path.read_text(encoding="utf-8")
    for text in HOSTILE[:4]:
        assert text not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    found = payload(path)
    assert found["index"]["names"] == HOSTILE
    assert found["sample"]["texts"] == HOSTILE
    assert {name for name, *_ in found["clusters"][0]["values"]} == set(HOSTILE)


def test_images_are_the_rows(path: Path) -> None:
    X = load_digits().data[:300]
    km = report(X, path, 4, image_shape=(8, 8))
    found = payload(path)
    assert found["kind"] == "image"
    assert found["ink"]
    for row in (0, 7):
        image = Image.open(BytesIO(base64.b64decode(found["sample"]["contents"][row])))
        expected = 255 - np.rint(X[row].reshape(8, 8) * 255 / 16)
        np.testing.assert_allclose(np.asarray(image), expected, atol=1)
    medoid = Image.open(BytesIO(base64.b64decode(found["clusters"][0]["content"])))
    assert medoid.size == (8, 8)
    assert len(km.medoid_indices_) == 4


def test_large_images_are_made_small(path: Path) -> None:
    X = np.random.default_rng(0).uniform(size=(12, 200 * 100 * 3))
    report(X, path, 2, image_shape=(200, 100, 3))
    found = payload(path)
    member = Image.open(BytesIO(base64.b64decode(found["sample"]["contents"][0])))
    assert member.size == (16, 32)
    assert member.mode == "RGB"
    assert Image.open(BytesIO(base64.b64decode(found["clusters"][0]["content"]))).size == (80, 160)


def test_what_sets_a_cluster_apart(path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 20)), columns=[f"f{at}" for at in range(20)])
    frame.iloc[:100, 3] += 30
    frame.index = [f"person {at}" for at in range(200)]
    km = report(frame, path, 2)
    found = payload(path)
    assert found["index"]["names"][5] == "person 5"
    for label, cluster in enumerate(found["clusters"]):
        name, medoid, inside, everywhere, deviations = cluster["apart"][0]
        assert name == "f3"
        own = frame["f3"][km.labels_ == label].mean()
        value = frame["f3"].iloc[km.medoid_indices_[label]]
        assert float(medoid) == pytest.approx(value, abs=0.1)
        assert float(inside) == pytest.approx(own, abs=0.1)
        assert float(everywhere) == pytest.approx(frame["f3"].mean(), abs=0.1)
        expected = (own - frame["f3"].mean()) / frame["f3"].std(ddof=0)
        assert deviations == pytest.approx(expected, rel=1e-3)
        assert cluster["columns"][0] == "f3"
        assert len(cluster["values"]) == 20


def test_top_genes_are_some_the_medoid_has(path: Path) -> None:
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.2, size=(120, 300)).astype(float)
    counts[:60, :4] += 9
    cells = sparse.csr_matrix(counts)
    km = report(cells, path, 2, metric="l1", feature_names=[f"gene {at}" for at in range(300)])
    cluster = payload(path)["clusters"][km.labels_[0]]
    assert {name for name, *_ in cluster["apart"][:4]} == {f"gene {at}" for at in range(4)}
    assert cluster["more"] == 180


def test_mixed_tables(path: Path) -> None:
    frame = pd.DataFrame(
        {"colour": ["red"] * 6 + ["blue"] * 6, "size": [1.0] * 5 + [np.nan] + [9.0] * 6}
    )
    report(frame, path, 2, metric="gower")
    apart = {name: rest for name, *rest in payload(path)["clusters"][0]["apart"]}
    medoid, inside, everywhere, deviations = apart["colour"]
    assert medoid in ("red", "blue")
    assert (inside, everywhere) == ("100%", "50%")
    assert deviations == pytest.approx(1)
    cells = payload(path)["sample"]["contents"]
    assert cells[5] == ["red", "–"]
    rows = [["a", 1], ["a", 2], ["b", 9]]
    report(rows, path, 2, metric="gower")
    assert payload(path)["clusters"][0]["columns"] == ["column 0", "column 1"]


def test_missing_numbers_under_gower(path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"income": rng.normal(23_380, 9_000, 60).round(), "share": rng.uniform(size=60)}
    )
    frame.loc[3, "income"] = frame.loc[4, "share"] = np.nan
    frame["nothing"] = np.nan
    for X in (frame, frame.to_numpy(), frame.to_numpy().tolist()):
        report(X, path, 2, metric="gower")
        cells = payload(path)["sample"]["contents"]
        assert (cells[3][0], cells[4][1], cells[5][2]) == ("–", "–", "–")
        assert cells[5][0] == f"{int(frame['income'][5]):,}"
        assert float(cells[5][1]) == pytest.approx(frame["share"][5], abs=0.005)


def test_numbers_under_gower_have_all_their_digits(path: Path) -> None:
    frame = pd.DataFrame({"income": [23_380.0, 23_390.0, 51_000.0], "kind": ["a", "a", "b"]})
    frame["year"] = pd.Categorical([2021.5, 123456.0, 2021.5])
    km = report(frame, path, 2, metric="gower")
    found = payload(path)
    assert found["sample"]["contents"][0] == ["23,380", "a", "2021.5"]
    assert found["sample"]["contents"][1][2] == "123456"
    apart = {name: rest for name, *rest in found["clusters"][km.labels_[0]]["apart"]}
    assert apart["income"][1:3] == ["23,385", "32,590"]


PART = "two dimensions hold only a part of it"


def test_the_map_says_how_it_was_made(path: Path) -> None:
    X = mixture(60, 5, 3, seed=0)
    km = report(X, path)
    assert "The two principal components, with" in path.read_text()
    assert PART in path.read_text()
    assert payload(path)["axes"] is None
    report(pd.DataFrame(X[:, :2], columns=["size", "age"]), path)
    assert "The two columns, as they are." in path.read_text()
    assert PART not in path.read_text()
    assert (payload(path)["axes"], payload(path)["ratio"]) == (["size", "age"], 1)
    km.report(X, path, coordinates=pd.DataFrame(X[:, 3:], columns=["UMAP1", "UMAP2"]))
    found = payload(path)
    assert (found["axes"], found["ratio"]) == (["UMAP1", "UMAP2"], None)
    np.testing.assert_array_equal(unpacked(found["sample"]["x"], "<f8"), X[:, 3])
    assert "Placed by coordinates that were given." in path.read_text()
    assert PART not in path.read_text()


def test_points_on_a_sphere_are_in_degrees(path: Path) -> None:
    places = np.random.default_rng(0).uniform([-80, -180], [80, 180], (60, 2))
    report(np.radians(places), path, metric="haversine")
    found = payload(path)
    assert found["axes"] == ["longitude", "latitude"]
    np.testing.assert_allclose(unpacked(found["sample"]["x"], "<f8"), places[:, 1])
    np.testing.assert_allclose(unpacked(found["sample"]["y"], "<f8"), places[:, 0])


def test_other_values_are_shown_in_the_rows_place(path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"income": rng.normal(23_380, 9_000, 40).round(), "age": np.arange(40)})
    scaled = ((frame - frame.mean()) / frame.std()).to_numpy()
    km = KMedoids(2, random_state=0).fit(scaled)
    km.report(scaled, path, values=frame)
    found = payload(path)
    assert found["clusters"][0]["columns"] == ["income", "age"] == found["axes"]
    assert found["sample"]["contents"][7] == [f"{frame['income'][7]:,.0f}", "7.0"]
    np.testing.assert_array_equal(unpacked(found["sample"]["x"], "<f8"), frame["income"])
    mixed = frame.assign(town=["Bern", None] * 20)
    km.report(scaled, path, values=mixed)
    assert payload(path)["sample"]["contents"][1][2] == "–"
    matrix = np.abs(scaled[:, :1] - scaled[:, 0])
    far = KMedoids(2, metric="precomputed", random_state=0).fit(matrix)
    far.report(matrix, path, values=[f"text {at}" for at in range(40)])
    assert payload(path)["sample"]["contents"][3] == "text 3"
    far.report(matrix, path, values=rng.uniform(size=(40, 6)), image_shape=(2, 3))
    assert payload(path)["kind"] == "image"


def test_known_labels_and_columns_to_colour_by(path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(90, 3)), columns=["a", "b", "c"])
    kinds = pd.Series(["x", "y", None] * 30, name="kind")
    beside = pd.DataFrame(
        {"group": ["u", "v"] * 45, "same": 1.0, "name": [f"row {at}" for at in range(90)]}
    ).assign(kind="z", depth=np.where(np.arange(90) == 4, np.nan, np.arange(90.0)))
    km = report(frame, path, labels=kinds, annotations=beside)
    found = payload(path)
    expected = pd.crosstab(km.labels_, kinds).to_numpy()
    assert found["known"] == {
        "name": "kind", "levels": ["x", "y"], "counts": expected.tolist()
    }  # fmt: skip
    has = kinds.notna()
    index = adjusted_rand_score(kinds[has], km.labels_[has])
    assert f"The adjusted Rand index is {index:.3f}." in path.read_text()
    assert "30 rows have none" in path.read_text()
    colourings = found["sample"]["colourings"]
    names = [each["name"] for each in colourings]
    assert names == ["kind", "group", "depth", "a", "b", "c"], "no constant, and no name of rows"
    assert unpacked(colourings[0]["codes"], "<i2")[:3].tolist() == [0, 1, -1]
    np.testing.assert_allclose(unpacked(colourings[3]["numbers"], "<f4"), frame["a"], rtol=1e-6)
    assert np.isnan(unpacked(colourings[2]["numbers"], "<f4")[4])
    km.report(frame, path)
    assert payload(path)["known"] is None
    assert "adjusted Rand" not in path.read_text()


def test_many_columns_to_colour_by_are_those_that_matter(path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(200, 90))
    X[:100, 77] += 40
    report(X, path, 2)
    names = [each["name"] for each in payload(path)["sample"]["colourings"]]
    assert "column 77" in names
    assert len(names) <= 30
    genes = sparse.random(100, 400, 0.1, "csr", random_state=0)
    report(genes, path, 2, metric="l1")
    assert 1 < len(payload(path)["sample"]["colourings"]) <= 30


def test_values_are_not_rounded_away(path: Path) -> None:
    report(np.array([[0.7, 2e-9], [0.7, 3e-9], [0.7, 9e-9]]), path, 1)
    rows = payload(path)["sample"]["contents"]
    assert rows[0] == ["0.7", "2e-09"]


def test_names_in_any_script_are_carried_whole(path: Path) -> None:
    n = 70_000
    names = [f"Имя с буквами и длиной {at:07d}" for at in range(n)]
    X = np.random.default_rng(0).normal(size=(n, 3)).astype(np.float32)
    km = KMedoids(3, method="onebatch", init="random", random_state=0).fit(X)
    km.report(X, path, names=names)
    assert path.stat().st_size < 15e6
    assert payload(path)["index"]["names"] == names
    km.report(X, path, names=[f"{name:я<200}" for name in names])
    assert path.stat().st_size < 15e6
    assert "Only these can be found" in path.read_text(encoding="utf-8")


@pytest.mark.slow
def test_colour_images_are_fewer_where_the_page_gets_large(path: Path) -> None:
    n = 4500
    X = np.random.default_rng(0).integers(0, 256, (n, 32 * 32 * 3)).astype(np.float32)
    km = KMedoids(3, method="onebatch", init="random", random_state=0).fit(X)
    km.report(X, path, image_shape=(32, 32, 3))
    assert 13e6 < path.stat().st_size < 15e6
    at = unpacked(payload(path)["sample"]["at"], "<u4")
    assert set(km.medoid_indices_) <= set(at.tolist())
    said = f"draws {len(at):,} of the {n:,} rows, so that it stays below 15 MB"
    assert said in path.read_text(encoding="utf-8")


def test_trees_and_texts_are_fewer_too(path: Path, monkeypatch: Any) -> None:
    report(["a"], path, 1, metric="levenshtein")
    limit = path.stat().st_size + 100_000
    monkeypatch.setattr("medoids.report._page._LARGEST", limit)
    trees = [
        ("top", [(f"{tree} {leaf}" + "x" * 90, []) for leaf in range(40)]) for tree in range(60)
    ]
    report(trees, path, 2, metric="tree_edit")
    assert path.stat().st_size < limit
    assert 2 < len(payload(path)["sample"]["contents"]) < 60
    report(mixture(60, 3, 2, seed=0), path, 2, texts=["語" * 900] * 60)
    assert path.stat().st_size < limit
    assert 2 < len(payload(path)["sample"]["texts"]) < 60
    monkeypatch.setattr("medoids.report._page._LARGEST", 1)
    km = report(mixture(30, 3, 2, seed=0), path, 2)
    assert unpacked(payload(path)["sample"]["at"], "<u4").tolist() == sorted(km.medoid_indices_)


def test_many_medoids_are_smaller_images(path: Path) -> None:
    X = np.random.default_rng(0).uniform(size=(150, 100 * 100))
    km = KMedoids(150, init=range(150), random_state=0).fit(X)
    km.report(X, path, image_shape=(100, 100))
    medoid = payload(path)["clusters"][0]["content"]
    assert Image.open(BytesIO(base64.b64decode(medoid))).size == (81, 81)


def test_records_are_no_trees(path: Path) -> None:
    records = [{"type": "dog", "weight": weight} for weight in (1, 2, 9)]
    report(records, path, 2, metric=lambda a, b: float(abs(a["weight"] - b["weight"])))
    assert payload(path)["sample"]["contents"][2] == "{'type': 'dog', 'weight': 9}"
    report([{"type": "a"}, {"type": "b"}], path, 2, metric="tree_edit")
    assert payload(path)["kind"] == "tree"


def test_trees_strings_objects_and_matrices(path: Path) -> None:
    trees = [("top", [("a", [("b", [])])] * at) for at in range(1, 9)]
    report(trees, path, 2, metric="tree_edit")
    found = payload(path)
    assert found["kind"] == "tree"
    lines = found["sample"]["contents"][1]
    assert [found["words"][word] for word in lines[1::2]] == ["top", "a · b", "a · b"]
    assert lines[::2] == [0, 1, 1]

    names = ["spam", "spams", "egg", "eggs"]
    report(names, path, 2, metric="levenshtein")
    assert payload(path)["sample"]["contents"] == names

    objects = [{1, 2}, {1}, {7, 8, 9}]
    report(objects, path, 2, metric=lambda a, b: float(len(a ^ b)))
    assert payload(path)["sample"]["contents"][1] == "{1}"
    assert payload(path)["code"]

    report(1 - np.eye(5), path, 2, metric="precomputed", texts=list("abcde"))
    found = payload(path)
    assert (found["kind"], found["sample"]["texts"]) == ("none", list("abcde"))


@pytest.mark.filterwarnings("ignore:Only")
@pytest.mark.parametrize(
    ("X", "k", "metric"),
    [
        (mixture(20, 3, 2, seed=0), 1, "euclidean"),
        (np.ones((6, 3)), 2, "euclidean"),
        (mixture(5, 3, 2, seed=0), 5, "euclidean"),
        (np.eye(5) - 2, 2, "precomputed"),
        ([[1, 2], [3, 4], [5, 9]], 2, "euclidean"),
        (mixture(20, 3, 2, seed=0), 2, lambda a, b: float(np.abs(a - b).sum())),
    ],
)
def test_extremes(X: Any, k: int, metric: Any, path: Path) -> None:
    report(X, path, k, metric=metric)
    found = payload(path)
    assert len(found["clusters"]) == k
    if k == 1:
        assert found["clusters"][0]["silhouette"] is None
        assert found["clusters"][0]["neighbour"] == -1


def test_the_code_on_the_page_gives_the_same_medoids(path: Path) -> None:
    X = mixture(200, 3, 3, seed=0)
    km = KMedoids(
        3, metric="minkowski", metric_params={"p": 3}, init=[1, 2, 3], random_state=7, n_jobs=1
    ).fit(X)
    code = snippet(km)
    assert "n_jobs" not in code
    names: dict[str, Any] = {"X": X}
    exec(code.split("km.report")[0], names)
    np.testing.assert_array_equal(names["km"].medoid_indices_, km.medoid_indices_)
    km.report(X, path)
    assert code.split("\n")[2] in path.read_text().replace("&#39;", "'")
    km.report(X, path, command="medoids cluster data.csv -k 3")
    assert "medoids cluster data.csv -k 3</code>" in path.read_text()


def test_the_code_where_a_parameter_has_none() -> None:
    X = mixture(20, 4, 2, seed=0)
    km = KMedoids(2, metric=lambda a, b: float(abs(a - b).sum()), init=np.array([3, 4])).fit(X)
    code = snippet(km, (2, 2))
    compile(code, "", "exec")
    assert "init=[3, 4], metric=...)  # with your metric" in code
    assert 'km.report(X, "report.html", image_shape=(2, 2))' in code
    assert "metric=one_line)" in snippet(KMedoids(2, metric=one_line))


@pytest.mark.skipif(os.name != "posix", reason="no umask")
def test_the_page_is_as_private_as_other_new_files(path: Path) -> None:
    before = os.umask(0o077)
    try:
        report(mixture(20, 3, 2, seed=0), path)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600


def test_estimators_that_put_out_frames(path: Path) -> None:
    frame = pd.DataFrame(mixture(40, 3, 3, seed=0), columns=list("abc"))
    km = KMedoids(3, random_state=0).set_output(transform="pandas").fit(frame)
    km.report(frame, path)
    assert payload(path)["index"]["names"] is None, "a plain index is no name"
    assert len(plot.map(km, frame).collections) == 3
    assert plot.silhouette(km, frame).has_data()


def test_the_same_twice(tmp_path: Path) -> None:
    X = mixture(3000, 6, 3, seed=0)
    km = KMedoids(3, random_state=0).fit(X)
    one, two = (km.report(X, tmp_path / name, max_members=500) for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


def test_no_more_than_all_distances(path: Path, monkeypatch: Any) -> None:
    km = report(mixture(40, 3, 2, seed=0), path)
    km.n_distances_ = 1645  # 102.8% of n², with those that were a trial
    km.report(mixture(40, 3, 2, seed=0), path)
    html = path.read_text()
    assert "102.8%" not in html
    assert "<dd>all <small>of n²</small></dd>" in html
    assert "1,645 distances were computed; a full matrix holds n² = 1,600." in html


def test_a_place_that_cannot_be_written_to_is_told_first(path: Path, monkeypatch: Any) -> None:
    X = mixture(30, 3, 2, seed=0)
    km = KMedoids(2, random_state=0).fit(X)

    def refused(*args: object, **more: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryDirectory", refused)
    monkeypatch.setattr("medoids.report._page.fit_distances", None)
    with pytest.raises(PermissionError) as caught:
        km.report(X, path)
    assert "cannot be written to (Read-only file system): choose another" in str(caught.value)


def test_an_old_page_stays_if_the_new_one_fails(path: Path, monkeypatch: Any) -> None:
    X = mixture(30, 3, 2, seed=0)
    km = report(X, path)
    old = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="no space"):
        km.report(X, path, title="new")
    assert path.read_bytes() == old
    assert list(path.parent.iterdir()) == [path]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"X": np.ones((4, 3))}, "X has 4 rows, but the fit had 30"),
    ({"names": ["a"]}, "names has 1 entries for 30 rows"),
    ({"texts": ["a"] * 31}, "texts has 31 entries for 30 rows"),
    ({"labels": ["a"] * 29}, "labels has 29 entries for 30 rows"),
    ({"annotations": [1, 2]}, "annotations is no table: give a data frame, or a dict"),
    ({"annotations": {"b": [1]}}, "annotations has 1 entries in 'b' for 30 rows"),
    ({"coordinates": np.ones((30, 3))}, "coordinates has shape (30, 3)"),
    ({"values": np.ones((29, 3))}, "values has 29 rows for 30 rows"),
    ({"feature_names": ["a"]}, "feature_names has 1 names, but X has 3 columns"),
    ({"image_shape": (2, 2)}, "4 pixels, but X has 3 columns"),
    ({"max_members": 0}, "max_members=0 is too small"),
    ({"path": "nowhere/at/all.html"}, "nowhere/at is no folder"),
    ({"path": "."}, ". is a folder: name a file"),
]


@pytest.mark.parametrize(("given", "says"), WRONG, ids=[says for _, says in WRONG])
def test_wrong_use(given: dict[str, Any], says: str, path: Path) -> None:
    X = mixture(30, 3, 2, seed=0)
    km = KMedoids(2, random_state=0).fit(X)
    with pytest.raises((ValueError, OSError)) as caught:
        km.report(**({"X": X, "path": path} | given))
    assert says in one_line(caught.value)
    assert not path.exists()


def test_image_shape_of_what_is_no_image(path: Path) -> None:
    with pytest.raises(ValueError, match="X is no array of numbers"):
        report(["ab", "cd"], path, 2, metric="levenshtein", image_shape=(1, 2))


def test_needs_a_fit(path: Path) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        KMedoids(2).report([[1.0]], path)


@pytest.mark.parametrize("module", ["jinja2", "plotly.offline", "PIL"])
def test_without_the_extra_names_it(module: str, path: Path, monkeypatch: Any) -> None:
    X = mixture(30, 3, 2, seed=0)
    km = KMedoids(2, random_state=0).fit(X)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError) as caught:
        km.report(X, path)
    assert "medoids[report]" in one_line(caught.value)


def test_the_same_page_where_frames_are_asked_for(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(60, 3))
    frame = pd.DataFrame(rows, index=range(1000, 1060), columns=["a", "b", "c"])
    pages = []
    for asked in ("default", "pandas"):
        km = KMedoids(3, random_state=0).set_output(transform=asked).fit(frame)
        for entry in km.history_:
            entry["seconds"] = 0.0
        pages.append(km.report(frame, tmp_path / f"{asked}.html").read_text())
    assert pages[0] == pages[1]
