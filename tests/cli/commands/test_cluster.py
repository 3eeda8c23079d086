"""`medoids cluster`: what it writes, and what it never overwrites."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_files import (
    CASES,
    COLUMNS,
    NAMES,
    ROWS,
    clearness_of,
    json_lines,
    labels_of,
    lines_of,
    mixed,
    result_of,
    run,
    table,
)

from medoids import KMedoids, __version__, outlier_scores, silhouette
from medoids.__main__ import main


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def rows(tmp_path: Path) -> str:
    table(tmp_path / "rows.csv")
    return "rows.csv"


def cluster(*argv: str) -> int:
    return main(["cluster", *argv])


def test_the_result_says_everything(rows: str) -> None:
    assert cluster(rows, "-k", "3", "--metric", "minkowski", "--metric-param", "p=3") == 0
    km = KMedoids(3, metric="minkowski", metric_params={"p": 3}, random_state=0).fit(ROWS)
    result = result_of(Path("rows-medoids"))
    assert result["status"] == "done"
    assert result["command"] == (
        "medoids cluster rows.csv -k 3 --metric minkowski --metric-param p=3"
    )
    assert result["parameters"]["metric_params"] == {"p": 3}
    assert result["parameters"]["random_state"] == 0
    assert result["loss"] == pytest.approx(km.inertia_)
    assert result["swaps"] == km.n_iter_
    assert result["distances"] == km.n_distances_
    assert [step["phase"] for step in result["history"]] == [s["phase"] for s in km.history_]
    assert [each["row"] for each in result["medoids"]] == km.medoid_indices_.tolist()
    assert [each["size"] for each in result["medoids"]] == np.bincount(km.labels_).tolist()
    assert sum(each["share"] for each in result["medoids"]) == pytest.approx(1)
    assert result["versions"]["medoids"] == __version__
    assert result["versions"]["numpy"] == np.__version__
    data = result["data"]
    assert data["sha256"] == hashlib.sha256(Path(rows).read_bytes()).hexdigest()
    assert (data["rows"], [each["name"] for each in data["columns"]]) == (len(ROWS), COLUMNS)
    assert sorted(result["files"]) == sorted(os.listdir("rows-medoids"))


def test_where_files_are_is_not_told(rows: str, tmp_path: Path) -> None:
    assert cluster(str(tmp_path / rows), "-k", "2", "--out", str(tmp_path / "found")) == 0
    assert "result.json" in os.listdir("found")
    for name in os.listdir("found"):
        assert str(tmp_path) not in Path("found", name).read_text()


def test_labels_tell_how_clear_they_are(rows: str) -> None:
    assert cluster(rows, "-k", "3") == 0
    km = KMedoids(3, random_state=0).fit(ROWS)
    silhouettes, seconds = clearness_of(Path("rows-medoids/labels.csv"))
    assert [float(each) for each in silhouettes] == silhouette(km, ROWS).tolist()
    assert [int(each) for each in seconds] == np.argsort(km.transform(ROWS))[:, 1].tolist()


def test_one_cluster_has_no_second(rows: str) -> None:
    assert cluster(rows, "-k", "1") == 0
    silhouettes, seconds = clearness_of(Path("rows-medoids/labels.csv"))
    assert set(silhouettes) == set(seconds) == {""}


def test_negative_distances_have_no_silhouette() -> None:
    np.save("negative.npy", ROWS @ ROWS.T - 100)
    assert cluster("negative.npy", "-k", "2", "--metric", "precomputed", "--out", "found") == 0
    silhouettes, seconds = clearness_of(Path("found/labels.csv"))
    assert set(silhouettes) == {""}
    assert set(seconds) == {"0", "1"}


def test_medoids_as_a_table(rows: str) -> None:
    import pandas as pd

    assert cluster(rows, "-k", "3") == 0
    found = pd.read_csv("rows-medoids/medoids.csv")
    km = KMedoids(3, random_state=0).fit(ROWS)
    assert list(found.columns) == ["name", "cluster", "row", "size", *COLUMNS]
    assert found["name"].tolist() == [NAMES[row] for row in km.medoid_indices_]
    np.testing.assert_array_equal(found[COLUMNS], ROWS[km.medoid_indices_])


def test_medoids_as_lines(tmp_path: Path) -> None:
    case = CASES["trees"]
    case.write(tmp_path / case.file)
    assert cluster(case.file, "-k", "2", "--out", "found") == 0
    lines = [json.loads(line) for line in Path("found/medoids.jsonl").read_text().splitlines()]
    assert [line["medoid"] for line in lines] == [case.X[line["row"]] for line in lines]


def test_json_on_standard_output(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cluster(rows, "-k", "3", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    stored = result_of(Path("rows-medoids"))
    assert shown.pop("out") == "rows-medoids"
    for name in ("history", "centers"):
        stored.pop(name)
    assert shown == stored


def test_quiet(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cluster(rows, "-k", "3", "--quiet") == 0
    assert capsys.readouterr() == ("", "")
    assert Path("rows-medoids/labels.csv").exists()


def test_the_seed_and_the_threads_change_nothing(rows: str) -> None:
    for at, more in enumerate([[], ["--seed", "5"], ["--jobs", "1"]]):
        assert cluster(rows, "-k", "3", "--out", str(at), "-q", *more) == 0
    contents = {Path(str(at), "labels.csv").read_text() for at in range(3)}
    assert len(contents) == 1


def test_options_reach_the_fit(rows: str) -> None:
    options = ["--method", "fasterpam", "--init", "random", "--seed", "3", "--max-iter", "9"]
    assert cluster(rows, "-k", "4", *options, "--memory-limit", "50MB") == 0
    km = KMedoids(4, method="fasterpam", init="random", random_state=3, max_iter=9).fit(ROWS)
    result = result_of(Path("rows-medoids"))
    assert [each["row"] for each in result["medoids"]] == km.medoid_indices_.tolist()
    assert result["parameters"]["memory_limit"] == "50MB"


def test_rows_to_start_from(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cluster(rows, "-k", "2", "--init", "5,11", "--max-iter", "0") == 0
    assert [each["row"] for each in result_of(Path("rows-medoids"))["medoids"]] == [5, 11]


def test_a_warning_of_the_library_is_a_line(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cluster(rows, "-k", "5", "--init", "random", "--max-iter", "1") == 0
    err = capsys.readouterr().err
    assert "medoids: warning: --method 'banditpam' was stopped by --max-iter 1" in err


def test_a_matrix_of_distances() -> None:
    matrix = np.abs(ROWS[:, :1] - ROWS[:, 0])
    np.save("distances.npy", matrix)
    assert cluster("distances.npy", "-k", "3", "--metric", "precomputed", "--out", "found") == 0
    km = KMedoids(3, metric="precomputed", random_state=0).fit(matrix)
    _, labels, _, own = labels_of(Path("found/labels.csv"))
    assert labels.tolist() == km.labels_.tolist()
    assert own.sum() == pytest.approx(km.inertia_)


def test_hostile_names(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = ['<script>alert("1")</script>', "[bold]x[/bold]", "\x1b[2Jgone", "a,b\nc", "=1+1"]
    with Path("h.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", "v"], *zip(hostile, range(5), strict=True)])
    assert cluster("h.csv", "-k", "5") == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "[bold]x[/bold]" in out
    assert labels_of(Path("h-medoids/labels.csv"))[0] == hostile


def test_an_existing_folder_is_left_alone(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cluster(rows, "-k", "3") == 0
    before = Path("rows-medoids/result.json").read_text()
    capsys.readouterr()
    assert cluster(rows, "-k", "2") == 2
    assert "rows-medoids exists: --force replaces it" in capsys.readouterr().err
    assert Path("rows-medoids/result.json").read_text() == before
    assert cluster(rows, "-k", "2", "--force") == 0
    assert len(result_of(Path("rows-medoids"))["medoids"]) == 2
    assert sorted(os.listdir()) == ["rows-medoids", "rows.csv"]


@pytest.mark.parametrize("stranger", ["notes.txt", "result.json"])
def test_force_replaces_results_only(
    rows: str, stranger: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine").mkdir()
    Path("mine", stranger).write_text("{}")
    assert cluster(rows, "-k", "3", "--out", "mine", "--force") == 2
    assert "is no folder of results" in capsys.readouterr().err
    assert Path("mine", stranger).read_text() == "{}"


def test_results_with_something_of_the_users_are_not_replaced(
    rows: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cluster(rows, "-k", "3") == 0
    Path("rows-medoids/notes.txt").write_text("dear to me")
    assert cluster(rows, "-k", "3", "--force") == 2
    assert "has 'notes.txt'" in capsys.readouterr().err
    assert Path("rows-medoids/notes.txt").exists()


def test_an_empty_folder_may_be_there(rows: str) -> None:
    Path("found").mkdir()
    assert cluster(rows, "-k", "3", "--out", "found") == 0
    assert result_of(Path("found"))["status"] == "done"


def test_folders_above_are_made_and_readable(rows: str) -> None:
    assert cluster(rows, "-k", "3", "--out", "deep/er/found") == 0
    usual = Path("usual")
    usual.mkdir()
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (usual, Path("deep/er/found"))]
    assert modes[0] == modes[1]


def test_nothing_is_half_written(
    rows: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cluster(rows, "-k", "3") == 0
    before = Path("rows-medoids/result.json").read_text()

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("medoids.cli.commands.cluster.write_result", full)
    assert cluster(rows, "-k", "2", "--force") == 2
    assert "No space left on device" in capsys.readouterr().err
    assert Path("rows-medoids/result.json").read_text() == before
    assert sorted(os.listdir()) == ["rows-medoids", "rows.csv"]


def test_the_old_results_come_back_if_the_new_cannot_take_their_place(
    rows: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cluster(rows, "-k", "3") == 0
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        new = (self / "result.json").exists() and len(result_of(self)["medoids"]) == 2
        if new:
            raise OSError("no")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    assert cluster(rows, "-k", "2", "--force") == 2
    assert len(result_of(Path("rows-medoids"))["medoids"]) == 3
    assert sorted(os.listdir()) == ["rows-medoids", "rows.csv"]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_no_permission(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("closed").mkdir(mode=0o500)
    assert cluster(rows, "-k", "3", "--out", "closed/found") == 2
    assert "cannot be written to" in capsys.readouterr().err


def test_no_permission_as_the_system_says_it(
    rows: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*args: object, **more: object) -> None:
        raise OSError(30, "Read-only file system")

    def untouched(*args: object) -> None:
        raise AssertionError("the data was read first")

    monkeypatch.setattr("tempfile.TemporaryDirectory", refused)
    monkeypatch.setattr("medoids.cli.commands.cluster.read", untouched)
    assert cluster(rows, "-k", "3") == 2
    said = "cannot be written to (read-only file system): choose another place with --out"
    assert said in capsys.readouterr().err


def test_a_report(rows: str) -> None:
    pytest.importorskip("plotly", reason="the extra report is not installed")
    assert cluster(rows, "-k", "3", "--report") == 0
    page = Path("rows-medoids/report.html").read_text()
    assert "medoids cluster rows.csv -k 3 --report" in page
    assert "r07" in page
    assert "report.html" in result_of(Path("rows-medoids"))["files"]


def test_a_report_that_fails_does_not_cost_the_result(
    rows: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(self: KMedoids, X: Any, path: Path, **more: Any) -> None:
        path.write_text("<html>half")
        raise ValueError("no page today.")

    monkeypatch.setattr(KMedoids, "report", fail)
    monkeypatch.setattr("medoids.cli.commands.cluster.REPORT_NEEDS", ())
    assert cluster(rows, "-k", "3", "--report") == 2
    assert "no page today" in capsys.readouterr().err
    assert result_of(Path("rows-medoids"))["status"] == "done"
    assert not Path("rows-medoids/report.html").exists()


def test_the_entry_point(rows: str, tmp_path: Path) -> None:
    from importlib.metadata import entry_points

    (script,) = entry_points(group="console_scripts", name="medoids")
    assert script.value == "medoids.__main__:main"
    done = run("--version", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"medoids {__version__}\n")


def test_mixed_columns_know_their_kinds(tmp_path: Path) -> None:
    mixed(tmp_path / "mixed.csv")
    assert cluster("mixed.csv", "-k", "3", "--metric", "gower") == 0
    columns = {each["name"]: each for each in result_of(Path("mixed-medoids"))["data"]["columns"]}
    known = np.delete(ROWS[:, 0], 7)
    assert columns["size"]["low"] == known.min()
    assert columns["size"]["high"] == known.max()
    assert columns["colour"]["type"] == columns["on"]["type"] == "category"


def test_half_an_emoji_does_not_cost_the_result() -> None:
    Path("w.jsonl").write_text('{"id": "r\\ud83d", "w": "ab\\ud83d"}\n{"id": "s", "w": "xyz"}\n')
    assert cluster("w.jsonl", "-k", "2", "--field", "w") == 0
    result = result_of(Path("w-medoids"))
    assert sorted(result["centers"]) == ["ab\ud83d", "xyz"]
    assert "r\\ud83d" in labels_of(Path("w-medoids/labels.csv"))[0]
    assert main(["predict", "w-medoids", "w.jsonl", "--out", "new.csv", "-q"]) == 0
    assert lines_of(Path("new.csv")) == lines_of(Path("w-medoids/labels.csv"))


def test_deep_trees_are_written(tmp_path: Path) -> None:
    trees: list[Any] = [{"type": "leaf"}, {"type": "leaf"}]
    for at in range(190):
        trees[0] = {"type": str(at), "children": [trees[0]]}
    trees[1] = {"type": "root", "children": [trees[1]]}
    json_lines(trees)(tmp_path / "deep.jsonl")
    assert cluster("deep.jsonl", "-k", "2") == 0
    assert trees[0] in result_of(Path("deep-medoids"))["centers"]


def test_each_row_has_an_outlier_score(rows: str) -> None:
    assert cluster(rows, "-k", "3") == 0
    km = KMedoids(3, random_state=0).fit(ROWS)
    with Path("rows-medoids/labels.csv").open(newline="") as file:
        found = [float(line["outlier"]) for line in csv.DictReader(file)]
    np.testing.assert_allclose(found, outlier_scores(km, ROWS))
    np.save("below.npy", np.eye(9) - 2)
    assert cluster("below.npy", "-k", "2", "--metric", "precomputed") == 0
    with Path("below-medoids/labels.csv").open(newline="") as file:
        assert {line["outlier"] for line in csv.DictReader(file)} == {""}


def test_a_device(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.csv"
    table(path)
    asked = ["cluster", str(path), "-k", "2", "--names", "id", "--out", str(tmp_path / "found")]
    assert main([*asked, "--device", "nowhere"]) == 2
    said = capsys.readouterr().err
    assert "needs torch: pip install 'medoids[gpu]'" in said or "is unknown: use 'cuda'" in said
    assert said.count("\n") == 1
    assert not (tmp_path / "found").exists()
    assert main([*asked, "--device", "cpu"]) == 0
