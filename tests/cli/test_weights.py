"""`--weights`: a column that says how much each row counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_files import (
    COLUMNS,
    COUNTS,
    NAMES,
    ROWS,
    TREES,
    N,
    json_lines,
    labels_of,
    lines_of,
    parquet,
    result_of,
    run,
    table,
    text,
    weighted,
)
from scipy import io

from medoids import KMedoids
from medoids.__main__ import main

WEIGHTS = [(3 * at) % 7 for at in range(N)]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def cluster(file: str, *more: str) -> dict[str, Any]:
    argv = ["cluster", file, "-k", "3", "--weights", "count", "--out", "found", *more]
    assert main(argv) == 0
    return result_of(Path("found"))


def same(result: dict[str, Any], X: Any, metric: str = "l2") -> None:
    """The result is that of the library with these weights, and not that without."""
    km = KMedoids(3, metric=metric, random_state=0).fit(X, sample_weight=WEIGHTS)
    assert result["weights"] == "count"
    assert result["loss"] == pytest.approx(km.inertia_)
    assert result["mean_loss"] == pytest.approx(km.inertia_ / sum(WEIGHTS))
    assert [each["row"] for each in result["medoids"]] == km.medoid_indices_.tolist()
    heavy = np.bincount(km.labels_, WEIGHTS)
    assert [each["weight"] for each in result["medoids"]] == heavy.tolist()
    means = np.array([each["mean_distance"] for each in result["medoids"]])
    assert (means * heavy).sum() == pytest.approx(km.inertia_)
    plain = KMedoids(3, metric=metric, random_state=0).fit(X)
    assert result["loss"] != pytest.approx(plain.inertia_)


def test_a_table() -> None:
    weighted(Path("rows.csv"), WEIGHTS)
    result = cluster("rows.csv")
    same(result, ROWS)
    assert [each["name"] for each in result["data"]["columns"]] == COLUMNS
    assert "--weights count" in result["command"]
    assert labels_of(Path("found/labels.csv"))[0] == NAMES


@pytest.mark.slow
def test_a_real_command_says_so(tmp_path: Path) -> None:
    weighted(tmp_path / "rows.csv", WEIGHTS)
    done = run("cluster", "rows.csv", "-k", "3", "--weights", "count", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "rows are weighted by 'count'" in done.stderr
    assert "weighted loss" in done.stdout


def test_parquet() -> None:
    import pandas as pd

    parquet(Path("rows.parquet"))
    pd.read_parquet("rows.parquet").assign(count=WEIGHTS).to_parquet("rows.parquet")
    same(cluster("rows.parquet"), ROWS)


def test_records_of_json() -> None:
    rows = zip(WEIGHTS, ROWS.tolist(), strict=True)
    records = [{"count": w} | dict(zip(COLUMNS, row, strict=True)) for w, row in rows]
    json_lines(records)(Path("rows.jsonl"))
    same(cluster("rows.jsonl"), ROWS)


def test_a_field_beside_trees() -> None:
    pairs = zip(WEIGHTS, TREES, strict=True)
    json_lines([{"ast": tree, "count": w} for w, tree in pairs])(Path("trees.jsonl"))
    same(cluster("trees.jsonl"), TREES, "tree_edit")
    assert main(["predict", "found", "trees.jsonl", "--out", "new.csv", "-q"]) == 0
    assert lines_of(Path("new.csv")) == lines_of(Path("found/labels.csv"))


def cells(path: str) -> None:
    anndata = pytest.importorskip("anndata", reason="the extra anndata is not installed")
    import pandas as pd

    obs = pd.DataFrame({"count": WEIGHTS, "batch": ["x"] * N}, index=NAMES)
    anndata.AnnData(COUNTS.astype(np.float32), obs).write_h5ad(path)


def test_cells(capsys: pytest.CaptureFixture[str]) -> None:
    cells("cells.h5ad")
    same(cluster("cells.h5ad"), COUNTS, "l1")
    assert main(["predict", "found", "cells.h5ad", "--out", "new.csv", "-q"]) == 0
    assert lines_of(Path("new.csv")) == lines_of(Path("found/labels.csv"))
    capsys.readouterr()
    assert "did you mean count?" in complaint(capsys, "cells.h5ad", "counts")
    assert "the weights column 'batch'" in complaint(capsys, "cells.h5ad", "batch")
    assert "leave one out" in complaint(capsys, "cells.h5ad", "count", "--transpose")


def test_prediction_needs_no_weights() -> None:
    weighted(Path("rows.csv"), WEIGHTS)
    cluster("rows.csv")
    table(Path("plain.csv"))
    for file in ("rows.csv", "plain.csv"):
        assert main(["predict", "found", file, "--out", "new.csv", "-q", "--force"]) == 0
        assert lines_of(Path("new.csv")) == lines_of(Path("found/labels.csv"))


def test_prediction_where_columns_have_no_names() -> None:
    rows = np.column_stack([ROWS, WEIGHTS])
    np.savetxt("rows.csv", rows, delimiter=",")
    argv = ["cluster", "rows.csv", "-k", "3", "--weights", "4", "--out", "found", "-q"]
    assert main(argv) == 0
    np.savetxt("plain.csv", ROWS, delimiter=",")
    for file in ("rows.csv", "plain.csv"):
        assert main(["predict", "found", file, "--out", "new.csv", "-q", "--force"]) == 0
        assert lines_of(Path("new.csv")) == lines_of(Path("found/labels.csv"))


def test_mixed_columns() -> None:
    lines = [f"{w},{'xyz'[at % 3]},{at % 5}\n" for at, w in enumerate(WEIGHTS)]
    Path("mixed.csv").write_text("count,kind,size\n" + "".join(lines))
    result = cluster("mixed.csv", "--metric", "gower")
    assert [each["name"] for each in result["data"]["columns"]] == ["kind", "size"]
    assert main(["predict", "found", "mixed.csv", "--out", "new.csv", "-q"]) == 0
    assert lines_of(Path("new.csv")) == lines_of(Path("found/labels.csv"))


def test_an_interrupted_fit_is_weighted(monkeypatch: pytest.MonkeyPatch) -> None:
    from medoids.methods.monitor import Monitor

    record = Monitor.record

    def stop(self: Any, *args: Any, **more: Any) -> None:
        record(self, *args, **more)
        if len(self.history) == 2 and self._watch is not None:
            raise KeyboardInterrupt

    monkeypatch.setattr(Monitor, "record", stop)
    weighted(Path("rows.csv"), WEIGHTS)
    assert main(["cluster", "rows.csv", "-k", "3", "--weights", "count", "--out", "found"]) == 130
    result = result_of(Path("found"))
    rows = [each["row"] for each in result["medoids"]]
    monkeypatch.setattr(Monitor, "record", record)
    km = KMedoids(2, init=rows, max_iter=0).fit(ROWS, sample_weight=WEIGHTS)
    assert result["loss"] == pytest.approx(km.inertia_)


def complaint(
    capsys: pytest.CaptureFixture[str], file: str, column: str, *more: str, command: str = "cluster"
) -> str:
    """The one line that a command with this column of weights ends with."""
    assert main([command, file, "-k", "2", "--weights", column, "--out", "x.png", *more]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1), err
    return err


@pytest.mark.parametrize("command", ["cluster", "scan"])
@pytest.mark.parametrize(
    ("first", "what"),
    [
        ("many", "'many' at row 'r00' in the weights column 'count'"),
        (-1, "-1 at row 'r00' in the weights column 'count'"),
        ("", "no value at row 'r00' in the weights column 'count'"),
        ("nan", "no value at row 'r00' in the weights column 'count'"),
        ("inf", "inf at row 'r00' in the weights column 'count'"),
    ],
)
def test_what_is_no_weight(
    first: Any, what: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    weighted(Path("rows.csv"), [first, *WEIGHTS[1:]])
    assert what in complaint(capsys, "rows.csv", "count", command=command)


def test_other_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    weighted(Path("rows.csv"), WEIGHTS)
    assert "did you mean count?" in complaint(capsys, "rows.csv", "counts")
    assert "'zzz' is unknown: rows.csv has count, id" in complaint(capsys, "rows.csv", "zzz")
    same_names = complaint(capsys, "rows.csv", "count", "--names", "count")
    assert "--weights and --names are both 'count'" in same_names
    chosen = complaint(capsys, "rows.csv", "count", "--columns", "a,count")
    assert "leave it out of --columns" in chosen
    weighted(Path("zeros.csv"), [0] * N)
    assert "only zeros in the weights column 'count'" in complaint(capsys, "zeros.csv", "count")
    Path("one.csv").write_text("count\n1\n2\n")
    assert "no column besides the weights" in complaint(capsys, "one.csv", "count")


def test_only_tables_have_weights(capsys: pytest.CaptureFixture[str]) -> None:
    np.save("rows.npy", ROWS)
    io.mmwrite("counts.mtx", COUNTS)
    text(Path("words.txt"))
    json_lines(["a", "b", "c"])(Path("words.jsonl"))
    for file in ("rows.npy", "counts.mtx", "words.txt", "words.jsonl"):
        line = complaint(capsys, file, "count")
        assert "--weights" in line
        assert "table" in line


def test_json_names_the_column(capsys: pytest.CaptureFixture[str]) -> None:
    weighted(Path("rows.csv"), WEIGHTS)
    cluster("rows.csv", "--json")
    assert json.loads(capsys.readouterr().out)["weights"] == "count"
