"""Files of fields of science: molecules (.smi), time series (.ts)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cli_files import run

from medoids.cli.problem import Problem
from medoids.cli.readers.inputs import Input, Reading
from medoids.cli.readers.read import read
from medoids.cli.readers.source import open_source

HEAD = "#a comment\n@problemName Made\n@timestamps false\n@classLabel true a b\n@data\n"


def read_text(folder: Path, name: str, text: str) -> Input:
    (folder / name).write_text(text)
    return read(open_source(str(folder / name)), Reading())


def test_series_with_labels(tmp_path: Path) -> None:
    made = read_text(tmp_path, "one.ts", HEAD + "1,2,3:a\n\n4,5:b\n")
    assert made.kind == "sequences"
    assert made.X == [[1.0, 2.0, 3.0], [4.0, 5.0]]
    assert made.names == ["0", "1"]
    assert made.notes == ["the labels of the file are left out"]


def test_series_of_channels(tmp_path: Path) -> None:
    """Channels are apart in the file; a row for each time comes out."""
    made = read_text(tmp_path, "two.ts", "@classLabel false\n@data\n1,2,3:4,5,6\n7,8:9,10\n")
    assert made.X == [[[1, 4], [2, 5], [3, 6]], [[7, 9], [8, 10]]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,2,3\n", "no @data before line 1"),
        ("@data\n", "no series behind @data"),
        ("@data\n1,x\n", "no number at line 2"),
        ("@data\n1,?\n", "no number at line 2"),
        ("@data\n1,nan\n", "NaN or infinity at line 2"),
        ("@data\n1,2:3\n", "different lengths at line 2"),
        ("@data\n1,2\n1:2\n", "channels"),
        ("@timestamps true\n@data\n(0,1)\n", "time stamps"),
    ],
)
def test_damaged_series(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(Problem, match=words):
        read_text(tmp_path, "bad.ts", text)


def test_series_are_clustered_and_found_again(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    walks = [rng.normal(size=rng.integers(5, 9)) + 5 * (at % 2) for at in range(12)]
    lines = [",".join(f"{value:.3f}" for value in walk) + ":a" for walk in walks]
    (tmp_path / "walks.ts").write_text(HEAD + "\n".join(lines) + "\n")
    command = ["cluster", "walks.ts", "-k", "2", "--metric", "twe", "--metric-param", "nu=0.1"]
    done = run(*command, "--report", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = Path(json.loads(done.stdout)["out"])
    labels = [line.split(",")[1] for line in (tmp_path / folder / "labels.csv").open()][1:]
    assert labels == [labels[0], labels[1]] * 6
    assert '"kind": "curve"' in (tmp_path / folder / "report.html").read_text().replace(
        '"kind":"curve"', '"kind": "curve"'
    )
    again = run("predict", folder, "walks.ts", cwd=tmp_path)
    assert [line.split(",")[1] for line in again.stdout.splitlines()[1:]] == labels


def test_molecules_need_rdkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "rdkit", None)
    with pytest.raises(Problem, match="needs RDKit: pip install rdkit"):
        read_text(tmp_path, "some.smi", "CCO ethanol\n")


def test_molecules(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    text = "smiles name\nCCO ethanol\nCCN\n\nc1ccccc1 benzene ring\nCc1ccccc1\n"
    made = read_text(tmp_path, "some.smi", text)
    assert made.kind == "bits"
    assert made.texts == ["CCO", "CCN", "c1ccccc1", "Cc1ccccc1"]
    assert made.names == ["ethanol", "3", "benzene ring", "6"]
    with pytest.raises(Problem, match=r"line 2 is 'C1C'"):
        read_text(tmp_path, "bad.smi", "CCO\nC1C\n")
    done = run("cluster", "some.smi", "-k", "2", "--report", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    folder = tmp_path / result["out"]
    assert "c1ccccc1" in (folder / "report.html").read_text()
    held = [json.loads(line)["medoid"] for line in (folder / "medoids.jsonl").open()]
    assert set(held) <= set(made.texts)
    again = run("predict", folder, "some.smi", cwd=tmp_path)
    expected = [",".join(line.split(",")[:2]) for line in (folder / "labels.csv").open()]
    assert [",".join(line.split(",")[:2]) for line in again.stdout.splitlines()] == expected
