"""Every format is read as it is, and clustered as the library does."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli_files import (
    CASES,
    COLUMNS,
    COUNTS,
    NAMES,
    ROWS,
    SEQUENCES,
    TREES,
    WORDS,
    N,
    json_lines,
    labels_of,
    mixed_frame,
    numbers,
    parquet,
    result_of,
    run,
    table,
)
from medoids import KMedoids
from medoids.__main__ import main


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(path: str, **options: Any) -> Any:
    from medoids._cli.inputs import Reading
    from medoids._cli.read import read
    from medoids._cli.source import open_source

    return read(open_source(path, options.pop("format", None)), Reading(**options))


@pytest.mark.parametrize("name", CASES)
def test_a_real_command_reads_each_format(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    case.write(tmp_path / case.file)
    done = run("cluster", case.file, "-k", "3", *case.options, "--out", "found", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    X = mixed_frame() if case.X is None else case.X
    km = KMedoids(3, metric=case.metric, random_state=0).fit(X)
    names, labels, medoids, own = labels_of(tmp_path / "found" / "labels.csv")
    assert names == case.names
    assert labels.tolist() == km.labels_.tolist()
    assert medoids == [case.names[row] for row in km.medoid_indices_[km.labels_]]
    result = result_of(tmp_path / "found")
    assert result["loss"] == pytest.approx(km.inertia_)
    assert own.sum() == pytest.approx(km.inertia_)
    assert result["parameters"]["metric"] == case.metric
    assert result["data"]["file"] == case.file
    assert ("taking metric" in done.stderr) == ("--metric" not in case.options)
    assert f"metric {case.metric}" in done.stderr or case.options


@pytest.mark.parametrize("name", ["csv", "csv.gz", "npy", "npz", "mtx", "parquet", "h5ad", "text"])
def test_standard_input(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    case = CASES[name]
    case.write(tmp_path / case.file)
    content = (tmp_path / case.file).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert main(["cluster", "-", "-k", "3"]) == 0
    names, labels, *_ = labels_of(tmp_path / "stdin-medoids" / "labels.csv")
    assert names == case.names
    km = KMedoids(3, metric=case.metric, random_state=0).fit(case.X)
    assert labels.tolist() == km.labels_.tolist()
    assert "standard input read as" in capsys.readouterr().err


def test_standard_input_of_a_real_command(tmp_path: Path) -> None:
    done = run("cluster", "-", "-k", "2", "--json", cwd=tmp_path, input="1,2\n3,4\n9,9\n")
    assert done.returncode == 0, done.stderr
    assert "read as csv" in done.stderr
    assert "columns are numbered from 0" in done.stderr


def test_format_says_otherwise(tmp_path: Path) -> None:
    Path("rows.dat").write_text("1,2\n3,4\n")
    assert read("rows.dat").kind == "rows"
    assert read("rows.dat", format="text").X == ["1,2", "3,4"]


def test_rows_of_a_table(tmp_path: Path) -> None:
    table(tmp_path / "rows.csv")
    made = read("rows.csv")
    assert made.names == NAMES
    assert made.features == COLUMNS
    np.testing.assert_array_equal(made.X, ROWS)
    some = read("rows.csv", columns=["c", "a"])
    np.testing.assert_array_equal(some.X, ROWS[:, [2, 0]])


@pytest.mark.parametrize("header", ["id", "ID", "sample_id", "name", "", "Unnamed: 0", "cellId"])
def test_row_names_are_taken_as_they_are_written(header: str) -> None:
    Path("t.csv").write_text(f"{header},v\n007,1\n7,2\nNA,3\n")
    made = read("t.csv")
    assert made.names == ["007", "7", "NA"]
    assert made.features == ["v"]
    assert "row names from the first column" in made.notes[0]


def test_a_column_with_equal_values_names_no_rows() -> None:
    Path("t.csv").write_text("id,v\n1,1\n1,2\n2,3\n")
    made = read("t.csv")
    assert made.features == ["id", "v"]
    assert made.names == numbers(3)


def test_names_may_repeat_if_the_user_says_so() -> None:
    Path("t.csv").write_text("v,who\n1,x\n2,x\n3,y\n")
    made = read("t.csv", names="who")
    assert made.names == ["x", "x", "y"]
    assert made.features == ["v"]


def test_row_names_as_r_writes_them() -> None:
    Path("t.csv").write_text('"a","b"\n"x",1,2\n"y",3,4\n')
    made = read("t.csv")
    assert made.names == ["x", "y"]
    np.testing.assert_array_equal(made.X, [[1, 2], [3, 4]])


def test_semicolons_and_decimal_commas() -> None:
    Path("t.csv").write_text("a;b\n1,5;2\n3,25;4\n")
    made = read("t.csv")
    np.testing.assert_array_equal(made.X, [[1.5, 2], [3.25, 4]])


def test_a_separator_at_the_end_of_lines() -> None:
    Path("t.csv").write_text("a,b,\n1,2,\n3,4,\n")
    assert read("t.csv").features == ["a", "b"]


def test_one_column_of_text_is_strings() -> None:
    Path("t.csv").write_text("n,word\n1,spam\n2,ham\n")
    made = read("t.csv", columns=["word"])
    assert (made.kind, made.X) == ("strings", ["spam", "ham"])


def test_chosen_columns_with_text_are_mixed() -> None:
    Path("t.csv").write_text("n,word\n1,spam\n2,ham\n")
    assert read("t.csv", columns=["n", "word"]).kind == "table"


def test_parquet_keeps_single_precision(tmp_path: Path) -> None:
    import pandas as pd

    pd.DataFrame(ROWS.astype(np.float32), columns=COLUMNS).to_parquet("t.parquet")
    assert read("t.parquet").X.dtype == np.float32
    parquet(tmp_path / "named.parquet")
    assert read("named.parquet").names == NAMES


def test_images_in_an_array() -> None:
    np.save("images.npy", np.arange(5 * 6, dtype=np.uint8).reshape(5, 2, 3))
    made = read("images.npy")
    assert made.X.shape == (5, 6)
    assert made.image_shape == (2, 3)


def test_an_array_stays_on_disk() -> None:
    np.save("rows.npy", ROWS)
    assert isinstance(read("rows.npy").X, np.memmap)


def test_strings_in_an_array() -> None:
    np.save("words.npy", np.array(WORDS))
    assert read("words.npy").X == WORDS


def test_fields_of_an_archive() -> None:
    np.savez("two.npz", left=ROWS, right=-ROWS)
    np.testing.assert_array_equal(read("two.npz", field="right").X, -ROWS)
    np.savez("one.npz", only=ROWS)
    np.testing.assert_array_equal(read("one.npz").X, ROWS)


def test_transpose_and_columns_of_a_sparse_matrix(tmp_path: Path) -> None:
    CASES["mtx"].write(tmp_path / "m.mtx")
    made = read("m.mtx", transpose=True, columns=["3", "0"])
    np.testing.assert_array_equal(made.X.toarray(), COUNTS.T.toarray()[:, [3, 0]])
    assert made.n == COUNTS.shape[1]


def test_fields_of_cells(tmp_path: Path) -> None:
    CASES["h5ad"].write(tmp_path / "cells.h5ad")
    counts, pca = read("cells.h5ad"), read("cells.h5ad", field="X_pca")
    assert (counts.kind, pca.kind) == ("cells", "rows")
    assert counts.features[0] == "g0"
    assert pca.names == NAMES
    np.testing.assert_array_equal(pca.X, ROWS)


def test_normalized_counts(tmp_path: Path) -> None:
    CASES["sparse npz"].write(tmp_path / "c.npz")
    raw = np.asarray(COUNTS.toarray(), dtype=float)
    made = read("c.npz", normalize=True)
    total = np.maximum(raw.sum(axis=1, keepdims=True), 1)
    np.testing.assert_allclose(made.X.toarray(), np.log1p(raw / total * 1e4), rtol=1e-6)
    np.save("c.npy", raw)
    np.testing.assert_allclose(read("c.npy", normalize=True).X, made.X.toarray(), rtol=1e-6)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (WORDS, "strings"),
        (TREES, "trees"),
        ([["a", []], ["b", [["c", []]]]], "trees"),
        ([[1, 2], [3, 4.5]], "rows"),
        ([1, 2.5], "rows"),
        (SEQUENCES, "sequences"),
        ([[[1, 2], [3, 4]], [[5, 6]]], "sequences"),
        ([["a", "b"], [], ["c"]], "tokens"),
        ([{"x": 1, "y": 2}, {"x": 3, "y": 4}], "rows"),
    ],
)
def test_kinds_of_json_lines(values: list[Any], kind: str, tmp_path: Path) -> None:
    json_lines(values)(tmp_path / "v.jsonl")
    made = read("v.jsonl")
    assert made.kind == kind
    assert made.n == len(values)


def test_names_from_a_json_field(tmp_path: Path) -> None:
    lines = [{"text": word, "who": f"w{at}"} for at, word in enumerate(WORDS)]
    json_lines(lines)(tmp_path / "v.jsonl")
    made = read("v.jsonl", field="text", names="who")
    assert made.X == WORDS
    assert made.names == [f"w{at}" for at in range(N)]


def test_empty_lines_of_text_keep_the_numbers_of_the_others() -> None:
    with gzip.open("t.txt.gz", "wb") as file:
        file.write(b"one\n\nthree\n")
    made = read("t.txt.gz")
    assert (made.X, made.names) == (["one", "three"], ["1", "3"])
