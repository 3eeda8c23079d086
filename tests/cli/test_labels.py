"""`--labels` and `--coordinates`: what is known of the rows and is no feature."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_files import COLUMNS, COUNTS, NAMES, ROWS, json_lines, labels_of, result_of
from sklearn.metrics import adjusted_rand_score

from medoids import KMedoids
from medoids.__main__ import main

KINDS = ["abc"[at * 3 // len(ROWS)] for at in range(len(ROWS))]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Path("rows.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["kind", "id", *COLUMNS, "x", "y"])
        for at, row in enumerate(ROWS.tolist()):
            lines.writerow([KINDS[at], NAMES[at], *row, at, -at])


def cells(path: Path) -> None:
    anndata = pytest.importorskip("anndata", reason="the extra anndata is not installed")
    import pandas as pd

    obs = pd.DataFrame({"kind": pd.Categorical(KINDS), "depth": range(len(KINDS))}, index=NAMES)
    made = anndata.AnnData(COUNTS.astype(np.float32), obs)
    made.obsm["X_umap"] = ROWS[:, :3]
    made.write_h5ad(path)


def payload(folder: str) -> Any:
    html = Path(folder, "report.html").read_text(encoding="utf-8")
    found = re.search(r'id="payload">(.*?)</script', html, re.S)
    assert found
    return json.loads(found[1])


def test_labels_are_compared_and_no_feature(capsys: Any) -> None:
    argv = ["cluster", "rows.csv", "-k", "3", "--labels", "kind", "--exclude", "x,y"]
    assert main(argv) == 0
    km = KMedoids(3, random_state=0).fit(ROWS)
    index = adjusted_rand_score(KINDS, km.labels_)
    names, labels, _, _ = labels_of(Path("rows-medoids/labels.csv"))
    assert (names, labels.tolist()) == (NAMES, km.labels_.tolist())
    assert f"against 'kind': adjusted Rand index {index:.3f}" in capsys.readouterr().out
    result = result_of(Path("rows-medoids"))
    assert result["labels"] == {"column": "kind", "adjusted_rand": pytest.approx(index)}
    assert "--labels kind" in result["command"]
    with Path("rows-medoids/labels.csv").open(newline="") as file:
        assert [row["label"] for row in csv.DictReader(file)] == KINDS
    assert main(["predict", "rows-medoids", "rows.csv", "--out", "new.csv"]) == 0
    assert labels_of(Path("new.csv"))[1].tolist() == km.labels_.tolist()
    Path("bare.csv").write_text("a,b,c,d\n" + "\n".join(",".join(map(str, row)) for row in ROWS))
    assert main(["predict", "rows-medoids", "bare.csv", "--out", "bare.out"]) == 0
    assert labels_of(Path("bare.out"))[1].tolist() == km.labels_.tolist()


def test_the_page_has_labels_places_and_other_columns() -> None:
    pytest.importorskip("plotly", reason="the extra report is not installed")
    argv = ["cluster", "rows.csv", "-k", "3", "--labels", "kind", "--coordinates", "x,y"]
    assert main([*argv, "--exclude", "d", "--report"]) == 0
    found = payload("rows-medoids")
    assert (found["known"]["name"], found["known"]["levels"]) == ("kind", ["a", "b", "c"])
    assert np.sum(found["known"]["counts"], axis=0).tolist() == [20, 20, 20]
    assert found["axes"] == ["x", "y"]
    names = [each["name"] for each in found["sample"]["colourings"]]
    assert names == ["kind", "d", "x", "y", "a", "b", "c"]


@pytest.mark.parametrize("name", ["cells.h5ad", "rows.jsonl", "rows.npz"])
def test_other_files_have_labels_too(name: str) -> None:
    if name == "cells.h5ad":
        cells(Path(name))
    records = [{"v": row, "kind": kind} for row, kind in zip(ROWS.tolist(), KINDS, strict=True)]
    json_lines(records)(Path("rows.jsonl"))
    np.savez("rows.npz", X=ROWS, kind=np.array(KINDS))
    more = ["--field", "v"] if name == "rows.jsonl" else []
    assert main(["cluster", name, "-k", "3", "--labels", "kind", "--out", "found", *more]) == 0
    labels = labels_of(Path("found/labels.csv"))[1]
    index = result_of(Path("found"))["labels"]["adjusted_rand"]
    assert index == pytest.approx(adjusted_rand_score(KINDS, labels))


def test_cells_are_placed_by_obsm_and_coloured_by_obs() -> None:
    pytest.importorskip("plotly", reason="the extra report is not installed")
    cells(Path("cells.h5ad"))
    for place in ("X_umap", "umap"):
        argv = ["cluster", "cells.h5ad", "-k", "3", "--coordinates", place, "--report"]
        assert main([*argv, "--force"]) == 0
        found = payload("cells-medoids")
        assert found["axes"] == ["X_umap 1", "X_umap 2"]
        assert [each["name"] for each in found["sample"]["colourings"]][:2] == ["kind", "depth"]


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ("rows.csv --labels knd", "--labels column 'knd' is unknown: did you mean kind?"),
        ("rows.csv --labels kind --columns kind,a", "column 'kind' has the labels"),
        ("rows.csv --coordinates x", "--coordinates takes two columns"),
        ("rows.csv --coordinates x,y,a", "--coordinates takes two columns"),
        ("rows.csv --coordinates x,z", "--coordinates column 'z' is unknown"),
        ("rows.csv --coordinates x,kind --columns a,b", "text in column 'kind'"),
        ("rows.npy --labels y", "--labels names a column of a table"),
        ("rows.npz --labels z", "--labels 'z' is unknown"),
        ("rows.npz --labels X", "has shape (60, 4)"),
        ("rows.npz --labels short", "has 3 values, but rows.npz has 60 rows"),
        ("words.txt --labels y", "--labels is for tables"),
    ],
)
def test_what_is_wrong_is_told(argv: str, says: str, capsys: Any) -> None:
    np.save("rows.npy", ROWS)
    np.savez("rows.npz", X=ROWS, short=np.arange(3))
    Path("words.txt").write_text("spam\neggs\n")
    assert main(["cluster", *argv.split(), "-k", "2"]) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1
