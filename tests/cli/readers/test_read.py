"""Every format is read as it is, and clustered as the library does."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import threading
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
from medoids.cli.readers.inputs import Reading
from medoids.cli.readers.read import read as read_source
from medoids.cli.readers.source import open_source


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(path: str, **options: Any) -> Any:
    return read_source(open_source(path, options.pop("format", None)), Reading(**options))


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="pipes have no names here")
@pytest.mark.parametrize("name", ["csv", "npy"])
def test_a_pipe_is_read_once_and_whole(name: str) -> None:
    rows = np.arange(60_000).reshape(20_000, 3)
    if name == "csv":
        content = ("a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows)).encode()
    else:
        np.save("rows.npy", rows)
        content = Path("rows.npy").read_bytes()
    assert len(content) > 200_000
    end, start = os.pipe()
    writer = threading.Thread(target=lambda: os.fdopen(start, "wb").write(content), daemon=True)
    writer.start()
    source = open_source(f"/dev/fd/{end}", name)
    made = read_source(source, Reading())
    os.close(end)
    np.testing.assert_array_equal(made.X, rows)
    assert source.sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,2,\n2,4,\n3,6,\n", [[1, 2], [2, 4], [3, 6]]),
        ("1;2;\n2;4;\n", [[1, 2], [2, 4]]),
        ("1,2\n2,4\n", [[1, 2], [2, 4]]),
    ],
)
def test_no_row_is_taken_for_a_header(text: str, expected: list[list[float]]) -> None:
    Path("t.csv").write_text(text)
    made = read("t.csv")
    np.testing.assert_array_equal(made.X, expected)
    assert "the first line has no names: columns are numbered from 0" in made.notes


def test_a_first_row_with_a_hole_is_no_header() -> None:
    Path("t.csv").write_text("1,,3\n0,2,3\n5,1,4\n")
    made = read("t.csv", mixed=True)
    assert made.X.to_numpy()[:, 0].tolist() == [1, 0, 5]
    assert np.isnan(made.X.iloc[0, 1])


def test_years_above_row_names_are_a_header() -> None:
    Path("t.csv").write_text(",2001,2002\nx,1,2\ny,3,4\n")
    made = read("t.csv")
    assert (made.names, made.features) == (["x", "y"], ["2001", "2002"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;b\n1;2\n1,5;2\n", [[1, 2], [1.5, 2]]),
        ("1,5;2,5\n3,5;4,5\n", [[1.5, 2.5], [3.5, 4.5]]),
        ("Länge, cm;Breite\n1,5;2\n3;4\n", [[1.5, 2], [3, 4]]),
        ('"a";"b"\n"x";1;2\n"y";3;4\n', [[1, 2], [3, 4]]),
        ("a,b\n1,2\n3,4\n", [[1, 2], [3, 4]]),
    ],
)
def test_separators_and_decimal_commas(text: str, expected: list[list[float]]) -> None:
    Path("t.csv").write_text(text)
    np.testing.assert_array_equal(read("t.csv").X, expected)


def test_long_cells_and_quotes_after_a_space() -> None:
    Path("long.csv").write_text(f"v,word\n1,{'x' * 200_000}\n2,y\n")
    assert [len(word) for word in read("long.csv", columns=["word"]).X] == [200_000, 1]
    Path("quoted.csv").write_text('x, "y, z"\n1, 2\n3, 4\n')
    made = read("quoted.csv")
    assert made.features == ["x", "y, z"]
    np.testing.assert_array_equal(made.X, [[1, 2], [3, 4]])


def test_words_for_missing_are_text_among_text() -> None:
    Path("t.csv").write_text("v,code\n1,NA\nNA,NB\n3,null\n4,None\n")
    made = read("t.csv", columns=["code"])
    assert made.X == ["NA", "NB", "null", "None"]
    assert any("'NA' in column 'code' is taken as text" in note for note in made.notes)
    table = read("t.csv", mixed=True).X
    assert table["code"].tolist() == made.X
    assert np.isnan(table["v"][1])
    Path("hole.csv").write_text("v,code,on\n1,NA,True\n2,,\n3,x,False\n")
    hole = read("hole.csv", mixed=True).X
    assert hole["code"].tolist() == ["NA", None, "x"]
    assert hole["on"].tolist() == [True, None, False]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("a;b\n1;2\n3;4\n", "csv"),
        ('name,v\n"Smith, J",3\nDoe,4\n', "csv"),
        ('\ufeff{"v": 1}\n{"v": 2}\n', "jsonl"),
        ("title\nSmith, John\nDoe, Jane\n", "text"),
        ("1.5\n2\n", "csv"),
    ],
)
def test_formats_are_told_from_what_is_inside(text: str, format: str) -> None:
    Path("data").write_text(text, encoding="utf-8")
    assert open_source("data").format == format


FLAT = [{"id": at, "type": "dog", "weight": float(at % 5)} for at in range(10)]


def test_records_with_a_type_are_no_trees(tmp_path: Path) -> None:
    json_lines(FLAT)(tmp_path / "v.jsonl")
    assert read("v.jsonl", mixed=True).kind == "table"
    made = read("v.jsonl", columns=["weight"])
    assert made.X.ravel().tolist() == [each["weight"] for each in FLAT]


def test_columns_of_records_with_children(tmp_path: Path) -> None:
    json_lines([each | {"children": at} for at, each in enumerate(FLAT)])(tmp_path / "v.jsonl")
    assert read("v.jsonl", columns=["weight", "children"]).features == ["weight", "children"]


def test_only_ends_of_lines_end_a_line() -> None:
    Path("t.txt").write_bytes("ab\u2028cd\r\ne\x0cf\rg\n".encode())
    made = read("t.txt")
    assert (made.X, made.names) == (["ab\u2028cd", "e\x0cf", "g"], ["1", "2", "3"])


def test_strings_of_bytes() -> None:
    np.save("words.npy", np.array([b"spam", "é".encode()]))
    assert read("words.npy").X == ["spam", "é"]


@pytest.mark.parametrize(
    ("shape", "image"),
    [
        ((5, 4, 4, 1), (4, 4)),
        ((5, 4, 4, 3), (4, 4, 3)),
        ((5, 4, 4, 4), None),
        ((5, 4, 4), (4, 4)),
    ],
)
def test_which_arrays_are_images(shape: tuple[int, ...], image: tuple[int, ...] | None) -> None:
    np.save("i.npy", np.ones(shape))
    assert read("i.npy").image_shape == image
    assert read("i.npy", transpose=True).image_shape is None


def test_genes_instead_of_cells(tmp_path: Path) -> None:
    CASES["h5ad"].write(tmp_path / "cells.h5ad")
    assert main(["cluster", "cells.h5ad", "-k", "2", "--transpose"]) == 0
    assert labels_of(Path("cells-medoids/labels.csv"))[0] == [f"g{at}" for at in range(12)]
    assert read("cells.h5ad", transpose=True).features == NAMES


def test_indexes_of_parquet() -> None:
    import pandas as pd

    named = pd.DataFrame({"a": [1, 2]}, index=pd.Index(["x", "y"], name="cell"))
    named.to_parquet("named.parquet")
    assert read("named.parquet", names="cell").names == ["x", "y"]
    two = pd.MultiIndex.from_tuples([("p", 1), ("q", 2)], names=["who", "when"])
    pd.DataFrame({"a": [1, 2], "index": [3, 4]}, index=two).to_parquet("two.parquet")
    made = read("two.parquet")
    assert (made.names, made.features) == (["p 1", "q 2"], ["a", "index-1"])
    assert read("two.parquet", names="when").names == ["1", "2"]


def test_a_column_with_a_comma_in_its_name() -> None:
    Path("t.csv").write_text('"a, b",c,d\n1,2,3\n4,5,6\n')
    assert main(["cluster", "t.csv", "-k", "1", "--columns", '"a, b",d']) == 0
    result = result_of(Path("t-medoids"))
    assert [each["name"] for each in result["data"]["columns"]] == ["a, b", "d"]


def test_columns_left_out(tmp_path: Path) -> None:
    table(tmp_path / "rows.csv")
    made = read_source(open_source(str(tmp_path / "rows.csv")), Reading(exclude=["b", "d"]))
    np.testing.assert_array_equal(made.X, ROWS[:, [0, 2]])
    assert (made.features, made.names) == (["a", "c"], NAMES)
    made = read_source(open_source(str(tmp_path / "rows.csv")), Reading(exclude=["id"]))
    assert (made.features, made.names) == (COLUMNS, numbers(len(ROWS)))
    np.save(tmp_path / "rows.npy", ROWS)
    made = read_source(open_source(str(tmp_path / "rows.npy")), Reading(exclude=["3"]))
    np.testing.assert_array_equal(made.X, ROWS[:, :3])
    records = [{"a": at, "b": [at], "c": 2 * at} for at in range(9)]
    json_lines(records)(tmp_path / "records.jsonl")
    made = read_source(open_source(str(tmp_path / "records.jsonl")), Reading(exclude=["b"]))
    assert made.features == ["a", "c"]
