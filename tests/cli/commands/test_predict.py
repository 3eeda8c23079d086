"""`medoids predict`: new rows, from what result.json has alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_files import (
    CASES,
    COLUMNS,
    NAMES,
    ROWS,
    json_lines,
    labels_of,
    lines_of,
    mixed_frame,
    run,
    table,
)

from medoids import KMedoids
from medoids.__main__ import main


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def found(name: str, *more: str) -> str:
    """A folder of results of a file of this kind; the file."""
    case = CASES[name]
    case.write(Path(case.file))
    options = [*case.options, *more]
    assert main(["cluster", case.file, "-k", "3", "--out", "found", "-q", *options]) == 0
    return case.file


@pytest.mark.parametrize("name", CASES)
def test_the_same_rows_get_the_same_labels(name: str) -> None:
    file = found(name)
    for each in os.listdir("found"):
        if each != "result.json":
            Path("found", each).unlink()
    assert main(["predict", "found", file, "--out", "new.csv", "-q"]) == 0
    names, labels, medoids, own = labels_of(Path("new.csv"))
    case = CASES[name]
    X = mixed_frame() if case.X is None else case.X
    km = KMedoids(3, metric=case.metric, random_state=0).fit(X)
    assert names == case.names
    assert labels.tolist() == km.labels_.tolist()
    assert medoids == [case.names[row] for row in km.medoid_indices_[km.labels_]]
    np.testing.assert_allclose(own.sum(), km.inertia_)


@pytest.mark.parametrize("more", [["--normalize"], ["--columns", "3,1,4"], ["--transpose"]])
def test_new_rows_are_read_as_the_old_ones(more: list[str]) -> None:
    file = found("sparse npz", *more)
    before = lines_of(Path("found/labels.csv"))
    assert main(["predict", "found", file, "--out", "new.csv", "-q"]) == 0
    assert lines_of(Path("new.csv")) == before


def test_a_real_command_writes_lines(tmp_path: Path) -> None:
    found("csv")
    Path("new.csv").write_text("who,d,c,b,a\nx,0,0,0,0\ny,9,9,9,9\n")
    done = run("predict", "found", "new.csv", "--names", "who", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    km = KMedoids(3, random_state=0).fit(ROWS)
    expected = km.transform(np.array([[0.0] * 4, [9.0] * 4]))
    lines = done.stdout.splitlines()
    assert lines[0] == "name,cluster,medoid,distance"
    for line, row, name in zip(lines[1:], expected, "xy", strict=True):
        label = int(row.argmin())
        medoid = NAMES[km.medoid_indices_[label]]
        assert line == f"{name},{label},{medoid},{float(row.min())!r}"


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    file = found("csv")
    assert main(["predict", "found", file, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    names, labels, *_ = labels_of(Path("found/labels.csv"))
    assert [each["name"] for each in shown] == names
    assert [each["cluster"] for each in shown] == labels.tolist()


def test_other_formats_of_the_same_columns() -> None:
    found("csv")
    table(Path("same.tsv"), "\t")
    assert main(["predict", "found", "same.tsv", "--out", "new.csv", "-q"]) == 0
    assert lines_of(Path("new.csv")) == lines_of(Path("found/labels.csv"))


def test_categories_that_look_like_numbers() -> None:
    lines = [f"{at},{'7' if at < 5 else 'x'}\n" for at in range(10)]
    Path("old.csv").write_text("v,kind\n" + "".join(lines))
    assert main(["cluster", "old.csv", "-k", "2", "--metric", "gower", "--out", "found", "-q"]) == 0
    Path("new.csv").write_text("v,kind\n8,7\n1,7\n")
    assert main(["predict", "found", "new.csv", "--out", "labels.csv", "-q"]) == 0
    old, new = labels_of(Path("found/labels.csv"))[1], labels_of(Path("labels.csv"))[1]
    assert new.tolist() == [old[0], old[0]]


def test_categories_are_read_as_they_are_written() -> None:
    lines = [f"{at % 5},{'007' if at < 5 else 'NA' if at < 9 else 'x'}\n" for at in range(10)]
    Path("old.csv").write_text("v,kind\n" + "".join(lines))
    assert main(["cluster", "old.csv", "-k", "3", "--metric", "gower", "--out", "found", "-q"]) == 0
    old = labels_of(Path("found/labels.csv"))
    for some in (slice(0, 5), slice(5, 9)):
        Path("new.csv").write_text("v,kind\n" + "".join(lines[some]))
        assert main(["predict", "found", "new.csv", "--out", "l.csv", "-q", "--force"]) == 0
        new = labels_of(Path("l.csv"))
        assert new[1].tolist() == old[1][some].tolist()
        np.testing.assert_array_equal(new[3], old[3][some])


def test_text_among_numbers_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    found("mixed")
    Path("new.csv").write_text("name,size,colour,on\nx,1,red,True\ny,unknown,red,True\n")
    line = complaint(capsys, "found", "new.csv")
    assert "row 'y' has 'unknown' in column 'size'" in line


def test_columns_without_names(capsys: pytest.CaptureFixture[str]) -> None:
    found("npy")
    Path("named.csv").write_text("a,b,c,x\n1,2,3,4\n")
    line = complaint(capsys, "found", "named.csv")
    assert "has the columns a, b, c, x, but the result was found on 0, 1, 2, 3" in line


def test_distances_to_the_points_of_the_fit() -> None:
    matrix = np.abs(ROWS[:, :1] - ROWS[:, 0])
    np.save("distances.npy", matrix)
    argv = ["cluster", "distances.npy", "-k", "3", "--metric", "precomputed", "--out", "found"]
    assert main([*argv, "-q"]) == 0
    np.save("new.npy", matrix[:7])
    assert main(["predict", "found", "new.npy", "--out", "new.csv", "-q"]) == 0
    labels = labels_of(Path("found/labels.csv"))[1][:7]
    assert labels_of(Path("new.csv"))[1].tolist() == labels.tolist()


def complaint(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["predict", *argv]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


def test_columns_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    found("csv")
    Path("few.csv").write_text("a,b,c\n1,2,3\n")
    assert "column 'd' is unknown" in complaint(capsys, "found", "few.csv")
    json_lines(["spam"])(Path("words.jsonl"))
    assert "holds strings, but the result" in complaint(capsys, "found", "words.jsonl")


def test_the_number_of_columns_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    found("npy")
    np.save("wide.npy", np.ones((3, len(COLUMNS) + 1)))
    assert "has 5 columns, but the result was found on 4" in complaint(capsys, "found", "wide.npy")


def test_a_file_that_exists_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    file = found("csv")
    Path("new.csv").write_text("mine")
    assert "new.csv exists" in complaint(capsys, "found", file, "--out", "new.csv")
    assert Path("new.csv").read_text() == "mine"
    assert main(["predict", "found", file, "--out", "new.csv", "--force", "-q"]) == 0
    assert len(labels_of(Path("new.csv"))[0]) == len(NAMES)


@pytest.mark.parametrize("content", ["{", "[]", '{"format": "medoids-result", "layout": 99}'])
def test_a_result_that_is_none(content: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = found("csv")
    Path("found/result.json").write_text(content)
    assert "result.json" in complaint(capsys, "found", file)


@pytest.mark.slow
def test_a_pipe_that_is_closed_is_no_error(tmp_path: Path) -> None:
    found("npy")
    np.save("many.npy", np.tile(ROWS, (200, 1)))  # more than a pipe holds
    line = f"{sys.executable} -m medoids predict found many.npy | head -n 1"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "name,cluster,medoid,distance\n"
    assert done.stderr == ""


@pytest.mark.parametrize("name", ["csv", "npy"])
def test_columns_that_were_left_out_may_be_there_or_not(name: str, capsys: Any) -> None:
    last = "d" if name == "csv" else "3"
    file = found(name, "--exclude", last)
    assert main(["predict", "found", file, "--out", "new.csv", "-q"]) == 0
    km = KMedoids(3, random_state=0).fit(ROWS[:, :3])
    assert labels_of(Path("new.csv"))[1].tolist() == km.labels_.tolist()
    np.save("less.npy", ROWS[:, :3])
    Path("less.csv").write_text("a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c, _ in ROWS))
    assert main(["predict", "found", f"less.{name}", "--out", "less.out", "-q"]) == 0
    assert labels_of(Path("less.out"))[1].tolist() == km.labels_.tolist()


def test_rows_far_from_every_medoid_are_of_no_cluster(capsys: Any) -> None:
    file = found("csv")
    km = KMedoids(3, random_state=0).fit(ROWS)
    nearest = km.transform(ROWS).min(axis=1)
    far = float(np.quantile(nearest, 0.7))
    argv = ["predict", "found", file, "--max-distance", str(far)]
    assert main([*argv, "--out", "new.csv"]) == 0
    assert f"{(nearest > far).sum()} of 60 rows are of no cluster" in capsys.readouterr().err
    _, labels, medoids, own = labels_of(Path("new.csv"))
    assert labels.tolist() == km.predict(ROWS, max_distance=far).tolist()
    assert [medoid == "" for medoid in medoids] == (nearest > far).tolist()
    np.testing.assert_allclose(own, nearest)
    assert main([*argv, "--json", "-q"]) == 0
    lines = json.loads(capsys.readouterr().out)
    assert [each["medoid"] is None for each in lines] == (nearest > far).tolist()
